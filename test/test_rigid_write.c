// Writing the state of rigid bodies point by point: they turn and spin as the points say, and take back
// all that was read.
#include "rigid_kit.h"

#include "math/vec.h"

enum { MOST = 6 };

typedef struct Points {
    int count;
    SnVec3 x[MOST], v[MOST];
} Points;

static Points points_of(const SnWorld *world, SnBodyId id) {
    Points p = {.count = sn_body_point_count(world, id)};
    assert_ok(sn_body_read(world, id, &(SnBodyState){.positions = p.x, .velocities = p.v}));
    return p;
}

// One sphere; one pill; three spheres in a line; four points that are in no plane.
static SnBodyId make(SnWorld *world, int shape) {
    SnRigidPart parts[3] = {sn_rigid_sphere(sn_vec3(0.3f, 0.1f, -0.2f), 0.1f)};
    int count = 1;
    if (shape == 1)
        parts[0] = sn_rigid_pill(sn_vec3(-0.4f, 0.2f, 0.0f), sn_vec3(0.5f, 0.1f, 0.3f), 0.05f);
    if (shape == 2)
        for (count = 0; count < 3; ++count)
            parts[count] = sn_rigid_sphere(sn_vec3(0.5f * (float)count, 0.0f, 0.0f), 0.1f);
    if (shape == 3) {
        count = 3;
        parts[1] = sn_rigid_pill(sn_vec3(-0.4f, 0.2f, 0.0f), sn_vec3(0.5f, 0.1f, 0.3f), 0.05f);
        parts[2] = sn_rigid_sphere(sn_vec3(0.0f, -0.6f, 0.1f), 0.08f);
    }
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = count;
    def.parts = parts;
    def.pose = (SnPose){sn_vec3(1.0f, 2.0f, -1.0f), turn_about(1.0, 2.0, 0.5, 0.8)};
    def.angular_velocity = sn_vec3(0.5f, -1.0f, 2.0f);
    return add_rigid(world, &def);
}

static SnVec3 moved(SnVec3 x, Quatd turn, Vec3d by) {
    return vec3f(addd(rotated(turn, vec3d(x)), by));
}

// Turned by any angle, half a turn included, and with nothing but positions to tell it.
static void positions_turn_a_body(void **state) {
    (void)state;
    static const double angles[] = {0.0, 1e-3, 0.7, 2.0, 3.0, 3.14159265358979};
    for (int shape = 0; shape < 4; ++shape)
        for (int k = 0; k < 6; ++k) {
            SnWorld *world = weightless_world();
            SnBodyId id = make(world, shape);
            Points p = points_of(world, id);
            SnQuat before = rigid_state(world, id).pose.rotation;
            Quatd turn = quatd(turn_about(-0.3, 0.5, 1.0, angles[k]));
            SnVec3 to[MOST];
            for (int i = 0; i < p.count; ++i)
                to[i] = moved(p.x[i], turn, (Vec3d){0.5, -2.0, 1.0});
            assert_ok(sn_body_write(world, id, &(SnBodyState){.positions = to}));
            Points now = points_of(world, id);
            for (int i = 0; i < p.count; ++i)
                assert_near(distance(now.x[i], to[i]), 0.0, 2e-6);
            SnQuat after = rigid_state(world, id).pose.rotation;
            if (shape == 0)
                assert_near(angle_between(before, after), 0.0, 1e-6);
            if (shape == 3)
                assert_near(angle_between(quatf(mulqd(turn, quatd(before))), after), 0.0, 2e-6);
            SnVec3 spin = rigid_state(world, id).angular_velocity;
            assert_near(distance(spin, sn_vec3(0.5f, -1.0f, 2.0f)), 0.0, 1e-5);
            sn_world_destroy(world);
        }
}

// A line of points that turns does not turn about itself.
static void a_line_does_not_roll(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId id = make(world, 2);
    assert_ok(sn_rigid_write(world, id, &(SnRigidState){.pose = sn_pose_identity()}));
    const SnVec3 up[3] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.5f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    assert_ok(sn_body_write(world, id, &(SnBodyState){.positions = (SnVec3 *)up}));
    SnQuat after = rigid_state(world, id).pose.rotation;
    assert_near(angle_between(turn_about(0.0, 0.0, 1.0, 1.5707963267948966), after), 0.0, 1e-6);
    sn_world_destroy(world);
}

