// Ellipsoids that are to fill a mesh: their fit to regions, distances, the volume of their union.
#pragma once

#include <sinew/particles.h>

#include "fit/regions.h"
#include "geom/bvh.h"

typedef struct FitEllipsoid {
    Vec3d centre;
    Quatd axes;      // from its own axes
    double radii[3]; // along them
} FitEllipsoid;

typedef struct FitEllipsoids {
    int count;
    FitEllipsoid *list;
} FitEllipsoids;

// An ellipsoid for each region with the same centre and, times its volume, the same second moments: a solid
// ellipsoid of radius a has a²/5 along that axis. `least` is the smallest radius that is allowed. False: no
// memory.
bool sn__fit_ellipsoids(FitMemory *memory, const FitPieces *pieces, const FitRegions *regions,
                        double least, FitEllipsoids *out);

// How far x is from the centre in units of the radius there: below 1 it is inside.
double sn__fit_ellipsoid_level(const FitEllipsoid *e, Vec3d x);
// The distance from x, which is outside or on it, to the surface, negative for the depth of a point
// inside.
double sn__fit_ellipsoid_distance(const FitEllipsoid *e, Vec3d x);
// Half the size of the box around it.
Vec3d sn__fit_ellipsoid_reach(const FitEllipsoid *e);

// Multiplies all radii so that the volume of the union is what is wanted, by `most` or its inverse at most,
// and tells what it is then. `side` is that of the cubes that it is measured with. False: no memory.
bool sn__fit_match_ellipsoids(FitMemory *memory, FitEllipsoids *ellipsoids, double side,
                              double wanted, double most, double *out_volume);

// What of the pieces is covered, and the distances between the mesh and the surface of the union; for a
// shell, which has no cells, to the union itself. Hollows of the union inside the mesh do not count as its
// surface: where the mesh itself is not covered, that is measured from there. False: no memory.
bool sn__fit_judge_ellipsoids(FitMemory *memory, const FitSurface *surface, const FitCells *cells,
                              const FitPieces *pieces, const FitEllipsoids *ellipsoids,
                              SnParticlesQuality *quality);
