// Random rods, each alone in its world: whatever they are made of, however they are held and stepped,
// they stay finite, never have more energy than they began with, and come to rest where they should.
//
// What is left out, as in_domain() has it, is where they do not, or not always:
// - Sweeps of rods that are too stiff for them: what they miss comes back as energy. Whoever asks for
//   them has to choose the sub-step, and so has who leaves the choice to the default and takes much
//   longer sub-steps than the 1/600 s that it thinks of.
// - Sub-steps in which gravity alone would move a vertex by more than a fiftieth of a segment: one iteration
//   leaves strains behind that are gone a step later, but are more energy than there was.
// - Rings that are as thick as wide.
// - Soft rods that fold or stretch under their weight until joints turn by more than 90°, and rings of
//   so few segments that they do so from the start.
// - Sub-steps so short that what float frames round is not small against how far they turn.
#include "support.h"

#ifdef __SANITIZE_ADDRESS__
#define RODS 120 // it takes seven times as long
#define WORK 6e3
#else
#define RODS 400
#define WORK 2e4
#endif
#define DENSITY 1000.0
#define GRAVITY 9.81

typedef enum Kind { VOLUME, CLASSIC, STIFF } Kind;
typedef enum Held { FREE, HINGED, CLAMPED, BOTH_HINGED, BOTH_CLAMPED } Held;
typedef enum Start { AT_REST, BENT, UNEVEN, SPINNING } Start;

typedef struct RodCase {
    Kind kind;
    SnRodSolver solver;
    Held held;
    Start start;
    bool closed, gravity;
    int segments, substeps, iterations;
    double young, radius, length;
    double curve;         // rad from end to end of an open rod
    double damping, drag; // s, 1/s
    double dt, amount, spin;
} RodCase;

static RodCase any_case(Rng *rng) {
    int kind = rng_int(rng, 0, 9);
    RodCase c = {.kind = kind < 5 ? VOLUME : (kind < 9 ? CLASSIC : STIFF)};
    c.solver = (SnRodSolver)rng_int(rng, SN_SOLVER_AUTO, SN_SOLVER_DIRECT);
    c.held = (Held)rng_int(rng, FREE, BOTH_CLAMPED);
    c.start = (Start)rng_int(rng, AT_REST, SPINNING);
    c.closed = rng_int(rng, 0, 3) == 0;
    c.gravity = rng_int(rng, 0, 1) == 0;
    c.segments = (int)rng_log(rng, c.closed ? 7 : 3, 301);
    c.substeps = (int)rng_log(rng, 1, 21);
    c.iterations = rng_int(rng, 1, 3);
    c.young = (double)rng_log(rng, 1e4, 2e11);
    c.radius = (double)rng_log(rng, 1e-3, 1e-1);
    c.length = fmin(5.0, c.radius * (double)rng_log(rng, 5, 100));
    c.curve = rng_int(rng, 0, 1) ? rng_real(rng, 0.2, fmin(6.0, 0.3 * c.segments)) : 0.0;
    c.damping = rng_int(rng, 0, 1) ? (double)rng_log(rng, 1e-4, 100) : 0.0;
    c.drag = rng_int(rng, 0, 1);
    c.dt = (double)rng_log(rng, 1e-3, 1.0 / 30.0);
    c.amount = (double)rng_log(rng, 1e-3, 0.05);
    c.spin = fmin((double)rng_log(rng, 0.3, 20), 20.0 / c.length);
    return c;
}

static double substep(const RodCase *c) { return c->dt / c->substeps; }
static double segment_length(const RodCase *c) { return c->length / c->segments; }

// Young's and the volume modulus that follows from it.
static double modulus(const RodCase *c) { return (c->kind == VOLUME ? 51.0 : 1.0) * c->young; }

// k/m of stretch in a sub-step of length h.
static double stiffness(double modulus, double h, double l) {
    return modulus * h * h / (3.0 * DENSITY * l * l);
}

