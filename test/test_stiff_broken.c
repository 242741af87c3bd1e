// Rods that broke: against something, before a snapshot, and what can still be done with them.
#include "memory_count.h"
#include "stiff_kit.h"

#define N 12
#define RADIUS 0.02f

typedef struct Press {
    SnWorld *world;
    SnBodyId rod;
    SnFrameId frame;
    int step;
} Press;

static void run_press(Press *p, int until) {
    for (; p->step < until; ++p->step) {
        // 1 m/s, until there is just room for the rod between the bar and the floor, and back again.
        float way = p->step < 30 ? DT * (float)(p->step + 1) : DT * (float)(60 - p->step - 1);
        SnPose pose = {sn_vec3(0, p->step < 60 ? -way : 0.0f, 0), sn_quat_identity()};
        assert_ok(sn_frame_set_target(p->world, p->frame, pose));
        uint32_t bits = sn_world_step(p->world, DT, 4, 3);
        if (bits != SN_STEP_OK)
            fail_msg("step %d: bits %x", p->step, bits);
    }
}

// A beam from a wall, over a floor, and a bar that moves down onto its other end.
static Press make_press(const SnWorldDef *def) {
    static SnVec3 x[N + 1];
    Press p = {0};
    assert_ok(sn_world_create(def, &p.world));
    add_floor(p.world, -0.5f, 0.5f);
    assert_ok(sn_frame_create(p.world, sn_pose_identity(), &p.frame));
    SnColliderDef bar = collider_def(SN_COLLIDER_PILL, sn_vec3(0.9f, 0.1f, 0), 0.5f);
    bar.radius_a = bar.radius_b = 0.05f;
    bar.a = sn_vec3(0, 0, -0.3f);
    bar.b = sn_vec3(0, 0, 0.3f);
    bar.frame = p.frame;
    add_collider(p.world, &bar);
    SnRodDef rod = beam_def(x, N, 1.0, RADIUS, 1e8f);
    rod.filter = sn_default_filter();
    rod.self_collide = false;
    rod.material.strength = 1e6f; // at a curvature of 0.5/m
    p.rod = add_rod(p.world, &rod);
    clamp(p.world, p.rod, 0, 0);
    return p;
}

static int first_break(Press *p) {
    while (sn_world_measure(p->world).broken_joints == 0) {
        assert_true(p->step < 40);
        run_press(p, p->step + 1);
    }
    return p->step;
}

static void a_rod_breaks_against_a_bar(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    Press p = make_press(&def);
    int at = first_break(&p);
    // The bar is in touch with it from 3 cm on; the tip is bent down by a third of the curvature
    // when the beam breaks, 17 cm, or less because the bar hits it.
    assert_in_range(at, 2, 15);
    run_press(&p, 200);
    assert_below(sn_world_measure(p.world).penetration_max, 0.2);
    static RodCopy now;
    copy_rod(p.world, p.rod, &now);
    for (int j = 0; j < N; ++j) { // both ends of every segment, torn ones, too
        float back = 2.0f * (now.q[j].y * now.q[j].z - now.q[j].w * now.q[j].x) / (float)N;
        double far = (double)now.x[j + 1].y, near = far - (double)back;
        assert_below(-0.5 + 0.7 * (double)RADIUS, far);
        assert_below(-0.5 + 0.7 * (double)RADIUS, near);
    }
    double y = (double)vertex_at(p.world, p.rod, N).y; // it lies on the floor, or on the bar
    assert_below(fmin(fabs(y + 0.5 - (double)RADIUS), fabs(y - 0.15 - (double)RADIUS)), 0.02);
    assert_below(distance(vertex_at(p.world, p.rod, 0), sn_vec3(0, 0, 0)), 1e-6);
    assert_below(measures_of(p.world, p.rod).speed_max, 0.02);
    sn_world_destroy(p.world);
}

static void *saved(SnWorld *world, size_t *size) {
    *size = sn_world_snapshot_size(world);
    void *buffer = malloc(*size);
    assert_non_null(buffer);
    assert_ok(sn_world_save(world, buffer, *size));
    return buffer;
}

// A link to the end of a segment stays with it: what breaks off hangs there.
static void links_hold_torn_ends(void **state) {
    (void)state;
    static SnVec3 x[5];
    static RodCopy now;
    SnWorld *world = heavy_world();
    SnRodDef def = beam_def(x, 4, 1.0, 0.01f, 1e9f);
    def.material.strength = 1e5f;
    def.material.drag = 4.0f;
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = (SnBodyPoint){rod, 1, 0.0f};
    link.target = x[1];
    assert_ok(sn_link_create(world, &link, NULL));
    for (int n = 0; n < 400; ++n)
        assert_int_equal(sn_world_step(world, DT, 8, 3), SN_STEP_OK);
    assert_true(sn_world_measure(world).broken_joints >= 1);
    copy_rod(world, rod, &now);
    assert_below(distance(now.x[1], x[1]), 1e-3); // the stub
    assert_near(now.x[2].y, -0.25, 0.01);         // one segment below
    assert_near(now.x[2].x, x[1].x, 0.01);
    assert_below(distance(now.v[2], sn_vec3(0, 0, 0)), 0.05);
    sn_world_destroy(world);
}

