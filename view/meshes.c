#include "view/meshes.h"

#include "view/vec.h"

#include <stdlib.h>

#define FARTHEST 1.0e9f
#define MOST_SHAPES 1000 // whose coarse lists are kept: some meshes are new in every picture

// Which of its triangles a mesh is drawn with.
typedef struct ViewMeshChoice {
    bool good;
    uint64_t shape; // hash of its triangles
    int entry;      // of the table of coarse lists
    int level;
} ViewMeshChoice;

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

// How much of a pixel it covers; 4: all of it.
static int quarters_of(const ViewMesh *mesh) {
    if (!(mesh->look.clear > 0.0f))
        return 4;
    return (int)fmaxf(1.0f, fminf(3.0f, roundf(4.0f * (1.0f - mesh->look.clear))));
}

static uint64_t shape_of(const ViewMesh *mesh) {
    uint64_t key =
        view_mix(view_mix(1, (uint64_t)mesh->vertex_count), (uint64_t)mesh->triangle_count);
    const uint32_t *t = mesh->triangles, first = mesh->first_vertex;
    for (int k = 0; k < mesh->triangle_count; ++k, t += 3)
        key =
            view_mix(view_mix(key, (t[0] - first) | (uint64_t)(t[1] - first) << 32), t[2] - first);
    return key;
}

static uint64_t key_of(const ViewMesh *list, const ViewMeshChoice *choices, int count) {
    uint64_t key = view_mix(1, (uint64_t)count);
    for (int i = 0; i < count; ++i) {
        key = view_mix(key, (uint64_t)list[i].vertex_count);
        key = view_mix(key, (uint64_t)quarters_of(&list[i]));
        key = view_mix(key, (uint64_t)(list[i].bark != VIEW_NO_BARK && list[i].uvs));
        key = view_mix(key, choices[i].good ? choices[i].shape : 0);
        key = view_mix(key, (uint64_t)(choices[i].level + 1));
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

static SnResult append_indices(ViewTriangles *triangles, const uint32_t *corners, int count,
                               size_t first) {
    size_t added = 3 * (size_t)count;
    SnResult result = view_triangles_reserve(triangles, 0, added);
    if (result.code == SN_OK) {
        uint32_t *index = triangles->indices + triangles->index_count;
        for (size_t k = 0; k < added; ++k)
            index[k] = (uint32_t)first + corners[k];
        triangles->index_count += added;
    }
    return result;
}

// `first`: what its first vertex is among all. Numbers of vertices wrap around where they are to.
static SnResult append_mesh(ViewMeshes *meshes, const ViewMesh *mesh, const ViewMeshChoice *choice,
                            size_t first) {
    ViewTriangles *triangles = &meshes->triangles;
    if (choice->level < 0)
        return append_indices(triangles, mesh->triangles, mesh->triangle_count,
                              first - mesh->first_vertex);
    const ViewTriangleList *list =
        view_coarse_list(&meshes->coarse.entries[choice->entry], mesh, choice->level);
    if (list == NULL)
        return sn_error(SN_ERROR_MEMORY, "view: no memory for %d triangles", mesh->triangle_count);
    return append_indices(triangles, list->triangles, list->count, first);
}

static ViewMeshPart part_of(const ViewMesh *mesh, bool closed) {
    int quarters = quarters_of(mesh);
    if (quarters < 4)
        return (ViewMeshPart)(VIEW_PART_CLEAR + quarters - 1);
    if (mesh->bark != VIEW_NO_BARK && mesh->uvs)
        return VIEW_PART_BARK;
    return closed ? VIEW_PART_CLOSED : VIEW_PART_OPEN;
}

static SnResult build_indices(ViewMeshes *meshes, const ViewMesh *list, int count) {
    SnResult result = sn_ok();
    meshes->triangles.index_count = 0;
    for (int part = 0; part < VIEW_MESH_PARTS; ++part) {
        size_t first = 0;
        for (int i = 0; i < count && result.code == SN_OK; ++i) {
            const ViewMeshChoice *choice = &meshes->choices[i];
            if (choice->good &&
                (int)part_of(&list[i], meshes->coarse.entries[choice->entry].is_closed) == part)
                result = append_mesh(meshes, &list[i], choice, first);
            first += place_count(&list[i]);
        }
        meshes->part_end[part] = meshes->triangles.index_count;
    }
    return result;
}

// Finds or makes the entry of each mesh, and the level that is seen.
static SnResult choose(ViewMeshes *meshes, const ViewMesh *list, int count, ViewDetail detail) {
    if (count > meshes->choice_capacity) {
        ViewMeshChoice *larger = realloc(meshes->choices, (size_t)count * sizeof *larger);
        if (larger == NULL)
            return sn_error(SN_ERROR_MEMORY, "view: no memory for %d meshes", count);
        meshes->choices = larger;
        meshes->choice_capacity = count;
    }
    if (meshes->coarse.count > MOST_SHAPES)
        view_coarse_release(&meshes->coarse);
    for (int i = 0; i < count; ++i) {
        ViewMeshChoice *choice = &meshes->choices[i];
        *choice = (ViewMeshChoice){.good = has_good_shape(&list[i]), .level = -1};
        if (!choice->good)
            continue;
        choice->shape = shape_of(&list[i]);
        choice->entry = view_coarse_find(&meshes->coarse, &list[i], choice->shape);
        if (choice->entry < 0)
            return sn_error(SN_ERROR_MEMORY, "view: no memory for a mesh");
        choice->level = view_coarse_level(&meshes->coarse.entries[choice->entry], &list[i],
                                          detail.eye, detail.pixels_per_radian);
    }
    return sn_ok();
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

SnResult view_meshes_build(ViewMeshes *meshes, const ViewMesh *list, int count, ViewDetail detail,
                           SnVec3 origin) {
    ViewTriangles *triangles = &meshes->triangles;
    triangles->vertex_count = 0;
    triangles->origin = origin;
    meshes->box = meshes->scenery_box = view_box_empty();
    meshes->skipped = 0;
    SnResult result = choose(meshes, list, count, detail);
    if (result.code != SN_OK)
        return result;
    uint64_t key = key_of(list, meshes->choices, count);
    meshes->indices_changed = key != meshes->key;
    if (meshes->indices_changed) {
        meshes->key = 0; // until it is done
        result = build_indices(meshes, list, count);
    }
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        result = view_triangles_reserve(triangles, place_count(&list[i]), 0);
        if (result.code != SN_OK)
            break;
        if (meshes->choices[i].good && has_good_numbers(&list[i])) {
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
    free(meshes->choices);
    view_coarse_release(&meshes->coarse);
    *meshes = (ViewMeshes){0};
}
