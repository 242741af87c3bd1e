// Pairs of bodies that pass through each other.
#include "world/world.h"

static int position_of(const ContactSystem *s, uint32_t a, uint32_t b, bool collider) {
    for (int k = 0; k < s->ignored_count; ++k)
        if (s->ignored[k].a == a && s->ignored[k].b == b && s->ignored[k].collider == collider)
            return k;
    return -1;
}

bool sn__is_ignored(const ContactSystem *s, uint32_t a, uint32_t b, bool collider) {
    if (s->ignored_count == 0)
        return false;
    bool swap = !collider && a > b;
    return position_of(s, swap ? b : a, swap ? a : b, collider) >= 0;
}

static SnResult set(SnWorld *world, IgnoredPair pair, bool ignore) {
    ContactSystem *s = &world->contacts;
    int at = position_of(s, pair.a, pair.b, pair.collider);
    if (!ignore && at >= 0)
        s->ignored[at] = s->ignored[--s->ignored_count];
    if (!ignore || at >= 0)
        return sn_ok();
    if (!sn__reserve(&world->allocator, (void **)&s->ignored, &s->ignored_capacity,
                     s->ignored_count, sizeof(IgnoredPair)))
        return sn_error(SN_ERROR_MEMORY, "ignored pairs: no memory");
    s->ignored[s->ignored_count++] = pair;
    return sn_ok();
}

SnResult sn_bodies_ignore(SnWorld *world, SnBodyId a, SnBodyId b, bool ignore) {
    if (!sn_body_is_valid(world, a) || !sn_body_is_valid(world, b))
        return sn_error(SN_ERROR_STALE, "rod: id is stale");
    bool swap = a.index > b.index;
    return set(world, (IgnoredPair){swap ? b.index : a.index, swap ? a.index : b.index, false},
               ignore);
}

SnResult sn_body_ignore_collider(SnWorld *world, SnBodyId rod, SnColliderId collider, bool ignore) {
    if (!sn_body_is_valid(world, rod))
        return sn_error(SN_ERROR_STALE, "rod: id is stale");
    if (!sn_collider_is_valid(world, collider))
        return sn_error(SN_ERROR_STALE, "collider: id is stale");
    return set(world, (IgnoredPair){rod.index, collider.index, true}, ignore);
}

static void drop(SnWorld *world, uint32_t slot, bool collider) {
    ContactSystem *s = &world->contacts;
    int kept = 0;
    for (int k = 0; k < s->ignored_count; ++k) {
        IgnoredPair p = s->ignored[k];
        bool gone =
            collider ? p.collider && p.b == slot : p.a == slot || (!p.collider && p.b == slot);
        if (!gone)
            s->ignored[kept++] = p;
    }
    s->ignored_count = kept;
}

void sn__ignored_drop_rod(SnWorld *world, SnBodyId rod) { drop(world, rod.index, false); }
void sn__ignored_drop_collider(SnWorld *world, SnColliderId collider) {
    drop(world, collider.index, true);
}
