// The vectors, quaternions and poses of the public header.
#include <sinew/math.h>

// cmocka.h needs these four before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define EPSILON 1e-6f

static const SnVec3 x = {1.0f, 0.0f, 0.0f}, y = {0.0f, 1.0f, 0.0f}, z = {0.0f, 0.0f, 1.0f};

static void assert_same(SnVec3 found, SnVec3 expected) {
    assert_float_equal(found.x, expected.x, EPSILON);
    assert_float_equal(found.y, expected.y, EPSILON);
    assert_float_equal(found.z, expected.z, EPSILON);
}

static void vectors_add_up(void **state) {
    (void)state;
    SnVec3 a = sn_vec3(1.0f, 2.0f, 2.0f), b = sn_vec3(4.0f, -2.0f, 0.5f);
    assert_same(sn_vec3_add(a, b), sn_vec3(5.0f, 0.0f, 2.5f));
    assert_same(sn_vec3_sub(a, b), sn_vec3(-3.0f, 4.0f, 1.5f));
    assert_same(sn_vec3_scale(a, -2.0f), sn_vec3(-2.0f, -4.0f, -4.0f));
    assert_same(sn_vec3_add_scaled(a, b, 2.0f), sn_vec3(9.0f, -2.0f, 3.0f));
    assert_float_equal(sn_vec3_dot(a, b), 1.0f, EPSILON);
    assert_float_equal(sn_vec3_length(a), 3.0f, EPSILON);
    assert_same(sn_vec3_cross(x, y), z);
    assert_float_equal(sn_vec3_dot(sn_vec3_cross(a, b), b), 0.0f, EPSILON);
}

static void what_has_no_direction_gets_one(void **state) {
    (void)state;
    assert_same(sn_vec3_normalise(sn_vec3(0.0f, -0.5f, 0.0f), x), sn_vec3(0.0f, -1.0f, 0.0f));
    assert_same(sn_vec3_normalise(sn_vec3(0.0f, 0.0f, 0.0f), x), x);
    SnQuat none = sn_quat_normalise((SnQuat){0.0f, 0.0f, 0.0f, 0.0f});
    assert_float_equal(none.w, 1.0f, 0.0f);
    SnQuat half = sn_quat_normalise((SnQuat){0.0f, 3.0f, 0.0f, 4.0f});
    assert_float_equal(half.y, 0.6f, EPSILON);
    assert_float_equal(half.w, 0.8f, EPSILON);
}

static void rotations_follow_each_other(void **state) {
    (void)state;
    const float quarter = 1.57079633f;
    SnQuat about_x = sn_quat_about(x, quarter), about_z = sn_quat_about(z, quarter);
    assert_same(sn_quat_rotate(about_z, x), y);
    assert_same(sn_quat_rotate(about_x, y), z);
    assert_same(sn_quat_rotate(sn_quat_multiply(about_x, about_z), x), z); // z first, then x
    assert_same(sn_quat_rotate(sn_quat_inverse(about_z), y), x);
    SnPose pose = {{10.0f, 0.0f, 0.0f}, about_z};
    assert_same(sn_pose_apply(pose, sn_vec3(2.0f, 0.0f, 0.0f)), sn_vec3(10.0f, 2.0f, 0.0f));
    assert_same(sn_pose_apply(sn_pose_identity(), y), y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_add_up),
        cmocka_unit_test(what_has_no_direction_gets_one),
        cmocka_unit_test(rotations_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