// How a rod compares with what sweeps can find in a sub-step of length h (physics.md, "Which one").
static double coarseness(const RodCase *c, double h) {
    double r2 = c->radius * c->radius, l2 = segment_length(c) * segment_length(c);
    double bend = 2.0 * c->young * r2 / (l2 * (r2 + l2)) / 0.1;
    double shear = modulus(c) / l2 * (2.0 + 4.0 * l2 / (r2 + l2)) / 30.0;
    return h * (h + c->damping) * fmax(bend, shear) / DENSITY;
}

static bool is_swept(const RodCase *c) { return c->solver == SN_SOLVER_SWEEP; }

// Strain of a segment by half a unit in the last place of its ends and of its frame, `far` from the
// origin.
static double rounding(const RodCase *c, double far) {
    return 6e-8 * far / segment_length(c) + 1.2e-7;
}

static bool in_domain(const RodCase *c) {
    double h = substep(c), l = segment_length(c);
    bool displaced = c->start == BENT || c->start == UNEVEN;
    if (c->start == SPINNING && (c->held > HINGED || h * c->spin > 0.1))
        return false; // what is held would be torn out of its spin, and is no free motion
    if (!c->gravity && c->start == AT_REST && c->held != FREE)
        return false;
    if (c->kind == STIFF)
        return !displaced; // its segments have the lengths that they have
    double soft = c->gravity ? DENSITY * GRAVITY * c->length / c->young : 0.0;
    double slender = c->length / c->radius;
    if (soft > 0.1 || (c->closed && soft * slender * slender > 30.0))
        return false;
    double k = stiffness(modulus(c), h, l);
    double fall = c->gravity ? GRAVITY * h * h : 0.0;
    if (fall > 0.02 * l || (h < 5e-4 && k < 1e-2))
        return false;
    if (c->closed && c->length < 13.0 * c->radius)
        return false;
    return !is_swept(c) || coarseness(c, h) < 0.1;
}

static const char *describe(const RodCase *c) {
    static const char *const kinds[] = {"volume", "classic", "stiff"};
    static const char *const held[] = {"free", "hinged", "clamped", "hinged at both ends",
                                       "clamped at both ends"};
    static const char *const starts[] = {"at rest", "bent", "uneven", "spinning"};
    static const char *const solvers[] = {"default", "sweep", "direct"};
    static char text[512];
    (void)snprintf(
        text, sizeof text,
        "%s, %s solver, %s, %s, %s%s, %d segments, E %.3g, r %.3g, L %.3g, curve %.3g, "
        "damping %.3g, drag %g, dt %.4g, %d sub-steps, %d iterations, amount %.3g, spin %.3g",
        kinds[c->kind], solvers[c->solver], held[c->held], starts[c->start],
        c->closed ? "closed" : "open", c->gravity ? ", heavy" : "", c->segments, c->young,
        c->radius, c->length, c->curve, c->damping, c->drag, c->dt, c->substeps, c->iterations,
        c->amount, c->spin);
    return text;
}

// An arc, or a ring that is nearly a circle, in the plane of the first two axes.
static void rest_point(const RodCase *c, double t, double out[3]) {
    double round = c->closed ? 2.0 * SUPPORT_PI : c->curve;
    if (round == 0.0) {
        out[0] = c->length * t;
        out[1] = 0.0;
    } else {
        double flat = c->closed ? 0.05 * c->curve : 0.0, radius = c->length / round;
        out[0] = radius * (1.0 + flat) * sin(round * t);
        out[1] = radius * (1.0 - flat) * (1.0 - cos(round * t));
    }
    out[2] = 0.0;
}

static void displace(const RodCase *c, Rng *rng, double t, double at[3]) {
    double turn = 2.0 * SUPPORT_PI * t, size = c->amount * c->length / (2.0 * SUPPORT_PI);
    if (c->start == BENT) {
        at[0] *= 1.0 + 0.3 * c->amount;
        at[1] += size * sin(turn);
        at[2] += size * cos(2.0 * turn);
    }
    for (int k = 0; c->start == UNEVEN && k < 3; ++k)
        at[k] += 0.3 * c->amount * segment_length(c) * rng_real(rng, -1.0, 1.0);
}

