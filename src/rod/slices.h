// Slices: the sections of a bundle that is solved as a whole.
//
// Where sections are hard, follow each other and are joined by segments alone, all that can happen to a
// bundle is that every section moves, turns and scales: 7 unknowns for each, however many fibres it has.
// With c̄ the place of a vertex in its section at rest, from the centre of mass, it lies at
//
//     x = C + σ R c̄,    σ = s, or 1 where sections do not spread (classic matching, or all of it is held),
//
// its scale is s, and the frame of a segment is the mean of the turns R of its two sections, after its
// frame at rest. A sub-step minimises the same sum of inertia and potentials as for other rods, over
// (C, R, s) of all sections. A segment has to do with two sections, so the Hessian is block tridiagonal,
// and Newton's method takes time that is linear in segments (slice_terms.h, slice_solve.h). docs/physics.md,
// Bundles.
//
// The pose of a section is found from its vertices when a step begins (rod_slices_start_wide.c), and
// goes on from sub-step to sub-step: what a snapshot holds are vertices and frames, as of all rods.
#pragma once

#include "rod/pack.h"

typedef double SliceRow[PACK_LANES] __attribute__((aligned(64)));

// Of an elimination, lower triangles of 7 × 7 without the diagonal, and blocks of 7 × 7.
enum { SLICE_UNKNOWNS = 7, SLICE_BELOW = 21, SLICE_BLOCK = 49 };

typedef struct RodSlice {
    SliceRow q[4], s;   // the turn since the rest pose, and the scale, as they are now
    SliceRow q0[4], s0; // and as they were when the sub-step began
    SliceRow u[3];      // how far its centre has come in the sub-step, m
    // All of that before a step that may have to be taken back.
    SliceRow kept_q[4], kept_s, kept_u[3];
    PackRow bounded; // 1 where the scale is held at its bound (slice_solve.h), else 0
    PackRow spread;  // 1 where vertices spread as the section scales, else 0
    PackRow held;    // 1 where all of its vertices are, else 0
    // Of the whole bundle, in its first section: what contacts pressed with in the last pass, and how much less they are
    // told because that grew (slice_gives.h).
    PackRow pressed, careful;
    PackRow leaning; // how much of its frames counts for its turn when a step begins (slices.c)
    PackRow bend[6]; // of all segments to the next one: xx xy xz yy yz zz of H (slices.c)
    SliceRow lower[SLICE_BELOW], pivot[SLICE_UNKNOWNS]; // of its block: L, and 1/D
    SliceRow next[SLICE_BLOCK];                         // L⁻¹ × the block beside it
    SliceRow step[SLICE_UNKNOWNS];                      // forces, then the step
} RodSlice;

// Of a vertex in an iteration: its lever σ R c̄, and where it is. Where the last iteration saw the
// vertex, its scale and the segment of the same row go alone (RodAim).
typedef struct SliceMember {
    SliceRow lever[3], u[3];
    PackRow aim[4], turn[3];
    PackRow own, told; // how contacts move it (slice_gives.h)
} SliceMember;

// What depends on the length of a sub-step, on materials and on what is held.
void sn__slices_prepare(RodPack *pack);
// How far the volume of all segments beside segment j is from what it should be, as a part of it; and how
// the cross-section of segment j itself has grown (slice_terms.h).
double sn__slice_volume_error(const RodPack *pack, int segment, int lane);
double sn__slice_area(const RodPack *pack, int segment, int lane);
// When a step begins: which sections spread as they scale. Those that are held do not, nor do those that links hold by
// several vertices: a plate at the end of a muscle that gets thinner would else be torn at with all of its
// volume stiffness, and links between the two would spin each other up.
void sn__slices_spread(RodPack *pack);
// A sub-step begins where the last one ended.
void sn__slices_begin(RodPack *pack);
