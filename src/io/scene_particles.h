// Bodies of a scene that are made from meshes.
#pragma once

#include "io/scene_parts.h"

#include <sinew/particles.h>

typedef struct ParticleParams {
    int particles;   // 0: 100
    float thickness; // m, of a shell; 0: from the distance between particles
    float length;    // m, of a model; 0: 1
    int triangles;   // of a model; 0: 10,000
    bool no_skin;
} ParticleParams;

// Fills the "mesh" or "model" of an entry with particles, as its "fill" says, and takes the mesh as a skin
// unless none is wanted. False after a complaint; else *out_particles is to be destroyed.
bool sn__read_particles(Reader *reader, SnScene *scene, const Json *entry,
                        const ParticleParams *params, SnParticles *out_particles,
                        SceneFlesh **out_flesh);
// The "mesh" of an entry as the skin of a body whose particles are given: positions, rotations (or NULL), radii
// and edges. NULL after a complaint.
SceneFlesh *sn__read_flesh(Reader *reader, SnScene *scene, const Json *mesh,
                           const SnParticles *particles);
