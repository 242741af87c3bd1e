// From a mesh to oriented particles (Choi and Lee 2017, section 3.1): the inside or the surface in small
// pieces, regions of them that are alike, an ellipsoid for each, and a graph of those that touch.
#include <sinew/particles.h>
#include <sinew/skin.h>

#include <string.h>

#include "base/null.h"
#include "fit/ellipsoids.h"
#include "fit/particle_curve.h"
#include "fit/particle_graph.h"

#define COOKIE 0x70617274u

// Pieces that each particle should have, and how many there are at least; with fewer than the least a
// particle does not know its shape.
#define PIECES_EACH 150
#define FEWEST_PIECES 40000
#define LEAST_EACH 8
// A shell is so thick beside the distance between its particles.
#define THICKNESS 0.2
// By so much ellipsoids may grow or shrink so that their union has the volume of the mesh.
#define MOST_GROWTH 1.25
// The volume of cells and that of the mesh may differ by so much.
#define OVERLAP 0.03

typedef struct Conversion {
    const SnParticlesDef *def;
    FitMemory memory;
    FitTold told;
    FitSurface surface;
    FitCells cells;
    int *first; // bits of a shell's triangles
    FitPieces pieces;
    FitRegions regions;
    FitEllipsoids ellipsoids;
    FitGraph graph;
    double thickness; // of a shell
    int *bones;
    float *weights;
    SnParticlesQuality quality;
} Conversion;

const char *sn_fill_name(SnFill fill) {
    static const char *const names[SN_FILL_COUNT] = {"solid", "shell", "curve"};
    return fill >= 0 && fill < SN_FILL_COUNT ? names[fill] : "?";
}

SnParticlesDef sn_default_particles_def(void) {
    SnParticlesDef def = {.cookie = COOKIE, .particles = 100, .thickness = SN_DERIVED};
    return def;
}

static SnResult check_def(const SnParticlesDef *def) {
    if (def->cookie != COOKIE)
        return sn__no_def(def, "particles", "sn_default_particles_def");
    if (def->vertex_count > 0 && def->positions == NULL)
        return sn__null("particles: positions");
    if (def->triangle_count > 0 && def->triangles == NULL)
        return sn__null("particles: triangles");
    if (def->particles < 1 || def->particles > SN_MAX_FIT_PARTICLES)
        return sn_error(SN_ERROR_INVALID, "particles: %d is not in [1, %d]", def->particles,
                        SN_MAX_FIT_PARTICLES);
    if (def->fill < 0 || def->fill >= SN_FILL_COUNT)
        return sn_error(SN_ERROR_INVALID, "particles: fill: %d is no SnFill", (int)def->fill);
    if (def->thickness != SN_DERIVED && !(def->thickness > 0.0f && def->thickness <= 1e9f))
        return sn_error(SN_ERROR_INVALID, "particles: thickness: %g is not in (0, 1e9]",
                        (double)def->thickness);
    return sn_ok();
}

static SnResult no_memory(void) { return sn_error(SN_ERROR_MEMORY, "particles: no memory"); }

static void say_shells(Conversion *c) {
    FitSurface told = c->surface;
    if (c->def->fill != SN_FILL_CURVE)
        told.shells = 1; // all are used: nothing to tell
    sn__fit_say_mended(&c->told, &told);
}

static SnResult mend(Conversion *c) {
    const SnParticlesDef *def = c->def;
    SnResult (*clean)(FitMemory *, const SnVec3 *, int, const uint32_t *, int, FitSurface *) =
        def->fill == SN_FILL_SOLID   ? sn__fit_clean_shells
        : def->fill == SN_FILL_SHELL ? sn__fit_weld
                                     : sn__fit_clean;
    SnResult result = clean(&c->memory, def->positions, def->vertex_count, def->triangles,
                            def->triangle_count, &c->surface);
    if (result.code != SN_OK)
        return result;
    say_shells(c);
    return sn__fit_end_stage(&c->told, "mend", 0.05);
}

