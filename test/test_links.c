// Links: between rods, to frames and to the world; rigid, ropes, soft, weak. And colliders that move.
#include "rigid_kit.h"

static SnLinkDef link_def(SnBodyId rod, int segment, float t) {
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    def.a = (SnBodyPoint){rod, segment, t};
    return def;
}

static SnLinkId add_link(SnWorld *world, const SnLinkDef *def) {
    SnLinkId id;
    assert_ok(sn_link_create(world, def, &id));
    return id;
}

// A short rod, upright, whose top is at `top`.
static SnBodyId add_hanging(SnWorld *world, SnVec3 top) {
    SnVec3 x[5];
    SnRodDef def =
        line_def(x, 5, sn_vec3(top.x, top.y - 0.1f, top.z), sn_vec3(0, -1, 0), 0.2f, 0.03f);
    def.material.drag = 2.0f;
    return add_rod(world, &def);
}

static SnVec3 top_of(const SnWorld *world, SnBodyId rod) {
    static RodCopy now;
    copy_rod(world, rod, &now);
    return now.x[0];
}

static void a_rigid_link_holds_a_point(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId rod = add_hanging(world, sn_vec3(0, 1, 0));
    SnLinkDef def = link_def(rod, 0, 0.0f);
    def.target = sn_vec3(0, 1, 0);
    SnLinkId link = add_link(world, &def);
    run_steps(world, 120, 10);
    assert_near(distance(top_of(world, rod), def.target), 0.0, 0.001);
    SnVec3 force;
    assert_ok(sn_link_force(world, link, &force));
    double weight = rod_mass(world, rod) * GRAVITY;
    assert_near(fabs((double)force.y), weight, 0.05 * weight);
    assert_near(force.x, 0.0, 0.05 * weight);

    assert_ok(sn_link_set_target(world, link, sn_vec3(0.05f, 1, 0)));
    run_steps(world, 1, 10);
    assert_near(distance(top_of(world, rod), sn_vec3(0.05f, 1, 0)), 0.0, 0.005);

    assert_ok(sn_link_destroy(world, link));
    assert_int_equal(sn_link_destroy(world, link).code, SN_ERROR_STALE);
    run_steps(world, 60, 10);
    assert_below(top_of(world, rod).y, 0.0);
    sn_world_destroy(world);
}

static void a_rope_holds_only_what_is_farther(void **state) {
    (void)state;
    for (int rope = 0; rope < 2; ++rope) {
        SnWorld *world = heavy_world();
        SnBodyId rod = add_hanging(world, sn_vec3(0, 1, 0));
        SnLinkDef def = link_def(rod, 0, 0.0f);
        def.target = sn_vec3(0, 1.2f, 0);
        def.length = 0.5f;
        def.rope = rope;
        SnLinkId link = add_link(world, &def);
        run_steps(world, 5, 10);
        // A rope of half a metre is slack at 20 cm; a rod of that length pushes.
        double apart = distance(top_of(world, rod), def.target);
        SnVec3 force;
        assert_ok(sn_link_force(world, link, &force));
        if (rope) {
            assert_near(apart, 0.2 + 0.5 * GRAVITY * 0.00694, 0.01);
            assert_near(distance(force, sn_vec3(0, 0, 0)), 0.0, 1e-6);
        } else {
            assert_near(apart, 0.5, 0.005);
        }
        run_steps(world, 180, 10);
        assert_near(distance(top_of(world, rod), def.target), 0.5, 0.005);
        sn_world_destroy(world);
    }
}

static void a_soft_link_stretches_by_its_compliance(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId rod = add_hanging(world, sn_vec3(0, 1, 0));
    SnLinkDef def = link_def(rod, 0, 0.0f);
    def.target = sn_vec3(0, 1, 0);
    def.compliance = 0.02f;
    add_link(world, &def);
    run_steps(world, 300, 10);
    double expected = 0.02 * rod_mass(world, rod) * GRAVITY;
    assert_near(distance(top_of(world, rod), def.target), expected, 0.1 * expected);
    sn_world_destroy(world);
}

