// What the parts of the figure `contacts` share: kinds of rods, a yard to try them in, and checks.
#pragma once

#include "app/figure_kit.h"
#include "app/figure_specimen.h"

// Kinds as users meet them: volume rods are swept or solved directly, others have one solver.
typedef enum ContactKind {
    CONTACT_SWEPT,
    CONTACT_VOLUME,
    CONTACT_CLASSIC,
    CONTACT_STIFF,
    CONTACT_KINDS
} ContactKind;
extern const char *const contact_names[CONTACT_KINDS];

#define CONTACT_CHECKS_MAX 512

// The figure being made, and how far every check of it is off, over what is allowed.
typedef struct Contacts {
    Figure *figure;
    int count, good;
    bool shown; // what follows is shown and not checked
    double place[CONTACT_KINDS][CONTACT_CHECKS_MAX], off[CONTACT_KINDS][CONTACT_CHECKS_MAX];
} Contacts;

// A world at default settings. The first error stays in `result`, and everything after it does
// nothing.
typedef struct Yard {
    SnResult result;
    SnWorld *world;
    int substeps;
    int untold; // steps without SN_STEP_SOFT
} Yard;

// Each adds a row to the table, named by the format and the kind. Of rods that ask for sweeps and are
// far too stiff for them, it is checked only that all steps of the yard have said so; what they do is
// shown, between these two.
void begin_checks(Contacts *c, const Yard *y, ContactKind kind, SnBodyId rod);
void end_checks(Contacts *c);
void check_below(Contacts *c, ContactKind kind, double measured, double limit, const char *format,
                 ...) SN_PRINTF(5, 6);
void check_near_one(Contacts *c, ContactKind kind, double measured, double tolerance,
                    const char *format, ...) SN_PRINTF(5, 6);

// A rod to be tried, straight at rest.
typedef struct Stick {
    ContactKind kind;
    double radius, young; // m, Pa
    int segments;
    SnVec3 from, to; // m
    // Where it is not straight at the start: it runs over this point, which is as far from both ends.
    // Its length is that of the two legs.
    const SnVec3 *over;
    double damping, drag; // s, 1/s
    double restitution;
    SnVec3 velocity; // m/s
    bool ghost;      // touches nothing
} Stick;

#define STICK_MAX 64 // segments

void yard_begin(Yard *y, double gravity, double sleep_speed);
SnResult yard_end(Yard *y); // the first error
// All that is below the plane through the point, across the axis that is turned from y.
void yard_plane(Yard *y, SnVec3 point, SnQuat turn, double restitution);
void yard_floor(Yard *y, double restitution);
void yard_set_kind(SnRodDef *def, ContactKind kind);
SnBodyId yard_stick(Yard *y, const Stick *stick);
double stick_mass(const Stick *stick); // kg
// A ghost of a sphere.
SnBodyId yard_weight(Yard *y, SnVec3 centre, double mass, double drag);
// Ties the start of an element (t 0) or its end (t 1) to the centre of a weight.
void yard_link(Yard *y, SnBodyId rod, int element, double t, SnBodyId weight);
void yard_hold(Yard *y, SnBodyId rod, SnAttachmentKind kind, int index);
void yard_step(Yard *y);
void yard_run(Yard *y, double seconds);
SnMeasures yard_measure(const Yard *y);
// Runs on, and returns the fastest that a vertex is at the end of any step.
double yard_fastest(Yard *y, double seconds);
SnVec3 yard_point(Yard *y, SnBodyId body, int point);
// Deepest overlap of rods with each other and with what stands, as a part of the thinner radius.
double yard_overlap(Yard *y);

// Between −1 and 1, the same for the same number.
double yard_noise(int number);

// Held, linked and asleep (figure_contacts_held.c).
SnResult try_sleepers(Contacts *c), try_pegs(Contacts *c), try_clamps(Contacts *c);
// Weights that hang and swing (figure_contacts_weights.c).
SnResult try_swings(Contacts *c), try_bridges(Contacts *c), try_hanging(Contacts *c);
// Many at rest on each other (figure_contacts_heaps.c).
SnResult try_bins(Contacts *c), try_cabins(Contacts *c), try_stacks(Contacts *c),
    try_octopuses(Contacts *c);
// Impacts (figure_contacts_impacts.c).
SnResult try_bounces(Contacts *c), try_rows(Contacts *c), try_collisions(Contacts *c);
