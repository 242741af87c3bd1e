// Poses between two steps. It knows what anybody knows who asks for the poses of a world.
#include "sinew/interpolate.h"

#include <string.h>

#include "base/memory.h"
#include "base/null.h"
#include "math/vec.h"

// The arrays of one SnPoses in one block, in the order of their alignment.
typedef struct Copy {
    void *block;
    size_t size;
    SnPoses poses;
} Copy;

struct SnInterpolator {
    SnAllocator allocator;
    Copy older, newest, between;
    int pushed; // 2 at most
};

SnResult sn_interpolator_create(const SnAllocator *allocator, SnInterpolator **out_interpolator) {
    if (out_interpolator == NULL)
        return sn__null("interpolator: out_interpolator");
    if (allocator && (allocator->allocate == NULL) != (allocator->release == NULL))
        return sn_error(SN_ERROR_INVALID,
                        "interpolator: allocator has only one of its two functions");
    SnAllocator a = allocator && allocator->allocate ? *allocator : sn__default_allocator();
    SnInterpolator *made = sn__alloc(&a, sizeof *made);
    if (made == NULL)
        return sn_error(SN_ERROR_MEMORY, "interpolator: no memory");
    made->allocator = a;
    *out_interpolator = made;
    return sn_ok();
}

void sn_interpolator_destroy(SnInterpolator *interpolator) {
    if (interpolator == NULL)
        return;
    SnAllocator a = interpolator->allocator;
    Copy *copies[3] = {&interpolator->older, &interpolator->newest, &interpolator->between};
    for (int k = 0; k < 3; ++k)
        sn__free(&a, copies[k]->block, copies[k]->size);
    sn__free(&a, interpolator, sizeof *interpolator);
}

// One array of SnPoses: where its address is, and how many bytes it has.
typedef struct Part {
    size_t offset, size;
} Part;

#define PARTS 14

static void list_parts(const SnPoses *p, Part out[PARTS]) {
    size_t bodies = (size_t)p->body_count, points = (size_t)p->point_count;
    size_t elements = (size_t)p->element_count, led = (size_t)p->led_count;
#define PART(name, count)                                                                          \
    { offsetof(SnPoses, name), (count) * sizeof *p->name }
    const Part parts[PARTS] = {PART(bodies, bodies),
                               PART(kinds, bodies),
                               PART(point_begin, bodies + 1),
                               PART(element_begin, bodies + 1),
                               PART(positions, 3 * points),
                               PART(rotations, 4 * points),
                               PART(radii, points),
                               PART(scales, points),
                               PART(shapes, 3 * elements),
                               PART(frames, 4 * elements),
                               PART(edges, 2 * elements),
                               PART(torn, (size_t)p->torn_count),
                               PART(led, led),
                               PART(led_poses, led)};
#undef PART
    memcpy(out, parts, sizeof parts);
}

static size_t padded(size_t size) { return (size + 15) & ~(size_t)15; }

static bool copy_poses(const SnAllocator *a, Copy *to, const SnPoses *from) {
    Part parts[PARTS];
    list_parts(from, parts);
    size_t size = 0;
    for (int k = 0; k < PARTS; ++k)
        size += padded(parts[k].size);
    if (size > to->size) {
        size_t grown = size + size / 4;
        void *block = sn__alloc(a, grown);
        if (block == NULL)
            return false;
        sn__free(a, to->block, to->size);
        to->block = block;
        to->size = grown;
    }
    to->poses = *from;
    char *at = to->block;
    for (int k = 0; k < PARTS; ++k) {
        const void *source;
        memcpy(&source, (const char *)from + parts[k].offset, sizeof source);
        if (parts[k].size > 0)
            memcpy(at, source, parts[k].size);
        memcpy((char *)&to->poses + parts[k].offset, &at, sizeof at);
        at += padded(parts[k].size);
    }
    return true;
}

SnResult sn_interpolator_push(SnInterpolator *interpolator, SnWorld *world) {
    if (interpolator == NULL)
        return sn__null("interpolator");
    SnPoses poses;
    SnResult result = sn_world_poses(world, &poses);
    if (result.code != SN_OK)
        return result;
    // Into what is no longer needed: a failure leaves both as they were.
    Copy *spare = &interpolator->older;
    if (!copy_poses(&interpolator->allocator, spare, &poses))
        return sn_error(SN_ERROR_MEMORY, "interpolator: no memory for %d points",
                        poses.point_count);
    Copy newest = *spare;
    interpolator->older = interpolator->newest;
    interpolator->newest = newest;
    interpolator->pushed = interpolator->pushed < 2 ? interpolator->pushed + 1 : 2;
    return result;
}

