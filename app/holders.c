#include "app/holders.h"

#include "view/vec.h"

#include <stdlib.h>

#define COLLAR 1.15f // radius of a holder over that of the rod

// Per frame: the one body that it holds, or one of these.
enum { HOLDS_NONE = -1, HOLDS_SEVERAL = -2 };

static bool is_held_by_frame(const SnSceneAttachment *attachment) {
    return attachment->kind == SN_ATTACH_VERTEX && attachment->frame >= 0;
}

static void find_held_bodies(const SnScene *scene, int *held) {
    for (int frame = 0; frame < sn_scene_frame_count(scene); ++frame)
        held[frame] = HOLDS_NONE;
    for (int body = 0; body < sn_scene_body_count(scene); ++body) {
        int count = sn_scene_body(scene, body).attachment_count;
        for (int i = 0; i < count; ++i) {
            SnSceneAttachment attachment = sn_scene_attachment(scene, body, i);
            if (!is_held_by_frame(&attachment))
                continue;
            int *of_frame = &held[attachment.frame];
            bool alone = *of_frame == HOLDS_NONE || *of_frame == body;
            *of_frame = alone ? body : HOLDS_SEVERAL;
        }
    }
}

// A frame that holds one rod is shown as a collar around it. One that holds several is a body of
// its own, a bar or a crown, which the scene draws as it likes.
static void list_holders(const SnScene *scene, const int *held, Holders *holders) {
    for (int number = 0; number < sn_scene_body_count(scene); ++number) {
        SnSceneBody body = sn_scene_body(scene, number);
        for (int i = 0; i < body.attachment_count; ++i) {
            SnSceneAttachment attachment = sn_scene_attachment(scene, number, i);
            if (!is_held_by_frame(&attachment) || held[attachment.frame] != number)
                continue;
            float radius = body.radii[attachment.index];
            holders->list[holders->count++] = (Holder){number, attachment.index, COLLAR * radius};
        }
    }
}

SnResult holders_find(const SnScene *scene, Holders *out_holders) {
    *out_holders = (Holders){0};
    size_t most = 1;
    for (int i = 0; i < sn_scene_body_count(scene); ++i)
        most += (size_t)sn_scene_body(scene, i).attachment_count;
    out_holders->list = calloc(most, sizeof *out_holders->list);
    out_holders->pegs = calloc(most, sizeof *out_holders->pegs);
    int *held = calloc((size_t)sn_scene_frame_count(scene) + 1, sizeof *held);
    SnResult result = sn_error(SN_ERROR_MEMORY, "picture: no memory for %zu holders", most);
    if (out_holders->list && out_holders->pegs && held) {
        find_held_bodies(scene, held);
        list_holders(scene, held, out_holders);
        result = sn_ok();
    }
    free(held);
    return result;
}

static SnVec3 vertex_of(const SnPoses *poses, int rod, int vertex) {
    const float *p = poses->positions + 3 * (size_t)(poses->point_begin[rod] + vertex);
    return sn_vec3(p[0], p[1], p[2]);
}

// The neighbours of a vertex along its rod; `count` of them, of which two have a place here.
typedef struct Neighbours {
    int before, after, count;
} Neighbours;

static Neighbours neighbours_of(const SnPoses *poses, int rod, int vertex) {
    int vertices = poses->point_begin[rod + 1] - poses->point_begin[rod];
    Neighbours found = {vertex, vertex, 0};
    for (int i = poses->element_begin[rod]; i < poses->element_begin[rod + 1]; ++i) {
        int chain = i - poses->element_begin[rod];
        int a = poses->edges ? poses->edges[2 * (size_t)i] : chain;
        int b = poses->edges ? poses->edges[2 * (size_t)i + 1] : (chain + 1) % vertices;
        found.before = b == vertex ? a : found.before;
        found.after = a == vertex ? b : found.after;
        found.count += a == vertex || b == vertex;
    }
    return found;
}

// A cap over the end of a rod, a band around its middle, or a ball where it branches.
static ViewPeg peg_of(const Holder *holder, const SnPoses *poses) {
    Neighbours near = neighbours_of(poses, holder->rod, holder->vertex);
    ViewPeg peg = {.radius = holder->radius, .look = {{0.20f, 0.21f, 0.24f}, 0, 0, 0.0f}};
    SnVec3 at = vertex_of(poses, holder->rod, holder->vertex);
    SnVec3 before = vertex_of(poses, holder->rod, near.before);
    SnVec3 after = vertex_of(poses, holder->rod, near.after);
    SnVec3 tangent = sn_vec3_normalise(sn_vec3_sub(after, before), sn_vec3(0.0f, 0.0f, 0.0f));
    bool first = near.before == holder->vertex, last = near.after == holder->vertex;
    float back = near.count > 2 ? 0.0f : first ? 1.0f : last ? 0.3f : 0.5f;
    float front = near.count > 2 ? 0.0f : last ? 1.0f : first ? 0.3f : 0.5f;
    peg.a = sn_vec3_add_scaled(at, tangent, -holder->radius * back);
    peg.b = sn_vec3_add_scaled(at, tangent, holder->radius * front);
    return peg;
}

void holders_place(Holders *holders, const SnPoses *poses) {
    for (int i = 0; i < holders->count; ++i)
        holders->pegs[i] = peg_of(&holders->list[i], poses);
}

void holders_release(Holders *holders) {
    free(holders->list);
    free(holders->pegs);
    *holders = (Holders){0};
}
