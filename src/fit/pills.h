// A graph of tapered pills that is to fill a mesh: distances, volume, samples and the best fit.
#pragma once

#include <sinew/fit.h>

#include "fit/cells.h"
#include "fit/report.h"
#include "geom/pill.h"

// A ball around a pill: what is farther than this need not look at the pill itself.
typedef struct FitBall {
    Vec3d centre;
    double radius;
} FitBall;

typedef struct FitPills {
    int node_count, edge_count;
    Vec3d *points;
    double *radii;
    int (*edges)[2];
    FitBall *balls; // per edge; sn__fit_enclose makes them, whenever points or radii have changed
} FitPills;

// Arrays of all zeros; false: no memory.
bool sn__fit_create_pills(FitMemory *memory, int nodes, int edges, FitPills *out);
void sn__fit_enclose(FitPills *pills);

// What a point has next to it: the pill whose surface is nearest, or in which it is deepest.
typedef struct FitTouch {
    double distance; // negative inside
    int edge;
    double t; // along it
} FitTouch;

Pill sn__fit_pill(const FitPills *pills, int edge);
// `guess` is any edge; a near one makes it faster.
FitTouch sn__fit_touch(const FitPills *pills, Vec3d x, int guess);

// Points that are spread evenly over the mesh, each standing for the same area.
// Normals may be NULL.
void sn__fit_sample_mesh(const FitSurface *surface, int count, Vec3d *out, Vec3d *out_normals);

// The volume of the union of the pills, on cubes of about this side, and by how much all radii must grow
// so that it is what is wanted. False: no memory.
bool sn__fit_volume(FitMemory *memory, const FitPills *pills, double side, double wanted,
                    double *out_growth, double *out_volume);
// Grows or shrinks all radii until the volume is what is wanted, which *out_volume tells. No radius falls
// below a third of what it was. False: no memory.
bool sn__fit_match_volume(FitMemory *memory, FitPills *pills, double side, double wanted,
                          double *out_volume);

// How a fit may move its pills. All weights count against a mean squared distance.
typedef struct FitRules {
    double scale;      // a length that is small: the thickness of the mesh
    const int *groups; // per node: nodes of one group have one radius
    int group_count;
    int chain;        // so many nodes in a row make a rod, which likes to be straight; 0: none
    bool holds_radii; // only points move
    int iterations;
    FitTold *told;   // hears of every iteration
    double from, to; // what is done of the whole before and after
} FitRules;

// What pills are fitted to: points on the mesh, points inside it that are to be covered, and points
// outside of it that are not.
typedef struct FitSamples {
    int surface_count, inside_count, outside_count;
    Vec3d *points; // in this order
} FitSamples;

// `thickness` is that of the mesh: points outside are up to this far from it. False: no memory.
bool sn__fit_sample(FitMemory *memory, const FitSurface *surface, const FitCells *cells,
                    double thickness, int surface_count, FitSamples *out);

// Moves and widens the pills until their union's surface is as near to the mesh as it gets, by the
// Gauss-Newton method with damping. False: no memory.
bool sn__fit_refine(FitMemory *memory, FitPills *pills, const FitRules *rules,
                    const FitSamples *samples);

// The distances between the mesh and the union's surface. False: no memory.
bool sn__fit_judge(FitMemory *memory, const FitSurface *surface, const FitPills *pills,
                   SnFitQuality *quality);
