// arm and body: limbs of two bones with twelve muscles around them, which bend while the muscles pull.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <sinew/collider.h>
#include <sinew/muscle.h>
#include <sinew/skin.h>

#define PI 3.14159265358979323846
#define SUBSTEPS 10
#define MUSCLES 12 // of a limb
#define RODS 8
#define SEGMENTS 8
#define SLICES (SEGMENTS + 1)
#define STEPS 120 // of a run: two seconds, one bend and back
#define MOST_LIMBS 9
#define RINGS 60 // of the skin, and its sides
#define SIDES 80

typedef struct Limb {
    SnFrameId upper, lower;
    SnBodyId muscle[MUSCLES];
    int muscles;
    SnVec3 elbow;
} Limb;

typedef struct Limbs {
    const char *name;
    int limbs, muscles; // of all limbs
    float dt;
    bool skinned;
    int threads;
    SnWorld *world;
    Limb limb[MOST_LIMBS];
    double best_ms;
} Limbs;

// A spindle from (x, 0.3) to (x, −0.12) along y, at an angle around the bones.
static void fibres(const Limb *limb, int number, SnVec3 *x, float *radii) {
    double angle = 2.0 * PI * number / MUSCLES;
    double cx = 0.045 * cos(angle), cz = 0.045 * sin(angle);
    for (int k = 0; k < RODS; ++k)
        for (int j = 0; j < SLICES; ++j) {
            double t = (double)j / SEGMENTS, width = 0.4 + 0.6 * sin(PI * t);
            double out = 0.0065 * width * sqrt((k + 0.5) / RODS), turn = 2.4 * k;
            x[k * SLICES + j] =
                sn_vec3((float)(limb->elbow.x + cx + out * cos(turn)), (float)(0.26 - 0.34 * t),
                        (float)(limb->elbow.z + cz + out * sin(turn)));
            radii[k * SLICES + j] = (float)(0.004 * width);
        }
}

static SnResult add_bone(SnWorld *world, SnFrameId frame, float from, float to) {
    SnColliderDef bone = sn_default_collider_def();
    bone.kind = SN_COLLIDER_PILL;
    bone.frame = frame;
    bone.a = sn_vec3(0.0f, from, 0.0f);
    bone.b = sn_vec3(0.0f, to, 0.0f);
    bone.radius_a = bone.radius_b = 0.02f;
    return sn_collider_create(world, &bone, NULL);
}

static SnResult add_muscle(SnWorld *world, Limb *limb) {
    SnVec3 x[RODS * SLICES];
    float radii[RODS * SLICES];
    fibres(limb, limb->muscles, x, radii);
    SnMuscleDef def = sn_default_muscle_def();
    def.rod_count = RODS;
    def.slice_count = SLICES;
    def.positions = x;
    def.radii = radii;
    def.origin = limb->upper;
    def.insertion = limb->lower;
    def.tendon = 0.1f;
    return sn_muscle_create(world, &def, &limb->muscle[limb->muscles++]);
}

static SnResult add_limb(Limbs *l, int number, int muscles) {
    Limb *limb = &l->limb[number];
    limb->elbow = sn_vec3(0.5f * (float)(number % 3), 0.0f, 0.5f * (float)(number / 3));
    SnPose pose = sn_pose_identity();
    pose.position = limb->elbow;
    SnResult result = sn_frame_create(l->world, pose, &limb->upper);
    if (result.code == SN_OK)
        result = sn_frame_create(l->world, pose, &limb->lower);
    if (result.code == SN_OK)
        result = add_bone(l->world, limb->upper, 0.3f, 0.0f);
    if (result.code == SN_OK)
        result = add_bone(l->world, limb->lower, 0.0f, -0.25f);
    for (int k = 0; k < muscles && result.code == SN_OK; ++k)
        result = add_muscle(l->world, limb);
    return result;
}

