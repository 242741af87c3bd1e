// What is hard in time: dampers that are far stiffer than what they damp, and loads that are far larger than
// what a light vertex can bear alone. All of it at default settings.
#include "support.h"

#ifdef __SANITIZE_ADDRESS__
#define EVERY 5 // of many cases: it takes ten times as long
#else
#define EVERY 1
#endif
#define DT (1.0f / 60.0f)
#define SUBSTEPS 10

typedef struct RodCase {
    bool classic, closed;
    int segments;
    double young, damping, drag, radius, length;
    SnVec3 spin;
} RodCase;

typedef struct Rod {
    SnWorld *world;
    SnBodyId id;
} Rod;

static Rod make_rod(const RodCase *c) {
    SnVec3 x[COPY_MAX];
    int vertices = c->closed ? c->segments : c->segments + 1;
    if (c->closed)
        circle_of_points(x, vertices, c->length / (2.0 * SUPPORT_PI));
    else
        line_of_points(x, vertices, sn_vec3(0.0f, 0.0f, 0.0f),
                       sn_vec3((float)(c->length / c->segments), 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = vertices;
    def.positions = x;
    def.closed = c->closed;
    def.classic = c->classic;
    def.radius = (float)c->radius;
    def.material.density = 2000.0f;
    def.material.young = (float)c->young;
    def.material.damping = (float)c->damping;
    def.material.drag = (float)c->drag;
    def.angular_velocity = c->spin;
    def.filter.mask = 0;
    Rod rod = {weightless_world(), {0}};
    assert_ok(sn_rod_create(rod.world, &def, &rod.id));
    return rod;
}

static const char *name_of(const RodCase *c) {
    static char text[160];
    (void)snprintf(text, sizeof text, "%s, %s, %d segments, E %g Pa, r %g m, damping %g s",
                   c->classic ? "classic" : "volume", c->closed ? "closed" : "open", c->segments,
                   c->young, c->radius, c->damping);
    return text;
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// Dampers do no work on what turns as a whole, however hard they are: angular momentum and energy stay.
static void assert_spins_on(const RodCase *c) {
    Rod rod = make_rod(c);
    SnMeasures first = sn_world_measure(rod.world);
    const int steps = c->segments < 20 ? 200 : 60;
    for (int n = 0; n < steps; ++n) {
        assert_int_equal(sn_world_step(rod.world, DT, SUBSTEPS, 1), SN_STEP_OK);
        SnMeasures m = sn_world_measure(rod.world);
        double lost[3];
        for (int k = 0; k < 3; ++k)
            lost[k] = m.angular_momentum[k] - first.angular_momentum[k];
        double off = length_of(lost) / length_of(first.angular_momentum);
        double energy = m.energy_kinetic / first.energy_kinetic;
        if (!(off < 0.01) || !(energy < 1.002) || !(energy > 0.98))
            fail_msg("%s: step %d, momentum off by %.3g, kinetic energy %.5g of what it was",
                     name_of(c), n, off, energy);
    }
    sn_world_destroy(rod.world);
}

static void hard_dampers_leave_spins_alone(void **state) {
    (void)state;
    const double youngs[] = {1e7, 1e9, 2e11}, dampings[] = {0.0, 1.0, 100.0};
    const int segments[] = {1, 3, 20, 100};
    for (int n = 0; n < 2 * 2 * 3 * 3 * 4; n += EVERY) {
        RodCase c = {.classic = n & 1, .closed = n & 2, .radius = 0.01, .length = 1.0};
        c.young = youngs[n / 4 % 3];
        c.damping = dampings[n / 12 % 3];
        c.segments = segments[n / 36];
        c.spin = c.closed ? sn_vec3(0.5f, 3.0f, 0.2f) : sn_vec3(1.0f, 1.5f, 2.0f);
        if (c.segments < 20 && (c.closed || c.damping == 0.0))
            continue; // a spring or two, which swing
        assert_spins_on(&c);
    }
}

// Steel in short segments: what float rounds of a length and of a frame is not small against their inertia.
static void the_stiffest_rods_spin_on(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        RodCase c = {.classic = n & 1, .closed = n & 2, .segments = 200, .young = 2e11};
        c.radius = 0.002;
        c.length = 1.0;
        c.spin = c.closed ? sn_vec3(0.5f, 3.0f, 0.2f) : sn_vec3(1.0f, 1.5f, 2.0f);
        assert_spins_on(&c);
    }
}

// A free rod that tumbles and vibrates in three dimensions. Its axis, about which it has next to no inertia, is
// where anything that is left over would show.
static void what_tumbles_and_vibrates_keeps_its_momentum(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        RodCase c = {.classic = n & 1, .segments = 13, .radius = 0.00478, .length = 1.22};
        c.young = n & 2 ? 7.5e10 : 1e8;
        c.spin = sn_vec3(0.0f, 5.3f, 0.0f);
        Rod rod = make_rod(&c);
        RodCopy now;
        copy_rod(rod.world, rod.id, &now);
        for (int i = 0; i <= c.segments; ++i) {
            double along = (double)i / c.segments;
            now.v[i].y += (float)(3.0 * cos(2.0 * SUPPORT_PI * along));
            now.v[i].z += (float)(1.5 * sin(3.0 * SUPPORT_PI * along));
        }
        SnBodyState kick = {.velocities = now.v};
        assert_ok(sn_body_write(rod.world, rod.id, &kick));
        double first = length_of(sn_world_measure(rod.world).angular_momentum);
        for (int k = 0; k < 600; ++k)
            assert_int_equal(sn_world_step(rod.world, DT, SUBSTEPS, 1), SN_STEP_OK);
        double left = length_of(sn_world_measure(rod.world).angular_momentum) / first;
        if (!(fabs(left - 1.0) < 0.01))
            fail_msg("%s: %.4f of its angular momentum is left", name_of(&c), left);
        sn_world_destroy(rod.world);
    }
}

// A damped rope whose end is led round a circle, three times a second, by nearly half a segment per sub-step:
// it follows.
static void damped_ropes_follow_their_ends(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        RodCase c = {.classic = n & 1, .segments = 40, .radius = 0.003, .length = 1.0};
        c.young = n & 2 ? 1e9 : 1e7;
        c.damping = n & 2 ? 0.03 : 0.1;
        Rod rod = make_rod(&c);
        const SnFrameId none = {0, 0};
        SnAttachmentId end = attach(rod.world, rod.id, SN_ATTACH_VERTEX, 0, none);
        for (int k = 1; k <= 60; ++k) {
            double angle = 2.0 * SUPPORT_PI * 3.0 * k / 60.0;
            SnVec3 to = sn_vec3(0.0f, (float)(0.3 * sin(angle)), (float)(0.3 * (cos(angle) - 1.0)));
            SnQuat still = {0.0f, 0.0f, 0.0f, 1.0f};
            assert_ok(sn_attachment_set_target(rod.world, end, to, still, 1.0f));
            assert_int_equal(sn_world_step(rod.world, DT, SUBSTEPS, 1), SN_STEP_OK);
            double stretch = sn_world_measure(rod.world).stretch_max;
            if (!(stretch < 0.2))
                fail_msg("%s: stretched by %.3g in step %d", name_of(&c), stretch, k);
        }
        sn_world_destroy(rod.world);
    }
}

