// Pairs of bodies that pass through each other, sorted: every pair of boxes that meet asks for its own.
#include <assert.h>
#include <string.h>

#include "base/null.h"
#include "world/world.h"

static bool comes_before(IgnoredPair p, IgnoredPair q) {
    if (p.a != q.a)
        return p.a < q.a;
    return p.b != q.b ? p.b < q.b : p.collider < q.collider;
}

// The first place whose pair does not come before this one.
static int position_of(const ContactSystem *s, IgnoredPair pair) {
    int low = 0, high = s->ignored_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (comes_before(s->ignored[middle], pair))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const ContactSystem *s, int place, IgnoredPair pair) {
    return place < s->ignored_count && !comes_before(pair, s->ignored[place]);
}

bool sn__is_ignored(const ContactSystem *s, uint32_t a, uint32_t b, bool collider) {
    assert(a != 0 && b != 0);
    if (s->ignored_count == 0)
        return false;
    bool swap = !collider && a > b;
    IgnoredPair pair = {swap ? b : a, swap ? a : b, collider};
    return is_at(s, position_of(s, pair), pair);
}

static SnResult set(SnWorld *world, IgnoredPair pair, bool ignore) {
    ContactSystem *s = &world->contacts;
    int at = position_of(s, pair);
    if (is_at(s, at, pair) == ignore)
        return sn_ok();
    if (ignore && !sn__reserve(&world->allocator, (void **)&s->ignored, &s->ignored_capacity,
                               s->ignored_count, sizeof(IgnoredPair)))
        return sn_error(SN_ERROR_MEMORY, "ignored pairs: no memory");
    IgnoredPair *place = s->ignored + at;
    if (ignore) {
        memmove(place + 1, place, (size_t)(s->ignored_count - at) * sizeof *place);
        assert(at == 0 || comes_before(place[-1], pair));
        assert(at == s->ignored_count || comes_before(pair, place[1]));
        *place = pair;
        ++s->ignored_count;
    } else {
        --s->ignored_count;
        memmove(place, place + 1, (size_t)(s->ignored_count - at) * sizeof *place);
    }
    return sn_ok();
}

SnResult sn_bodies_ignore(SnWorld *world, SnBodyId a, SnBodyId b, bool ignore) {
    if (world == NULL)
        return sn__null("body: world");
    if (!sn_body_is_valid(world, a) || !sn_body_is_valid(world, b))
        return sn_error(SN_ERROR_STALE, "body: id is stale");
    bool swap = a.index > b.index;
    return set(world, (IgnoredPair){swap ? b.index : a.index, swap ? a.index : b.index, false},
               ignore);
}

SnResult sn_body_ignore_collider(SnWorld *world, SnBodyId rod, SnColliderId collider, bool ignore) {
    if (world == NULL)
        return sn__null("body: world");
    if (!sn_body_is_valid(world, rod))
        return sn_error(SN_ERROR_STALE, "body: id is stale");
    if (!sn_collider_is_valid(world, collider))
        return sn_error(SN_ERROR_STALE, "collider: id is stale");
    return set(world, (IgnoredPair){rod.index, collider.index, true}, ignore);
}

bool sn_bodies_are_ignored(const SnWorld *world, SnBodyId a, SnBodyId b) {
    return GIVEN(world) && sn_body_is_valid(world, a) && sn_body_is_valid(world, b) &&
           sn__is_ignored(&world->contacts, a.index, b.index, false);
}

bool sn_body_ignores_collider(const SnWorld *world, SnBodyId body, SnColliderId collider) {
    return GIVEN(world) && sn_body_is_valid(world, body) && sn_collider_is_valid(world, collider) &&
           sn__is_ignored(&world->contacts, body.index, collider.index, true);
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

void sn__ignored_drop_body(SnWorld *world, SnBodyId body) { drop(world, body.index, false); }
void sn__ignored_drop_collider(SnWorld *world, SnColliderId collider) {
    drop(world, collider.index, true);
}
