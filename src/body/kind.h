// A kind of body is a row of functions, and a system that owns the storage of all bodies of the kind in
// one world. The world loops over the kinds and names none of them. Arguments were checked before.
#pragma once

#include "body/body.h"
#include "body/touch.h"
#include "math/wind.h"
#include "sinew/world.h"

// One step of the world, as every kind sees it.
typedef struct BodyStep {
    SnIsa isa;
    const SnTaskSystem *tasks;
    float dt;
    int substeps, iterations;
    double tolerance; // iterations may stop where the error of constraints is below this; 0: never
    SnVec3 gravity;
    const SnFieldDef *fields; // all but winds, their directions normalised
    int field_count;
    const Air *air; // the winds
    TouchArrays touch;
} BodyStep;

// A pass over what something touches: bodies are solved, and then contacts and links.
typedef struct BodyPass {
    int substep, iteration;
    bool last; // of the sub-step, unless contacts ask for more
} BodyPass;

// When contacts need no further pass.
typedef struct BodyCalm {
    float part;  // of the radii that is left to correct
    bool stalls; // also where the last passes have changed next to nothing of it
} BodyCalm;

// What a step ran into.
typedef struct BodyReport {
    uint32_t bits;                  // SnStepBits
    float predict, iterate, finish; // ms of all workers, as far as they were timed
    double residual;                // largest error of a direct solve: m, rad
    int iterations;                 // most solves of any sub-step
    int breaks;                     // joints that broke
} BodyReport;

#define SCALE_MIN 0.05f // a scale stays within these bounds: it may not reach 0 or change sign
#define SCALE_MAX 20.0f

// Elements that can be held, one bit each.
enum {
    HELD_VERTEX = 1,
    HELD_FRAME = 2,
    HELD_SCALE = 4,
    HELD_MARK = 8,       // the position of a mark
    HELD_DIRECTION = 16, // which way it faces
};

// Where a held element is in the world; only what fits the element is used.
typedef struct HeldPose {
    Vec3d position;
    Quatd rotation;
    float scale;
} HeldPose;

// Where it goes in a step: straight, or through two places after one and two thirds of it.
typedef struct HeldPath {
    HeldPose to;
    bool curved;
    HeldPose via[2];
} HeldPath;

// What is asked about a held element: what its support does to the body.
typedef struct HeldQuestion {
    int held, index; // one HELD_ bit; the point or element
    double h;        // s, the last sub-step
    SnVec3 gravity;
    const SnFieldDef *fields; // as in BodyStep
    int field_count;
    const Vec3d *loads; // by point: what links and contacts did to it in the last sub-step, N
} HeldQuestion;

// In the world's axes, N and N·m.
typedef struct HeldReaction {
    Vec3d force, torque;
} HeldReaction;

// What pulls at every kilogram at x, but for the air.
Vec3d sn__held_pull(const HeldQuestion *question, double gravity_scale, Vec3d x);

// Sums that can be added up over bodies.
typedef struct BodySums {
    SnMeasures m;
    double volume_error_sum;
    long segments;
    double residual[2]; // squared: missing, total
} BodySums;

SnMeasures sn__body_measures(const BodySums *sums);

// What the numbers of a block of state are, for those who check them.
typedef enum BlockKind {
    BLOCK_FLOATS,
    BLOCK_DOUBLES,
    BLOCK_MOMENTA, // doubles, of bodies that are large and heavy and spin
    BLOCK_FLAGS,   // bytes of 0 or 1
    BLOCK_FIELDS,  // SnFieldDef
    BLOCK_POSES,   // SnPose
} BlockKind;
typedef void BodyVisit(void *context, BlockKind kind, void *block, size_t size);

struct BodyKind {
    const char *name; // "rod", for messages
    SnBodyKind number;
    // The life of the system. NULL without memory.
    void *(*create_system)(const SnAllocator *allocator, BodyRegister *bodies, int workers);
    void (*destroy_system)(void *system);

