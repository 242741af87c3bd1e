// How links are solved, in every pass, beside the contacts.
//
// With d the vector from b to a, G = Σ w²/m of both points and c = compliance/h²: a link of length 0 is three
// constraints d = 0 at once, Δμ = −(d + c μ)/(G + c); one with a length is |d| = length along d. Its force is
// μ/h².
//
// Where a side belongs to a body that is solved as a whole, G is the 3 × 3 block A of that body's inverse (its
// *answer*, BodyKind.answer), links that tie the same body know of each other by the blocks beside the diagonal, and
// a sub-step starts with the force of the one before: one pass is an iteration of Newton's method on the bodies and
// their links together. With the mass of the vertex in place of A, a weight of fifty times the rod's mass takes
// hundreds of passes.
#include <assert.h>
#include <string.h>

#include "world/world.h"

static bool in_use(const SnWorld *world, uint32_t k) {
    assert(k < world->link_ids.slot_count);
    return (world->link_ids.slots[k].generation & 1) != 0;
}

static bool is_pair(const Link *link) { return link->b.body.index != 0; }

static bool is_tied(const Link *link) {
    return link->side[0].tie >= 0 || (is_pair(link) && link->side[1].tie >= 0);
}

// What links move.
typedef struct Touched {
    Knot *knots;
    KnotTurn *turns;
} Touched;

static void bind(SnWorld *world, const SnBodyPoint *p, LinkSide *side) {
    Body *body = sn__bodies_find(&world->bodies, p->body);
    int ends[2];
    // What hangs on a body goes with it.
    assert(body && sn__body_needs_knots(body) && p->element < body->elements);
    body->kind->ends(body, p->element, ends);
    side->t = p->t;
    side->turn = body->kind->turn ? body->kind->turn(body) : 0;
    for (int v = 0; v < 2; ++v) {
        side->between[v] = body->kind->knot(body, ends[v]);
        side->knot[v] = side->turn != 0 ? body->kind->hub(body) : side->between[v];
        side->weight[v] = v == 0 ? 1.0f - p->t : p->t;
        memcpy(side->origin[v], body->kind->knot_origin(body, side->knot[v]),
               sizeof side->origin[v]);
    }
    body->kind->touch(body);
    side->body = body;
    side->tie = body->kind->tie ? body->kind->tie(body, p->element, p->t) : -1;
}

static Vec3d vec(const float v[3]) { return (Vec3d){(double)v[0], (double)v[1], (double)v[2]}; }

// From the knot that the body turns about to the end of the link, at the start of the sub-step.
static Vec3d arm_of(const Touched *to, const LinkSide *side) {
    Vec3d a = vec(to->knots[side->between[0]].start), b = vec(to->knots[side->between[1]].start);
    Vec3d at = addd(scaled(a, 1.0 - (double)side->t), scaled(b, (double)side->t));
    return subd(at, vec(to->knots[side->knot[0]].start));
}

// Where a side was when the sub-step began.
static Vec3d side_start(const Touched *to, const LinkSide *side) {
    Vec3d at = side->turn != 0 ? arm_of(to, side) : (Vec3d){0};
    for (int v = 0; v < 2; ++v) {
        const Knot *k = &to->knots[side->knot[v]];
        double w = (double)side->weight[v];
        at.x += w * (side->origin[v][0] + (double)k->start[0]);
        at.y += w * (side->origin[v][1] + (double)k->start[1]);
        at.z += w * (side->origin[v][2] + (double)k->start[2]);
    }
    return at;
}

// Where a side is now.
static Vec3d side_at(const Touched *to, const LinkSide *side) {
    Vec3d at = {0};
    for (int v = 0; v < 2; ++v) {
        const Knot *k = &to->knots[side->knot[v]];
        double w = (double)side->weight[v];
        at.x += w * (side->origin[v][0] + (double)k->start[0] + (double)k->motion[0]);
        at.y += w * (side->origin[v][1] + (double)k->start[1] + (double)k->motion[1]);
        at.z += w * (side->origin[v][2] + (double)k->start[2] + (double)k->motion[2]);
    }
    if (side->tie >= 0)
        return addd(at, side->shift);
    if (side->turn == 0)
        return at;
    // A turn is twice the vector part of its quaternion: arms keep their length.
    Vec3d half = scaled(vec(to->turns[side->turn].turn), 0.5);
    Quatd q = {half.x, half.y, half.z, sqrt(fmax(1.0 - dotd(half, half), 0.0))};
    return addd(at, rotated(q, arm_of(to, side)));
}

