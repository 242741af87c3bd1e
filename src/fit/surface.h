// The surface that is to be filled: shells of triangles that all wind the same way, without holes.
#pragma once

#include "fit/memory.h"
#include "math/vec.h"

typedef struct FitSurface {
    Vec3d *points; // relative to `centre`
    int point_count;
    int *numbers;        // per vertex that was given: its point
    int (*triangles)[3]; // anticlockwise from outside
    int triangle_count;
    Vec3d centre;        // of the box around all points that were given, in the mesh's unit
    double size;         // the diagonal of that box
    double area, volume; // of what is kept
    // What was found and mended.
    int degenerate;      // triangles without area, or given twice: left out
    int shells;          // all of them, or the largest one, are kept
    double second;       // area of the second largest shell, relative to the largest
    int turned;          // triangles that wound the other way than most
    int holes;           // closed by fans of triangles
    double hole_area;    // of these fans, relative to the shell's own area
    int branching_edges; // edges of more than two triangles, left as they are
} FitSurface;

// An edge of triangles, in a table that is a power of two long.
typedef struct FitEdge {
    int a, b;         // a < b; both 0: a free slot
    int count;        // of triangles that use it
    int triangles[2]; // the first two of them
} FitEdge;

typedef struct FitEdges {
    FitEdge *slots;
    uint32_t mask;
} FitEdges;

// Welds, keeps the largest shell, mends its winding and its holes.
SnResult sn__fit_clean(FitMemory *memory, const SnVec3 *positions, int vertex_count,
                       const uint32_t *triangles, int triangle_count, FitSurface *out);

// The same with all shells: each is turned outwards on its own, but for those that lie inside others and
// wind inwards, which are hollows.
SnResult sn__fit_clean_shells(FitMemory *memory, const SnVec3 *positions, int vertex_count,
                              const uint32_t *triangles, int triangle_count, FitSurface *out);
// Welds only: what is flat or open stays so. At least one triangle is left.
SnResult sn__fit_weld(FitMemory *memory, const SnVec3 *positions, int vertex_count,
                      const uint32_t *triangles, int triangle_count, FitSurface *out);

// The edges of all triangles; false: no memory.
bool sn__fit_find_edges(FitMemory *memory, const FitSurface *surface, FitEdges *out);
FitEdge *sn__fit_edge(const FitEdges *edges, int a, int b); // of two corners, NULL: there is none

// Turns triangles so that neighbours wind alike and the volume is positive; false: no memory.
bool sn__fit_mend_winding(FitMemory *memory, FitSurface *surface);
// The same for every shell, and counts them.
bool sn__fit_mend_shells(FitMemory *memory, FitSurface *surface);
// Closes loops of open edges with fans around their centres; false: no memory.
bool sn__fit_close_holes(FitMemory *memory, FitSurface *surface);

// Area and volume of the triangles as they are.
void sn__fit_measure(FitSurface *surface);
