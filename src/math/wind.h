// Wind: a mean, gusts and turbulence, for every kind of body.
//
// The air's velocity at x, with d the direction and U the speed of the wind:
//
//     u(x) = U profile(height) (1 + gust Σ w wave(p)) d + turbulence U Σ a wave(k·x + φ)
//
// wave is a sine made of parabolas, of period 1. Gusts are three waves that travel along d, with
// periods that have no common multiple. Turbulence is WIND_MODES plane waves, three to an octave,
// each with a across k, so that its divergence is 0. The three of an octave have their k along the
// axes of a frame turned at random, and their a along the next axis: the variance is the same in all
// directions. From octave to octave it falls as k^(−2/3) (Kolmogorov's spectrum).
//
// Phases φ are integrated from step to step: d φ/dt = −k·(U d), turbulence is carried along by the
// mean wind (Taylor), and a little more or less, so that it changes while it travels. Nothing
// jumps when the wind changes its strength or direction.
#pragma once

#include "math/vec.h"
#include "sinew/field.h"

#define WIND_GUSTS 3
#define WIND_OCTAVES 4
#define WIND_MODES (3 * WIND_OCTAVES)
#define WIND_LANES 16

// What goes on from step to step; all 0 at first.
typedef struct WindState {
    double gust;              // periods of the strongest gust wave
    double gust_speed;        // m/s that gusts travel with; 0: not known yet
    double phase[WIND_MODES]; // periods, in [−½, ½]
} WindState;

// A wind during one step, in the coordinates of the world.
typedef struct Wind {
    Vec3d centre, velocity; // m, and m/s of the mean wind
    double gust;            // relative to it
    double gust_phase[WIND_GUSTS];
    Vec3d gust_k[WIND_GUSTS]; // periods per metre
    double phase[WIND_MODES];
    Vec3d k[WIND_MODES], a[WIND_MODES]; // periods per metre, m/s
    bool turbulent;
    double profile;
    double reach; // m from an origin: farther away float cannot tell one phase from another
} Wind;

// All winds of one step: their velocities add up. It is one air, as dense as the densest of them.
typedef struct Air {
    int count;
    float density; // kg/m³
    Wind winds[SN_MAX_FIELDS];
} Air;

typedef float WindRow[WIND_LANES] __attribute__((aligned(64)));

// A wind as the kernels see it: positions are relative to an origin per lane, whose part of the
// phases was added in double precision.
typedef struct WindField {
    WindRow gust_phase[WIND_GUSTS], phase[WIND_MODES], ground;
    float velocity[3];
    float gust[WIND_GUSTS], gust_k[WIND_GUSTS][3];
    float k[WIND_MODES][3], a[WIND_MODES][3];
    float reach;
    int gusts;     // 0: none
    int modes;     // 0: no turbulence
    int profile64; // exponent of the profile, in 64ths
} WindField;

// The wind in a step of dt; the state goes on. The definition has been checked.
void sn__wind_step(WindState *state, const SnFieldDef *def, double dt, Wind *out_wind);
// As seen from origins, one per lane; lanes beyond `count` (at least 1) share the last one.
void sn__wind_place(const Wind *wind, const double (*origins)[3], int count, WindField *out_field);
