#include "skin/gradient.h"

#include <assert.h>

// Two unit vectors with u × v = n.
static void tangents(Vec3d n, Vec3d *u, Vec3d *v) {
    assert(fabs(dotd(n, n) - 1.0) < 1e-3);
    Vec3d other = fabs(n.x) < 0.6 ? (Vec3d){1.0, 0.0, 0.0} : (Vec3d){0.0, 1.0, 0.0};
    *u = crossd(other, n);
    *u = scaled(*u, 1.0 / lengthd(*u));
    *v = crossd(n, *u);
}

static double weight_of(const SkinSlopes *s, int vertex, int bone) {
    double sum = 0.0;
    for (int k = 0; k < SN_SKIN_BONES; ++k)
        if (s->bones[SN_SKIN_BONES * vertex + k] == bone)
            sum += (double)s->weights[SN_SKIN_BONES * vertex + k];
    return sum;
}

// The plane that fits the differences to the neighbours best; a near one counts as much as a far
// one.
typedef struct Fit {
    double uu, uv, vv;
    double u[SN_SKIN_BONES], v[SN_SKIN_BONES];
} Fit;

static void fit_neighbours(const SkinSlopes *s, int vertex, Vec3d u, Vec3d v, Fit *fit) {
    int point = s->surface->point[vertex];
    for (int i = s->surface->begin[point]; i < s->surface->begin[point + 1]; ++i) {
        int other = s->surface->vertex[s->surface->neighbours[i]];
        Vec3d d = subd(vec3d(s->positions[other]), vec3d(s->positions[vertex]));
        double square = dotd(d, d), du = dotd(d, u), dv = dotd(d, v);
        assert(square > 0.0);
        fit->uu += du * du / square;
        fit->uv += du * dv / square;
        fit->vv += dv * dv / square;
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            int bone = s->bones[SN_SKIN_BONES * vertex + k];
            float weight = s->weights[SN_SKIN_BONES * vertex + k];
            double dw = weight > 0.0f ? weight_of(s, other, bone) - (double)weight : 0.0;
            fit->u[k] += du * dw / square;
            fit->v[k] += dv * dw / square;
        }
    }
}

// The weights sum up to 1, so their slopes to 0: what bones that are not among ours gain counts as
// if our own lost it in proportion.
static void put_slopes(const double *slope, const float *weights, float *out) {
    double total = 0.0;
    for (int k = 0; k < SN_SKIN_BONES; ++k)
        total += slope[k];
    for (int k = 0; k < SN_SKIN_BONES; ++k)
        out[k] = (float)(slope[k] - total * (double)weights[k]);
}

static void put4(Vec3d a, float last, float out[4]) {
    out[0] = (float)a.x;
    out[1] = (float)a.y;
    out[2] = (float)a.z;
    out[3] = last;
}

void sn__skin_point(const SkinSlopes *s, int vertex, SkinPoint *out) {
    const float *weights = s->weights + SN_SKIN_BONES * (size_t)vertex;
    Vec3d u, v;
    tangents(vec3d(s->normals[vertex]), &u, &v);
    put4(vec3d(s->positions[vertex]), 1.0f, out->x);
    put4(u, 0.0f, out->u);
    put4(v, 0.0f, out->v);
    for (int k = 0; k < SN_SKIN_BONES; ++k) {
        out->weight[k] = weights[k];
        out->bone[k] = (uint32_t)s->bones[SN_SKIN_BONES * vertex + k];
    }
    Fit fit = {0};
    fit_neighbours(s, vertex, u, v, &fit);
    double det = fit.uu * fit.vv - fit.uv * fit.uv;
    double along_u[SN_SKIN_BONES] = {0}, along_v[SN_SKIN_BONES] = {0};
    for (int k = 0; k < SN_SKIN_BONES && det > 1e-6 * fit.uu * fit.vv; ++k) {
        along_u[k] = (fit.vv * fit.u[k] - fit.uv * fit.v[k]) / det;
        along_v[k] = (fit.uu * fit.v[k] - fit.uv * fit.u[k]) / det;
    }
    put_slopes(along_u, weights, out->along_u);
    put_slopes(along_v, weights, out->along_v);
}
