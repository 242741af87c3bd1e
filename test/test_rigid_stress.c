// Rigid bodies under everything at once: random worlds and random calls, loads beyond all reason,
// snapshots, threads and instruction sets. Never NaN, never stuck, always the same bits.
#include "rigid_kit.h"

#include <stdlib.h>

#define CROWD 8
#ifdef __SANITIZE_ADDRESS__
#define WORLDS 15 // it takes ten times as long
#define HEAP_STEPS 25
#else
#define WORLDS 60
#define HEAP_STEPS 90
#endif

static SnBodyId random_rigid(Rng *rng, SnWorld *world, double reach, const double origin[3]) {
    SnRigidPart parts[4];
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = rng_int(rng, 1, 4);
    def.parts = parts;
    double size = (double)rng_log(rng, 1e-3, 0.5);
    for (int k = 0; k < def.part_count; ++k) {
        SnVec3 a = rng_vec3(rng, size);
        parts[k] = (SnRigidPart){.a = a,
                                 .b = rng_int(rng, 0, 2) ? rng_vec3(rng, size) : a,
                                 .radius_a = (float)size * rng_float(rng, 0.1, 1.0),
                                 .radius_b = (float)size * rng_float(rng, 0.1, 1.0)};
    }
    def.density = rng_log(rng, 1.0, 2e4);
    def.drag = rng_int(rng, 0, 2) ? 0.0f : rng_log(rng, 1e-3, 1e2);
    def.pose = (SnPose){rng_vec3(rng, reach), rng_quat(rng)};
    def.velocity = rng_vec3(rng, (double)rng_log(rng, 1e-2, 1e2));
    def.angular_velocity = rng_vec3(rng, (double)rng_log(rng, 1e-2, 1e3));
    def.surface.friction = rng_float(rng, 0.0, 1.5);
    def.surface.restitution = rng_int(rng, 0, 2) ? 0.0f : rng_float(rng, 0.0, 1.0);
    memcpy(def.origin, origin, sizeof def.origin);
    return add_rigid(world, &def);
}

static SnBodyId random_line(Rng *rng, SnWorld *world, double reach, const double origin[3]) {
    SnVec3 x[8], d = sn_vec3_normalise(rng_vec3(rng, 1.0), sn_vec3(1.0f, 0.0f, 0.0f));
    SnRodDef def =
        line_def(x, 8, rng_vec3(rng, reach), d, rng_log(rng, 0.05, 2.0), rng_log(rng, 2e-3, 0.1));
    int kind = rng_int(rng, 0, 3);
    def.classic = kind == 1;
    def.stiff = kind == 2;
    def.solver = kind == 3 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
    memcpy(def.origin, origin, sizeof def.origin);
    return add_rod(world, &def);
}

static void check_finite(SnWorld *world, int seed) {
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    for (int k = 0; k < 3 * poses.point_count; ++k)
        if (!isfinite(poses.positions[k]))
            fail_msg("seed %d: a position is %g", seed, (double)poses.positions[k]);
    SnMeasures m = sn_world_measure(world);
    if (!isfinite(m.energy_kinetic) || !isfinite(m.speed_max) || !isfinite(m.penetration_max))
        fail_msg("seed %d: energy %g, speed %g, penetration %g", seed, m.energy_kinetic,
                 m.speed_max, m.penetration_max);
}

typedef struct Zoo {
    SnWorld *world;
    SnBodyId bodies[CROWD];
    SnFrameId frame;
    double origin[3];
} Zoo;

static void add_anything(Rng *rng, Zoo *zoo, int k) {
    zoo->bodies[k] = rng_int(rng, 0, 2) ? random_rigid(rng, zoo->world, 1.0, zoo->origin)
                                        : random_line(rng, zoo->world, 1.0, zoo->origin);
}

static SnBodyPoint random_point(Rng *rng, const Zoo *zoo) {
    SnBodyId id = zoo->bodies[rng_int(rng, 0, CROWD - 1)];
    int last = sn_body_element_count(zoo->world, id) - 1;
    return (SnBodyPoint){id, rng_int(rng, 0, last), rng_float(rng, 0.0, 1.0)};
}

// Calls may fail, but must leave the world in order.
static void tie_something(Rng *rng, Zoo *zoo, SnBodyId id) {
    int points = sn_body_point_count(zoo->world, id);
    if (rng_int(rng, 0, 1)) {
        SnAttachmentDef hold = sn_default_attachment_def();
        hold.body = id;
        hold.kind = rng_int(rng, 0, 2) ? SN_ATTACH_VERTEX : SN_ATTACH_SEGMENT;
        hold.index = rng_int(rng, 0, points - 1);
        hold.frame = rng_int(rng, 0, 1) ? zoo->frame : (SnFrameId){0, 0};
        SnAttachmentId made;
        if (sn_attachment_create(zoo->world, &hold, &made).code == SN_OK && rng_int(rng, 0, 1)) {
            sn_world_step(zoo->world, DT, 2, 1);
            assert_ok(sn_attachment_destroy(zoo->world, made));
        }
        return;
    }
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = random_point(rng, zoo);
    if (rng_int(rng, 0, 2))
        link.b = random_point(rng, zoo);
    link.target = sn_vec3((float)zoo->origin[0], 0.0f, 0.0f);
    link.length = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-3, 1.0);
    link.rope = rng_int(rng, 0, 1);
    link.compliance = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-8, 1.0);
    link.max_force = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-3, 1e6);
    sn_link_create(zoo->world, &link, NULL);
}

