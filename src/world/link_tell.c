// What bodies that are solved as a whole hear of their links, and what contacts see of these.
#include "world/link_sides.h"

// A body is told what the force would do to the vertex alone.
static void tell(Link *link, const Touched *to) {
    float impulse[3];
    for (int c = 0; c < 3; ++c)
        impulse[c] = link->mu[c] - link->before[c];
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s)
        if (link->side[s].tie >= 0)
            sn__side_move(to, &link->side[s], impulse, s == 0 ? 1.0f : -1.0f);
}

// A vertex that a rigid link ties to a point of the world or of a frame is held there: contacts are not to move it, or
// they and the link would press against each other ever harder. NULL: no such link.
static Knot *held_by(const SnWorld *world, const Link *link) {
    const LinkSide *side = &link->side[0];
    bool whole = side->weight[0] == 1.0f || side->weight[1] == 1.0f;
    float longest = fmaxf(link->length_from, link->length_to); // the same throughout the step
    bool rigid = !(link->compliance > 0.0f || link->max_force > 0.0f || longest > 0.0f);
    if (!is_tied(link) || is_pair(link) || link->rope || !whole || !rigid)
        return NULL;
    return &world->contacts.knots[side->knot[side->weight[0] == 1.0f ? 0 : 1]];
}

void sn__links_hold(SnWorld *world) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Knot *knot = sn__link_in_use(world, k) ? held_by(world, &world->links[k]) : NULL;
        if (knot == NULL)
            continue;
        world->links[k].mobility = knot->mobility;
        knot->mobility = knot->radial = 0.0f;
    }
}

void sn__links_tell(SnWorld *world) {
    const Touched to = sn__touched(world);
    // In the other order: several links may hold one knot.
    for (uint32_t k = world->link_ids.slot_count; k-- > 0;) {
        Knot *knot = sn__link_in_use(world, k) ? held_by(world, &world->links[k]) : NULL;
        if (knot)
            knot->mobility = world->links[k].mobility;
    }
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (sn__link_in_use(world, k) && is_tied(&world->links[k]))
            tell(&world->links[k], &to);
}
