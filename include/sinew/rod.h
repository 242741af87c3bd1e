// Volume-preserving elastic rods, and creatures made of them.
//
// A rod is a chain of vertices with a position and a scale each, and one frame per segment. Its
// radius at a vertex is scale × rest radius. Open rods have vertex_count − 1 segments, closed ones
// vertex_count. A creature is a rod that branches: its segments are the edges of a graph.
//
// A stiff rod is made of rigid segments instead: twigs, cables, hair, whole trees. Its scale is
// always 1. A vertex that is attached is a hinge; a segment whose frame is attached, and one of its
// vertices, stands still.
#pragma once

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_MAX_ROD_VERTICES (1 << 20)
#define SN_MAX_CREATURE_EDGES 4096
#define SN_MAX_BRANCHES 32 // segments at one vertex of a creature

// All stiffnesses in Pa unless noted. The second group is derived from the first, shear and volume from
// young; a value ≥ 0 overrides what is derived, SN_DERIVED leaves it. docs/physics.md has the
// potentials, by the equation numbers of the VIPER paper.
typedef struct SnRodMaterial {
    float density; // kg/m³
    float young;   // along the rod: stretch and bending
    float shear;   // across the rod: twist, and change of the cross-section; derived: 0.35 × young
    float volume;  // resistance to a change of volume; derived: 50 × young
    float damping; // s: relaxation time of the internal (Kelvin-Voigt) damping
    float drag;    // 1/s: rate at which all velocities decay, as in a viscous medium
    // Of stiff rods, the stress in the outermost fibre of a joint beyond which it stays bent, and
    // beyond which it breaks; 0: never.
    float yield, strength;

    float stretch;        // eq. 11, derived: young
    float transverse;     // eq. 11 across the rod, derived: 0.9 × shear
    float cross_section;  // eq. 12, derived: shear (k_x = k_y)
    float scale_gradient; // eq. 13, derived: shear
    float bend;           // eq. 14 across, derived: young
    float twist;          // eq. 14 along, derived: shear
    float scale_bend;     // eq. 15, Pa·m², derived: shear × (radius/4)²
    float volume_bend;    // eqs 19 and 20, derived: 0, see docs/physics.md
} SnRodMaterial;

// One segment of a stiff rod, where it differs from the rest; 0 leaves what the material and the
// radii say. Its cross-section is an ellipse.
typedef struct SnSegmentDef {
    float young, shear, density;
    float radius_x, radius_y; // m, along the first and second axis of its frame
} SnSegmentDef;

// How a sub-step finds where a rod goes. Sweeps are cheap and know one element at a time: fine and
// stiff rods need very many of them to keep their bending. The direct solver takes the whole rod at
// once, in an iteration that costs as much as five sweeps, ten for rods as stiff as steel
// (docs/solvers.md). It takes creatures, too. What would need more than about 1 GB for it, rods of more
// than SN_MAX_DIRECT_SEGMENTS and very wide nets, is refused with SN_ERROR_LIMIT.
typedef enum SnRodSolver {
    // The default: direct. Nets are swept unless they are small or very stiff, and so is all that
    // SN_SOLVER_DIRECT refuses; sn_rod_sweep_error tells what that costs.
    SN_SOLVER_AUTO,
    // For crowds; rods that are fine or stiff are then far too soft. Those that would give way by more than 500
    // times what they should, have segments of more than 0.5 m or are damped by more than 0.1 s, are solved
    // directly all the same.
    SN_SOLVER_SWEEP,
    SN_SOLVER_DIRECT,
} SnRodSolver;

#define SN_MAX_DIRECT_SEGMENTS (1 << 16)

// What the vertices of a section may do together and stay in shape: move and turn, and scale as well.
typedef enum SnMatching {
    SN_MATCH_SCALED, // a section that swells keeps its proportions, as that of a muscle
    SN_MATCH_RIGID,  // classic shape matching, for comparison; scales are left to the rods
} SnMatching;

