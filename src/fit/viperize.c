// From a muscle's mesh to rods (VIPER, section 8.1, figure 11): the inside as cells, a harmonic field
// between source and sink, slices, points of rods on them, and the best fit of pills to the mesh.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/null.h"
#include "fit/report.h"
#include "fit/rods.h"

#define COOKIE 0x76697031u
#define PI 3.14159265358979323846

// Points of the mesh that the pills are fitted to, at least.
#define FIT_SAMPLES 4000
#define FIT_ITERATIONS 40
// Growing all radii to the mesh's volume and moving points to where they are best with these, in turn.
#define VOLUME_ROUNDS 2

// A bone that is farther from a muscle than this part of its size is worth a word.
#define FAR_BONE 0.25

// Of a mesh, so much of its volume may hang on by bridges that are thinner than cells; and by so much the
// volume of the rods may be off without a word.
#define MOST_LOST 0.5
#define VOLUME_OFF 0.03

// Where the user leaves the number of slices open.
#define FEWEST_SLICES 8.0
#define MOST_SLICES 48.0

typedef struct Conversion {
    const SnViperizeDef *def;
    FitMemory memory;
    FitTold told;
    FitSurface surface;
    FitCells cells;
    FitEnds ends;
    double *field;
    int slice_count;
    FitRods rods;
    SnFitQuality quality;
} Conversion;

SnViperizeDef sn_default_viperize_def(void) {
    SnViperizeDef def = {.cookie = COOKIE, .rods = 8};
    return def;
}

static SnResult check_bone(const char *name, int number, const SnFitBone *bone) {
    if (bone->vertex_count < 1 || bone->triangle_count < 1 || bone->positions == NULL ||
        bone->triangles == NULL)
        return sn_error(SN_ERROR_INVALID, "viperize: %s: bone %d has %d vertices and %d triangles",
                        name, number, bone->vertex_count, bone->triangle_count);
    for (int i = 0; i < bone->vertex_count; ++i)
        if (!sn__finite3(bone->positions[i]) || !sn__within3(bone->positions[i], LARGEST_NUMBER))
            return sn_error(SN_ERROR_INVALID, "viperize: %s: bone %d: vertex %d is not finite",
                            name, number, i);
    for (int i = 0; i < 3 * bone->triangle_count; ++i)
        if (bone->triangles[i] >= (uint32_t)bone->vertex_count)
            return sn_error(SN_ERROR_INVALID,
                            "viperize: %s: bone %d: triangle %d uses vertex %u of %d", name, number,
                            i / 3, bone->triangles[i], bone->vertex_count);
    return sn_ok();
}

static SnResult check_end(const char *name, const SnFitEnd *end, int vertex_count) {
    if (end->sphere_count < 0 || end->vertex_count < 0 || end->bone_count < 0)
        return sn_error(SN_ERROR_INVALID, "viperize: %s: %d spheres, %d vertices, %d bones", name,
                        end->sphere_count, end->vertex_count, end->bone_count);
    if ((end->sphere_count > 0 && end->spheres == NULL) ||
        (end->vertex_count > 0 && end->vertices == NULL) ||
        (end->bone_count > 0 && end->bones == NULL))
        return sn_error(SN_ERROR_INVALID, "viperize: %s: its list is NULL", name);
    for (int i = 0; i < end->sphere_count; ++i) {
        SnFitSphere s = end->spheres[i];
        if (!sn__finite3(s.centre) || !(s.radius >= 0.0f && s.radius <= LARGEST_NUMBER))
            return sn_error(
                SN_ERROR_INVALID, "viperize: %s: sphere %d at (%g, %g, %g) with radius %g", name, i,
                (double)s.centre.x, (double)s.centre.y, (double)s.centre.z, (double)s.radius);
    }
    for (int i = 0; i < end->vertex_count; ++i)
        if (end->vertices[i] < 0 || end->vertices[i] >= vertex_count)
            return sn_error(SN_ERROR_INVALID, "viperize: %s: vertex %d is not in [0, %d]", name,
                            end->vertices[i], vertex_count - 1);
    SnResult result = sn_ok();
    for (int i = 0; i < end->bone_count && result.code == SN_OK; ++i)
        result = check_bone(name, i, &end->bones[i]);
    return result;
}

