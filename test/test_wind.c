// Wind: its statistics against what was asked for, its motion against the mean wind.
#include "support.h"

#include "math/air.h"

#define POINTS 8192 // a multiple of WIND_LANES

typedef struct Points {
    float x[POINTS], y[POINTS], z[POINTS], ux[POINTS], uy[POINTS], uz[POINTS];
} __attribute__((aligned(64))) Points;

static Points points, others; // too large for a stack

static SnFieldDef wind_def(float strength) {
    SnFieldDef def = sn_default_field_def();
    def.kind = SN_FIELD_WIND;
    def.strength = strength;
    return def;
}

static SnFieldDef turbulent_def(uint32_t seed) {
    SnFieldDef def = wind_def(8.0f);
    def.direction = sn_vec3(3.0f, 1.0f, -2.0f);
    def.turbulence = 0.3f;
    def.eddy = 2.0f;
    def.seed = seed;
    return def;
}

static void place_one(const Wind *wind, double x, WindField *field) {
    const double origin[1][3] = {{x, 0.0, 0.0}};
    sn__wind_place(wind, origin, 1, field);
}

static void sample(const Wind *wind, Points *p, int count) {
    WindField field;
    place_one(wind, 0.0, &field);
    sn__air_kernel(SN_ISA_SCALAR)(&field, 1, p->x, p->y, p->z, count, p->ux, p->uy, p->uz);
}

static void scatter(Points *p, uint64_t seed, double size) {
    Rng rng = {seed};
    for (int n = 0; n < POINTS; ++n) {
        p->x[n] = rng_float(&rng, -size, size);
        p->y[n] = rng_float(&rng, -size, size);
        p->z[n] = rng_float(&rng, -size, size);
    }
}

static Vec3d velocity(const Points *p, int n) { return (Vec3d){p->ux[n], p->uy[n], p->uz[n]}; }

// At one place.
static Vec3d air(const Wind *wind, double x, double y, double z) {
    static Points one;
    for (int n = 0; n < WIND_LANES; ++n) {
        one.x[n] = (float)x;
        one.y[n] = (float)y;
        one.z[n] = (float)z;
    }
    sample(wind, &one, WIND_LANES);
    return velocity(&one, 7);
}

// Every component has the rms that was asked for about the mean wind.
static void turbulence_has_the_strength_asked_for(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 8; ++seed) {
        SnFieldDef def = turbulent_def(seed);
        def.turbulence = 0.1f + 0.1f * (float)seed;
        WindState wind_state = {0};
        Wind wind;
        sn__wind_step(&wind_state, &def, 0.01, &wind);
        scatter(&points, seed, 400.0);
        sample(&wind, &points, POINTS);
        Vec3d sum = {0}, squares = {0};
        for (int n = 0; n < POINTS; ++n) {
            Vec3d u = subd(velocity(&points, n), wind.velocity);
            sum = addd(sum, u);
            squares = addd(squares, (Vec3d){u.x * u.x, u.y * u.y, u.z * u.z});
        }
        double rms = 8.0 * (double)def.turbulence;
        assert_near(lengthd(wind.velocity), 8.0, 1e-6);
        assert_below(lengthd(sum) / POINTS, 0.05 * rms);
        assert_near(sqrt(squares.x / POINTS), rms, 0.05 * rms);
        assert_near(sqrt(squares.y / POINTS), rms, 0.05 * rms);
        assert_near(sqrt(squares.z / POINTS), rms, 0.05 * rms);
    }
}

// Central differences over a thousandth of an eddy, in double from the waves themselves: float
// would hide it. The kernel is compared with the same sum.
static Vec3d reference_air(const Wind *wind, Vec3d x) {
    Vec3d u = wind->velocity;
    for (int n = 0; n < WIND_MODES; ++n) {
        double t = wind->phase[n] + dotd(wind->k[n], x), f = t - floor(t + 0.5);
        u = addd(u, scaled(wind->a[n], 8.0 * f - 16.0 * f * fabs(f)));
    }
    return u;
}

