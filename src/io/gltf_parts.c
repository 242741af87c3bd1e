// The meshes of a glTF file: one for every primitive of triangles that a node of the scene shows, with
// the joints it follows.
#include "io/gltf_skeleton.h"

#include "io/mesh.h"
#include "math/map.h"

#include <stdio.h>
#include <string.h>

// The joints that meshes with a skin follow.
typedef struct PartSkin {
    int joint_count;
    const int *joints;
    const SnMap *binds;
    bool rigid; // no skin: all of it follows the node
} PartSkin;

static SnResult no_memory(const GltfSkeleton *skeleton) {
    return sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", skeleton->source->path);
}

// Corner c of triangle t of a list, a strip or a fan.
static int corner(int64_t mode, int t, int c) {
    if (mode == 4)
        return 3 * t + c;
    if (mode == 6)
        return c == 0 ? 0 : t + c;
    return t % 2 == 1 && c > 0 ? t + 3 - c : t + c;
}

static SnResult read_positions(GltfSkeleton *skeleton, const GltfElements *from,
                               SnSkeletonMesh *mesh) {
    SnResult result = sn__gltf_afford(skeleton, (uint64_t)from->count);
    if (result.code != SN_OK)
        return result;
    SnVec3 *positions = sn__arena_alloc(&skeleton->arena, (size_t)from->count, sizeof *positions);
    if (positions == NULL)
        return no_memory(skeleton);
    for (int i = 0; i < from->count; ++i) {
        for (int c = 0; c < 3; ++c)
            (&positions[i].x)[c] = (float)sn__element_number(from, i, c);
        if (!sn__within3(positions[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_FORMAT, "%s: a position is not within %g m",
                            skeleton->source->path, (double)SN_MAX_POSITION);
    }
    mesh->positions = positions;
    mesh->vertex_count = from->count;
    return result;
}

static SnResult read_triangles(GltfSkeleton *skeleton, const Json *primitive, int64_t mode,
                               SnSkeletonMesh *mesh) {
    const GltfSource *source = skeleton->source;
    GltfElements indices = {0};
    int corners = mesh->vertex_count;
    if (sn__json_member(&source->doc, primitive, "indices")) {
        const Json *accessor = sn__source_item(source, SOURCE_ACCESSORS, primitive, "indices");
        SnResult found = sn__source_indices(source, accessor, "indices", &indices);
        if (found.code != SN_OK)
            return found;
        corners = indices.count;
    }
    int count = mode == 4 ? corners / 3 : corners > 2 ? corners - 2 : 0;
    SnResult result = sn__gltf_afford(skeleton, (uint64_t)count);
    if (result.code != SN_OK)
        return result;
    uint32_t *triangles = sn__arena_alloc(&skeleton->arena, 3 * (size_t)count, sizeof *triangles);
    if (triangles == NULL)
        return no_memory(skeleton);
    for (int t = 0; t < count; ++t)
        for (int c = 0; c < 3; ++c) {
            int at = corner(mode, t, c);
            uint32_t index = indices.bytes ? sn__element_index(&indices, at, 0) : (uint32_t)at;
            if (index >= (uint32_t)mesh->vertex_count)
                return sn_error(SN_ERROR_FORMAT,
                                "%s: an index is not below %d, the number of vertices",
                                source->path, mesh->vertex_count);
            triangles[3 * t + c] = index;
        }
    mesh->triangles = triangles;
    mesh->triangle_count = count;
    return result;
}

// Those of the file, or from the triangles.
static SnResult read_normals(GltfSkeleton *skeleton, const Json *attributes, SnSkeletonMesh *mesh) {
    const GltfSource *source = skeleton->source;
    size_t count = (size_t)mesh->vertex_count;
    SnVec3 *normals = sn__arena_alloc(&skeleton->arena, count, sizeof *normals);
    if (normals == NULL)
        return no_memory(skeleton);
    mesh->normals = normals;
    const Json *accessor = sn__source_item(source, SOURCE_ACCESSORS, attributes, "NORMAL");
    GltfElements from = {0};
    if (accessor &&
        sn__source_numbers(source, accessor, "VEC3", true, "normals", &from).code == SN_OK &&
        from.count == mesh->vertex_count) {
        for (int i = 0; i < from.count; ++i) {
            SnVec3 n = {(float)sn__element_number(&from, i, 0),
                        (float)sn__element_number(&from, i, 1),
                        (float)sn__element_number(&from, i, 2)};
            normals[i] = sn__finite3(n) ? sn_vec3_normalise(n, sn_vec3(0, 1, 0)) : sn_vec3(0, 1, 0);
        }
        return sn_ok();
    }
    SnMesh own;
    if (!sn__mesh_create(NULL, mesh->vertex_count, mesh->triangle_count, &own))
        return no_memory(skeleton);
    memcpy(own.positions, mesh->positions, count * sizeof *normals);
    memcpy(own.triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(uint32_t));
    bool made = sn__mesh_make_normals(&own);
    memcpy(normals, own.normals, count * sizeof *normals);
    sn_mesh_destroy(&own);
    return made ? sn_ok() : no_memory(skeleton);
}

// Joints and weights of a mesh: JOINTS_0, WEIGHTS_0 and so on, four at a time.
#define FOLLOWED_SETS (SN_MESH_JOINTS / 4)
typedef struct Followed {
    GltfElements joints[FOLLOWED_SETS], weights[FOLLOWED_SETS];
    int sets;
} Followed;

// Joints of a vertex and their weights, which are made to sum up to 1.
static SnResult read_vertex(const GltfSkeleton *skeleton, const Followed *followed, int vertex,
                            int joint_count, int out_joints[SN_MESH_JOINTS],
                            float out_weights[SN_MESH_JOINTS]) {
    double sum = 0, w[SN_MESH_JOINTS] = {0};
    for (int k = 0; k < 4 * followed->sets; ++k) {
        w[k] = sn__element_number(&followed->weights[k / 4], vertex, k % 4);
        w[k] = w[k] > 0 ? w[k] : 0; // NaN and what is below 0
        uint32_t joint = sn__element_index(&followed->joints[k / 4], vertex, k % 4);
        if (w[k] > 0 && joint >= (uint32_t)joint_count)
            return sn_error(SN_ERROR_FORMAT, "%s: vertex %d follows joint %u of a skin of %d",
                            skeleton->source->path, vertex, joint, joint_count);
        out_joints[k] = w[k] > 0 ? (int)joint : 0;
        sum += w[k];
    }
    if (!(sum > 0) || !isfinite(sum))
        return sn_error(SN_ERROR_FORMAT, "%s: the weights of vertex %d sum up to %g, not 1",
                        skeleton->source->path, vertex, sum);
    for (int k = 0; k < SN_MESH_JOINTS; ++k)
        out_weights[k] = (float)(w[k] / sum);
    return sn_ok();
}

static SnResult find_set(const GltfSource *source, const Json *attributes, int vertex_count,
                         Followed *followed) {
    char joints[16], weights[16];
    GltfElements *j = &followed->joints[followed->sets], *w = &followed->weights[followed->sets];
    snprintf(joints, sizeof joints, "JOINTS_%d", followed->sets);
    snprintf(weights, sizeof weights, "WEIGHTS_%d", followed->sets);
    const Json *accessor = sn__source_item(source, SOURCE_ACCESSORS, attributes, joints);
    SnResult result = sn__source_numbers(source, accessor, "VEC4", true, "joints", j);
    accessor = sn__source_item(source, SOURCE_ACCESSORS, attributes, weights);
    if (result.code == SN_OK)
        result = sn__source_numbers(source, accessor, "VEC4", true, "weights", w);
    if (result.code == SN_OK &&
        (j->component == GLTF_FLOAT || j->count != vertex_count || w->count != vertex_count))
        result = sn_error(SN_ERROR_FORMAT,
                          "%s: a skinned mesh of %d vertices has %d joints and %d "
                          "weights",
                          source->path, vertex_count, j->count, w->count);
    ++followed->sets;
    return result;
}

static SnResult find_followed(const GltfSource *source, const Json *attributes, int vertex_count,
                              Followed *followed) {
    if (sn__json_member(&source->doc, attributes, "JOINTS_2"))
        return sn_error(SN_ERROR_FORMAT,
                        "%s: a vertex follows more than eight joints; export it with at most eight",
                        source->path);
    SnResult result = find_set(source, attributes, vertex_count, followed);
    if (result.code == SN_OK && sn__json_member(&source->doc, attributes, "JOINTS_1"))
        result = find_set(source, attributes, vertex_count, followed);
    return result;
}

static SnResult read_weights(GltfSkeleton *skeleton, const Json *attributes, const PartSkin *skin,
                             SnSkeletonMesh *mesh) {
    size_t count = SN_MESH_JOINTS * (size_t)mesh->vertex_count;
    int *joints = sn__arena_alloc(&skeleton->arena, count, sizeof *joints);
    float *weights = sn__arena_alloc(&skeleton->arena, count, sizeof *weights);
    if (joints == NULL || weights == NULL)
        return no_memory(skeleton);
    mesh->vertex_joints = joints;
    mesh->vertex_weights = weights;
    for (int i = 0; i < mesh->vertex_count && skin->rigid; ++i)
        weights[SN_MESH_JOINTS * i] = 1;
    if (skin->rigid)
        return sn_ok();
    Followed followed = {.sets = 0};
    SnResult result = find_followed(skeleton->source, attributes, mesh->vertex_count, &followed);
    for (int i = 0; i < mesh->vertex_count && result.code == SN_OK; ++i)
        result = read_vertex(skeleton, &followed, i, skin->joint_count, joints + SN_MESH_JOINTS * i,
                             weights + SN_MESH_JOINTS * i);
    return result;
}

static SnResult read_binds(GltfSkeleton *skeleton, const Json *json, int count, SnMap *out) {
    const GltfSource *source = skeleton->source;
    const Map nothing = map_identity();
    for (int i = 0; i < count; ++i)
        out[i] = map_narrow(&nothing);
    if (sn__json_member(&source->doc, json, "inverseBindMatrices") == NULL)
        return sn_ok();
    const Json *accessor = sn__source_item(source, SOURCE_ACCESSORS, json, "inverseBindMatrices");
    GltfElements matrices = {0};
    SnResult result =
        sn__source_numbers(source, accessor, "MAT4", false, "bind matrices", &matrices);
    if (result.code == SN_OK && matrices.count < count)
        result = sn_error(SN_ERROR_FORMAT, "%s: a skin of %d joints has %d bind matrices",
                          source->path, count, matrices.count);
    for (int i = 0; i < count && result.code == SN_OK; ++i)
        for (int c = 0; c < 4; ++c)
            for (int r = 0; r < 3; ++r)
                (&out[i].x.x)[3 * c + r] = (float)sn__element_number(&matrices, i, 4 * c + r);
    return result;
}

// The skin of a node, or the node itself.
static SnResult find_skin(GltfSkeleton *skeleton, int joint, PartSkin *out) {
    const GltfSource *source = skeleton->source;
    const Json *node = source->lists[SOURCE_NODES][skeleton->nodes[joint]];
    const Json *json = sn__source_item(source, SOURCE_SKINS, node, "skin");
    const Json *list = sn__json_member(&source->doc, json, "joints");
    if (sn__json_member(&source->doc, node, "skin") &&
        (list == NULL || list->kind != JSON_ARRAY || list->count == 0))
        return sn_error(SN_ERROR_FORMAT,
                        "%s: node \"%.60s\" has a skin that does not exist or has "
                        "no joints",
                        source->path, skeleton->joints[joint].name);
    int count = list ? (int)list->count : 1;
    SnResult result = sn__gltf_afford(skeleton, (uint64_t)count);
    if (result.code != SN_OK)
        return result;
    int *joints = sn__arena_alloc(&skeleton->arena, (size_t)count, sizeof *joints);
    SnMap *binds = sn__arena_alloc(&skeleton->arena, (size_t)count, sizeof *binds);
    if (joints == NULL || binds == NULL)
        return no_memory(skeleton);
    *out = (PartSkin){count, joints, binds, list == NULL};
    joints[0] = joint;
    const Json *n = list ? sn__json_first(list) : NULL;
    for (int i = 0; n; ++i, n = sn__json_next(&source->doc, n)) {
        joints[i] = skeleton->joint_of[(int)n->number]; // gltf_tree.c has seen that it is a node
        if (joints[i] < 0)
            return sn_error(SN_ERROR_FORMAT, "%s: node %g, a joint of a skin, is not in the scene",
                            source->path, n->number);
    }
    return read_binds(skeleton, json, count, binds);
}

static void read_colour(const GltfSource *source, const Json *primitive, float out[3]) {
    double colour[4] = {0.5, 0.5, 0.5, 1};
    const Json *material = sn__source_item(source, SOURCE_MATERIALS, primitive, "material");
    const Json *parts = sn__json_member(&source->doc, material, "pbrMetallicRoughness");
    if (material && !sn__source_array(source, parts, "baseColorFactor", colour, 4))
        colour[0] = colour[1] = colour[2] = 1; // as glTF has it
    for (int c = 0; c < 3; ++c)
        out[c] = colour[c] >= 0 && colour[c] <= 1 ? (float)colour[c] : 1.0f;
}

static SnResult add_primitive(GltfSkeleton *skeleton, const Json *primitive, const PartSkin *skin,
                              int joint, const char *name) {
    const GltfSource *source = skeleton->source;
    int64_t mode = sn__source_int(source, primitive, "mode", 4);
    if (mode < 4 || mode > 6) // points and lines
        return sn_ok();
    const Json *attributes = sn__json_member(&source->doc, primitive, "attributes");
    const Json *accessor = sn__source_item(source, SOURCE_ACCESSORS, attributes, "POSITION");
    GltfElements positions = {0};
    SnSkeletonMesh mesh = {.name = name,
                           .image = -1,
                           .joint_count = skin->joint_count,
                           .joints = skin->joints,
                           .binds = skin->binds};
    SnResult result = sn__source_numbers(source, accessor, "VEC3", false, "positions", &positions);
    if (result.code == SN_OK)
        result = read_positions(skeleton, &positions, &mesh);
    if (result.code == SN_OK)
        result = read_triangles(skeleton, primitive, mode, &mesh);
    if (result.code != SN_OK || mesh.triangle_count == 0)
        return result;
    result = read_normals(skeleton, attributes, &mesh);
    if (result.code == SN_OK)
        result = read_weights(skeleton, attributes, skin, &mesh);
    read_colour(source, primitive, mesh.colour);
    if (result.code == SN_OK)
        result = sn__gltf_read_paint(skeleton, primitive, &mesh);
    if (result.code == SN_OK) {
        skeleton->primitives[skeleton->mesh_count] = primitive;
        skeleton->shown_by[skeleton->mesh_count] = joint;
        skeleton->meshes[skeleton->mesh_count++] = mesh;
    }
    if (result.code == SN_OK && skeleton->wants_paints)
        result = sn__gltf_read_paints(skeleton, primitive, joint);
    return result;
}

static const Json *primitives_of(const GltfSkeleton *skeleton, int joint, const Json **out_mesh) {
    const GltfSource *source = skeleton->source;
    const Json *node = source->lists[SOURCE_NODES][skeleton->nodes[joint]];
    *out_mesh = sn__source_item(source, SOURCE_MESHES, node, "mesh");
    return *out_mesh ? sn__source_first(source, *out_mesh, "primitives") : NULL;
}

SnResult sn__gltf_read_parts(GltfSkeleton *skeleton) {
    const JsonDoc *doc = &skeleton->source->doc;
    const Json *mesh;
    size_t most = 0;
    for (int i = 0; i < skeleton->joint_count; ++i)
        for (const Json *p = primitives_of(skeleton, i, &mesh); p; p = sn__json_next(doc, p))
            ++most;
    skeleton->meshes = sn__arena_alloc(&skeleton->arena, most, sizeof *skeleton->meshes);
    skeleton->paints = sn__arena_alloc(&skeleton->arena, most, sizeof *skeleton->paints);
    skeleton->primitives = sn__arena_alloc(&skeleton->arena, most, sizeof *skeleton->primitives);
    skeleton->shown_by = sn__arena_alloc(&skeleton->arena, most, sizeof *skeleton->shown_by);
    bool good = skeleton->meshes && skeleton->paints && skeleton->primitives && skeleton->shown_by;
    SnResult result = good ? sn_ok() : no_memory(skeleton);
    int64_t vertices = 0, triangles = 0;
    for (int i = 0; i < skeleton->joint_count && result.code == SN_OK; ++i) {
        const Json *p = primitives_of(skeleton, i, &mesh);
        PartSkin skin = {0};
        if (p)
            result = find_skin(skeleton, i, &skin);
        const char *name = sn__source_name(skeleton->source, mesh);
        for (; p && result.code == SN_OK; p = sn__json_next(doc, p)) {
            int before = skeleton->mesh_count;
            result = add_primitive(skeleton, p, &skin, i, name);
            if (skeleton->mesh_count > before) {
                vertices += skeleton->meshes[before].vertex_count;
                triangles += skeleton->meshes[before].triangle_count;
            }
            if (vertices > MESH_LIMIT || triangles > MESH_LIMIT)
                return sn_error(SN_ERROR_LIMIT, "%s: more than %d vertices or triangles",
                                skeleton->source->path, MESH_LIMIT);
        }
    }
    return result;
}
