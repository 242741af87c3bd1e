// Links of bodies that are solved as a whole, or rigid.
//
// Such a body answers to a force with all of itself: by the 3 × 3 block of the inverse of its Hessian that belongs to
// the point that is pulled at, and to others by the blocks beside it (BodyKind.answer). All links that tie such
// bodies, directly or over rigid bodies between them, are one linear system
//
//     (W + c) Δμ = −(d + c μ),   W_ij = Σ ± A_ij over the bodies that links i and j share,
//
// which is solved exactly; the bodies are then told the forces and solved again, so that a pass is an iteration of
// Newton's method on bodies and links together. A sub-step starts with the force of the one before. With the mass of
// the vertex in place of A, a weight of fifty times the rod's mass would take hundreds of passes.
//
// W is factored as LDLᵀ within its envelope: what is tied in the order in which it was made, as ropes, chains and
// bridges are, fills next to nothing. Ropes that would push and links that would break what they may bear are
// bounded, and links are then corrected one by one until the others agree.
#include <assert.h>
#include <string.h>

#include "world/link_matrix.h"
#include "world/link_sides.h"

static Vec3d times(const Block *a, Vec3d v) {
    return (Vec3d){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                   a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                   a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

static void add_block(Block *to, const Block *a, double sign) {
    for (int k = 0; k < 9; ++k)
        to->m[k / 3][k % 3] += sign * a->m[k / 3][k % 3];
}

// a⁻¹ v; 0 where nothing moves at all.
static Vec3d over(const Block *a, Vec3d v) {
    Vec3d x = {a->m[0][0], a->m[1][0], a->m[2][0]}, y = {a->m[0][1], a->m[1][1], a->m[2][1]};
    Vec3d z = {a->m[0][2], a->m[1][2], a->m[2][2]}, yz = crossd(y, z);
    double det = dotd(x, yz);
    if (!(det > 0.0))
        return (Vec3d){0};
    return scaled((Vec3d){dotd(yz, v), dotd(crossd(z, x), v), dotd(crossd(x, y), v)}, 1.0 / det);
}

// How far the points of a link part if those of another one, or its own, are pulled apart.
static Block answer_between(const Touched *to, const Link *pulled, const Link *link) {
    Block sum = {0};
    for (int k = 0; k < 4; ++k) {
        const LinkSide *from = &pulled->side[k / 2], *side = &link->side[k % 2];
        if ((k / 2 == 1 && !is_pair(pulled)) || (k % 2 == 1 && !is_pair(link)) ||
            from->body != side->body)
            continue;
        Block a = sn__side_answer(to, from, side);
        add_block(&sum, &a, k / 2 == k % 2 ? 1.0 : -1.0);
    }
    return sum;
}

static void pull_side(SnWorld *world, const Touched *to, LinkSide *side, Vec3d impulse) {
    if (side->tie >= 0)
        sn__tie_pulled(world, side->body, side->tie, impulse);
    else
        sn__side_move(to, side, (float[3]){(float)impulse.x, (float)impulse.y, (float)impulse.z},
                      1.0f);
}

// Links are never quite rigid: by this part of how easily their knots move alone. Where two things hold each other that
// cannot give way, the force between them would be any number.
#define GIVE 1e-6
// The same where points hold each other rigidly, as those of a hard section do: several links at one section may ask
// for what they cannot all have.
#define GIVE_OF_SECTIONS 1e-3
// The same for rigid bodies that are held at a point, which do not move at all along their arm.
#define GIVE_OF_HELD 1e-3
// One that is drawn to its length gives way: it is not drawn at all by a force that would give this speed, m/s, to all
// that hangs together with it within a sub-step. So links that cannot all have their length settle where their forces
// balance, and what hangs by one is drawn in nevertheless. Where it is as near as NEAR of a segment, it may also stretch
// that by up to this part, so that ropes can be tightened.
#define DRAW_SPEED 2.0
#define DRAW_STRAIN 0.01
#define NEAR 0.05

// How hard a link may draw, N.
static double most_drawn(const Touched *to, const Link *link, double h) {
    double strained = 1e30;
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s) {
        const LinkSide *side = &link->side[s];
        const Knot *a = &to->knots[side->between[0]], *b = &to->knots[side->between[1]];
        double near = NEAR * lengthd(subd(vec(a->start), vec(b->start)));
        double part = fmax(1.0 - (double)link->away / near, 0.0);
        if (side->stretch > 0.0)
            strained = fmin(strained, DRAW_STRAIN * part * side->stretch);
    }
    return fmax(strained < 1e30 ? strained : 0.0, DRAW_SPEED * link->group_mass / h);
}

static double drawn_soft(const Touched *to, const Link *link, const ContactPass *pass) {
    double h = (double)pass->h, by = fmin((double)link->away, (double)(PULL_SPEED * pass->h));
    return by > 0.0 ? by / (h * h * most_drawn(to, link, h)) : 0.0;
}

// How easily a held body moves at the link by turning, in the mean of all directions.
static double give_of_turn(const Touched *to, const LinkSide *side) {
    if (side->turn == 0 || to->knots[side->knot[0]].mobility > 0.0f)
        return 0.0;
    const float *i = to->turns[side->turn].inverse;
    Vec3d arm = sn__side_arm(to, side);
    return GIVE_OF_HELD * dotd(arm, arm) * (double)(i[0] + i[1] + i[2]) / 3.0;
}

static double soft_of(const Touched *to, const Link *link, const ContactPass *pass) {
    double give = 0.0;
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s) {
        give += give_of_turn(to, &link->side[s]);
        for (int v = 0; v < 2; ++v) {
            const LinkSide *side = &link->side[s];
            double own = side->sectioned ? GIVE_OF_SECTIONS : GIVE;
            give += own *
                    (double)(side->weight[v] * side->weight[v] * to->knots[side->knot[v]].mobility);
        }
    }
    double soft = (double)(link->compliance / (pass->h * pass->h)) + give;
    if (link->compliance > 0.0f)
        return soft;
    return soft + drawn_soft(to, link, pass);
}

