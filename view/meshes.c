#include "view/meshes.h"

#include "base/hash.h"
#include "base/result.h"
#include "view/vec.h"

#include <stdlib.h>

#define FARTHEST 1.0e9f

static bool has_good_shape(const SnvMesh *mesh) {
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1) {
        return false;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        if (mesh->triangles[i] - mesh->first_vertex >= (uint32_t)mesh->vertex_count) {
            return false;
        }
    }
    return true;
}

static bool has_good_numbers(const SnvMesh *mesh) {
    SnVec3 p = mesh->pose.position;
    SnQuat q = mesh->pose.rotation;
    bool good = fabsf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0f) < 0.1f;
    good &= fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < FARTHEST;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        good &= fabsf(mesh->positions[i]) < FARTHEST; // NaN fails it
    }
    return good;
}

static uint64_t key_of(const SnvMesh *list, int count) {
    uint64_t key = sn__hash_mix(1, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        key = sn__hash_mix(key, (uint64_t)list[i].vertex_count);
        key = sn__hash_mix(key, list[i].first_vertex);
        key = list[i].triangle_count > 0
                  ? sn__hash_bytes(key, list[i].triangles, 12 * (size_t)list[i].triangle_count)
                  : key;
    }
    return key;
}

// Vertices of a mesh that is left out still have their places, so that the others keep theirs.
static size_t place_count(const SnvMesh *mesh) {
    return mesh->vertex_count > 0 ? (size_t)mesh->vertex_count : 0;
}

static SnVec3 corner(const SnvMesh *mesh, uint32_t index) {
    return snv__load(mesh->positions + 3 * (size_t)(index - mesh->first_vertex));
}

// Whether a mesh is closed and looks outwards. Every edge of a closed surface is passed once in
// each direction, so hashes of the edges with the signs of their directions sum up to zero.
static bool is_closed(const SnvMesh *mesh) {
    uint64_t sum = 0;
    double volume = 0.0;
    for (size_t i = 0; i < (size_t)mesh->triangle_count; i++) {
        const uint32_t *t = mesh->triangles + 3 * i;
        for (int k = 0; k < 3; k++) {
            uint64_t a = t[k], b = t[(k + 1) % 3];
            uint64_t hash = a < b ? sn__hash_mix(a << 32, b) : sn__hash_mix(b << 32, a);
            sum += a < b ? hash : 0 - hash;
        }
        SnVec3 p = corner(mesh, t[0]), q = corner(mesh, t[1]), r = corner(mesh, t[2]);
        volume += (double)snv__dot(p, snv__cross(q, r));
    }
    return sum == 0 && volume > 0.0;
}

static SnResult append_indices(SnvTriangles *triangles, const SnvMesh *mesh, size_t first) {
    size_t added = 3 * (size_t)mesh->triangle_count;
    SnResult result = snv__triangles_reserve(triangles, 0, added);
    if (result.code == SN_OK) {
        uint32_t *index = triangles->indices + triangles->index_count;
        for (size_t k = 0; k < added; k++) {
            index[k] = (uint32_t)first + (mesh->triangles[k] - mesh->first_vertex);
        }
        triangles->index_count += added;
    }
    return result;
}

static SnResult build_indices(SnvMeshes *meshes, const SnvMesh *list, int count) {
    SnvTriangles *triangles = &meshes->triangles;
    SnResult result = sn__ok();
    triangles->index_count = 0;
    for (int closed = 1; closed >= 0; closed--) {
        size_t first = 0;
        for (int i = 0; i < count && result.code == SN_OK; i++) {
            if (has_good_shape(&list[i]) && is_closed(&list[i]) == (bool)closed) {
                result = append_indices(triangles, &list[i], first);
            }
            first += place_count(&list[i]);
        }
        meshes->closed_index_count = closed ? triangles->index_count : meshes->closed_index_count;
    }
    return result;
}

