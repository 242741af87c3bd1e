// Muscles under their weight come to rest, whatever damps them and whichever way they hang.
#include "muscle_kit.h"

static double speed_after(Spindle *s, SnVec3 gravity, double seconds) {
    create_spindle(s, make_world(gravity));
    step_spindle(s, (int)(60.0 * seconds));
    double speed = sn_world_measure(s->world).speed_max;
    sn_world_destroy(s->world);
    return speed;
}

static const SnVec3 ALONG = {0.0f, 0.0f, -9.81f}, ACROSS = {9.81f, 0.0f, 0.0f};

// The weight of a soft muscle pushes its stiff tendon by more than the tendon withstands in shear. Dampers
// that remember the tension in the axes of a frame shake it, up to 5 m/s.
static void damped_muscles_on_tendons_rest(void **test) {
    (void)test;
    static Spindle s;
    const float damping[4] = {0.03f, 0.05f, 0.2f, 1.0f};
    for (int k = 0; k < 12; ++k) {
        describe_spindle(&s, k < 8 ? 8 : 3, 9, 0.6);
        s.def.tendon = 0.1f;
        s.def.material.damping = damping[k % 4];
        // Three fibres are about to buckle, and take their time.
        assert_below(speed_after(&s, k % 8 < 4 ? ALONG : ACROSS, 6.0), k < 8 ? 1e-4 : 5e-3);
    }
}

// A bent muscle stays as it is when a step begins: frames, which are means of two sections, tell another
// turn of a section than its vertices do. Where they were believed, it had 0.02 m/s for ever.
static void bent_muscles_rest(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k < 4; ++k) {
        describe_spindle(&s, 8, 9, k < 2 ? 0.6 : 0.0);
        s.def.tendon = k % 2 ? 0.1f : 0.0f;
        s.def.material.damping = 0.0f;
        s.def.material.drag = 10.0f;
        assert_below(speed_after(&s, ACROSS, 6.0), 2e-4);
    }
}

static void hang_plate(const Spindle *s, float mass) {
    RodCopy copy;
    copy_rod(s->world, s->muscle, &copy);
    SnRigidPart parts[8] = {0};
    for (int k = 0; k < s->shape.rods; ++k) {
        SnVec3 at = copy.x[bundle_vertex(&s->shape, k, 8)];
        parts[k] = (SnRigidPart){.a = at, .b = at, .radius_a = 0.005f, .radius_b = 0.005f};
    }
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = s->shape.rods;
    def.parts = parts;
    def.mass = mass;
    def.drag = 5.0f;
    def.filter.mask = 0;
    SnBodyId plate;
    assert_ok(sn_rigid_create(s->world, &def, &plate));
    for (int k = 0; k < s->shape.rods; ++k) {
        SnLinkDef link = sn_default_link_def();
        link.a = (SnBodyPoint){s->muscle, 8 * k + 7, 1.0f};
        link.b = (SnBodyPoint){plate, k, 0.0f};
        assert_ok(sn_link_create(s->world, &link, NULL));
    }
}

// A rigid plate at the free end, by all of its fibres. The muscle gets longer and thinner, and the plate does not.
// Where the end section still spread, links and plate spun each other up to thousands of metres per second.
static void plates_hang_from_muscles(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k < 4; ++k) {
        describe_spindle(&s, k < 2 ? 8 : 3, 9, 0.6);
        s.def.tendon = k % 2 ? 0.1f : 0.0f;
        s.def.material.drag = 2.0f;
        s.def.insertion_free = true;
        create_spindle(&s, make_world(sn_vec3(0.0f, 0.0f, 9.81f))); // z is down
        hang_plate(&s, 2.0f);
        step_spindle(&s, 360);
        assert_below(sn_world_measure(s.world).speed_max, 0.5);
        sn_world_destroy(s.world);
    }
}

// Strong muscles at once with all they have, free, with a weight, or while their bones come nearer. What they pull with
// depends on how fast they are; where that was found once per step, they were thrown about at 10 to 100 m/s.
static void describe_pulling(Spindle *s, int k) {
    const float stress[3] = {1e5f, 3e5f, 1e6f};
    describe_spindle(s, 8, 9, 0.6);
    s->def.drive = k < 3 ? SN_MUSCLE_HILL : SN_MUSCLE_FORCE;
    s->def.stress = stress[k % 3];
    s->def.tendon = 0.1f;
}

