// How much memory a world takes in advance (base/reserve.h has what is done with it).
#include "base/null.h"
#include "world/world.h"

#define RESERVE_COOKIE 0x534e5253u

// What a contact, a pair of boxes and a point of a body take at most, all arrays together, and how much
// more it takes while these grow: each has room for twice as much as it needs, and for what it moves from.
#define CONTACT_BYTES                                                                              \
    (sizeof(ContactSeed) + sizeof(ContactGeneral) + sizeof(ContactBatch) / 4 + 256)
#define PAIR_BYTES (4 * sizeof(GridPair) + sizeof(PairFate) + sizeof(Shock))
#define POINT_BYTES (sizeof(Knot) + sizeof(KnotOwner) + 1024)
#define GROWTH 4
#define LEAST_BYTES ((size_t)4 << 20)
#define MAX_RESERVED 100000000

SnReserve sn_default_reserve(void) { return (SnReserve){.cookie = RESERVE_COOKIE}; }

static int point_count(const SnWorld *world) {
    long long count = 0;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        count += body->points + body->elements;
    return count < MAX_RESERVED ? (int)count : MAX_RESERVED;
}

SnResult sn_world_reserve(SnWorld *world, const SnReserve *reserve) {
    if (world == NULL)
        return sn__null("world");
    if (reserve == NULL || reserve->cookie != RESERVE_COOKIE)
        return sn__no_def(reserve, "world: reserve", "sn_default_reserve");
    const struct {
        const char *field;
        int value;
    } numbers[] = {
        {"points", reserve->points}, {"contacts", reserve->contacts}, {"pairs", reserve->pairs}};
    for (int k = 0; k < 3; ++k)
        if (numbers[k].value < 0 || numbers[k].value > MAX_RESERVED)
            return sn_error(SN_ERROR_INVALID, "world: reserve: %s: %d is not in [0, %d]",
                            numbers[k].field, numbers[k].value, MAX_RESERVED);
    int points = reserve->points > 0 ? 2 * reserve->points : point_count(world);
    size_t size =
        LEAST_BYTES + GROWTH * ((size_t)reserve->contacts * CONTACT_BYTES +
                                (size_t)reserve->pairs * PAIR_BYTES + (size_t)points * POINT_BYTES);
    if (!sn__reserve_bytes(&world->reserve, size))
        return sn_error(SN_ERROR_MEMORY, "world: reserve: no memory for %zu bytes", size);
    return sn_ok();
}
