// Random muscles whose insertion is thrown about while they pull: they stay in one piece.
#include "muscle_kit.h"

static void describe_random(Spindle *s, Rng *rng) {
    describe_spindle(s, rng_int(rng, 1, 12), rng_int(rng, 5, 13), rng_real(rng, 0.0, 0.6));
    s->def.drive = (SnMuscleDrive)rng_int(rng, 0, 2);
    s->def.stress = rng_log(rng, 1e4, 3e5);
    s->def.shortening = rng_float(rng, 0.1, 0.5);
    s->def.tendon = rng_int(rng, 0, 1) ? rng_float(rng, 0.05, 0.3) : 0.0f;
    s->def.section_compliance = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-7, 1e-3);
    s->def.section_matching = rng_int(rng, 0, 4) == 0 ? SN_MATCH_RIGID : SN_MATCH_SCALED;
    s->def.material.young = rng_log(rng, 8e3, 1e5);
    s->def.material.shear = s->def.material.volume = SN_DERIVED;
}

// Up to 4 cm to and fro and 70° to either side, up to twice a second.
typedef struct Throw {
    double way, turn, rate, activation;
} Throw;

static void throw_insertion(const Spindle *s, const Throw *t, double time) {
    double phase = 2.0 * SUPPORT_PI * t->rate * time;
    SnPose pose = {
        sn_vec3(0.0f, (float)(t->way * sin(phase)), (float)(0.2 - t->way * (1.0 - cos(phase)))),
        turn_about(1.0, 0.0, 0.0, t->turn * sin(phase))};
    assert_ok(sn_frame_set_target(s->world, s->insertion, pose));
    assert_ok(sn_muscle_activate(s->world, s->muscle,
                                 (float)(t->activation * (0.5 - 0.5 * cos(3.0 * time)))));
}

static void random_muscles_stay_in_one_piece(void **test) {
    (void)test;
    static Spindle s;
    Rng rng = {42};
    for (int n = 0; n < 60; ++n) {
        describe_random(&s, &rng);
        Throw t = {rng_real(&rng, 0.0, 0.04), rng_real(&rng, 0.0, 1.2), rng_real(&rng, 0.5, 2.0),
                   rng_real(&rng, 0.0, 1.0)};
        create_spindle(&s, make_world(sn_vec3(0.0f, 0.0f, -9.81f)));
        float volume = read_muscle(&s).volume;
        for (int k = 1; k <= 90; ++k) {
            throw_insertion(&s, &t, k / 60.0);
            uint32_t bits = sn_world_step(s.world, 1.0f / 60.0f, 10, 1);
            assert_int_equal(bits & SN_STEP_RECOVERED, 0);
            assert_near(read_muscle(&s).volume / volume, 1.0,
                        s.def.section_compliance > 0.0f ? 0.2 : 0.03);
            assert_below(sn_world_measure(s.world).energy_kinetic, 2.0);
        }
        sn_world_destroy(s.world);
    }
}

// What is thrown, or stands or hangs between holds, of any size and stiffness, in steps of any length.
#ifdef __SANITIZE_ADDRESS__
#define ANY_MUSCLES 15
#else
#define ANY_MUSCLES 60
#endif

typedef enum Hold { FREE, HELD_ONCE, HELD_TWICE } Hold;

static void describe_any(Spindle *s, Rng *rng, Hold hold, double *out_size) {
    int rods = rng_int(rng, 1, 16), slices = rng_int(rng, 2, 14);
    double size = *out_size = rng_log(rng, 0.05, 5.0);
    describe_spindle(s, rods, slices, rng_real(rng, 0.0, 0.6));
    for (int i = 0; i < rods * slices; ++i) {
        SnVec3 x = s->shape.x[i];
        s->shape.x[i] = sn_vec3((float)(size * x.x), (float)(size * x.y), (float)(size * x.z));
        s->shape.radius[i] *= (float)size;
    }
    s->def.material.young = rng_log(rng, hold == FREE ? 1e4 : 1e5, 2e9);
    s->def.material.shear = s->def.material.volume = SN_DERIVED;
    s->def.material.damping = rng_int(rng, 0, 2) ? 0.0f : rng_log(rng, 1e-4, 1.0);
    s->def.section_matching = rng_int(rng, 0, 3) ? SN_MATCH_SCALED : SN_MATCH_RIGID;
    s->def.origin_free = hold == FREE;
    s->def.insertion_free = hold != HELD_TWICE;
}