// Ropes that are slack and bear nothing, and links of what has just broken.
static bool is_idle(const Link *link, const LinkGap *g) {
    if (link->side[0].broken || (is_pair(link) && link->side[1].broken))
        return true;
    return link->rope && g->open < 0.0 && !(dotd(vec(link->mu), g->along) < 0.0);
}

// Gives a link its new multiplier, as far as it can bear it; whether that was all of it.
static bool set_multiplier(SnWorld *world, const Touched *to, const ContactPass *pass, Link *link,
                           Vec3d wanted, Vec3d along) {
    if (link->rope && link->length > 0.0f) // it cannot push
        wanted = subd(wanted, scaled(along, fmax(dotd(wanted, along), 0.0)));
    float mu[3] = {(float)wanted.x, (float)wanted.y, (float)wanted.z};
    sn__link_bound(link, pass->h, mu);
    Vec3d by = subd(vec(mu), vec(link->mu));
    memcpy(link->mu, mu, sizeof mu);
    pull_side(world, to, &link->side[0], by);
    if (is_pair(link))
        pull_side(world, to, &link->side[1], scaled(by, -1.0));
    return lengthd(subd(vec(mu), wanted)) <= 1e-5 * lengthd(wanted);
}

// Rounds of correcting links one by one, where some are bounded or they are too many for the matrix, and the change
// of a force, as a part of it, at which they end.
#define ROUNDS 50
#define CHANGE 1e-5

// Returns how much of what it bears was new.
static double correct(SnWorld *world, const Touched *to, const ContactPass *pass, Link *link) {
    double soft = soft_of(to, link, pass);
    Block own = answer_between(to, link, link);
    LinkGap g = sn__link_gap(link, to, pass);
    Vec3d before = vec(link->mu), wanted;
    for (int k = 0; k < 3; ++k)
        own.m[k][k] += soft;
    if (is_idle(link, &g))
        return 0.0;
    if (!link->point) {
        double easy = dotd(g.along, times(&own, g.along));
        double missing = g.open + soft * dotd(before, g.along);
        wanted = subd(before, scaled(g.along, easy > 0.0 ? missing / easy : 0.0));
    } else {
        wanted = subd(before, over(&own, addd(g.off, scaled(before, soft))));
    }
    set_multiplier(world, to, pass, link, wanted, g.along);
    double size = lengthd(vec(link->mu));
    return size > 0.0 ? lengthd(subd(vec(link->mu), before)) / size : 0.0;
}

static void correct_all(SnWorld *world, const Touched *to, const ContactPass *pass) {
    double change = 1.0;
    for (int round = 0; round < ROUNDS && change > CHANGE; ++round) {
        change = 0.0;
        for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
            if (sn__link_in_use(world, k) && is_tied(&world->links[k]))
                change = fmax(change, correct(world, to, pass, &world->links[k]));
    }
}

// The shortest segment that it pulls at; of what has one point, its width.
static double shortest_at(const Link *link, const Touched *to) {
    double shortest = 1e30;
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s) {
        const int *ends = link->side[s].between;
        Vec3d edge = subd(vec(to->knots[ends[0]].start), vec(to->knots[ends[1]].start));
        double width = 2.0 * (double)to->knots[ends[0]].start[3];
        if (is_of_whole(&link->side[s]))
            shortest = fmin(shortest, ends[0] == ends[1] ? width : lengthd(edge));
    }
    return shortest;
}