// A cantilever of length 30 r whose tip is loaded from one step to the next, by what deflects it by the part
// `part` of its length. Its tip ends where beams have it, 1/(0.9 G A) of shear included.
static void assert_withstands(RodCase c, double part) {
    c.length = 30.0 * c.radius;
    c.drag = 20.0;
    Rod rod = make_rod(&c);
    pin(rod.world, rod.id, SN_ATTACH_SEGMENT, 0);
    pin(rod.world, rod.id, SN_ATTACH_VERTEX, 0);
    double area = SUPPORT_PI * c.radius * c.radius,
           EI = 0.25 * c.young * area * c.radius * c.radius;
    double load = part * 3.0 * EI / (c.length * c.length), shear = 0.9 * 0.35 * c.young * area;
    double tip = load * (pow(c.length, 3.0) / (3.0 * EI) + c.length / shear);
    for (int n = 0; n < 60; ++n) {
        assert_ok(
            sn_body_add_force(rod.world, rod.id, c.segments, sn_vec3(0.0f, (float)-load, 0.0f)));
        assert_int_equal(sn_world_step(rod.world, DT, SUBSTEPS, 1), SN_STEP_OK);
    }
    RodCopy now;
    copy_rod(rod.world, rod.id, &now);
    double down = -(double)now.x[c.segments].y;
    if (!(fabs(down / tip - 1.0) < 0.03))
        fail_msg("%s: loaded by %.3g N, the tip is at %.5g m, not at %.5g m", name_of(&c), load,
                 down, tip);
    sn_world_destroy(rod.world);
}

