// Fewer morph targets: principal components of those that were found frame by frame.
//
// Frames are F = W T, with weights W (frames × targets) and orthonormal targets T. With WᵀW = V Λ Vᵀ, Λ
// falling, the weights W V of targets Vᵀ T are uncorrelated, and the last ones say least. Of these, as many
// are left out as keep every vertex of every frame within the bound: what is left out of a frame, summed up
// and taken as far as its joints scale it, comes on top of the error that the frame had.
#include "io/gltf_morph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS 60   // of rotations, at most
#define SMALL 1e-14 // of what is off the diagonal, over its ends

typedef struct Components {
    int count;
    double *matrix, *vectors; // count², rows; the vectors are columns
    int *order;               // by falling value
} Components;

// Jacobi's method: turns rows and columns p and q so that the element there becomes zero.
static bool rotate(Components *c, int p, int q) {
    int n = c->count;
    double *a = c->matrix, off = a[p * n + q];
    if (fabs(off) <= SMALL * sqrt(fabs(a[p * n + p] * a[q * n + q])) || off == 0.0)
        return false;
    double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double cosine = 1.0 / sqrt(t * t + 1.0), sine = t * cosine;
    for (int k = 0; k < n; ++k) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = cosine * x - sine * y;
        a[k * n + q] = sine * x + cosine * y;
    }
    for (int k = 0; k < n; ++k) {
        double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = cosine * x - sine * y;
        a[q * n + k] = sine * x + cosine * y;
        x = c->vectors[k * n + p];
        y = c->vectors[k * n + q];
        c->vectors[k * n + p] = cosine * x - sine * y;
        c->vectors[k * n + q] = sine * x + cosine * y;
    }
    return true;
}

static void find_components(const GltfMorph *morph, Components *c) {
    int n = c->count;
    for (int f = 0; f < morph->frame_count; ++f)
        for (int i = 0; i < n * n; ++i)
            c->matrix[i] += (double)morph->weights[f][i / n] * (double)morph->weights[f][i % n];
    for (int i = 0; i < n; ++i)
        c->vectors[i * n + i] = 1.0;
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS && turned; ++sweep) {
        turned = false;
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q)
                turned |= rotate(c, p, q);
    }
    for (int i = 0; i < n; ++i) {
        int at = i;
        for (; at > 0 && c->matrix[c->order[at - 1] * (n + 1)] < c->matrix[i * (n + 1)]; --at)
            c->order[at] = c->order[at - 1];
        c->order[at] = i;
    }
}

// The place of each vertex in all targets is turned at once, so that no second set of them is needed.
static void turn_targets(GltfMorph *morph, const Components *c) {
    int n = c->count;
    float row[GLTF_MOST_TARGETS];
    for (size_t i = 0; i < 6 * (size_t)morph->vertex_count; ++i) {
        for (int k = 0; k < n; ++k)
            row[k] = morph->targets[k][i];
        for (int k = 0; k < n; ++k) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j)
                sum += c->vectors[j * n + c->order[k]] * (double)row[j];
            morph->targets[k][i] = (float)sum;
        }
    }
    for (int f = 0; f < morph->frame_count; ++f) {
        memcpy(row, morph->weights[f], (size_t)n * sizeof *row);
        for (int k = 0; k < n; ++k) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j)
                sum += c->vectors[j * n + c->order[k]] * (double)row[j];
            morph->weights[f][k] = (float)sum;
        }
    }
}

// The longest of `left` after target k of a frame is left out, too.
static double leave_out(const GltfMorph *morph, int frame, int k, float *left) {
    double most = 0.0;
    const float weight = morph->weights[frame][k], *target = morph->targets[k];
    for (int v = 0; v < morph->vertex_count; ++v) {
        float *x = left + 3 * v;
        for (int axis = 0; axis < 3; ++axis)
            x[axis] += weight * target[3 * v + axis];
        double square = (double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        most = square > most ? square : most;
    }
    return sqrt(most);
}

// How many targets the frame needs, at least `needed`; the others add `out_added` to its error.
static int targets_needed(const GltfMorph *morph, int frame, int needed, double bound, float *left,
                          double *out_added) {
    int k = morph->count;
    double scale = morph->scales[frame], room = bound - morph->errors[frame];
    memset(left, 0, 3 * (size_t)morph->vertex_count * sizeof *left);
    *out_added = 0.0;
    while (k > needed) {
        double added = scale * leave_out(morph, frame, k - 1, left);
        if (added > room)
            return k;
        *out_added = added;
        --k;
    }
    return needed;
}

bool sn__gltf_reduce_morph(GltfMorph *morph) {
    size_t n = (size_t)morph->count;
    Components c = {morph->count, calloc(n * n, sizeof(double)), calloc(n * n, sizeof(double)),
                    calloc(n, sizeof(int))};
    float *left = malloc(3 * (size_t)morph->vertex_count * sizeof *left);
    bool good = c.matrix && c.vectors && c.order && left;
    if (good) {
        find_components(morph, &c);
        turn_targets(morph, &c);
        int needed = 0;
        double added;
        for (int f = 0; f < morph->frame_count; ++f)
            needed = targets_needed(morph, f, needed, morph->bound, left, &added);
        for (int f = 0; f < morph->frame_count; ++f) {
            targets_needed(morph, f, needed, INFINITY, left, &added);
            morph->errors[f] += added;
        }
        while (morph->count > needed)
            free(morph->targets[--morph->count]);
    }
    free(c.matrix);
    free(c.vectors);
    free(c.order);
    free(left);
    return good;
}

static void find_spans(GltfMorph *morph) {
    for (int k = 0; k < morph->count; ++k) {
        float low = INFINITY, high = -INFINITY;
        for (int f = 0; f < morph->frame_count; ++f) {
            low = fminf(low, morph->weights[f][k]);
            high = fmaxf(high, morph->weights[f][k]);
        }
        morph->low[k] = low;
        morph->span[k] = high > low ? high - low : 1.0f;
    }
}

bool sn__gltf_reduce_morphs(SnGltf *gltf) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count && gltf->actors[a].morphs; ++i) {
            GltfMorph *morph = &gltf->actors[a].morphs[i];
            if (morph->count > 1 && !sn__gltf_reduce_morph(morph))
                return false;
            find_spans(morph);
        }
    return true;
}