// A link that is shorter than this part of a segment is a point: where passes end, its direction is chance. A rope has
// one as long as it pulls.
#define POINT_MOST 1e-3
static bool is_point(const Link *link, const Touched *to) {
    double least = link->rope ? 0.0 : POINT_MOST * shortest_at(link, to);
    return !(sn__link_length(link) > least);
}

// The rows of a link in the matrix: an axis each. The first one of a link that has a direction is along it.
static Vec3d axis_in(const Link *link, int k) {
    if (link->point)
        return axis_of(k);
    return k == 0 ? link->along : k == 1 ? link->across : crossd(link->along, link->across);
}

// Any direction across another one.
static Vec3d across(Vec3d along) {
    Vec3d size = {fabs(along.x), fabs(along.y), fabs(along.z)};
    Vec3d least = axis_of(size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2);
    Vec3d off = crossd(along, least);
    double length = lengthd(off);
    return length > 0.0 ? scaled(off, 1.0 / length) : least;
}

// A force that pulls along a link turns with it: across, T/length for each metre by which its ends part. The compliance
// of that; where it pushes, what it does across is only brought in line with where the link is now.
#define PULL_LEAST 1e-30
static double soft_across(const Link *link) {
    return sn__link_length(link) / fmax(-dotd(vec(link->mu), link->along), PULL_LEAST);
}

// Gives rows to all links that bear something. Returns their number.
static int number_rows(SnWorld *world, const Touched *to, const ContactPass *pass) {
    int count = 0;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        link->rows = 0;
        if (!sn__link_in_use(world, k) || !is_tied(link))
            continue;
        LinkGap g = sn__link_gap(link, to, pass);
        link->row = count;
        link->rows = is_idle(link, &g) ? 0 : 3;
        link->point = is_point(link, to);
        link->along = g.along;
        link->across = across(g.along);
        count += link->rows;
    }
    return count;
}

// Calls for every link up to this one that shares a body with it, more than once for some.
typedef void WithNeighbour(const Link *link, const Link *other, void *context);
static void for_neighbours(const SnWorld *world, const Link *link, WithNeighbour *call,
                           void *context) {
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s)
        for (uint32_t n = link->side[s].body->first_link; n != 0; n = *sn__link_after(world, n)) {
            const Link *other = &world->links[(n - 1) / 2];
            if (other <= link && other->rows > 0)
                call(link, other, context);
        }
}

static void find_first(const Link *link, const Link *other, void *context) {
    (void)link;
    int *first = context;
    *first = other->row < *first ? other->row : *first;
}

static bool reserve(const SnWorld *world, void **array, int *capacity, int count, size_t size) {
    while (*capacity < count)
        if (!sn__reserve(&world->allocator, array, capacity, *capacity, size))
            return false;
    return true;
}

// Where the rows of the matrix begin, and where they lie. False if there are too many numbers or no memory.
#define MOST_NUMBERS 200000
static bool arrange(SnWorld *world, TiedLinks *m, int rows) {
    size_t numbers = 0;
    if (!reserve(world, (void **)&m->row, &m->row_capacity, rows, sizeof *m->row))
        return false;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        const Link *link = &world->links[k];
        int first = link->row;
        if (link->rows > 0)
            for_neighbours(world, link, find_first, &first);
        for (int r = link->row; r < link->row + link->rows; ++r) {
            m->row[r] = (LinkRow){.first = first, .at = (int)numbers};
            numbers += (size_t)(r - first + 1);
        }
        if (numbers > MOST_NUMBERS)
            return false;
    }
    if (!reserve(world, (void **)&m->number, &m->number_capacity, (int)numbers, sizeof *m->number))
        return false;
    memset(m->number, 0, numbers * sizeof *m->number);
    return true;
}

typedef struct Assembly {
    const Touched *to;
    const TiedLinks *m;
} Assembly;

static void fill_block(const Link *link, const Link *other, void *context) {
    const Assembly *a = context;
    Block block = answer_between(a->to, other, link);
    for (int i = 0; i < link->rows; ++i)
        for (int j = 0; j < other->rows; ++j)
            if (other->row + j <= link->row + i)
                *sn__link_place(a->m, link->row + i, other->row + j) =
                    dotd(axis_in(link, i), times(&block, axis_in(other, j)));
}

