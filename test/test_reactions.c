// What attachments do to hold their bodies, against statics and against a pendulum.
#include "support.h"

#define GRAVITY 9.81

typedef enum Kind { VOLUME, CLASSIC, STIFF, KINDS } Kind;

typedef struct Beam {
    Kind kind;
    SnRodSolver solver;
    const char *material;
    int segments;
    double length, radius;
    SnVec3 way; // direction from the first vertex
} Beam;

static SnBodyId beam_of(SnWorld *world, const Beam *b) {
    SnVec3 x[COPY_MAX];
    float l = (float)(b->length / b->segments);
    line_of_points(x, b->segments + 1, sn_vec3(0.3f, 0.2f, -0.1f),
                   sn_vec3(l * b->way.x, l * b->way.y, l * b->way.z));
    SnRodDef def = sn_default_rod_def();
    assert_ok(sn_rod_material_named(b->material, &def.material));
    def.vertex_count = b->segments + 1;
    def.positions = x;
    def.radius = (float)b->radius;
    def.classic = b->kind == CLASSIC;
    def.stiff = b->kind == STIFF;
    def.solver = b->solver;
    def.filter.mask = 0;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static SnAttachmentId hold(SnWorld *world, SnBodyId body, SnAttachmentKind kind, int index) {
    return attach(world, body, kind, index, (SnFrameId){0, 0});
}

static SnReaction reaction(SnWorld *world, SnAttachmentId id) {
    SnReaction r;
    assert_ok(sn_attachment_reaction(world, id, &r));
    return r;
}

// Runs with drag until everything stands still.
static void settle(SnWorld *world, SnBodyId body, double seconds) {
    for (int n = 0; n < (int)(60.0 * seconds); ++n)
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
    SnMeasures m;
    assert_ok(sn_body_measure(world, body, &m));
    assert_below(m.speed_max, 1e-2);
}

static void add_drag(SnWorld *world, SnBodyId rod, const char *name, float drag) {
    SnRodMaterial material;
    assert_ok(sn_rod_material_named(name, &material));
    material.drag = drag;
    assert_ok(sn_rod_set_material(world, rod, &material));
}

static double weight_of(SnWorld *world, SnBodyId body) {
    SnMeasures m;
    assert_ok(sn_body_measure(world, body, &m));
    return m.mass * GRAVITY;
}

static void a_rope_hangs_on_its_support(void **state) {
    (void)state;
    const char *materials[] = {"rope", "rubber", "steel", "jelly"};
    for (int kind = VOLUME; kind < KINDS; ++kind)
        for (int m = 0; m < (kind == STIFF ? 3 : 4); ++m) {
            SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
            Beam b = {kind, SN_SOLVER_AUTO, materials[m], 20, 1.0, 0.01, {0.0f, -1.0f, 0.0f}};
            if (m == 3)
                b.length = 0.2;
            SnBodyId rod = beam_of(world, &b);
            SnAttachmentId top = hold(world, rod, SN_ATTACH_VERTEX, 0);
            SnReaction r = reaction(world, top);
            assert_near(r.force.y, 0.0, 0.0); // before the first step
            add_drag(world, rod, materials[m], 5.0f);
            settle(world, rod, 10.0);
            double weight = weight_of(world, rod);
            r = reaction(world, top);
            assert_near(r.force.y, weight, 2e-3 * weight);
            assert_near(r.force.x, 0.0, 2e-3 * weight);
            assert_near(r.torque.z, 0.0, 0.0);
            sn_world_destroy(world);
        }
}

// The wall carries the weight, and the moment w L²/2 (less what the sag takes from the arm).
static void a_cantilever_is_carried_by_its_wall(void **state) {
    (void)state;
    const struct {
        const char *material;
        double length, radius;
    } cases[] = {{"steel", 1.0, 0.01}, {"nylon", 1.0, 0.01}, {"rubber", 0.2, 0.01}};
    for (int kind = VOLUME; kind < KINDS; ++kind)
        for (int c = 0; c < 3; ++c)
            for (int both = 0; both < 2; ++both) {
                SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
                Beam b = {kind,
                          SN_SOLVER_AUTO,
                          cases[c].material,
                          30,
                          cases[c].length,
                          cases[c].radius,
                          {1.0f, 0.0f, 0.0f}};
                SnBodyId rod = beam_of(world, &b);
                SnAttachmentId end = hold(world, rod, SN_ATTACH_VERTEX, 0), next = {0};
                if (both)
                    next = hold(world, rod, SN_ATTACH_VERTEX, 1);
                SnAttachmentId clamp = hold(world, rod, SN_ATTACH_SEGMENT, 0);
                add_drag(world, rod, cases[c].material, 10.0f);
                settle(world, rod, 4.0);
                double weight = weight_of(world, rod), moment = 0.0;
                RodCopy now;
                copy_rod(world, rod, &now);
                SnReaction force = reaction(world, end), torque = reaction(world, clamp);
                // Of the shape it has: every segment weighs at its middle.
                for (int j = 0; j < b.segments; ++j)
                    moment += weight / b.segments *
                              (0.5 * (double)(now.x[j].x + now.x[j + 1].x) - (double)now.x[0].x);
                double up = (double)force.force.y, about = (double)torque.torque.z;
                if (both) {
                    SnReaction second = reaction(world, next);
                    up += (double)second.force.y;
                    about += (double)(now.x[1].x - now.x[0].x) * (double)second.force.y -
                             (double)(now.x[1].y - now.x[0].y) * (double)second.force.x;
                }
                assert_near(up, weight, 2e-3 * weight);
                assert_near(about, moment, 5e-3 * moment);
                assert_near(force.torque.z, 0.0, 0.0);
                assert_near(torque.force.y, 0.0, 0.0);
                sn_world_destroy(world);
            }
}

// A beam on two hinges: each bears a half, and both together all.
static void two_supports_share_a_load(void **state) {
    (void)state;
    const char *materials[] = {"steel", "nylon", "rope"};
    for (int kind = VOLUME; kind < KINDS; ++kind)
        for (int m = 0; m < 3; ++m) {
            SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
            Beam b = {kind, SN_SOLVER_AUTO, materials[m], 30, 1.0, 0.01, {1.0f, 0.0f, 0.0f}};
            SnBodyId rod = beam_of(world, &b);
            SnAttachmentId a = hold(world, rod, SN_ATTACH_VERTEX, 0);
            SnAttachmentId c = hold(world, rod, SN_ATTACH_VERTEX, b.segments);
            add_drag(world, rod, materials[m], 10.0f);
            settle(world, rod, 6.0);
            double weight = weight_of(world, rod);
            SnReaction left = reaction(world, a), right = reaction(world, c);
            assert_near(left.force.y + right.force.y, weight, 5e-3 * weight);
            assert_near(left.force.y, 0.5 * weight, 2e-2 * weight);
            assert_near(left.force.x, -right.force.x, 5e-3 * (weight + fabs((double)left.force.x)));
            sn_world_destroy(world);
        }
}

// N with which a steel beam that sags between two hinges pulls them together.
static double thrust_of(bool classic, int segments, double volume) {
    SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    SnVec3 x[COPY_MAX];
    line_of_points(x, segments + 1, sn_vec3(0.3f, 0.2f, -0.1f),
                   sn_vec3(1.0f / (float)segments, 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = segments + 1;
    def.positions = x;
    def.radius = 0.01f;
    def.classic = classic;
    def.material.density = 7850.0f;
    def.material.young = 2e11f;
    def.material.shear = 7e10f;
    def.material.volume = (float)volume;
    def.material.drag = 10.0f;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    SnAttachmentId a = hold(world, rod, SN_ATTACH_VERTEX, 0);
    SnAttachmentId b = hold(world, rod, SN_ATTACH_VERTEX, segments);
    settle(world, rod, 6.0);
    double thrust = 0.5 * (double)(reaction(world, b).force.x - reaction(world, a).force.x);
    sn_world_destroy(world);
    return thrust;
}

// It stretches by the sag, which bending has, so the thrust goes with the stiffness along it: E, and with a volume that
// is kept G/2 on top of it, less where the volume gives way, too. All of it is a strain of 10⁻⁷, which scales hold only
// with what float has rounded off them. (Of lengths that are solved for in float it would round more.)
static void thrust_goes_with_the_stiffness_along_the_rod(void **state) {
    (void)state;
    const double shear = 7e10;
    const struct {
        int segments;
        double volume;
    } rods[] = {{10, 1e13}, {40, 1e13}, {40, 1.6e11}};
    for (int n = 0; n < 3; ++n) {
        double plain = thrust_of(true, rods[n].segments, rods[n].volume);
        double more = 0.5 * shear / (1.0 + 0.5 * shear / rods[n].volume) / 2e11;
        double expected = (1.0 + more) * plain;
        double thrust = thrust_of(false, rods[n].segments, rods[n].volume);
        assert_near(thrust, expected, 5e-3 * expected);
    }
}

// Both ends of a rod that is twisted bear G J θ/L, one this way and one the other.
static void both_ends_of_a_twisted_rod(void **state) {
    (void)state;
    for (int kind = VOLUME; kind < KINDS; ++kind) {
        SnWorld *world = weightless_world();
        Beam b = {kind, SN_SOLVER_AUTO, "rubber", 20, 1.0, 0.01, {1.0f, 0.0f, 0.0f}};
        SnBodyId rod = beam_of(world, &b);
        hold(world, rod, SN_ATTACH_VERTEX, 0);
        hold(world, rod, SN_ATTACH_VERTEX, b.segments);
        SnAttachmentId first = hold(world, rod, SN_ATTACH_SEGMENT, 0);
        SnFrameId frame;
        assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
        SnAttachmentId last = attach(world, rod, SN_ATTACH_SEGMENT, b.segments - 1, frame);
        add_drag(world, rod, "rubber", 10.0f);
        SnPose turned = {sn_vec3(0.0f, 0.0f, 0.0f), turn_about(1.0, 0.0, 0.0, 0.5)};
        assert_ok(sn_frame_set_target(world, frame, turned));
        settle(world, rod, 4.0);
        double J = 0.5 * SUPPORT_PI * pow(b.radius, 4.0);
        double torque = 0.45e6 * J * 0.5 / b.length;
        double left = (double)reaction(world, first).torque.x;
        double right = (double)reaction(world, last).torque.x;
        assert_near(right, torque, 0.03 * torque);
        assert_near(left, -torque, 0.03 * torque);
        sn_world_destroy(world);
    }
}

// At the bottom of its swing a pendulum pulls with m g + Σ m v²/r.
static void a_pendulum_pulls_at_its_pivot(void **state) {
    (void)state;
    for (int kind = VOLUME; kind < KINDS; ++kind) {
        SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
        Beam b = {kind, SN_SOLVER_DIRECT, "nylon", 20, 1.0, 0.02, {1.0f, 0.0f, 0.0f}};
        SnBodyId rod = beam_of(world, &b);
        SnAttachmentId pivot = hold(world, rod, SN_ATTACH_VERTEX, 0);
        double best = 1e9, pull = 0.0, expected = 0.0;
        double weight = weight_of(world, rod);
        for (int n = 0; n < 60; ++n) {
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
            RodCopy now;
            copy_rod(world, rod, &now);
            double off = fabs((double)(now.x[20].x - now.x[0].x));
            if (off > best)
                continue;
            best = off;
            pull = (double)reaction(world, pivot).force.y;
            expected = weight;
            for (int i = 1; i <= 20; ++i) {
                double v = (double)now.v[i].x, r = b.length * i / 20.0;
                expected += weight / GRAVITY / 20.0 * (i == 20 ? 0.5 : 1.0) * v * v / r;
            }
        }
        assert_near(pull, expected, 0.02 * expected);
        assert_near(pull, 2.5 * weight, 0.1 * weight); // of a uniform rod from the horizontal
        sn_world_destroy(world);
    }
}

static SnBodyId bar_of(SnWorld *world) {
    SnRigidPart part = sn_rigid_pill(sn_vec3(-0.5f, 0.0f, 0.0f), sn_vec3(0.5f, 0.0f, 0.0f), 0.05f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.mass = 2.0f;
    def.filter.mask = 0;
    SnBodyId body;
    assert_ok(sn_rigid_create(world, &def, &body));
    return body;
}

static void rigid_bodies_are_held(void **state) {
    (void)state;
    double weight = 2.0 * GRAVITY;
    SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    SnBodyId clamped = bar_of(world), hinged = bar_of(world);
    SnAttachmentId point = hold(world, clamped, SN_ATTACH_VERTEX, 0);
    SnAttachmentId frame = hold(world, clamped, SN_ATTACH_SEGMENT, 0);
    SnAttachmentId left = hold(world, hinged, SN_ATTACH_VERTEX, 0);
    SnAttachmentId right = hold(world, hinged, SN_ATTACH_VERTEX, 1);
    for (int n = 0; n < 10; ++n)
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
    assert_near(reaction(world, point).force.y, weight, 1e-4 * weight);
    assert_near(reaction(world, frame).torque.z, 0.5 * weight, 1e-4 * weight);
    assert_near(reaction(world, left).force.y, 0.5 * weight, 1e-4 * weight);
    assert_near(reaction(world, right).force.y, 0.5 * weight, 1e-4 * weight);
    // One that is let go at one end swings about the other.
    float moments[6];
    assert_ok(sn_rigid_inertia(world, hinged, NULL, moments));
    double turns = 2.0 * 0.25, pulls = 1.0 + 2.0 * turns / ((double)moments[2] + turns);
    assert_ok(sn_attachment_destroy(world, right));
    double most = 0.0;
    for (int n = 0; n < 60; ++n) {
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
        most = fmax(most, (double)reaction(world, left).force.y);
    }
    assert_near(most, pulls * weight, 0.01 * weight);
    sn_world_destroy(world);
}

// Drag slows what moves, and nothing else: what hangs or lies still weighs m g, what falls comes to go at g/d. One
// sub-step per step, in which drag takes a third of a velocity.
static void drag_takes_no_weight(void **state) {
    (void)state;
    const double drag = 30.0, weight = 2.0 * GRAVITY;
    SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    SnColliderDef floor = sn_default_collider_def();
    assert_ok(sn_collider_create(world, &floor, NULL));
    SnRigidPart pill = sn_rigid_pill(sn_vec3(-0.1f, 0.0f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f), 0.1f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &pill;
    def.mass = 2.0f;
    def.drag = (float)drag;
    SnBodyId hangs, lies, falls;
    def.pose.position = sn_vec3(0.0f, 5.0f, 0.0f);
    assert_ok(sn_rigid_create(world, &def, &hangs));
    def.pose.position = sn_vec3(1.0f, 0.1f, 0.0f);
    assert_ok(sn_rigid_create(world, &def, &lies));
    def.pose.position = sn_vec3(2.0f, 5.0f, 0.0f);
    assert_ok(sn_rigid_create(world, &def, &falls));
    SnLinkDef link = sn_default_link_def();
    link.a = (SnBodyPoint){hangs, 0, 0.0f};
    link.target = sn_vec3(-0.1f, 5.0f, 0.0f);
    SnLinkId id;
    assert_ok(sn_link_create(world, &link, &id));
    for (int n = 0; n < 300; ++n) {
        sn_world_step(world, 1.0f / 60.0f, 1, 1);
        if (n == 60) {
            SnMeasures m;
            assert_ok(sn_body_measure(world, falls, &m));
            assert_near(m.momentum[1], -weight / drag, 1e-5 * weight);
        }
    }
    SnVec3 force;
    assert_ok(sn_link_force(world, id, &force));
    assert_near(force.y, weight, 1e-3 * weight);
    double impulse = 0.0;
    SnContactEvents events = sn_world_contact_events(world);
    for (int k = 0; k < events.contact_count; ++k)
        if (events.contacts[k].a.index == lies.index)
            impulse += (double)events.contacts[k].impulse;
    assert_near(60.0 * impulse, weight, 1e-3 * weight);
    sn_world_destroy(world);
}

// A creature on three legs, each held at its foot.
static void creatures_stand_on_their_feet(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    SnVec3 x[4] = {{0.0f, 0.3f, 0.0f}};
    int edges[6] = {0, 1, 0, 2, 0, 3};
    for (int k = 0; k < 3; ++k) {
        double angle = 2.0 * SUPPORT_PI * k / 3.0;
        x[k + 1] = sn_vec3((float)(0.2 * cos(angle)), 0.0f, (float)(0.2 * sin(angle)));
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 4;
    def.positions = x;
    def.edges = edges;
    def.edge_count = 3;
    def.radius = 0.03f;
    def.material.drag = 10.0f;
    def.filter.mask = 0;
    SnBodyId body;
    assert_ok(sn_rod_create(world, &def, &body));
    SnAttachmentId feet[3];
    for (int k = 0; k < 3; ++k)
        feet[k] = hold(world, body, SN_ATTACH_VERTEX, k + 1);
    settle(world, body, 3.0);
    double weight = weight_of(world, body);
    for (int k = 0; k < 3; ++k)
        assert_near(reaction(world, feet[k]).force.y, weight / 3.0, 5e-3 * weight);
    sn_world_destroy(world);
}

// A segment whose vertices are held at one place has no direction of its own.
static void a_segment_squeezed_to_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
        Beam beam = {kind, SN_SOLVER_AUTO, "rubber", 4, 0.4, 0.02, {1.0f, 0.0f, 0.0f}};
        SnBodyId rod = beam_of(world, &beam);
        SnAttachmentDef def = sn_default_attachment_def();
        def.body = rod;
        def.keep_current = false;
        SnAttachmentId id[2];
        for (def.index = 0; def.index < 2; ++def.index)
            assert_ok(sn_attachment_create(world, &def, &id[def.index]));
        for (int n = 0; n < 3; ++n)
            sn_world_step(world, 1.0f / 60.0f, 4, 1);
        for (int k = 0; k < 2; ++k) {
            SnVec3 f = reaction(world, id[k]).force;
            assert_true(isfinite(f.x) && isfinite(f.y) && isfinite(f.z));
        }
        sn_world_destroy(world);
    }
}

// What cannot be answered is refused, and what is not known any more is 0.
static void questions_that_have_no_answer(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    SnBodyId rod = plain_rod(world, 5);
    SnAttachmentId id = hold(world, rod, SN_ATTACH_VERTEX, 2), stale = id;
    SnReaction r;
    SnAttachmentDef def;
    assert_error(sn_attachment_reaction(NULL, id, &r), SN_ERROR_INVALID, "world");
    assert_error(sn_attachment_reaction(world, id, NULL), SN_ERROR_INVALID, "out_reaction");
    assert_error(sn_attachment_read(world, id, NULL), SN_ERROR_INVALID, "out_def");
    stale.generation += 2;
    assert_error(sn_attachment_reaction(world, stale, &r), SN_ERROR_STALE, "stale");
    assert_error(sn_attachment_read(world, stale, &def), SN_ERROR_STALE, "stale");

    assert_ok(sn_attachment_read(world, id, &def));
    assert_int_equal(def.kind, SN_ATTACH_VERTEX);
    assert_int_equal(def.index, 2);
    SnAttachmentId none = {0, 0}, next = sn_world_next_attachment(world, none);
    assert_true(next.index == id.index && next.generation == id.generation);
    assert_int_equal(sn_world_next_attachment(world, next).index, 0);
    assert_int_equal(sn_world_next_attachment(world, stale).index, 0);

    sn_world_step(world, 1.0f / 60.0f, 10, 1);
    char snapshot[1 << 16];
    size_t size = sn_world_snapshot_size(world);
    assert_true(size <= sizeof snapshot);
    assert_ok(sn_world_save(world, snapshot, size));
    assert_true(reaction(world, id).force.y > 0.0f);
    assert_ok(sn_world_restore(world, snapshot, size));
    assert_near(reaction(world, id).force.y, 0.0, 0.0);
    sn_world_destroy(world);
}

// What is linked to a rod hangs on its support, too. A steel rod of 5 mm is strained by less than its positions are
// rounded: told from that, a kilogram on it weighed −19.
static void a_linked_weight_hangs_on_the_support(void **state) {
    (void)state;
    const char *materials[3] = {"rubber", "nylon", "steel"};
    const double mass[2] = {1.0, 3.0};
    for (int k = 0; k < 18; ++k) {
        SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
        Beam beam = {.kind = (Kind)(k / 6),
                     .material = materials[k % 3],
                     .segments = 20,
                     .length = 1.0,
                     .radius = 0.005,
                     .way = {0.0f, -1.0f, 0.0f}};
        SnBodyId rod = beam_of(world, &beam);
        add_drag(world, rod, beam.material, 20.0f);
        SnAttachmentId peg = hold(world, rod, SN_ATTACH_VERTEX, 0);
        SnRigidPart ball = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.05f);
        SnRigidDef def = sn_default_rigid_def();
        def.part_count = 1;
        def.parts = &ball;
        def.mass = (float)mass[k % 6 / 3];
        def.pose.position = sn_vec3(0.3f, -0.8f, -0.1f);
        def.drag = 20.0f;
        def.filter.mask = 0;
        SnBodyId weight;
        assert_ok(sn_rigid_create(world, &def, &weight));
        SnLinkDef link = sn_default_link_def();
        link.a = (SnBodyPoint){rod, 19, 1.0f};
        link.b = (SnBodyPoint){weight, 0, 0.0f};
        assert_ok(sn_link_create(world, &link, NULL));
        settle(world, rod, 6.0);
        SnMeasures m;
        assert_ok(sn_body_measure(world, rod, &m));
        double expected = GRAVITY * (m.mass + mass[k % 6 / 3]);
        assert_near(reaction(world, peg).force.y, expected, 5e-3 * expected);
        sn_world_destroy(world);
    }
}

// A rope between two pegs with a weight in the middle pulls at them by how little it stretches: that of stiff rods, too,
// is what its material has for stretch, seventy times as much as for bending.
static void a_rope_bridge_pulls_as_its_stretch_says(void **state) {
    (void)state;
    double sideways[KINDS];
    for (int kind = CLASSIC; kind < KINDS; ++kind) {
        SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
        Beam beam = {.kind = (Kind)kind,
                     .material = "rope",
                     .segments = 20,
                     .length = 2.0,
                     .radius = 0.006,
                     .way = {1.0f, 0.0f, 0.0f}};
        SnBodyId rod = beam_of(world, &beam);
        add_drag(world, rod, beam.material, 20.0f);
        SnAttachmentId peg = hold(world, rod, SN_ATTACH_VERTEX, 0);
        hold(world, rod, SN_ATTACH_VERTEX, 20);
        for (int n = 0; n < 360; ++n) {
            assert_ok(sn_body_add_force(world, rod, 10, sn_vec3(0.0f, -490.5f, 0.0f)));
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
        }
        sideways[kind] = fabs((double)reaction(world, peg).force.x);
        sn_world_destroy(world);
    }
    assert_near(sideways[STIFF], sideways[CLASSIC], 0.01 * sideways[CLASSIC]);
    assert_near(sideways[STIFF], 1326.0, 20.0);
}

// A beam with one end on a peg that lies on a post at three quarters of its length: a third of its weight is on the peg.
// What the post does to it cannot be told from strains, either.
static void a_lever_rests_on_a_post(void **state) {
    (void)state;
    const char *materials[3] = {"nylon", "oak", "steel"};
    for (int k = 0; k < 12; ++k) {
        SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
        Beam beam = {.kind = (Kind)(k % 2),
                     .material = materials[k / 4],
                     .segments = k % 4 < 2 ? 20 : 100,
                     .length = 1.0,
                     .radius = 0.02,
                     .way = {1.0f, 0.0f, 0.0f}};
        SnBodyId rod = beam_of(world, &beam);
        add_drag(world, rod, beam.material, 20.0f);
        assert_ok(sn_body_set_filter(world, rod, sn_default_rod_def().filter));
        SnColliderDef post = sn_default_collider_def();
        post.kind = SN_COLLIDER_SPHERE;
        post.radius_a = 0.1f;
        post.pose.position = sn_vec3(1.05f, 0.08f, -0.1f);
        assert_ok(sn_collider_create(world, &post, NULL));
        SnAttachmentId peg = hold(world, rod, SN_ATTACH_VERTEX, 0);
        settle(world, rod, 4.0);
        double weight = weight_of(world, rod);
        assert_near(reaction(world, peg).force.y, weight / 3.0, 5e-3 * weight);
        sn_world_destroy(world);
    }
}

// A rod with dampers inside, on a frame that turns steadily about z or about the rod: once all of it turns along, its
// clamp bears no torque, at either end.
static void a_turning_clamp_bears_nothing(void **state) {
    (void)state;
    for (int n = 0; n < 2 * KINDS * 2; ++n) {
        Beam b = {(Kind)(n % KINDS), SN_SOLVER_AUTO, "steel", 10, 0.5, 0.01, {1.0f, 0.0f, 0.0f}};
        SnWorld *world = make_world(sn_vec3(0, 0, 0));
        SnBodyId rod = beam_of(world, &b);
        SnRodMaterial material;
        assert_ok(sn_rod_material_named("steel", &material));
        material.damping = 0.01f;
        assert_ok(sn_rod_set_material(world, rod, &material));
        bool last = n / KINDS & 1, about_rod = n / KINDS & 2;
        SnFrameId hub;
        SnPose pose = {sn_vec3(last ? 0.8f : 0.3f, 0.2f, -0.1f), sn_pose_identity().rotation};
        assert_ok(sn_frame_create(world, pose, &hub));
        attach(world, rod, SN_ATTACH_VERTEX, last ? b.segments : 0, hub);
        SnAttachmentId clamp =
            attach(world, rod, SN_ATTACH_SEGMENT, last ? b.segments - 1 : 0, hub);
        SnVec3 axis = about_rod ? sn_vec3(1, 0, 0) : sn_vec3(0, 0, 1);
        for (int k = 1; k <= 240; ++k) {
            double t = k / 60.0, angle = t < 1.0 ? 2.5 * t * t : 2.5 + 5.0 * (t - 1.0);
            pose.rotation = sn_quat_about(axis, (float)angle);
            assert_ok(sn_frame_set_target(world, hub, pose));
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
        }
        SnVec3 torque = reaction(world, clamp).torque;
        double size = sqrt((double)sn_vec3_dot(torque, torque));
        if (!(size < 3.0)) // dampers of the joint would tell of 3100 and 2200
            fail_msg("kind %d, %s end, about %s: %g N m", (int)b.kind, last ? "last" : "first",
                     about_rod ? "the rod" : "z", size);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turning_clamp_bears_nothing),
        cmocka_unit_test(a_lever_rests_on_a_post),
        cmocka_unit_test(a_rope_hangs_on_its_support),
        cmocka_unit_test(a_linked_weight_hangs_on_the_support),
        cmocka_unit_test(a_rope_bridge_pulls_as_its_stretch_says),
        cmocka_unit_test(a_cantilever_is_carried_by_its_wall),
        cmocka_unit_test(two_supports_share_a_load),
        cmocka_unit_test(thrust_goes_with_the_stiffness_along_the_rod),
        cmocka_unit_test(both_ends_of_a_twisted_rod),
        cmocka_unit_test(a_pendulum_pulls_at_its_pivot),
        cmocka_unit_test(rigid_bodies_are_held),
        cmocka_unit_test(drag_takes_no_weight),
        cmocka_unit_test(creatures_stand_on_their_feet),
        cmocka_unit_test(a_segment_squeezed_to_nothing),
        cmocka_unit_test(questions_that_have_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