// In any direction.
static SnVec3 turned(SnQuat q, double x, double y, double z) {
    return sn_quat_rotate(q, sn_vec3((float)x, (float)y, (float)z));
}

static void hold(SnWorld *world, SnBodyId rod, const RodCase *c, int vertices) {
    int far = c->closed ? vertices / 2 : vertices - 1, far_segment = c->closed ? far : far - 1;
    if (c->held != FREE)
        pin(world, rod, SN_ATTACH_VERTEX, 0);
    if (c->held == CLAMPED || c->held == BOTH_CLAMPED)
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
    if (c->held == BOTH_HINGED || c->held == BOTH_CLAMPED)
        pin(world, rod, SN_ATTACH_VERTEX, far);
    if (c->held == BOTH_CLAMPED)
        pin(world, rod, SN_ATTACH_SEGMENT, far_segment);
}

// The velocity with which a rod that spins about its centre of mass does not move its first vertex.
static SnVec3 velocity_about_first(const SnVec3 *x, int vertices, bool closed, SnVec3 spin) {
    SnVec3 arm = sn_vec3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < vertices; ++i) {
        float part = (closed || (i > 0 && i < vertices - 1) ? 1.0f : 0.5f) /
                     (float)(closed ? vertices : vertices - 1);
        arm = sn_vec3_add(arm, sn_vec3_scale(sn_vec3_sub(x[i], x[0]), part));
    }
    return sn_vec3_cross(spin, arm);
}