// How easily a side moves along d by its knots, and by turning.
static double mobility_of(const Touched *to, const LinkSide *side, Vec3d d) {
    float line = 0.0f;
    if (side->turn != 0) {
        Vec3d about = crossd(arm_of(to, side), d);
        return (double)to->knots[side->knot[0]].mobility +
               dotd(about, sn__turned_by(&to->turns[side->turn], about));
    }
    for (int v = 0; v < 2; ++v)
        line += side->weight[v] * side->weight[v] * to->knots[side->knot[v]].mobility;
    return (double)line;
}

static void move_side(const Touched *to, const LinkSide *side, const float impulse[3], float sign) {
    for (int v = 0; v < 2; ++v) {
        Knot *k = &to->knots[side->knot[v]];
        for (int c = 0; c < 3; ++c)
            k->motion[c] += sign * side->weight[v] * k->mobility * impulse[c];
    }
    if (side->turn == 0)
        return;
    KnotTurn *turn = &to->turns[side->turn];
    Vec3d by = sn__turned_by(turn, crossd(arm_of(to, side), scaled(vec(impulse), (double)sign)));
    turn->turn[0] += (float)by.x;
    turn->turn[1] += (float)by.y;
    turn->turn[2] += (float)by.z;
}

// Keeps a multiplier within what the force may be.
static void bound_force(const Link *link, float h, float mu[3]) {
    float size = sqrtf(mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]);
    float most = link->max_force * h * h;
    for (int c = 0; c < 3 && most > 0.0f && size > most; ++c)
        mu[c] *= most / size;
}

// A rigid link that is too long when a sub-step begins, because it was made so or torn, is drawn in
// at this speed, m/s. At once, it would be a shot.
#define PULL_SPEED 5.0f

static float length_now(Link *link, const Touched *to, const ContactPass *pass) {
    if (link->compliance > 0.0f)
        return link->length;
    if (pass->first) {
        bool pair = is_pair(link);
        double time = pass->time - (double)pass->share;
        Vec3d b = pair ? side_start(to, &link->side[1])
                       : addd(link->start, scaled(subd(link->end, link->start), time));
        float distance = (float)lengthd(subd(side_start(to, &link->side[0]), b));
        link->drawn = fmaxf(link->length, distance - PULL_SPEED * pass->h);
    }
    return link->drawn;
}

// Both points of a link, and what is between them.
typedef struct LinkGap {
    Vec3d d;      // from b to a
    Vec3d along;  // its direction
    float gap[3]; // what is to be closed
} LinkGap;

static LinkGap gap_of(Link *link, const Touched *to, const ContactPass *pass) {
    LinkGap g;
    Vec3d b = is_pair(link) ? side_at(to, &link->side[1])
                            : addd(link->start, scaled(subd(link->end, link->start), pass->time));
    g.d = subd(side_at(to, &link->side[0]), b);
    double distance = lengthd(g.d), inv = distance > 0.0 ? 1.0 / distance : 0.0;
    g.along = scaled(g.d, inv);
    float along[3] = {(float)g.along.x, (float)g.along.y, (float)g.along.z};
    float length = length_now(link, to, pass);
    g.gap[0] = (float)g.d.x - along[0] * length;
    g.gap[1] = (float)g.d.y - along[1] * length;
    g.gap[2] = (float)g.d.z - along[2] * length;
    if (link->rope && distance < (double)link->length)
        g.gap[0] = g.gap[1] = g.gap[2] = 0.0f;
    return g;
}