// Points that no rigid body can reach are met on the mean.
static void a_body_keeps_its_shape(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId id = make(world, 3);
    Points p = points_of(world, id);
    SnQuat before = rigid_state(world, id).pose.rotation;
    SnVec3 to[MOST], middle = {0};
    for (int i = 0; i < p.count; ++i) {
        to[i] = sn_vec3(2.0f * p.x[i].x, 2.0f * p.x[i].y, 2.0f * p.x[i].z);
        middle = sn_vec3(middle.x + to[i].x / (float)p.count, middle.y + to[i].y / (float)p.count,
                         middle.z + to[i].z / (float)p.count);
    }
    assert_ok(sn_body_write(world, id, &(SnBodyState){.positions = to}));
    assert_near(angle_between(before, rigid_state(world, id).pose.rotation), 0.0, 1e-6);
    Points now = points_of(world, id);
    for (int i = 0; i < p.count; ++i) {
        assert_near(distance(now.x[i], now.x[0]), distance(p.x[i], p.x[0]), 1e-6);
        middle =
            sn_vec3(middle.x - now.x[i].x / (float)p.count, middle.y - now.x[i].y / (float)p.count,
                    middle.z - now.x[i].z / (float)p.count);
    }
    assert_near(distance(middle, sn_vec3(0.0f, 0.0f, 0.0f)), 0.0, 2e-6);
    sn_world_destroy(world);
}

static void velocities_spin_a_body(void **state) {
    (void)state;
    const Vec3d spin = {3.0, -1.0, 4.0}, v = {0.2, 0.3, -0.1};
    for (int shape = 0; shape < 4; ++shape) {
        SnWorld *world = weightless_world();
        SnBodyId id = make(world, shape);
        Points p = points_of(world, id);
        SnVec3 to[MOST], before = rigid_state(world, id).angular_velocity;
        for (int i = 0; i < p.count; ++i)
            to[i] = vec3f(addd(v, crossd(spin, vec3d(p.x[i]))));
        assert_ok(sn_body_write(world, id, &(SnBodyState){.velocities = to}));
        Points now = points_of(world, id);
        for (int i = 0; i < p.count; ++i)
            assert_near(distance(now.v[i], to[i]), 0.0, 2e-5);
        SnVec3 after = rigid_state(world, id).angular_velocity;
        if (shape == 0)
            assert_near(distance(before, after), 0.0, 1e-6);
        if (shape == 3)
            assert_near(distance(vec3f(spin), after), 0.0, 2e-5);
        sn_world_destroy(world);
    }
}

// At full spin its points are faster than the body may be.
static void what_is_read_can_be_written(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId id = make(world, 3);
    SnRigidState fast = rigid_state(world, id);
    fast.velocity = sn_vec3(9e3f, -9e3f, 0.0f);
    fast.angular_velocity = sn_vec3(0.0f, 9e4f, 0.0f);
    assert_ok(sn_rigid_write(world, id, &fast));
    Points p = points_of(world, id);
    double fastest = 0.0;
    for (int i = 0; i < p.count; ++i)
        fastest = fmax(fastest, distance(p.v[i], sn_vec3(0.0f, 0.0f, 0.0f)));
    assert_true(fastest > 2.0 * (double)SN_MAX_SPEED);
    assert_ok(sn_body_write(world, id, &(SnBodyState){.positions = p.x, .velocities = p.v}));
    SnRigidState now = rigid_state(world, id);
    assert_near(distance(now.velocity, fast.velocity), 0.0, 0.1);
    assert_near(distance(now.angular_velocity, fast.angular_velocity), 0.0, 1.0);
    // What it cannot have, it has as far as it can.
    for (int i = 0; i < p.count; ++i)
        p.v[i] = sn_vec3(1e6f, 0.0f, 0.0f);
    assert_ok(sn_body_write(world, id, &(SnBodyState){.velocities = p.v}));
    assert_near(rigid_state(world, id).velocity.x, SN_MAX_SPEED, 0.1);
    p.v[0].x = NAN;
    assert_error(sn_body_write(world, id, &(SnBodyState){.velocities = p.v}), SN_ERROR_INVALID,
                 "velocities[0]");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_turn_a_body),       cmocka_unit_test(a_line_does_not_roll),
        cmocka_unit_test(a_body_keeps_its_shape),      cmocka_unit_test(velocities_spin_a_body),
        cmocka_unit_test(what_is_read_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
