// Restitution: bodies of every kind give back what they should, and never more.
#include "contact_kit.h"

#include <sinew/rigid.h>

typedef enum Kind { SWEPT, VOLUME, CLASSIC, STIFF, RIGID, KINDS } Kind;
static const char *const names[KINDS] = {"swept", "volume", "classic", "stiff", "rigid"};

// A pill, or a rod of as many segments.
typedef struct Stick {
    Kind kind;
    int segments;
    float radius, length;
    SnVec3 centre, d, velocity;
    float restitution;
} Stick;

#define MOST_SEGMENTS 10

static SnBodyId add_stick(SnWorld *world, const Stick *s) {
    SnVec3 x[MOST_SEGMENTS + 1];
    SnRodDef def = line_def(x, s->segments + 1, s->centre, s->d, s->length, s->radius);
    SnBodyId body;
    if (s->kind == RIGID) {
        SnRigidPart part = sn_rigid_pill(x[0], x[s->segments], s->radius);
        SnRigidDef rigid = sn_default_rigid_def();
        rigid.part_count = 1;
        rigid.parts = &part;
        rigid.velocity = s->velocity;
        rigid.surface.restitution = s->restitution;
        assert_ok(sn_rigid_create(world, &rigid, &body));
        return body;
    }
    def.material.young = 1e7f;
    def.material.damping = 0.0f;
    def.classic = s->kind == CLASSIC;
    def.stiff = s->kind == STIFF;
    def.solver = s->kind == VOLUME || s->kind == CLASSIC ? SN_SOLVER_DIRECT : def.solver;
    def.velocity = s->velocity;
    def.surface.restitution = s->restitution;
    return add_rod(world, &def);
}

// How high a stick that falls flat on the floor gets again, and how much energy of motion it has at
// most, as parts of what it had.
typedef struct Bounce {
    double height, energy;
} Bounce;

static Bounce bounce_of(const Stick *stick, float restitution, int substeps, double drop) {
    SnWorld *world = heavy_world();
    SnColliderDef floor = collider_def(SN_COLLIDER_PLANE, sn_vec3(0, 0, 0), 0.5f);
    floor.surface.restitution = restitution;
    add_collider(world, &floor);
    SnBodyId body = add_stick(world, stick);
    SnMeasures first, m;
    assert_ok(sn_body_measure(world, body, &first));
    double scale = 1.0 / (first.mass * GRAVITY * drop), fall = sqrt(2.0 * drop / GRAVITY);
    Bounce b = {0.0, 0.0};
    for (int n = 0; n * (double)DT < 2.1 * fall; ++n) {
        step_world(world, DT, substeps, 1);
        assert_ok(sn_body_measure(world, body, &m));
        double height = 1.0 + scale * (m.energy_gravity - first.energy_gravity);
        b.energy = fmax(b.energy, height + scale * m.energy_kinetic);
        if (n * (double)DT > 1.1 * fall)
            b.height = fmax(b.height, height);
    }
    sn_world_destroy(world);
    return b;
}

static void what_falls_flat_comes_back_as_high_as_it_should(void **state) {
    (void)state;
    const double drops[] = {0.5, 0.6};
    for (int k = 0; k < KINDS; ++k)
        for (int n = 0; n < 8; ++n) {
            int substeps = n % 2 == 0 ? 10 : 40;
            float e = n / 2 % 2 == 0 ? 1.0f : 0.5f;
            double drop = drops[n / 4];
            Stick stick = {.kind = (Kind)k,
                           .segments = 3,
                           .radius = 0.05f,
                           .length = 0.3f,
                           .centre = {0, 0.05f + (float)drop, 0},
                           .d = {0, 0, 1}};
            double part = bounce_of(&stick, e, substeps, drop).height / (double)(e * e);
            if (!(part > 0.95 && part <= (e < 1.0f ? 1.03 : 1.005)))
                fail_msg("%s, restitution %g, %d sub-steps, from %g m: %g of the height", names[k],
                         (double)e, substeps, drop, part);
        }
}

// It hits with one end first, turns, and hits with the other one.
static void what_falls_askew_gains_nothing(void **state) {
    (void)state;
    for (int k = VOLUME; k < KINDS; ++k)
        for (int n = 0; n < 6; ++n) {
            double angle = 0.1 + 0.3 * (n % 3), half = 0.3 * sin(angle);
            Stick stick = {.kind = (Kind)k,
                           .segments = n < 3 ? 1 : 5,
                           .radius = 0.04f,
                           .length = 0.6f,
                           .centre = {0, (float)(0.54 + half), 0},
                           .d = {0, (float)sin(angle), (float)cos(angle)}};
            Bounce b = bounce_of(&stick, 1.0f, 10, 0.5);
            if (!(b.energy < 1.03))
                fail_msg("%s, %d segments, %g rad: energy grows to %g of what it was", names[k],
                         stick.segments, angle, b.energy);
        }
}

typedef struct Row {
    const char *name;
    int count;
    float gap;
    float first, others; // restitution
    double least, most;  // of the kinetic energy that is left
} Row;

static const Row rows[] = {
    {"with gaps", 3, 0.02f, 1, 1, 0.98, 1.005},
    {"nearly touching", 4, 1e-4f, 1, 1, 0.9, 1.005},
    {"touching", 6, 0, 1, 1, 0.98, 1.005},
    {"half of it", 6, 0, 0.5f, 0.5f, 0.2, 0.9},
    // The others learn a little of the blow (docs/physics.md).
    {"only the first", 4, 0, 1, 0, 0.3, 1.02},
};

// Side by side; the first one flies into the others at 1 m/s.
static void rows_keep_their_energy_and_momentum(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; ++k)
        for (size_t n = 0; n < sizeof rows / sizeof rows[0]; ++n) {
            const Row *row = &rows[n];
            SnWorld *world = weightless_world();
            for (int i = 0; i < row->count; ++i) {
                Stick stick = {
                    .kind = (Kind)k,
                    .segments = 3,
                    .radius = 0.05f,
                    .length = 0.3f,
                    .centre = {i == 0 ? -0.12f : (0.1f + row->gap) * (float)(i - 1), 0, 0},
                    .d = {0, 0, 1},
                    .velocity = {i == 0 ? 1 : 0, 0, 0},
                    .restitution = i == 0 ? row->first : row->others};
                add_stick(world, &stick);
            }
            SnMeasures before = sn_world_measure(world);
            run_steps(world, 60, 10);
            SnMeasures after = sn_world_measure(world);
            double left = after.energy_kinetic / before.energy_kinetic;
            if (!(left >= row->least && left <= row->most))
                fail_msg("%s, %s: %g of the energy is left", names[k], row->name, left);
            assert_near(after.momentum[0] / before.momentum[0], 1.0, 1e-5);
            sn_world_destroy(world);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_falls_flat_comes_back_as_high_as_it_should),
        cmocka_unit_test(what_falls_askew_gains_nothing),
        cmocka_unit_test(rows_keep_their_energy_and_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