static SnResult check_def(const SnViperizeDef *def) {
    if (def->cookie != COOKIE)
        return sn__no_def(def, "viperize", "sn_default_viperize_def");
    if (def->vertex_count > 0 && def->positions == NULL)
        return sn__null("viperize: positions");
    if (def->triangle_count > 0 && def->triangles == NULL)
        return sn__null("viperize: triangles");
    if (def->rods < 1 || def->rods > SN_MAX_FIT_RODS)
        return sn_error(SN_ERROR_INVALID, "viperize: rods: %d is not in [1, %d]", def->rods,
                        SN_MAX_FIT_RODS);
    if (def->slices != 0 && (def->slices < 2 || def->slices > SN_MAX_FIT_SLICES))
        return sn_error(SN_ERROR_INVALID, "viperize: slices: %d is neither 0 nor in [2, %d]",
                        def->slices, SN_MAX_FIT_SLICES);
    if (def->rods * def->slices > SN_MAX_FIT_POINTS)
        return sn_error(SN_ERROR_LIMIT,
                        "viperize: %d rods of %d points are more than %d points: ask for fewer",
                        def->rods, def->slices, SN_MAX_FIT_POINTS);
    if (def->radii != SN_FIT_RADII_SLICE && def->radii != SN_FIT_RADII_OWN)
        return sn_error(SN_ERROR_INVALID, "viperize: radii: %d is no SnFitRadii", (int)def->radii);
    SnResult result = check_end("source", &def->source, def->vertex_count);
    return result.code == SN_OK ? check_end("sink", &def->sink, def->vertex_count) : result;
}

static void say_ends(Conversion *c) {
    if (c->cells.lost > 0.01)
        sn__fit_say(&c->told, "mesh: %.1f %% of its volume hangs on by too thin a bridge: left out",
                    100.0 * c->cells.lost);
    if (c->ends.moved > 0)
        sn__fit_say(
            &c->told,
            "source and sink: %d of the spheres hold no part of the mesh: the nearest place "
            "is taken",
            c->ends.moved);
    if (c->ends.gap > FAR_BONE * c->surface.size)
        sn__fit_say(
            &c->told,
            "source and sink: a bone is %.3g away from the muscle: is it the right one, and "
            "in the same unit?",
            c->ends.gap);
    if (c->ends.sources > 1 || c->ends.sinks > 1)
        sn__fit_say(&c->told, "ends: %d at the source, %d at the sink", c->ends.sources,
                    c->ends.sinks);
}

static SnResult check_cells(const Conversion *c) {
    if (c->cells.lost > MOST_LOST)
        return sn_error(
            SN_ERROR_INVALID,
            "mesh: %.0f %% of its volume hangs on by too thin a bridge: it is broken, too "
            "coarse for how thin it is, or several muscles: mend or split it",
            100.0 * c->cells.lost);
    return sn_ok();
}

static SnResult make_field(Conversion *c) {
    SnResult result = sn__fit_find_ends(&c->memory, &c->cells, c->def, c->surface.centre, &c->ends);
    if (result.code != SN_OK)
        return result;
    say_ends(c);
    result = sn__fit_end_stage(&c->told, "ends", 0.25);
    if (result.code != SN_OK)
        return result;
    c->field = sn__fit_alloc(&c->memory, (size_t)c->cells.count, sizeof *c->field);
    if (c->field == NULL)
        return sn_error(SN_ERROR_MEMORY, "viperize: no memory");
    if (!sn__fit_harmonic(&c->memory, &c->cells, c->ends.kinds, c->field))
        return sn_error(SN_ERROR_MEMORY, "viperize: no memory");
    return sn__fit_end_stage(&c->told, "field", 0.35);
}

