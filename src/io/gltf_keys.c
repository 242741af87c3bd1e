#include "io/gltf_keys.h"

#include "io/gltf_actor.h"
#include "io/gltf_pack.h"

#include <stdlib.h>
#include <string.h>

// What the paths may take of the tolerance. An error of a joint's rotation moves a point across the
// line to the joint, one of its scale along it, so that both together come to √(0.4² + 0.3²) = 0.5.
#define PART_TRANSLATION 0.5f
#define PART_ROTATION 0.4f
#define PART_SCALE 0.3f
// Of joints of skeletons, whose errors add up along their limbs: a part of the largest translation, and
// of 1. Rotations have a step of 3e-5.
#define ACTOR_PRECISION 1.0e-5f
#define ACTOR_ROTATION 2.5e-5f
// Of roots: their errors are seen by what hangs on them, so small ones would cost keys there.
#define PART_ROOT 0.1f
#define FEWEST_JOINTS 3 // of a rod whose root moves
#define ROOT_BYTES 300  // of JSON
#define JOINTS_AT_ONCE (GLTF_GROUP / GLTF_PATHS)

static SnVec3 middle(const SnGltf *gltf, const GltfRod *rod, int frame) {
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < rod->joint_count; ++i)
        for (int c = 0; c < 3; ++c)
            sum[c] += (double)gltf->frames[frame][rod->first_joint + i].position[c];
    double part = 1.0 / rod->joint_count;
    return sn_vec3((float)(sum[0] * part), (float)(sum[1] * part), (float)(sum[2] * part));
}

// The rod of a joint of a body.
static int rod_of(const SnGltf *gltf, int joint) {
    int low = 0, high = gltf->rod_count;
    while (high - low > 1) {
        int half = low + (high - low) / 2;
        *(gltf->rods[half].first_joint <= joint ? &low : &high) = half;
    }
    return low;
}

static SnVec3 *root_at(const SnGltf *gltf, const GltfKeys *keys, int rod, int frame) {
    return &keys->roots[(size_t)rod * (size_t)gltf->frame_count + (size_t)frame];
}

static void gather_rotations(const SnGltf *gltf, int joint, int actor_joint, float *values) {
    for (int f = 0; f < gltf->frame_count; ++f) {
        const int16_t *turn =
            actor_joint < 0 ? gltf->frames[f][joint].rotation
                            : sn__gltf_actor_samples(gltf, gltf->frames[f])[actor_joint].rotation;
        for (int c = 0; c < 4; ++c)
            values[4 * f + c] = (float)turn[c] / 32767.0f;
    }
}

static void gather_body(const SnGltf *gltf, const GltfKeys *keys, int path, int joint,
                        float *values) {
    int rod = rod_of(gltf, joint);
    for (int f = 0; f < gltf->frame_count; ++f) {
        const GltfSample *s = &gltf->frames[f][joint];
        SnVec3 root = *root_at(gltf, keys, rod, f);
        const float place[3] = {s->position[0] - root.x, s->position[1] - root.y,
                                s->position[2] - root.z};
        const float scale[3] = {s->scale, s->scale, s->scale};
        memcpy(values + 4 * f, path == GLTF_TRANSLATION ? place : scale, sizeof place);
    }
}

static void gather_actor(const SnGltf *gltf, int path, int joint, float *values) {
    for (int f = 0; f < gltf->frame_count; ++f) {
        const GltfActorSample *s = &sn__gltf_actor_samples(gltf, gltf->frames[f])[joint];
        memcpy(values + 4 * f, path == GLTF_TRANSLATION ? s->translation : s->scale,
               sizeof s->scale);
    }
}

static void gather_root(const SnGltf *gltf, int rod, float *values) {
    for (int f = 0; f < gltf->frame_count; ++f) {
        SnVec3 x = middle(gltf, &gltf->rods[rod], f);
        memcpy(values + 4 * f, &x, sizeof x);
    }
}

// A channel as it is in all frames. `values` has room for four numbers of each.
static GltfChannel gather(const SnGltf *gltf, const GltfKeys *keys, int path, int node,
                          float *values) {
    bool body = node < gltf->joint_count, root = node >= sn__gltf_root(gltf, 0);
    int actor_joint = body ? -1 : node - gltf->joint_count;
    if (path == GLTF_ROTATION)
        gather_rotations(gltf, node, actor_joint, values);
    else if (root)
        gather_root(gltf, node - sn__gltf_root(gltf, 0), values);
    else if (body)
        gather_body(gltf, keys, path, node, values);
    else
        gather_actor(gltf, path, actor_joint, values);
    return (GltfChannel){.node = node,
                         .path = path,
                         .width = path == GLTF_ROTATION ? 4 : 3,
                         .tolerance = keys->tolerances[path][node],
                         .values = values};
}