static double energy_of(const SnMeasures *m) {
    return m->energy_kinetic + m->energy_gravity + m->energy_stretch + m->energy_shear +
           m->energy_bend + m->energy_twist + m->energy_scale + m->energy_volume;
}

static void throw_vertices(const Spindle *s, Rng *rng, double speed) {
    RodCopy copy;
    copy_rod(s->world, s->muscle, &copy);
    for (int i = 0; i < copy.vertices; ++i)
        copy.v[i] = rng_vec3(rng, speed);
    SnBodyState state = {.velocities = copy.v};
    assert_ok(sn_body_write(s->world, s->muscle, &state));
}

static void muscles_of_any_sort_gain_nothing(void **test) {
    (void)test;
    static Spindle s;
    Rng rng = {5};
    for (int n = 0; n < ANY_MUSCLES; ++n) {
        Hold hold = (Hold)(n % 3);
        double size;
        describe_any(&s, &rng, hold, &size);
        create_spindle_of(&s, make_world(sn_vec3(0.0f, 0.0f, hold == FREE ? 0.0f : -9.81f)), size);
        if (hold == FREE)
            throw_vertices(&s, &rng, 0.3 * size);
        float dt = rng_log(&rng, 1.0 / 1000.0, 1.0 / 30.0);
        int substeps = rng_int(&rng, 1, 20);
        SnMeasures first = sn_world_measure(s.world);
        double volume = (double)read_muscle(&s).volume, before = energy_of(&first);
        // What falls, or what there is; and what float rounds of the places of something stiff.
        double most = fmax(first.energy_kinetic, first.mass * 9.81 * 0.2 * size) * 0.02;
        for (int k = 0; k < 120; ++k) {
            uint32_t bits = sn_world_step(s.world, dt, substeps, 1);
            SnMeasures now = sn_world_measure(s.world);
            assert_int_equal(bits & SN_STEP_RECOVERED, 0);
            assert_below(energy_of(&now) - before, most);
            assert_near((double)read_muscle(&s).volume / volume, 1.0, 0.05);
        }
        sn_world_destroy(s.world);
    }
}

// Muscles so soft that they fold over what holds them. Whole steps of Newton's method went to and fro between states that
// are folded in different ways, and where the last one ended, there was up to 10¹⁵ times as much energy as there had been.
static double gained_by_falling(Spindle *s, double size, double young, float dt) {
    describe_spindle(s, s->shape.rods, s->shape.slices, 0.6);
    for (int i = 0; i < s->shape.rods * s->shape.slices; ++i) {
        SnVec3 x = s->shape.x[i];
        s->shape.x[i] = sn_vec3((float)(size * x.x), (float)(size * x.y), (float)(size * x.z));
        s->shape.radius[i] *= (float)size;
    }
    s->def.material.young = (float)young;
    s->def.material.shear = s->def.material.volume = SN_DERIVED;
    s->def.material.damping = 0.0f;
    s->def.insertion_free = true;
    create_spindle_of(s, make_world(sn_vec3(0.1f, 0.0f, -9.81f)), size);
    SnMeasures first = sn_world_measure(s->world);
    double before = energy_of(&first), most = 0.0;
    for (int k = 0; k < (int)(2.0f / dt); ++k) {
        step_world(s->world, dt, 10, 1);
        SnMeasures now = sn_world_measure(s->world);
        most = fmax(most, energy_of(&now) - before);
    }
    sn_world_destroy(s->world);
    return most / (first.mass * 9.81 * 0.2 * size);
}

static void soft_muscles_fall_over(void **test) {
    (void)test;
    static Spindle s;
    const double sizes[2] = {1.0, 4.0}, young[3] = {8e3, 16e3, 3e4};
    const int rods[3] = {1, 8, 8}, slices[3] = {9, 9, 13};
    for (int n = 0; n < 18; ++n) {
        s.shape.rods = rods[n % 3];
        s.shape.slices = slices[n % 3];
        for (int k = 0; k < 2; ++k)
            assert_below(gained_by_falling(&s, sizes[n / 9], young[n / 3 % 3],
                                           k ? 1.0f / 60.0f : 1.0f / 30.0f),
                         0.01);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(soft_muscles_fall_over),
                                       cmocka_unit_test(random_muscles_stay_in_one_piece),
                                       cmocka_unit_test(muscles_of_any_sort_gain_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