static void a_weak_link_holds_as_much_as_it_can(void **state) {
    (void)state;
    for (int enough = 0; enough < 2; ++enough) {
        SnWorld *world = heavy_world();
        SnBodyId rod = add_hanging(world, sn_vec3(0, 1, 0));
        double weight = rod_mass(world, rod) * GRAVITY;
        SnLinkDef def = link_def(rod, 0, 0.0f);
        def.target = sn_vec3(0, 1, 0);
        def.max_force = (float)(weight * (enough ? 1.5 : 0.5));
        SnLinkId link = add_link(world, &def);
        run_steps(world, 60, 10);
        double apart = distance(top_of(world, rod), def.target);
        SnVec3 force;
        assert_ok(sn_link_force(world, link, &force));
        if (enough)
            assert_near(apart, 0.0, 0.01);
        else
            assert_true(apart > 0.5); // falls at half of g, but for the drag
        assert_true(distance(force, sn_vec3(0, 0, 0)) <= 1.01 * (double)def.max_force);
        sn_world_destroy(world);
    }
}

// A ball that is twice as heavy as what its link bears falls; that is no link torn.
static void what_a_link_may_not_bear_is_not_torn(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnVec3 x[11];
    line_of_points(x, 11, sn_vec3(0, 1, 0), sn_vec3(0.1f, 0, 0));
    SnRodDef def = sn_default_rod_def();
    def.positions = x;
    def.vertex_count = 11;
    def.radius = 0.02f;
    SnBodyId rod = add_rod(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    pin(world, rod, SN_ATTACH_VERTEX, 10);
    SnRigidPart part;
    SnRigidDef ball_is = ball_def(&part, sn_vec3(0.5f, 0.5f, 0), 0.1f);
    ball_is.mass = 4.0f;
    SnBodyId ball = add_rigid(world, &ball_is);
    double weight = 4.0 * GRAVITY;
    SnLinkDef weak = sn_default_link_def();
    weak.a = (SnBodyPoint){rod, 5, 0.0f};
    weak.b = (SnBodyPoint){ball, 0, 0.0f};
    weak.max_force = (float)(0.5 * weight);
    SnLinkId link = add_link(world, &weak);
    for (int step = 0; step < 60; ++step)
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
    SnVec3 force;
    assert_ok(sn_link_force(world, link, &force));
    assert_near(force.y, -0.5 * weight, 0.01 * weight);
    assert_below(rigid_state(world, ball).centre.y, -1.0);
    sn_world_destroy(world);
}

// Four slings draw a crate up to the end of a rope, by 5 cm/s: the crate goes as their lengths do, not by a jerk in
// each step's first sub-step.
static void slings_that_shorten_lift_evenly(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnVec3 top = {0, 0.91f, 0}, x[20];
    line_of_points(x, 20, sn_vec3(0, 2.81f, 0), sn_vec3(0, -0.1f, 0));
    SnRodDef rope_def = sn_default_rod_def();
    rope_def.positions = x;
    rope_def.vertex_count = 20;
    rope_def.radius = 0.02f;
    rope_def.stiff = true;
    assert_ok(sn_rod_material_named("rope", &rope_def.material));
    SnBodyId rope = add_rod(world, &rope_def);
    pin(world, rope, SN_ATTACH_VERTEX, 0);
    SnRigidPart parts[4];
    for (int k = 0; k < 4; ++k) {
        float px = k < 2 ? -0.2f : 0.2f, z = k % 2 ? -0.2f : 0.2f;
        parts[k] = sn_rigid_pill(sn_vec3(px, -0.2f, z), sn_vec3(px, 0.2f, z), 0.1f);
    }
    SnRigidDef crate_def = sn_default_rigid_def();
    crate_def.parts = parts;
    crate_def.part_count = 4;
    crate_def.pose.position = sn_vec3(0, 0.31f, 0);
    crate_def.mass = 40.0f;
    SnBodyId crate = add_rigid(world, &crate_def);
    SnLinkId slings[4];
    for (int k = 0; k < 4; ++k) {
        SnLinkDef def = sn_default_link_def();
        def.a = (SnBodyPoint){rope, 18, 1.0f};
        def.b = (SnBodyPoint){crate, k, 1.0f};
        def.rope = def.ignore = true;
        slings[k] = add_link(world, &def);
    }
    double across = hypot(0.2, 0.2), length = hypot(across, 0.4);
    for (int step = 1; step <= 180; ++step) {
        double now = length - 0.05 * step / 60.0;
        for (int k = 0; k < 4; ++k)
            assert_ok(sn_link_set_length(world, slings[k], (float)now));
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 20, 1), SN_STEP_OK);
        double rise = sqrt(now * now - across * across);
        SnRigidState is = rigid_state(world, crate);
        if (step < 5) // it takes the load up
            continue;
        assert_near(is.velocity.y, 0.05 * now / rise, 0.005);
        assert_near((double)is.centre.y + 0.2, (double)top.y - rise, 0.003);
    }
    sn_world_destroy(world);
}

