// Random rods, each alone in its world: whatever they are made of, however they are held and stepped,
// they stay finite, never have more energy than they began with, and come to rest where they should.
//
// What is left out, as in_domain() has it, is where they do not, or not always:
// - Sweeps of rods that are about as stiff as sweeps can find, which may gain energy for a few steps, and of those that
//   would give way by more than twice what they should. Between these, where every step says that sweeps are far off
//   (SN_STEP_SOFT), strain is left out: what one sweep leaves over is there for a step or two.
// - Sub-steps in which gravity alone would move a vertex by more than a fiftieth of a segment: one iteration
//   leaves strains behind that are gone a step later, but are more energy than there was.
// - Rings that are as thick as wide.
// - Soft rods that fold or stretch under their weight until joints turn by more than 90°, and rings of
//   so few segments that they do so from the start.
// - Sub-steps so short that what float frames round is not small against how far they turn.
// - Curved rods that begin twisted, straight ones that begin curved, and curves narrower than the rod is thick.
// - Stiff rods that are soft or begin twisted.
#include "support.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define WORLDS 8 // it takes seven times as long
#define WORK 6e3
#else
#define WORLDS 40
#define WORK 2e4
#endif
#define RODS 16 // in a world
#define MOST_SEGMENTS 500
#define DENSITY 1000.0
#define GRAVITY 9.81

typedef enum Kind { VOLUME, CLASSIC, STIFF } Kind;
typedef enum Held { FREE, HINGED, CLAMPED, BOTH_HINGED, BOTH_CLAMPED } Held;
typedef enum Start { AT_REST, BENT, UNEVEN, SPINNING, TWISTED } Start;

// What rods of one world share, so that a step goes through them side by side.
typedef struct WorldCase {
    Kind kind;
    SnRodSolver solver;
    bool closed, gravity;
    int segments, substeps, iterations;
    double dt;
} WorldCase;

typedef struct RodCase {
    WorldCase in;
    Held held;
    Start start;
    bool straight; // at rest, whatever curve it is made in
    double young, radius, length;
    double curve;         // rad from end to end of an open rod
    double climb;         // of a helix, over its length
    double damping, drag; // s, 1/s
    double amount, spin;
    double twist; // rad, from end to end
} RodCase;

static WorldCase any_world(Rng *rng) {
    int kind = rng_int(rng, 0, 9);
    WorldCase c = {.kind = kind < 5 ? VOLUME : (kind < 8 ? CLASSIC : STIFF)};
    c.solver = (SnRodSolver)rng_int(rng, SN_SOLVER_AUTO, SN_SOLVER_DIRECT);
    c.closed = rng_int(rng, 0, 3) == 0;
    c.gravity = rng_int(rng, 0, 1) == 0;
    c.segments = (int)rng_log(rng, c.closed ? 5 : 3, 501);
    c.substeps = rng_int(rng, 0, 3) ? 10 : rng_int(rng, 1, 4);
    c.iterations = rng_int(rng, 0, 7) ? 1 : rng_int(rng, 2, 4);
    c.dt = (double)rng_log(rng, 1e-3, 1.0 / 30.0);
    return c;
}

static RodCase any_rod(WorldCase world, Rng *rng) {
    RodCase c = {.in = world};
    c.held = (Held)rng_int(rng, FREE, BOTH_CLAMPED);
    c.start = (Start)rng_int(rng, AT_REST, TWISTED);
    c.young = (double)rng_log(rng, 1e4, 2e11);
    c.radius = (double)rng_log(rng, 1e-3, 1e-1);
    c.length = fmin(10.0, c.radius * (double)rng_log(rng, 5, 500));
    c.curve = rng_int(rng, 0, 1) ? rng_real(rng, 0.2, fmin(20.0, 0.3 * world.segments)) : 0.0;
    c.climb = rng_int(rng, 0, 1) ? rng_real(rng, 0.0, 0.9) : 0.0;
    c.straight = rng_int(rng, 0, 9) == 0;
    c.damping = rng_int(rng, 0, 1) ? (double)rng_log(rng, 1e-4, 100) : 0.0;
    c.drag = rng_int(rng, 0, 1);
    c.amount = (double)rng_log(rng, 1e-3, 0.05);
    c.spin = fmin((double)rng_log(rng, 0.3, 20), 20.0 / c.length);
    c.twist = rng_real(rng, 0.0, fmin(6.0, 0.3 * world.segments));
    return c;
}

static double substep(const RodCase *c) { return c->in.dt / c->in.substeps; }
static double segment_length(const RodCase *c) { return c->length / c->in.segments; }

// Young's and the volume modulus that follows from it.
static double modulus(const RodCase *c) { return (c->in.kind == VOLUME ? 51.0 : 1.0) * c->young; }

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

