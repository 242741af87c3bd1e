// From a bone's mesh to a few pills: simplification to spheres, the edges that matter, and the best fit.
#include <string.h>

#include "base/null.h"
#include "fit/ends.h"
#include "fit/pills.h"
#include "fit/report.h"
#include "fit/sphere_mesh.h"

#define COOKIE 0x626f6e31u
#define PI 3.14159265358979323846
#define FIT_SAMPLES 6000
#define FIT_ITERATIONS 60

typedef struct Bone {
    const SnBonifyDef *def;
    FitMemory memory;
    FitTold told;
    FitSurface surface;
    FitCells cells;
    FitSamples samples;
    FitSphereMesh spheres;
    FitPills pills;
    SnFitQuality quality;
} Bone;

SnBonifyDef sn_default_bonify_def(void) {
    SnBonifyDef def = {.cookie = COOKIE, .pills = 12};
    return def;
}

static SnResult check_def(const SnBonifyDef *def) {
    if (def->cookie != COOKIE)
        return sn__no_def(def, "bonify", "sn_default_bonify_def");
    if (def->vertex_count > 0 && def->positions == NULL)
        return sn__null("bonify: positions");
    if (def->triangle_count > 0 && def->triangles == NULL)
        return sn__null("bonify: triangles");
    if (def->pills < 1 || def->pills > SN_MAX_FIT_PILLS)
        return sn_error(SN_ERROR_INVALID, "bonify: pills: %d is not in [1, %d]", def->pills,
                        SN_MAX_FIT_PILLS);
    return sn_ok();
}

static Pill pill_of(const Bone *b, int edge) {
    FitSphere p = b->spheres.spheres[b->spheres.edges[edge][0]];
    FitSphere q = b->spheres.spheres[b->spheres.edges[edge][1]];
    return (Pill){p.centre, q.centre, p.radius, q.radius};
}

// How much worse or better a pill makes the fit: squared distances of the mesh and of points inside
// that it takes away, less what it covers outside. `distances` are those to the pills so far.
static double gain_of(const Bone *b, int edge, const double *distances) {
    const FitSamples *s = &b->samples;
    Pill pill = pill_of(b, edge);
    double gain = 0.0, most = b->quality.thickness;
    int all = s->surface_count + s->inside_count + s->outside_count;
    for (int i = 0; i < all; ++i) {
        double distance = sn__pill_distance(&pill, s->points[i], NULL);
        double before = fmin(distances[i], most), after = fmin(before, distance);
        if (i < s->surface_count)
            gain += (before * before - after * after) / s->surface_count;
        else if (i < s->surface_count + s->inside_count)
            gain += (fmax(before, 0.0) * fmax(before, 0.0) - fmax(after, 0.0) * fmax(after, 0.0)) /
                    s->inside_count;
        else
            gain -= (fmin(after, 0.0) * fmin(after, 0.0) - fmin(before, 0.0) * fmin(before, 0.0)) /
                    s->outside_count;
    }
    return gain;
}

