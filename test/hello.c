// The smallest program: a rubber rod, fixed at one end, swings for half a second under gravity.
#include <sinew/sinew.h>

#include <stdio.h>

enum { VERTICES = 20 };

static int fail(SnResult result) {
    fprintf(stderr, "hello: %s\n", result.message);
    return 1;
}

int main(void) {
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    SnResult result = sn_world_create(&world_def, &world);
    if (result.code != SN_OK)
        return fail(result);
    SnVec3 positions[VERTICES];
    for (int i = 0; i < VERTICES; ++i)
        positions[i] = sn_vec3(0.05f * (float)i, 1.0f, 0.0f);
    SnRodDef rod_def = sn_default_rod_def();
    rod_def.vertex_count = VERTICES;
    rod_def.positions = positions;
    rod_def.radius = 0.02f;
    SnBodyId rod;
    result = sn_rod_create(world, &rod_def, &rod);
    SnAttachmentDef peg = sn_default_attachment_def();
    peg.body = rod; // vertex 0, where it is now, held by the world
    SnAttachmentId attachment;
    if (result.code == SN_OK)
        result = sn_attachment_create(world, &peg, &attachment);
    for (int frame = 0; frame < 30 && result.code == SN_OK; ++frame)
        sn_world_step(world, 1.0f / 60.0f, 8, 1);
    if (result.code == SN_OK)
        result = sn_body_read(world, rod, &(SnBodyState){.positions = positions});
    sn_world_destroy(world);
    if (result.code != SN_OK)
        return fail(result);
    SnVec3 tip = positions[VERTICES - 1];
    printf("after 0.5 s the tip is at %.3f %.3f %.3f\n", tip.x, tip.y, tip.z);
    return tip.y < 1.0f ? 0 : 1; // it fell
}
