// The C side of docs/tutorial.md, all of it: a rod, a peg, a floor, a weight, and a muscle that lifts it.
#include <sinew/sinew.h>

#include <stdio.h>
#include <stdlib.h>

static void must(SnResult result) {
    if (result.code == SN_OK)
        return;
    fprintf(stderr, "tutorial: %s\n", result.message);
    exit(1);
}

int main(void) {
    // 1. A rod of twenty segments.
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    must(sn_world_create(&world_def, &world));
    SnVec3 points[21];
    for (int i = 0; i < 21; ++i)
        points[i] = sn_vec3(0.0f, 1.5f - 0.04f * (float)i, 0.0f);
    SnRodDef rod_def = sn_default_rod_def();
    rod_def.vertex_count = 21;
    rod_def.positions = points;
    rod_def.radius = 0.05f;
    rod_def.material.young = 300000.0f;
    rod_def.material.damping = 0.02f;
    SnBodyId rod;
    must(sn_rod_create(world, &rod_def, &rod));

    // 2. A peg that holds its first vertex where it is.
    SnAttachmentDef peg = sn_default_attachment_def();
    peg.body = rod;
    must(sn_attachment_create(world, &peg, NULL));

    // 3. A floor, and a weight on the other end.
    SnColliderDef floor_def = sn_default_collider_def();
    must(sn_collider_create(world, &floor_def, NULL));
    SnRigidPart ball = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.12f);
    SnRigidDef weight_def = sn_default_rigid_def();
    weight_def.parts = &ball;
    weight_def.part_count = 1;
    weight_def.pose.position = sn_vec3(0.0f, 0.7f, 0.0f);
    SnBodyId weight;
    must(sn_rigid_create(world, &weight_def, &weight));
    SnLinkDef link_def = sn_default_link_def();
    link_def.a = (SnBodyPoint){rod, 19, 1.0f};
    link_def.b = (SnBodyPoint){weight, 0, 0.0f};
    link_def.ignore = true;
    must(sn_link_create(world, &link_def, NULL));

    // 4. From 2 s on, the rod shortens to 0.6 of its length within a second, and bulges.
    float before = 0.0f, lifted = 0.0f;
    for (int n = 0; n < 300; ++n) {
        float time = (float)n / 60.0f;
        float part = time < 2.0f ? 0.0f : time < 3.0f ? time - 2.0f : 1.0f;
        must(sn_rod_set_length_scale(world, rod, 0, 20, 1.0f - 0.4f * part));
        sn_world_step(world, 1.0f / 60.0f, 10, 1);
        SnRigidState state;
        must(sn_rigid_read(world, weight, &state));
        if (n == 119)
            before = state.centre.y;
        lifted = state.centre.y - before;
    }
    SnMeasures measures = sn_world_measure(world);
    printf("the weight was lifted by %.2f m; volumes differ by %.2f %% at most\n", (double)lifted,
           100.0 * measures.volume_error_max);
    sn_world_destroy(world);
    return lifted > 0.2f && measures.volume_error_max < 0.05 ? 0 : 1;
}