// A sleeve around all muscles of the first limb.
static SnResult add_skin(Limbs *l) {
    const Limb *limb = &l->limb[0];
    SnVec3 *x = malloc(RINGS * SIDES * sizeof *x);
    uint32_t *triangles = malloc(6 * (RINGS - 1) * SIDES * sizeof *triangles);
    int count = 0;
    for (int i = 0; x && triangles && i < RINGS * SIDES; ++i) {
        int ring = i / SIDES, side = i % SIDES, next = ring * SIDES + (side + 1) % SIDES;
        double angle = 2.0 * PI * side / SIDES;
        x[i] = sn_vec3((float)(0.07 * cos(angle)), (float)(0.25 - 0.32 * ring / (RINGS - 1)),
                       (float)(0.07 * sin(angle)));
        const int corners[6] = {i, next, i + SIDES, next, next + SIDES, i + SIDES};
        for (int c = 0; ring + 1 < RINGS && c < 6; ++c)
            triangles[count++] = (uint32_t)corners[c];
    }
    SnSkinDef def = sn_default_skin_def();
    def.bodies = limb->muscle;
    def.body_count = limb->muscles;
    def.vertex_count = RINGS * SIDES;
    def.positions = x;
    def.triangle_count = count / 3;
    def.triangles = triangles;
    SnResult result = x && triangles ? sn_skin_create(l->world, &def, NULL)
                                     : sn_error(SN_ERROR_MEMORY, "arm: no memory for a skin");
    free(x);
    free(triangles);
    return result;
}

static SnResult create(const Bench *bench, Limbs *l) {
    SnWorldDef def = sn_default_world_def();
    def.thread_count = l->threads;
    def.isa = bench->isa;
    SnResult result = sn_world_create(&def, &l->world);
    for (int k = 0; k < l->limbs && result.code == SN_OK; ++k) {
        int left = l->muscles - k * MUSCLES;
        result = add_limb(l, k, left < MUSCLES ? left : MUSCLES);
    }
    return result.code == SN_OK && l->skinned ? add_skin(l) : result;
}

// The forearms bend by up to 70°, and half of the muscles pull.
static void animate(Limbs *l, int step) {
    double part = 0.5 - 0.5 * cos(2.0 * PI * step / STEPS), angle = 1.2 * part;
    for (int k = 0; k < l->limbs; ++k) {
        const Limb *limb = &l->limb[k];
        SnPose pose = {limb->elbow, {(float)sin(0.5 * angle), 0.0f, 0.0f, (float)cos(0.5 * angle)}};
        sn_frame_set_target(l->world, limb->lower, pose);
        for (int m = 0; m < limb->muscles; m += 2)
            sn_muscle_activate(l->world, limb->muscle[m], (float)part);
    }
}

static SnResult run(Limbs *l, double *out_ms) {
    SnResult result = sn_ok();
    double start = sn_now_ms();
    for (int n = 0; n < STEPS && result.code == SN_OK; ++n) {
        animate(l, n);
        sn_world_step(l->world, l->dt, SUBSTEPS, 1);
        SnSkinPoses skins;
        if (l->skinned)
            result = sn_world_skins(l->world, &skins);
    }
    *out_ms = (sn_now_ms() - start) / STEPS;
    return result;
}

static SnResult measure(Bench *bench, Limbs *l) {
    double ms = 0.0;
    SnResult result = create(bench, l);
    l->best_ms = INFINITY;
    for (int k = 0; k <= bench->runs && result.code == SN_OK; ++k) {
        if (!bench_go_on(bench, (double)k / (bench->runs + 1)))
            break;
        result = run(l, &ms);
        if (k > 0) // the first one warms up
            l->best_ms = fmin(l->best_ms, ms);
    }
    if (result.code == SN_OK && !bench->stopped) {
        char name[BENCH_NAME_SIZE];
        snprintf(name, sizeof name, "%s-rate", l->name);
        bench_add_row(bench, name, l->threads, 1e3 / l->best_ms, "steps/s");
        snprintf(name, sizeof name, "%s-contacts-count", l->name);
        bench_add_row(bench, name, l->threads,
                      (double)sn_world_contact_events(l->world).contact_count, "1");
    }
    sn_world_destroy(l->world);
    return result;
}

static SnResult measure_all(Bench *bench, Limbs limbs) {
    SnResult result = sn_ok();
    for (int t = 0; t < bench->thread_count_count && result.code == SN_OK; ++t) {
        Limbs l = limbs;
        l.threads = bench->thread_counts[t];
        bench_part(bench, t, bench->thread_count_count);
        result = measure(bench, &l);
    }
    return result;
}

SnResult bench_arm(Bench *bench) {
    return measure_all(
        bench,
        (Limbs){
            .name = "arm", .limbs = 1, .muscles = MUSCLES, .dt = 1.0f / 60.0f, .skinned = true});
}

SnResult bench_body(Bench *bench) {
    return measure_all(
        bench, (Limbs){.name = "body", .limbs = MOST_LIMBS, .muscles = 100, .dt = 1.0f / 60.0f});
}
