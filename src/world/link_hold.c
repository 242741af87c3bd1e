// What links are to contacts: they hold points, and hang weights on them.
//
// A vertex that a rigid link ties to a point of the world or of a frame is held there: contacts are not to move it, or
// they and the link would press against each other ever harder.
//
// What a rigid link ties to something heavy carries it. A contact that is told of the light side alone stops that, the
// link pulls it on, and it takes as many passes as the masses differ by until the contact bears the weight. So in
// contacts a light vertex, or a light body that turns as a whole, has a mass M at the link, too,
//
//     M = 1/‖K‖,   K the answer of the other point: the least mass with which it answers in any direction.
//
// A vertex then moves with w' = w/(1 + M w). A body of mass m and inertia I with M at d from its hub turns about
// another point, with
//
//     x' = x + d M/(m + M),   I' = I + m M/(m + M) (d·d − d dᵀ),   or x' = x and m → ∞ if the hub is held.
//
// If contacts move the link's point by u, the link has taken M u of what they did, and the other point gets it.
#include <assert.h>
#include <string.h>

#include "world/link_sides.h"

// Links in a row that a light body carries something over at most.
#define ROUNDS 8
// How much heavier the other side is at least. Bodies of like mass must not count each other twice.
#define HEAVY 4.0

static bool is_joint(const Link *link) {
    float longest = fmaxf(link->length_from, link->length_to); // the same throughout the step
    return !(link->compliance > 0.0f || link->max_force > 0.0f || longest > 0.0f || link->rope);
}

// The knot that this side of the link moves, if it is only one.
static Knot *knot_of(const SnWorld *world, const LinkSide *side) {
    bool whole = side->weight[0] == 1.0f || side->weight[1] == 1.0f;
    if (side->turn == 0 && !whole)
        return NULL;
    return &world->contacts.knots[side->knot[side->weight[0] == 1.0f ? 0 : 1]];
}

static Knot *held_by(const SnWorld *world, const Link *link) {
    if (link->side[0].tie < 0 || is_pair(link) || !is_joint(link))
        return NULL;
    return knot_of(world, &link->side[0]);
}

static Knot *carrier_in(const SnWorld *world, const Link *link, int s) {
    return is_tied(link) && is_pair(link) && is_joint(link) ? knot_of(world, &link->side[s]) : NULL;
}

static double norm_of(const Block *a) {
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
        most = fmax(most, fabs(a->m[k][0]) + fabs(a->m[k][1]) + fabs(a->m[k][2]));
    return most;
}

static double norm_at(const SnWorld *world, const LinkSide *side) {
    const Touched to = sn__touched(world);
    Block answer = sn__side_answer(&to, side, side);
    return norm_of(&answer);
}

// How much a side carries, if the other one is heavy enough; what that carries in turn counts.
static double mass_carried(const SnWorld *world, const Link *link, int s) {
    const Knot *knot = carrier_in(world, link, s);
    if (knot == NULL || link->side[0].broken || link->side[1].broken)
        return 0.0;
    double other = norm_at(world, &link->side[1 - s]);
    bool turns = link->side[s].turn != 0;
    double own = turns ? norm_at(world, &link->side[s]) : (double)knot->mobility;
    return other > 0.0 && other * HEAVY < own ? 1.0 / other : 0.0;
}

// With a mass at d: A − A Dᵀ (1/μ + D A Dᵀ)⁻¹ D A for the inverse A of the inertia, D v = d × v.
static void add_inertia(float inverse[6], Vec3d d, double mass) {
    KnotTurn turn = {.inverse = {0.0f}};
    memcpy(turn.inverse, inverse, sizeof turn.inverse);
    Vec3d AD[3], inner[3]; // columns
    for (int k = 0; k < 3; ++k) {
        AD[k] = sn__turned_by(&turn, crossd(axis_of(k), d));
        Vec3d column = crossd(d, AD[k]);
        inner[k] = addd(column, scaled(axis_of(k), 1.0 / mass));
    }
    Vec3d yz = crossd(inner[1], inner[2]), zx = crossd(inner[2], inner[0]);
    Vec3d xy = crossd(inner[0], inner[1]);
    double over_det = 1.0 / dotd(inner[0], yz);
    const Vec3d rows[3] = {scaled(yz, over_det), scaled(zx, over_det), scaled(xy, over_det)};
    double by[3][3] = {{0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double r = dotd(rows[i], axis_of(j));
            const double a[3] = {AD[i].x, AD[i].y, AD[i].z}, b[3] = {AD[j].x, AD[j].y, AD[j].z};
            for (int k = 0; k < 9; ++k)
                by[k / 3][k % 3] += a[k / 3] * r * b[k % 3];
        }
    const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; ++k)
        inverse[k] -= (float)(0.5 * (by[at[k][0]][at[k][1]] + by[at[k][1]][at[k][0]]));
}

