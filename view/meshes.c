#include "view/meshes.h"

#include "view/vec.h"

#include <stdlib.h>

#define FARTHEST 1.0e9f

static bool has_good_shape(const ViewMesh *mesh) {
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1)
        return false;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i)
        if (mesh->triangles[i] - mesh->first_vertex >= (uint32_t)mesh->vertex_count)
            return false;
    return true;
}

static bool has_good_numbers(const ViewMesh *mesh) {
    SnVec3 p = mesh->pose.position;
    SnQuat q = mesh->pose.rotation;
    bool good = fabsf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0f) < 0.1f;
    good &= fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < FARTHEST;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i)
        good &= fabsf(mesh->positions[i]) < FARTHEST; // NaN fails it
    return good;
}

// For a fixed word this is a bijection of the key: two lists that differ do not fall together by what
// follows the difference.
static uint64_t mix(uint64_t key, uint64_t word) {
    key = (key ^ word) * 0x9E3779B97F4A7C15u;
    return key ^ (key >> 32);
}

// How much of a pixel it covers; 4: all of it.
static int quarters_of(const ViewMesh *mesh) {
    if (!(mesh->look.clear > 0.0f))
        return 4;
    return (int)fmaxf(1.0f, fminf(3.0f, roundf(4.0f * (1.0f - mesh->look.clear))));
}

static uint64_t key_of(const ViewMesh *list, int count) {
    uint64_t key = mix(1, (uint64_t)count);
    for (int i = 0; i < count; ++i) {
        key = mix(key, (uint64_t)list[i].vertex_count);
        key = mix(key, list[i].first_vertex);
        key = mix(key, (uint64_t)quarters_of(&list[i]));
        key = mix(key, (uint64_t)(list[i].bark != VIEW_NO_BARK && list[i].uvs));
        key = mix(key, (uint64_t)list[i].triangle_count);
        const uint32_t *t = list[i].triangles;
        for (int k = 0; k < list[i].triangle_count; ++k, t += 3)
            key = mix(mix(key, t[0] | (uint64_t)t[1] << 32), t[2]);
    }
    return key;
}

// Vertices of a mesh that is left out still have their places, so that the others keep theirs.
static size_t place_count(const ViewMesh *mesh) {
    return mesh->vertex_count > 0 ? (size_t)mesh->vertex_count : 0;
}

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
            uint64_t hash = a < b ? mix(a << 32, b) : mix(b << 32, a);
            sum += a < b ? hash : 0 - hash;
        }
        SnVec3 p = corner(mesh, t[0]), q = corner(mesh, t[1]), r = corner(mesh, t[2]);
        volume += (double)sn_vec3_dot(p, sn_vec3_cross(q, r));
    }
    return sum == 0 && volume > 0.0;
}

static SnResult append_indices(ViewTriangles *triangles, const ViewMesh *mesh, size_t first) {
    size_t added = 3 * (size_t)mesh->triangle_count;
    SnResult result = view_triangles_reserve(triangles, 0, added);
    if (result.code == SN_OK) {
        uint32_t *index = triangles->indices + triangles->index_count;
        for (size_t k = 0; k < added; ++k)
            index[k] = (uint32_t)first + (mesh->triangles[k] - mesh->first_vertex);
        triangles->index_count += added;
    }
    return result;
}

static ViewMeshPart part_of(const ViewMesh *mesh) {
    int quarters = quarters_of(mesh);
    if (quarters < 4)
        return (ViewMeshPart)(VIEW_PART_CLEAR + quarters - 1);
    if (mesh->bark != VIEW_NO_BARK && mesh->uvs)
        return VIEW_PART_BARK;
    return is_closed(mesh) ? VIEW_PART_CLOSED : VIEW_PART_OPEN;
}

static SnResult build_indices(ViewMeshes *meshes, const ViewMesh *list, int count) {
    ViewTriangles *triangles = &meshes->triangles;
    SnResult result = sn_ok();
    triangles->index_count = 0;
    for (int part = 0; part < VIEW_MESH_PARTS; ++part) {
        size_t first = 0;
        for (int i = 0; i < count && result.code == SN_OK; ++i) {
            if (has_good_shape(&list[i]) && (int)part_of(&list[i]) == part)
                result = append_indices(triangles, &list[i], first);
            first += place_count(&list[i]);
        }
        meshes->part_end[part] = triangles->index_count;
    }
    return result;
}