// What sn_rod_sweep_error predicts.
static double sweep_error(const RodCase *c, double h) {
    double r2 = c->radius * c->radius, l2 = segment_length(c) * segment_length(c);
    double bend = 2.0 * c->young * r2 / (l2 * (r2 + l2)), twist = 0.7 * c->young / l2;
    double per_sweep = 0.55 * h * (h + c->damping) * fmax(bend, twist) / DENSITY;
    return 1.0 / (pow(1.0 + 1.0 / per_sweep, c->in.iterations) - 1.0);
}

static bool is_swept(const RodCase *c) {
    return c->in.kind != STIFF && c->in.solver == SN_SOLVER_SWEEP;
}

// Strain of a segment by half a unit in the last place of its ends and of its frame, `far` from the
// origin.
static double rounding(const RodCase *c, double far) {
    return 6e-8 * far / segment_length(c) + 1.2e-7;
}

// Whether there is something to see: what is held at several places would be torn out of its spin, and is no
// free motion; segments of stiff rods have the lengths that they have.
static bool makes_sense(const RodCase *c) {
    bool displaced = c->start == BENT || c->start == UNEVEN;
    if (c->start == SPINNING && (c->held > HINGED || substep(c) * c->spin > 0.1))
        return false;
    if (!c->in.gravity && c->start == AT_REST && c->held != FREE && !c->straight)
        return false;
    return c->in.kind != STIFF || !displaced;
}

static bool in_domain(const RodCase *c) {
    double h = substep(c), l = segment_length(c);
    double soft = c->in.gravity ? DENSITY * GRAVITY * c->length / c->young : 0.0;
    double slender = c->length / c->radius;
    bool strained = c->straight || c->start == TWISTED;
    if (strained && (c->in.closed || c->curve > 0.0 || c->in.kind == STIFF))
        return false;
    if (2.0 * c->curve * c->radius > c->length)
        return false;
    if (c->in.kind == STIFF)
        return slender < 100.0 && soft < 0.1 && c->curve < 6.0;
    if (soft > 0.1 || (c->in.closed && soft * slender * slender > 30.0))
        return false;
    double k = stiffness(modulus(c), h, l);
    double fall = c->in.gravity ? GRAVITY * h * h : 0.0;
    if (fall > 0.02 * l || (h < 5e-4 && k < 1e-2))
        return false;
    if (c->in.closed && c->length < 13.0 * c->radius)
        return false;
    double error = sweep_error(c, h);
    return !is_swept(c) || coarseness(c, h) < 0.1 || (error > 0.1 && error < 1.0);
}

static const char *describe(const RodCase *c) {
    static const char *const kinds[] = {"volume", "classic", "stiff"};
    static const char *const held[] = {"free", "hinged", "clamped", "hinged at both ends",
                                       "clamped at both ends"};
    static const char *const starts[] = {"at rest", "bent", "uneven", "spinning", "twisted"};
    static const char *const solvers[] = {"default", "sweep", "direct"};
    static char text[512];
    (void)snprintf(
        text, sizeof text,
        "%s, %s solver, %s, %s, %s%s%s, %d segments, E %.3g, r %.3g, L %.3g, curve %.3g, "
        "climb %.2g, damping %.3g, drag %g, dt %.4g, %d sub-steps, %d iterations, "
        "amount %.3g, spin %.3g, twist %.3g",
        kinds[c->in.kind], solvers[c->in.solver], held[c->held], starts[c->start],
        c->in.closed ? "closed" : "open", c->in.gravity ? ", heavy" : "",
        c->straight ? ", straight" : "", c->in.segments, c->young, c->radius, c->length, c->curve,
        c->climb, c->damping, c->drag, c->in.dt, c->in.substeps, c->in.iterations, c->amount,
        c->spin, c->twist);
    return text;
}