static void say_parts(Conversion *c) {
    for (int p = 0; p < c->rods.slices.part_count; ++p)
        if (c->rods.slices.part_rods[p] == 0) {
            sn__fit_say(&c->told,
                        "rods: %d are too few for all parts of the slices: some have none; ask for "
                        "more rods",
                        c->def->rods);
            return;
        }
}

// As many slices as a muscle of this length needs to follow its bends: about one for every 1.7 times its
// thickness.
static bool choose_slices(Conversion *c) {
    c->slice_count = c->def->slices;
    if (c->slice_count > 0)
        return true;
    double levels[2], ways[2];
    FitSlices two = {.count = 2, .levels = levels, .ways = ways};
    if (!sn__fit_choose_levels(&c->memory, &c->cells, &c->ends, c->field, c->def->rods, NULL, &two))
        return false;
    double thickness = 2.0 * sqrt(c->surface.volume / (PI * two.length));
    double wanted = ceil(0.6 * two.length / thickness) + 2.0;
    c->slice_count =
        (int)fmin(fmax(wanted, FEWEST_SLICES), fmin(MOST_SLICES, SN_MAX_FIT_POINTS / c->def->rods));
    return true;
}

static SnResult make_rods(Conversion *c) {
    if (!choose_slices(c))
        return sn_error(SN_ERROR_MEMORY, "viperize: no memory");
    int rods = c->def->rods, slices = c->slice_count;
    double places[SN_MAX_FIT_SLICES];
    if (!sn__fit_find_places(&c->memory, &c->cells, &c->ends, c->field, rods, slices, places))
        return sn_error(SN_ERROR_MEMORY, "viperize: no memory");
    SnResult result = sn__fit_end_stage(&c->told, "places", 0.4);
    const FitGround ground = {&c->cells, &c->ends, c->field};
    if (result.code == SN_OK)
        result = sn__fit_lay_rods(&c->memory, &ground, rods, slices, places, &c->rods);
    if (result.code != SN_OK)
        return result;
    say_parts(c);
    return sn__fit_end_stage(&c->told, "rods", 0.5);
}

// Grows all radii until the volume is right, and moves points with these radii held, in turn.
static bool match_volume(Conversion *c, const FitSamples *samples, const FitRules *rules) {
    double volume;
    for (int i = 0;; ++i) {
        if (!sn__fit_match_volume(&c->memory, &c->rods.pills, 0.75 * c->cells.side,
                                  c->surface.volume, &volume))
            return false;
        c->quality.volume_ratio = volume / c->surface.volume;
        if (i == VOLUME_ROUNDS)
            return true;
        if (!sn__fit_settle_rods(&c->memory, &c->rods, samples, rules))
            return false;
    }
}

static SnResult fit_rods(Conversion *c) {
    SnResult no_memory = sn_error(SN_ERROR_MEMORY, "viperize: no memory");
    FitSamples samples;
    int nodes = c->rods.pills.node_count;
    int count = FIT_SAMPLES > 12 * nodes ? FIT_SAMPLES : 12 * nodes;
    FitRules rules = {.scale = c->quality.thickness,
                      .iterations = FIT_ITERATIONS,
                      .told = &c->told,
                      .from = 0.5,
                      .to = 0.9};
    if (!sn__fit_sample(&c->memory, &c->surface, &c->cells, c->quality.thickness, count,
                        &samples) ||
        !sn__fit_fit_rods(&c->memory, &c->rods, &samples, c->def->radii == SN_FIT_RADII_OWN,
                          &rules))
        return no_memory;
    SnResult result = sn__fit_end_stage(&c->told, "fit", 0.9);
    if (result.code != SN_OK)
        return result;
    rules.from = rules.to = 0.9;
    if (!match_volume(c, &samples, &rules))
        return no_memory;
    if (fabs(c->quality.volume_ratio - 1.0) > VOLUME_OFF)
        sn__fit_say(&c->told, "rods: their volume is %.0f %% of the mesh's: ask for more rods",
                    100.0 * c->quality.volume_ratio);
    return sn__fit_end_stage(&c->told, "volume", 0.95);
}