static void do_anything(Rng *rng, Zoo *zoo) {
    int k = rng_int(rng, 0, CROWD - 1);
    SnBodyId id = zoo->bodies[k];
    int point = rng_int(rng, 0, sn_body_point_count(zoo->world, id) - 1);
    SnVec3 load = rng_vec3(rng, (double)rng_log(rng, 1e-3, rng_int(rng, 0, 9) ? 1e3 : 3e38));
    SnPose pose = {sn_vec3((float)zoo->origin[0], rng_float(rng, -1.0, 1.0), 0.0f), rng_quat(rng)};
    SnRigidState s;
    switch (rng_int(rng, 0, 8)) {
    case 0:
        assert_ok(sn_body_destroy(zoo->world, id));
        add_anything(rng, zoo, k);
        break;
    case 1:
    case 2:
        tie_something(rng, zoo, id);
        break;
    case 3:
        sn_body_add_impulse(zoo->world, id, point, load);
        break;
    case 4:
        sn_body_add_force(zoo->world, id, point, load);
        break;
    case 5:
        sn_body_add_torque(zoo->world, id, 0, load);
        break;
    case 6:
        if (sn_rigid_read(zoo->world, id, &s).code == SN_OK) {
            s.pose.rotation = rng_quat(rng);
            s.velocity = rng_vec3(rng, 10.0);
            sn_rigid_write(zoo->world, id, &s);
        }
        break;
    case 7:
        assert_ok(rng_int(rng, 0, 1) ? sn_frame_teleport(zoo->world, zoo->frame, pose)
                                     : sn_frame_set_target(zoo->world, zoo->frame, pose));
        break;
    default:
        sn_body_set_gravity_scale(zoo->world, id, rng_float(rng, -2.0, 2.0));
    }
}

static void random_calls_leave_a_finite_world(void **state) {
    (void)state;
    const char *more = getenv("SN_WORLDS");
    for (int seed = 0; seed < (more ? atoi(more) : WORLDS); ++seed) {
        Rng rng = {(uint64_t)seed + 100};
        Zoo zoo = {.origin = {seed % 7 == 3 ? 1e6 : 0.0, 0.0, 0.0}};
        SnWorldDef def = sn_default_world_def();
        def.sleep_speed = seed % 3 == 0 ? 0.05f : 0.0f;
        def.thread_count = 1;
        assert_ok(sn_world_create(&def, &zoo.world));
        add_floor(zoo.world, -1.0f, 0.5f);
        SnPose at = {sn_vec3((float)zoo.origin[0], 0.0f, 0.0f), sn_quat_identity()};
        assert_ok(sn_frame_create(zoo.world, at, &zoo.frame));
        if (seed % 2) {
            SnFieldDef wind = sn_default_field_def();
            wind.kind = SN_FIELD_WIND;
            wind.strength = rng_log(&rng, 0.1, 50.0);
            assert_ok(sn_field_create(zoo.world, &wind, NULL));
        }
        for (int k = 0; k < CROWD; ++k)
            add_anything(&rng, &zoo, k);
        for (int n = 0; n < 30; ++n) {
            do_anything(&rng, &zoo);
            sn_world_step(zoo.world, n % 3 ? DT : 2.0f * DT, rng_int(&rng, 1, 10), 1);
            check_finite(zoo.world, seed);
        }
        sn_world_destroy(zoo.world);
    }
}

static void loads_beyond_reason_leave_it_finite(void **state) {
    (void)state;
    for (int k = 0; k < 12; ++k) {
        SnWorld *world = heavy_world();
        add_floor(world, 0.0f, 0.5f);
        float r = k % 2 ? 0.001f : 0.5f;
        SnBodyId ball = add_ball(world, sn_vec3(0.0f, r, 0.0f), r);
        SnBodyId other = add_ball(world, sn_vec3(1.5f * r, 2.2f * r, 0.0f), r);
        SnVec3 load = sn_vec3(3e38f, -3e38f, 3e38f);
        for (int n = 0; n < 5; ++n) {
            SnResult done = k / 2 % 3 == 0   ? sn_body_add_impulse(world, ball, 0, load)
                            : k / 2 % 3 == 1 ? sn_body_add_force(world, ball, 0, load)
                                             : sn_body_add_torque(world, ball, 0, load);
            (void)done;
            sn_world_step(world, DT, 10, 1);
            check_finite(world, k);
            SnMeasures m = sn_world_measure(world);
            assert_below(m.speed_max, 1.001 * (double)SN_MAX_SPEED);
        }
        for (int n = 0; n < 60; ++n)
            sn_world_step(world, DT, 10, 1);
        check_finite(world, k);
        assert_below(fabs((double)rigid_state(world, other).centre.y), 1e6);
        sn_world_destroy(world);
    }
}