// Shells that overlap have less volume together than one by one: it is that of their cells then.
static void measure_volume(Conversion *c) {
    double side = c->cells.side, counted = c->cells.count * side * side * side;
    c->quality.volume = c->surface.volume;
    if (c->surface.shells == 1 || fabs(counted / c->surface.volume - 1.0) < OVERLAP)
        return;
    c->quality.volume = counted;
    sn__fit_say(&c->told, "mesh: its %d shells overlap: they have a volume of %.4g together",
                c->surface.shells, counted);
}

// Cuts the body into pieces, more than each of the particles needs.
static SnResult cut(Conversion *c) {
    int wanted = PIECES_EACH * c->def->particles;
    wanted = wanted > FEWEST_PIECES ? wanted : FEWEST_PIECES;
    SnResult result = sn_ok();
    c->quality.area = c->surface.area;
    if (c->def->fill == SN_FILL_SHELL) {
        if (!sn__fit_pieces_of_surface(&c->memory, &c->surface, wanted, &c->first, &c->pieces))
            return no_memory();
    } else {
        result = c->def->fill == SN_FILL_CURVE
                     ? sn__fit_fill(&c->memory, &c->surface, &c->cells)
                     : sn__fit_fill_all(&c->memory, &c->surface, wanted, &c->cells);
        if (result.code != SN_OK)
            return result;
        measure_volume(c);
        if (!sn__fit_pieces_of_cells(&c->memory, &c->cells, c->quality.volume, &c->pieces))
            return no_memory();
    }
    c->quality.parts = c->pieces.part_count;
    return sn__fit_end_stage(&c->told, "cells", 0.2);
}

static SnResult share(Conversion *c) {
    int wanted = c->def->particles, most = c->pieces.count / LEAST_EACH;
    wanted = wanted < most ? wanted : most;
    bool is_curve = c->def->fill == SN_FILL_CURVE, is_ring = true;
    if (is_curve &&
        !sn__fit_slice_regions(&c->memory, &c->cells, &c->pieces, wanted, &c->regions, &is_ring))
        return no_memory();
    // Regions that are alike line up around a ring by themselves.
    if (is_ring &&
        !sn__fit_make_regions(&c->memory, &c->pieces, wanted, &c->told, 0.2, 0.7, &c->regions))
        return no_memory();
    if (c->regions.left_out > 0)
        sn__fit_say(&c->told,
                    "mesh: %d of its %d parts are too small for a particle of their own, or too "
                    "many; the mesh there follows the nearest",
                    c->regions.left_out, c->pieces.part_count);
    if (c->regions.count < c->def->particles)
        sn__fit_say(&c->told, "particles: there is room for %d, not for %d", c->regions.count,
                    c->def->particles);
    double mean = c->pieces.total / c->regions.count;
    c->quality.spacing = c->pieces.dimension == 3 ? cbrt(mean) : sqrt(mean);
    return sn__fit_end_stage(&c->told, "share", 0.7);
}

static SnResult fit(Conversion *c) {
    double least = 1e-3 * c->quality.spacing, volume = 0.0;
    if (c->def->fill == SN_FILL_SHELL) {
        c->thickness =
            c->def->thickness > 0.0f ? (double)c->def->thickness : THICKNESS * c->quality.spacing;
        least = 0.5 * c->thickness;
        c->quality.volume = c->surface.area * c->thickness;
    }
    if (!sn__fit_ellipsoids(&c->memory, &c->pieces, &c->regions, least, &c->ellipsoids))
        return no_memory();
    // Ellipsoids of a shell stay as thick as they are: their union is measured only.
    double most = c->def->fill == SN_FILL_SOLID ? MOST_GROWTH : 1.0;
    double side = c->def->fill == SN_FILL_SHELL ? 0.25 * c->thickness : 0.75 * c->cells.side;
    if (!sn__fit_match_ellipsoids(&c->memory, &c->ellipsoids, side, c->quality.volume, most,
                                  &volume))
        return no_memory();
    c->quality.volume_ratio = volume / c->quality.volume;
    return sn__fit_end_stage(&c->told, "fit", 0.75);
}