static void add_to(float to[3], Vec3d by) {
    to[0] += (float)by.x;
    to[1] += (float)by.y;
    to[2] += (float)by.z;
}

// The hub of a body goes to another point of it, as far as contacts see it.
static void move_hub(Knot *hub, const KnotTurn *turn, Vec3d by) {
    add_to(hub->start, by);
    add_to(hub->motion, crossd(vec(turn->turn), by));
    add_to(hub->push, crossd(vec(turn->push), by));
}

// How far the point of the link has come.
static Vec3d way_of(const SnWorld *world, const LinkSide *side, const LinkLoad *load,
                    const Knot *knot) {
    Vec3d motion = vec(knot->motion);
    if (side->turn == 0)
        return motion;
    return addd(motion, crossd(vec(world->contacts.turns[side->turn].turn), load->arm));
}

static Vec3d push_of(const SnWorld *world, const LinkSide *side, const LinkLoad *load,
                     const Knot *knot) {
    Vec3d push = vec(knot->push);
    if (side->turn == 0)
        return push;
    return addd(push, crossd(vec(world->contacts.turns[side->turn].push), load->arm));
}

static void load_carrier(SnWorld *world, Link *link, int s, Knot *knot) {
    LinkLoad *load = &link->load[s];
    const LinkSide *side = &link->side[s];
    load->alone = *knot;
    double part = load->mass * (double)knot->mobility;
    if (side->turn != 0) {
        const Touched to = sn__touched(world);
        KnotTurn *turn = &to.turns[side->turn];
        Vec3d d = sn__side_arm(&to, side);
        memcpy(load->alone_inverse, turn->inverse, sizeof turn->inverse);
        load->shift = scaled(d, part / (1.0 + part));
        load->arm = subd(d, load->shift);
        move_hub(knot, turn, load->shift);
        add_inertia(turn->inverse, d, load->mass / (1.0 + part));
    }
    knot->mobility /= (float)(1.0 + part);
    load->from = way_of(world, side, load, knot);
    load->pushed = push_of(world, side, load, knot);
}

static void for_links(SnWorld *world, void (*call)(SnWorld *world, Link *link, int round),
                      int round) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (sn__link_in_use(world, k))
            call(world, &world->links[k], round);
}

static void for_links_back(SnWorld *world, void (*call)(SnWorld *world, Link *link, int round),
                           int round) {
    for (uint32_t k = world->link_ids.slot_count; k-- > 0;)
        if (sn__link_in_use(world, k))
            call(world, &world->links[k], round);
}

static void clear_loads(SnWorld *world, Link *link, int round) {
    (void)world;
    (void)round;
    link->load[0] = link->load[1] = (LinkLoad){0};
    link->taken = (Vec3d){0};
}

static void find_carriers(SnWorld *world, Link *link, int round) {
    for (int s = 0; s < 2; ++s) {
        double mass = link->load[s].mass > 0.0 ? 0.0 : mass_carried(world, link, s);
        if (!(mass > 0.0))
            continue;
        link->load[s].mass = mass;
        link->load[s].round = round;
        world->tied.rounds = round + 1;
        load_carrier(world, link, s, carrier_in(world, link, s));
    }
}

static void load_carriers(SnWorld *world, Link *link, int round) {
    for (int s = 0; s < 2; ++s)
        if (link->load[s].mass > 0.0 && link->load[s].round == round)
            load_carrier(world, link, s, carrier_in(world, link, s));
}

static void hold_knot(SnWorld *world, Link *link, int round) {
    (void)round;
    Knot *knot = held_by(world, link);
    if (knot == NULL)
        return;
    link->load[0].alone = *knot;
    knot->mobility = knot->radial = 0.0f;
}

// What carries something that carries something is loaded in a later round, and unloaded in an earlier one.
void sn__links_hold(SnWorld *world, bool first) {
    TiedLinks *tied = &world->tied;
    if (first) {
        tied->rounds = 0;
        for_links(world, clear_loads, 0);
        for (int round = 0; round <= tied->rounds && round < ROUNDS; ++round)
            for_links(world, find_carriers, round);
    }
    for (int round = 0; !first && round < tied->rounds; ++round)
        for_links(world, load_carriers, round);
    for_links(world, hold_knot, 0);
}

static void unload_carrier(SnWorld *world, Link *link, int s, Knot *knot) {
    LinkLoad *load = &link->load[s];
    const LinkSide *side = &link->side[s];
    load->came = subd(way_of(world, side, load, knot), load->from);
    load->pushed = subd(push_of(world, side, load, knot), load->pushed);
    if (side->turn != 0) {
        KnotTurn *turn = &world->contacts.turns[side->turn];
        memcpy(turn->inverse, load->alone_inverse, sizeof turn->inverse);
        move_hub(knot, turn, scaled(load->shift, -1.0));
        memcpy(knot->start, load->alone.start, sizeof knot->start);
    }
    knot->mobility = load->alone.mobility;
}

