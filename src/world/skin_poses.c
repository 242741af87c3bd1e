// All skins as they are now: the bones of their bodies, then the blended vertices.
#include <assert.h>
#include <string.h>

#include "base/null.h"
#include "world/skins.h"
#include "world/world.h"

// Vertices that are one piece of work.
#define CHUNK 512

// Where the arrays of one call lie in SkinSystem.memory.
typedef struct SkinArrays {
    SkinBone *bones; // of all skins, one after the other, as all here
    float *positions, *normals;
    SnSkinId *ids;
    SnVec3 *pivots;                               // of the skins: where their first bone is
    int *vertex_begin, *bone_begin, *chunk_begin; // skins + 1
} SkinArrays;

typedef struct SkinWork {
    SnWorld *world;
    SkinBlend *blend;
    SkinArrays to;
    int vertices, bones, chunks;
} SkinWork;

static size_t lay_out(const SkinWork *work, void *memory, SkinArrays *out) {
    Layout layout = {memory, 0};
    size_t skins = (size_t)work->world->skins.order_count, v = (size_t)work->vertices;
    size_t b = (size_t)work->bones;
    out->bones = sn__lay(&layout, b, sizeof(SkinBone));
    out->positions = sn__lay(&layout, v, 3 * sizeof(float));
    out->normals = sn__lay(&layout, v, 3 * sizeof(float));
    out->pivots = sn__lay(&layout, skins, sizeof(SnVec3));
    out->ids = sn__lay(&layout, skins, sizeof(SnSkinId));
    out->vertex_begin = sn__lay(&layout, skins + 1, sizeof(int));
    out->bone_begin = sn__lay(&layout, skins + 1, sizeof(int));
    out->chunk_begin = sn__lay(&layout, skins + 1, sizeof(int));
    return layout.used;
}

static const Skin *skin_at(const SnWorld *world, int i) {
    return &world->skins.skins[world->skins.order[i].index - 1];
}

static bool count_all(SkinWork *work) {
    int64_t vertices = 0, bones = 0;
    for (int i = 0; i < work->world->skins.order_count; ++i) {
        const SkinModel *m = skin_at(work->world, i)->model;
        vertices += m->vertex_count;
        bones += m->rest.bone_count;
    }
    work->vertices = (int)vertices;
    work->bones = (int)bones;
    return vertices <= INT32_MAX / 4 && bones <= INT32_MAX / 4;
}

static bool reserve(SkinWork *work) {
    SkinSystem *system = &work->world->skins;
    size_t size = lay_out(work, NULL, &work->to);
    if (size > system->memory_size) {
        size += size / 4;
        void *memory = sn__alloc(&work->world->allocator, size);
        if (memory == NULL)
            return false;
        sn__free(&work->world->allocator, system->memory, system->memory_size);
        system->memory = memory;
        system->memory_size = size;
    }
    lay_out(work, system->memory, &work->to);
    return true;
}

static void place_all(SkinWork *work) {
    SkinArrays *to = &work->to;
    int v = 0, b = 0, c = 0, count = work->world->skins.order_count;
    for (int i = 0; i <= count; ++i) {
        to->vertex_begin[i] = v;
        to->bone_begin[i] = b;
        to->chunk_begin[i] = c;
        if (i == count)
            break;
        const SkinModel *m = skin_at(work->world, i)->model;
        to->ids[i] = work->world->skins.order[i];
        v += m->vertex_count;
        b += m->rest.bone_count;
        c += (m->vertex_count + CHUNK - 1) / CHUNK;
    }
    work->chunks = c;
}

// The bones of body `number` of the poses, which rests at `rest`.
static void take_bones(const PoseSystem *from, int number, SnVec3 pivot, const SnVec3 *rest,
                       SkinBone *out) {
    const SnQuat *rotations = (const SnQuat *)from->poses.rotations;
    Vec3d shift = subd(from->origins[number], vec3d(pivot));
    int first = from->poses.point_begin[number], end = from->poses.point_begin[number + 1];
    for (int i = first; i < end; ++i)
        out[i - first] = sn__skin_bone(addd(shift, vec3d(from->offsets[i])), rotations[i],
                                       from->poses.scales[i], rest[i - first]);
}

