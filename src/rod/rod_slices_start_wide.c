// Where the slices of a bundle are when a step begins (slices.h), from its vertices and frames.
//
// Vertices that are not where their section has them, as after they were written, are put there without
// a velocity: that is the hard step of the paper. What float rounds is left alone.
#include "rod/section_match.h"
#include "rod/slices.h"

// Of the radius of gyration of a section.
#define OUT_OF_SHAPE 1e-5f
#define LOST_WAY 1e18f // m²

INLINE void store_doubles(double *row, Lanes v) {
    for (int lane = 0; lane < WIDE; ++lane)
        row[lane] = (double)v[lane];
}

// The mean of the scales, of sections that do not spread.
INLINE Lanes mean_scale(const RodPack *pack, int section, int i) {
    const RodGraph *graph = pack->graph;
    Lanes sum = splat(0.0f), weights = splat(1e-30f);
    for (int e = graph->section_begin[section]; e < graph->section_begin[section + 1]; ++e) {
        int v = graph->section_vertex[e];
        Lanes w = load(&pack->rest[v].mass[i]);
        sum += w * load(&pack->state[v].s[i]);
        weights += w;
    }
    return lanes_clamp(sum / weights, SCALE_MIN, SCALE_MAX);
}

INLINE void put_in_shape(RodPack *pack, int section, int i, const Match *m) {
    const RodGraph *graph = pack->graph;
    const RodSection *of = pack->section + section;
    int begin = graph->section_begin[section], first = graph->section_vertex[begin];
    Lanes size = load(&of->moment[i]) * load(&of->mass[i]);
    Lanes most = OUT_OF_SHAPE * OUT_OF_SHAPE * size, zero = splat(0.0f);
    Lanes spread = load(&pack->slice[section].spread[i]);
    Lanes scale = lanes_if_less(zero, spread, m->scale, splat(1.0f));
    const RodState *origin = pack->state + first;
    Lanes3 from = {load(&origin->x[i]), load(&origin->y[i]), load(&origin->z[i])};
    for (int e = begin; e < graph->section_begin[section + 1]; ++e) {
        int v = graph->section_vertex[e];
        RodState *s = pack->state + v;
        Lanes3 at = {load(&s->x[i]), load(&s->y[i]), load(&s->z[i])};
        Lanes3 goal = mul3(matrix_times(&m->R, rest_place(pack->bundle + v, i)), scale);
        Lanes3 off = sub3(add3(add3(from, m->centre), goal), at);
        Lanes way = dot3(off, off), free = load(&pack->prepared[v].m[i]);
        // What is lost is put back when the sub-step ends, and places must not get it.
        free = lanes_if_less(way, splat(LOST_WAY), free, zero);
        Lanes far = lanes_if_less(most, way, free, zero);
        store(&s->x[i], lanes_if_less(zero, far, at.x + off.x, at.x));
        store(&s->y[i], lanes_if_less(zero, far, at.y + off.y, at.y));
        store(&s->z[i], lanes_if_less(zero, far, at.z + off.z, at.z));
    }
}

// The frames of segments are the mean of what their sections are turned by.
INLINE void put_frames_in_line(RodPack *pack, int section, int i, Lanes4 a, Lanes4 b) {
    const RodGraph *graph = pack->graph;
    Lanes4 mean = quat_normalise(add_turns(a, b));
    for (int e = graph->slice_begin[section]; e < graph->slice_begin[section + 1]; ++e) {
        int j = graph->slice_segment[e];
        RodState *s = pack->state + j;
        const RodBundle *bundle = pack->bundle + j;
        Lanes4 rest = {load(&bundle->frame_x[i]), load(&bundle->frame_y[i]),
                       load(&bundle->frame_z[i]), load(&bundle->frame_w[i])};
        Lanes4 old = load_frame(s, i), q = quat_mul(mean, quat_conjugate(rest));
        Lanes dot = old.x * q.x + old.y * q.y + old.z * q.z + old.w * q.w;
        Lanes free = load(&pack->prepared[j].m_turn[i]), zero = splat(0.0f);
        store(&s->qx[i], lanes_if_less(zero, free, lanes_flip_by(q.x, dot), old.x));
        store(&s->qy[i], lanes_if_less(zero, free, lanes_flip_by(q.y, dot), old.y));
        store(&s->qz[i], lanes_if_less(zero, free, lanes_flip_by(q.z, dot), old.z));
        store(&s->qw[i], lanes_if_less(zero, free, lanes_flip_by(q.w, dot), old.w));
    }
}

INLINE Lanes4 slice_turn(const RodPack *pack, int section, int i) {
    const RodSlice *slice = pack->slice + section;
    Lanes4 q;
    for (int lane = 0; lane < WIDE; ++lane) {
        q.x[lane] = (float)slice->q[0][i + lane];
        q.y[lane] = (float)slice->q[1][i + lane];
        q.z[lane] = (float)slice->q[2][i + lane];
        q.w[lane] = (float)slice->q[3][i + lane];
    }
    return q;
}

void WIDE_FUNCTION(rod_slices_start)(RodPack *pack) {
    const RodGraph *graph = pack->graph;
    for (int j = 0; j < graph->vertices; ++j) {
        RodWork *u = pack->work + j;
        for (int i = 0; i < pack->lanes; i += WIDE) {
            store(&u->ux[i], splat(0.0f));
            store(&u->uy[i], splat(0.0f));
            store(&u->uz[i], splat(0.0f));
        }
    }
    for (int k = 0; k < graph->sections; ++k)
        for (int i = 0; i < pack->lanes; i += WIDE) {
            RodSlice *slice = pack->slice + k;
            Match m = match(pack, k, i, load(&slice->leaning[i]));
            Lanes spread = load(&slice->spread[i]), zero = splat(0.0f);
            Lanes scale = lanes_if_less(zero, spread, m.scale, mean_scale(pack, k, i));
            put_in_shape(pack, k, i, &m);
            store_doubles(&slice->q[0][i], m.q.x);
            store_doubles(&slice->q[1][i], m.q.y);
            store_doubles(&slice->q[2][i], m.q.z);
            store_doubles(&slice->q[3][i], m.q.w);
            store_doubles(&slice->s[i], pack->classic ? splat(1.0f) : scale);
        }
    for (int k = 0; k + 1 < graph->sections; ++k)
        for (int i = 0; i < pack->lanes; i += WIDE)
            put_frames_in_line(pack, k, i, slice_turn(pack, k, i), slice_turn(pack, k + 1, i));
    pack->slices_lost = false;
}