// The other point gets what the link took.
static void hand_on(SnWorld *world, Link *link, int s) {
    const Touched to = sn__touched(world);
    Vec3d taken = scaled(link->load[s].came, link->load[s].mass);
    float impulse[3] = {(float)taken.x, (float)taken.y, (float)taken.z};
    for (int c = 0; c < 3; ++c) {
        float by = s == 0 ? -impulse[c] : impulse[c];
        link->mu[c] += by;
        link->before[c] += by; // the light side has it already
    }
    link->taken = addd(link->taken, scaled(taken, s == 0 ? 1.0 : -1.0));
    sn__side_move(&to, &link->side[1 - s], impulse, 1.0f);
}

// It is lifted out of an overlap with what carries it.
static void push_along(SnWorld *world, const Link *link, int s) {
    const Touched to = sn__touched(world);
    const LinkSide *side = &link->side[1 - s];
    Vec3d by = link->load[s].pushed, impulse = scaled(by, link->load[s].mass);
    if (side->turn == 0) {
        for (int v = 0; v < 2; ++v)
            add_to(to.knots[side->knot[v]].push, scaled(by, (double)side->weight[v]));
        return;
    }
    Knot *hub = &to.knots[side->knot[0]];
    KnotTurn *turn = &to.turns[side->turn];
    add_to(hub->push, scaled(impulse, (double)hub->mobility));
    add_to(turn->push, sn__turned_by(turn, crossd(sn__side_arm(&to, side), impulse)));
}

static void unload_carriers(SnWorld *world, Link *link, int round) {
    for (int s = 2; s-- > 0;) {
        if (!(link->load[s].mass > 0.0) || link->load[s].round != round)
            continue;
        unload_carrier(world, link, s, carrier_in(world, link, s));
        hand_on(world, link, s);
        push_along(world, link, s);
    }
}

static void let_go(SnWorld *world, Link *link, int round) {
    (void)round;
    Knot *held = held_by(world, link);
    if (held)
        held->mobility = link->load[0].alone.mobility;
}

void sn__links_let_go(SnWorld *world) {
    for_links_back(world, let_go, 0);
    for (int round = world->tied.rounds; round-- > 0;)
        for_links_back(world, unload_carriers, round);
}

// What the link takes of what its light side is loaded with for the next sub-step.
static Vec3d part_of_load(const SnWorld *world, const LinkSide *side, const LinkLoad *load,
                          const Knot *knot) {
    Vec3d force = vec(world->contacts.loads[knot - world->contacts.knots].force);
    double mobility = (double)load->alone.mobility, part = load->mass * mobility;
    Vec3d way = scaled(force, mobility / (1.0 + part));
    if (side->turn != 0) {
        KnotTurn turn = world->contacts.turns[side->turn];
        Vec3d torque = subd(vec(turn.load), crossd(load->shift, force));
        add_inertia(turn.inverse, addd(load->shift, load->arm), load->mass / (1.0 + part));
        way = addd(way, crossd(sn__turned_by(&turn, torque), load->arm));
    }
    return scaled(way, load->mass);
}

// Contacts turn what carries something about another point than the body itself does.
static void turn_loads(SnWorld *world, Link *link, int round) {
    for (int s = 0; s < 2; ++s) {
        const LinkSide *side = &link->side[s];
        if (side->turn == 0 || !(link->load[s].mass > 0.0) || link->load[s].round != round)
            continue;
        Vec3d force = vec(world->contacts.loads[side->knot[0]].force);
        add_to(world->contacts.turns[side->turn].load, crossd(link->load[s].shift, force));
    }
}

static void share_loads(SnWorld *world, Link *link, int round) {
    for (int s = 2; s-- > 0;) {
        const LinkLoad *load = &link->load[s];
        if (!(load->mass > 0.0) || load->round != round)
            continue;
        Vec3d by = part_of_load(world, &link->side[s], load, carrier_in(world, link, s));
        sn__side_load(world, &link->side[s], scaled(by, -1.0));
        sn__side_load(world, &link->side[1 - s], by);
        link->shared = addd(link->shared, scaled(by, s == 0 ? 1.0 : -1.0));
    }
}

static void clear_shared(SnWorld *world, Link *link, int round) {
    (void)world;
    (void)round;
    link->shared = (Vec3d){0};
}

void sn__links_share_loads(SnWorld *world) {
    for_links(world, clear_shared, 0);
    for (int round = world->tied.rounds; round-- > 0;)
        for_links(world, turn_loads, round);
    for (int round = world->tied.rounds; round-- > 0;)
        for_links_back(world, share_loads, round);
}