static void eddies_have_no_divergence(void **state) {
    (void)state;
    SnFieldDef def = turbulent_def(5);
    WindState wind_state = {0};
    Wind wind;
    sn__wind_step(&wind_state, &def, 0.01, &wind);
    const double d = 1e-3;
    double divergence = 0.0, gradient = 0.0;
    scatter(&points, 11, 30.0);
    sample(&wind, &points, POINTS);
    for (int n = 0; n < POINTS; ++n) {
        Vec3d x = {points.x[n], points.y[n], points.z[n]};
        assert_below(lengthd(subd(reference_air(&wind, x), velocity(&points, n))), 2e-3);
        Vec3d dx = subd(reference_air(&wind, addd(x, (Vec3d){d, 0.0, 0.0})),
                        reference_air(&wind, subd(x, (Vec3d){d, 0.0, 0.0})));
        Vec3d dy = subd(reference_air(&wind, addd(x, (Vec3d){0.0, d, 0.0})),
                        reference_air(&wind, subd(x, (Vec3d){0.0, d, 0.0})));
        Vec3d dz = subd(reference_air(&wind, addd(x, (Vec3d){0.0, 0.0, d})),
                        reference_air(&wind, subd(x, (Vec3d){0.0, 0.0, d})));
        double div = dx.x + dy.y + dz.z;
        divergence += div * div;
        gradient += dotd(dx, dx) + dotd(dy, dy) + dotd(dz, dz);
    }
    assert_true(gradient > 0.0);
    assert_below(sqrt(divergence / gradient), 1e-2);
}

// Most that the air changes per metre: 8 |a| |k| per wave, and the gusts.
static double steepest(const Wind *wind) {
    double most = 0.0;
    for (int n = 0; n < WIND_MODES; ++n)
        most += 8.0 * lengthd(wind->a[n]) * lengthd(wind->k[n]);
    for (int g = 0; g < WIND_GUSTS; ++g)
        most += 8.0 * wind->gust * lengthd(wind->velocity) * lengthd(wind->gust_k[g]);
    return most;
}

static void neighbours_feel_like_winds(void **state) {
    (void)state;
    SnFieldDef def = turbulent_def(3);
    def.gust = 0.5f;
    WindState wind_state = {0};
    Wind wind;
    sn__wind_step(&wind_state, &def, 0.01, &wind);
    const double step = 0.01;
    for (int n = 0; n < POINTS; ++n) {
        points.x[n] = (float)(step * (n - POINTS / 2));
        points.y[n] = 0.5f * points.x[n];
        points.z[n] = -0.3f * points.x[n];
    }
    sample(&wind, &points, POINTS);
    double most = 0.0;
    for (int n = 1; n < POINTS; ++n)
        most = fmax(most, lengthd(subd(velocity(&points, n), velocity(&points, n - 1))));
    assert_below(most, step * 1.16 * steepest(&wind) + 1e-3);
    assert_true(most > 0.0);
}

// The same place, seen from origins near and 10,000 km away.
static void origins_do_not_matter(void **state) {
    (void)state;
    SnFieldDef def = turbulent_def(9);
    def.gust = 0.7f;
    def.profile = 0.15f;
    WindState wind_state = {0};
    Wind wind;
    sn__wind_step(&wind_state, &def, 0.01, &wind);
    WindField near_field, far_field;
    place_one(&wind, 1e7, &near_field);
    place_one(&wind, 1e7 - 16.0, &far_field);
    scatter(&points, 12, 5.0);
    others = points;
    for (int n = 0; n < POINTS; ++n)
        others.x[n] += 16.0f;
    AirKernel *kernel = sn__air_kernel(SN_ISA_SCALAR);
    kernel(&near_field, 1, points.x, points.y, points.z, POINTS, points.ux, points.uy, points.uz);
    kernel(&far_field, 1, others.x, others.y, others.z, POINTS, others.ux, others.uy, others.uz);
    for (int n = 0; n < POINTS; ++n)
        assert_below(lengthd(subd(velocity(&points, n), velocity(&others, n))), 2e-3);
}

// After a time τ the eddies are where the mean wind has carried them, and nowhere else.
static double correlation(double shift, const Wind *later, Vec3d direction) {
    Vec3d s = scaled(direction, shift);
    for (int n = 0; n < POINTS; ++n) {
        others.x[n] = points.x[n] + (float)s.x;
        others.y[n] = points.y[n] + (float)s.y;
        others.z[n] = points.z[n] + (float)s.z;
    }
    sample(later, &others, POINTS);
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (int n = 0; n < POINTS; ++n) {
        Vec3d a = subd(velocity(&points, n), later->velocity);
        Vec3d b = subd(velocity(&others, n), later->velocity);
        ab += dotd(a, b);
        aa += dotd(a, a);
        bb += dotd(b, b);
    }
    return ab / sqrt(aa * bb);
}