static SnResult judge(Conversion *c) {
    SnFitQuality *q = &c->quality;
    if (!sn__fit_judge(&c->memory, &c->surface, &c->rods.pills, q))
        return sn_error(SN_ERROR_MEMORY, "viperize: no memory");
    q->shortest = HUGE_VAL;
    for (int k = 0; k < c->def->rods; ++k) {
        double length = 0.0;
        for (int j = 0; j + 1 < c->slice_count; ++j) {
            const Vec3d *x = c->rods.pills.points + k * c->slice_count + j;
            length += lengthd(subd(x[1], x[0]));
        }
        q->shortest = fmin(q->shortest, length);
        q->longest = fmax(q->longest, length);
    }
    return sn__fit_end_stage(&c->told, "measure", 1.0);
}

static SnResult convert(Conversion *c) {
    const SnViperizeDef *def = c->def;
    SnResult result = sn__fit_clean(&c->memory, def->positions, def->vertex_count, def->triangles,
                                    def->triangle_count, &c->surface);
    if (result.code != SN_OK)
        return result;
    sn__fit_say_mended(&c->told, &c->surface);
    result = sn__fit_end_stage(&c->told, "mend", 0.05);
    if (result.code == SN_OK)
        result = sn__fit_fill(&c->memory, &c->surface, &c->cells);
    if (result.code == SN_OK)
        result = check_cells(c);
    if (result.code == SN_OK)
        result = sn__fit_end_stage(&c->told, "cells", 0.1);
    if (result.code == SN_OK)
        result = make_field(c);
    if (result.code == SN_OK)
        result = make_rods(c);
    if (result.code != SN_OK)
        return result;
    c->quality.volume = c->surface.volume;
    c->quality.length = c->rods.slices.length;
    c->quality.thickness = 2.0 * sqrt(c->surface.volume / (PI * c->rods.slices.length));
    result = fit_rods(c);
    return result.code == SN_OK ? judge(c) : result;
}

// How far along the muscle a value of the field is, by what slices tell.
static double way_of(const FitSlices *slices, double value) {
    double last_value = 0.0, last_way = 0.0;
    for (int j = 0; j <= slices->count; ++j) {
        double next = j < slices->count ? slices->levels[j] : 1.0;
        double way = j < slices->count ? slices->ways[j] : 1.0;
        if (value <= next && next > last_value)
            return last_way + (way - last_way) * (value - last_value) / (next - last_value);
        last_value = next;
        last_way = way;
    }
    return 1.0;
}

static float field_at(const Conversion *c, Vec3d x) {
    const FitCells *cells = &c->cells;
    double sum = 0.0, weights = 0.0, reach = 2.0;
    int at[3] = {(int)floor((x.x - cells->low.x) / cells->side),
                 (int)floor((x.y - cells->low.y) / cells->side),
                 (int)floor((x.z - cells->low.z) / cells->side)};
    for (int k = 0; k < 64; ++k) {
        int to[3] = {at[0] + k % 4 - 1, at[1] + k / 4 % 4 - 1, at[2] + k / 16 - 1};
        bool within = true;
        for (int i = 0; i < 3; ++i)
            within = within && to[i] >= 0 && to[i] < cells->size[i];
        int cell = within ? cells->number[((size_t)to[2] * (size_t)cells->size[1] + (size_t)to[1]) *
                                              (size_t)cells->size[0] +
                                          (size_t)to[0]]
                          : -1;
        if (cell < 0)
            continue;
        double weight =
            fmax(0.0, reach - lengthd(subd(cells->centres[cell], x)) / cells->side) + 1e-3;
        sum += weight * c->field[cell];
        weights += weight;
    }
    double value = weights > 0.0 ? sum / weights : c->field[sn__fit_nearest_cell(cells, x)];
    return (float)way_of(&c->rods.slices, value);
}

