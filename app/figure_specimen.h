// Specimens: single rods that figures load, let swing and measure at default settings, through the
// interface that users have. Straight ones begin at the origin and lie in the plane of y and z.
//
// The first error stays in `result`, and everything after it does nothing: figures ask once, at the
// end.
#pragma once

#include <sinew/world.h>

// Default settings of scenes and of the examples.
#define DEFAULT_STEP (1.0 / 60.0) // s
#define DEFAULT_SUBSTEPS 10
#define DEFAULT_ITERATIONS 1

#define SPECIMEN_MAX 512 // vertices
#define SPECIMEN_LOADS 4
#define GRAVITY 9.81 // m/s²

typedef enum RodKind { KIND_VOLUME, KIND_CLASSIC, KIND_STIFF, KIND_COUNT } RodKind;
extern const char *const kind_names[KIND_COUNT];

typedef struct Stuff {
    const char *name;
    double young, shear, volume; // Pa; shear and volume 0: whatever the engine makes of young
    double density;              // kg/m³
} Stuff;

// Poisson's ratio is 1/2 but for what resists a change of volume (50 times Young's modulus) in jelly
// and rubber, 0.4 in nylon and 0.3 in steel.
extern const Stuff stuff_jelly, stuff_rubber, stuff_nylon, stuff_steel;

typedef struct SpecimenLoad {
    int point;    // −1: none
    int element;  // −1: none
    SnVec3 value; // N on the point, or N·m on the element, at all times
} SpecimenLoad;

typedef struct Specimen {
    SnResult result;
    RodKind kind;
    SnRodDef def; // to be changed between the shape and specimen_begin
    int segments, vertices;
    double length, radius; // m
    double young, shear;   // Pa
    double area, inertia;  // m², and of bending, m⁴
    double mass;           // kg
    // Modulus of small stretches: cross-sections of volume rods resist as well.
    double stretch_modulus;
    SpecimenLoad loads[SPECIMEN_LOADS];
    int load_count;
    SnVec3 rest[SPECIMEN_MAX], start[SPECIMEN_MAX];
    SnQuat rest_frames[SPECIMEN_MAX], start_frames[SPECIMEN_MAX];
    float start_scales[SPECIMEN_MAX];

    SnWorld *world;
    SnBodyId rod;
    // The state of the last specimen_read.
    SnVec3 positions[SPECIMEN_MAX], velocities[SPECIMEN_MAX], spins[SPECIMEN_MAX];
    SnQuat frames[SPECIMEN_MAX];
    float scales[SPECIMEN_MAX], scale_rates[SPECIMEN_MAX];
} Specimen;

// A rod without a shape that touches nothing.
void specimen_init(Specimen *s, RodKind kind, const Stuff *stuff, double radius, int segments);
// Straight, `angle` from z towards y.
void specimen_straight(Specimen *s, double length, double angle);
// A closed circle in the plane of x and z.
void specimen_circle(Specimen *s, double radius);
// Where a straight rod starts: segments keep their length and get these angles from z towards y, and
// are turned about themselves by `twists`, or not at all where that is NULL.
void specimen_start(Specimen *s, const double *angles, const double *twists);

void specimen_begin(Specimen *s, SnVec3 gravity);
// Frees the world and returns the first error.
SnResult specimen_end(Specimen *s);

void specimen_hold(Specimen *s, SnAttachmentKind kind, int index);
// A wall at vertex 0, with the frame that the first segment has.
void specimen_clamp(Specimen *s);
// Clamps the first vertex or the last one, with the frame that the rod is to have there.
void specimen_hold_end(Specimen *s, int vertex, double angle, double twist);
void specimen_add_force(Specimen *s, int vertex, SnVec3 force);
void specimen_add_torque(Specimen *s, int segment, SnVec3 torque);

void specimen_step(Specimen *s); // one step of default settings
void specimen_run(Specimen *s, double seconds);
void specimen_read(Specimen *s);
// Runs under a load until all is at rest: `rate` (1/s) is that of the slowest motion, or less. The
// drag that damps it is no force on what rests.
void specimen_settle(Specimen *s, double rate);
// The angle about its own axis by which a segment of a rod along z has turned, from the last read.
double specimen_twist(const Specimen *s, int segment);