// A line, an arc, a helix, or a ring that is nearly a circle.
static void rest_point(const RodCase *c, double t, double out[3]) {
    double round = c->in.closed ? 2.0 * SUPPORT_PI : c->curve;
    double climb = c->in.closed ? 0.0 : c->climb;
    out[2] = 0.0;
    if (round == 0.0) {
        out[0] = c->length * t;
        out[1] = 0.0;
        return;
    }
    double flat = c->in.closed ? 0.05 * fmin(c->curve, 6.0) : 0.0;
    double radius = c->length * sqrt(1.0 - climb * climb) / round;
    out[0] = radius * (1.0 + flat) * sin(round * t);
    out[1] = radius * (1.0 - flat) * (1.0 - cos(round * t));
    out[2] = climb * c->length * t;
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
    int far = c->in.closed ? vertices / 2 : vertices - 1,
        far_segment = c->in.closed ? far : far - 1;
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

// Frames are turned about the rod, the farther along the more.
static void twist(SnWorld *world, SnBodyId rod, const RodCase *c) {
    static SnQuat frames[MOST_SEGMENTS];
    SnBodyState state = {.frames = frames};
    assert_ok(sn_body_read(world, rod, &state));
    for (int j = 0; j < c->in.segments; ++j) {
        double along = (j + 0.5) / c->in.segments;
        if (c->in.closed)
            along = 0.5 * sin(2.0 * SUPPORT_PI * along);
        SnQuat about = sn_quat_about(sn_vec3(0.0f, 0.0f, 1.0f), (float)(c->twist * along));
        frames[j] = sn_quat_multiply(frames[j], about);
    }
    assert_ok(sn_body_write(world, rod, &state));
}

static SnBodyId create(SnWorld *world, const RodCase *c, Rng *rng) {
    static SnVec3 x[MOST_SEGMENTS + 1], start[MOST_SEGMENTS + 1];
    const int vertices = c->in.closed ? c->in.segments : c->in.segments + 1;
    SnQuat q = rng_quat(rng);
    for (int i = 0; i < vertices; ++i) {
        double at[3], t = (double)i / c->in.segments;
        rest_point(c, t, at);
        x[i] = turned(q, at[0], at[1], at[2]);
        displace(c, rng, t, at);
        start[i] = turned(q, at[0], at[1], at[2]);
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = vertices;
    def.closed = c->in.closed;
    def.straight = c->straight;
    def.positions = x;
    def.radius = (float)c->radius;
    def.material.density = (float)DENSITY;
    def.material.young = (float)c->young;
    def.material.damping = (float)c->damping;
    def.material.drag = (float)c->drag;
    def.classic = c->in.kind == CLASSIC;
    def.stiff = c->in.kind == STIFF;
    def.solver = c->in.solver;
    def.filter.mask = 0;
    if (c->start == BENT || c->start == UNEVEN)
        def.start_positions = start;
    if (c->start == SPINNING) {
        def.angular_velocity = turned(q, 0.3 * c->spin, 0.0, c->spin);
        if (c->held == HINGED)
            def.velocity = velocity_about_first(x, vertices, c->in.closed, def.angular_velocity);
    }
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    if (c->start == TWISTED)
        twist(world, rod, c);
    hold(world, rod, c, vertices);
    return rod;
}

// What is known of a motion so far.
typedef struct Watch {
    SnBodyId rod;
    double start, most; // J: energy at the start, largest elastic or kinetic energy
    double speed, last; // m/s: the largest, and that of late
    bool told;          // its sweeps are said to be far off
    char wrong[160];    // what was wrong first, if anything
} Watch;

// What rounding makes of nothing. Positions and frames are off by half a unit in every sub-step: that is
// strain, which dampers keep for as long as their relaxation time, and it turns frames, which nothing
// else slows down. And a load that is there from one sub-step to the next is met by a stiff rod with a
// velocity of up to h g/4.
static double rounding_energy(const RodCase *c, double mass, double far, int steps) {
    double h = substep(c), l = segment_length(c), r = c->radius;
    double strain = rounding(c, far), turn = 2.4e-7 / h,
           kick = c->in.gravity ? h * GRAVITY / 4.0 : 0.0;
    double stretched = 0.5 * modulus(c) * SUPPORT_PI * r * r * c->length * strain * strain;
    double turning = 0.5 * mass * 0.25 * (l * l + r * r) * turn * turn * steps * c->in.substeps;
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
        (void)snprintf(w->wrong, sizeof w->wrong, "step %d is not finite", step);
    if (step == 0)
        w->start = energy;
    else if (w->told) // what sweeps leave over is strain that no force belongs to
        energy -= elastic;
    w->most = fmax(w->most, fmax(elastic, kinetic));
    if (step > 0)
        w->speed = fmax(w->speed, m->speed_max);
    double allowed =
        0.01 * w->most + 1e-6 * whole + rounding_energy(c, m->mass, c->length + height, step);
    if (!(energy - w->start <= allowed))
        (void)snprintf(w->wrong, sizeof w->wrong,
                       "step %d: %.3g J more than at the start, of %.3g J; %.3g are allowed", step,
                       energy - w->start, w->most, allowed);
}

// 1/s: how fast all that moves must die out; 0 where something may go on. Drag takes from all
// velocities, but what is damped creeps for as long as its relaxation time; internal damping takes from the
// bending of what is clamped, slowest from the first mode.
static double decay(const RodCase *c) {
    if (c->held == FREE && c->in.gravity)
        return 0.0;
    double rate = c->damping > 0.0 ? fmin(0.5 * c->drag, 1.0 / c->damping) : 0.5 * c->drag;
    if (c->damping > 0.0 && !c->in.closed && c->held == CLAMPED) {
        double omega = 3.516 * 0.5 * c->radius * sqrt(c->young / DENSITY) / (c->length * c->length);
        rate = fmax(rate, fmin(0.5 * c->damping * omega * omega, 0.5 / c->damping));
    }
    return rate;
}

// What a vertex at the far end seems to do while it goes to and fro between two neighbours in float, m/s.
static double rounding_speed(const RodCase *c) { return 1.2e-7 * c->length / substep(c); }

static bool rests(const RodCase *c, double seconds) { return decay(c) * seconds > 3.0; }

// How many rods were tried, and how many of them are wrong.
typedef struct Tally {
    int rods, wrong, wrong_in_domain;
} Tally;

// The world of this seed. All rods that are wrong are told, or the first is a failure.
static void run(uint64_t seed, double seconds, double most_work, bool wide, Tally *tally) {
    Rng rng = {seed};
    RodCase c[RODS];
    Watch w[RODS] = {0};
    WorldCase in = any_world(&rng);
    int count = 0;
    SnWorld *world = make_world(sn_vec3(0.0f, in.gravity ? (float)-GRAVITY : 0.0f, 0.0f));
    const int rods = in.segments > 96 ? 2 : RODS; // long ones are not solved side by side
    for (int tries = 0; count < rods && tries < 20 * RODS; ++tries) {
        c[count] = any_rod(in, &rng);
        if (!makes_sense(&c[count]) || !(wide || in_domain(&c[count])))
            continue;
        w[count].rod = create(world, &c[count], &rng);
        w[count].told =
            sn_rod_sweep_error(world, w[count].rod, (float)in.dt, in.substeps, in.iterations) > 0.1;
        ++count;
    }
    double cost = (in.segments + 4.0) * in.substeps * in.iterations;
    int steps = (int)fmin(ceil(seconds / in.dt), fmax(20.0, most_work / cost));
    const uint32_t bad = ~(uint32_t)(SN_STEP_OK | SN_STEP_SOFT);
    for (int n = 0; n <= steps && count > 0; ++n) {
        uint32_t bits = n == 0 ? 0 : sn_world_step(world, (float)in.dt, in.substeps, in.iterations);
        for (int k = 0; k < count; ++k) {
            if (w[k].wrong[0])
                continue;
            SnMeasures m;
            assert_ok(sn_body_measure(world, w[k].rod, &m));
            watch(&w[k], &c[k], &m, n);
            if (n > 0.9 * steps)
                w[k].last = fmax(w[k].last, m.speed_max);
        }
        if (bits & bad) {
            printf("seed %d, step %d: bits %u\n", (int)seed, n, (unsigned)bits);
            break;
        }
    }
    for (int k = 0; k < count; ++k) {
        if (!w[k].wrong[0] && rests(&c[k], steps * in.dt) &&
            !(w[k].last < 0.3 * w[k].speed + 1e-4 + rounding_speed(&c[k])))
            (void)snprintf(w[k].wrong, sizeof w[k].wrong, "%.3g m/s of %.3g are left after %g s",
                           w[k].last, w[k].speed, steps * in.dt);
        if (!w[k].wrong[0])
            continue;
        ++tally->wrong;
        tally->wrong_in_domain += in_domain(&c[k]);
        if (!wide)
            fail_msg("seed %d: %s: %s", (int)seed, w[k].wrong, describe(&c[k]));
        printf("%d.%d %s| %s: %s\n", (int)seed, k, in_domain(&c[k]) ? "IN" : "out", w[k].wrong,
               describe(&c[k]));
    }
    tally->rods += count;
    (void)fflush(stdout);
    sn_world_destroy(world);
}

static void random_rods_gain_no_energy_and_come_to_rest(void **state) {
    (void)state;
    Tally tally = {0};
    for (int seed = 0; seed < WORLDS; ++seed)
        run((uint64_t)seed, 7.0, WORK, false, &tally);
}

// Without arguments it is a test. With them, it goes through the whole domain, from the world of seed FIRST on:
// test_random_rods FIRST WORLDS SECONDS [WORK].
int main(int argc, char **argv) {
    if (argc > 3) {
        int first = atoi(argv[1]), worlds = atoi(argv[2]);
        Tally tally = {0};
        for (int k = 0; k < worlds; ++k)
            run((uint64_t)(first + k), atof(argv[3]), argc > 4 ? atof(argv[4]) : 1e9, true, &tally);
        printf("%d worlds, %d rods: %d are wrong, %d of them in the domain\n", worlds, tally.rods,
               tally.wrong, tally.wrong_in_domain);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rods_gain_no_energy_and_come_to_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
