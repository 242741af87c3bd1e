// Sections: vertices of a body's rods that lie side by side, and are matched to their shape at rest.
//
// VIPER, section 7.3. The vertices of a section have positions c, scales s and turns R since the rest
// pose, which is the mean of the two segments that meet there. At rest they lie at c̄ from the centre of
// mass of the section. A section wants to be the rest shape, moved, turned and uniformly scaled:
//
//     E = ½ κ Σ ( m |c − μ − s* R* c̄|² + I (s − s*)² + J ∠(R, R*)² ).
//
// m, I and J are the inertias of the vertices, so that the minimum over positions is the projection in
// the metric of the inertia: every vertex goes the same part of its way, and both momenta are conserved.
// κ = 1/(c ρ g²), with the compliance c in 1/Pa, the density and the section's radius of gyration g.
// docs/physics.md derives it.
#pragma once

#include "rod/pack.h"
#include "rod/shape.h"

// Of vertex j, and of segment j.
typedef struct RodBundle {
    PackRow x, y, z;                            // c̄, m
    PackRow along_x, along_y, along_z;          // direction of the rod at the vertex at rest
    PackRow frame_x, frame_y, frame_z, frame_w; // of the segment: conjugate of its rest frame
    // Weights of the turn about any axis, what is added across the rod, kg·m²; and how much of it is
    // the first of the two segments'.
    PackRow turn, turn_more, first;
    PackRow scale; // kg·m²: of the scale
    // Of a sub-step: the turn R, how far the position is from where the section wants it, and what
    // has been given to position, scale and turn.
    PackRow rx, ry, rz, rw;
    PackRow off_x, off_y, off_z;
    PackRow gx, gy, gz, gs;
    PackRow tx, ty, tz, lean_x, lean_y, lean_z;
} RodBundle;

typedef struct RodSection {
    PackRow mass;   // 1/kg
    PackRow moment; // Σ m |c̄|², kg·m²
    PackRow part;   // of their way that its vertices go: h²κ/(1 + h²κ)
} RodSection;

// Of a definition with edges.
SnResult sn__sections_check(const SnRodDef *def, const char *name);
void sn__sections_count(RodGraph *graph, const SnRodDef *def);
void sn__sections_fill(RodGraph *graph, const SnRodDef *def);
bool sn__sections_fit(const RodGraph *graph, const SnRodDef *def);

// The segments whose mean turn a vertex has; the second is −1 where there is none.
typedef struct SectionSegments {
    int first, second;
} SectionSegments;

static inline SectionSegments sn__section_segments(const RodGraph *graph, int vertex) {
    const int *segment = graph->incident + graph->incident_begin[vertex];
    int count = graph->incident_begin[vertex + 1] - graph->incident_begin[vertex];
    return (SectionSegments){segment[0], count > 1 ? segment[1] : -1};
}

// The masses of sections; and, of those that are swept, adds their inertia to that of the scales, which has
// just been made.
void sn__sections_weigh(RodPack *pack, int lane);
// The rest shape of a lane's sections. Masses must be there.
void sn__sections_shape(RodPack *pack, int lane, const SnRodDef *def, const RodShape *shape);
// Finds out which of its segments touch nothing (buried.c). The rest shape must be there.
void sn__sections_bury(RodPack *pack, int lane);
// Of a body's vertices that are in sections, the turn since the rest pose becomes that of the section.
void sn__rod_match_turns(const Body *body, const SnVec3 *offsets, SnQuat *rotations);
// Whether all vertices of a section are.
bool sn__section_is_held(const RodPack *pack, int section, int lane);
// What depends on the length of a sub-step, on materials and on what is held.
void sn__sections_prepare(RodPack *pack, float h);
