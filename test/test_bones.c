// Bones: rotations since the rest pose, torn ends, and skins that follow both; all told once per state.
#include "stiff_kit.h"

#include "world/world.h"

#include <stdlib.h>

static SnPoses poses_now(SnWorld *world) {
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    return poses;
}

static SnQuat rotation_at(const SnPoses *poses, int point) {
    const float *q = poses->rotations + 4 * (size_t)point;
    return (SnQuat){q[0], q[1], q[2], q[3]};
}

static SnVec3 position_at(const SnPoses *poses, int point) {
    const float *x = poses->positions + 3 * (size_t)point;
    return sn_vec3(x[0], x[1], x[2]);
}

// Three arms at a point, the middle one of two segments; one leads towards the point.
enum { STAR_VERTICES = 5, STAR_EDGES = 4 };
static const SnVec3 STAR[STAR_VERTICES] = {{0.0f, 0.0f, 0.0f},
                                           {0.5f, 0.0f, 0.0f},
                                           {-0.3f, 0.4f, 0.0f},
                                           {-0.3f, -0.4f, 0.1f},
                                           {1.0f, 0.1f, 0.0f}};
static const int EDGES[2 * STAR_EDGES] = {0, 1, 0, 2, 3, 0, 1, 4};

static SnRodDef star_def(void) {
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = STAR_VERTICES;
    def.positions = STAR;
    def.edges = EDGES;
    def.edge_count = STAR_EDGES;
    def.radius = 0.1f;
    def.filter.mask = 0;
    return def;
}

// All of a body turned about the world's origin; q and −q are the same frame.
static void turn_body(SnWorld *world, SnBodyId body, SnQuat turn) {
    static Big big;
    int points = sn_body_point_count(world, body), elements = sn_body_element_count(world, body);
    SnBodyState state = {.positions = big.x, .frames = big.q};
    assert_ok(sn_body_read(world, body, &state));
    for (int i = 0; i < points; ++i)
        big.x[i] = vec3f(rotated(quatd(turn), vec3d(big.x[i])));
    for (int j = 0; j < elements; ++j) {
        Quatd q = mulqd(quatd(turn), quatd(big.q[j]));
        big.q[j] = quatf(j % 2 ? (Quatd){-q.x, -q.y, -q.z, -q.w} : q);
    }
    assert_ok(sn_body_write(world, body, &state));
}

static SnBodyId add_tree(SnWorld *world, SnTreeModel *model) {
    SnTreeDef tree = sn_default_tree_def(SN_TREE_BIRCH);
    tree.segments = 400;
    assert_ok(sn_tree_model(&tree, NULL, model));
    SnRodDef def = stiff_def(model->positions, model->vertex_count, 0.01f);
    def.radii = model->radii;
    def.frames = model->frames;
    def.edges = model->edges;
    def.edge_count = model->edge_count;
    def.bone_segments = model->bone_segments;
    return add_rod(world, &def);
}

// A rod, a creature and a tree.
static void bones_turn_with_their_body(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnTreeModel model;
    SnRodDef star = star_def();
    SnBodyId bodies[3] = {plain_rod(world, 12), add_rod(world, &star), add_tree(world, &model)};
    SnQuat turn = turn_about(1.0, 2.0, -0.5, 1.9);
    SnPoses poses = poses_now(world);
    for (int i = 0; i < poses.point_count; ++i)
        assert_below(angle_between(rotation_at(&poses, i), sn_quat_identity()), 1e-5);
    for (int k = 0; k < 3; ++k)
        turn_body(world, bodies[k], turn);
    poses = poses_now(world);
    assert_int_equal(poses.body_count, 3);
    assert_int_equal(poses.point_count, 12 + STAR_VERTICES + model.vertex_count);
    for (int i = 0; i < poses.point_count; ++i) {
        SnQuat q = rotation_at(&poses, i);
        assert_near(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-6);
        assert_below(angle_between(q, turn), 1e-5);
    }
    assert_int_equal(poses.torn_count, 0);
    sn_tree_model_destroy(&model);
    sn_world_destroy(world);
}

// The mean of given elements, in double and on the side of the first one.
static SnQuat mean_turn(const RodCopy *now, const RodCopy *rest, const int *elements, int count) {
    Quatd first = {0}, sum = {0};
    for (int k = 0; k < count; ++k) {
        int j = elements[k];
        Quatd t = mulqd(quatd(now->q[j]), conjugated(quatd(rest->q[j])));
        double w = distance(STAR[EDGES[2 * j]], STAR[EDGES[2 * j + 1]]);
        first = k == 0 ? t : first;
        w = t.x * first.x + t.y * first.y + t.z * first.z + t.w * first.w < 0.0 ? -w : w;
        sum = (Quatd){sum.x + w * t.x, sum.y + w * t.y, sum.z + w * t.z, sum.w + w * t.w};
    }
    return quatf(normalisedq(sum));
}