// Before the break, in the very step, and after it: into the same world, and into one of another
// machine that never broke.
static void snapshots_restore_what_is_whole_and_what_is_broken(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def(), plain = def;
    plain.thread_count = 1;
    plain.isa = SN_ISA_SCALAR;
    Press p = make_press(&def);
    int at = first_break(&p);
    sn_world_destroy(p.world);
    const int when[] = {0, 4, -1, 0, 1, 10, 40, 90};
    for (int k = 0; k < 8; ++k) {
        int step = k < 2 ? when[k] : at + when[k];
        p = make_press(&def);
        Press other = make_press(&plain), never_saved = make_press(&plain);
        run_press(&p, step);
        size_t size;
        void *buffer = saved(p.world, &size);
        uint64_t hash = sn_world_hash(p.world);
        int broken = sn_world_measure(p.world).broken_joints;
        run_press(&p, step + 12);
        run_press(&never_saved, step + 12);
        uint64_t after = sn_world_hash(never_saved.world);
        assert_true(sn_world_hash(p.world) == after);
        for (int w = 0; w < 3; ++w) {
            Press *to = w == 1 ? &other : &p;
            assert_ok(sn_world_restore(to->world, buffer, size));
            assert_true(sn_world_hash(to->world) == hash);
            assert_int_equal(sn_world_measure(to->world).broken_joints, broken);
            to->step = step;
            run_press(to, step + 12);
            if (sn_world_hash(to->world) != after)
                fail_msg("saved at step %d, broken at %d: %s world differs", step, at,
                         w == 1 ? "another" : "the same");
            run_press(to, 120); // it may break once more
        }
        free(buffer);
        sn_world_destroy(p.world);
        sn_world_destroy(other.world);
        sn_world_destroy(never_saved.world);
    }
}

// A ray and a ball between the stub and what fell off meet nothing.
static void nothing_is_left_in_between(void **state) {
    (void)state;
    static SnVec3 x[5];
    SnWorld *world = heavy_world();
    SnRodDef def = beam_def(x, 4, 1.0, 0.01f, 1e9f);
    def.filter = sn_default_filter();
    def.material.strength = 1e5f;
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    for (int n = 0; n < 40; ++n)
        assert_int_equal(sn_world_step(world, DT, 4, 3), SN_STEP_OK);
    SnVec3 stub = vertex_at(world, rod, 1), end = vertex_at(world, rod, 2);
    assert_below(end.y, stub.y - 1.0f);
    SnVec3 y[2] = {{0.5f * (stub.x + end.x), 0.5f * (stub.y + end.y), 0.3f}};
    SnHit hit;
    assert_false(
        sn_world_ray_cast(world, y[0], sn_vec3(0, 0, -1), 5.0f, sn_default_filter(), &hit));
    y[1] = sn_vec3(y[0].x + 0.02f, y[0].y, y[0].z);
    SnRodDef ball = stiff_def(y, 2, 0.02f);
    ball.filter = sn_default_filter();
    ball.gravity_scale = 0.0f;
    ball.velocity = sn_vec3(0, 0, -3);
    SnBodyId thrown = add_rod(world, &ball);
    for (int n = 0; n < 20; ++n)
        assert_int_equal(sn_world_step(world, DT, 4, 3), SN_STEP_OK);
    assert_near(velocity_at(world, thrown, 0).z, -3.0, 1e-6);
    sn_world_destroy(world);
}

// Every function still works on it, and what it took is given back.
static void broken_rods_are_used_and_removed(void **state) {
    (void)state;
    for (int when = 0; when < 2; ++when) { // before and after its parts have rows of their own
        Counter counter = {0};
        SnWorldDef def = counted_def(&counter);
        Press p = make_press(&def);
        static SnVec3 y[5];
        line_of_points(y, 5, sn_vec3(0, 1, 0), sn_vec3(0.1f, 0, 0));
        SnRodDef other = stiff_def(y, 5, 0.01f);
        SnBodyId beside = add_rod(p.world, &other);
        first_break(&p);
        run_press(&p, p.step + when);
        static RodCopy copy;
        copy_rod(p.world, p.rod, &copy);
        assert_int_equal(copy.vertices, N + 1);
        assert_ok(sn_body_add_force(p.world, p.rod, N, sn_vec3(0, 1, 0)));
        assert_ok(sn_body_add_torque(p.world, p.rod, N - 1, sn_vec3(0, 0, 0.1f)));
        assert_ok(sn_body_add_impulse(p.world, p.rod, N, sn_vec3(0, 0.01f, 0)));
        SnRodMaterial material = sn_default_rod_material();
        material.young = 1e8f;
        assert_ok(sn_rod_set_material(p.world, p.rod, &material));
        assert_ok(sn_body_set_filter(p.world, p.rod, (SnFilter){0}));
        pin(p.world, p.rod, SN_ATTACH_VERTEX, N);
        SnVec3 held = vertex_at(p.world, p.rod, N);
        run_press(&p, p.step + 10);
        assert_below(distance(vertex_at(p.world, p.rod, N), held), 1e-4);
        // Put back to where it was; it is broken all the same.
        for (int i = 0; i <= N; ++i)
            copy.x[i] = sn_vec3((float)i / (float)N, 0, 0);
        assert_ok(sn_body_write(p.world, p.rod, &(SnBodyState){.positions = copy.x}));
        for (int i = 0; i <= N; ++i)
            assert_below(distance(vertex_at(p.world, p.rod, i), copy.x[i]), 1e-5);
        run_press(&p, p.step + 2);
        assert_true(sn_world_measure(p.world).broken_joints >= 1);
        assert_ok(sn_body_destroy(p.world, p.rod));
        assert_false(sn_body_is_valid(p.world, p.rod));
        run_press(&p, p.step + 5);
        assert_true(sn_body_is_valid(p.world, beside));
        p.rod = add_rod(p.world, &other);
        run_press(&p, p.step + 5);
        sn_world_destroy(p.world);
        assert_int_equal(counter.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_breaks_against_a_bar),
        cmocka_unit_test(nothing_is_left_in_between),
        cmocka_unit_test(links_hold_torn_ends),
        cmocka_unit_test(snapshots_restore_what_is_whole_and_what_is_broken),
        cmocka_unit_test(broken_rods_are_used_and_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
