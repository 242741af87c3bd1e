#include "view/pace.h"

#include <math.h>

#define MEASURED 0.5 // s between two measurements

double view_pace_speed(const ViewPace *pace) { return ldexp(1.0, pace->speed); }

static void measure(ViewPace *pace) {
    pace->factor = pace->simulated / pace->wall;
    pace->fps = pace->frames / pace->wall;
    pace->too_slow = pace->dropped;
    pace->dropped = false;
    pace->wall = pace->simulated = pace->frames = 0.0;
}

void view_pace_begin_frame(ViewPace *pace, double wall, bool moving) {
    if (pace->wall >= MEASURED)
        measure(pace);
    pace->owed = moving ? pace->owed + wall * view_pace_speed(pace) : 0.0;
    pace->wall += wall;
    pace->frames += 1.0;
}

bool view_pace_take_step(ViewPace *pace, double step) {
    if (pace->owed < step)
        return false;
    pace->owed -= step;
    pace->simulated += step;
    return true;
}

void view_pace_end_steps(ViewPace *pace, double step) {
    if (pace->owed >= step) {
        pace->owed = fmod(pace->owed, step);
        pace->dropped = true;
    }
}