static SnWorld *create(const RodCase *c, Rng *rng) {
    static SnVec3 x[COPY_MAX + 64], start[COPY_MAX + 64];
    const int vertices = c->closed ? c->segments : c->segments + 1;
    SnQuat q = rng_quat(rng);
    for (int i = 0; i < vertices; ++i) {
        double at[3], t = (double)i / c->segments;
        rest_point(c, t, at);
        x[i] = turned(q, at[0], at[1], at[2]);
        displace(c, rng, t, at);
        start[i] = turned(q, at[0], at[1], at[2]);
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = vertices;
    def.closed = c->closed;
    def.positions = x;
    def.radius = (float)c->radius;
    def.material.density = (float)DENSITY;
    def.material.young = (float)c->young;
    def.material.damping = (float)c->damping;
    def.material.drag = (float)c->drag;
    def.classic = c->kind == CLASSIC;
    def.stiff = c->kind == STIFF;
    def.solver = c->solver;
    def.filter.mask = 0;
    if (c->start == BENT || c->start == UNEVEN)
        def.start_positions = start;
    if (c->start == SPINNING) {
        def.angular_velocity = turned(q, 0.3 * c->spin, 0.0, c->spin);
        if (c->held == HINGED)
            def.velocity = velocity_about_first(x, vertices, c->closed, def.angular_velocity);
    }
    SnWorld *world = make_world(sn_vec3(0.0f, c->gravity ? (float)-GRAVITY : 0.0f, 0.0f));
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    hold(world, rod, c, vertices);
    return world;
}

// What is known of a motion so far.
typedef struct Watch {
    double start, most; // J: energy at the start, largest elastic or kinetic energy
    double speed, last; // m/s: the largest, and that of late
} Watch;

// What rounding makes of nothing. Positions and frames are off by half a unit in every sub-step: that is
// strain, which dampers keep for as long as their relaxation time, and it turns frames, which nothing
// else slows down. And a load that is there from one sub-step to the next is met by a stiff rod with a
// velocity of up to h g/4.
static double rounding_energy(const RodCase *c, double mass, double far, int steps) {
    double h = substep(c), l = segment_length(c), r = c->radius;
    double strain = rounding(c, far), turn = 2.4e-7 / h,
           kick = c->gravity ? h * GRAVITY / 4.0 : 0.0;
    double stretched = 0.5 * modulus(c) * SUPPORT_PI * r * r * c->length * strain * strain;
    double turning = 0.5 * mass * 0.25 * (l * l + r * r) * turn * turn * steps * c->substeps;
    return 1e-6 * mass * GRAVITY * c->length + 10.0 * stretched * (1.0 + c->damping / h) +
           30.0 * turning + 0.5 * mass * kick * kick;
}

// Free rods fall as a whole; what they do besides must not hide in that.
static void watch(Watch *w, const RodCase *c, const SnMeasures *m, int step) {
    double elastic = m->energy_elastic;
    double kinetic = m->energy_kinetic, height = 0.0, whole = 0.0;
    const double *p = m->momentum;
    if (c->held == FREE) {
        whole = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (2.0 * m->mass);
        kinetic -= whole;
        height = fabs(m->energy_gravity) / (m->mass * GRAVITY);
    }
    double energy = elastic + kinetic + (c->held == FREE ? 0.0 : m->energy_gravity);
    if (!isfinite(energy + m->speed_max))
        fail_msg("step %d is not finite: %s", step, describe(c));
    if (step == 0)
        w->start = energy;
    w->most = fmax(w->most, fmax(elastic, kinetic));
    if (step > 0)
        w->speed = fmax(w->speed, m->speed_max);
    double allowed =
        0.01 * w->most + 1e-6 * whole + rounding_energy(c, m->mass, c->length + height, step);
    if (!(energy - w->start <= allowed))
        fail_msg("step %d: %.3g J more than at the start, of %.3g J; %.3g are allowed: %s", step,
                 energy - w->start, w->most, allowed, describe(c));
}

// 1/s: how fast all that moves must die out; 0 where something may go on. Drag takes from all
// velocities, but what is damped creeps for as long as its relaxation time; internal damping takes from the
// bending of what is clamped, slowest from the first mode.
static double decay(const RodCase *c) {
    if (c->held == FREE && c->gravity)
        return 0.0;
    double rate = c->damping > 0.0 ? fmin(0.5 * c->drag, 1.0 / c->damping) : 0.5 * c->drag;
    if (c->damping > 0.0 && !c->closed && c->held == CLAMPED) {
        double omega = 3.516 * 0.5 * c->radius * sqrt(c->young / DENSITY) / (c->length * c->length);
        rate = fmax(rate, fmin(0.5 * c->damping * omega * omega, 0.5 / c->damping));
    }
    return rate;
}

static bool rests(const RodCase *c, double seconds) { return decay(c) * seconds > 3.0; }

static void run(const RodCase *c, Rng *rng) {
    SnWorld *world = create(c, rng);
    double cost = (c->segments + 4.0) * c->substeps * c->iterations;
    double seconds = decay(c) > 0.4 ? 7.0 : 3.0;
    int steps = (int)fmin(ceil(seconds / c->dt), fmax(20.0, WORK / cost));
    Watch w = {0};
    SnMeasures m = sn_world_measure(world);
    watch(&w, c, &m, 0);
    for (int n = 1; n <= steps; ++n) {
        uint32_t bits = sn_world_step(world, (float)c->dt, c->substeps, c->iterations);
        if (bits != SN_STEP_OK)
            fail_msg("step %d returned %u: %s", n, (unsigned)bits, describe(c));
        m = sn_world_measure(world);
        watch(&w, c, &m, n);
        if (n > 0.9 * steps)
            w.last = fmax(w.last, m.speed_max);
    }
    if (rests(c, steps * c->dt) && !(w.last < 0.3 * w.speed + 1e-4))
        fail_msg("%.3g m/s of %.3g are left after %g s: %s", w.last, w.speed, steps * c->dt,
                 describe(c));
    sn_world_destroy(world);
}

static void random_rods_gain_no_energy_and_come_to_rest(void **state) {
    (void)state;
    for (int seed = 0; seed < RODS; ++seed) {
        Rng rng = {(uint64_t)seed};
        RodCase c;
        do
            c = any_case(&rng);
        while (!in_domain(&c));
        run(&c, &rng);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rods_gain_no_energy_and_come_to_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
