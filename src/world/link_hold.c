// What links are to contacts: they hold points, and hang weights on them.
//
// A vertex that a rigid link ties to a point of the world or of a frame is held there: contacts are not to move it, or
// they and the link would press against each other ever harder.
//
// A vertex that a rigid link ties to something heavy carries it. A contact that is told of the vertex alone stops the
// vertex, the link pulls it on, and it takes as many passes as the masses differ by until the contact bears the weight.
// So in contacts such a vertex has the mass of what it carries, too:
//
//     w' = w/(1 + M w),   M = 1/‖K‖, the least mass with which the other point answers in any direction,
//
// K being its answer. If contacts move it by u, the link has taken M u of what they did, and the other point gets it.
#include <assert.h>

#include "world/link_sides.h"

// Of the vertex alone: what is lighter is not worth it, and bodies of like mass must not count each other twice.
#define HEAVY 4.0

static bool is_joint(const Link *link) {
    float longest = fmaxf(link->length_from, link->length_to); // the same throughout the step
    return !(link->compliance > 0.0f || link->max_force > 0.0f || longest > 0.0f || link->rope);
}

// The only vertex that moves at this side of the link; NULL: there are several, or it is no vertex.
static Knot *vertex_at(const SnWorld *world, const LinkSide *side) {
    bool whole = side->weight[0] == 1.0f || side->weight[1] == 1.0f;
    if (side->turn != 0 || !whole)
        return NULL;
    return &world->contacts.knots[side->knot[side->weight[0] == 1.0f ? 0 : 1]];
}

static Knot *held_by(const SnWorld *world, const Link *link) {
    if (link->side[0].tie < 0 || is_pair(link) || !is_joint(link))
        return NULL;
    return vertex_at(world, &link->side[0]);
}

// Vertices that carry what is at the other side.
static Knot *carrier_in(const SnWorld *world, const Link *link, int s) {
    if (!is_tied(link) || !is_pair(link) || !is_joint(link))
        return NULL;
    return vertex_at(world, &link->side[s]);
}

static double norm_of(const Block *a) {
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
        most = fmax(most, fabs(a->m[k][0]) + fabs(a->m[k][1]) + fabs(a->m[k][2]));
    return most;
}

static void load_carrier(SnWorld *world, Link *link, int s, Knot *knot, bool first) {
    const Touched to = sn__touched(world);
    if (first) {
        link->taken[s] = (Vec3d){0};
        Block answer = sn__side_answer(&to, &link->side[1 - s], &link->side[1 - s]);
        double norm = norm_of(&answer), own = (double)knot->mobility;
        link->carried[s] = norm * HEAVY < own && norm > 0.0 ? 1.0 / norm : 0.0;
    }
    link->alone[s] = knot->mobility;
    link->from_motion[s] = vec(knot->motion);
    knot->mobility /= (float)(1.0 + link->carried[s] * (double)knot->mobility);
}

void sn__links_hold(SnWorld *world, bool first) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!sn__link_in_use(world, k))
            continue;
        for (int s = 0; s < 2; ++s) {
            Knot *knot = carrier_in(world, link, s);
            if (knot)
                load_carrier(world, link, s, knot, first);
        }
        Knot *knot = held_by(world, link);
        if (knot == NULL)
            continue;
        link->alone[0] = knot->mobility;
        knot->mobility = knot->radial = 0.0f;
    }
}

// The other point gets what the link took.
static void hand_on(SnWorld *world, Link *link, int s) {
    const Touched to = sn__touched(world);
    const Knot *knot = carrier_in(world, link, s);
    if (knot == NULL || !(link->carried[s] > 0.0))
        return;
    Vec3d moved = subd(vec(knot->motion), link->from_motion[s]);
    Vec3d taken = scaled(moved, link->carried[s]);
    link->taken[s] = addd(link->taken[s], taken);
    float impulse[3] = {(float)taken.x, (float)taken.y, (float)taken.z};
    for (int c = 0; c < 3; ++c) {
        float by = s == 0 ? -impulse[c] : impulse[c];
        link->mu[c] += by;
        link->before[c] += by; // the vertex has it already
    }
    sn__side_move(&to, &link->side[1 - s], impulse, 1.0f);
}

static Vec3d pressed_on(const SnWorld *world, const Knot *knot) {
    return vec(world->contacts.loads[knot - world->contacts.knots].force);
}

void sn__link_begin_pressure(const SnWorld *world, Link *link) {
    for (int s = 0; s < 2; ++s) {
        const Knot *knot = carrier_in(world, link, s);
        link->pressed[s] = knot ? pressed_on(world, knot) : (Vec3d){0};
    }
}

LinkPressure sn__link_pressure(const SnWorld *world, const Link *link) {
    LinkPressure p = {0};
    for (int s = 0; s < 2; ++s) {
        const Knot *knot = carrier_in(world, link, s);
        if (knot == NULL || !(link->carried[s] > 0.0))
            continue;
        double loaded = link->carried[s] * (double)link->alone[s];
        double part = (s == 0 ? 1.0 : -1.0) * loaded / (1.0 + loaded);
        Vec3d before = scaled(link->pressed[s], part);
        p.before = addd(p.before, before);
        p.now = addd(p.now, addd(before, scaled(link->taken[s], s == 0 ? 1.0 : -1.0)));
        p.next = addd(p.next, scaled(pressed_on(world, knot), part));
    }
    return p;
}

void sn__links_let_go(SnWorld *world) {
    // In the other order: several links may hold one knot.
    for (uint32_t k = world->link_ids.slot_count; k-- > 0;) {
        Link *link = &world->links[k];
        if (!sn__link_in_use(world, k))
            continue;
        Knot *held = held_by(world, link);
        if (held)
            held->mobility = link->alone[0];
        for (int s = 2; s-- > 0;) {
            Knot *knot = carrier_in(world, link, s);
            if (knot)
                knot->mobility = link->alone[s];
        }
    }
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        for (int s = 0; s < 2; ++s)
            if (sn__link_in_use(world, k))
                hand_on(world, &world->links[k], s);
}
