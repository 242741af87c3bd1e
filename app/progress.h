// A bar with percent, rate and time left, on stderr if that is a terminal; silent in a pipe.
#pragma once

#include <stdbool.h>

typedef struct Progress {
    bool shown;
    const char *label; // "simulating"
    const char *unit;  // what is counted, "frames"; NULL: no rate
    double total;
    double started, drawn; // ms
} Progress;

Progress progress_begin(const char *label, const char *unit, double total, bool quiet);
void progress_update(Progress *progress, double done);
// Takes the bar away again.
void progress_end(Progress *progress);
