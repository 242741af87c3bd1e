// All skins as they are now: bones from the rods, then the blended vertices.
#include <string.h>

#include "world/skins.h"
#include "world/world.h"

// Vertices that are one piece of work.
#define CHUNK 512

// Where the arrays of one call lie in SkinSystem.memory.
typedef struct SkinArrays {
    SkinBone *bones; // of all skins, one after the other, as all here
    float *positions, *normals;
    SnVec3 *bone_positions;
    float *bone_scales;
    SnQuat *frames;
    SnSkinId *ids;
    SnVec3 *pivots; // of the skins: where their first bone is
    int *vertex_begin, *bone_begin, *segment_begin, *chunk_begin; // skins + 1
} SkinArrays;

typedef struct SkinWork {
    SnWorld *world;
    SkinBlend *blend;
    SkinArrays to;
    int vertices, bones, segments, chunks;
} SkinWork;

static size_t lay_out(const SkinWork *work, void *memory, SkinArrays *out) {
    Layout layout = {memory, 0};
    size_t skins = (size_t)work->world->skins.order_count, v = (size_t)work->vertices;
    size_t b = (size_t)work->bones, s = (size_t)work->segments;
    out->bones = sn__lay(&layout, b, sizeof(SkinBone));
    out->positions = sn__lay(&layout, v, 3 * sizeof(float));
    out->normals = sn__lay(&layout, v, 3 * sizeof(float));
    out->bone_positions = sn__lay(&layout, b, sizeof(SnVec3));
    out->bone_scales = sn__lay(&layout, b, sizeof(float));
    out->frames = sn__lay(&layout, s, sizeof(SnQuat));
    out->pivots = sn__lay(&layout, skins, sizeof(SnVec3));
    out->ids = sn__lay(&layout, skins, sizeof(SnSkinId));
    out->vertex_begin = sn__lay(&layout, skins + 1, sizeof(int));
    out->bone_begin = sn__lay(&layout, skins + 1, sizeof(int));
    out->segment_begin = sn__lay(&layout, skins + 1, sizeof(int));
    out->chunk_begin = sn__lay(&layout, skins + 1, sizeof(int));
    return layout.used;
}

static const Skin *skin_at(const SnWorld *world, int i) {
    return &world->skins.skins[world->skins.order[i].index - 1];
}

static bool count_all(SkinWork *work) {
    int64_t vertices = 0, bones = 0, segments = 0;
    for (int i = 0; i < work->world->skins.order_count; ++i) {
        const SkinModel *m = skin_at(work->world, i)->model;
        vertices += m->vertex_count;
        bones += m->rest.bone_count;
        segments += m->rest.segment_count;
    }
    work->vertices = (int)vertices;
    work->bones = (int)bones;
    work->segments = (int)segments;
    return vertices <= INT32_MAX / 4 && bones <= INT32_MAX / 4 && segments <= INT32_MAX / 4;
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
    int v = 0, b = 0, s = 0, c = 0, count = work->world->skins.order_count;
    for (int i = 0; i <= count; ++i) {
        to->vertex_begin[i] = v;
        to->bone_begin[i] = b;
        to->segment_begin[i] = s;
        to->chunk_begin[i] = c;
        if (i == count)
            break;
        const SkinModel *m = skin_at(work->world, i)->model;
        to->ids[i] = work->world->skins.order[i];
        v += m->vertex_count;
        b += m->rest.bone_count;
        s += m->rest.segment_count;
        c += (m->vertex_count + CHUNK - 1) / CHUNK;
    }
    work->chunks = c;
}

// Scales and frames of a body, and its positions from the pivot.
static void read_body(const Body *body, SnVec3 pivot, SnVec3 *positions, float *scales,
                      SnQuat *frames) {
    SnBodyState state = {.scales = scales, .frames = frames};
    body->kind->read(body, &state);
    for (int i = 0; i < body->points; ++i) {
        Vec3d x = subd(body->kind->point(body, i, NULL), vec3d(pivot));
        positions[i] = sn_vec3((float)x.x, (float)x.y, (float)x.z);
    }
}

static void make_bones(int begin, int end, int worker, void *context) {
    const SkinWork *work = context;
    const SkinArrays *to = &work->to;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const Skin *skin = skin_at(work->world, i);
        int b = to->bone_begin[i], s = to->segment_begin[i];
        const BodyRegister *bodies = &work->world->bodies;
        const Body *root = sn__bodies_find(bodies, skin->bodies[0]);
        Vec3d first = root->kind->point(root, 0, NULL);
        to->pivots[i] = sn_vec3((float)first.x, (float)first.y, (float)first.z);
        for (int r = 0; r < skin->body_count; ++r) {
            const Body *body = sn__bodies_find(bodies, skin->bodies[r]);
            read_body(body, to->pivots[i], to->bone_positions + b, to->bone_scales + b,
                      to->frames + s);
            b += body->points;
            s += body->elements;
        }
        SkinPose pose = {to->bone_positions + to->bone_begin[i],
                         to->bone_scales + to->bone_begin[i], to->frames + to->segment_begin[i]};
        sn__skin_bones(skin->model, &pose, to->bones + to->bone_begin[i]);
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
        const SkinModel *m = skin_at(work->world, i)->model;
        int first = CHUNK * (c - to->chunk_begin[i]), left = m->vertex_count - first;
        size_t out = 3 * (size_t)(to->vertex_begin[i] + first);
        work->blend(m->points + first, left < CHUNK ? left : CHUNK, to->bones + to->bone_begin[i],
                    to->pivots[i], to->positions + out, to->normals + out);
    }
}

SnResult sn_world_skins(SnWorld *world, SnSkinPoses *out_poses) {
    SkinWork work = {.world = world, .blend = sn__skin_blend(world->isa)};
    if (!count_all(&work) || !reserve(&work))
        return sn_error(SN_ERROR_MEMORY, "skins: no memory for %d skins", world->skins.order_count);
    place_all(&work);
    const SnTaskSystem *tasks = &world->tasks;
    int skins = world->skins.order_count;
    if (skins > 0) {
        tasks->parallel_for(skins, 4, make_bones, &work, tasks->context);
        tasks->parallel_for(work.chunks, 2, blend_chunks, &work, tasks->context);
    }
    *out_poses = (SnSkinPoses){
        skins,          work.vertices, work.to.ids, work.to.vertex_begin, work.to.positions,
        work.to.normals};
    return sn_ok();
}