static void turbulence_travels_with_the_mean_wind(void **state) {
    (void)state;
    SnFieldDef def = turbulent_def(4);
    def.turbulence = 0.03f; // on its own an eddy travels 0.05 m at most
    WindState wind_state = {0};
    Wind now, later;
    sn__wind_step(&wind_state, &def, 0.01, &now);
    scatter(&points, 13, 50.0);
    sample(&now, &points, POINTS);
    for (int n = 0; n < 20; ++n) // 0.2 s, 1.6 m
        sn__wind_step(&wind_state, &def, 0.01, &later);
    Vec3d direction = scaled(now.velocity, 1.0 / lengthd(now.velocity));
    double best = -1.0, best_shift = 0.0;
    for (double shift = -3.2; shift < 3.3; shift += 0.1) {
        double c = correlation(shift, &later, direction);
        if (c > best) {
            best = c;
            best_shift = shift;
        }
    }
    assert_near(best_shift, 1.6, 0.051);
    assert_true(best > 0.85);
    assert_below(correlation(0.0, &later, direction), 0.5);
    for (int n = 0; n < 2000; ++n) // and after 20 s they are others
        sn__wind_step(&wind_state, &def, 0.01, &later);
    assert_below(fabs(correlation(161.6, &later, direction)), 0.5);
}

// Strength, direction, eddy, turbulence and gusts may change at any step: the phases of all waves go
// on. Near the centre, what the air does relative to its strength does not jump.
static void nothing_jumps_when_the_wind_changes(void **state) {
    (void)state;
    SnFieldDef def = turbulent_def(7);
    def.gust = 0.5f;
    WindState wind_state = {0};
    Wind wind, before;
    const double dt = 1e-3;
    for (int n = 0; n < 500; ++n)
        sn__wind_step(&wind_state, &def, 0.02, &before);
    sn__wind_step(&wind_state, &def, dt, &before);
    for (int n = 0; n < 200; ++n) {
        def.strength = n % 3 == 0 ? 30.0f : 3.0f;
        def.eddy = n % 4 < 2 ? 1.0f : 5.0f;
        def.turbulence = n % 2 ? 0.2f : 0.4f;
        def.gust_period = n % 5 ? 1.0f : 6.0f;
        def.direction = sn_vec3(1.0f, 0.1f * (float)(n % 7), 0.0f);
        sn__wind_step(&wind_state, &def, dt, &wind);
        for (int m = 0; m < WIND_MODES; ++m) {
            double moved = wind.phase[m] - before.phase[m];
            moved -= floor(moved + 0.5);
            // The wave is carried by U dt, and by at most the rms speed on its own.
            assert_below(fabs(moved), lengthd(wind.k[m]) * 1.4 * 30.0 * dt + 1e-9);
        }
        for (int g = 0; g < WIND_GUSTS; ++g) {
            double moved = wind.gust_phase[g] - before.gust_phase[g];
            assert_below(fabs(moved - floor(moved + 0.5)), 1.7 * dt + 1e-9);
        }
        before = wind;
    }
    double speed = wind_state.gust_speed;
    assert_true(speed > 3.0 && speed < 30.0);
    def.strength = 0.0f; // in still air it keeps what it had
    for (int n = 0; n < 1000; ++n)
        sn__wind_step(&wind_state, &def, 0.02, &wind);
    assert_near(wind_state.gust_speed, speed, 1e-12);
    before = wind;
    def.strength = 40.0f;
    for (int n = 0; n < 10000; ++n) { // two wave lengths away, too, gusts go by at their own pace
        sn__wind_step(&wind_state, &def, 0.02, &wind);
        double drift = 2.0 * lengthd(subd(wind.gust_k[1], before.gust_k[1]));
        assert_below(drift / lengthd(wind.gust_k[1]), 0.51 * 0.02 / (double)def.gust_period);
        before = wind;
    }
    assert_near(wind_state.gust_speed, 40.0, 0.1);
}

// Between (1 − gust) and (1 + gust) times the strength, the mean being the strength; no two
// swells alike, and they travel with the wind.
static void gusts_swell_and_fade(void **state) {
    (void)state;
    SnFieldDef def = wind_def(10.0f);
    def.gust = 0.5f;
    def.gust_period = 2.0f;
    def.centre = sn_vec3(3.0f, 0.0f, 0.0f);
    WindState wind_state = {0};
    Wind wind;
    double least = 1e9, most = 0.0, sum = 0.0, peaks[500], last[2] = {0.0, 0.0};
    int peak_count = 0, count = 40000;
    for (int n = 0; n < count; ++n) { // 200 periods
        sn__wind_step(&wind_state, &def, 0.01, &wind);
        Vec3d u = air(&wind, 1.0, 2.0, 3.0);
        assert_true(u.y == 0.0 && u.z == 0.0);
        least = fmin(least, u.x);
        most = fmax(most, u.x);
        sum += u.x;
        if (n > 1 && last[1] > last[0] && last[1] > u.x && peak_count < 500)
            peaks[peak_count++] = last[1];
        last[0] = last[1];
        last[1] = u.x;
    }
    assert_true(least >= 5.0 - 1e-4 && least < 5.3);
    assert_true(most <= 15.0 + 1e-4 && most > 14.7);
    assert_near(sum / count, 10.0, 0.1);
    assert_true(peak_count > 100);
    double low = 1e9, high = 0.0;
    for (int n = 0; n < peak_count; ++n) {
        low = fmin(low, peaks[n]);
        high = fmax(high, peaks[n]);
    }
    assert_true(high - low > 3.0); // a metronome would have 0
    // 4 m downwind they arrive 0.4 s later.
    double here = air(&wind, 1.0, 0.0, 0.0).x;
    for (int n = 0; n < 40; ++n)
        sn__wind_step(&wind_state, &def, 0.01, &wind);
    assert_near(air(&wind, 5.0, 0.0, 0.0).x, here, 0.01);
    assert_true(fabs(air(&wind, 1.0, 0.0, 0.0).x - here) > 0.05);
    // Blown the other way round, they travel the other way.
    def.strength = -10.0f;
    wind_state = (WindState){0};
    sn__wind_step(&wind_state, &def, 0.01, &wind);
    here = air(&wind, 1.0, 0.0, 0.0).x;
    assert_true(here < 0.0);
    for (int n = 0; n < 40; ++n)
        sn__wind_step(&wind_state, &def, 0.01, &wind);
    assert_near(air(&wind, -3.0, 0.0, 0.0).x, here, 0.01);
}

