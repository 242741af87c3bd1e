#include "io/gltf_keys.h"

#include "io/gltf_actor.h"
#include "io/gltf_lines.h"
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

static void gather(const SnGltf *gltf, int joint, int path, int frame, float out[4]) {
    const GltfSample *body = &gltf->frames[frame][joint < gltf->joint_count ? joint : 0];
    const int16_t *turn = body->rotation;
    const float *place = body->position, scales[3] = {body->scale, body->scale, body->scale};
    const float *scale = scales;
    if (joint >= gltf->joint_count) {
        const GltfActorSample *actor =
            &sn__gltf_actor_samples(gltf, gltf->frames[frame])[joint - gltf->joint_count];
        turn = actor->rotation;
        place = actor->translation;
        scale = actor->scale;
    }
    for (int c = 0; c < 4 && path == GLTF_ROTATION; ++c)
        out[c] = (float)turn[c] / 32767.0f;
    if (path != GLTF_ROTATION)
        memcpy(out, path == GLTF_TRANSLATION ? place : scale, 3 * sizeof *out);
}

// The values of a key, behind those that the channels of the group have so far: each has room for as
// many keys as there are frames.
static void put_key(const GltfGroup *group, int at, const float values[GLTF_GROUP][4],
                    GltfKeys *keys) {
    for (int m = 0; m < group->count; ++m) {
        size_t begin = keys->value_begin[group->path][group->joints[m]];
        if (keys->sets[group->path][group->joints[m]] >= 0)
            memcpy(keys->values + begin + (size_t)(at * group->width), values[m],
                   (size_t)group->width * sizeof(float));
    }
}

// The frame from which on nothing of a group changes. What changes before is of the next set.
static int find_calm(const GltfGroup *group, GltfKeys *keys) {
    int calm = 0;
    for (int m = 0; m < group->count; ++m) {
        int own = sn__gltf_calm_frame(group, m);
        if (own > 0) {
            keys->sets[group->path][group->joints[m]] = keys->set_count;
            ++keys->channel_count[group->path];
        }
        calm = own > calm ? own : calm;
    }
    return calm;
}

// Room for the keys of a group, one for each frame and channel, behind all others.
static bool make_values(const GltfGroup *group, GltfKeys *keys) {
    size_t own = (size_t)group->gltf->frame_count * (size_t)group->width;
    size_t wanted = keys->value_count + own * (size_t)group->count;
    if (wanted > keys->value_capacity) {
        size_t room = wanted + wanted / 2;
        float *values = realloc(keys->values, room * sizeof *values);
        if (values == NULL)
            return false;
        keys->values = values;
        keys->value_capacity = room;
    }
    for (int m = 0; m < group->count; ++m)
        keys->value_begin[group->path][group->joints[m]] = keys->value_count + own * (size_t)m;
    return true;
}

// Closes the gaps between the channels of a group, each of which has so many keys.
static void close_gaps(const GltfGroup *group, int key_count, GltfKeys *keys) {
    size_t size = (size_t)(key_count * group->width);
    for (int m = 0; m < group->count; ++m) {
        size_t *begin = &keys->value_begin[group->path][group->joints[m]];
        if (keys->sets[group->path][group->joints[m]] < 0)
            continue;
        memmove(keys->values + keys->value_count, keys->values + *begin, size * sizeof(float));
        *begin = keys->value_count;
        keys->value_count += size;
    }
}

// A set of keys for what changes in a group; nothing if nothing does. False: no memory.
static bool add_set(const GltfGroup *group, GltfKeys *keys) {
    int calm = find_calm(group, keys);
    if (calm == 0)
        return true;
    if (!make_values(group, keys))
        return false;
    int *frames = keys->frames + keys->set_begin[keys->set_count], count = 0;
    float values[GLTF_GROUP][4], next[GLTF_GROUP][4];
    for (int m = 0; m < GLTF_GROUP; ++m)
        memcpy(values[m], sn__gltf_value(group, m, 0), sizeof values[m]);
    for (int f = 0; f < calm;) {
        put_key(group, count, values, keys);
        frames[count++] = f;
        f = sn__gltf_next_key(group, f, calm, values, next);
        memcpy(values, next, sizeof values);
    }
    put_key(group, count, values, keys);
    frames[count++] = calm;
    // The first set lasts to the end, so that the animation does.
    if (keys->set_count == 0 && calm < group->gltf->frame_count - 1) {
        put_key(group, count, values, keys);
        frames[count++] = group->gltf->frame_count - 1;
    }
    close_gaps(group, count, keys);
    ++keys->set_count;
    keys->set_begin[keys->set_count] = keys->set_begin[keys->set_count - 1] + count;
    return true;
}

