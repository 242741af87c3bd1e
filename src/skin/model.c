#include "skin/model.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "skin/gradient.h"
#include "skin/weights.h"

bool sn__skin_rest_create(const SnAllocator *a, int bones, int pills, SkinRest *out) {
    assert(bones > 0 && pills >= 0);
    size_t b = (size_t)bones, p = (size_t)pills;
    *out = (SkinRest){bones, pills, sn__alloc_array(a, b, sizeof(SnVec3)),
                      sn__alloc_array(a, p, sizeof(Pill)), sn__alloc_array(a, 2 * p, sizeof(int))};
    if (out->positions && (pills == 0 || (out->pills && out->edges)))
        return true;
    sn__skin_rest_destroy(a, out);
    return false;
}

void sn__skin_rest_destroy(const SnAllocator *a, SkinRest *rest) {
    size_t b = (size_t)rest->bone_count, p = (size_t)rest->pill_count;
    sn__free(a, rest->positions, b * sizeof(SnVec3));
    sn__free(a, rest->pills, p * sizeof(Pill));
    sn__free(a, rest->edges, 2 * p * sizeof(int));
    *rest = (SkinRest){0};
}

uint64_t sn__skin_model_hash(const SnSkinDef *def, const SkinRest *rest, const SkinGraph *graph) {
    size_t v = (size_t)def->vertex_count, b = (size_t)rest->bone_count,
           p = (size_t)rest->pill_count;
    uint64_t h = sn__hash_bytes((uint64_t)def->fairing, def->positions, v * sizeof(SnVec3));
    h = sn__hash_bytes(h, def->triangles, 3 * (size_t)def->triangle_count * sizeof(uint32_t));
    if (def->normals)
        h = sn__hash_bytes(h, def->normals, v * sizeof(SnVec3));
    if (def->weights) {
        h = sn__hash_bytes(h, def->bones, SN_SKIN_BONES * v * sizeof(int));
        h = sn__hash_bytes(h, def->weights, SN_SKIN_BONES * v * sizeof(float));
    }
    if (def->split)
        h = sn__hash_bytes(h, graph->edges, (size_t)graph->edge_count * sizeof *graph->edges);
    h = sn__hash_bytes(h, rest->positions, b * sizeof(SnVec3));
    h = sn__hash_bytes(h, rest->pills, p * sizeof(Pill));
    return sn__hash_bytes(h, rest->edges, 2 * p * sizeof(int));
}

static bool allocate(SkinModel *m) {
    const SnAllocator *a = &m->allocator;
    size_t v = (size_t)m->vertex_count;
    m->positions = sn__alloc_array(a, v, sizeof(SnVec3));
    m->normals = sn__alloc_array(a, v, sizeof(SnVec3));
    m->triangles = sn__alloc_array(a, 3 * (size_t)m->triangle_count, sizeof(uint32_t));
    m->bones = sn__alloc_array(a, SN_SKIN_BONES * v, sizeof(int));
    m->weights = sn__alloc_array(a, SN_SKIN_BONES * v, sizeof(float));
    m->points = sn__alloc_array(a, v, sizeof(SkinPoint));
    return m->positions && m->normals && m->triangles && m->bones && m->weights && m->points;
}

// The user's own, made to sum up to 1.
static void take_weights(SkinModel *m, const SnSkinDef *def) {
    for (int i = 0; i < m->vertex_count; ++i) {
        size_t at = SN_SKIN_BONES * (size_t)i;
        double total = 0.0;
        for (size_t k = 0; k < SN_SKIN_BONES; ++k)
            total += (double)def->weights[at + k];
        assert(total > 0.0);
        for (size_t k = 0; k < SN_SKIN_BONES; ++k) {
            m->weights[at + k] = (float)((double)def->weights[at + k] / total);
            m->bones[at + k] = def->weights[at + k] > 0.0f ? def->bones[at + k] : 0;
        }
    }
}

