// From meshes to oriented particles: ellipsoids that fill a body, the graph that joins them, and how the
// mesh follows them. What comes out is what SnSolidDef and SnSkinDef take.
//
// Lengths are in the unit of the mesh, whatever that is; millimetres far from the origin are fine.
#pragma once

#include "fit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_MAX_FIT_PARTICLES 4096

typedef enum SnFill {
    SN_FILL_SOLID = 0, // all of the inside
    SN_FILL_SHELL,     // the surface, which may be open
    SN_FILL_CURVE,     // slices along its length, one particle each: a cable, a bar, a ring
    SN_FILL_COUNT,
} SnFill;

// "solid", "shell", "curve".
SN_API const char *sn_fill_name(SnFill fill);

typedef struct SnParticlesDef {
    uint32_t cookie; // set by sn_default_particles_def
    int vertex_count, triangle_count;
    const SnVec3 *positions;
    const uint32_t *triangles; // three vertices per triangle
    int particles;             // 1 to SN_MAX_FIT_PARTICLES, default 100
    SnFill fill;               // default solid
    // Of a shell, in the unit of the mesh, > 0. SN_DERIVED: a fifth of the distance between particles.
    float thickness;
    SnFitProgress *progress; // may be NULL
    void *progress_context;
} SnParticlesDef;

// How well ellipsoids fill a mesh.
typedef struct SnParticlesQuality {
    double volume; // of the mesh, as mended; of a shell, its area times its thickness
    double area;   // of the mesh, as mended
    // Part of the inside that ellipsoids cover, 0 to 1; of a shell, part of the area.
    double covered;
    double volume_ratio; // of the union of the ellipsoids over the volume
    // Distance from the mesh to the surface of the union, root mean square; of a shell, to the union.
    double rms;
    double hausdorff; // the largest distance, from either of the surfaces to the other
    double spacing; // between particles: the cube root of their mean volume, or as the area has it
    double edges_per_particle;
    int parts; // that do not touch each other
} SnParticlesQuality;

// Arrays of one allocation; free them with sn_particles_destroy.
typedef struct SnParticles {
    int particle_count, edge_count, vertex_count;
    SnVec3 *positions; // centres of mass of what the particles stand for
    SnQuat *rotations; // from the axes of each ellipsoid
    SnVec3 *radii;     // along those axes
    float *volumes;    // that the particles stand for: their sum is that of the mesh
    int (*edges)[2];   // the lower number first; all particles hang together
    float *areas;      // per edge, of the face that the two share; 0 where that is not known
    // Per vertex of the mesh that was given: SN_SKIN_BONES particles that it follows, and their weights,
    // which sum up to 1.
    int *bones;
    float *weights;
    SnParticlesQuality quality;
    SnFitReport report;
    SnAllocator allocator;
    size_t size;
} SnParticles;

// Fills a mesh with particles, or covers it with them. A mesh that is open, has several shells or winds
// this way and that is mended as far as that is clear, and the report says so; and so it does if there are
// fewer particles than asked for, because the mesh has no room for them. `allocator` may be NULL: malloc.
SN_API SnParticlesDef sn_default_particles_def(void);
SN_API SnResult sn_particles_create(const SnParticlesDef *def, const SnAllocator *allocator,
                                    SnParticles *out_particles);
SN_API void sn_particles_destroy(SnParticles *particles);

// How a mesh follows particles that are already there: SN_SKIN_BONES of them per vertex, and their weights,
// as in SnParticles. A vertex belongs to the ellipsoid that it is nearest to, and follows that particle, those
// joined to it by an edge, and theirs. `rotations` may be NULL: none is turned.
SN_API SnResult sn_particles_bind(int particle_count, const SnVec3 *positions,
                                  const SnQuat *rotations, const SnVec3 *radii, int edge_count,
                                  const int (*edges)[2], int vertex_count, const SnVec3 *vertices,
                                  int *out_bones, float *out_weights);

#ifdef __cplusplus
}
#endif
