#include "view/coarse.h"

#include "view/simplify.h"
#include "view/vec.h"

#include <stdlib.h>
#include <string.h>

// In pixels: the error of a surface, and how long edges may be, so that what bends stays round.
#define ERROR 0.5f
#define LONGEST 12.0f
// Small meshes are not worth it.
#define LEAST_TRIANGLES 500
// How much farther a mesh may reach than it did when its entry was made.
#define GROWTH 1.2f

static SnVec3 corner(const ViewMesh *mesh, uint32_t index) {
    return view_load(mesh->positions + 3 * (size_t)(index - mesh->first_vertex));
}

// Whether a mesh is closed and looks outwards. Every edge of a closed surface is passed once in
// each direction, so hashes of the edges with the signs of their directions sum up to zero.
static bool is_closed(const ViewMesh *mesh) {
    uint64_t sum = 0;
    double volume = 0.0;
    for (size_t i = 0; i < (size_t)mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangles + 3 * i;
        for (int k = 0; k < 3; ++k) {
            uint64_t a = t[k], b = t[(k + 1) % 3];
            uint64_t hash = a < b ? view_mix(a << 32, b) : view_mix(b << 32, a);
            sum += a < b ? hash : 0 - hash;
        }
        SnVec3 p = corner(mesh, t[0]), q = corner(mesh, t[1]), r = corner(mesh, t[2]);
        volume += (double)sn_vec3_dot(p, sn_vec3_cross(q, r));
    }
    return sum == 0 && volume > 0.0;
}

static void measure(ViewCoarse *coarse, const ViewMesh *mesh) {
    double sum = 0.0;
    for (int i = 0; i < 3 * mesh->triangle_count; i += 3) {
        SnVec3 a = corner(mesh, mesh->triangles[i]), b = corner(mesh, mesh->triangles[i + 1]);
        sum += (double)sn_vec3_length(sn_vec3_sub(a, b));
    }
    coarse->edge = (float)(sum / mesh->triangle_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        SnVec3 off =
            sn_vec3_sub(view_load(mesh->positions + 3 * (size_t)i), view_load(mesh->positions));
        coarse->reach = fmaxf(coarse->reach, sn_vec3_length(off));
    }
}

int view_coarse_find(ViewCoarseTable *table, const ViewMesh *mesh, uint64_t key) {
    for (int i = 0; i < table->count; ++i)
        if (table->entries[i].key == key &&
            table->entries[i].triangle_count == mesh->triangle_count)
            return i;
    if (table->count == table->capacity) {
        int capacity = 2 * table->capacity + 8;
        ViewCoarse *larger = realloc(table->entries, (size_t)capacity * sizeof *larger);
        if (larger == NULL)
            return -1;
        table->entries = larger;
        table->capacity = capacity;
    }
    ViewCoarse *coarse = &table->entries[table->count];
    *coarse = (ViewCoarse){
        .key = key, .triangle_count = mesh->triangle_count, .is_closed = is_closed(mesh)};
    measure(coarse, mesh);
    return table->count++;
}

// The smallest pixels that a level is for, m.
static float pixel_of(const ViewCoarse *coarse, int level) {
    return coarse->edge * powf(2.0f, 0.5f * (float)level - 1.0f);
}

int view_coarse_level(const ViewCoarse *coarse, const ViewMesh *mesh, SnVec3 eye,
                      float pixels_per_radian) {
    if (mesh->triangle_count < LEAST_TRIANGLES || mesh->uvs || !(coarse->edge > 0.0f))
        return -1;
    SnVec3 at = sn_pose_apply(mesh->pose, view_load(mesh->positions));
    float away = sn_vec3_length(sn_vec3_sub(eye, at)) - GROWTH * coarse->reach;
    float pixel = away / pixels_per_radian;
    int level = -1;
    while (level + 1 < VIEW_COARSE_LEVELS && pixel >= pixel_of(coarse, level + 1))
        ++level;
    return level;
}

const ViewTriangleList *view_coarse_list(ViewCoarse *coarse, const ViewMesh *mesh, int level) {
    ViewTriangleList *list = &coarse->levels[level];
    if (list->triangles)
        return list;
    size_t count = 3 * (size_t)mesh->triangle_count;
    uint32_t *triangles = malloc(count * sizeof *triangles);
    if (triangles == NULL)
        return NULL;
    for (size_t i = 0; i < count; ++i)
        triangles[i] = mesh->triangles[i] - mesh->first_vertex;
    float pixel = pixel_of(coarse, level);
    list->count = view_simplify(mesh->positions, mesh->vertex_count, triangles,
                                mesh->triangle_count, ERROR * pixel, LONGEST * pixel);
    if (list->count < 0) {
        free(triangles);
        return NULL;
    }
    list->triangles = triangles;
    return list;
}

void view_coarse_release(ViewCoarseTable *table) {
    for (int i = 0; i < table->count; ++i)
        for (int k = 0; k < VIEW_COARSE_LEVELS; ++k)
            free(table->entries[i].levels[k].triangles);
    free(table->entries);
    *table = (ViewCoarseTable){0};
}
