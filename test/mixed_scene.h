// A scene with everything that can be in a world, for the tests of determinism, memory and
// snapshots: rods of many lengths, classic and volume, closed and cut, held by moving frames and by
// the world, in all kinds of fields, activated, damped and pushed. They do not touch each other.
#pragma once

#include "support.h"

#define MIXED_RODS 60

typedef struct MixedScene {
    SnWorld *world;
    SnBodyId rods[MIXED_RODS];
    SnFrameId frames[3];
    SnFieldId fields[4];
    SnAttachmentId led; // its target is moved by hand
    int steps;
    SnRodSolver solver;
} MixedScene;

static inline SnResult mixed_rod(MixedScene *scene, int r) {
    static SnVec3 x[300];
    static float radii[300];
    Rng rng = {(uint64_t)r};
    bool cut = r % 20 == 7;
    int count = cut ? 101 + 33 * (r / 20) : 4 + rng_int(&rng, 0, 36);
    bool closed = r % 5 == 2;
    for (int i = 0; i < count; ++i) {
        float turn = 6.2831853f * (float)i / (float)count;
        // A triangle wave keeps the C library's trigonometry out of the bits.
        float wave = fabsf(turn - 3.1415927f), side = fabsf(turn - 1.5707963f) - 1.5707963f;
        x[i] = closed ? sn_vec3(0.02f * (float)count * wave, 0.1f * (float)r,
                                0.02f * (float)count * side)
                      : sn_vec3(0.06f * (float)i, 0.1f * (float)r, 0.01f * (float)(i % 3));
        radii[i] = 0.01f + 0.0005f * (float)(i % 7);
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = count;
    def.closed = closed;
    def.positions = x;
    def.radii = radii;
    def.classic = r % 3 == 0;
    def.material.young = rng_float(&rng, 1e5, 2e7);
    def.material.damping = r % 4 == 1 ? 0.01f : 0.0f;
    def.material.drag = r % 6 == 1 ? 0.5f : 0.0f;
    def.material.volume_bend = r % 7 == 3 ? 1e4f : SN_DERIVED;
    def.velocity = rng_vec3(&rng, 1.0);
    def.angular_velocity = rng_vec3(&rng, 1.0);
    def.origin[0] = r % 10 == 9 ? 5000.0 : 0.0;
    def.filter.mask = 0; // they are created into each other
    def.solver = scene->solver;
    return sn_rod_create(scene->world, &def, &scene->rods[r]);
}

static inline SnResult mixed_attachments(MixedScene *scene) {
    SnResult result = {SN_OK, ""};
    for (int r = 0; r < MIXED_RODS && result.code == SN_OK; r += 2) {
        SnAttachmentDef def = sn_default_attachment_def();
        def.body = scene->rods[r];
        def.kind = (SnAttachmentKind)(r / 2 % 3);
        if (r % 3 == 0 && def.kind == SN_ATTACH_SCALE)
            def.kind = SN_ATTACH_VERTEX;
        def.index = r % 4;
        def.frame = r % 4 == 0 ? scene->frames[r % 3] : (SnFrameId){0, 0};
        result = sn_attachment_create(scene->world, &def, &scene->led);
    }
    return result;
}

static inline SnResult mixed_fields(MixedScene *scene) {
    SnResult result = {SN_OK, ""};
    for (int k = 0; k < 4 && result.code == SN_OK; ++k) {
        SnFieldDef def = sn_default_field_def();
        def.kind = (SnFieldKind)k;
        def.strength = k == SN_FIELD_WIND ? 8.0f : 2.0f;
        def.direction = sn_vec3(1.0f, 0.5f, (float)k);
        def.radius = 3.0f;
        def.gust = 0.5f;
        def.turbulence = 0.3f;
        def.eddy = 1.0f;
        result = sn_field_create(scene->world, &def, &scene->fields[k]);
    }
    return result;
}

// Stops at the first call that fails; the world is to be destroyed in any case if it is not NULL.
static inline SnResult mixed_create_with(MixedScene *scene, const SnWorldDef *def,
                                         SnRodSolver solver) {
    memset(scene, 0, sizeof *scene);
    scene->solver = solver;
    SnResult result = sn_world_create(def, &scene->world);
    if (result.code != SN_OK) {
        scene->world = NULL;
        return result;
    }
    for (int k = 0; k < 3 && result.code == SN_OK; ++k)
        result = sn_frame_create(scene->world, sn_pose_identity(), &scene->frames[k]);
    for (int r = 0; r < MIXED_RODS && result.code == SN_OK; ++r)
        result = mixed_rod(scene, r);
    if (result.code == SN_OK)
        result = mixed_attachments(scene);
    return result.code == SN_OK ? mixed_fields(scene) : result;
}

static inline SnResult mixed_create(MixedScene *scene, const SnWorldDef *def) {
    return mixed_create_with(scene, def, SN_SOLVER_SWEEP);
}

// What the user does before every step, and the step.
static inline uint32_t mixed_step(MixedScene *scene) {
    SnWorld *world = scene->world;
    float n = (float)scene->steps++;
    SnQuat turn = {0.0f, 0.6f, 0.0f, 0.8f};
    for (int k = 0; k < 3; ++k) {
        SnPose pose = {sn_vec3(0.01f * n, 0.02f * (float)k, 0.0f),
                       k == 1 && scene->steps % 8 > 3 ? turn : sn_quat_identity()};
        assert_ok(sn_frame_set_target(world, scene->frames[k], pose));
    }
    assert_ok(sn_attachment_set_target(world, scene->led, sn_vec3(0.0f, 0.01f * n, 0.0f),
                                       sn_quat_identity(), 1.0f + 0.01f * n));
    for (int r = 0; r < MIXED_RODS; r += 3) {
        SnBodyId rod = scene->rods[r];
        assert_ok(sn_body_add_force(world, rod, r % 4, sn_vec3(0.1f, 0.2f, 0.01f * n)));
        assert_ok(sn_body_add_torque(world, rod, r % 3, sn_vec3(0.001f, 0.002f, 0.0f)));
        assert_ok(sn_rod_add_radial_force(world, rod, r % 4, 1e-4f));
        assert_ok(
            sn_rod_set_length_scale(world, rod, 0, 2, 1.0f - 0.01f * (n < 30.0f ? n : 30.0f)));
    }
    return step_world(world, 1.0f / 60.0f, 3, 2);
}
