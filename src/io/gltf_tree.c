// The nodes of a glTF file's scene as joints.
#include "io/gltf_skeleton.h"

#include "math/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The cosine between two axes of a matrix that is taken as a rotation and a scale.
#define MOST_SHEAR 0.01

static SnResult no_memory(const GltfSkeleton *skeleton) {
    return sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", skeleton->source->path);
}

// A matrix as translation, rotation and scale, which glTF asks for. One that mirrors has a negative
// scale along x; where an axis has no length, nothing is known of the rotation.
static bool split_matrix(const double m[16], SnTransform *out) {
    Vec3d c[3];
    double length[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = (Vec3d){m[4 * k], m[4 * k + 1], m[4 * k + 2]};
        length[k] = lengthd(c[k]);
    }
    bool whole = length[0] > 0 && length[1] > 0 && length[2] > 0;
    for (int k = 0; k < 3 && whole; ++k)
        c[k] = scaled(c[k], 1 / length[k]);
    if (whole && (fabs(dotd(c[0], c[1])) > MOST_SHEAR || fabs(dotd(c[1], c[2])) > MOST_SHEAR ||
                  fabs(dotd(c[2], c[0])) > MOST_SHEAR))
        return false;
    double sign = dotd(crossd(c[0], c[1]), c[2]) < 0 ? -1 : 1;
    const SnMap turn = {vec3f(scaled(c[0], sign)), vec3f(c[1]), vec3f(c[2]), {0, 0, 0}};
    out->translation = sn_vec3((float)m[12], (float)m[13], (float)m[14]);
    out->rotation = whole ? sn_map_pose(&turn).rotation : sn_quat_identity();
    out->scale = sn_vec3((float)(sign * length[0]), (float)length[1], (float)length[2]);
    return true;
}

static SnResult read_transform(const GltfSource *source, int number, SnTransform *out) {
    const Json *node = source->lists[SOURCE_NODES][number];
    double m[16], t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (sn__source_array(source, node, "matrix", m, 16)) {
        if (!split_matrix(m, out))
            return sn_error(SN_ERROR_FORMAT,
                            "%s: node %d: its matrix shears; glTF allows rotations and scales",
                            source->path, number);
        return sn_ok();
    }
    sn__source_array(source, node, "translation", t, 3);
    sn__source_array(source, node, "rotation", r, 4);
    sn__source_array(source, node, "scale", s, 3);
    *out = (SnTransform){{(float)t[0], (float)t[1], (float)t[2]},
                         {(float)r[0], (float)r[1], (float)r[2], (float)r[3]},
                         {(float)s[0], (float)s[1], (float)s[2]}};
    return sn_ok();
}

// A node has one parent: one that is met again is a loop or no tree.
static SnResult push(GltfSkeleton *skeleton, const Json *number, int parent, int *stack,
                     int *depth) {
    const GltfSource *source = skeleton->source;
    double n = number->kind == JSON_NUMBER ? number->number : -1;
    bool there = n >= 0 && n < source->counts[SOURCE_NODES] && n == (double)(int)n;
    if (!there || skeleton->joint_of[(int)n] != -1)
        return sn_error(SN_ERROR_FORMAT, "%s: its nodes are not a tree: node %g %s", source->path,
                        n, there ? "is met twice" : "does not exist");
    skeleton->joint_of[(int)n] = -3 - parent; // until it is numbered: its parent
    stack[(*depth)++] = (int)n;
    return sn_ok();
}

static const char *joint_name(GltfSkeleton *skeleton, int node) {
    const char *name =
        sn__source_name(skeleton->source, skeleton->source->lists[SOURCE_NODES][node]);
    if (name[0])
        return name;
    char text[32];
    int length = snprintf(text, sizeof text, "node %d", node);
    return sn__arena_text(&skeleton->arena, text, (size_t)length);
}

static SnResult add_joint(GltfSkeleton *skeleton, int node) {
    int joint = skeleton->joint_count++;
    SnJointDef *def = &skeleton->joints[joint];
    def->parent = -3 - skeleton->joint_of[node];
    def->name = joint_name(skeleton, node);
    if (def->name == NULL)
        return no_memory(skeleton);
    skeleton->joint_of[node] = joint;
    skeleton->nodes[joint] = node;
    return read_transform(skeleton->source, node, &def->rest);
}

// The children of a node, or the roots of the scene; on the stack they are turned round, so that the
// first of them is visited first.
static SnResult push_all(GltfSkeleton *skeleton, const Json *first, int parent, int *stack,
                         int *depth) {
    SnResult result = sn_ok();
    int begin = *depth;
    for (const Json *n = first; n && result.code == SN_OK;
         n = sn__json_next(&skeleton->source->doc, n))
        result = push(skeleton, n, parent, stack, depth);
    for (int a = begin, b = *depth - 1; a < b; ++a, --b) {
        int other = stack[a];
        stack[a] = stack[b];
        stack[b] = other;
    }
    return result;
}