// Balls and pills on rods of all kinds, on the floor and on each other, on links and holds.
static SnWorld *heap(SnIsa isa, int threads) {
    SnWorldDef world_def = sn_default_world_def();
    world_def.isa = isa;
    world_def.thread_count = threads;
    SnWorld *world;
    assert_ok(sn_world_create(&world_def, &world));
    add_floor(world, 0.0f, 0.5f);
    Rng rng = {11};
    const double origin[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 40; ++k) {
        SnVec3 x[9];
        SnVec3 at = sn_vec3(rng_float(&rng, -0.6, 0.6), 0.1f + 0.05f * (float)k,
                            rng_float(&rng, -0.6, 0.6));
        SnRodDef def =
            line_def(x, 9, at, sn_vec3((float)(k % 2), 0.0f, (float)((k + 1) % 2)), 0.8f, 0.03f);
        def.classic = k % 8 == 1;
        def.stiff = k % 8 == 3;
        def.solver = k % 8 == 5 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
        if (k % 2 == 1) {
            add_rod(world, &def);
            continue;
        }
        SnBodyId body = random_rigid(&rng, world, 0.4, origin);
        SnRigidState s = rigid_state(world, body);
        s.velocity = s.angular_velocity = sn_vec3(0.0f, 0.0f, 0.0f);
        s.pose.position.y = at.y;
        assert_ok(sn_rigid_write(world, body, &s));
        SnLinkDef link = sn_default_link_def();
        link.length = 0.0f;
        link.a = (SnBodyPoint){body, 0, 0.3f};
        link.target = at;
        link.length = 0.2f;
        link.rope = true;
        if (k % 12 == 0)
            assert_ok(sn_link_create(world, &link, NULL));
        if (k % 12 == 6)
            pin(world, body, SN_ATTACH_VERTEX, 0);
    }
    return world;
}

static uint64_t hash_after(SnWorld *world, int steps) {
    for (int n = 0; n < steps; ++n)
        sn_world_step(world, DT, 4, 1);
    return sn_world_hash(world);
}

static void all_threads_and_instruction_sets_agree(void **state) {
    (void)state;
    SnWorld *first = heap(SN_ISA_SCALAR, 1);
    uint64_t hash = hash_after(first, HEAP_STEPS);
    sn_world_destroy(first);
    for (int k = 0; k < 12; ++k) {
        SnIsa isa = (SnIsa)(SN_ISA_SCALAR + k / 3);
        if (!sn_isa_available(isa))
            continue;
        SnWorld *world = heap(isa, 1 << k % 3);
        uint64_t other = hash_after(world, HEAP_STEPS);
        assert_true(other == hash);
        sn_world_destroy(world);
    }
}

static void a_snapshot_goes_on_with_the_same_bits(void **state) {
    (void)state;
    SnWorld *world = heap(SN_ISA_BEST, 2), *twin = heap(SN_ISA_BEST, 1);
    hash_after(world, 60);
    size_t size = sn_world_snapshot_size(world);
    void *data = malloc(size);
    assert_ok(sn_world_save(world, data, size));
    uint64_t hash = hash_after(world, 60);
    assert_ok(sn_world_restore(world, data, size));
    assert_true(hash_after(world, 60) == hash);
    assert_ok(sn_world_restore(twin, data, size));
    assert_true(hash_after(twin, 60) == hash);
    free(data);
    sn_world_destroy(world);
    sn_world_destroy(twin);
}

// The most momentum there can be.
static void a_world_that_spins_is_restored(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRigidPart part = sn_rigid_pill(sn_vec3(-1e4f, 0, 0), sn_vec3(1e4f, 0, 0), 1e4f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.mass = 1e12f;
    def.angular_velocity = sn_vec3(SN_MAX_SPIN, SN_MAX_SPIN, SN_MAX_SPIN);
    add_rigid(world, &def);
    size_t size = sn_world_snapshot_size(world);
    void *data = malloc(size);
    assert_ok(sn_world_save(world, data, size));
    assert_ok(sn_world_restore(world, data, size));
    free(data);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_calls_leave_a_finite_world),
        cmocka_unit_test(loads_beyond_reason_leave_it_finite),
        cmocka_unit_test(all_threads_and_instruction_sets_agree),
        cmocka_unit_test(a_snapshot_goes_on_with_the_same_bits),
        cmocka_unit_test(a_world_that_spins_is_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
