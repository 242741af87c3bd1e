// The pace of a viewer: steps that follow the wall clock, and how well they do.
#pragma once

#include <stdbool.h>

#define SNV_SLOWEST (-4) // 1/16
#define SNV_FASTEST 2    // 4

typedef struct SnvPace {
    int speed;   // real time × 2^speed
    double owed; // s of the simulation that are due
    // Over the last moments:
    double wall, simulated; // s
    double frames;
    double factor, fps; // measured: simulated by wall time, and frames per second
    bool too_slow;      // steps were dropped
    bool dropped;       // since the last measurement
} SnvPace;

double snv_pace_speed(const SnvPace *pace); // 0.0625 to 4
// A frame begins, `wall` seconds after the one before. With `moving` false nothing comes due.
void snv_pace_begin_frame(SnvPace *pace, double wall, bool moving);
// True if a step of that length is due; it is then paid for.
bool snv_pace_take_step(SnvPace *pace, double step);
// The time for steps is over: what is still owed is dropped, but for less than one step.
void snv_pace_end_steps(SnvPace *pace, double step);
