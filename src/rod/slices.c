#include "rod/slices.h"

#include <math.h>
#include <string.h>

#include "math/principal.h"
#include "rod/graph.h"
#include "rod/sections.h"

// Bending and twist are measured from section to section. A joint of a fibre, of length L, has
// k = η h² EI/L; a segment of length l so has the mean of k L over its joints, divided by l. With t̄ its
// direction at rest, all segments between two sections have together
//
//     H = Σ k_bend (1 − t̄ t̄ᵀ) + k_twist t̄ t̄ᵀ.
typedef struct Turning {
    double bend, twist; // k L
} Turning;

static Turning turning_of(const RodPack *pack, int segment, int lane) {
    const RodGraph *graph = pack->graph;
    Turning sum = {0.0, 0.0};
    int count = 0;
    for (int end = 0; end < 2; ++end) {
        int vertex = graph->edge[segment][end];
        int first = graph->joint_begin[vertex], last = graph->joint_begin[vertex + 1];
        for (int k = first; k < last; ++k) {
            if (graph->joint[k].p != segment && graph->joint[k].a != segment)
                continue;
            double length = (double)pack->rest[k].joint_length[lane];
            sum.bend += (double)pack->own_prepared[k].k_bend[lane] * length;
            sum.twist += (double)pack->own_prepared[k].k_twist[lane] * length;
            ++count;
        }
    }
    double by = count > 0 ? 1.0 / count : 0.0;
    return (Turning){sum.bend * by, sum.twist * by};
}

static void prepare_bend(RodPack *pack, int section, int lane) {
    const RodGraph *graph = pack->graph;
    double H[6] = {0.0};
    for (int e = graph->slice_begin[section]; e < graph->slice_begin[section + 1]; ++e) {
        int j = graph->slice_segment[e];
        const RodBundle *b = pack->bundle + j;
        double length = (double)pack->rest[j].length[lane];
        if (!(length > 0.0))
            continue;
        Quatd rest = conjugated((Quatd){(double)b->frame_x[lane], (double)b->frame_y[lane],
                                        (double)b->frame_z[lane], (double)b->frame_w[lane]});
        Vec3d t = axis_z(rest);
        Turning of = turning_of(pack, j, lane);
        double bend = of.bend / length, more = (of.twist - of.bend) / length;
        const double add[6] = {bend + more * t.x * t.x, more * t.x * t.y, more * t.x * t.z,
                               bend + more * t.y * t.y, more * t.y * t.z, bend + more * t.z * t.z};
        for (int c = 0; c < 6; ++c)
            H[c] += add[c];
    }
    for (int c = 0; c < 6; ++c)
        pack->slice[section].bend[c][lane] = (float)H[c];
}

// Vertices that span a plane tell how their section is turned. Frames, each the mean of two sections, would
// tell it smoothed along the muscle, and vertices that were put there at the start of every step would be pulled
// back within it, for ever: a bent muscle at rest had 0.02 m/s. Frames so decide only what vertices leave
// open: in the plane, what is left where the section has collapsed; else, the turn about their line, or all of it.
#define SPANS_PLANE 0.01 // of the largest moment of a section, the second one
#define LEAST_LEANING 1e-3f

static float leaning_of(const RodPack *pack, int section, int lane) {
    const RodGraph *graph = pack->graph;
    double moments[3][3] = {{0.0}}, along[3];
    for (int e = graph->section_begin[section]; e < graph->section_begin[section + 1]; ++e) {
        int v = graph->section_vertex[e];
        const RodBundle *b = pack->bundle + v;
        double m = (double)pack->rest[v].mass[lane];
        const double x[3] = {(double)b->x[lane], (double)b->y[lane], (double)b->z[lane]};
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                moments[r][c] += m * x[r] * x[c];
    }
    Quatd axes;
    sn__principal_axes(moments, along, &axes);
    double least = fmin(along[0], fmin(along[1], along[2]));
    double most = fmax(along[0], fmax(along[1], along[2]));
    double second = along[0] + along[1] + along[2] - least - most;
    return second > SPANS_PLANE * most ? LEAST_LEANING : 1.0f;
}

void sn__slices_prepare(RodPack *pack) {
    const RodGraph *graph = pack->graph;
    for (int i = 0; i < pack->lanes; ++i)
        for (int k = 0; k < graph->sections; ++k) {
            bool held = sn__section_is_held(pack, k, i);
            bool spreads = pack->section_scaled[i] > 0.0f && !held && !pack->classic;
            pack->slice[k].held[i] = held ? 1.0f : 0.0f;
            pack->slice[k].spread[i] = spreads ? 1.0f : 0.0f;
            pack->slice[k].leaning[i] = leaning_of(pack, k, i);
            prepare_bend(pack, k, i);
        }
}

double sn__slice_area(const RodPack *pack, int segment, int lane) {
    const int *edge = pack->graph->edge[segment];
    double ra = (double)pack->rest[edge[0]].radius[lane];
    double rb = (double)pack->rest[edge[1]].radius[lane];
    double a = ra * (double)pack->state[edge[0]].s[lane];
    double b = rb * (double)pack->state[edge[1]].s[lane];
    return (a * a + a * b + b * b) / (ra * ra + ra * rb + rb * rb);
}

static Vec3d place_of(const RodPack *pack, int vertex, int lane) {
    const RodState *s = pack->state + vertex;
    return (Vec3d){(double)s->x[lane], (double)s->y[lane], (double)s->z[lane]};
}

double sn__slice_volume_error(const RodPack *pack, int segment, int lane) {
    const RodGraph *graph = pack->graph;
    int section = graph->section_of[graph->edge[segment][0]];
    double sum = 0.0, all = 0.0;
    for (int e = graph->slice_begin[section]; e < graph->slice_begin[section + 1]; ++e) {
        int j = graph->slice_segment[e];
        const int *edge = graph->edge[j];
        double stiffness = (double)pack->rest[j].volume[lane];
        double length = lengthd(subd(place_of(pack, edge[1], lane), place_of(pack, edge[0], lane)));
        sum += stiffness *
               (sn__slice_area(pack, j, lane) * length / (double)pack->rest[j].length[lane] - 1.0);
        all += stiffness;
    }
    return all > 0.0 ? sum / all : 0.0;
}

void sn__slices_begin(RodPack *pack) {
    for (int k = 0; k < pack->graph->sections; ++k) {
        RodSlice *slice = pack->slice + k;
        memcpy(slice->q0, slice->q, sizeof slice->q0);
        memcpy(slice->s0, slice->s, sizeof slice->s0);
        memset(slice->u, 0, sizeof slice->u);
    }
}