// Normals of the triangles around a vertex, by their areas.
static SnResult compute_normals(SnvMeshes *meshes, const SnvMesh *mesh) {
    size_t count = 3 * (size_t)mesh->vertex_count;
    if (count > meshes->normal_capacity) {
        float *larger = realloc(meshes->normals, count * sizeof *larger);
        if (!larger) {
            return sn__error(SN_ERROR_MEMORY, "view: no memory for %d normals", mesh->vertex_count);
        }
        meshes->normals = larger;
        meshes->normal_capacity = count;
    }
    for (size_t i = 0; i < count; i++) {
        meshes->normals[i] = 0.0f;
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)i;
        SnVec3 a = corner(mesh, t[0]), b = corner(mesh, t[1]), c = corner(mesh, t[2]);
        SnVec3 n = snv__cross(snv__sub(b, a), snv__sub(c, a));
        for (int k = 0; k < 3; k++) {
            float *normal = meshes->normals + 3 * (size_t)(t[k] - mesh->first_vertex);
            normal[0] += n.x;
            normal[1] += n.y;
            normal[2] += n.z;
        }
    }
    return sn__ok();
}

static SnResult add_vertices(SnvMeshes *meshes, const SnvMesh *mesh) {
    const float *normals = mesh->normals;
    if (!normals) {
        SnResult result = compute_normals(meshes, mesh);
        if (result.code != SN_OK) {
            return result;
        }
        normals = meshes->normals;
    }
    SnvTriangles *triangles = &meshes->triangles;
    SnvBox *box = mesh->is_scenery ? &meshes->scenery_box : &meshes->box;
    SnVec3 low = box->low, high = box->high, up = sn_vec3(0.0f, 1.0f, 0.0f);
    SnPose local = {snv__sub(mesh->pose.position, triangles->origin), mesh->pose.rotation};
    uint8_t colour[4];
    snv__colour_bytes(&mesh->look, colour);
    SnvVertex *vertex = triangles->vertices + triangles->vertex_count;
    bool at_rest = fabsf(local.rotation.w) == 1.0f;
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++, vertex++) {
        SnVec3 p = snv__load(mesh->positions + 3 * i), n = snv__load(normals + 3 * i);
        p = at_rest ? snv__add(local.position, p) : snv__placed(&local, p);
        n = snv__normalise(at_rest ? n : snv__turn(local.rotation, n), up);
        low = snv__min(low, snv__add(p, triangles->origin));
        high = snv__max(high, snv__add(p, triangles->origin));
        *vertex = (SnvVertex){
            {p.x, p.y, p.z},
            {(int16_t)(32767.0f * n.x), (int16_t)(32767.0f * n.y), (int16_t)(32767.0f * n.z), 0},
            {0.0f, 0.0f},
            {colour[0], colour[1], colour[2], colour[3]}};
    }
    triangles->vertex_count += (size_t)mesh->vertex_count;
    box->low = low;
    box->high = high;
    return sn__ok();
}

// All in one point: triangles between them are not seen.
static void add_nothing(SnvTriangles *triangles, size_t count) {
    for (size_t i = 0; i < count; i++) {
        triangles->vertices[triangles->vertex_count++] =
            (SnvVertex){{0.0f, 0.0f, 0.0f}, {0}, {0}, {0}};
    }
}

SnResult snv__meshes_build(SnvMeshes *meshes, const SnvMesh *list, int count, SnVec3 origin) {
    SnvTriangles *triangles = &meshes->triangles;
    triangles->vertex_count = 0;
    triangles->origin = origin;
    meshes->box = meshes->scenery_box = snv__box_empty();
    meshes->skipped = 0;
    SnResult result = sn__ok();
    uint64_t key = key_of(list, count);
    meshes->indices_changed = key != meshes->key;
    if (meshes->indices_changed) {
        meshes->key = 0; // until it is done
        result = build_indices(meshes, list, count);
    }
    for (int i = 0; i < count && result.code == SN_OK; i++) {
        result = snv__triangles_reserve(triangles, place_count(&list[i]), 0);
        if (result.code != SN_OK) {
            break;
        }
        if (has_good_shape(&list[i]) && has_good_numbers(&list[i])) {
            result = add_vertices(meshes, &list[i]);
        } else {
            add_nothing(triangles, place_count(&list[i]));
            meshes->skipped++;
        }
    }
    meshes->key = result.code == SN_OK ? key : 0;
    return result;
}

void snv__meshes_release(SnvMeshes *meshes) {
    snv__triangles_release(&meshes->triangles);
    free(meshes->normals);
    *meshes = (SnvMeshes){0};
}