// Every segment of a star turned in its own way.
static void shake(SnWorld *world, SnBodyId body) {
    RodCopy c;
    Rng rng = {4};
    copy_rod(world, body, &c);
    for (int j = 0; j < c.segments; ++j) {
        SnVec3 a = rng_vec3(&rng, 1.0);
        SnQuat turn = turn_about((double)a.x, (double)a.y, (double)a.z, rng_real(&rng, 0.2, 1.0));
        c.q[j] = quatf(mulqd(quatd(turn), quatd(c.q[j])));
    }
    for (int i = 0; i < c.vertices; ++i)
        c.s[i] = rng_float(&rng, 0.7, 1.4);
    SnBodyState state = copy_arrays(&c);
    state.radii = NULL;
    assert_ok(sn_body_write(world, body, &state));
}

static const int AROUND[STAR_VERTICES][3] = {{0, 1, 2}, {0, 3}, {1}, {2}, {3}};
static const int AROUND_COUNT[STAR_VERTICES] = {3, 2, 1, 1, 1};
static const int NAMED[2 * STAR_VERTICES] = {2, 1, 0, -1, 1, -1, 3, -1, 3, 0};

static void bones_turn_with_the_mean_of_their_elements(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRodDef def = star_def();
    SnBodyId all = add_rod(world, &def);
    def.bone_segments = NAMED;
    SnBodyId some = add_rod(world, &def);
    static RodCopy rest, now;
    copy_rod(world, all, &rest);
    shake(world, all);
    shake(world, some);
    copy_rod(world, all, &now);
    SnPoses poses = poses_now(world);
    for (int i = 0; i < STAR_VERTICES; ++i) {
        SnQuat mean = mean_turn(&now, &rest, AROUND[i], AROUND_COUNT[i]);
        assert_below(angle_between(rotation_at(&poses, i), mean), 2e-6);
        const int *named = NAMED + 2 * i;
        mean = mean_turn(&now, &rest, named, named[1] < 0 ? 1 : 2);
        assert_below(angle_between(rotation_at(&poses, STAR_VERTICES + i), mean), 2e-6);
        assert_true(poses.scales[i] == now.s[i] && poses.radii[i] == now.radius[i]);
    }
    assert_true(angle_between(rotation_at(&poses, 1), rotation_at(&poses, STAR_VERTICES + 1)) >
                0.05);
    sn_world_destroy(world);
}

static void bone_segments_are_checked(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    int named[2 * STAR_VERTICES];
    SnRodDef def = star_def();
    def.bone_segments = named;
    const struct {
        int at, value;
        const char *message;
    } wrong[] = {{0, -1, "bone_segments[0]: -1 is not in [0, 4)"},
                 {3, -2, "bone_segments[3]: -2 is not in [-1, 4)"},
                 {8, STAR_EDGES, "bone_segments[8]: 4 is not in [0, 4)"}};
    for (int k = 0; k < 3; ++k) {
        memcpy(named, NAMED, sizeof named);
        def.stiff = k == 1;
        assert_ok(sn_rod_create(world, &def, NULL));
        named[wrong[k].at] = wrong[k].value;
        assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, wrong[k].message);
    }
    sn_world_destroy(world);
}

// 10 km out a float has steps of a millimetre. Nothing of that is in the bones.
static void bones_are_as_precise_far_away(void **state) {
    (void)state;
    for (int stiff = 0; stiff < 2; ++stiff) {
        SnWorld *world = weightless_world();
        SnVec3 x[8], start[8];
        line_of_points(x, 8, sn_vec3(0, 0, 0), sn_vec3(0.1f, 0, 0));
        for (int i = 0; i < 8; ++i)
            start[i] = sn_vec3(0.1f * sinf(0.3f * (float)i), 0.1f * (float)i, 0.0123f * (float)i);
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 8;
        def.positions = x;
        def.start_positions = start;
        def.stiff = stiff == 1;
        def.filter.mask = 0;
        add_rod(world, &def);
        def.origin[0] = 1e4 / 3.0;
        def.origin[2] = -1e5 / 7.0;
        add_rod(world, &def);
        SnPoses poses = poses_now(world);
        const PoseSystem *bones = &world->poses;
        for (int i = 0; i < 8; ++i) {
            assert_below(distance(bones->offsets[i], bones->offsets[8 + i]), 1e-7);
            assert_below(angle_between(rotation_at(&poses, i), rotation_at(&poses, 8 + i)), 1e-6);
            Vec3d out = addd(bones->origins[1], vec3d(bones->offsets[8 + i]));
            assert_below(distance(position_at(&poses, 8 + i), vec3f(out)), 2e-3);
        }
        assert_near(bones->origins[1].x - bones->origins[0].x, def.origin[0], 1e-7);
        assert_near(bones->origins[1].z - bones->origins[0].z, def.origin[2], 1e-7);
        sn_world_destroy(world);
    }
}

