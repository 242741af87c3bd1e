// What the tests of particles share: meshes of boxes, graphs, and measures that conversions do not use.
#pragma once

#include "support.h"

#include <stdlib.h>

#include <sinew/particles.h>
#include <sinew/solid_model.h>

#define BOX_VERTICES 8
#define BOX_TRIANGLES 12
#define MOST_BOXES 8

// Several boxes in one mesh.
typedef struct Boxes {
    int count;
    SnVec3 positions[MOST_BOXES * BOX_VERTICES];
    uint32_t triangles[3 * MOST_BOXES * BOX_TRIANGLES];
} Boxes;

// `inward` winds the other way, as the wall of a hollow does.
static inline void add_box(Boxes *boxes, SnVec3 low, SnVec3 high, bool inward) {
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t first = (uint32_t)(boxes->count * BOX_VERTICES);
    for (int i = 0; i < BOX_VERTICES; ++i)
        boxes->positions[first + (uint32_t)i] =
            sn_vec3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    uint32_t *t = boxes->triangles + 3 * BOX_TRIANGLES * boxes->count++;
    for (int f = 0; f < 6; ++f)
        for (int half = 0; half < 2; ++half) {
            t[0] = first + faces[f][0];
            t[inward ? 2 : 1] = first + faces[f][1 + half];
            t[inward ? 1 : 2] = first + faces[f][2 + half];
            t += 3;
        }
}

static inline SnParticlesDef boxes_def(const Boxes *boxes, int particles, SnFill fill) {
    SnParticlesDef def = sn_default_particles_def();
    def.vertex_count = boxes->count * BOX_VERTICES;
    def.positions = boxes->positions;
    def.triangle_count = boxes->count * BOX_TRIANGLES;
    def.triangles = boxes->triangles;
    def.particles = particles;
    def.fill = fill;
    return def;
}

static inline SnParticlesDef mesh_def(const SnMesh *mesh, int particles, SnFill fill) {
    SnParticlesDef def = sn_default_particles_def();
    def.vertex_count = mesh->vertex_count;
    def.positions = mesh->positions;
    def.triangle_count = mesh->triangle_count;
    def.triangles = mesh->triangles;
    def.particles = particles;
    def.fill = fill;
    return def;
}

static inline SnParticles convert(const SnParticlesDef *def) {
    SnParticles particles;
    assert_ok(sn_particles_create(def, NULL, &particles));
    return particles;
}

static inline SnParticles convert_model(SnSolidShape shape, int particles, SnFill fill,
                                        SnMesh *mesh) {
    assert_ok(sn_solid_mesh(shape, 1.0f, 6000, NULL, mesh));
    SnParticlesDef def = mesh_def(mesh, particles, fill);
    return convert(&def);
}

static inline bool says(const SnParticles *particles, const char *part) {
    for (int i = 0; i < particles->report.message_count; ++i)
        if (strstr(particles->report.messages[i], part))
            return true;
    return false;
}

static inline double volume_of(const SnParticles *p) {
    double sum = 0.0;
    for (int i = 0; i < p->particle_count; ++i)
        sum += (double)p->volumes[i];
    return sum;
}

// How many pieces the graph has.
static inline int pieces_of(const SnParticles *p) {
    int *roots = malloc((size_t)p->particle_count * sizeof *roots), count = p->particle_count;
    assert_non_null(roots);
    for (int i = 0; i < p->particle_count; ++i)
        roots[i] = i;
    for (int e = 0; e < p->edge_count; ++e) {
        int a = p->edges[e][0], b = p->edges[e][1];
        assert_true(a >= 0 && a < b && b < p->particle_count);
        while (roots[a] != a)
            a = roots[a];
        while (roots[b] != b)
            b = roots[b];
        count -= a != b;
        roots[a] = b;
    }
    free(roots);
    return count;
}

// How far a point is from the middle of an ellipsoid: below 1, it is inside.
static inline double level_of(const SnParticles *p, int particle, SnVec3 x) {
    SnVec3 y = sn_quat_rotate(sn_quat_inverse(p->rotations[particle]),
                              sn_vec3_sub(x, p->positions[particle]));
    SnVec3 r = p->radii[particle];
    return sqrt(
        (double)(y.x * y.x / (r.x * r.x) + y.y * y.y / (r.y * r.y) + y.z * y.z / (r.z * r.z)));
}

static inline bool is_covered(const SnParticles *p, SnVec3 x) {
    for (int i = 0; i < p->particle_count; ++i)
        if (level_of(p, i, x) < 1.0)
            return true;
    return false;
}
