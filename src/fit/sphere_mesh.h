// Simplification of a mesh to a few spheres that are joined by edges (Thiery, Guy, Boubekeur 2013).
#pragma once

#include "fit/surface.h"

typedef struct FitSphere {
    Vec3d centre;
    double radius;
} FitSphere;

typedef struct FitSphereMesh {
    int sphere_count, edge_count;
    FitSphere *spheres;
    int (*edges)[2];
} FitSphereMesh;

// Joins neighbours, the cheapest two first, until so many spheres are left. False: no memory.
bool sn__fit_simplify(FitMemory *memory, const FitSurface *surface, int spheres,
                      FitSphereMesh *out);
