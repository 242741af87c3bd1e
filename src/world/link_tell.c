// What bodies that are solved as a whole hear of their links.
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

void sn__links_tell(SnWorld *world) {
    const Touched to = sn__touched(world);
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (sn__link_in_use(world, k) && is_tied(&world->links[k]))
            tell(&world->links[k], &to);
}
