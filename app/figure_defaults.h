// What the parts of the figure `defaults` share: cases, and how they are measured.
#pragma once

#include "app/figure_kit.h"
#include "app/figure_specimen.h"

typedef struct Case Case;

typedef struct Finding {
    double measured, expected;
} Finding;

// Measures one case on a rod of one kind. The specimen is scratch.
typedef SnResult Measure(const Case *c, RodKind kind, Specimen *s, Finding *out);

#define KIND_BIT(kind) (1u << (kind))
#define VOLUME_RODS KIND_BIT(KIND_VOLUME)
#define STIFF_RODS KIND_BIT(KIND_STIFF)
#define ELASTIC_RODS (VOLUME_RODS | KIND_BIT(KIND_CLASSIC)) // those that stretch and shear
#define ALL_RODS (ELASTIC_RODS | STIFF_RODS)

struct Case {
    const char *what;
    Measure *measure;
    const Stuff *stuff;
    double length, radius; // m; of rings, the length is 2πR
    int segments;
    double value; // what else there is to say: a mode, an angle, a speed …
    unsigned kinds;
    // Relative; of what should be nothing (expected 0), the largest that is measured.
    double tolerance;
};

// At rest under a load (figure_defaults_statics.c).
Measure measure_sag, measure_sag_auto, measure_tip, measure_spring, measure_column, measure_turn,
    measure_hang, measure_pull, measure_squash;
// In motion (figure_defaults_motion.c).
Measure measure_bending, measure_torsion, measure_amplitude, measure_spin, measure_period,
    measure_swing;
// At rest and left alone (figure_defaults_rest.c).
Measure measure_ring, measure_ring_floor, measure_ring_volume, measure_ring_twist,
    measure_hang_speed, measure_fall_speed, measure_growth;
// Free under loads, and what holds bear (figure_defaults_loads.c).
Measure measure_torque, measure_blow, measure_pushed, measure_wall_force, measure_wall_moment,
    measure_arc, measure_arc_speed;
