#include "math/wind.h"

#include <assert.h>

#include "base/hash.h"

// Of gust waves: frequencies relative to the strongest (1, the golden ratio, 1/√7) and shares.
static const double gust_ratio[WIND_GUSTS] = {1.0, 1.6180339887498949, 0.37796447300922720};
static const double gust_share[WIND_GUSTS] = {0.5, 0.2, 0.3};

#define WAVE_VARIANCE (8.0 / 15.0)          // mean of the square of the wave made of parabolas
#define OCTAVE_VARIANCE 0.62996052494743658 // 2^(−2/3)
#define THIRD_OF_OCTAVE 1.2599210498948732  // 2^(1/3)

// Gusts travel with this if they begin in still air: there is no wind yet to tell.
#define CALM_GUST_SPEED 10.0
// Periods over which the speed of gusts follows that of the wind.
#define GUST_MEMORY 4.0
#define GUST_LENGTH_MIN 1e-3 // m

static double random_unit(uint64_t *random) {
    *random = sn__hash_mix(*random, 0xD1B54A32D192ED03u);
    return (double)(sn__hash_mix(*random, 0x8CB92BA72F3D8DD7u) >> 11) * 0x1p-53;
}

static Quatd random_turn(uint64_t *random) {
    for (;;) {
        double x = 2.0 * random_unit(random) - 1.0, y = 2.0 * random_unit(random) - 1.0;
        double z = 2.0 * random_unit(random) - 1.0, w = 2.0 * random_unit(random) - 1.0;
        double n = x * x + y * y + z * z + w * w;
        if (n > 0.01 && n <= 1.0)
            return normalisedq((Quatd){x, y, z, w});
    }
}

// To [−½, ½]. Adding and subtracting the large number rounds to an integer.
static double wrapped(double phase) {
    const double large = 0x1.8p52;
    return phase - ((phase + large) - large);
}

// The waves of the turbulence, and their phases a step later. Each also moves on its own, to
// either side, with half to all of the rms speed, as eddies do that turn each other over.
static void step_modes(WindState *state, const SnFieldDef *def, double dt, Wind *wind) {
    assert(def->eddy > 0.0f && def->turbulence >= 0.0f);
    double speed = (double)def->turbulence * fabs((double)def->strength), variance = 0.0;
    for (int o = 0; o < WIND_OCTAVES; ++o)
        variance = 1.0 + OCTAVE_VARIANCE * variance;
    double amplitude = speed / sqrt(WAVE_VARIANCE * variance), decay = sqrt(OCTAVE_VARIANCE);
    uint64_t random = sn__hash_mix(0x57696E64u, def->seed);
    double k = 1.0 / (double)def->eddy;
    for (int o = 0; o < WIND_OCTAVES; ++o, amplitude *= decay) {
        Quatd turn = random_turn(&random);
        const Vec3d axis[3] = {rotated(turn, (Vec3d){1.0, 0.0, 0.0}),
                               rotated(turn, (Vec3d){0.0, 1.0, 0.0}), axis_z(turn)};
        for (int c = 0; c < 3; ++c, k *= THIRD_OF_OCTAVE) {
            int n = 3 * o + c;
            double jitter = k * (0.95 + 0.1 * random_unit(&random));
            double start = random_unit(&random), own = 2.0 * random_unit(&random) - 1.0;
            own += own < 0.0 ? -1.0 : 1.0;
            wind->k[n] = scaled(axis[c], jitter);
            wind->a[n] = scaled(axis[(c + 1) % 3], amplitude);
            double rate = dotd(wind->k[n], wind->velocity) + 0.5 * own * jitter * speed;
            state->phase[n] = wrapped(state->phase[n] - rate * dt);
            wind->phase[n] = wrapped(state->phase[n] + start);
        }
    }
    wind->turbulent = speed > 0.0;
}

// The wave length of gusts is what they travel in a period. Their speed follows that of the wind
// slowly, by at most a quarter in a period, and not at all in still air: else the pattern would rush
// past everything far from the centre.
static void step_gusts(WindState *state, const SnFieldDef *def, double dt, Vec3d direction,
                       Wind *wind) {
    double speed = fabs((double)def->strength), period = (double)def->gust_period;
    assert(period > 0.0);
    double *carried = &state->gust_speed;
    if (!(*carried > 0.0))
        *carried = speed > 0.0 ? speed : CALM_GUST_SPEED;
    double likeness = fmin(speed / *carried, *carried / fmax(speed, 1e-9));
    *carried += (speed - *carried) * likeness * dt / (dt + GUST_MEMORY * period);
    state->gust += dt / period;
    double k = 1.0 / fmax(*carried * period, GUST_LENGTH_MIN);
    uint64_t random = sn__hash_mix(0x47757374u, def->seed);
    for (int g = 0; g < WIND_GUSTS; ++g) {
        wind->gust_k[g] = scaled(direction, k * gust_ratio[g]);
        wind->gust_phase[g] = wrapped(random_unit(&random) - state->gust * gust_ratio[g]);
    }
    wind->gust = (double)def->gust;
}

void sn__wind_step(WindState *state, const SnFieldDef *def, double dt, Wind *out_wind) {
    assert(def->kind == SN_FIELD_WIND && dt > 0.0 && isfinite(dt));
    Vec3d d = vec3d(def->direction);
    d = scaled(d, (def->strength < 0.0f ? -1.0 : 1.0) / lengthd(d));
    out_wind->centre = vec3d(def->centre);
    out_wind->velocity = scaled(d, fabs((double)def->strength));
    out_wind->profile = (double)def->profile;
    step_gusts(state, def, dt, d, out_wind);
    step_modes(state, def, dt, out_wind);
    double most = 1e-9;
    for (int g = 0; g < WIND_GUSTS; ++g)
        most = fmax(most, lengthd(out_wind->gust_k[g]));
    for (int n = 0; n < WIND_MODES; ++n)
        most = fmax(most, lengthd(out_wind->k[n]));
    out_wind->reach = 0x1p21 / most;
}

static void floats(float out[3], Vec3d v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static void place_wave(double phase, Vec3d k, const Vec3d *from, float *out) {
    for (int i = 0; i < WIND_LANES; ++i)
        out[i] = (float)wrapped(phase + dotd(k, from[i]));
}

void sn__wind_place(const Wind *wind, const double (*origins)[3], int count, WindField *out_field) {
    assert(count >= 1 && count <= WIND_LANES);
    Vec3d from[WIND_LANES];
    for (int i = 0; i < WIND_LANES; ++i) {
        const double *origin = origins[i < count ? i : count - 1];
        from[i] = subd((Vec3d){origin[0], origin[1], origin[2]}, wind->centre);
        out_field->ground[i] = (float)-from[i].y;
    }
    floats(out_field->velocity, wind->velocity);
    out_field->reach = (float)wind->reach;
    out_field->profile64 = (int)(64.0 * wind->profile + 0.5);
    out_field->gusts = wind->gust > 0.0 ? WIND_GUSTS : 0;
    for (int g = 0; g < out_field->gusts; ++g) {
        out_field->gust[g] = (float)(wind->gust * gust_share[g]);
        floats(out_field->gust_k[g], wind->gust_k[g]);
        place_wave(wind->gust_phase[g], wind->gust_k[g], from, out_field->gust_phase[g]);
    }
    out_field->modes = wind->turbulent ? WIND_MODES : 0;
    for (int n = 0; n < out_field->modes; ++n) {
        floats(out_field->k[n], wind->k[n]);
        floats(out_field->a[n], wind->a[n]);
        place_wave(wind->phase[n], wind->k[n], from, out_field->phase[n]);
    }
}