// The frame from which on nothing of a group changes.
static int find_calm(const GltfGroup *group) {
    int calm = 0;
    for (int m = 0; m < group->count; ++m) {
        int own = sn__gltf_calm_frame(group->gltf, &group->channels[m]);
        calm = own > calm ? own : calm;
    }
    return calm;
}

// Room for as many keys of a group as there are frames. False: no memory.
static bool make_key_room(const GltfGroup *group, GltfKeys *keys) {
    size_t most = (size_t)group->gltf->frame_count;
    size_t frames = (size_t)keys->set_begin[keys->set_count] + most;
    if (frames > keys->frame_capacity) {
        int *grown = realloc(keys->frames, 2 * frames * sizeof *grown);
        if (grown == NULL)
            return false;
        keys->frames = grown;
        keys->frame_capacity = 2 * frames;
    }
    size_t values = keys->value_count + most * 4 * (size_t)group->count;
    if (values > keys->value_capacity) {
        float *grown = realloc(keys->values, (values + values / 2) * sizeof *grown);
        if (grown == NULL)
            return false;
        keys->values = grown;
        keys->value_capacity = values + values / 2;
    }
    return true;
}

// The values of a key, behind those that the channels of the group have so far: each has room for as
// many keys as there are frames.
static void put_key(const GltfGroup *group, int at, const float values[GLTF_GROUP][4],
                    GltfKeys *keys) {
    size_t room = (size_t)group->gltf->frame_count * 4;
    for (int m = 0; m < group->count; ++m) {
        int width = group->channels[m].width;
        memcpy(keys->values + keys->value_count + (size_t)m * room + (size_t)(at * width),
               values[m], (size_t)width * sizeof(float));
    }
}

// Closes the gaps between the channels of a group, each of which has so many keys.
static void close_gaps(const GltfGroup *group, int key_count, GltfKeys *keys) {
    size_t room = (size_t)group->gltf->frame_count * 4, from = keys->value_count;
    for (int m = 0; m < group->count; ++m, from += room) {
        const GltfChannel *channel = &group->channels[m];
        size_t size = (size_t)(key_count * channel->width);
        memmove(keys->values + keys->value_count, keys->values + from, size * sizeof(float));
        keys->value_begin[channel->path][channel->node] = keys->value_count;
        keys->value_count += size;
    }
}

// The next set, of which these are the channels. False: no memory.
static bool add_set(const GltfGroup *group, GltfKeys *keys) {
    if (!make_key_room(group, keys))
        return false;
    int *frames = keys->frames + keys->set_begin[keys->set_count], count = 0;
    int calm = find_calm(group), last = group->gltf->frame_count - 1;
    float values[GLTF_GROUP][4], next[GLTF_GROUP][4];
    size_t size = (size_t)group->count * sizeof *values;
    for (int m = 0; m < group->count; ++m)
        memcpy(values[m], sn__gltf_value(&group->channels[m], 0), sizeof values[m]);
    for (int f = 0; f < calm;) {
        put_key(group, count, values, keys);
        frames[count++] = f;
        f = sn__gltf_next_key(group, f, calm, values, next);
        memcpy(values, next, size);
    }
    put_key(group, count, values, keys);
    frames[count++] = calm;
    // The first set lasts to the end, so that the animation does.
    if (keys->set_count == 0 && calm < last) {
        put_key(group, count, values, keys);
        frames[count++] = last;
    }
    close_gaps(group, count, keys);
    ++keys->set_count;
    keys->set_begin[keys->set_count] = keys->set_begin[keys->set_count - 1] + count;
    return true;
}

// The channels of nodes [first, first + count). `values` has room for them.
static void gather_nodes(const SnGltf *gltf, const GltfKeys *keys, int first, int count,
                         float *values, GltfGroup *group) {
    group->count = 0;
    int paths = first >= sn__gltf_root(gltf, 0) ? 1 : GLTF_PATHS;
    for (int i = 0; i < count; ++i)
        for (int path = 0; path < paths; ++path, values += 4 * (size_t)gltf->frame_count)
            group->channels[group->count++] = gather(gltf, keys, path, first + i, values);
}

static void share_times(const GltfGroup *group, int first, GltfKeys *keys) {
    int sets[GLTF_GROUP];
    sn__gltf_share_times(group, first, sets);
    for (int m = 0; m < group->count; ++m)
        keys->sets[group->channels[m].path][group->channels[m].node] = sets[m];
}

