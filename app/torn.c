#include "app/torn.h"

#include "view/rods.h"
#include "view/vec.h"

#include <stdlib.h>
#include <string.h>

SnResult torn_begin(Torn *torn, const Moment *moment) {
    if (moment->rods.torn_count == 0 || torn->triangles)
        return sn_ok();
    torn->skin_count = moment->skins.skin_count;
    torn->triangles = calloc((size_t)torn->skin_count + 1, sizeof *torn->triangles);
    if (torn->triangles == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for %d skins", torn->skin_count);
    return sn_ok();
}

void torn_release(Torn *torn) {
    for (int i = 0; i < torn->skin_count && torn->triangles; ++i)
        free(torn->triangles[i]);
    free(torn->triangles);
    *torn = (Torn){0};
}

// Where the torn ends of a rod begin, and how many there are.
typedef struct TornRange {
    const SnTornEnd *ends;
    int count;
} TornRange;

static TornRange torn_of(const SnPoses *poses, int rod) {
    int first = view_first_torn(poses->torn, poses->torn_count, rod, 0);
    int end = view_first_torn(poses->torn, poses->torn_count, rod + 1, 0);
    return (TornRange){poses->torn + first, end - first};
}

static bool is_torn(const TornRange *torn, int rod, int segment) {
    int k = view_first_torn(torn->ends, torn->count, rod, segment);
    return k < torn->count && torn->ends[k].element == segment;
}

// Whether a triangle reaches from one end of a torn segment to the other. Segment k of a tree leads
// to its vertex k + 1, and bones are vertices.
static bool is_drawn_out(const SnSkinMesh *skin, const int *edges, const TornRange *torn, int rod,
                         const uint32_t *triangle) {
    int bones[3 * SN_SKIN_BONES], count = 0;
    for (int c = 0; c < 3; ++c) {
        size_t at = SN_SKIN_BONES * (size_t)triangle[c];
        for (size_t k = at; k < at + SN_SKIN_BONES; ++k)
            if (skin->weights[k] > 0.0f)
                bones[count++] = skin->bones[k];
    }
    for (int i = 0; i < count; ++i) {
        int segment = bones[i] - 1;
        if (segment < 0 || !is_torn(torn, rod, segment))
            continue;
        for (int k = 0; k < count; ++k)
            if (bones[k] == edges[2 * (size_t)segment])
                return true;
    }
    return false;
}

SnResult torn_cut_bark(Torn *torn, const Moment *moment, int skin, ViewMesh *mesh) {
    const SnPoses *poses = &moment->rods;
    int rod = moment->skin_bodies[skin];
    TornRange ends = torn_of(poses, rod);
    if (ends.count == 0)
        return sn_ok();
    if (torn->triangles[skin] == NULL)
        torn->triangles[skin] = malloc(3 * (size_t)mesh->triangle_count * sizeof(uint32_t));
    if (torn->triangles[skin] == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for %d triangles",
                        mesh->triangle_count);
    const int *edges = poses->edges + 2 * (size_t)poses->element_begin[rod];
    uint32_t *to = torn->triangles[skin];
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)i;
        if (!is_drawn_out(&moment->skin_meshes[skin], edges, &ends, rod, t)) {
            memcpy(to, t, 3 * sizeof *to);
            to += 3;
        }
    }
    mesh->triangles = torn->triangles[skin];
    mesh->triangle_count = (int)((to - torn->triangles[skin]) / 3);
    return sn_ok();
}

// A segment from its torn end to its other one, which may be torn, too.
static ViewSolid pill_of(const SnPoses *poses, const SnTornEnd *torn, const SnTornEnd *other) {
    size_t segment = (size_t)(poses->element_begin[torn->body] + torn->element);
    size_t point =
        (size_t)(poses->point_begin[torn->body] + poses->edges[2 * segment + 1 - torn->end]);
    return (ViewSolid){.kind = VIEW_SOLID_PILL,
                       .pose = sn_pose_identity(),
                       .a = torn->position,
                       .b = other ? other->position : view_load(poses->positions + 3 * point),
                       .radius_a = torn->radius,
                       .radius_b = other ? other->radius : poses->radii[point]};
}

// A ball at a vertex.
static ViewSolid ball_of(const SnPoses *poses, int rod, int vertex) {
    size_t point = (size_t)(poses->point_begin[rod] + vertex);
    SnVec3 at = view_load(poses->positions + 3 * point);
    return (ViewSolid){.kind = VIEW_SOLID_PILL,
                       .pose = sn_pose_identity(),
                       .a = at,
                       .b = at,
                       .radius_a = poses->radii[point],
                       .radius_b = poses->radii[point]};
}

int torn_pills(const SnSceneBody *tree, const SnPoses *poses, int rod, ViewSolid *out_pills) {
    TornRange torn = torn_of(poses, rod);
    int count = 0;
    for (int k = 0; k < torn.count; ++k) {
        const SnTornEnd *end = &torn.ends[k], *other = NULL;
        if (k + 1 < torn.count && torn.ends[k + 1].element == end->element)
            other = &torn.ends[++k];
        bool leaf = tree->segments[end->element].young > 0.0f; // its own, not the wood's
        if (leaf)
            continue;
        out_pills[count++] = pill_of(poses, end, other);
        int near = tree->edges[2 * (size_t)end->element];
        if (near == end->element) // it went on where the stem now ends
            out_pills[count++] = ball_of(poses, rod, near);
    }
    return count;
}
