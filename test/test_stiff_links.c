// Links of stiff rods: to each other, to soft rods, to frames that move. What they tie stays tied,
// and the momentum of free bodies stays theirs.
#include "stiff_kit.h"

static SnBodyId add_bar(SnWorld *world, float from, bool stiff, SnVec3 velocity) {
    static SnVec3 x[6];
    line_of_points(x, 6, sn_vec3(from, 0, 0), sn_vec3(0.1f, 0, 0));
    SnRodDef def = stiff_def(x, 6, 0.02f);
    def.stiff = stiff;
    def.material.young = 1e8f;
    def.material.shear = 4e7f;
    def.velocity = velocity;
    return add_rod(world, &def);
}

static SnLinkId tie(SnWorld *world, const SnLinkDef *def) {
    SnLinkId id;
    assert_ok(sn_link_create(world, def, &id));
    return id;
}

static SnVec3 point_of(const SnWorld *world, SnBodyPoint p) {
    SnVec3 a = vertex_at(world, p.body, p.element), b = vertex_at(world, p.body, p.element + 1);
    return sn_vec3(a.x + p.t * (b.x - a.x), a.y + p.t * (b.y - a.y), a.z + p.t * (b.z - a.z));
}

// Two free rods that fly apart, end to end or in the middle of a segment.
static void ties_keep_distance_and_momentum(void **state) {
    (void)state;
    for (int k = 0; k < 8; ++k) {
        bool soft = k & 1, apart = k & 2, inner = k & 4;
        SnWorld *world = weightless_world();
        float gap = apart ? 0.2f : 0.0f;
        SnBodyId a = add_bar(world, -0.5f, true, sn_vec3(0, 1, 0.2f));
        SnBodyId b = add_bar(world, gap, !soft, sn_vec3(0, 0, 0));
        SnLinkDef def = sn_default_link_def();
        def.length = 0.0f;
        def.a = (SnBodyPoint){a, inner ? 3 : 4, inner ? 0.5f : 1.0f};
        def.b = (SnBodyPoint){b, inner ? 1 : 0, inner ? 0.25f : 0.0f};
        SnVec3 from = point_of(world, def.a), to = point_of(world, def.b);
        def.length = (float)distance(from, to);
        tie(world, &def);
        SnMeasures before = sn_world_measure(world);
        double worst = 0.0, drift = 0.0;
        for (int n = 0; n < 120; ++n) {
            assert_int_equal(sn_world_step(world, DT, 8, 3), SN_STEP_OK);
            double now = distance(point_of(world, def.a), point_of(world, def.b));
            worst = fmax(worst, fabs(now - (double)def.length));
            SnMeasures m = sn_world_measure(world);
            for (int c = 0; c < 3; ++c)
                drift = fmax(drift, fabs(m.momentum[c] - before.momentum[c]));
            if (!(m.energy_kinetic + m.energy_elastic < 1.001 * before.energy_kinetic))
                fail_msg("case %d, step %d: %g J, from %g", k, n,
                         m.energy_kinetic + m.energy_elastic, before.energy_kinetic);
        }
        assert_below(worst, 0.004);
        assert_below(drift, 2e-5 * before.momentum[1]);
        assert_below(0.1, middle_of(world, b).v[1]); // it is pulled along
        sn_world_destroy(world);
    }
}

// A spring between two stiff rods, and a weak one: compliance and force are what they say.
static void soft_links_stretch_by_their_compliance(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId a = add_bar(world, 0.0f, true, sn_vec3(0, 0, 0));
    for (int i = 0; i < 5; ++i)
        pin(world, a, SN_ATTACH_SEGMENT, i);
    pin(world, a, SN_ATTACH_VERTEX, 0);
    SnBodyId b = add_bar(world, 0.5f, true, sn_vec3(0, 0, 0));
    SnRodMaterial m = sn_default_rod_material();
    m.drag = 2.0f;
    assert_ok(sn_rod_set_material(world, b, &m));
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    def.a = (SnBodyPoint){a, 4, 1.0f};
    def.b = (SnBodyPoint){b, 0, 0.0f};
    def.compliance = 0.02f;
    SnLinkId link = tie(world, &def);
    for (int n = 0; n < 900; ++n)
        assert_int_equal(sn_world_step(world, DT, 4, 3), SN_STEP_OK);
    double weight = rod_mass(world, b) * GRAVITY;
    double gap = distance(point_of(world, def.a), point_of(world, def.b));
    assert_near(gap / (0.02 * weight), 1.0, 0.02);
    SnVec3 force;
    assert_ok(sn_link_force(world, link, &force));
    assert_near(distance(force, sn_vec3(0, 0, 0)) / weight, 1.0, 0.02);
    sn_world_destroy(world);
}

// A bone that swings: by attachment, which is exact, and by a rigid link.
static void bones_carry_stiff_rods(void **state) {
    (void)state;
    for (int linked = 0; linked < 2; ++linked) {
        SnWorld *world = heavy_world();
        SnFrameId bone;
        assert_ok(sn_frame_create(world, sn_pose_identity(), &bone));
        SnBodyId rod = add_bar(world, 0.5f, true, sn_vec3(0, 0, 0));
        SnLinkDef def = sn_default_link_def();
        def.length = 0.0f;
        def.a = (SnBodyPoint){rod, 0, 0.0f};
        def.frame = bone;
        def.target = sn_vec3(0.5f, 0, 0);
        if (linked)
            tie(world, &def);
        else
            attach(world, rod, SN_ATTACH_VERTEX, 0, bone);
        double worst = 0.0;
        for (int n = 1; n <= 90; ++n) {
            double angle = 0.04 * n;
            SnPose pose = {sn_vec3(0, 0.01f * (float)n, 0), turn_about(0, 1, 0, angle)};
            assert_ok(sn_frame_set_target(world, bone, pose));
            assert_int_equal(sn_world_step(world, DT, 8, 3), SN_STEP_OK);
            SnVec3 at =
                sn_vec3(0.5f * (float)cos(angle), pose.position.y, -0.5f * (float)sin(angle));
            worst = fmax(worst, distance(vertex_at(world, rod, 0), at));
        }
        assert_below(worst, linked ? 0.003 : 1e-6);
        // After a link, joints gape until the next solve.
        assert_below(measures_of(world, rod).stretch_max, linked ? 1e-3 : 1e-9);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_keep_distance_and_momentum),
        cmocka_unit_test(soft_links_stretch_by_their_compliance),
        cmocka_unit_test(bones_carry_stiff_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