// Keys for the sets of a group, in order. False: no memory.
static bool add_sets(const GltfGroup *all, GltfKeys *keys) {
    int last = -1;
    for (int m = 0; m < all->count; ++m) {
        int set = keys->sets[all->channels[m].path][all->channels[m].node];
        last = set > last ? set : last;
    }
    while (keys->set_count <= last) {
        GltfGroup own = {.gltf = all->gltf};
        for (int m = 0; m < all->count; ++m)
            if (keys->sets[all->channels[m].path][all->channels[m].node] == keys->set_count)
                own.channels[own.count++] = all->channels[m];
        if (!add_set(&own, keys))
            return false;
    }
    return true;
}

// What the root of a rod is seen to do, from which its joints are told.
static void show_root(const SnGltf *gltf, int rod, GltfKeys *keys) {
    int root = sn__gltf_root(gltf, rod);
    for (int f = 0; f < gltf->frame_count; ++f) {
        float shown[4];
        SnVec3 *out = root_at(gltf, keys, rod, f);
        if (keys->sets[GLTF_TRANSLATION][root] < 0) {
            *out = middle(gltf, &gltf->rods[rod], gltf->frame_count - 1);
        } else {
            sn__gltf_shown(gltf, keys, GLTF_TRANSLATION, root, f, shown);
            *out = sn_vec3(shown[0], shown[1], shown[2]);
        }
    }
}

static float largest_translation(const GltfActor *actor) {
    float most = 0;
    for (int i = 0; i < actor->joint_count; ++i) {
        SnVec3 x = sn_skeleton_joint(actor->skeleton, i).rest.translation;
        most = fmaxf(most, sn_vec3_length(x));
    }
    return most;
}

static float tolerance_of(float all, int path, float reach) {
    const float parts[] = {PART_TRANSLATION, PART_ROTATION, PART_SCALE};
    float own = parts[path] * all, near = 1.0e-6f;
    // Quaternions are apart by half the angle.
    return path == GLTF_TRANSLATION ? own
                                    : own / fmaxf(reach, near) / (path == GLTF_ROTATION ? 2 : 1);
}

static void find_tolerances(const SnGltf *gltf, float all, const float *reaches, GltfKeys *keys) {
    for (int path = 0; path < GLTF_PATHS; ++path) {
        for (int j = 0; j < gltf->joint_count; ++j)
            keys->tolerances[path][j] = tolerance_of(all, path, reaches[j]);
        for (int r = 0; r < gltf->rod_count; ++r)
            keys->tolerances[path][sn__gltf_root(gltf, r)] = PART_ROOT * all;
    }
    for (int a = 0; a < gltf->actor_count; ++a) {
        const GltfActor *actor = &gltf->actors[a];
        float size = largest_translation(actor);
        for (int i = 0; i < actor->joint_count; ++i) {
            int node = gltf->joint_count + actor->first_joint + i;
            keys->tolerances[GLTF_TRANSLATION][node] = ACTOR_PRECISION * size;
            keys->tolerances[GLTF_ROTATION][node] = ACTOR_ROTATION;
            keys->tolerances[GLTF_SCALE][node] = ACTOR_PRECISION;
        }
    }
    for (int j = 0; j < gltf->joint_count; ++j)
        keys->reach = fmaxf(keys->reach, reaches[j]);
}

static bool make_room(const SnGltf *gltf, GltfKeys *keys) {
    size_t nodes = (size_t)sn__gltf_node_total(gltf), frames = (size_t)gltf->frame_count;
    bool good = true;
    keys->set_begin = calloc(GLTF_PATHS * nodes + 1, sizeof *keys->set_begin);
    keys->roots = calloc((size_t)gltf->rod_count * frames + 1, sizeof *keys->roots);
    for (int path = 0; path < GLTF_PATHS; ++path) {
        keys->sets[path] = malloc((nodes + 1) * sizeof **keys->sets);
        for (size_t i = 0; i < nodes && keys->sets[path]; ++i)
            keys->sets[path][i] = -1;
        keys->value_begin[path] = calloc(nodes + 1, sizeof **keys->value_begin);
        keys->tolerances[path] = calloc(nodes + 1, sizeof **keys->tolerances);
        good = good && keys->sets[path] && keys->value_begin[path] && keys->tolerances[path];
    }
    return good && keys->set_begin && keys->roots;
}

