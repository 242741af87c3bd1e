// What the tests of solids share: grids of particles.
#pragma once

#include "contact_kit.h"

#define GRID_MOST 2048

typedef struct Grid {
    int nx, ny, nz, count, edge_count;
    SnVec3 positions[GRID_MOST], radii[GRID_MOST];
    float volumes[GRID_MOST];
    int edges[3 * GRID_MOST][2];
    SnSolidDef def;
} Grid;

// nx × ny × nz cells of a block of this size with one corner at `at`; particles are in their middles.
static inline Grid *grid_of(int nx, int ny, int nz, SnVec3 size, SnVec3 at) {
    static Grid grid;
    Grid *g = &grid;
    g->nx = nx;
    g->ny = ny;
    g->nz = nz;
    g->count = g->edge_count = 0;
    SnVec3 cell = sn_vec3(size.x / (float)nx, size.y / (float)ny, size.z / (float)nz);
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                int n = g->count++;
                const int next[3] = {n + 1, n + nx, n + nx * ny};
                const bool has[3] = {i + 1 < nx, j + 1 < ny, k + 1 < nz};
                g->positions[n] =
                    sn_vec3(at.x + ((float)i + 0.5f) * cell.x, at.y + ((float)j + 0.5f) * cell.y,
                            at.z + ((float)k + 0.5f) * cell.z);
                g->radii[n] = sn_vec3(0.5f * cell.x, 0.5f * cell.y, 0.5f * cell.z);
                g->volumes[n] = cell.x * cell.y * cell.z;
                for (int c = 0; c < 3; ++c)
                    if (has[c]) {
                        g->edges[g->edge_count][0] = n;
                        g->edges[g->edge_count++][1] = next[c];
                    }
            }
    g->def = sn_default_solid_def();
    g->def.particle_count = g->count;
    g->def.positions = g->positions;
    g->def.radii = g->radii;
    g->def.volumes = g->volumes;
    g->def.edge_count = g->edge_count;
    g->def.edges = (const int(*)[2])g->edges;
    return g;
}

static inline SnBodyId add_solid(SnWorld *world, const Grid *grid) {
    SnBodyId id;
    assert_ok(sn_solid_create(world, &grid->def, &id));
    return id;
}

// Holds a particle, place and rotation.
static inline void hold_particle(SnWorld *world, SnBodyId body, int i) {
    for (int k = 0; k < 2; ++k) {
        SnAttachmentDef def = sn_default_attachment_def();
        def.body = body;
        def.index = i;
        def.kind = k == 0 ? SN_ATTACH_VERTEX : SN_ATTACH_SEGMENT;
        assert_ok(sn_attachment_create(world, &def, NULL));
    }
}

static inline SnVec3 particle_at(const SnWorld *world, SnBodyId body, int i) {
    SnVec3 positions[GRID_MOST];
    SnBodyState state = {.positions = positions};
    assert_ok(sn_body_read(world, body, &state));
    return positions[i];
}
