#include "app/sweeps.h"

#include <stdio.h>

// As the bit of a step has it (SN_STEP_SOFT).
#define SOFT 0.1

bool sweeps_are_soft(const SnWorld *world, SnSceneSettings settings, char *out_line, size_t size) {
    SnBodyId id = {0, 0}, worst = id;
    double most = 0.0;
    int soft = 0;
    while ((id = sn_world_next_body(world, id)).index != 0) {
        double error = sn_rod_sweep_error(world, id, (float)settings.step, settings.substeps,
                                          settings.iterations);
        soft += error > SOFT;
        if (error > most) {
            most = error;
            worst = id;
        }
    }
    if (soft == 0)
        return false;
    char far[64];
    if (most < 1.0)
        snprintf(far, sizeof far, "%.2g %% too far", 100.0 * most);
    else
        snprintf(far, sizeof far, "%.3g times as far as they should", 1.0 + most);
    snprintf(out_line, size,
             "%d rod%s too stiff for %s sweeps: \"%s\" and its like will bend or twist up to %s; "
             "\"solver\": \"direct\" or more sub-steps help",
             soft, soft == 1 ? " is" : "s are", soft == 1 ? "its" : "their",
             sn_body_name(world, worst), far);
    return true;
}
