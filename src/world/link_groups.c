// What hangs together by links, and how heavy it is.
#include "world/link_sides.h"

static double mass_of(const SnWorld *world, const Body *body) {
    BodySums sums = {0};
    body->kind->measure(body, world->gravity, &sums);
    return sums.m.mass;
}

// Puts all links of a body that are in no group yet at the end of the queue.
static uint32_t queue_links_of(SnWorld *world, const Body *body, uint32_t last) {
    for (uint32_t n = body->first_link; n != 0; n = *sn__link_after(world, n)) {
        uint32_t slot = (n + 1) / 2;
        Link *link = &world->links[slot - 1];
        if (link->group_mass != 0.0)
            continue;
        link->group_mass = 1.0;
        link->queued = 0;
        world->links[last - 1].queued = slot;
        last = slot;
    }
    return last;
}

// All links that hang together with this one, over bodies that they share. A body is weighed where its list of links
// begins, which is once.
static void weigh_group(SnWorld *world, uint32_t first) {
    double mass = 0.0;
    uint32_t last = first;
    world->links[first - 1].group_mass = 1.0;
    world->links[first - 1].queued = 0;
    for (uint32_t k = first; k != 0; k = world->links[k - 1].queued) {
        world->links[k - 1].group = first;
        const SnBodyId ids[2] = {world->links[k - 1].a.body, world->links[k - 1].b.body};
        for (uint32_t s = 0; s < 2; ++s) {
            const Body *body = sn__bodies_find(&world->bodies, ids[s]);
            if (body == NULL)
                continue;
            if (body->first_link == 2 * k - 1 + s)
                mass += mass_of(world, body);
            last = queue_links_of(world, body, last);
        }
    }
    for (uint32_t k = first; k != 0; k = world->links[k - 1].queued)
        world->links[k - 1].group_mass = mass;
}

void sn__links_weigh(SnWorld *world) {
    if (world->tied.weighed == world->revision)
        return;
    world->tied.weighed = world->revision;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        world->links[k].group_mass = 0.0;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (sn__link_in_use(world, k) && world->links[k].group_mass == 0.0)
            weigh_group(world, k + 1);
}
