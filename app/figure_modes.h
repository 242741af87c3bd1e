// Modes of vibration: shapes of clamped rods, how far a specimen is along one, and what a series of
// that tells of frequency and decay.
#pragma once

#include "app/figure_specimen.h"

#define MODES_MAX 3
#define SERIES_MAX 8192 // steps

// One coordinate of a specimen over time, and its rate, one sample per step.
typedef struct Series {
    int count;
    double value[SERIES_MAX], rate[SERIES_MAX];
} Series;

// rad/s: mode 1, 2 or 3 of a clamped beam, and the first of a clamped rod that twists.
double bending_frequency(const Specimen *s, int mode);
double torsion_frequency(const Specimen *s);
// Lets the specimen start in the shape of a mode, its largest angle being `angle`. The first segment
// starts straight, as a clamp would hold it where it is.
void start_bending(Specimen *s, int mode, double angle);
void start_torsion(Specimen *s, double angle);

// Runs and adds up samples: along a bending mode, along the twisting one, of the mean scale.
void record_bending(Specimen *s, int mode, double seconds, Series *out);
void record_torsion(Specimen *s, double seconds, Series *out);
void record_breathing(Specimen *s, double seconds, Series *out);

// The mean frequency, from the phase at the start and at the end; `guess` (rad/s) scales the rates.
double series_frequency(const Series *series, double guess);
// The mean amplitude of the period around `time`, over that at the start.
double series_amplitude(const Series *series, double guess, double time);
// The rate of decay, 1/s, of a damped vibration of about the frequency `guess`.
double series_decay(const Series *series, double guess);