// Normals of the triangles around a vertex, by their areas.
static SnResult compute_normals(ViewMeshes *meshes, const ViewMesh *mesh) {
    size_t count = 3 * (size_t)mesh->vertex_count;
    if (count > meshes->normal_capacity) {
        float *larger = realloc(meshes->normals, count * sizeof *larger);
        if (larger == NULL)
            return sn_error(SN_ERROR_MEMORY, "view: no memory for %d normals", mesh->vertex_count);
        meshes->normals = larger;
        meshes->normal_capacity = count;
    }
    for (size_t i = 0; i < count; ++i)
        meshes->normals[i] = 0.0f;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)i;
        SnVec3 a = corner(mesh, t[0]), b = corner(mesh, t[1]), c = corner(mesh, t[2]);
        SnVec3 n = sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
        for (int k = 0; k < 3; ++k) {
            float *normal = meshes->normals + 3 * (size_t)(t[k] - mesh->first_vertex);
            normal[0] += n.x;
            normal[1] += n.y;
            normal[2] += n.z;
        }
    }
    return sn_ok();
}

static SnResult add_vertices(ViewMeshes *meshes, const ViewMesh *mesh) {
    const float *normals = mesh->normals;
    if (normals == NULL) {
        SnResult result = compute_normals(meshes, mesh);
        if (result.code != SN_OK)
            return result;
        normals = meshes->normals;
    }
    ViewTriangles *triangles = &meshes->triangles;
    ViewBox *box = mesh->is_scenery ? &meshes->scenery_box : &meshes->box;
    SnVec3 low = box->low, high = box->high, up = sn_vec3(0.0f, 1.0f, 0.0f);
    SnPose local = {sn_vec3_sub(mesh->pose.position, triangles->origin), mesh->pose.rotation};
    uint8_t colour[4];
    view_colour_bytes(&mesh->look, colour);
    ViewVertex *vertex = triangles->vertices + triangles->vertex_count;
    bool at_rest = fabsf(local.rotation.w) == 1.0f;
    const float *uvs = mesh->bark != VIEW_NO_BARK ? mesh->uvs : NULL;
    int16_t kind = uvs == NULL                     ? 0
                   : mesh->bark == VIEW_BARK_MARKS ? VIEW_PATTERN_MARKS
                                                   : VIEW_PATTERN_FURROWS;
    for (size_t i = 0; i < (size_t)mesh->vertex_count; ++i, ++vertex) {
        SnVec3 p = view_load(mesh->positions + 3 * i), n = view_load(normals + 3 * i);
        p = at_rest ? sn_vec3_add(local.position, p) : sn_pose_apply(local, p);
        n = sn_vec3_normalise(at_rest ? n : sn_quat_rotate(local.rotation, n), up);
        low = view_min(low, sn_vec3_add(p, triangles->origin));
        high = view_max(high, sn_vec3_add(p, triangles->origin));
        *vertex = (ViewVertex){
            {p.x, p.y, p.z},
            {(int16_t)(32767.0f * n.x), (int16_t)(32767.0f * n.y), (int16_t)(32767.0f * n.z), kind},
            {uvs ? uvs[2 * i] : 0.0f, uvs ? uvs[2 * i + 1] : 0.0f},
            {colour[0], colour[1], colour[2], colour[3]}};
    }
    triangles->vertex_count += (size_t)mesh->vertex_count;
    box->low = low;
    box->high = high;
    return sn_ok();
}

// All in one point: triangles between them are not seen.
static void add_nothing(ViewTriangles *triangles, size_t count) {
    for (size_t i = 0; i < count; ++i)
        triangles->vertices[triangles->vertex_count++] =
            (ViewVertex){{0.0f, 0.0f, 0.0f}, {0}, {0}, {0}};
}

SnResult view_meshes_build(ViewMeshes *meshes, const ViewMesh *list, int count, SnVec3 origin) {
    ViewTriangles *triangles = &meshes->triangles;
    triangles->vertex_count = 0;
    triangles->origin = origin;
    meshes->box = meshes->scenery_box = view_box_empty();
    meshes->skipped = 0;
    SnResult result = sn_ok();
    uint64_t key = key_of(list, count);
    meshes->indices_changed = key != meshes->key;
    if (meshes->indices_changed) {
        meshes->key = 0; // until it is done
        result = build_indices(meshes, list, count);
    }
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        result = view_triangles_reserve(triangles, place_count(&list[i]), 0);
        if (result.code != SN_OK)
            break;
        if (has_good_shape(&list[i]) && has_good_numbers(&list[i])) {
            result = add_vertices(meshes, &list[i]);
        } else {
            add_nothing(triangles, place_count(&list[i]));
            ++meshes->skipped;
        }
    }
    meshes->key = result.code == SN_OK ? key : 0;
    return result;
}

void view_meshes_release(ViewMeshes *meshes) {
    view_triangles_release(&meshes->triangles);
    free(meshes->normals);
    *meshes = (ViewMeshes){0};
}