// Lays out the arrays of the result; called once to learn their size.
static size_t lay_out(SnViper *v, void *memory, int slice_points) {
    Layout layout = {memory, 0};
    size_t nodes = (size_t)v->rod_count * (size_t)v->slice_count;
    size_t slices = (size_t)v->slice_count, vertices = (size_t)v->vertex_count;
    v->positions = sn__lay(&layout, nodes, sizeof *v->positions);
    v->radii = sn__lay(&layout, nodes, sizeof *v->radii);
    v->levels = sn__lay(&layout, slices, sizeof *v->levels);
    v->combed = sn__lay(&layout, nodes, sizeof *v->combed);
    v->mesh_positions = sn__lay(&layout, vertices, sizeof *v->mesh_positions);
    v->mesh_field = sn__lay(&layout, vertices, sizeof *v->mesh_field);
    v->mesh_triangles = sn__lay(&layout, 3 * (size_t)v->triangle_count, sizeof *v->mesh_triangles);
    v->slice_begin = sn__lay(&layout, slices + 1, sizeof *v->slice_begin);
    v->slice_points = sn__lay(&layout, (size_t)slice_points, sizeof *v->slice_points);
    v->mesh_places = sn__lay(&layout, vertices, sizeof *v->mesh_places);
    return layout.used;
}

static SnResult hand_out(const Conversion *c, const SnAllocator *allocator, SnViper *out) {
    SnViper v = {.rod_count = c->def->rods,
                 .slice_count = c->slice_count,
                 .vertex_count = c->surface.point_count,
                 .triangle_count = c->surface.triangle_count,
                 .quality = c->quality,
                 .report = *c->told.report,
                 .allocator = *allocator};
    int points = c->rods.slices.begin[c->rods.slices.count];
    v.size = lay_out(&v, NULL, points);
    void *memory = sn__alloc(allocator, v.size);
    if (memory == NULL)
        return sn_error(SN_ERROR_MEMORY, "viperize: no memory for the rods");
    lay_out(&v, memory, points);
    Vec3d centre = c->surface.centre;
    for (int i = 0; i < c->rods.pills.node_count; ++i) {
        v.positions[i] = vec3f(addd(c->rods.pills.points[i], centre));
        v.radii[i] = (float)c->rods.pills.radii[i];
        v.combed[i] = vec3f(addd(c->rods.combed[i], centre));
    }
    for (int i = 0; i < c->surface.point_count; ++i) {
        v.mesh_positions[i] = vec3f(addd(c->surface.points[i], centre));
        v.mesh_field[i] = field_at(c, c->surface.points[i]);
        v.mesh_places[i] = c->ends.kinds[sn__fit_nearest_cell(&c->cells, c->surface.points[i])];
    }
    for (int i = 0; i < 3 * c->surface.triangle_count; ++i)
        v.mesh_triangles[i] = (uint32_t)c->surface.triangles[i / 3][i % 3];
    for (int j = 0; j < c->rods.slices.count; ++j)
        v.levels[j] = (float)c->rods.slices.ways[j];
    memcpy(v.slice_begin, c->rods.slices.begin,
           (size_t)(c->rods.slices.count + 1) * sizeof *v.slice_begin);
    for (int i = 0; i < points; ++i)
        v.slice_points[i] = vec3f(addd(c->rods.slices.points[i], centre));
    *out = v;
    return sn_ok();
}

SnResult sn_viperize(const SnViperizeDef *def, const SnAllocator *allocator, SnViper *out_viper) {
    if (out_viper == NULL)
        return sn__null("viperize: out_viper");
    memset(out_viper, 0, sizeof *out_viper);
    if (def == NULL)
        return sn__null("viperize: def");
    SnResult result = check_def(def);
    if (result.code != SN_OK)
        return result;
    SnFitReport report;
    Conversion c = {.def = def};
    c.memory.allocator = allocator ? *allocator : sn__default_allocator();
    c.told = sn__fit_tell(&report, def->progress, def->progress_context);
    result = convert(&c);
    if (result.code == SN_OK)
        result = hand_out(&c, &c.memory.allocator, out_viper);
    sn__fit_release(&c.memory, NULL);
    return result;
}

void sn_viper_destroy(SnViper *viper) {
    if (viper == NULL)
        return;
    sn__free(&viper->allocator, viper->positions, viper->size);
    memset(viper, 0, sizeof *viper);
}