static float largest_translation(const GltfActor *actor) {
    float most = 0;
    for (int i = 0; i < actor->joint_count; ++i) {
        SnVec3 x = sn_skeleton_joint(actor->skeleton, i).rest.translation;
        most = fmaxf(most, sn_vec3_length(x));
    }
    return most;
}

static float tolerance_of(const SnGltf *gltf, int path, float reach) {
    const float parts[] = {PART_TRANSLATION, PART_ROTATION, PART_SCALE};
    float all = gltf->encoder.encode ? 1.0f - GLTF_PACK_PART : 1.0f;
    float own = all * parts[path] * gltf->tolerance, near = 1.0e-6f;
    // Quaternions are apart by half the angle.
    return path == GLTF_TRANSLATION ? own
                                    : own / fmaxf(reach, near) / (path == GLTF_ROTATION ? 2 : 1);
}

// Joints [first, first + count) of one body or actor; `reaches` of a body, `size` of an actor.
static bool add_joints(GltfGroup *group, int first, int count, const float *reaches, float size,
                       GltfKeys *keys) {
    const SnGltf *gltf = group->gltf;
    for (int path = 0; path < GLTF_PATHS; ++path) {
        group->path = path;
        group->width = path == GLTF_ROTATION ? 4 : 3;
        for (int begin = 0; begin < count; begin += GLTF_GROUP) {
            group->count = count - begin < GLTF_GROUP ? count - begin : GLTF_GROUP;
            for (int m = 0; m < group->count; ++m) {
                int joint = group->joints[m] = first + begin + m;
                group->tolerances[m] = reaches ? tolerance_of(gltf, path, reaches[joint])
                                       : path == GLTF_ROTATION
                                           ? ACTOR_ROTATION
                                           : ACTOR_PRECISION * (path == GLTF_SCALE ? 1 : size);
                for (int f = 0; f < gltf->frame_count; ++f)
                    gather(gltf, joint, path, f, sn__gltf_value(group, m, f));
            }
            if (!add_set(group, keys))
                return false;
        }
    }
    return true;
}

static bool make_room(const SnGltf *gltf, GltfKeys *keys) {
    size_t joints = (size_t)gltf->joint_count + (size_t)gltf->actor_joint_count;
    size_t bodies = (size_t)gltf->rod_count + (size_t)gltf->actor_count;
    size_t sets = GLTF_PATHS * (joints / GLTF_GROUP + bodies + 1);
    bool good = true;
    keys->set_begin = calloc(sets + 1, sizeof *keys->set_begin);
    keys->frames = malloc((sets * (size_t)gltf->frame_count + 1) * sizeof *keys->frames);
    for (int path = 0; path < GLTF_PATHS; ++path) {
        keys->sets[path] = malloc((joints + 1) * sizeof **keys->sets);
        for (size_t i = 0; i < joints && keys->sets[path]; ++i)
            keys->sets[path][i] = -1;
        keys->value_begin[path] = calloc(joints + 1, sizeof **keys->value_begin);
        good = good && keys->sets[path] && keys->value_begin[path];
    }
    return good && keys->set_begin && keys->frames;
}

bool sn__gltf_choose_keys(const SnGltf *gltf, GltfKeys *keys) {
    *keys = (GltfKeys){0};
    GltfGroup group = {.gltf = gltf};
    float *reaches = sn__gltf_reaches(gltf);
    group.values =
        calloc((size_t)GLTF_GROUP * ((size_t)gltf->frame_count + 1), 4 * sizeof *group.values);
    bool good = make_room(gltf, keys) && reaches && group.values;
    for (int j = 0; j < gltf->joint_count && good; ++j)
        keys->reach = fmaxf(keys->reach, reaches[j]);
    for (int r = 0; r < gltf->rod_count && good && gltf->frame_count > 1; ++r)
        good = add_joints(&group, gltf->rods[r].first_joint, gltf->rods[r].joint_count, reaches, 0,
                          keys);
    for (int a = 0; a < gltf->actor_count && good && gltf->frame_count > 1; ++a)
        good = add_joints(&group, gltf->joint_count + gltf->actors[a].first_joint,
                          gltf->actors[a].joint_count, NULL, largest_translation(&gltf->actors[a]),
                          keys);
    free(reaches);
    free(group.values);
    if (!good)
        sn__gltf_free_keys(keys);
    return good;
}

void sn__gltf_free_keys(GltfKeys *keys) {
    free(keys->set_begin);
    free(keys->frames);
    free(keys->values);
    for (int path = 0; path < GLTF_PATHS; ++path) {
        free(keys->sets[path]);
        free(keys->value_begin[path]);
    }
    *keys = (GltfKeys){0};
}
