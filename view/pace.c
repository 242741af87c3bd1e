#include "view/pace.h"

#include <math.h>

#define MEASURED 0.5 // s between two measurements

double snv_pace_speed(const SnvPace *pace) { return ldexp(1.0, pace->speed); }

static void measure(SnvPace *pace) {
    pace->factor = pace->simulated / pace->wall;
    pace->fps = pace->frames / pace->wall;
    pace->too_slow = pace->dropped;
    pace->dropped = false;
    pace->wall = pace->simulated = pace->frames = 0.0;
}

void snv_pace_begin_frame(SnvPace *pace, double wall, bool moving) {
    if (pace->wall >= MEASURED) {
        measure(pace);
    }
    pace->owed = moving ? pace->owed + wall * snv_pace_speed(pace) : 0.0;
    pace->wall += wall;
    pace->frames += 1.0;
}

bool snv_pace_take_step(SnvPace *pace, double step) {
    if (pace->owed < step) {
        return false;
    }
    pace->owed -= step;
    pace->simulated += step;
    return true;
}

void snv_pace_end_steps(SnvPace *pace, double step) {
    if (pace->owed >= step) {
        pace->owed = fmod(pace->owed, step);
        pace->dropped = true;
    }
}