// Two free rods tied together: a pull on one moves both, and their momentum is all there is.
static void a_link_ties_two_rods(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnVec3 x[5];
    SnRodDef def = line_def(x, 5, sn_vec3(-0.3f, 0, 0), sn_vec3(1, 0, 0), 0.4f, 0.03f);
    def.velocity = sn_vec3(0, 1, 0);
    SnBodyId a = add_rod(world, &def);
    line_of_points(x, 5, sn_vec3(0.1f, 0, 0), sn_vec3(0.1f, 0, 0));
    def.velocity = sn_vec3(0, 0, 0);
    SnBodyId b = add_rod(world, &def);
    SnLinkDef tie = link_def(a, 3, 1.0f);
    tie.b = (SnBodyPoint){b, 0, 0.0f};
    tie.length = 0.2f;
    add_link(world, &tie);
    SnMeasures before = sn_world_measure(world);
    for (int n = 0; n < 60; ++n) {
        run_steps(world, 1, 10);
        RodCopy ra, rb;
        copy_rod(world, a, &ra);
        copy_rod(world, b, &rb);
        assert_near(distance(ra.x[4], rb.x[0]), 0.2, 0.004);
        SnMeasures now = sn_world_measure(world);
        for (int c = 0; c < 3; ++c)
            assert_near(now.momentum[c], before.momentum[c], 2e-5 * before.momentum[1]);
        assert_true(now.energy_kinetic <= before.energy_kinetic * 1.001);
    }
    assert_true(middle_of(world, b).v[1] > 0.1);
    sn_world_destroy(world);
}

static void a_link_follows_its_frame(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    SnBodyId rod = add_hanging(world, sn_vec3(0.5f, 1, 0));
    SnLinkDef def = link_def(rod, 0, 0.0f);
    def.frame = frame;
    def.target = sn_vec3(0.5f, 1, 0);
    add_link(world, &def);
    for (int n = 0; n < 60; ++n) {
        double angle = 0.02 * (n + 1);
        SnPose pose = {sn_vec3(0, 0.01f * (float)(n + 1), 0), turn_about(0, 1, 0, angle)};
        assert_ok(sn_frame_set_target(world, frame, pose));
        run_steps(world, 1, 10);
        SnVec3 at =
            sn_vec3(0.5f * (float)cos(angle), 1.0f + pose.position.y, -0.5f * (float)sin(angle));
        assert_near(distance(top_of(world, rod), at), 0.0, 0.003);
    }
    sn_world_destroy(world);
}