static bool compute_weights(SkinModel *m, const SkinSurface *surface, int fairing) {
    const SkinRest *rest = &m->rest;
    size_t kept = SKIN_KEPT * (size_t)surface->point_count;
    SkinInfluence *influences = sn__alloc_array(&m->allocator, kept, sizeof *influences);
    SkinPills all = {rest->pill_count, rest->bone_count, rest->pills, rest->edges};
    bool complete = influences && sn__skin_weights(&m->allocator, &all, surface, m->positions,
                                                   fairing, influences);
    for (int i = 0; i < m->vertex_count && complete; ++i) {
        const SkinInfluence *from = influences + SKIN_KEPT * (size_t)surface->point[i];
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            m->bones[SN_SKIN_BONES * i + k] = from[k].bone;
            m->weights[SN_SKIN_BONES * i + k] = from[k].weight;
        }
    }
    sn__free(&m->allocator, influences, kept * sizeof *influences);
    return complete;
}

// The user's own where they are given and have a length, else those of the triangles.
static bool make_normals(SkinModel *m, const SnSkinDef *def, const SkinSurface *surface) {
    size_t size = (size_t)surface->point_count * sizeof(Vec3d);
    Vec3d *normals = sn__alloc(&m->allocator, size);
    if (normals == NULL)
        return false;
    sn__skin_surface_normals(surface, m->positions, m->triangles, m->triangle_count, normals);
    for (int i = 0; i < m->vertex_count; ++i) {
        Vec3d n = normals[surface->point[i]];
        if (def->normals) {
            Vec3d own = vec3d(def->normals[i]);
            double length = lengthd(own);
            n = length > 1e-6 && length < 1e6 ? scaled(own, 1.0 / length) : n;
        }
        m->normals[i] = sn_vec3((float)n.x, (float)n.y, (float)n.z);
    }
    sn__free(&m->allocator, normals, size);
    return true;
}

static bool bind(SkinModel *m, const SnSkinDef *def) {
    SkinSurface surface;
    if (!sn__skin_surface_create(&m->allocator, m->positions, m->vertex_count, m->triangles,
                                 m->triangle_count, &surface))
        return false;
    bool complete = true;
    if (def->weights)
        take_weights(m, def);
    else
        complete = compute_weights(m, &surface, def->fairing);
    complete = complete && make_normals(m, def, &surface);
    SkinSlopes slopes = {&surface, m->positions, m->bones, m->weights, m->normals};
    for (int i = 0; i < m->vertex_count && complete; ++i)
        sn__skin_point(&slopes, i, &m->points[i]);
    sn__skin_surface_destroy(&surface);
    return complete;
}

static void release_arrays(SkinModel *m) {
    const SnAllocator *a = &m->allocator;
    size_t v = (size_t)m->vertex_count;
    sn__free(a, m->positions, v * sizeof(SnVec3));
    sn__free(a, m->normals, v * sizeof(SnVec3));
    sn__free(a, m->triangles, 3 * (size_t)m->triangle_count * sizeof(uint32_t));
    sn__free(a, m->bones, SN_SKIN_BONES * v * sizeof(int));
    sn__free(a, m->weights, SN_SKIN_BONES * v * sizeof(float));
    sn__free(a, m->points, v * sizeof(SkinPoint));
}

static void take_vertices(SkinModel *m) {
    const SkinSplit *split = m->split;
    for (int i = 0; i < m->vertex_count; ++i) {
        const SplitVertex *v = &split->vertices[i];
        size_t at = SN_SKIN_BONES * (size_t)i;
        Vec3d n = vec3d(v->normal);
        double length = lengthd(n); // of normals that were blended
        m->positions[i] = v->position;
        m->normals[i] = length > 1e-6 ? vec3f(scaled(n, 1.0 / length)) : sn_vec3(0.0f, 1.0f, 0.0f);
        memcpy(m->bones + at, v->bones, sizeof v->bones);
        memcpy(m->weights + at, v->weights, sizeof v->weights);
        memcpy(m->leads + at, v->leads, sizeof v->leads);
    }
    memcpy(m->triangles, split->triangles, (size_t)m->triangle_count * sizeof *split->triangles);
}