// A skin with weights of its own, against the sum written out.
static void skins_follow_the_bones(void **state) {
    (void)state;
    enum { POINTS = 40 };
    SnWorld *world = weightless_world();
    SnRodDef rod = star_def();
    SnBodyId bodies[2] = {add_rod(world, &rod), add_rod(world, &rod)};
    SnVec3 points[POINTS];
    int bones[SN_SKIN_BONES * POINTS];
    float weights[SN_SKIN_BONES * POINTS];
    Rng rng = {6};
    for (int i = 0; i < POINTS; ++i)
        points[i] = rng_vec3(&rng, 1.0);
    for (int k = 0; k < SN_SKIN_BONES * POINTS; ++k) {
        bones[k] = rng_int(&rng, 0, 2 * STAR_VERTICES - 1);
        weights[k] = rng_float(&rng, 0.1, 1.0);
    }
    SnSkinDef def = sn_default_skin_def();
    def.body_count = 2;
    def.bodies = bodies;
    def.vertex_count = POINTS;
    def.positions = points;
    def.bones = bones;
    def.weights = weights;
    assert_ok(sn_skin_create(world, &def, NULL));
    shake(world, bodies[0]);
    turn_body(world, bodies[1], turn_about(0.0, 1.0, 0.3, 0.8));
    SnSkinPoses skins;
    assert_ok(sn_world_skins(world, &skins));
    SnPoses poses = poses_now(world);
    for (int i = 0; i < POINTS; ++i) {
        Vec3d sum = {0};
        double total = 0.0;
        for (int k = SN_SKIN_BONES * i; k < SN_SKIN_BONES * (i + 1); ++k) {
            Vec3d arm = subd(vec3d(points[i]), vec3d(STAR[bones[k] % STAR_VERTICES]));
            arm = scaled(rotated(quatd(rotation_at(&poses, bones[k])), arm),
                         (double)poses.scales[bones[k]]);
            sum = addd(sum,
                       scaled(addd(vec3d(position_at(&poses, bones[k])), arm), (double)weights[k]));
            total += (double)weights[k];
        }
        const float *x = skins.positions + 3 * i;
        assert_below(distance(sn_vec3(x[0], x[1], x[2]), vec3f(scaled(sum, 1.0 / total))), 1e-6);
    }
    sn_world_destroy(world);
}

// A beam that stands out from a wall, too heavy for its joint there.
#define N 6
#define LENGTH 0.2f

static SnWorld *breaking_world(SnBodyId *out_rod, const int *bone_segments) {
    static SnVec3 x[N + 1];
    static float radii[N + 1];
    SnWorld *world = heavy_world();
    for (int i = 0; i <= N; ++i) {
        x[i] = sn_vec3(LENGTH * (float)i, 0.0f, 0.0f);
        radii[i] = 0.03f - 0.003f * (float)i;
    }
    SnRodDef def = stiff_def(x, N + 1, 0.0f);
    def.radii = radii;
    def.bone_segments = bone_segments;
    def.material.young = 1e9f;
    def.material.shear = 0.4e9f;
    def.material.strength = 3e5f;
    *out_rod = add_rod(world, &def);
    clamp(world, *out_rod, 0, 0);
    return world;
}

static void run_until_broken(SnWorld *world) {
    for (int n = 0; n < 100 && sn_world_measure(world).broken_joints == 0; ++n)
        assert_int_equal(sn_world_step(world, 0.01f, 2, 3), SN_STEP_OK);
    assert_true(sn_world_measure(world).broken_joints > 0);
}

// Where a segment's end is, by its other end, its frame and its length.
static void compare_with_segment(const SnPoses *poses, const SnTornEnd *torn, double tolerance) {
    const float *q = poses->frames + 4 * (size_t)torn->element;
    Vec3d along = axis_z((Quatd){(double)q[0], (double)q[1], (double)q[2], (double)q[3]});
    int far = poses->edges[2 * torn->element + 1 - torn->end];
    double reach = torn->end == 0 ? -(double)LENGTH : (double)LENGTH;
    Vec3d end = addd(vec3d(position_at(poses, far)), scaled(along, reach));
    assert_below(distance(torn->position, vec3f(end)), tolerance);
}