// How easily the points move against each other along d.
static float mobility_along(const Link *link, const Touched *to, Vec3d d) {
    double G = mobility_of(to, &link->side[0], d);
    return (float)(is_pair(link) ? G + mobility_of(to, &link->side[1], d) : G);
}

static void move(Link *link, const Touched *to, const float mu[3]) {
    float impulse[3];
    for (int c = 0; c < 3; ++c) {
        impulse[c] = mu[c] - link->mu[c];
        link->mu[c] = mu[c];
    }
    move_side(to, &link->side[0], impulse, 1.0f);
    if (is_pair(link))
        move_side(to, &link->side[1], impulse, -1.0f);
}

// With a length there is one direction. At length 0, bodies that turn answer differently along each
// axis: the gap is closed axis by axis, and again for what one axis does to the others.
#define AXIS_ROUNDS 4

static void solve_turning(Link *link, const Touched *to, const ContactPass *pass, float soft) {
    for (int k = 0; k < (link->length > 0.0f ? 1 : 3 * AXIS_ROUNDS); ++k) {
        LinkGap g = gap_of(link, to, pass);
        const Vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        Vec3d axis = link->length > 0.0f ? g.along : axes[k % 3];
        double gap = dotd(axis, vec(g.gap)) + (double)soft * dotd(axis, vec(link->mu));
        double by = -gap / ((double)mobility_along(link, to, axis) + (double)soft + 1e-30);
        float mu[3] = {link->mu[0] + (float)(by * axis.x), link->mu[1] + (float)(by * axis.y),
                       link->mu[2] + (float)(by * axis.z)};
        bound_force(link, pass->h, mu);
        move(link, to, mu);
    }
}

static void solve(Link *link, const Touched *to, const ContactPass *pass) {
    assert(pass->h > 0.0f && link->side[0].knot[0] > 0 && link->side[0].knot[1] > 0);
    float soft = link->compliance / (pass->h * pass->h);
    if (pass->first)
        link->mu[0] = link->mu[1] = link->mu[2] = 0.0f;
    if (link->side[0].turn != 0 || (is_pair(link) && link->side[1].turn != 0)) {
        solve_turning(link, to, pass, soft);
        return;
    }
    LinkGap g = gap_of(link, to, pass);
    float mu[3], G = mobility_along(link, to, g.along);
    for (int c = 0; c < 3; ++c)
        mu[c] = link->mu[c] - (g.gap[c] + soft * link->mu[c]) / (G + soft + 1e-30f);
    bound_force(link, pass->h, mu);
    move(link, to, mu);
}

// A symmetric matrix that is positive, or nearly so.
typedef struct Block {
    double m[3][3];
} Block;

