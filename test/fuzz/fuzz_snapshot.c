// A good snapshot with any bytes of it changed, and its checksum made to fit: it is refused, and the world
// stays as it was, or it is taken, and the world can be stepped.
#include <sinew/sinew.h>

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The checksum is behind the first eight bytes, and about all that follows it.
#define CHECKSUM_AT 8
#define CHECKED_FROM 16

static SnWorld *make_world(void) {
    SnWorldDef def = sn_default_world_def();
    SnWorld *world;
    if (sn_world_create(&def, &world).code != SN_OK)
        abort();
    SnVec3 points[6];
    for (int i = 0; i < 6; ++i)
        points[i] = sn_vec3(0.1f * (float)i, 0.1f, 0.0f);
    SnRodDef rod = sn_default_rod_def();
    rod.vertex_count = 6;
    rod.positions = points;
    rod.radius = 0.02f;
    SnColliderDef floor = sn_default_collider_def();
    if (sn_rod_create(world, &rod, NULL).code != SN_OK ||
        sn_collider_create(world, &floor, NULL).code != SN_OK)
        abort();
    rod.stiff = true;
    points[5].y = 0.5f;
    if (sn_rod_create(world, &rod, NULL).code != SN_OK)
        abort();
    for (int n = 0; n < 10; ++n)
        sn_world_step(world, 0.01f, 4, 1);
    return world;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    SnWorld *world = make_world();
    size_t length = sn_world_snapshot_size(world);
    uint8_t *bytes = malloc(length);
    if (bytes == NULL || sn_world_save(world, bytes, length).code != SN_OK)
        abort();
    uint64_t before = sn_world_hash(world);
    for (size_t i = 0; i + 4 <= size; i += 4) // where, and what
        bytes[((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % length] =
            data[i + 3];
    uint64_t sum = sn__hash_bytes(0, bytes + CHECKED_FROM, length - CHECKED_FROM);
    memcpy(bytes + CHECKSUM_AT, &sum, sizeof sum);
    if (sn_world_restore(world, bytes, length).code == SN_OK)
        sn_world_step(world, 0.01f, 4, 1);
    else if (sn_world_hash(world) != before)
        abort();
    free(bytes);
    sn_world_destroy(world);
    return 0;
}