static SnResult join(Conversion *c) {
    if (!sn__fit_make_graph(&c->memory, &c->pieces, &c->regions, &c->graph))
        return no_memory();
    c->quality.edges_per_particle = (double)c->graph.edge_count / c->regions.count;
    if (c->graph.bridges > 0)
        sn__fit_say(&c->told,
                    "mesh: %d parts do not touch: %d edge%s between the nearest particles hold%s "
                    "them together; if they are several bodies, give each its own file",
                    c->graph.bridges + 1, c->graph.bridges, c->graph.bridges == 1 ? "" : "s",
                    c->graph.bridges == 1 ? "s" : "");
    return sn__fit_end_stage(&c->told, "graph", 0.8);
}

// Where points of the mesh are a little below it, where cells are: half a cube against their normals, so that
// a vertex beside a narrow gap finds the cell on its own side.
static void sink_points(const Conversion *c, Vec3d *normals) {
    const FitSurface *s = &c->surface;
    for (int i = 0; i < s->triangle_count; ++i) {
        const int *t = s->triangles[i];
        Vec3d a = s->points[t[0]];
        Vec3d n = crossd(subd(s->points[t[1]], a), subd(s->points[t[2]], a));
        for (int k = 0; k < 3; ++k)
            normals[t[k]] = addd(normals[t[k]], n);
    }
    for (int i = 0; i < s->point_count; ++i) {
        double length = lengthd(normals[i]);
        double depth = length > 0.0 ? 0.75 * c->cells.side / length : 0.0;
        normals[i] = subd(s->points[i], scaled(normals[i], depth));
    }
}

// The region that every vertex is at.
static void find_homes(const Conversion *c, Vec3d *below, int *point_homes, int *homes) {
    const FitSurface *s = &c->surface;
    bool shell = c->def->fill == SN_FILL_SHELL;
    for (int i = 0; i < s->point_count; ++i)
        point_homes[i] = -1;
    if (!shell)
        sink_points(c, below);
    for (int i = 0; !shell && i < s->point_count; ++i) {
        int cell = sn__fit_near_cell(&c->cells, below[i]);
        point_homes[i] = cell < 0 ? -1 : c->regions.owner[cell];
    }
    for (int i = 0; shell && i < s->triangle_count; ++i)
        for (int k = 0; k < 3; ++k)
            point_homes[s->triangles[i][k]] =
                c->regions.owner[sn__fit_corner_piece(c->first, i, k)];
    for (int i = 0; i < c->def->vertex_count; ++i)
        homes[i] = point_homes[s->numbers[i]];
}

static SnResult bind(Conversion *c) {
    size_t count = (size_t)c->def->vertex_count;
    Vec3d *vertices = sn__fit_alloc(&c->memory, count, sizeof *vertices);
    int *homes = sn__fit_alloc(&c->memory, count, sizeof *homes);
    int *point_homes =
        sn__fit_alloc(&c->memory, (size_t)c->surface.point_count, sizeof *point_homes);
    c->bones = sn__fit_alloc(&c->memory, SN_SKIN_BONES * count, sizeof *c->bones);
    c->weights = sn__fit_alloc(&c->memory, SN_SKIN_BONES * count, sizeof *c->weights);
    Vec3d *below = sn__fit_alloc(&c->memory, (size_t)c->surface.point_count, sizeof *below);
    if (vertices == NULL || homes == NULL || point_homes == NULL || below == NULL ||
        c->bones == NULL || c->weights == NULL)
        return no_memory();
    for (size_t i = 0; i < count; ++i)
        vertices[i] = subd(vec3d(c->def->positions[i]), c->surface.centre);
    find_homes(c, below, point_homes, homes);
    if (!sn__fit_skin_particles(&c->memory, &c->regions, &c->graph, vertices, homes,
                                c->def->vertex_count, c->bones, c->weights))
        return no_memory();
    return sn__fit_end_stage(&c->told, "skin", 0.85);
}

