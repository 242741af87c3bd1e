// A small birch, a willow and a pine from trunk to leaves at 40 ms steps: in a storm and after it,
// and let go from a bend.
#include "stiff_kit.h"

#include <stdlib.h>

#include "body/world.h"
#include "stiff/stiff.h"

#define STEP 0.04f
#define SEGMENTS 300

static SnSegmentDef segment_of(const SnTreeModel *model, int e) {
    if (model->leaf[e])
        return (SnSegmentDef){.young = 1.2e9f,
                              .shear = 0.6e9f,
                              .radius_x = 0.5f * model->leaf_widths[e],
                              .radius_y = 0.0002f};
    float radius = 0.5f * (model->base_radii[e] + model->radii[e + 1]);
    return (SnSegmentDef){.radius_x = radius, .radius_y = radius};
}

static SnBodyId grow(SnWorld *world, SnTreeKind kind, float damping) {
    SnTreeDef tree = sn_default_tree_def(kind);
    tree.segments = SEGMENTS;
    tree.seed = 3;
    SnTreeModel model;
    assert_ok(sn_tree_model(&tree, NULL, &model));
    static SnSegmentDef segments[SEGMENTS];
    for (int e = 0; e < model.edge_count; ++e)
        segments[e] = segment_of(&model, e);
    SnRodDef def = stiff_def(model.positions, model.vertex_count, 0.01f);
    def.radii = model.radii;
    def.edges = model.edges;
    def.edge_count = model.edge_count;
    def.frames = model.frames;
    def.segments = segments;
    def.material.young = 12.5e9f;
    def.material.shear = 6.5e9f;
    def.material.damping = damping;
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    sn_tree_model_destroy(&model);
    return rod;
}

static SnFieldId add_wind(SnWorld *world, SnFieldDef *wind) {
    *wind = sn_default_field_def();
    wind->kind = SN_FIELD_WIND;
    wind->strength = 25.0f;
    wind->direction = sn_vec3(1, 0, 0.3f);
    wind->gust = 0.5f;
    wind->gust_period = 3.0f;
    wind->turbulence = 0.2f;
    wind->eddy = 4.0f;
    SnFieldId field;
    assert_ok(sn_field_create(world, wind, &field));
    return field;
}

// The widest that any joint gapes, m.
static double widest_gap(SnWorld *world) {
    const StiffSystem *trees = sn__world_system(world, &sn__stiff_kind);
    double widest = 0.0;
    for (int k = 0; k < trees->grove_count; ++k) {
        const StiffGrove *grove = &trees->groves[k];
        for (int i = 0; i < grove->rod_count; ++i) {
            const StiffRod *t = grove->rods[i];
            for (int j = 0; j < t->joints; ++j) {
                const StiffJoint *joint = &t->joint[j];
                StiffPose a = sn__stiff_pose(t, joint->a), b = sn__stiff_pose(t, joint->b);
                Vec3d on_a = addd(a.x, scaled(axis_z(a.q), joint->end_a));
                Vec3d on_b = addd(b.x, scaled(axis_z(b.q), joint->end_b));
                widest = fmax(widest, lengthd(subd(on_a, on_b)));
            }
        }
    }
    return widest;
}

// A comparison that is false for what is not a number.
static void assert_whole(SnWorld *world, SnBodyId rod, int n) {
    static Big big;
    assert_ok(sn_body_read(world, rod, &(SnBodyState){.positions = big.x, .velocities = big.v}));
    for (int i = 0; i < sn_body_point_count(world, rod); ++i)
        if (!(distance(big.x[i], sn_vec3(0, 0, 0)) < 20.0 &&
              distance(big.v[i], sn_vec3(0, 0, 0)) < 200.0))
            fail_msg("step %d: vertex %d is at %g %g %g", n, i, (double)big.x[i].x,
                     (double)big.x[i].y, (double)big.x[i].z);
    double gap = widest_gap(world);
    if (!(gap < 1e-9))
        fail_msg("step %d: a joint gapes by %g m", n, gap);
}

static double energy_of(SnWorld *world, SnBodyId rod) {
    SnMeasures m = measures_of(world, rod);
    return m.energy_kinetic + m.energy_elastic + m.energy_gravity;
}

// Ten seconds of wind, then none.
static void storms_pass(void **state) {
    (void)state;
    for (int kind = SN_TREE_BIRCH; kind <= SN_TREE_PINE; ++kind) {
        SnWorld *world = heavy_world();
        SnBodyId rod = grow(world, (SnTreeKind)kind, 0.01f);
        SnFieldDef wind;
        SnFieldId field = add_wind(world, &wind);
        double fastest = 0.0;
        for (int n = 0; n < 250; ++n) {
            assert_int_equal(sn_world_step(world, STEP, 1, 3), SN_STEP_OK);
            assert_whole(world, rod, n);
            fastest = fmax(fastest, measures_of(world, rod).speed_max);
        }
        assert_below(2.0, fastest); // it was shaken
        assert_ok(sn_field_destroy(world, field));
        for (int n = 250; n < 1000; ++n) {
            assert_int_equal(sn_world_step(world, STEP, 1, 3), SN_STEP_OK);
            assert_whole(world, rod, n);
        }
        assert_below(measures_of(world, rod).speed_max, 1e-6);
        sn_world_destroy(world);
    }
}

// Pulled aside and let go. Nothing damps it but the step itself.
static void energy_never_grows(void **state) {
    (void)state;
    for (int kind = SN_TREE_BIRCH; kind <= SN_TREE_PINE; ++kind) {
        SnWorld *world = heavy_world();
        SnBodyId rod = grow(world, (SnTreeKind)kind, 0.0f);
        // Where the branches are heavy, and some leaves.
        for (int n = 0; n < 50; ++n) {
            for (int i = 5; i < SEGMENTS; i += 10)
                assert_ok(sn_body_add_force(world, rod, i, sn_vec3(0.5f, 0.0f, 0.2f)));
            assert_int_equal(sn_world_step(world, STEP, 1, 3), SN_STEP_OK);
        }
        double first = energy_of(world, rod), last = first;
        for (int n = 0; n < 400; ++n) {
            assert_int_equal(sn_world_step(world, STEP, 1, 3), SN_STEP_OK);
            double now = energy_of(world, rod);
            if (!(now <= last + 1e-12 * first))
                fail_msg("step %d: energy grows from %.12g to %.12g J", n, last, now);
            last = now;
        }
        assert_below(last, 0.99 * first);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storms_pass),
        cmocka_unit_test(energy_never_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