static void sudden_loads_bend_rods_as_slow_ones_do(void **state) {
    (void)state;
    const double youngs[] = {1e8, 7e10, 2e11}, parts[] = {0.001, 0.01, 0.1};
    const double radii[] = {0.002, 0.01, 0.05};
    const int segments[] = {5, 60};
    for (int n = 0; n < 2 * 3 * 3 * 2 * 3; n += EVERY) {
        RodCase c = {.classic = n & 1};
        c.young = youngs[n / 2 % 3];
        c.radius = radii[n / 6 % 3];
        c.segments = segments[n / 18 % 2];
        assert_withstands(c, parts[n / 36]);
    }
}

// A straight steel rod, bent into a ring and twisted by half of what would make it bulge: 40 kJ, which stay
// where they are. Without what its torques do to turns in the Hessian, one iteration makes it whirl.
static void assert_ring_rests(bool classic, bool stiff, double twist) {
    enum { N = 60 };
    SnVec3 x[N + 1], start[N + 1];
    SnQuat rest[N], frames[N];
    double part = 1.5 / N;
    start[0] = sn_vec3(0.0f, 0.0f, 0.0f);
    line_of_points(x, N + 1, start[0], sn_vec3(0.0f, 0.0f, (float)part));
    for (int i = 0; i < N; ++i) {
        double angle = 2.0 * SUPPORT_PI * (i + 0.5) / N;
        rest[i] = turn_about(0.0, 0.0, 1.0, 0.0);
        frames[i] = sn_quat_multiply(turn_about(1.0, 0.0, 0.0, -angle),
                                     turn_about(0.0, 0.0, 1.0, twist * (i + 0.5) / N));
        start[i + 1] = sn_vec3_add(
            start[i], sn_vec3(0.0f, (float)(part * sin(angle)), (float)(part * cos(angle))));
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = N + 1;
    def.positions = x;
    def.frames = rest;
    def.start_positions = start;
    def.start_frames = frames;
    def.radius = 0.01f;
    def.classic = classic;
    def.stiff = stiff;
    def.material.density = 7800.0f;
    def.material.young = 2e11f;
    def.material.shear = 7.7e10f;
    def.material.drag = 10.0f;
    def.velocity = sn_vec3(0.005f, 0.0f, 0.0f);
    def.filter.mask = 0;
    SnWorld *world = weightless_world();
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    pin(world, rod, SN_ATTACH_VERTEX, N);
    SnQuat far = turn_about(0.0, 0.0, 1.0, twist);
    far = sn_quat_multiply(turn_about(1.0, 0.0, 0.0, -2.0 * SUPPORT_PI), far);
    const SnFrameId still = {0, 0};
    SnAttachmentId first = attach(world, rod, SN_ATTACH_SEGMENT, 0, still);
    SnAttachmentId last = attach(world, rod, SN_ATTACH_SEGMENT, N - 1, still);
    assert_ok(sn_attachment_set_target(world, first, x[0], rest[0], 1.0f));
    assert_ok(sn_attachment_set_target(world, last, x[0], far, 1.0f));
    for (int n = 0; n < 90; ++n)
        assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
    assert_below(sn_world_measure(world).speed_max, 0.01);
    sn_world_destroy(world);
}

static void twisted_steel_rests(void **state) {
    (void)state;
    for (int n = 0; n < 6; ++n)
        assert_ring_rests(n % 3 == 1, n % 3 == 2, n < 3 ? 7.07 : 0.0);
}

// A blow on the end of a free rod at rest: its momentum is the impulse and its angular momentum about the origin that
// times the arm, and there is no more energy than a rigid rod would have, with some for vibrations.
static void blows_leave_what_they_brought(void **state) {
    (void)state;
    const double young[] = {1e8, 2e9, 2e11}, radii[] = {0.003, 0.02};
    for (int n = 0; n < 2 * 3 * 2 * 2; n += EVERY) {
        RodCase c = {.classic = n % 2 == 1,
                     .segments = n / 12 ? 40 : 10,
                     .young = young[n / 2 % 3],
                     .radius = radii[n / 6 % 2],
                     .length = 1.0};
        Rod rod = make_rod(&c);
        SnMeasures m = sn_world_measure(rod.world);
        SnVec3 blow = {0.0f, (float)m.mass, 0.3f * (float)m.mass};
        assert_ok(sn_body_add_impulse(rod.world, rod.id, c.segments, blow));
        double most = 0.0, size = sqrt(1.09) * m.mass, rigid = 4.0 * 0.5 * 1.09 * m.mass;
        for (int k = 0; k < 60; ++k) {
            assert_int_equal(sn_world_step(rod.world, DT, SUBSTEPS, 1), SN_STEP_OK);
            m = sn_world_measure(rod.world);
            most = fmax(most, m.energy_kinetic + m.energy_elastic);
        }
        double momentum = length_of(m.momentum) / size, turn = length_of(m.angular_momentum) / size;
        if (!(fabs(momentum - 1.0) < 1e-3) || !(fabs(turn - 1.0) < 0.04) || !(most < 4.0 * rigid))
            fail_msg("%s: momentum %g, angular momentum %g, energy %g", name_of(&c), momentum, turn,
                     most / rigid);
        sn_world_destroy(rod.world);
    }
}

// Held by one end and let go level: they double their length and whip about, and their segments spin by a tenth of a
// radian in a sub-step. None of that may become energy.
static void soft_thick_ropes_only_lose_energy(void **state) {
    (void)state;
    for (int n = 0; n < 4; n += EVERY) {
        SnVec3 x[8];
        line_of_points(x, 8, sn_vec3(0, 0, 0), sn_vec3(0.3f / 7.0f, 0, 0));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 8;
        def.positions = x;
        def.radius = 0.0192f;
        def.classic = n % 2 == 1;
        def.material.young = n < 2 ? 1e4f : 2e4f;
        def.material.shear = 0.35f * def.material.young;
        def.material.volume = 50.0f * def.material.young;
        def.filter.mask = 0;
        SnWorldDef world_def = sn_default_world_def();
        SnWorld *world;
        SnBodyId rod;
        assert_ok(sn_world_create(&world_def, &world));
        assert_ok(sn_rod_create(world, &def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        SnMeasures m = sn_world_measure(world);
        double most = m.energy_kinetic + m.energy_elastic + m.energy_gravity;
        for (int k = 0; k < 600; ++k) {
            assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
            m = sn_world_measure(world);
            double now = m.energy_kinetic + m.energy_elastic + m.energy_gravity;
            assert_below(now, most + 0.01 * m.mass * 9.81 * 0.3);
        }
        sn_world_destroy(world);
    }
}

// The fastest that a vertex of a swept rod of 1 m becomes: its end is led in a circle at 3.8 m/s, or it turns about it
// with 3 m/s at the other one.
// Cantilevers so soft that they fold flat as they fall, with nothing to keep them from passing through themselves:
// joints bend by half a turn, and segments shear by more than a right angle. They fall, and that is all the energy there
// is.
static void soft_rods_that_fold_flat_keep_their_energy(void **state) {
    (void)state;
    const struct Fold {
        double young, radius, length;
        int segments;
        bool classic;
    } folds[] = {{1e4, 0.054, 0.82, 13, false},   {2.56e4, 0.041, 0.78, 22, false},
                 {3.5e3, 0.028, 0.43, 13, false}, {1.23e4, 0.037, 0.75, 18, false},
                 {1.1e4, 0.043, 0.91, 23, false}, {1e4, 0.03, 0.6, 20, true}};
    for (int k = 0; k < (int)(sizeof folds / sizeof *folds); k += EVERY) {
        SnWorld *world = make_world(sn_vec3(0, -9.81f, 0));
        const struct Fold *f = &folds[k];
        SnVec3 x[24];
        line_of_points(x, f->segments + 1, sn_vec3(0, 0, 0),
                       sn_vec3((float)(f->length / f->segments), 0, 0));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = f->segments + 1;
        def.positions = x;
        def.radius = (float)f->radius;
        def.classic = f->classic;
        def.material.young = (float)f->young;
        def.filter.mask = 0;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
        double most = 0.0, scale = 0.0;
        for (int n = 0; n < 480; ++n) {
            (void)sn_world_step(world, DT, SUBSTEPS, 1);
            SnMeasures m;
            assert_ok(sn_body_measure(world, rod, &m));
            scale = 0.5 * m.mass * 9.81 * f->length;
            most = fmax(most, m.energy_elastic + m.energy_kinetic + m.energy_gravity);
        }
        if (!(most < 0.01 * scale))
            fail_msg("case %d: %g J from nothing, of %g J", k, most, scale);
        sn_world_destroy(world);
    }
}

static double fastest_swept(int segments, double young, float radius, bool led) {
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnVec3 x[6], v[6] = {{0.0f, 0.0f, 0.0f}};
    line_of_points(x, segments + 1, sn_vec3(0, 0, 0), sn_vec3(1.0f / (float)segments, 0, 0));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = segments + 1;
    def.positions = x;
    def.radius = radius;
    def.material.young = (float)young;
    def.solver = SN_SOLVER_SWEEP;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    SnAttachmentDef hold = sn_default_attachment_def();
    hold.body = rod;
    assert_ok(sn_frame_create(world, (SnPose){x[0], sn_quat_identity()}, &hold.frame));
    assert_ok(sn_attachment_create(world, &hold, NULL));
    for (int k = 0; k <= segments && !led; ++k)
        v[k] = sn_vec3(0.0f, 0.0f, 3.0f * (float)k / (float)segments);
    assert_ok(sn_body_write(world, rod, &(SnBodyState){.velocities = v}));
    double fastest = 0.0;
    for (int n = 1; n <= 240; ++n) {
        double angle = 6.3 * n / 60.0;
        SnPose to = {sn_vec3((float)(0.6 * sin(angle)), 0.0f, (float)(0.6 * (cos(angle) - 1.0))),
                     sn_quat_identity()};
        if (led)
            assert_ok(sn_frame_set_target(world, hold.frame, to));
        sn_world_step(world, DT, SUBSTEPS, 1);
        fastest = fmax(fastest, sn_world_measure(world).speed_max);
    }
    sn_world_destroy(world);
    return fastest;
}

// Radii are light, and volume holds them firmly: with all that sweeps do to them, such rods made 10⁴ m/s.
static void swept_rods_of_few_segments_stay_together(void **state) {
    (void)state;
    static const float radii[] = {0.002f, 0.01f, 0.02f, 0.05f};
    for (int k = 0; k < 4 * 6 * 4 * 2; k += EVERY) {
        int segments = 2 + k % 4, power = 4 + k / 4 % 6;
        float radius = radii[k / 24 % 4];
        double fastest = fastest_swept(segments, pow(10.0, power), radius, k / 96 == 1);
        if (!(fastest < 25.0))
            fail_msg("%d segments, 1e%d Pa, r %g: %g m/s", segments, power, (double)radius,
                     fastest);
    }
}

// Thrown at a thin post at 50 m/s, in any direction: they whirl by radians in a sub-step, dampers or not.
static void what_is_thrown_stays_together(void **state) {
    (void)state;
    for (int k = 0; k < 120; k += EVERY) {
        Rng rng = {(uint64_t)k};
        SnWorld *world = make_world(sn_vec3(0.0f, 0.0f, 0.0f));
        const int vertices = 3 + k % 5;
        SnVec3 x[8],
            d = sn_quat_rotate(rng_quat(&rng), sn_vec3(0.05f / (float)(vertices - 1), 0, 0));
        float off = rng_float(&rng, -0.015, 0.015);
        line_of_points(x, vertices, sn_vec3(rng_float(&rng, 0.2, 1.2), off, 0.0f), d);
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = vertices;
        def.positions = x;
        def.radius = 0.01f;
        def.classic = k % 2 == 0;
        def.material.young = k % 3 ? 1e8f : 1e7f;
        def.material.damping = k % 4 == 3 ? 0.0f : 0.01f;
        def.velocity = sn_vec3(-50.0f, 0.0f, 0.0f);
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        SnColliderDef post = sn_default_collider_def();
        post.kind = SN_COLLIDER_PILL;
        post.radius_a = post.radius_b = 0.005f;
        post.a = sn_vec3(0.0f, 0.0f, -0.5f);
        post.b = sn_vec3(0.0f, 0.0f, 0.5f);
        assert_ok(sn_collider_create(world, &post, NULL));
        SnMeasures start, now;
        assert_ok(sn_body_measure(world, rod, &start));
        for (int step = 0; step < 30; ++step) {
            (void)sn_world_step(world, DT, SUBSTEPS, 1);
            assert_ok(sn_body_measure(world, rod, &now));
            if (!(now.stretch_max < 0.1 && now.energy_kinetic < 1.01 * start.energy_kinetic))
                fail_msg("case %d, step %d: stretched by %g, %g J", k, step, now.stretch_max,
                         now.energy_kinetic);
        }
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_dampers_leave_spins_alone),
        cmocka_unit_test(the_stiffest_rods_spin_on),
        cmocka_unit_test(soft_rods_that_fold_flat_keep_their_energy),
        cmocka_unit_test(twisted_steel_rests),
        cmocka_unit_test(what_tumbles_and_vibrates_keeps_its_momentum),
        cmocka_unit_test(damped_ropes_follow_their_ends),
        cmocka_unit_test(sudden_loads_bend_rods_as_slow_ones_do),
        cmocka_unit_test(soft_thick_ropes_only_lose_energy),
        cmocka_unit_test(blows_leave_what_they_brought),
        cmocka_unit_test(what_is_thrown_stays_together),
        cmocka_unit_test(swept_rods_of_few_segments_stay_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
