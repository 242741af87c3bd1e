// A bar with percent, rate and time left, on stderr if that is a terminal; silent in a pipe.
#pragma once

#include <stdbool.h>

typedef struct Progress {
    bool shown;
    const char *label;     // "simulating"
    const char *unit;      // what is counted, "frames"; NULL: no rate
    double total;          // 0: nobody knows, and only the time that has passed is shown
    double started, drawn; // ms
    double done;           // of the total
} Progress;

Progress progress_begin(const char *label, const char *unit, double total, bool quiet);
void progress_update(Progress *progress, double done);
// Shows it again if it was not drawn for a second: time goes on although nothing else does.
void progress_tick(Progress *progress);
// Takes the bar away again.
void progress_end(Progress *progress);