static int find_root(int *parents, int i) {
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

// Takes the edge that helps most, again and again: first those that join spheres that nothing joins yet,
// so that all hang together, then whatever helps.
static bool choose_edges(Bone *b) {
    FitSphereMesh *m = &b->spheres;
    const FitSamples *s = &b->samples;
    int all = s->surface_count + s->inside_count + s->outside_count;
    double *distances = sn__fit_alloc(&b->memory, (size_t)all, sizeof *distances);
    int *parents = sn__fit_alloc(&b->memory, (size_t)m->sphere_count, sizeof *parents);
    bool *taken = sn__fit_alloc(&b->memory, (size_t)m->edge_count, sizeof *taken);
    FitPills *p = &b->pills;
    if (distances == NULL || parents == NULL || taken == NULL ||
        !sn__fit_create_pills(&b->memory, m->sphere_count, b->def->pills, p))
        return false;
    for (int i = 0; i < all; ++i)
        distances[i] = HUGE_VAL;
    for (int i = 0; i < m->sphere_count; ++i)
        parents[i] = i;
    for (p->edge_count = 0; p->edge_count < b->def->pills;) {
        bool joined = p->edge_count >= m->sphere_count - 1;
        int best = -1;
        double most = joined ? 0.0 : -HUGE_VAL;
        for (int e = 0; e < m->edge_count; ++e) {
            bool joins = find_root(parents, m->edges[e][0]) != find_root(parents, m->edges[e][1]);
            if (taken[e] || (!joined && !joins))
                continue;
            double gain = gain_of(b, e, distances);
            if (gain > most) {
                most = gain;
                best = e;
            }
        }
        if (best < 0)
            break;
        taken[best] = true;
        parents[find_root(parents, m->edges[best][0])] = find_root(parents, m->edges[best][1]);
        memcpy(p->edges[p->edge_count++], m->edges[best], sizeof *p->edges);
        Pill pill = pill_of(b, best);
        for (int i = 0; i < all; ++i)
            distances[i] = fmin(distances[i], sn__pill_distance(&pill, s->points[i], NULL));
    }
    for (int i = 0; i < m->sphere_count; ++i) {
        p->points[i] = m->spheres[i].centre;
        p->radii[i] = fmax(m->spheres[i].radius, 0.02 * b->quality.thickness);
    }
    sn__fit_enclose(p);
    return true;
}

static bool fit_pills(Bone *b) {
    int *groups = sn__fit_alloc(&b->memory, (size_t)b->pills.node_count, sizeof *groups);
    if (groups == NULL)
        return false;
    for (int i = 0; i < b->pills.node_count; ++i)
        groups[i] = i;
    FitRules rules = {.scale = b->quality.thickness,
                      .groups = groups,
                      .group_count = b->pills.node_count,
                      .iterations = FIT_ITERATIONS,
                      .told = &b->told,
                      .from = 0.6,
                      .to = 0.9};
    return sn__fit_refine(&b->memory, &b->pills, &rules, &b->samples);
}

static SnResult prepare(Bone *b) {
    const SnBonifyDef *def = b->def;
    SnResult result = sn__fit_clean(&b->memory, def->positions, def->vertex_count, def->triangles,
                                    def->triangle_count, &b->surface);
    if (result.code != SN_OK)
        return result;
    sn__fit_say_mended(&b->told, &b->surface);
    result = sn__fit_end_stage(&b->told, "mend", 0.05);
    if (result.code == SN_OK)
        result = sn__fit_fill(&b->memory, &b->surface, &b->cells);
    if (result.code != SN_OK)
        return result;
    FitTips tips;
    if (!sn__fit_find_tips(&b->memory, &b->cells, &tips))
        return sn_error(SN_ERROR_MEMORY, "bonify: no memory");
    b->quality.volume = b->surface.volume;
    b->quality.length = tips.length;
    b->quality.thickness = 2.0 * sqrt(b->surface.volume / (PI * tips.length));
    if (!sn__fit_sample(&b->memory, &b->surface, &b->cells, b->quality.thickness, FIT_SAMPLES,
                        &b->samples))
        return sn_error(SN_ERROR_MEMORY, "bonify: no memory");
    return sn__fit_end_stage(&b->told, "cells", 0.3);
}

static SnResult convert(Bone *b) {
    SnResult no_memory = sn_error(SN_ERROR_MEMORY, "bonify: no memory");
    SnResult result = prepare(b);
    if (result.code != SN_OK)
        return result;
    // A quarter of the pills is for edges that close rings, as those of flat parts do.
    int spheres = 1 + b->def->pills - b->def->pills / 4;
    if (!sn__fit_simplify(&b->memory, &b->surface, spheres < 2 ? 2 : spheres, &b->spheres))
        return no_memory;
    result = sn__fit_end_stage(&b->told, "spheres", 0.6);
    if (result.code != SN_OK)
        return result;
    if (!choose_edges(b) || !fit_pills(b))
        return no_memory;
    result = sn__fit_end_stage(&b->told, "fit", 0.9);
    if (result.code != SN_OK)
        return result;
    double growth, volume;
    if (!sn__fit_volume(&b->memory, &b->pills, 0.75 * b->cells.side, b->surface.volume, &growth,
                        &volume) ||
        !sn__fit_judge(&b->memory, &b->surface, &b->pills, &b->quality))
        return no_memory;
    b->quality.volume_ratio = volume / b->surface.volume;
    b->quality.shortest = HUGE_VAL;
    for (int i = 0; i < b->pills.edge_count; ++i) {
        Pill p = sn__fit_pill(&b->pills, i);
        double length = lengthd(subd(p.b, p.a));
        b->quality.shortest = fmin(b->quality.shortest, length);
        b->quality.longest = fmax(b->quality.longest, length);
    }
    return sn__fit_end_stage(&b->told, "measure", 1.0);
}

static size_t lay_out(SnBonePills *p, void *memory) {
    Layout layout = {memory, 0};
    p->positions = sn__lay(&layout, (size_t)p->sphere_count, sizeof *p->positions);
    p->radii = sn__lay(&layout, (size_t)p->sphere_count, sizeof *p->radii);
    p->edges = sn__lay(&layout, 2 * (size_t)p->pill_count, sizeof *p->edges);
    return layout.used;
}

static SnResult hand_out(const Bone *b, const SnAllocator *allocator, SnBonePills *out) {
    SnBonePills p = {.sphere_count = b->pills.node_count,
                     .pill_count = b->pills.edge_count,
                     .quality = b->quality,
                     .report = *b->told.report,
                     .allocator = *allocator};
    p.size = lay_out(&p, NULL);
    void *memory = sn__alloc(allocator, p.size);
    if (memory == NULL)
        return sn_error(SN_ERROR_MEMORY, "bonify: no memory for the pills");
    lay_out(&p, memory);
    for (int i = 0; i < p.sphere_count; ++i) {
        p.positions[i] = vec3f(addd(b->pills.points[i], b->surface.centre));
        p.radii[i] = (float)b->pills.radii[i];
    }
    for (int i = 0; i < 2 * p.pill_count; ++i)
        p.edges[i] = b->pills.edges[i / 2][i % 2];
    *out = p;
    return sn_ok();
}

SnResult sn_bonify(const SnBonifyDef *def, const SnAllocator *allocator, SnBonePills *out_pills) {
    if (out_pills == NULL)
        return sn__null("bonify: out_pills");
    memset(out_pills, 0, sizeof *out_pills);
    if (def == NULL)
        return sn__null("bonify: def");
    SnResult result = check_def(def);
    if (result.code != SN_OK)
        return result;
    SnFitReport report;
    Bone b = {.def = def};
    b.memory.allocator = allocator ? *allocator : sn__default_allocator();
    b.told = sn__fit_tell(&report, def->progress, def->progress_context);
    result = convert(&b);
    if (result.code == SN_OK)
        result = hand_out(&b, &b.memory.allocator, out_pills);
    sn__fit_release(&b.memory, NULL);
    return result;
}

void sn_bone_pills_destroy(SnBonePills *pills) {
    if (pills == NULL)
        return;
    sn__free(&pills->allocator, pills->positions, pills->size);
    memset(pills, 0, sizeof *pills);
}
