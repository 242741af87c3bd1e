#include "rod/sections.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "rod/slices.h"

#define MAX_COMPLIANCE 1e6f // 1/Pa

static int highest_section(const SnRodDef *def) {
    int highest = -1;
    for (int i = 0; def->sections && i < def->vertex_count; ++i)
        if (def->sections[i] > highest)
            highest = def->sections[i];
    return highest;
}

static bool has_members(const SnRodDef *def, int section) {
    for (int i = 0; i < def->vertex_count; ++i)
        if (def->sections[i] == section)
            return true;
    return false;
}

SnResult sn__sections_check(const SnRodDef *def, const char *name) {
    if (def->sections == NULL)
        return sn_ok();
    if (!(def->section_compliance >= 0.0f && def->section_compliance <= MAX_COMPLIANCE))
        return sn_error(SN_ERROR_INVALID, "%s: section_compliance: %g is not in [0, %g] 1/Pa", name,
                        (double)def->section_compliance, (double)MAX_COMPLIANCE);
    for (int i = 0; i < def->vertex_count; ++i)
        if (def->sections[i] < -1 || def->sections[i] >= def->vertex_count)
            return sn_error(SN_ERROR_INVALID, "%s: sections[%d]: %d is not in [-1, %d)", name, i,
                            def->sections[i], def->vertex_count);
    for (int k = highest_section(def); k >= 0; --k)
        if (!has_members(def, k))
            return sn_error(SN_ERROR_INVALID, "%s: sections: none of the vertices is in section %d",
                            name, k);
    return sn_ok();
}

void sn__sections_count(RodGraph *graph, const SnRodDef *def) {
    graph->sections = highest_section(def) + 1;
    graph->section_members = 0;
    for (int i = 0; graph->sections > 0 && i < def->vertex_count; ++i)
        graph->section_members += def->sections[i] >= 0;
}

static bool leads_on(const RodGraph *graph, const int edge[2]) {
    int from = graph->section_of[edge[0]];
    return from >= 0 && graph->section_of[edge[1]] == from + 1;
}

static void fill_slices(RodGraph *graph) {
    int filled = 0;
    graph->sliced = graph->sections > 0 && graph->section_members == graph->vertices;
    for (int j = 0; j < graph->segments && graph->sliced; ++j)
        graph->sliced = leads_on(graph, graph->edge[j]);
    for (int k = 0; k < graph->sections && graph->sliced; ++k) {
        graph->slice_begin[k] = filled;
        for (int j = 0; j < graph->segments; ++j)
            if (graph->section_of[graph->edge[j][0]] == k)
                graph->slice_segment[filled++] = j;
        graph->slice_begin[k + 1] = filled;
    }
}

void sn__sections_fill(RodGraph *graph, const SnRodDef *def) {
    int members = 0;
    for (int k = 0; k < graph->sections; ++k) {
        graph->section_begin[k] = members;
        for (int i = 0; i < def->vertex_count; ++i)
            if (def->sections[i] == k)
                graph->section_vertex[members++] = i;
    }
    graph->section_begin[graph->sections] = members;
    assert(members == graph->section_members);
    for (int i = 0; i < graph->vertices && graph->sections > 0; ++i)
        graph->section_of[i] = def->sections[i];
    fill_slices(graph);
}

bool sn__sections_fit(const RodGraph *graph, const SnRodDef *def) {
    if (def->sections == NULL || graph->sections == 0)
        return graph->sections == highest_section(def) + 1;
    int outside = 0;
    for (int k = 0; k < graph->sections; ++k)
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e)
            if (def->sections[graph->section_vertex[e]] != k)
                return false;
    for (int i = 0; i < def->vertex_count; ++i)
        outside += def->sections[i] < 0;
    return outside == graph->vertices - graph->section_members;
}

static void shape_section(RodPack *pack, int lane, const SnVec3 *x, int section) {
    const RodGraph *graph = pack->graph;
    int begin = graph->section_begin[section], end = graph->section_begin[section + 1];
    Vec3d centre = {0};
    double mass = 0.0;
    for (int e = begin; e < end; ++e) {
        int v = graph->section_vertex[e];
        double m = (double)pack->rest[v].mass[lane];
        centre = addd(centre, scaled(vec3d(x[v]), m));
        mass += m;
    }
    assert(mass > 0.0);
    centre = scaled(centre, 1.0 / mass);
    for (int e = begin; e < end; ++e) {
        int v = graph->section_vertex[e];
        Vec3d c = subd(vec3d(x[v]), centre);
        RodBundle *b = pack->bundle + v;
        b->x[lane] = (float)c.x;
        b->y[lane] = (float)c.y;
        b->z[lane] = (float)c.z;
    }
}

static void shape_turns(RodPack *pack, int lane, const RodShape *shape) {
    for (int j = 0; j < shape->segments; ++j) {
        RodBundle *b = pack->bundle + j;
        SnQuat q = quatf(conjugated(shape->frame[j]));
        b->frame_x[lane] = q.x;
        b->frame_y[lane] = q.y;
        b->frame_z[lane] = q.z;
        b->frame_w[lane] = q.w;
    }
    for (int i = 0; i < shape->vertices; ++i) {
        RodBundle *b = pack->bundle + i;
        SectionSegments s = sn__section_segments(pack->graph, i);
        Vec3d along = axis_z(shape->frame[s.first]);
        if (s.second >= 0) {
            // Segments may point towards each other.
            Vec3d next = axis_z(shape->frame[s.second]);
            along = addd(along, scaled(next, dotd(along, next) < 0.0 ? -1.0 : 1.0));
        }
        along = scaled(along, 1.0 / lengthd(along));
        b->along_x[lane] = (float)along.x;
        b->along_y[lane] = (float)along.y;
        b->along_z[lane] = (float)along.z;
    }
}