static void links_go_with_their_rods_and_refuse_nonsense(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId a = add_hanging(world, sn_vec3(0, 1, 0)), b = add_hanging(world, sn_vec3(1, 1, 0));
    SnLinkDef def = link_def(a, 0, 0.0f);
    def.b = (SnBodyPoint){b, 0, 0.0f};
    def.length = 1.0f;
    SnLinkId link = add_link(world, &def);
    assert_ok(sn_body_destroy(world, b));
    run_steps(world, 10, 4);
    SnVec3 force;
    assert_int_equal(sn_link_force(world, link, &force).code, SN_ERROR_STALE);

    SnLinkDef bad = def; // names a rod that is gone
    assert_int_equal(sn_link_create(world, &bad, &link).code, SN_ERROR_STALE);
    bad = link_def(a, 99, 0.0f);
    assert_int_equal(sn_link_create(world, &bad, &link).code, SN_ERROR_INVALID);
    bad = link_def(a, 0, 1.5f);
    assert_int_equal(sn_link_create(world, &bad, &link).code, SN_ERROR_INVALID);
    bad = link_def(a, 0, 0.5f);
    bad.compliance = -1.0f;
    assert_int_equal(sn_link_create(world, &bad, &link).code, SN_ERROR_INVALID);
    bad = link_def(a, 0, 0.5f);
    bad.target.x = NAN;
    assert_int_equal(sn_link_create(world, &bad, &link).code, SN_ERROR_INVALID);
    bad = link_def(a, 0, 0.5f);
    bad.cookie = 0;
    assert_int_equal(sn_link_create(world, &bad, &link).code, SN_ERROR_INVALID);
    sn_world_destroy(world);
}

// A plate that closes on a row of rods at 3 m/s, thinner than its way in one step.
static void a_moving_collider_pushes_and_never_passes(void **state) {
    (void)state;
    const SnColliderKind kinds[] = {SN_COLLIDER_BOX, SN_COLLIDER_PILL, SN_COLLIDER_SPHERE,
                                    SN_COLLIDER_PLANE};
    for (int k = 0; k < 4; ++k) {
        SnWorld *world = weightless_world();
        SnFrameId frame;
        SnPose pose = {sn_vec3(-0.5f, 0, 0), sn_quat_identity()};
        assert_ok(sn_frame_create(world, pose, &frame));
        SnColliderDef def = collider_def(kinds[k], sn_vec3(0, 0, 0), 0.5f);
        def.frame = frame;
        def.half_size = sn_vec3(0.01f, 0.5f, 0.5f);
        def.radius_a = def.radius_b = kinds[k] == SN_COLLIDER_SPHERE ? 0.3f : 0.01f;
        def.a = sn_vec3(0, -0.5f, 0);
        def.b = sn_vec3(0, 0.5f, 0);
        if (kinds[k] == SN_COLLIDER_PLANE)
            def.pose.rotation = turn_about(0, 0, 1, -0.5 * SUPPORT_PI);
        if (kinds[k] == SN_COLLIDER_SPHERE)
            def.pose.position.x = -0.3f;
        add_collider(world, &def);
        SnVec3 x[9];
        SnRodDef rod_def = line_def(x, 9, sn_vec3(0, 0, 0), sn_vec3(0, 0, 1), 0.8f, 0.02f);
        rod_def.material.drag = 1.0f;
        SnBodyId rod = add_rod(world, &rod_def);
        for (int n = 0; n < 40; ++n) {
            pose.position.x += 0.05f;
            assert_ok(sn_frame_set_target(world, frame, pose));
            run_steps(world, 1, 8);
        }
        RodCopy now;
        copy_rod(world, rod, &now);
        // In front of it still, where it was hit.
        if (!(now.x[4].x > pose.position.x))
            fail_msg("collider kind %d at %g passed the rod at %g", (int)kinds[k],
                     (double)pose.position.x, (double)now.x[4].x);
        sn_world_destroy(world);
    }
}