static void expect_calm(Spindle *s, double volume, double speed) {
    for (int n = 0; n < 120; ++n) {
        step_spindle(s, 1);
        assert_near(read_muscle(s).volume / volume, 1.0, 0.03);
    }
    for (int n = 0; n < 30; ++n) {
        step_spindle(s, 1);
        assert_below(sn_world_measure(s->world).speed_max, speed);
    }
}

static void free_muscles_pull_themselves_short(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k < 6; ++k) {
        describe_pulling(&s, k);
        s.def.insertion_free = true;
        create_spindle(&s, weightless_world());
        double volume = (double)read_muscle(&s).volume;
        assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
        expect_calm(&s, volume, 0.05);
        assert_below(read_muscle(&s).length, 0.14);
        sn_world_destroy(s.world);
    }
}

static void bones_come_nearer(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k < 6; ++k) {
        describe_pulling(&s, k);
        create_spindle(&s, weightless_world());
        double volume = (double)read_muscle(&s).volume;
        assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
        for (int n = 1; n <= 60; ++n) { // to three fifths, and at an angle
            SnPose pose = sn_pose_identity();
            pose.position = sn_vec3(0.0f, (float)(5e-4 * n), (float)(0.2 - 0.0014 * n));
            assert_ok(sn_frame_set_target(s.world, s.insertion, pose));
            step_spindle(&s, 1);
        }
        expect_calm(&s, volume, 0.05);
        sn_world_destroy(s.world);
    }
}

// Soft sections: fibres are swept, and have nothing but a rest length to pull with. With a force that stays when they
// get shorter, they tore themselves apart at once, to thousands of times their length.
static void soft_muscles_pull_and_stay_whole(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k < 6; ++k) {
        describe_spindle(&s, 8, 9, 0.6);
        s.def.drive = k < 3 ? SN_MUSCLE_FORCE : SN_MUSCLE_HILL;
        s.def.material.young = k % 3 == 0 ? 1e5f : 1e6f;
        s.def.material.shear = s.def.material.volume = SN_DERIVED;
        s.def.section_compliance = 1e-5f;
        s.def.tendon = 0.1f;
        s.def.insertion_free = k % 3 != 2;
        create_spindle(&s, weightless_world());
        SnMuscleState rest = read_muscle(&s);
        assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
        for (int n = 0; n < 120; ++n) {
            step_spindle(&s, 1);
            assert_near(read_muscle(&s).volume / rest.volume, 1.0, 0.1);
            assert_near(read_muscle(&s).length / rest.length, 0.8, 0.25);
        }
        sn_world_destroy(s.world);
    }
}

// Half of its length at once is no faster than ten lengths a second.
static void muscles_take_time_to_shorten(void **test) {
    (void)test;
    static Spindle s;
    describe_spindle(&s, 8, 9, 0.6);
    s.def.shortening = 0.5f;
    s.def.insertion_free = true;
    create_spindle(&s, weightless_world());
    double rest = (double)read_muscle(&s).length;
    assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
    for (int n = 0; n < 120; ++n) {
        double before = (double)read_muscle(&s).length;
        step_spindle(&s, 1);
        assert_true(before - (double)read_muscle(&s).length < 1.5 * 10.0 * rest / 60.0);
    }
    assert_below((double)read_muscle(&s).length / rest, 0.6); // cross-sections resist
    sn_world_destroy(s.world);
}

// Two muscles on the floor and two across them. A vertex gives way with its whole section: where contacts were told
// of the vertex alone, and pushes moved it alone, stiff muscles stayed in each other three to five times as deep.
static void lay_muscle(Spindle *s, int place, float young) {
    describe_spindle(s, 8, 9, 0.6);
    for (int v = 0; v < 72; ++v) {
        SnVec3 x = s->shape.x[v];
        float side = place % 2 ? 0.03f : -0.03f;
        s->shape.x[v] = place < 2 ? sn_vec3(x.x + side, x.y + 0.02f, x.z - 0.1f)
                                  : sn_vec3(x.z - 0.1f, x.y + 0.07f, x.x + side);
    }
    s->def.material.young = young;
    s->def.material.shear = s->def.material.volume = SN_DERIVED;
    s->def.material.damping = 0.005f;
    s->def.filter = sn_default_filter();
    s->def.origin_free = s->def.insertion_free = true;
}

static double deepest_overlap(SnWorld *world) {
    SnContactEvents events = sn_world_contact_events(world);
    double deepest = 0.0;
    for (int k = 0; k < events.contact_count; ++k)
        deepest = fmax(deepest, -(double)events.contacts[k].gap);
    return deepest;
}