typedef struct SnRodDef {
    uint32_t cookie;  // set by sn_default_rod_def
    const char *name; // for messages and sn_world_find_body, may be NULL; copied

    // Rest shape. Frames may be NULL: they are then transported along the curve without twist (a
    // closed rod spreads the remaining twist evenly). A given frame must have its third axis within
    // 90° of the segment.
    int vertex_count;
    bool closed;
    // Its segments are in line and without twist at rest, whatever curve the positions and frames
    // below make, and only their lengths and radii are those of the rest shape: a straight rod that
    // was bent into a ring or an arc, and wants back. Not with edges.
    bool straight;
    // Of a creature: edge_count pairs of vertices, one per segment, each from its first vertex to
    // its second; connected. NULL: a chain.
    const int *edges;
    int edge_count;
    // Of a creature: a bundle. Vertices with the same number, from 0 on, are a section, and are held
    // in the shape that they have at rest (docs/physics.md#bundles); −1: in none. Sections connect
    // what edges do not. One per vertex, or NULL. Hard sections that follow each other, each segment
    // leading from one to the next, are solved directly; other bundles are swept.
    const int *sections;
    float section_compliance; // 1/Pa, 0: hard
    SnMatching section_matching;
    const SnVec3 *positions; // m, vertex_count of them
    const SnQuat *frames;    // one per segment, or NULL
    const float *radii;      // m, one per vertex, or NULL for `radius` everywhere
    float radius;
    // The segments each vertex turns with, where it is a bone of skins, of recordings and in SnPoses:
    // two per vertex, in [0, segments), the second −1 for none. NULL: all that meet there.
    const int *bone_segments;
    SnRodMaterial material;
    // Not of stiff rods: how much stiffer than the material each segment is along the rod, 1 to 1e6, as
    // tendons are. One per segment, or NULL.
    const float *stretch_factors;

    SnSurface surface;
    SnFilter filter;   // mask 0: touches nothing, and costs nothing
    bool self_collide; // its own segments touch each other, but for those that are neighbours

    // The classic Cosserat rod: the scale stays 1 and costs nothing.
    bool classic;
    SnRodSolver solver;

    // A stiff rod or tree: rigid segments of fixed length, joined by bending and twist alone, solved
    // all at once and exactly, in double precision. `edges` may have any size and branching, close
    // rings and make several trees. It is not classic, and has no start_scales.
    bool stiff;
    const SnSegmentDef *segments; // of a stiff rod, one per segment, or NULL

    // Pose at the start where it is not the rest shape; NULL where it is.
    const SnVec3 *start_positions;
    const SnQuat *start_frames;
    const float *start_scales;
    SnVec3 velocity;         // m/s, of every vertex
    SnVec3 angular_velocity; // rad/s, about the centre of mass; no vertex gets beyond SN_MAX_SPEED

    // Positions above are relative to this point, in metres. Far from the origin of the world, a
    // rod keeps its accuracy if it is placed with this.
    double origin[3];
    float gravity_scale;
    void *user_data;
} SnRodDef;

// What docs/physics.md calls the default material, and a rod of it without a shape: vertex_count and
// positions must be given.
SN_API SnRodMaterial sn_default_rod_material(void);
// The material with shear and volume as numbers where they were SN_DERIVED.
SN_API SnRodMaterial sn_rod_material_derived(SnRodMaterial material);
// One of the materials that docs/physics.md lists: "steel", "oak", "rubber" … SN_ERROR_INVALID, with
// all names in the message, for any other name.
SN_API SnResult sn_rod_material_named(const char *name, SnRodMaterial *out_material);
// Their names, from 0; NULL past the end.
SN_API const char *sn_rod_material_name(int index);
SN_API SnRodDef sn_default_rod_def(void);

// SN_ERROR_INVALID for what cannot be used, SN_ERROR_LIMIT for more vertices or edges than the limits
// above. out_rod may be NULL.
SN_API SnResult sn_rod_create(SnWorld *world, const SnRodDef *def, SnBodyId *out_rod);
// The one that is used, sweep or direct; sweep for a stale id.
SN_API SnRodSolver sn_rod_solver(const SnWorld *world, SnBodyId rod);

// By how much too far a swept rod is predicted to bend and twist under a load, in steps of dt in so many
// sub-steps and iterations: 0.1 is a tenth, 9 is ten times as far as it should. Of its least favourable
// joint, and rather more than less (docs/solvers.md). 0 for rods that are solved directly, for a stale id
// and for a step that no world makes.
SN_API double sn_rod_sweep_error(const SnWorld *world, SnBodyId rod, float dt, int substeps,
                                 int iterations);

// Adds a radial force γ (N·m, the work per unit of scale) on a vertex during the next step. It does
// nothing to a scale that is held, as that of a classic rod always is; stiff rods refuse it.
SN_API SnResult sn_rod_add_radial_force(SnWorld *world, SnBodyId rod, int vertex, float gamma);

// Activation: the rest length of segments [first, first + count) becomes length_scale times the one
// they were made with. The volume they keep stays the same, so a rod that shortens bulges.
// length_scale in [0.1, 10].
SN_API SnResult sn_rod_set_length_scale(SnWorld *world, SnBodyId rod, int first, int count,
                                        float length_scale);
// Of one segment; 1 until set otherwise, and of stiff rods.
SN_API SnResult sn_rod_length_scale(const SnWorld *world, SnBodyId rod, int segment,
                                    float *out_length_scale);

// Replaces the material; the rest shape and the state stay.
SN_API SnResult sn_rod_set_material(SnWorld *world, SnBodyId rod, const SnRodMaterial *material);
// With shear and volume as numbers where they were SN_DERIVED.
SN_API SnResult sn_rod_material(const SnWorld *world, SnBodyId rod, SnRodMaterial *out_material);

#ifdef __cplusplus
}
#endif