static void wind_grows_with_height(void **state) {
    (void)state;
    SnFieldDef def = wind_def(10.0f);
    def.centre = sn_vec3(0.0f, 100.0f, 0.0f);
    const float profiles[] = {1.0f / 64.0f, 0.125f, 0.25f, 0.390625f, 0.5f};
    for (int k = 0; k < 5; ++k) {
        def.profile = profiles[k];
        WindState wind_state = {0};
        Wind wind;
        sn__wind_step(&wind_state, &def, 0.01, &wind);
        for (double h = 0.5; h < 900.0; h *= 1.7)
            assert_near(air(&wind, 1.0, 100.0 + h, 0.0).x, 10.0 * pow(0.1 * h, (double)profiles[k]),
                        1e-2);
        assert_true(air(&wind, 0.0, 99.0, 0.0).x == 0.0);
        assert_near(air(&wind, 0.0, 1e6, 0.0).x, air(&wind, 0.0, 2e3, 0.0).x, 1e-3);
    }
}

static void instruction_sets_agree(void **state) {
    (void)state;
    WindField fields[3];
    for (uint32_t f = 0; f < 3; ++f) {
        SnFieldDef def = turbulent_def(f);
        def.gust = f == 1 ? 0.0f : 0.6f;
        def.turbulence = f == 2 ? 0.0f : 0.5f;
        def.profile = f == 0 ? 0.0f : 0.2f;
        WindState wind_state = {0};
        Wind wind;
        sn__wind_step(&wind_state, &def, 0.3, &wind);
        double origins[WIND_LANES][3];
        for (int i = 0; i < WIND_LANES; ++i)
            for (int c = 0; c < 3; ++c)
                origins[i][c] = 32.0 * (i - 7 * c);
        sn__wind_place(&wind, origins, WIND_LANES, &fields[f]);
    }
    scatter(&points, 14, 100.0);
    const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f, 12345678.0f, -7654321.0f, 3e38f, -0.0f};
    memcpy(points.x, odd, sizeof odd);
    memcpy(points.y + 4, odd, sizeof odd);
    memcpy(points.z + 20, odd, sizeof odd);
    others = points;
    sn__air_kernel(SN_ISA_SCALAR)(fields, 3, points.x, points.y, points.z, POINTS, points.ux,
                                  points.uy, points.uz);
    for (int n = 0; n < POINTS; ++n)
        assert_below(lengthd(velocity(&points, n)), 200.0); // and so it is finite
    for (int isa = SN_ISA_128; isa <= SN_ISA_AVX512; ++isa) {
        AirKernel *kernel = sn__air_kernel((SnIsa)isa);
        if (kernel == NULL || !sn_isa_available((SnIsa)isa))
            continue;
        kernel(fields, 3, others.x, others.y, others.z, POINTS, others.ux, others.uy, others.uz);
        assert_memory_equal(points.ux, others.ux, sizeof points.ux);
        assert_memory_equal(points.uy, others.uy, sizeof points.uy);
        assert_memory_equal(points.uz, others.uz, sizeof points.uz);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turbulence_has_the_strength_asked_for),
        cmocka_unit_test(eddies_have_no_divergence),
        cmocka_unit_test(neighbours_feel_like_winds),
        cmocka_unit_test(origins_do_not_matter),
        cmocka_unit_test(turbulence_travels_with_the_mean_wind),
        cmocka_unit_test(nothing_jumps_when_the_wind_changes),
        cmocka_unit_test(gusts_swell_and_fade),
        cmocka_unit_test(wind_grows_with_height),
        cmocka_unit_test(instruction_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