static SnResult convert(Conversion *c) {
    SnResult (*const stages[])(Conversion *) = {mend, cut, share, fit, join, bind};
    SnResult result = sn_ok();
    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && result.code == SN_OK; ++i)
        result = stages[i](c);
    if (result.code != SN_OK)
        return result;
    const FitCells *cells = c->def->fill == SN_FILL_SHELL ? NULL : &c->cells;
    if (!sn__fit_judge_ellipsoids(&c->memory, &c->surface, cells, &c->pieces, &c->ellipsoids,
                                  &c->quality))
        return no_memory();
    return sn__fit_end_stage(&c->told, "measure", 1.0);
}

static size_t lay_out(SnParticles *p, void *memory) {
    Layout layout = {memory, 0};
    size_t count = (size_t)p->particle_count, vertices = (size_t)p->vertex_count;
    p->positions = sn__lay(&layout, count, sizeof *p->positions);
    p->rotations = sn__lay(&layout, count, sizeof *p->rotations);
    p->radii = sn__lay(&layout, count, sizeof *p->radii);
    p->volumes = sn__lay(&layout, count, sizeof *p->volumes);
    p->edges = sn__lay(&layout, (size_t)p->edge_count, sizeof *p->edges);
    p->areas = sn__lay(&layout, (size_t)p->edge_count, sizeof *p->areas);
    p->bones = sn__lay(&layout, SN_SKIN_BONES * vertices, sizeof *p->bones);
    p->weights = sn__lay(&layout, SN_SKIN_BONES * vertices, sizeof *p->weights);
    return layout.used;
}

static SnResult hand_out(const Conversion *c, const SnAllocator *allocator, SnParticles *out) {
    SnParticles p = {.particle_count = c->regions.count,
                     .edge_count = c->graph.edge_count,
                     .vertex_count = c->def->vertex_count,
                     .quality = c->quality,
                     .report = *c->told.report,
                     .allocator = *allocator};
    p.size = lay_out(&p, NULL);
    void *memory = sn__alloc(allocator, p.size);
    if (memory == NULL)
        return no_memory();
    lay_out(&p, memory);
    double per_weight = c->def->fill == SN_FILL_SHELL ? c->thickness : 1.0;
    for (int i = 0; i < p.particle_count; ++i) {
        const FitEllipsoid *e = &c->ellipsoids.list[i];
        p.positions[i] = vec3f(addd(e->centre, c->surface.centre));
        p.rotations[i] = quatf(e->axes);
        p.radii[i] = vec3f((Vec3d){e->radii[0], e->radii[1], e->radii[2]});
        p.volumes[i] = (float)(c->regions.weights[i] * per_weight);
    }
    // Bits of a surface say little of how wide they hang together, and slices follow each other as they are.
    for (int k = 0; k < p.edge_count; ++k)
        p.areas[k] = c->def->fill == SN_FILL_SOLID ? (float)c->graph.areas[k] : 0.0f;
    size_t bones = SN_SKIN_BONES * (size_t)p.vertex_count;
    memcpy(p.edges, c->graph.edges, (size_t)p.edge_count * sizeof *p.edges);
    memcpy(p.bones, c->bones, bones * sizeof *p.bones);
    memcpy(p.weights, c->weights, bones * sizeof *p.weights);
    *out = p;
    return sn_ok();
}

SnResult sn_particles_create(const SnParticlesDef *def, const SnAllocator *allocator,
                             SnParticles *out_particles) {
    if (out_particles == NULL)
        return sn__null("particles: out_particles");
    memset(out_particles, 0, sizeof *out_particles);
    if (def == NULL)
        return sn__null("particles: def");
    SnResult result = check_def(def);
    if (result.code != SN_OK)
        return result;
    SnFitReport report;
    Conversion c = {.def = def};
    c.memory.allocator = allocator ? *allocator : sn__default_allocator();
    c.told = sn__fit_tell(&report, def->progress, def->progress_context);
    result = convert(&c);
    if (result.code == SN_OK)
        result = hand_out(&c, &c.memory.allocator, out_particles);
    sn__fit_release(&c.memory, NULL);
    return result;
}

void sn_particles_destroy(SnParticles *particles) {
    if (particles == NULL)
        return;
    sn__free(&particles->allocator, particles->positions, particles->size);
    memset(particles, 0, sizeof *particles);
}