static void blend(float *out, const float *from, const float *to, int count, float part) {
    for (int i = 0; i < count; ++i)
        out[i] = from[i] + part * (to[i] - from[i]);
}

static void blend_turns(float *out, const float *from, const float *to, int count, float part) {
    for (int i = 0; i < 4 * count; i += 4) {
        float dot = 0.0f, sum = 0.0f;
        for (int c = 0; c < 4; ++c)
            dot += from[i + c] * to[i + c];
        for (int c = 0; c < 4; ++c) {
            out[i + c] =
                (1.0f - part) * (dot < 0.0f ? -from[i + c] : from[i + c]) + part * to[i + c];
            sum += out[i + c] * out[i + c];
        }
        float by = sum > 0.0f ? 1.0f / sqrtf(sum) : 0.0f;
        for (int c = 0; c < 4; ++c)
            out[i + c] = by > 0.0f ? out[i + c] * by : to[i + c];
    }
}

static int count_of(const int *begin, int body) { return begin[body + 1] - begin[body]; }

// Body i of the newest poses is body j of the older ones.
static void blend_body(Copy *out, const SnPoses *old, const SnPoses *now, int i, int j,
                       float part) {
    SnPoses *p = &out->poses;
    int points = count_of(now->point_begin, i), elements = count_of(now->element_begin, i);
    if (points != count_of(old->point_begin, j) || elements != count_of(old->element_begin, j))
        return;
    size_t to = (size_t)now->point_begin[i], from = (size_t)old->point_begin[j];
    blend((float *)p->positions + 3 * to, old->positions + 3 * from, now->positions + 3 * to,
          3 * points, part);
    blend_turns((float *)p->rotations + 4 * to, old->rotations + 4 * from, now->rotations + 4 * to,
                points, part);
    blend((float *)p->radii + to, old->radii + from, now->radii + to, points, part);
    blend((float *)p->scales + to, old->scales + from, now->scales + to, points, part);
    to = (size_t)now->element_begin[i];
    from = (size_t)old->element_begin[j];
    blend((float *)p->shapes + 3 * to, old->shapes + 3 * from, now->shapes + 3 * to, 3 * elements,
          part);
    blend_turns((float *)p->frames + 4 * to, old->frames + 4 * from, now->frames + 4 * to, elements,
                part);
}

static void blend_led(Copy *out, const SnPoses *old, const SnPoses *now, float part) {
    SnPose *poses = (SnPose *)out->poses.led_poses;
    for (int i = 0, j = 0; i < now->led_count; ++i) {
        while (j < old->led_count && old->led[j].index < now->led[i].index)
            ++j;
        if (j == old->led_count || memcmp(&old->led[j], &now->led[i], sizeof *now->led) != 0)
            continue;
        const SnPose *a = &old->led_poses[j], *b = &now->led_poses[i];
        blend(&poses[i].position.x, &a->position.x, &b->position.x, 3, part);
        blend_turns(&poses[i].rotation.x, &a->rotation.x, &b->rotation.x, 1, part);
    }
}

// Bodies stay in the order of creation, whatever comes and goes: one walk over both finds who is who.
static void blend_bodies(Copy *out, const SnPoses *old, const SnPoses *now, float part) {
    for (int i = 0, j = 0; i < now->body_count && j < old->body_count; ++i) {
        int k = j;
        while (k < old->body_count &&
               memcmp(&old->bodies[k], &now->bodies[i], sizeof *now->bodies) != 0)
            ++k;
        if (k == old->body_count)
            return; // it is new, and so are all behind it
        blend_body(out, old, now, i, k, part);
        j = k + 1;
    }
}

SnResult sn_interpolator_poses(SnInterpolator *interpolator, float part, SnPoses *out_poses) {
    if (interpolator == NULL || out_poses == NULL)
        return sn__null(interpolator ? "interpolator: out_poses" : "interpolator");
    if (interpolator->pushed == 0)
        return sn_error(SN_ERROR_INVALID,
                        "interpolator: there are no poses yet; sn_interpolator_push takes some");
    Copy *between = &interpolator->between;
    if (!copy_poses(&interpolator->allocator, between, &interpolator->newest.poses))
        return sn_error(SN_ERROR_MEMORY, "interpolator: no memory");
    part = part > 0.0f ? (part < 1.0f ? part : 1.0f) : 0.0f;
    if (interpolator->pushed == 2) {
        blend_bodies(between, &interpolator->older.poses, &interpolator->newest.poses, part);
        blend_led(between, &interpolator->older.poses, &interpolator->newest.poses, part);
    }
    *out_poses = between->poses;
    return sn_ok();
}