// A vertex that swells takes its section along. Without its inertia, Σ m |c̄|², scales would be so light
// that they could pass on next to nothing of what presses on a section in one sub-step: vertices would
// give way by ten times as much as they do. It is shared out as the inertia of the scales is.
static void weigh_section(RodPack *pack, int section, int lane) {
    const RodGraph *graph = pack->graph;
    double mass = 0.0, moment = 0.0;
    for (int e = graph->section_begin[section]; e < graph->section_begin[section + 1]; ++e) {
        int v = graph->section_vertex[e];
        const RodBundle *b = pack->bundle + v;
        Vec3d c = {(double)b->x[lane], (double)b->y[lane], (double)b->z[lane]};
        double m = (double)pack->rest[v].mass[lane];
        mass += m;
        moment += m * dotd(c, c);
    }
    pack->section[section].mass[lane] = mass > 0.0 ? (float)(1.0 / mass) : 0.0f;
    pack->section[section].moment[lane] = (float)moment;
}

void sn__sections_weigh(RodPack *pack, int lane) {
    const RodGraph *graph = pack->graph;
    for (int k = 0; pack->bundle && k < graph->sections; ++k)
        weigh_section(pack, k, lane);
    for (int k = 0; pack->bundle && pack->slice == NULL && k < graph->sections; ++k) {
        double own = 0.0, spread = (double)pack->section[k].moment[lane];
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e)
            own += (double)pack->rest[graph->section_vertex[e]].scale_inertia[lane];
        double factor = own > 0.0 ? (own + spread) / own : 1.0;
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e) {
            RodRest *r = pack->rest + graph->section_vertex[e];
            r->scale_inertia[lane] = (float)(factor * (double)r->scale_inertia[lane]);
        }
    }
}

void sn__sections_shape(RodPack *pack, int lane, const SnRodDef *def, const RodShape *shape) {
    if (pack->bundle == NULL)
        return;
    for (int k = 0; k < pack->graph->sections; ++k)
        shape_section(pack, lane, def->positions, k);
    shape_turns(pack, lane, shape);
    pack->section_compliance[lane] = def->section_compliance;
    pack->section_scaled[lane] = def->section_matching == SN_MATCH_RIGID ? 0.0f : 1.0f;
    sn__sections_weigh(pack, lane);
    sn__sections_bury(pack, lane);
}

// A rigid body with inertia I about its axis and T across it is three pairs of point masses on its axes,
// I/2 on those across and T − I/2 on its own (in kg·m²): so a turn weighs I/2 in A, and T − I more along
// the rod.
//
// Across, it weighs no more than this many times what it does along: light as they are about their axes,
// segments of a fibre that bends would be thrown about otherwise. Frames then come to their section in a
// few sub-steps.
#define LEANING 4.0f

static void prepare_turn(RodPack *pack, int vertex, int lane) {
    SectionSegments s = sn__section_segments(pack->graph, vertex);
    const RodRest *a = pack->rest + s.first, *b = s.second >= 0 ? pack->rest + s.second : NULL;
    float spin = a->spin_inertia[lane] + (b ? b->spin_inertia[lane] : 0.0f);
    float across = a->frame_inertia[lane] + (b ? b->frame_inertia[lane] : 0.0f);
    RodBundle *to = pack->bundle + vertex;
    to->turn[lane] = 0.5f * spin;
    to->turn_more[lane] = fminf(across, LEANING * spin) - spin;
    to->first[lane] = across > 0.0f ? a->frame_inertia[lane] / across : 1.0f;
}

static void prepare_scale(RodPack *pack, int vertex, int lane) {
    bool matched = !pack->classic && pack->section_scaled[lane] > 0.0f;
    pack->bundle[vertex].scale[lane] = matched ? pack->rest[vertex].scale_inertia[lane] : 0.0f;
}

bool sn__section_is_held(const RodPack *pack, int section, int lane) {
    const RodGraph *graph = pack->graph;
    for (int e = graph->section_begin[section]; e < graph->section_begin[section + 1]; ++e)
        if (!(pack->held[graph->section_vertex[e]][lane] & HELD_VERTEX))
            return false;
    return true;
}

// A section whose vertices are all held cannot scale, and does not keep its rods from it.
static void prepare_part(RodPack *pack, int section, int lane, float h) {
    const RodGraph *graph = pack->graph;
    RodSection *to = pack->section + section;
    double spread = 0.0; // that of the section is in the inertias of its scales
    for (int e = graph->section_begin[section]; e < graph->section_begin[section + 1]; ++e)
        spread += (double)pack->rest[graph->section_vertex[e]].scale_inertia[lane];
    double gyration = spread * (double)to->mass[lane]; // squared, m²
    double soft = (double)pack->section_compliance[lane] * (double)pack->density[lane] * gyration;
    double square = (double)h * (double)h;
    to->part[lane] =
        sn__section_is_held(pack, section, lane) ? 0.0f : (float)(square / (square + soft));
}

void sn__sections_prepare(RodPack *pack, float h) {
    if (pack->bundle == NULL)
        return;
    for (int i = 0; i < pack->lanes; ++i) {
        for (int v = 0; v < pack->graph->vertices; ++v) {
            prepare_turn(pack, v, i);
            prepare_scale(pack, v, i);
        }
        for (int k = 0; k < pack->graph->sections; ++k)
            prepare_part(pack, k, i, h);
    }
    if (pack->slice)
        sn__slices_prepare(pack);
}