// What cannot move against itself has nothing to link; two points of a rod have.
static void links_to_oneself_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRigidPart part = sn_rigid_pill(sn_vec3(2, 0, 0), sn_vec3(3, 0, 0), 0.1f);
    SnRigidDef rigid = sn_default_rigid_def();
    rigid.part_count = 1;
    rigid.parts = &part;
    SnBodyId rod = plain_rod(world, 4), pill = add_rigid(world, &rigid);
    SnLinkDef def = link_def(pill, 0, 0.0f);
    def.b = (SnBodyPoint){pill, 0, 1.0f};
    assert_error(sn_link_create(world, &def, NULL), SN_ERROR_INVALID,
                 "points of the same rigid body");
    def = link_def(rod, 1, 0.5f);
    def.b = def.a;
    assert_error(sn_link_create(world, &def, NULL), SN_ERROR_INVALID, "the same point");
    def.a = (SnBodyPoint){rod, 0, 1.0f};
    def.b = (SnBodyPoint){rod, 1, 0.0f};
    assert_error(sn_link_create(world, &def, NULL), SN_ERROR_INVALID, "the same point");
    def.b.t = 0.5f;
    add_link(world, &def);
    def.b = (SnBodyPoint){pill, 0, 0.0f};
    add_link(world, &def);
    sn_world_destroy(world);
}

// A floor that moves sideways takes with it what lies on it.
static void a_moving_floor_carries_by_friction(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnFrameId frame;
    SnPose pose = sn_pose_identity();
    assert_ok(sn_frame_create(world, pose, &frame));
    SnColliderDef def = collider_def(SN_COLLIDER_BOX, sn_vec3(0, -0.1f, 0), 0.5f);
    def.half_size = sn_vec3(2, 0.1f, 2);
    def.frame = frame;
    add_collider(world, &def);
    SnVec3 x[9];
    SnRodDef rod_def = line_def(x, 9, sn_vec3(0, 0.041f, 0), sn_vec3(1, 0, 0), 0.8f, 0.04f);
    SnBodyId rod = add_rod(world, &rod_def);
    run_steps(world, 30, 10);
    for (int n = 0; n < 60; ++n) {
        pose.position.x += 0.01f;
        assert_ok(sn_frame_set_target(world, frame, pose));
        run_steps(world, 1, 10);
    }
    Middle m = middle_of(world, rod);
    assert_near(m.v[0], 0.6, 0.03);
    assert_near(m.x[0], 0.6, 0.06);
    sn_world_destroy(world);
}

static void links_are_read_back(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = add_hanging(world, sn_vec3(0, 0, 0));
    SnLinkDef defs[2] = {link_def(rod, 0, 0.0f), link_def(rod, 1, 0.5f)};
    SnLinkId ids[2], id = {0, 0};
    defs[0].target = sn_vec3(1, 0, 0);
    defs[1].target = sn_vec3(0, 2, 0);
    defs[1].length = 0.5f;
    defs[1].rope = true;
    defs[1].max_force = 3.0f;
    SnVec3 top = top_of(world, rod);
    for (int k = 0; k < 2; ++k)
        ids[k] = add_link(world, &defs[k]);
    for (int k = 0; k < 2; ++k) {
        SnLinkDef def;
        id = sn_world_next_link(world, id);
        assert_int_equal(id.index, ids[k].index);
        assert_ok(sn_link_read(world, id, &def));
        assert_memory_equal(&def.a, &defs[k].a, sizeof def.a);
        assert_memory_equal(&def.target, &defs[k].target, sizeof def.target);
        assert_true(def.length == defs[k].length && def.rope == defs[k].rope);
        assert_true(def.max_force == defs[k].max_force && def.compliance == 0.0f);
        assert_ok(sn_link_create(world, &def, NULL));
    }
    float gap;
    assert_ok(sn_link_gap(world, ids[0], &gap));
    assert_near(gap, hypot((double)top.x - 1.0, hypot((double)top.y, (double)top.z)), 1e-5);
    assert_ok(sn_link_destroy(world, ids[0]));
    assert_int_equal(sn_link_gap(world, ids[0], &gap).code, SN_ERROR_STALE);
    assert_int_equal(sn_world_next_link(world, ids[0]).index, 0);
    assert_int_equal(sn_world_next_link(world, (SnLinkId){0, 0}).index, ids[1].index);
    sn_world_destroy(world);
}

