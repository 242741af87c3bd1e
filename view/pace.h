// The pace of a viewer: steps that follow the wall clock, and how well they do.
#pragma once

#include <stdbool.h>

#define VIEW_SLOWEST (-4) // 1/16
#define VIEW_FASTEST 2    // 4

typedef struct ViewPace {
    int speed;   // real time × 2^speed
    double owed; // s of the simulation that are due
    // Over the last moments:
    double wall, simulated; // s
    double frames;
    double factor, fps; // measured: simulated by wall time, and frames per second
    bool too_slow;      // steps were dropped
    bool dropped;       // since the last measurement
} ViewPace;

double view_pace_speed(const ViewPace *pace); // 0.0625 to 4
// A frame begins, `wall` seconds after the one before. With `moving` false nothing comes due.
void view_pace_begin_frame(ViewPace *pace, double wall, bool moving);
// True if a step of that length is due; it is then paid for.
bool view_pace_take_step(ViewPace *pace, double step);
// The time for steps is over: what is still owed is dropped, but for less than one step.
void view_pace_end_steps(ViewPace *pace, double step);