// Solves for all links at once. False if that could not be done, or not all of it.
static bool solve_together(SnWorld *world, const Touched *to, const ContactPass *pass) {
    TiedLinks *m = &world->tied;
    int rows = number_rows(world, to, pass);
    if (rows == 0) // all ropes are slack
        return true;
    if (!arrange(world, m, rows))
        return false;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (link->rows == 0)
            continue;
        for_neighbours(world, link, fill_block, &(Assembly){to, m});
        LinkGap g = sn__link_gap(link, to, pass);
        for (int i = 0; i < link->rows; ++i) {
            Vec3d axis = axis_in(link, i);
            bool turns = !link->point && i > 0;
            double soft = turns ? soft_across(link) : soft_of(to, link, pass);
            double gap = turns ? 0.0 : link->point ? dotd(axis, g.off) : g.open;
            *sn__link_place(m, link->row + i, link->row + i) += soft;
            m->row[link->row + i].step = -gap - soft * dotd(axis, vec(link->mu));
        }
    }
    sn__links_factor(m, rows);
    sn__links_substitute(m, rows);
    bool all = true;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        Vec3d wanted = vec(link->mu);
        for (int i = 0; i < link->rows; ++i)
            wanted = addd(wanted, scaled(axis_in(link, i), m->part * m->row[link->row + i].step));
        if (link->rows > 0)
            all = set_multiplier(world, to, pass, link, wanted, link->along) && all;
    }
    return all;
}

static void solve_all(SnWorld *world, const Touched *to, const ContactPass *pass) {
    if (!solve_together(world, to, pass))
        correct_all(world, to, pass);
}

// One that bears all it may gives way, as it was made to.
static bool gives_way(const Link *link, const ContactPass *pass) {
    double most = (double)(link->max_force * pass->h * pass->h);
    return link->max_force > 0.0f && lengthd(vec(link->mu)) >= 0.999 * most;
}

// How far the points are from where they should be, as a part of the shortest segment at them.
static double openness(Link *link, const Touched *to, const ContactPass *pass) {
    if (gives_way(link, pass))
        return 0.0;
    LinkGap g = sn__link_gap(link, to, pass);
    double soft = soft_of(to, link, pass);
    Vec3d off = addd(g.off, scaled(vec(link->mu), soft));
    double gap = is_idle(link, &g)    ? 0.0
                 : is_point(link, to) ? lengthd(off)
                                      : fabs(g.open + soft * dotd(vec(link->mu), g.along));
    return gap / shortest_at(link, to);
}

static void begin(Link *link, const ContactPass *pass) {
    if (pass->first) {
        float square = pass->h * pass->h;
        link->mu[0] = square * link->pull.x;
        link->mu[1] = square * link->pull.y;
        link->mu[2] = square * link->pull.z;
    }
    memcpy(link->before, link->mu, sizeof link->mu);
    for (int s = 0; s < 2; ++s) {
        LinkSide *side = &link->side[s];
        Block own;
        bool drifts = side->tie >= 0 && side->body->kind->drift;
        side->shift = drifts ? side->body->kind->drift(side->body, side->tie) : (Vec3d){0};
        side->broken =
            side->tie >= 0 && !side->body->kind->answer(side->body, side->tie, side->tie, own.m);
    }
}

// Where heavy things jerk at light ones, bodies turn far within a sub-step, and what closes a link to first order may
// open it. Then the next pass takes half of its step; but not where bodies have told how they drift, as half of the step
// would leave half of that open.
#define WIDE_OPEN 1e-2
#define LEAST_PART 0.1

static void choose_part(TiedLinks *t, double open, bool whole) {
    bool worse = open > t->open && open > WIDE_OPEN;
    t->part = whole ? 1.0 : worse ? fmax(0.5 * t->part, LEAST_PART) : fmin(2.0 * t->part, 1.0);
    t->open = open;
}

static bool knows_drift(const Link *link) {
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s)
        if (link->side[s].tie >= 0 && link->side[s].body->kind->drift == NULL)
            return false;
    return true;
}

void sn__links_solve_tied(SnWorld *world, const ContactPass *pass) {
    const Touched to = sn__touched(world);
    bool any = false, known = true;
    double open = 0.0;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (sn__link_in_use(world, k) && is_tied(&world->links[k])) {
            begin(&world->links[k], pass);
            world->links[k].open = openness(&world->links[k], &to, pass);
            open = fmax(open, world->links[k].open);
            any = true;
            known = known && knows_drift(&world->links[k]);
        }
    open = fmax(open, sn__hinges_begin_tied(world, pass));
    choose_part(&world->tied, open, pass->first || known);
    if (pass->first)
        sn__hinges_start_tied(world);
    if (any)
        solve_all(world, &to, pass);
    // Hinges and links in turn, until they agree.
    double turned = sn__hinges_solve_tied(world, pass);
    world->tied.open = fmax(world->tied.open, turned);
    for (int round = 0; round < ROUNDS && turned > CHANGE; ++round) {
        if (any)
            solve_all(world, &to, pass);
        turned = sn__hinges_solve_tied(world, pass);
    }
}