// A pill hangs on a held rod by its end and is thrown about: a force at its axis does not turn it about that.
static void what_swings_on_a_link_does_not_spin_about_itself(void **state) {
    (void)state;
    SnVec3 x[6];
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    line_of_points(x, 6, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.012f, 0.0f, 0.0f));
    SnRodDef rod = sn_default_rod_def();
    rod.solver = SN_SOLVER_DIRECT;
    rod.vertex_count = 6;
    rod.positions = x;
    rod.radius = 0.006f;
    rod.material.young = 2.7e6f;
    rod.filter.mask = 0;
    SnBodyId rope, pill;
    assert_ok(sn_rod_create(world, &rod, &rope));
    pin(world, rope, SN_ATTACH_VERTEX, 0);
    SnRigidPart part = sn_rigid_pill(x[5], sn_vec3(0.085f, 0.0f, 0.0f), 0.006f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.mass = 0.07f;
    def.velocity = sn_vec3(0.0f, 0.0f, 1.0f);
    def.filter.mask = 0;
    assert_ok(sn_rigid_create(world, &def, &pill));
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = (SnBodyPoint){rope, 4, 1.0f};
    link.b = (SnBodyPoint){pill, 0, 0.0f};
    assert_ok(sn_link_create(world, &link, NULL));
    for (int n = 0; n < 600; ++n) {
        sn_world_step(world, 1.0f / 60.0f, 10, 1);
        SnRigidState now;
        assert_ok(sn_rigid_read(world, pill, &now));
        SnVec3 axis = sn_quat_rotate(now.pose.rotation, sn_vec3(1.0f, 0.0f, 0.0f));
        assert_below(fabs((double)sn_vec3_dot(axis, now.angular_velocity)), 1.0);
    }
    sn_world_destroy(world);
}

// Left out, the length is what there is, in C as in scenes; points that touch are one.
static void a_link_keeps_the_distance_there_is(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = plain_rod(world, 4);
    SnVec3 x[4];
    SnBodyState read = {.positions = x};
    assert_ok(sn_body_read(world, rod, &read));
    SnLinkDef def = sn_default_link_def();
    assert_true(def.length == SN_LINK_KEEP);
    def.a = (SnBodyPoint){rod, 2, 1.0f};
    def.target = sn_vec3(x[3].x, x[3].y + 0.25f, x[3].z);
    SnLinkId id;
    float gap;
    assert_ok(sn_link_create(world, &def, &id));
    assert_ok(sn_link_gap(world, id, &gap));
    assert_below(fabs((double)gap), 1e-6);
    SnLinkDef made;
    assert_ok(sn_link_read(world, id, &made));
    assert_below(fabs((double)made.length - 0.25), 1e-6);
    def.target = x[3];
    assert_ok(sn_link_create(world, &def, &id));
    assert_ok(sn_link_read(world, id, &made));
    assert_true(made.length == 0.0f);
    def.length = -0.5f;
    assert_error(sn_link_create(world, &def, &id), SN_ERROR_INVALID, "length");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_link_holds_a_point),
        cmocka_unit_test(a_rope_holds_only_what_is_farther),
        cmocka_unit_test(a_soft_link_stretches_by_its_compliance),
        cmocka_unit_test(a_weak_link_holds_as_much_as_it_can),
        cmocka_unit_test(what_a_link_may_not_bear_is_not_torn),
        cmocka_unit_test(slings_that_shorten_lift_evenly),
        cmocka_unit_test(a_link_ties_two_rods),
        cmocka_unit_test(a_link_follows_its_frame),
        cmocka_unit_test(links_to_oneself_are_refused),
        cmocka_unit_test(links_go_with_their_rods_and_refuse_nonsense),
        cmocka_unit_test(a_moving_collider_pushes_and_never_passes),
        cmocka_unit_test(a_moving_floor_carries_by_friction),
        cmocka_unit_test(links_are_read_back),
        cmocka_unit_test(a_link_keeps_the_distance_there_is),
        cmocka_unit_test(what_swings_on_a_link_does_not_spin_about_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