static Vec3d times(const Block *a, Vec3d v) {
    return (Vec3d){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                   a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                   a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

static void add_block(Block *to, const Block *a, double sign) {
    for (int k = 0; k < 9; ++k)
        to->m[k / 3][k % 3] += sign * a->m[k / 3][k % 3];
}

static void add_column(Block *to, int column, Vec3d v) {
    to->m[0][column] += v.x;
    to->m[1][column] += v.y;
    to->m[2][column] += v.z;
}

static Vec3d axis_of(int k) {
    return (Vec3d){k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
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

static Block answer(const LinkSide *pulled, const LinkSide *side) {
    Block a;
    side->body->kind->answer(side->body, pulled->tie, side->tie, a.m);
    return a;
}

// How a side moves by a force on it.
static void add_own_answer(const Touched *to, const LinkSide *side, Block *sum) {
    if (side->tie >= 0) {
        Block own = answer(side, side);
        add_block(sum, &own, 1.0);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        Vec3d by = scaled(axis_of(k), mobility_of(to, side, axis_of(k)));
        if (side->turn != 0) {
            Vec3d arm = arm_of(to, side);
            by = addd(scaled(axis_of(k), (double)to->knots[side->knot[0]].mobility),
                      crossd(sn__turned_by(&to->turns[side->turn], crossd(arm, axis_of(k))), arm));
        }
        add_column(sum, k, by);
    }
}

// How both points move against each other.
static Block answer_of(const Link *link, const Touched *to) {
    Block sum = {0};
    const LinkSide *a = &link->side[0], *b = &link->side[1];
    add_own_answer(to, a, &sum);
    if (!is_pair(link))
        return sum;
    add_own_answer(to, b, &sum);
    if (a->body == b->body && a->tie >= 0 && b->tie >= 0) {
        Block there = answer(a, b), back = answer(b, a);
        add_block(&sum, &there, -1.0);
        add_block(&sum, &back, -1.0);
    }
    return sum;
}

// Everything that ties the body moves with it.
static void pull_side(SnWorld *world, const Touched *to, LinkSide *side, Vec3d impulse) {
    if (side->tie < 0) {
        move_side(to, side, (float[3]){(float)impulse.x, (float)impulse.y, (float)impulse.z}, 1.0f);
        return;
    }
    for (uint32_t n = side->body->first_link; n != 0; n = *sn__link_after(world, n)) {
        LinkSide *other = sn__link_side(world, n);
        if (other->tie < 0)
            continue;
        Block block = answer(side, other);
        other->shift = addd(other->shift, times(&block, impulse));
    }
}

// The multiplier that closes the gap, all else being as it is now.
static Vec3d wanted(Link *link, const Touched *to, const ContactPass *pass) {
    double soft = (double)(link->compliance / (pass->h * pass->h));
    Block sum = answer_of(link, to);
    LinkGap g = gap_of(link, to, pass);
    Vec3d mu = vec(link->mu);
    for (int k = 0; k < 3; ++k)
        sum.m[k][k] += soft;
    if (!(link->length > 0.0f))
        return subd(mu, over(&sum, addd(vec(g.gap), scaled(mu, soft))));
    double along = dotd(mu, g.along), easy = dotd(g.along, times(&sum, g.along));
    double gap = lengthd(g.d) - (double)length_now(link, to, pass);
    double by = easy > 0.0 ? -(gap + soft * along) / easy : 0.0;
    if (link->rope)
        by = fmin(by, -along); // it cannot push
    return addd(mu, scaled(g.along, by));
}

// Returns how much of what it bears was new.
static double solve_tied(SnWorld *world, Link *link, const Touched *to, const ContactPass *pass) {
    Vec3d to_mu = wanted(link, to, pass), from = vec(link->mu);
    float mu[3] = {(float)to_mu.x, (float)to_mu.y, (float)to_mu.z};
    bound_force(link, pass->h, mu);
    Vec3d by = subd(vec(mu), from);
    memcpy(link->mu, mu, sizeof mu);
    pull_side(world, to, &link->side[0], by);
    if (is_pair(link))
        pull_side(world, to, &link->side[1], scaled(by, -1.0));
    double size = lengthd(vec(mu));
    return size > 0.0 ? lengthd(by) / size : 0.0;
}

// Links of one body, or of bodies that follow each other, are solved one after the other until nothing changes.
#define TIED_ROUNDS 50
#define TIED_CHANGE 1e-5

static void begin_tied(Link *link, const ContactPass *pass) {
    if (pass->first) {
        float square = pass->h * pass->h;
        link->mu[0] = square * link->pull.x;
        link->mu[1] = square * link->pull.y;
        link->mu[2] = square * link->pull.z;
    }
    memcpy(link->before, link->mu, sizeof link->mu);
    link->side[0].shift = link->side[1].shift = (Vec3d){0};
}

// What is solved as a whole finds out itself where a force takes it: it is told what the force would do to the
// vertex alone.
static void tell_tied(Link *link, const Touched *to) {
    float impulse[3];
    for (int c = 0; c < 3; ++c)
        impulse[c] = link->mu[c] - link->before[c];
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s)
        if (link->side[s].tie >= 0)
            move_side(to, &link->side[s], impulse, s == 0 ? 1.0f : -1.0f);
}

void sn__links_solve(SnWorld *world, const ContactPass *pass) {
    Touched to = {world->contacts.knots, world->contacts.turns};
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (in_use(world, k) && !is_tied(&world->links[k]))
            solve(&world->links[k], &to, pass);
}

void sn__links_solve_tied(SnWorld *world, const ContactPass *pass) {
    Touched to = {world->contacts.knots, world->contacts.turns};
    uint32_t count = world->link_ids.slot_count;
    for (uint32_t k = 0; k < count; ++k)
        if (in_use(world, k) && is_tied(&world->links[k]))
            begin_tied(&world->links[k], pass);
    double change = 1.0;
    for (int round = 0; round < TIED_ROUNDS && change > TIED_CHANGE; ++round) {
        change = 0.0;
        for (uint32_t k = 0; k < count; ++k)
            if (in_use(world, k) && is_tied(&world->links[k]))
                change = fmax(change, solve_tied(world, &world->links[k], &to, pass));
    }
    for (uint32_t k = 0; k < count; ++k)
        if (in_use(world, k) && is_tied(&world->links[k]))
            tell_tied(&world->links[k], &to);
}

static void load_side(SnWorld *world, const LinkSide *side, Vec3d impulse) {
    const ContactSystem *s = &world->contacts;
    const Touched to = {s->knots, s->turns};
    for (int v = 0; v < 2; ++v) {
        float *force = s->loads[side->knot[v]].force, weight = side->weight[v];
        force[0] += weight * (float)impulse.x;
        force[1] += weight * (float)impulse.y;
        force[2] += weight * (float)impulse.z;
    }
    if (side->turn == 0)
        return;
    Vec3d torque = crossd(arm_of(&to, side), impulse);
    float *load = s->turns[side->turn].load;
    load[0] += (float)torque.x;
    load[1] += (float)torque.y;
    load[2] += (float)torque.z;
}

// The next sub-step starts with the force of this one.
static void load_tied(SnWorld *world, const Link *link, float h) {
    Vec3d impulse = scaled(vec3d(link->pull), (double)(h * h));
    load_side(world, &link->side[0], impulse);
    if (is_pair(link))
        load_side(world, &link->side[1], scaled(impulse, -1.0));
}

// A jerk ends with its sub-step: the next one starts with no more than what there was in both, and along the
// link as it is then.
static void remember(Link *link, const Touched *to, const ContactPass *pass, SnVec3 force) {
    Vec3d pull = vec3d(force);
    if (link->length > 0.0f) {
        Vec3d along = gap_of(link, to, pass).along;
        pull = scaled(along, dotd(along, pull));
    }
    double now = lengthd(pull), before = lengthd(vec3d(link->last));
    link->pull = vec3f(now > before ? scaled(pull, before / now) : pull);
    link->last = force;
}

void sn__links_begin_step(SnWorld *world, float h) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!in_use(world, k))
            continue;
        link->side[1].tie = -1;
        bind(world, &link->a, &link->side[0]);
        if (is_pair(link))
            bind(world, &link->b, &link->side[1]);
        link->force = sn_vec3(0.0f, 0.0f, 0.0f);
        link->start = sn__link_target(world, link, false);
        link->end = sn__link_target(world, link, true);
        if (is_tied(link))
            load_tied(world, link, h);
        else
            link->last = link->pull = sn_vec3(0.0f, 0.0f, 0.0f);
    }
}

void sn__links_end_substep(SnWorld *world, const ContactPass *pass) {
    float h = pass->h, share = pass->share;
    assert(h > 0.0f && share > 0.0f && share <= 1.0f);
    const Touched to = {world->contacts.knots, world->contacts.turns};
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!in_use(world, k))
            continue;
        float by = 1.0f / (h * h);
        SnVec3 pull = {by * link->mu[0], by * link->mu[1], by * link->mu[2]};
        link->force.x += share * pull.x;
        link->force.y += share * pull.y;
        link->force.z += share * pull.z;
        if (!is_tied(link))
            continue;
        remember(link, &to, pass,
                 sn__within3(pull, LARGEST_NUMBER) ? pull : sn_vec3(0.0f, 0.0f, 0.0f));
        load_tied(world, link, h);
    }
}