// Whether keys of a root are fewer bytes than those that it saves its joints. Its places are left as the
// joints need them: the middle of them, or the world's.
static bool root_pays(const SnGltf *gltf, int rod, float *values, GltfKeys *keys) {
    SnVec3 *root = root_at(gltf, keys, rod, 0);
    int first = gltf->rods[rod].first_joint, count = gltf->rods[rod].joint_count;
    float saved = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int f = 0; f < gltf->frame_count; ++f)
            root[f] = pass ? middle(gltf, &gltf->rods[rod], f) : sn_vec3(0, 0, 0);
        for (int i = 0; i < count; ++i) {
            GltfChannel channel = gather(gltf, keys, GLTF_TRANSLATION, first + i, values);
            saved += (pass ? -1.0f : 1.0f) * sn__gltf_keys_needed(gltf, &channel);
        }
    }
    GltfChannel own = gather(gltf, keys, GLTF_TRANSLATION, sn__gltf_root(gltf, rod), values);
    float size = (float)sn__gltf_key_size(GLTF_TRANSLATION);
    bool pays = saved * size > sn__gltf_keys_needed(gltf, &own) * (size + 4) + ROOT_BYTES;
    for (int f = 0; f < gltf->frame_count && !pays; ++f)
        root[f] = sn_vec3(0, 0, 0);
    return pays;
}

static bool add_roots(GltfGroup *group, float *values, GltfKeys *keys) {
    const SnGltf *gltf = group->gltf;
    for (int r = 0; r < gltf->rod_count; ++r) {
        if (gltf->rods[r].joint_count < FEWEST_JOINTS || !root_pays(gltf, r, values, keys))
            continue;
        gather_nodes(gltf, keys, sn__gltf_root(gltf, r), 1, values, group);
        share_times(group, keys->set_count, keys);
        if (!add_sets(group, keys))
            return false;
        show_root(gltf, r, keys);
    }
    return true;
}

// The joints of each body and actor, some at once: which of their channels share times, and their keys.
// False: no memory.
static bool add_joints(GltfGroup *group, float *values, GltfKeys *keys) {
    const SnGltf *gltf = group->gltf;
    for (int b = 0; b < gltf->rod_count + gltf->actor_count; ++b) {
        bool rod = b < gltf->rod_count;
        const GltfActor *actor = rod ? NULL : &gltf->actors[b - gltf->rod_count];
        int begin = rod ? gltf->rods[b].first_joint : gltf->joint_count + actor->first_joint;
        int count = rod ? gltf->rods[b].joint_count : actor->joint_count;
        int parts = (count + JOINTS_AT_ONCE - 1) / JOINTS_AT_ONCE;
        for (int k = 0; k < parts; ++k) {
            int from = (int)((long long)count * k / parts);
            int to = (int)((long long)count * (k + 1) / parts);
            gather_nodes(gltf, keys, begin + from, to - from, values, group);
            share_times(group, keys->set_count, keys);
            if (!add_sets(group, keys))
                return false;
        }
    }
    return true;
}

bool sn__gltf_choose_keys(const SnGltf *gltf, GltfKeys *keys) {
    *keys = (GltfKeys){0};
    float tolerance = (gltf->encoder.encode ? 1.0f - GLTF_PACK_PART : 1.0f) * gltf->tolerance;
    float *reaches = sn__gltf_reaches(gltf);
    float *values =
        calloc((size_t)GLTF_GROUP * ((size_t)gltf->frame_count + 1), 4 * sizeof *values);
    GltfGroup group = {.gltf = gltf};
    bool good = make_room(gltf, keys) && reaches && values;
    if (good)
        find_tolerances(gltf, tolerance, reaches, keys);
    if (good && gltf->frame_count > 1)
        good = add_roots(&group, values, keys) && add_joints(&group, values, keys);
    free(reaches);
    free(values);
    if (!good)
        sn__gltf_free_keys(keys);
    return good;
}

void sn__gltf_shown(const SnGltf *gltf, const GltfKeys *keys, int path, int node, int frame,
                    float out[4]) {
    int set = keys->sets[path][node], width = path == GLTF_ROTATION ? 4 : 3;
    const int *frames = keys->frames + keys->set_begin[set];
    int low = 0, high = sn__gltf_key_count(keys, set) - 1;
    while (high - low > 1) {
        int half = low + (high - low) / 2;
        *(frames[half] <= frame ? &low : &high) = half;
    }
    const float *values = keys->values + keys->value_begin[path][node];
    float begin = gltf->times[frames[low]], end = gltf->times[frames[high]];
    float part = end > begin ? (gltf->times[frame] - begin) / (end - begin) : 0;
    GltfChannel channel = {.path = path, .width = width};
    sn__gltf_between(&channel, values + low * width, values + high * width, fminf(part, 1.0f), out);
}

void sn__gltf_free_keys(GltfKeys *keys) {
    free(keys->set_begin);
    free(keys->frames);
    free(keys->values);
    free(keys->roots);
    for (int path = 0; path < GLTF_PATHS; ++path) {
        free(keys->sets[path]);
        free(keys->value_begin[path]);
        free(keys->tolerances[path]);
    }
    *keys = (GltfKeys){0};
}