// A cap turns as its bones do: there is nothing around it to learn more from.
static bool bind_split(SkinModel *m) {
    SkinSurface surface;
    if (!sn__skin_surface_create(&m->allocator, m->positions, m->vertex_count, m->triangles,
                                 m->split->surface_triangles, &surface))
        return false;
    SkinSlopes slopes = {&surface, m->positions, m->bones, m->weights, m->normals};
    for (int i = 0; i < m->vertex_count; ++i) {
        SkinPoint *point = &m->points[i];
        sn__skin_point(&slopes, i, point);
        for (int k = 0; k < SN_SKIN_BONES && i >= m->split->surface_vertices; ++k)
            point->along_u[k] = point->along_v[k] = 0.0f;
    }
    sn__skin_surface_destroy(&surface);
    return true;
}

// The cut mesh takes the place of the one that was given.
static bool split_model(SkinModel *m, const SkinGraph *graph) {
    SkinSurface surface;
    if (!sn__skin_surface_create(&m->allocator, m->positions, m->vertex_count, m->triangles,
                                 m->triangle_count, &surface))
        return false;
    SplitMesh mesh = {.surface = &surface,
                      .vertex_count = m->vertex_count,
                      .triangle_count = m->triangle_count,
                      .positions = m->positions,
                      .normals = m->normals,
                      .triangles = m->triangles,
                      .bones = m->bones,
                      .weights = m->weights,
                      .particle_count = m->rest.bone_count,
                      .edge_count = graph->edge_count,
                      .particles = m->rest.positions,
                      .edges = (const int(*)[2])graph->edges};
    m->split = sn__skin_split_create(&m->allocator, &mesh);
    sn__skin_surface_destroy(&surface);
    if (m->split == NULL)
        return false;
    release_arrays(m);
    m->vertex_count = m->split->vertex_count;
    m->triangle_count = m->split->triangle_count;
    m->leads = sn__alloc_array(&m->allocator, SN_SKIN_BONES * (size_t)m->vertex_count, sizeof(int));
    if (!allocate(m) || m->leads == NULL)
        return false;
    take_vertices(m);
    return bind_split(m);
}

SkinModel *sn__skin_model_create(const SnAllocator *allocator, const SnSkinDef *def,
                                 const SkinRest *rest, const SkinGraph *graph) {
    SkinModel *m = sn__alloc(allocator, sizeof *m);
    if (m == NULL)
        return NULL;
    m->allocator = *allocator;
    m->vertex_count = m->given_vertices = def->vertex_count;
    m->triangle_count = m->given_triangles = def->triangle_count;
    m->rest = *rest;
    bool complete = allocate(m);
    if (complete) {
        memcpy(m->positions, def->positions, (size_t)m->vertex_count * sizeof(SnVec3));
        if (m->triangle_count > 0)
            memcpy(m->triangles, def->triangles, 3 * (size_t)m->triangle_count * sizeof(uint32_t));
        complete = bind(m, def) && (!def->split || split_model(m, graph));
    }
    if (!complete) {
        m->rest = (SkinRest){.bone_count = rest->bone_count, .pill_count = rest->pill_count};
        sn__skin_model_destroy(m);
        return NULL;
    }
    return m;
}

void sn__skin_model_destroy(SkinModel *m) {
    SnAllocator a = m->allocator;
    sn__free(&a, m->leads, SN_SKIN_BONES * (size_t)m->vertex_count * sizeof(int));
    release_arrays(m);
    if (m->split)
        sn__skin_split_destroy(m->split);
    sn__skin_rest_destroy(&a, &m->rest);
    sn__free(&a, m, sizeof *m);
}
