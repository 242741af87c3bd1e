#include "skin/weights.h"

#include <assert.h>
#include <string.h>

#include "sinew/skin.h"

// Nearer than this part of the radius all pills count alike, so that a vertex on a surface, or
// inside of several, does not snap to one of them.
#define NEAREST 0.1

// A sum over influences: the weight by bone, and the bones that have one.
typedef struct Sum {
    double *weight;
    int *bones;
    int count;
} Sum;

static void add(Sum *sum, int bone, double weight) {
    if (!(weight > 0.0))
        return;
    if (sum->weight[bone] == 0.0)
        sum->bones[sum->count++] = bone;
    sum->weight[bone] += weight;
}

// Takes out the `most` heaviest, normalised; of equal weights the lower bone. Empties the sum.
static void take(Sum *sum, int most, SkinInfluence *out) {
    assert(sum->count > 0 && most > 0 && most <= SKIN_KEPT);
    memset(out, 0, SKIN_KEPT * sizeof *out);
    double total = 0.0;
    int taken = 0;
    for (; taken < most && taken < sum->count; ++taken) {
        int best = taken;
        for (int i = taken + 1; i < sum->count; ++i) {
            double w = sum->weight[sum->bones[i]], b = sum->weight[sum->bones[best]];
            if (w > b || (w == b && sum->bones[i] < sum->bones[best]))
                best = i;
        }
        int bone = sum->bones[best];
        sum->bones[best] = sum->bones[taken];
        sum->bones[taken] = bone;
        total += sum->weight[bone];
    }
    for (int i = 0; i < taken; ++i)
        out[i] = (SkinInfluence){sum->bones[i], (float)(sum->weight[sum->bones[i]] / total)};
    for (int i = 0; i < sum->count; ++i)
        sum->weight[sum->bones[i]] = 0.0;
    sum->count = 0;
}

static void initial_weights(const PillBvh *bvh, const SkinPills *pills, Vec3d x, Sum *sum) {
    PillNear near[SKIN_KEPT];
    int count = sn__pill_bvh_nearest(bvh, x, near, SKIN_KEPT);
    const Pill *first = &pills->pills[near[0].pill];
    assert(count > 0);
    double radius = first->radius_a + near[0].t * (first->radius_b - first->radius_a);
    // Relative to the nearest one, so that no distance is too large for its square.
    double least = fmax(near[0].distance, NEAREST * radius + 1e-12);
    for (int i = 0; i < count; ++i) {
        double closeness = least / fmax(near[i].distance, least), t = near[i].t;
        const int *bones = pills->bones + 2 * (size_t)near[i].pill;
        add(sum, bones[0], closeness * closeness * (1.0 - t));
        add(sum, bones[1], closeness * closeness * t);
    }
}

static void add_all(Sum *sum, const SkinInfluence *influences, double factor) {
    for (int k = 0; k < SKIN_KEPT; ++k)
        add(sum, influences[k].bone, factor * (double)influences[k].weight);
}

// Half its own, half the mean of its neighbours.
static void smooth(const SkinSurface *surface, const SkinInfluence *from, int point, Sum *sum) {
    int begin = surface->begin[point], end = surface->begin[point + 1];
    add_all(sum, from + SKIN_KEPT * (size_t)point, end > begin ? 0.5 : 1.0);
    for (int i = begin; i < end; ++i)
        add_all(sum, from + SKIN_KEPT * (size_t)surface->neighbours[i], 0.5 / (end - begin));
}

static void make_weights(const SkinPills *pills, const PillBvh *bvh, const SkinSurface *surface,
                         const SnVec3 *positions, int fairing, SkinInfluence *spare, Sum *sum,
                         SkinInfluence *out) {
    size_t size = (size_t)surface->point_count * SKIN_KEPT * sizeof *out;
    for (int p = 0; p < surface->point_count; ++p) {
        initial_weights(bvh, pills, vec3d(positions[surface->vertex[p]]), sum);
        take(sum, SKIN_KEPT, out + SKIN_KEPT * (size_t)p);
    }
    for (int round = 0; round < fairing; ++round) {
        memcpy(spare, out, size);
        for (int p = 0; p < surface->point_count; ++p) {
            smooth(surface, spare, p, sum);
            take(sum, SKIN_KEPT, out + SKIN_KEPT * (size_t)p);
        }
    }
    for (int p = 0; p < surface->point_count; ++p) {
        add_all(sum, out + SKIN_KEPT * (size_t)p, 1.0);
        take(sum, SN_SKIN_BONES, out + SKIN_KEPT * (size_t)p);
    }
}

bool sn__skin_weights(const SnAllocator *allocator, const SkinPills *pills,
                      const SkinSurface *surface, const SnVec3 *positions, int fairing,
                      SkinInfluence *out_influences) {
    size_t bones = (size_t)pills->bone_count, kept = (size_t)surface->point_count * SKIN_KEPT;
    Sum sum = {sn__alloc_array(allocator, bones, sizeof(double)),
               sn__alloc_array(allocator, bones, sizeof(int)), 0};
    SkinInfluence *spare = sn__alloc_array(allocator, kept, sizeof *spare);
    PillBvh *bvh = sn__pill_bvh_create(allocator, pills->pills, pills->count);
    bool complete = sum.weight && sum.bones && spare && bvh;
    if (complete)
        make_weights(pills, bvh, surface, positions, fairing, spare, &sum, out_influences);
    if (bvh)
        sn__pill_bvh_destroy(bvh);
    sn__free(allocator, spare, kept * sizeof *spare);
    sn__free(allocator, sum.weight, bones * sizeof(double));
    sn__free(allocator, sum.bones, bones * sizeof(int));
    return complete;
}
