#include "body/bones.h"

#include <assert.h>
#include <string.h>

int sn__body_torn_count(const Body *body) {
    return body->kind->torn_count ? body->kind->torn_count(body) : 0;
}

void sn__body_torn(const Body *body, int number, SnTornEnd *out_ends) {
    int left = sn__body_torn_count(body);
    for (int j = 0; j < body->elements && left > 0; ++j)
        for (int end = 0; end < 2; ++end)
            if (body->kind->torn_end(body, j, end, out_ends)) {
                out_ends->body = number;
                ++out_ends;
                --left;
            }
    assert(left == 0);
}

static Vec3d read_points(const Body *body, const BodyBones *out) {
    Vec3d origin = body->kind->point(body, 0, NULL);
    for (int i = 0; i < body->points; ++i) {
        double radius;
        Vec3d x = body->kind->point(body, i, &radius);
        out->offsets[i] = vec3f(subd(x, origin));
        out->positions[i] = vec3f(x);
        out->radii[i] = (float)radius;
    }
    return origin;
}

static Quatd turn_of(const Body *body, const BodyBones *bones, int element) {
    assert(element >= 0 && element < body->elements);
    return mulqd(quatd(bones->frames[element]), conjugated(quatd(body->rest_frames[element])));
}

// Long elements count for more. A sphere is as long as nothing.
static double weight_of(const Body *body, const int edge[2]) {
    assert(edge[0] >= 0 && edge[0] < body->points && edge[1] >= 0 && edge[1] < body->points);
    double length =
        lengthd(subd(vec3d(body->rest_positions[edge[1]]), vec3d(body->rest_positions[edge[0]])));
    return length > 0.0 ? length : 1.0;
}

// q and −q are the same turn: it is taken on the side of those before.
static void add_turn(SnQuat *sum, Quatd turn, double weight) {
    Quatd s = quatd(*sum);
    double dot = s.x * turn.x + s.y * turn.y + s.z * turn.z + s.w * turn.w;
    double w = dot < 0.0 ? -weight : weight;
    *sum = quatf((Quatd){s.x + w * turn.x, s.y + w * turn.y, s.z + w * turn.z, s.w + w * turn.w});
}

static SnQuat mean_of(SnQuat sum) {
    Quatd q = quatd(sum);
    double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return square > 1e-30 ? quatf(normalisedq(q)) : sn_quat_identity();
}

// What broke off a point does not turn it any more.
static bool is_torn(const Body *body, int element, int end) {
    assert(body->kind->torn_end && element < body->elements);
    SnTornEnd torn;
    return body->kind->torn_end(body, element, end, &torn);
}

static void turn_with_all(const Body *body, const BodyBones *out, bool torn) {
    memset(out->rotations, 0, (size_t)body->points * sizeof *out->rotations);
    for (int j = 0; j < body->elements; ++j) {
        const int *edge = out->edges + 2 * j;
        Quatd turn = turn_of(body, out, j);
        double weight = weight_of(body, edge);
        for (int end = 0; end < 2; ++end)
            if (!torn || !is_torn(body, j, end))
                add_turn(&out->rotations[edge[end]], turn, weight);
    }
    for (int i = 0; i < body->points; ++i)
        out->rotations[i] = mean_of(out->rotations[i]);
}

static bool is_torn_from(const Body *body, const int edge[2], int element, int point) {
    return (edge[0] == point && is_torn(body, element, 0)) ||
           (edge[1] == point && is_torn(body, element, 1));
}

static void turn_with_some(const Body *body, const BodyBones *out, bool torn) {
    for (int i = 0; i < body->points; ++i) {
        const int *named = body->bone_elements + 2 * (size_t)i;
        SnQuat sum = {0.0f, 0.0f, 0.0f, 0.0f};
        for (int k = 0; k < 2 && named[k] >= 0; ++k) {
            const int *edge = out->edges + 2 * (size_t)named[k];
            if (!torn || !is_torn_from(body, edge, named[k], i))
                add_turn(&sum, turn_of(body, out, named[k]), weight_of(body, edge));
        }
        out->rotations[i] = mean_of(sum);
    }
}

Vec3d sn__body_bones(const Body *body, const BodyBones *out) {
    SnBodyState state = {.scales = out->scales, .frames = out->frames};
    body->kind->read(body, &state);
    Vec3d origin = read_points(body, out);
    for (int j = 0; j < body->elements; ++j) {
        body->kind->edge(body, j, out->edges + 2 * j);
        out->shapes[j] = body->kind->shape ? body->kind->shape(body, j) : (SnVec3){0};
    }
    bool torn = sn__body_torn_count(body) > 0;
    if (body->bone_elements)
        turn_with_some(body, out, torn);
    else
        turn_with_all(body, out, torn);
    if (body->kind->match_turns)
        body->kind->match_turns(body, out->offsets, out->rotations);
    return origin;
}