// The bone of frame k, which has turned since the skin was made.
static SkinBone take_frame(const SnWorld *world, const Skin *skin, int k, SnVec3 pivot,
                           SnVec3 rest) {
    SnPose now = sn__frame_pose_or_identity(world, skin->frames[k], false);
    Quatd turn = mulqd(quatd(now.rotation), conjugated(quatd(skin->rest_frames[k].rotation)));
    return sn__skin_bone(subd(vec3d(now.position), vec3d(pivot)), quatf(normalisedq(turn)), 1.0f,
                         rest);
}

// Where the first thing is that the skin follows.
static SnVec3 pivot_of(const SnWorld *world, const Skin *skin) {
    if (skin->body_count == 0)
        return sn__frame_pose_or_identity(world, skin->frames[0], false).position;
    const Body *body = sn__bodies_find(&world->bodies, skin->bodies[0]);
    return vec3f(world->poses.origins[body->order]);
}

static void make_bones(int begin, int end, int worker, void *context) {
    const SkinWork *work = context;
    const SkinArrays *to = &work->to;
    const PoseSystem *from = &work->world->poses;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const Skin *skin = skin_at(work->world, i);
        const SnVec3 *rest = skin->model->rest.positions;
        SkinBone *bones = to->bones + to->bone_begin[i];
        SnVec3 pivot = to->pivots[i] = pivot_of(work->world, skin);
        int b = 0;
        for (int k = 0; k < skin->body_count; ++k) {
            const Body *body = sn__bodies_find(&work->world->bodies, skin->bodies[k]);
            assert(body && b + body->points <= skin->model->rest.bone_count);
            take_bones(from, body->order, pivot, rest + b, bones + b);
            b += body->points;
        }
        for (int k = 0; k < skin->frame_count; ++k, ++b)
            bones[b] = take_frame(work->world, skin, k, pivot, rest[b]);
        assert(b == skin->model->rest.bone_count);
    }
}

// The skin that chunk `c` belongs to.
static int skin_of_chunk(const SkinWork *work, int c) {
    int low = 0, high = work->world->skins.order_count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (work->to.chunk_begin[middle] <= c)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void blend_chunks(int begin, int end, int worker, void *context) {
    const SkinWork *work = context;
    const SkinArrays *to = &work->to;
    (void)worker;
    int i = skin_of_chunk(work, begin);
    for (int c = begin; c < end; ++c) {
        while (c >= to->chunk_begin[i + 1])
            ++i;
        const Skin *skin = skin_at(work->world, i);
        const SkinModel *m = skin->model;
        const SkinPoint *points = m->split ? skin->points : m->points;
        assert(work->blend && c >= to->chunk_begin[i]);
        int first = CHUNK * (c - to->chunk_begin[i]), left = m->vertex_count - first;
        size_t out = 3 * (size_t)(to->vertex_begin[i] + first);
        work->blend(points + first, left < CHUNK ? left : CHUNK, to->bones + to->bone_begin[i],
                    to->pivots[i], to->positions + out, to->normals + out);
    }
}

SnResult sn_world_skins(SnWorld *world, SnSkinPoses *out_poses) {
    if (world == NULL)
        return sn__null("skins: world");
    if (out_poses == NULL)
        return sn__null("skins: out_poses");
    SkinWork work = {.world = world, .blend = sn__skin_blend(world->isa)};
    int skins = world->skins.order_count;
    SnResult result = skins > 0 ? sn__world_make_poses(world) : sn_ok();
    if (result.code != SN_OK)
        return result;
    if (!count_all(&work) || !reserve(&work))
        return sn_error(SN_ERROR_MEMORY, "skins: no memory for %d skins", skins);
    place_all(&work);
    for (int i = 0; i < skins; ++i) {
        Skin *skin = &world->skins.skins[world->skins.order[i].index - 1];
        if (skin->model->split)
            sn__skin_look_at_breaks(world, skin);
    }
    const SnTaskSystem *tasks = &world->tasks;
    if (skins > 0) {
        tasks->parallel_for(skins, 4, make_bones, &work, tasks->context);
        tasks->parallel_for(work.chunks, 2, blend_chunks, &work, tasks->context);
    }
    *out_poses = (SnSkinPoses){
        skins,          work.vertices, work.to.ids, work.to.vertex_begin, work.to.positions,
        work.to.normals};
    return result;
}