static void check_torn_ends(const int *bone_segments) {
    SnBodyId rod;
    SnWorld *world = breaking_world(&rod, bone_segments);
    assert_int_equal(poses_now(world).torn_count, 0);
    run_until_broken(world);
    SnPoses poses = poses_now(world); // in the very step
    assert_int_equal(poses.torn_count, sn_world_measure(world).broken_joints);
    for (int n = 0; n < 40; ++n)
        assert_int_equal(sn_world_step(world, 0.01f, 2, 3), SN_STEP_OK);
    poses = poses_now(world);
    assert_int_equal(poses.torn_count, sn_world_measure(world).broken_joints);
    for (int k = 0; k < poses.torn_count; ++k) {
        const SnTornEnd *torn = &poses.torn[k];
        assert_int_equal(torn->body, 0);
        assert_in_range(torn->end, 0, 1);
        assert_in_range(torn->element, k > 0 ? poses.torn[k - 1].element : 0, N - 1);
        compare_with_segment(&poses, torn, 1e-5);
        int point = poses.edges[2 * torn->element + torn->end];
        assert_near(torn->radius, poses.radii[point], 1e-6);
    }
    const SnTornEnd *first = &poses.torn[0];
    int point = poses.edges[2 * first->element + first->end];
    assert_int_equal(first->element, 1); // at the wall
    assert_true(distance(first->position, position_at(&poses, point)) > 0.1);
    // What fell off turns; the stub that it fell off does not.
    assert_below(angle_between(rotation_at(&poses, point), sn_quat_identity()), 1e-3);
    sn_world_destroy(world);
}

static void torn_ends_are_told_by_the_solver(void **state) {
    (void)state;
    int beside[2 * (N + 1)]; // the segments before and behind, which are all there are
    for (int i = 0; i <= N; ++i) {
        beside[2 * i] = i > 0 ? i - 1 : 0;
        beside[2 * i + 1] = i > 0 && i < N ? i : -1;
    }
    check_torn_ends(NULL);
    check_torn_ends(beside);
}

static void snapshots_tell_what_was_torn(void **state) {
    (void)state;
    SnBodyId rod;
    SnWorld *world = breaking_world(&rod, NULL);
    run_until_broken(world);
    SnPoses poses = poses_now(world);
    SnTornEnd torn = poses.torn[0];
    int count = poses.torn_count;
    size_t size = sn_world_snapshot_size(world);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_ok(sn_world_save(world, snapshot, size));
    SnWorld *other = breaking_world(&rod, NULL);
    assert_int_equal(poses_now(other).torn_count, 0);
    assert_ok(sn_world_restore(other, snapshot, size));
    poses = poses_now(other);
    assert_int_equal(poses.torn_count, count);
    assert_memory_equal(&poses.torn[0], &torn, sizeof torn);
    free(snapshot);
    sn_world_destroy(other);
    sn_world_destroy(world);
}

// Kept as long as nothing moves; told anew after everything that does.
static void poses_are_those_of_now(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnFrameId frame;
    SnBodyId rod = plain_rod(world, 4);
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    attach(world, rod, SN_ATTACH_VERTEX, 0, frame);
    SnPoses before = poses_now(world), again = poses_now(world);
    assert_ptr_equal(before.rotations, again.rotations);
    SnPose pose = {sn_vec3(0.0f, 0.01f, 0.0f), sn_quat_identity()};
    assert_ok(sn_frame_teleport(world, frame, pose));
    SnPoses poses = poses_now(world);
    assert_near(poses.positions[1], 0.01, 1e-7);
    turn_body(world, rod, turn_about(1.0, 0.0, 0.0, 0.5));
    poses = poses_now(world);
    assert_below(angle_between(rotation_at(&poses, 2), turn_about(1.0, 0.0, 0.0, 0.5)), 1e-5);
    assert_ok(sn_body_add_impulse(world, rod, 3, sn_vec3(0.0f, 0.0f, 1.0f)));
    float z = poses.positions[11];
    sn_world_step(world, 0.01f, 1, 5);
    poses = poses_now(world);
    assert_true(poses.positions[11] > z);
    plain_rod(world, 3);
    assert_int_equal(poses_now(world).point_count, 7);
    assert_ok(sn_body_destroy(world, rod));
    assert_int_equal(poses_now(world).point_count, 3);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_turn_with_their_body),
        cmocka_unit_test(bones_turn_with_the_mean_of_their_elements),
        cmocka_unit_test(bone_segments_are_checked),
        cmocka_unit_test(bones_are_as_precise_far_away),
        cmocka_unit_test(skins_follow_the_bones),
        cmocka_unit_test(torn_ends_are_told_by_the_solver),
        cmocka_unit_test(snapshots_tell_what_was_torn),
        cmocka_unit_test(poses_are_those_of_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