static void muscles_lie_on_each_other(void **test) {
    (void)test;
    static Spindle s;
    const float young[2] = {1e6f, 1e8f};
    for (int k = 0; k < 2; ++k) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnColliderDef floor = sn_default_collider_def();
        floor.kind = SN_COLLIDER_PLANE;
        assert_ok(sn_collider_create(world, &floor, NULL));
        for (int place = 0; place < 4; ++place) {
            lay_muscle(&s, place, young[k]);
            assert_ok(sn_muscle_create(world, &s.def, NULL));
        }
        double deepest = 0.0;
        for (int n = 0; n < 180; ++n) {
            step_world(world, 1.0f / 60.0f, 10, 1);
            deepest = fmax(deepest, n < 90 ? 0.0 : deepest_overlap(world));
        }
        assert_below(deepest, 4e-5);
        assert_below(sn_world_measure(world).speed_max, 1e-3);
        sn_world_destroy(world);
    }
}

// A bone across the muscle, at the origin on its frame, or beside the insertion in the world.
static void add_bone(Spindle *s, SnColliderKind kind, float radius, bool at_origin) {
    SnColliderDef bone = sn_default_collider_def();
    bone.kind = kind;
    if (at_origin)
        bone.frame = s->origin;
    else
        bone.pose.position = sn_vec3(0.06f, 0.0f, 0.2f);
    bone.a = sn_vec3(0.0f, -0.1f, 0.0f);
    bone.b = sn_vec3(0.0f, 0.1f, 0.0f);
    bone.radius_a = bone.radius_b = radius;
    bone.half_size = sn_vec3(radius, 0.1f, radius);
    assert_ok(sn_collider_create(s->world, &bone, NULL));
}

// Ends that are held inside of a bone stay there, as deep as they are: pushed out of it by the little lever of what is
// near to the held end, muscles were thrown about at 100 m/s, thirty times as long as they are.
static void ends_in_bones_rest(void **test) {
    (void)test;
    static Spindle s;
    const float radii[3] = {0.02f, 0.03f, 0.06f};
    for (int k = 0; k < 6; ++k) {
        describe_spindle(&s, 8, 9, 0.6);
        s.def.filter = sn_default_filter();
        create_spindle(&s, weightless_world());
        add_bone(&s, k < 3 ? SN_COLLIDER_PILL : SN_COLLIDER_BOX, radii[k % 3], true);
        step_spindle(&s, 120);
        SnMeasures all = sn_world_measure(s.world);
        print_message("in a bone: %.2g m/s, stretched by %.2g\n", all.speed_max, all.stretch_max);
        assert_below(all.speed_max, 0.02);
        assert_below(all.stretch_max, 0.2);
        sn_world_destroy(s.world);
    }
}

// And where they are led into one while they move, which tears at what is outside, but throws nothing about.
static void ends_are_led_into_bones(void **test) {
    (void)test;
    static Spindle s;
    const float radii[2] = {0.02f, 0.04f};
    for (int k = 0; k < 4; ++k) {
        describe_spindle(&s, 8, 9, 0.6);
        s.def.filter = sn_default_filter();
        s.def.tendon = 0.1f;
        create_spindle(&s, weightless_world());
        add_bone(&s, k < 2 ? SN_COLLIDER_PILL : SN_COLLIDER_BOX, radii[k % 2], false);
        double fastest = 0.0, longest = 0.0;
        for (int n = 0; n < 120; ++n) {
            SnPose pose = sn_pose_identity();
            pose.position = sn_vec3(0.06f * (float)(n < 60 ? n : 120 - n) / 60.0f, 0.0f, 0.2f);
            assert_ok(sn_frame_set_target(s.world, s.insertion, pose));
            step_spindle(&s, 1);
            SnMeasures all = sn_world_measure(s.world);
            fastest = fmax(fastest, all.speed_max);
            longest = fmax(longest, all.stretch_max);
        }
        print_message("led into a bone: %.2f m/s, stretched by %.2f\n", fastest, longest);
        assert_below(longest, 1.5);
        assert_below(fastest, 6.0);
        sn_world_destroy(s.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damped_muscles_on_tendons_rest),
        cmocka_unit_test(bent_muscles_rest),
        cmocka_unit_test(plates_hang_from_muscles),
        cmocka_unit_test(free_muscles_pull_themselves_short),
        cmocka_unit_test(bones_come_nearer),
        cmocka_unit_test(soft_muscles_pull_and_stay_whole),
        cmocka_unit_test(muscles_take_time_to_shorten),
        cmocka_unit_test(muscles_lie_on_each_other),
        cmocka_unit_test(ends_in_bones_rest),
        cmocka_unit_test(ends_are_led_into_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