    // A step begins: rows are brought in order, and no body is touched. False without memory.
    bool (*begin)(void *system, const BodyStep *step);
    // The whole step of all bodies that nothing touches.
    void (*step_alone)(void *system, const BodyStep *step);
    // For all bodies that are touched, up to the contacts of this pass: the sub-step begins with its
    // first one, and the one before ends with it.
    void (*pass)(void *system, const BodyStep *step, const BodyPass *pass);
    // After the contacts of the last pass.
    void (*end)(void *system, const BodyStep *step);
    void (*report)(const void *system, BodyReport *out_report);
    // What contacts and links did in the last pass, as impulse × h on a knot of the body; all of it is
    // forgotten before the next is told. NULL: it does not want to know.
    void (*press)(Body *body, int knot, Vec3d impulse);
    void (*forget_press)(void *system);

    // Collision. Gives numbers to the knots of all bodies that need them, from numbers->… up; false
    // without memory.
    bool (*number_knots)(void *system, KnotNumbers *numbers);
    // Says whose element every knot's number is; `owners` is an array over all knots.
    void (*own)(const void *system, KnotOwner *owners);
    // Adds the velocities of all points, and their number, to `sum`.
    void (*add_velocity)(const void *system, double sum[4]);
    // When a step begins: places, radii and expected motion of the knots, and around every element
    // the box that it stays in.
    void (*bounds)(void *system, const TouchBounds *bounds);
    void (*touch)(Body *body); // something may touch it in this step
    void (*untouch)(void *system);
    // Passes of contacts per sub-step that its bodies need at least; 0 if nothing touches any of them.
    int (*passes)(const void *system);
    // What contacts may leave to correct of its touched bodies, where these need more than one pass.
    BodyCalm (*calm)(const void *system);
    // The knot of a point, and where its position is from.
    int (*knot)(const Body *body, int point);
    const double *(*knot_origin)(const Body *body, int knot);
    // Whether two elements are too close to each other along the body to touch.
    bool (*are_neighbours)(const Body *body, int i, int j);
    // Of bodies that turn as a whole: the number of its turn (KnotTurn), and the knot that it turns
    // about. NULL: points move for themselves.
    int (*turn)(const Body *body);
    int (*hub)(const Body *body);
    // Of bodies that are solved as a whole. `tie`: links pull at this point of an element in this step; its
    // number, or −1: not known. `answer`, in every pass: by how much point `tie` moves along each axis if `pulled` is
    // pulled at along each, 1/kg; false if it broke in this step, and is best left alone until the next. NULL: points
    // answer for themselves, as their knots say.
    int (*tie)(Body *body, int element, float t);
    bool (*answer)(const Body *body, int pulled, int tie, double out[3][3]);
    // The same of an element that a hinge turns: `answer` and `drift` tell turns, rad, and it is pulled at by torques.
    int (*tie_turn)(Body *body, int element);
    // How an element is turned: when the sub-step began, and now.
    void (*turning)(const Body *body, int element, Quatd out[2]);
    // A torque × h² on an element, for the next solve of the sub-step.
    void (*twist)(Body *body, int element, Vec3d torque);
    // By how much `tie` moves in the next pass if nobody pulls, m. NULL: it stays.
    Vec3d (*drift)(const Body *body, int tie);
    // Of a sub-step in which its links could not be solved: a body of which something got faster than this, m/s, is left
    // where the sub-step began. NULL: it never is.
    void (*limit)(Body *body, double most);
    // The tension that would stretch an element to twice its length, N. NULL: they do not stretch.
    double (*stretch)(const Body *body, int element);
    // Whether points of one section hold each other rigidly. NULL: none do.
    bool (*sectioned)(const Body *body);

