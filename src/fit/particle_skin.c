// How a mesh follows its particles.
#include <sinew/skin.h>

#include "fit/particle_graph.h"

// Particles near a vertex, the nearest first: those that it follows, and the next one.
typedef struct Near {
    int count;
    int particles[SN_SKIN_BONES + 1];
    double distances[SN_SKIN_BONES + 1];
} Near;

static void add_near(Near *near, int particle, double distance) {
    int at = near->count;
    while (at > 0 && (distance < near->distances[at - 1] || (distance == near->distances[at - 1] &&
                                                             particle < near->particles[at - 1]))) {
        if (at <= SN_SKIN_BONES) {
            near->particles[at] = near->particles[at - 1];
            near->distances[at] = near->distances[at - 1];
        }
        --at;
    }
    if (at > SN_SKIN_BONES)
        return;
    near->particles[at] = particle;
    near->distances[at] = distance;
    if (near->count <= SN_SKIN_BONES)
        ++near->count;
}

static int nearest_of_all(const FitRegions *regions, Vec3d x) {
    int best = 0;
    for (int i = 1; i < regions->count; ++i) {
        Vec3d a = subd(regions->centres[i], x), b = subd(regions->centres[best], x);
        if (dotd(a, a) < dotd(b, b))
            best = i;
    }
    return best;
}

// The home, its neighbours and theirs, each once: `seen` holds the vertex that asked last, plus one.
static void find_near(const FitRegions *regions, const FitGraph *graph, Vec3d x, int home,
                      int *seen, int stamp, Near *near) {
    near->count = 0;
    seen[home] = stamp;
    add_near(near, home, lengthd(subd(regions->centres[home], x)));
    for (int i = graph->begin[home]; i < graph->begin[home + 1]; ++i) {
        int first = graph->others[i];
        for (int k = graph->begin[first] - 1; k < graph->begin[first + 1]; ++k) {
            int other = k < graph->begin[first] ? first : graph->others[k];
            if (seen[other] == stamp)
                continue;
            seen[other] = stamp;
            add_near(near, other, lengthd(subd(regions->centres[other], x)));
        }
    }
}

static void weigh(const Near *near, int *bones, float *weights) {
    int kept = near->count < SN_SKIN_BONES ? near->count : SN_SKIN_BONES;
    // Without a next one, the farthest still counts for a little.
    double beyond = near->count > SN_SKIN_BONES ? near->distances[SN_SKIN_BONES]
                                                : 1.5 * near->distances[near->count - 1];
    double values[SN_SKIN_BONES], sum = 0.0;
    for (int k = 0; k < kept; ++k) {
        double part = beyond > 0.0 ? 1.0 - near->distances[k] / beyond : 1.0;
        sum += values[k] = part * part;
    }
    if (!(sum > 0.0)) { // all are equally far
        for (int k = 0; k < kept; ++k)
            values[k] = 1.0;
        sum = kept;
    }
    for (int k = 0; k < SN_SKIN_BONES; ++k) {
        bones[k] = k < kept ? near->particles[k] : 0;
        weights[k] = k < kept ? (float)(values[k] / sum) : 0.0f;
    }
}

bool sn__fit_skin_particles(FitMemory *memory, const FitRegions *regions, const FitGraph *graph,
                            const Vec3d *vertices, const int *homes, int count, int *out_bones,
                            float *out_weights) {
    int *seen = sn__fit_alloc(memory, (size_t)regions->count, sizeof *seen);
    if (seen == NULL)
        return false;
    for (int i = 0; i < count; ++i) {
        int home = homes[i] >= 0 ? homes[i] : nearest_of_all(regions, vertices[i]);
        Near near;
        find_near(regions, graph, vertices[i], home, seen, i + 1, &near);
        weigh(&near, out_bones + SN_SKIN_BONES * (size_t)i,
              out_weights + SN_SKIN_BONES * (size_t)i);
    }
    return true;
}
