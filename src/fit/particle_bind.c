// How a mesh follows particles that somebody else has made.
#include <sinew/skin.h>

#include "base/null.h"
#include "fit/ellipsoids.h"
#include "fit/particle_graph.h"

typedef struct Search {
    const FitEllipsoid *list;
    Vec3d x;
    double least; // how far it is in the ellipsoid, or outside of it
    int best;
} Search;

static double box_distance(const BvhBox *box, void *context) {
    return sn__bvh_distance(box, ((const Search *)context)->x);
}

// The distance to an ellipsoid, or less than none inside of it: there, by how deep it is. What is inside of
// several belongs to that in which it is deepest, so that boxes that hold x are all looked at.
static double visit(int item, double limit, void *context) {
    Search *s = context;
    double distance = sn__fit_ellipsoid_distance(&s->list[item], s->x);
    if (distance < s->least || (distance == s->least && item < s->best)) {
        s->least = distance;
        s->best = item;
    }
    return fmin(limit, fmax(s->least, 0.0));
}

static SnResult check(int particle_count, const SnVec3 *positions, const SnQuat *rotations,
                      const SnVec3 *radii, int edge_count, const int (*edges)[2]) {
    for (int i = 0; i < particle_count; ++i) {
        SnVec3 r = radii[i];
        bool good = sn__finite3(positions[i]) && sn__finite3(r) && r.x > 0.0f && r.y > 0.0f &&
                    r.z > 0.0f && sn__within3(positions[i], LARGEST_NUMBER) &&
                    sn__within3(r, LARGEST_NUMBER);
        if (good && rotations != NULL) {
            SnQuat q = rotations[i];
            float length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
            good = length > 0.5f && length < 2.0f;
        }
        if (!good)
            return sn_error(SN_ERROR_INVALID,
                            "particles: particle %d is not an ellipsoid: its position and its "
                            "rotation must be finite, its radii positive",
                            i);
    }
    for (int i = 0; i < edge_count; ++i)
        for (int s = 0; s < 2; ++s)
            if (edges[i][s] < 0 || edges[i][s] >= particle_count)
                return sn_error(SN_ERROR_INVALID, "particles: edge %d joins particle %d of %d", i,
                                edges[i][s], particle_count);
    return sn_ok();
}

// Ellipsoids and their boxes, relative to the first one.
static bool place(FitMemory *memory, int count, const SnVec3 *positions, const SnQuat *rotations,
                  const SnVec3 *radii, FitEllipsoid *list, Vec3d *centres, Bvh *bvh) {
    BvhBox *boxes = sn__fit_alloc(memory, (size_t)count, sizeof *boxes);
    if (boxes == NULL)
        return false;
    for (int i = 0; i < count; ++i) {
        FitEllipsoid *e = &list[i];
        centres[i] = e->centre = subd(vec3d(positions[i]), vec3d(positions[0]));
        e->axes = rotations ? normalisedq(quatd(rotations[i])) : (Quatd){0.0, 0.0, 0.0, 1.0};
        Vec3d r = vec3d(radii[i]);
        e->radii[0] = r.x;
        e->radii[1] = r.y;
        e->radii[2] = r.z;
        Vec3d c = e->centre, reach = sn__fit_ellipsoid_reach(e);
        boxes[i] = (BvhBox){{c.x - reach.x, c.y - reach.y, c.z - reach.z},
                            {c.x + reach.x, c.y + reach.y, c.z + reach.z}};
    }
    return sn__bvh_build(bvh, &memory->allocator, boxes, count);
}

SnResult sn_particles_bind(int particle_count, const SnVec3 *positions, const SnQuat *rotations,
                           const SnVec3 *radii, int edge_count, const int (*edges)[2],
                           int vertex_count, const SnVec3 *vertices, int *out_bones,
                           float *out_weights) {
    if (particle_count < 1 || edge_count < 0 || vertex_count < 0)
        return sn_error(SN_ERROR_INVALID, "particles: %d particles, %d edges, %d vertices",
                        particle_count, edge_count, vertex_count);
    if (positions == NULL || radii == NULL || (edge_count > 0 && edges == NULL))
        return sn__null("particles: positions, radii or edges");
    if (vertex_count > 0 && (vertices == NULL || out_bones == NULL || out_weights == NULL))
        return sn__null("particles: vertices, out_bones or out_weights");
    SnResult result = check(particle_count, positions, rotations, radii, edge_count, edges);
    for (int i = 0; i < vertex_count && result.code == SN_OK; ++i)
        if (!sn__finite3(vertices[i]) || !sn__within3(vertices[i], LARGEST_NUMBER))
            result = sn_error(SN_ERROR_INVALID, "particles: vertex %d is not finite", i);
    if (result.code != SN_OK)
        return result;
    FitMemory memory = {sn__default_allocator(), NULL};
    size_t count = (size_t)particle_count, points = (size_t)vertex_count;
    FitEllipsoid *list = sn__fit_alloc(&memory, count, sizeof *list);
    FitRegions regions = {.count = particle_count,
                          .centres = sn__fit_alloc(&memory, count, sizeof *regions.centres)};
    FitGraph graph = {.edge_count = edge_count, .edges = (int(*)[2])edges};
    Vec3d *x = sn__fit_alloc(&memory, points, sizeof *x);
    int *homes = sn__fit_alloc(&memory, points, sizeof *homes);
    Bvh bvh = {0};
    bool good =
        list != NULL && regions.centres != NULL && x != NULL && homes != NULL &&
        sn__fit_list_others(&memory, particle_count, &graph) &&
        place(&memory, particle_count, positions, rotations, radii, list, regions.centres, &bvh);
    for (int i = 0; i < vertex_count && good; ++i) {
        x[i] = subd(vec3d(vertices[i]), vec3d(positions[0]));
        Search s = {list, x[i], HUGE_VAL, 0};
        sn__bvh_search(&bvh, HUGE_VAL, box_distance, visit, &s);
        homes[i] = s.best;
    }
    good = good && sn__fit_skin_particles(&memory, &regions, &graph, x, homes, vertex_count,
                                          out_bones, out_weights);
    sn__bvh_destroy(&bvh);
    sn__fit_release(&memory, NULL);
    return good ? sn_ok() : sn_error(SN_ERROR_MEMORY, "particles: no memory");
}