    // The body.
    void (*destroy)(Body *body);
    // The points of an element.
    void (*edge)(const Body *body, int element, int out[2]);
    // Where it ends now, for `point` and `knot`: what broke off a point has points beyond the body's.
    void (*ends)(const Body *body, int element, int out[2]);
    // Where a point is in the world, and its radius if asked for.
    Vec3d (*point)(const Body *body, int point, double *out_radius);
    float (*rest_radius)(const Body *body, int point);
    // Of an element that is an ellipsoid, its radii along the axes of its frame. NULL: none is.
    SnVec3 (*shape)(const Body *body, int element);
    void (*read)(const Body *body, const SnBodyState *out);
    void (*write)(Body *body, const SnBodyState *state);
    void (*origin)(const Body *body, double out[3]);
    // Loads of the next step; false without memory.
    bool (*add_force)(Body *body, int point, SnVec3 force);
    bool (*add_torque)(Body *body, int element, SnVec3 torque);
    void (*add_impulse)(Body *body, int point, SnVec3 impulse);
    void (*gravity_scale_changed)(Body *body);
    void (*sleep_changed)(Body *body); // body->sleep.asleep has; who falls asleep stops
    float (*speed)(const Body *body);  // of its fastest point or surface, m/s
    void (*measure)(const Body *body, SnVec3 gravity, BodySums *sums);
    uint64_t (*hash)(const Body *body, uint64_t hash);

    // How points turn that turn together: their turns since the rest pose, each on its own, become
    // those. NULL: none do.
    void (*match_turns)(const Body *body, const SnVec3 *offsets, SnQuat *rotations);

    // Ends of elements (0 or 1) that broke off their points: how many there are, and whether this is
    // one, with all but the body's number. Both NULL: nothing ever does.
    int (*torn_count)(const Body *body);
    bool (*torn_end)(const Body *body, int element, int end, SnTornEnd *out_end);

    // What only some kinds have; NULL: refused.
    bool (*add_radial_force)(Body *body, int point, float gamma);
    void (*set_length_scale)(Body *body, int first, int count, float length_scale);
    float (*length_scale)(const Body *body, int element);
    void (*set_material)(Body *body, const SnRodMaterial *material);
    const SnRodMaterial *(*material)(const Body *body);

    // Holding: an element is led from place to place. `hold` moves it there at once, without velocity,
    // and returns the number of its lead, or −1 without memory; `owner` is whom it serves. `release`
    // lets it go: the last lead takes its number, and the owner of that one is returned.
    bool (*is_held)(const Body *body, int held, int index);
    HeldPose (*held_pose)(const Body *body, int index);
    // Marks that can be held beside points and elements: how many, and where one is; its rotation is one that turns its
    // direction from rest to now. NULL: there are none.
    int (*marks)(const Body *body);
    HeldPose (*mark_pose)(const Body *body, int mark);
    int (*hold)(Body *body, int held, int index, uint32_t owner, const HeldPose *pose);
    uint32_t (*release)(Body *body, int held, int index, int lead);
    // During the next step the element goes along the path; `settle` after the step lets it rest there.
    void (*lead)(Body *body, int index, int lead, const HeldPath *path);
    void (*settle)(Body *body, int lead);
    void (*jump)(Body *body, int index, int lead, const HeldPose *pose);
    // Whom lead k of the body, or of one that is stored with it, serves; 0: there are fewer leads.
    uint32_t (*lead_owner)(const Body *body, int lead);
    // What holds the element does so with this, at the end of the last step; false without memory.
    bool (*reaction)(const Body *body, const HeldQuestion *question, HeldReaction *out);

    // State. `visit_shape` calls for what decides how much other state there is, `visit` for all other
    // memory that a step may change, always in the same order. `arrange` brings storage into the order
    // that fits; false without memory. All but `visit` may be NULL.
    bool (*arrange)(void *system);
    void (*visit_shape)(void *system, BodyVisit *visit, void *context);
    void (*visit)(void *system, BodyVisit *visit, void *context);
    void (*restored_shape)(void *system);
    void (*restored)(void *system);

    // What is wrong with the storage of all its bodies (world/validate.c). Linear in its size, and
    // without memory of its own. May be NULL.
    SnResult (*validate)(const void *system);
};
