#include "app/torn.h"

#include "io/scene_data.h"
#include "view/vec.h"

#include <stdlib.h>
#include <string.h>

#define GAP 0.02f // between a segment and the vertex it broke off, over its length

static SnVec3 vertex_of(const SnPoses *poses, int rod, int vertex) {
    return view_load(poses->positions + 3 * (size_t)(poses->point_begin[rod] + vertex));
}

// Where a segment begins, by its own frame, its end and its length.
static SnVec3 begin_of(const SnPoses *poses, int rod, int segment, float length) {
    size_t at = (size_t)(poses->element_begin[rod] + segment);
    const float *q = poses->frames + 4 * at;
    SnVec3 axis = sn_quat_rotate((SnQuat){q[0], q[1], q[2], q[3]}, sn_vec3(0.0f, 0.0f, 1.0f));
    return sn_vec3_add_scaled(vertex_of(poses, rod, poses->edges[2 * at + 1]), axis, -length);
}

static void find_in_rod(const SceneRod *entry, const SnPoses *poses, int rod, Torn *torn) {
    for (int j = 0; j < entry->segment_count; ++j) {
        size_t at = (size_t)(poses->element_begin[rod] + j);
        int a = poses->edges[2 * at], b = poses->edges[2 * at + 1];
        float length = sn_vec3_length(sn_vec3_sub(entry->positions[b], entry->positions[a]));
        SnVec3 begin = begin_of(poses, rod, j, length);
        if (sn_vec3_length(sn_vec3_sub(begin, vertex_of(poses, rod, a))) > GAP * length) {
            torn->lengths[at] = length;
            ++torn->count;
        }
    }
}

static SnResult make_room(const SnScene *scene, const SnPoses *poses, Torn *torn) {
    size_t segments = (size_t)poses->element_count;
    if (segments >= torn->capacity) {
        free(torn->lengths);
        torn->lengths = calloc(segments + 1, sizeof *torn->lengths);
        torn->capacity = torn->lengths ? segments + 1 : 0;
    }
    if (torn->triangles == NULL) {
        torn->skin_count = sn_scene_skin_count(scene);
        torn->triangles = calloc((size_t)torn->skin_count + 1, sizeof *torn->triangles);
    }
    if (torn->lengths == NULL || torn->triangles == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for %zu segments", segments);
    if (torn->count > 0)
        memset(torn->lengths, 0, segments * sizeof *torn->lengths);
    torn->count = 0;
    return sn_ok();
}

SnResult torn_find(const SnScene *scene, const SnPoses *poses, Torn *torn) {
    SnResult result = make_room(scene, poses, torn);
    for (int e = 0; e < scene->rod_entry_count && result.code == SN_OK; ++e) {
        const SceneRod *entry = &scene->rods[e];
        const SceneMaterial *material = &scene->materials[entry->material];
        bool breaks = entry->stiff && (material->values.strength > 0.0f || material->animated);
        for (int copy = 0; copy < entry->copy_count && breaks; ++copy)
            find_in_rod(entry, poses, entry->first_rod + copy, torn);
    }
    return result;
}

void torn_release(Torn *torn) {
    for (int i = 0; i < torn->skin_count && torn->triangles; ++i)
        free(torn->triangles[i]);
    free(torn->triangles);
    free(torn->lengths);
    *torn = (Torn){0};
}

// Whether a triangle reaches from one end of a torn segment to the other. Segment k of a tree leads
// to its vertex k + 1, and bones are vertices.
static bool is_drawn_out(const SnTreeSkin *skin, const int *edges, const float *lengths,
                         const uint32_t *triangle) {
    int bones[6], count = 0;
    for (int k = 0; k < 3; ++k) {
        size_t at = SN_SKIN_BONES * (size_t)triangle[k];
        bones[count++] = skin->bones[at];
        if (skin->weights[at + 1] > 0.0f)
            bones[count++] = skin->bones[at + 1];
    }
    for (int i = 0; i < count; ++i) {
        if (bones[i] == 0 || !(lengths[bones[i] - 1] > 0.0f))
            continue;
        for (int k = 0; k < count; ++k)
            if (bones[k] == edges[2 * (bones[i] - 1)])
                return true;
    }
    return false;
}

SnResult torn_cut_bark(Torn *torn, const SnScene *scene, const SnPoses *poses, int skin,
                       ViewMesh *mesh) {
    const SceneSkinEntry *entry = &scene->skins[scene->skin_entries[skin]];
    int rod = scene->rods[entry->rods[0]].first_rod + skin - entry->first;
    size_t size = 3 * (size_t)mesh->triangle_count * sizeof(uint32_t);
    if (torn->triangles[skin] == NULL)
        torn->triangles[skin] = malloc(size);
    if (torn->triangles[skin] == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for %d triangles",
                        mesh->triangle_count);
    size_t first = (size_t)poses->element_begin[rod];
    uint32_t *to = torn->triangles[skin];
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)i;
        if (!is_drawn_out(&entry->tree_skin, poses->edges + 2 * first, torn->lengths + first, t)) {
            memcpy(to, t, 3 * sizeof *to);
            to += 3;
        }
    }
    mesh->triangles = torn->triangles[skin];
    mesh->triangle_count = (int)((to - torn->triangles[skin]) / 3);
    return sn_ok();
}

int torn_pills(const Torn *torn, const SnScene *scene, const SnPoses *poses, int rod,
               ViewSolid *out_pills) {
    const SceneRod *entry = &scene->rods[scene->rod_entries[rod]];
    int count = 0;
    for (int j = 0; j < entry->segment_count; ++j) {
        float length = torn->lengths[poses->element_begin[rod] + j];
        bool leaf = entry->segments[j].young > 0.0f; // its own, not the wood's
        if (!(length > 0.0f) || leaf)
            continue;
        int near = entry->edges[2 * j], far = entry->edges[2 * j + 1];
        float thin = entry->radii[far];
        ViewSolid pill = {.kind = VIEW_SOLID_PILL, .pose = sn_pose_identity()};
        pill.a = begin_of(poses, rod, j, length);
        pill.b = vertex_of(poses, rod, far);
        pill.radius_a = fmaxf(2.0f * entry->segments[j].radius_x - thin, thin);
        pill.radius_b = thin;
        out_pills[count++] = pill;
        if (near == j) { // it went on where the stem now ends
            pill.a = pill.b = vertex_of(poses, rod, near);
            pill.radius_a = pill.radius_b = entry->radii[near];
            out_pills[count++] = pill;
        }
    }
    return count;
}