static SnResult walk_scene(GltfSkeleton *skeleton, int *stack) {
    const GltfSource *source = skeleton->source;
    const Json *root = sn__json_root(&source->doc);
    const Json *scene = sn__source_item(source, SOURCE_SCENES, root, "scene");
    if (scene == NULL && source->counts[SOURCE_SCENES] > 0)
        scene = source->lists[SOURCE_SCENES][0];
    int depth = 0;
    const Json *first = scene ? sn__source_first(source, scene, "nodes") : NULL;
    SnResult result = push_all(skeleton, first, -1, stack, &depth);
    while (depth > 0 && result.code == SN_OK) {
        int node = stack[--depth];
        result = add_joint(skeleton, node);
        const Json *child = sn__source_first(source, source->lists[SOURCE_NODES][node], "children");
        if (result.code == SN_OK)
            result = push_all(skeleton, child, skeleton->joint_of[node], stack, &depth);
    }
    return result;
}

// Joints of skins are ends of bones; without a skin all nodes are.
static SnResult mark_bones(GltfSkeleton *skeleton) {
    const GltfSource *source = skeleton->source;
    int skins = source->counts[SOURCE_SKINS];
    for (int i = 0; i < skeleton->joint_count && skins == 0; ++i)
        skeleton->joints[i].bone = true;
    for (int s = 0; s < skins; ++s) {
        const Json *n = sn__source_first(source, source->lists[SOURCE_SKINS][s], "joints");
        for (; n; n = sn__json_next(&source->doc, n)) {
            double number = n->kind == JSON_NUMBER ? n->number : -1;
            if (!(number >= 0 && number < source->counts[SOURCE_NODES]))
                return sn_error(SN_ERROR_FORMAT, "%s: skin %d: a joint is no node", source->path,
                                s);
            int joint = skeleton->joint_of[(int)number];
            if (joint >= 0) // else it may be that of another scene
                skeleton->joints[joint].bone = true;
        }
    }
    return sn_ok();
}

typedef struct NamedJoint {
    const char *name;
    bool bone;
    int joint;
} NamedJoint;

// By name, ends of bones first.
static int compare_names(const void *a, const void *b) {
    const NamedJoint *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    if (order == 0 && left->bone != right->bone)
        return left->bone ? -1 : 1;
    return order != 0 ? order : left->joint - right->joint;
}

// Nodes may share a name, most often a bone and the mesh that hangs on it: the bone keeps it, and the
// others are numbered, "hand 2".
static SnResult part_names(GltfSkeleton *skeleton) {
    int count = skeleton->joint_count, alike = 1;
    NamedJoint *order = malloc(((size_t)count + 1) * sizeof *order);
    SnResult result = order ? sn_ok() : no_memory(skeleton);
    for (int i = 0; i < count && order; ++i)
        order[i] = (NamedJoint){skeleton->joints[i].name, skeleton->joints[i].bone, i};
    if (order)
        qsort(order, (size_t)count, sizeof *order, compare_names);
    for (int i = 1; i < count && result.code == SN_OK; ++i) {
        alike = strcmp(order[i].name, order[i - 1].name) == 0 ? alike + 1 : 1;
        if (alike == 1)
            continue;
        char text[256];
        int length = snprintf(text, sizeof text, "%.200s %d", order[i].name, alike);
        char *name = sn__arena_text(&skeleton->arena, text, (size_t)length);
        skeleton->joints[order[i].joint].name = name;
        result = name ? result : no_memory(skeleton);
    }
    free(order);
    return result;
}

SnResult sn__gltf_read_joints(GltfSkeleton *skeleton) {
    size_t count = (size_t)skeleton->source->counts[SOURCE_NODES];
    skeleton->joint_of = sn__arena_alloc(&skeleton->arena, count, sizeof *skeleton->joint_of);
    skeleton->nodes = sn__arena_alloc(&skeleton->arena, count, sizeof *skeleton->nodes);
    skeleton->joints = sn__arena_alloc(&skeleton->arena, count, sizeof *skeleton->joints);
    int *stack = malloc((count + 1) * sizeof *stack);
    if (skeleton->joint_of == NULL || skeleton->nodes == NULL || skeleton->joints == NULL ||
        stack == NULL) {
        free(stack);
        return no_memory(skeleton);
    }
    for (size_t i = 0; i < count; ++i)
        skeleton->joint_of[i] = -1;
    SnResult result = walk_scene(skeleton, stack);
    free(stack);
    if (result.code == SN_OK)
        result = mark_bones(skeleton);
    return result.code == SN_OK ? part_names(skeleton) : result;
}
