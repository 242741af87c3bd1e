#include "io/gltf_keys.h"

#include "io/gltf_actor.h"

#include <stdlib.h>
#include <string.h>

// Joints that share their times, at most. Larger groups need more keys for each of them, smaller ones
// more times and more JSON; 4 to 16 come to about the same.
#define GROUP 8
// What the paths may take of the tolerance; the sizes of their keys and how often they are needed make
// about this the smallest file.
#define PART_TRANSLATION 0.5f
#define PART_ROTATION 0.3f
#define PART_SCALE 0.2f
// Of joints of skeletons, whose errors add up along their limbs: a part of the largest translation, and
// of 1. Rotations have a step of 3e-5.
#define ACTOR_PRECISION 1.0e-5f
#define ACTOR_ROTATION 2.5e-5f
// Quaternions this far apart (cosine of half the angle) have a key in between: players may interpolate
// them one way or the other.
#define NEAR_ROTATIONS 0.98f

// Some joints of one path, each with its tolerance, as they are in all frames.
typedef struct Group {
    const SnGltf *gltf;
    int path, width, count;
    int joints[GROUP];
    float tolerances[GROUP];
    float *values; // width numbers by joint, then frame
} Group;

static const float *value_at(const Group *group, int member, int frame) {
    return group->values + ((size_t)member * (size_t)group->gltf->frame_count + (size_t)frame) * 4;
}

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

static float distance2(const float *a, const float *b, int width) {
    float sum = 0;
    for (int c = 0; c < width; ++c)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

// What a player shows at a part of the way from one key to the next.
static void between(const Group *group, const float *a, const float *b, float part, float out[4]) {
    float sum = 0;
    for (int c = 0; c < group->width; ++c) {
        out[c] = a[c] + (b[c] - a[c]) * part;
        sum += out[c] * out[c];
    }
    float inverse = group->path == GLTF_ROTATION && sum > 0 ? 1 / sqrtf(sum) : 1;
    for (int c = 0; c < group->width; ++c)
        out[c] *= inverse;
}

static bool line_fits(const Group *group, int member, int from, int to) {
    const float *times = group->gltf->times;
    const float *a = value_at(group, member, from), *b = value_at(group, member, to);
    float most = group->tolerances[member] * group->tolerances[member];
    if (group->path == GLTF_ROTATION &&
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < NEAR_ROTATIONS)
        return false;
    for (int f = from + 1; f < to; ++f) {
        float shown[4];
        between(group, a, b, (times[f] - times[from]) / (times[to] - times[from]), shown);
        if (!(distance2(shown, value_at(group, member, f), group->width) <= most))
            return false;
    }
    return true;
}

static bool lines_fit(const Group *group, int from, int to) {
    for (int m = 0; m < group->count; ++m)
        if (!line_fits(group, m, from, to))
            return false;
    return true;
}

// The next key after a key: found by doubling the distance while lines fit, then by halving.
static int next_key(const Group *group, int from, int last) {
    int good = from + 1, bad = last + 1;
    while (good < last) {
        int to = from + 2 * (good - from);
        to = to < last ? to : last;
        if (!lines_fit(group, from, to)) {
            bad = to;
            break;
        }
        good = to;
    }
    while (bad - good > 1 && bad <= last) {
        int middle = good + (bad - good) / 2;
        if (lines_fit(group, from, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

// The frame from which on a joint stays within its tolerance of where it is then.
static int calm_frame(const Group *group, int member) {
    float low[4], high[4];
    int frame = group->gltf->frame_count - 1;
    memcpy(low, value_at(group, member, frame), sizeof low);
    memcpy(high, low, sizeof high);
    for (; frame > 0; --frame) {
        const float *value = value_at(group, member, frame - 1);
        for (int c = 0; c < group->width; ++c) {
            low[c] = value[c] < low[c] ? value[c] : low[c];
            high[c] = value[c] > high[c] ? value[c] : high[c];
        }
        float most = group->tolerances[member] * group->tolerances[member];
        if (!(distance2(low, high, group->width) <= most))
            break;
    }
    return frame;
}

// A set of keys for what changes in a group; nothing if nothing does.
static void add_set(Group *group, GltfKeys *keys) {
    int calm = 0;
    for (int m = 0; m < group->count; ++m) {
        int own = calm_frame(group, m);
        if (own > 0) {
            keys->sets[group->path][group->joints[m]] = keys->set_count;
            ++keys->channel_count[group->path];
        }
        calm = own > calm ? own : calm;
    }
    if (calm == 0)
        return;
    int at = keys->set_begin[keys->set_count];
    for (int f = 0; f < calm; f = next_key(group, f, calm))
        keys->frames[at++] = f;
    keys->frames[at++] = calm;
    // The first set lasts to the end, so that the animation does.
    if (keys->set_count == 0 && calm < group->gltf->frame_count - 1)
        keys->frames[at++] = group->gltf->frame_count - 1;
    keys->set_begin[++keys->set_count] = at;
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
    float own = parts[path] * gltf->tolerance, near = 1.0e-6f;
    // Quaternions are apart by half the angle.
    return path == GLTF_TRANSLATION ? own
                                    : own / fmaxf(reach, near) / (path == GLTF_ROTATION ? 2 : 1);
}

// Joints [first, first + count) of one body or actor; `reaches` of a body, `size` of an actor.
static void add_joints(Group *group, int first, int count, const float *reaches, float size,
                       GltfKeys *keys) {
    const SnGltf *gltf = group->gltf;
    for (int path = 0; path < GLTF_PATHS; ++path) {
        group->path = path;
        group->width = path == GLTF_ROTATION ? 4 : 3;
        for (int begin = 0; begin < count; begin += GROUP) {
            group->count = count - begin < GROUP ? count - begin : GROUP;
            for (int m = 0; m < group->count; ++m) {
                int joint = group->joints[m] = first + begin + m;
                group->tolerances[m] = reaches ? tolerance_of(gltf, path, reaches[joint])
                                       : path == GLTF_ROTATION
                                           ? ACTOR_ROTATION
                                           : ACTOR_PRECISION * (path == GLTF_SCALE ? 1 : size);
                for (int f = 0; f < gltf->frame_count; ++f)
                    gather(gltf, joint, path, f,
                           group->values + ((size_t)m * (size_t)gltf->frame_count + (size_t)f) * 4);
            }
            add_set(group, keys);
        }
    }
}

static bool make_room(const SnGltf *gltf, GltfKeys *keys) {
    size_t joints = (size_t)gltf->joint_count + (size_t)gltf->actor_joint_count;
    size_t bodies = (size_t)gltf->rod_count + (size_t)gltf->actor_count;
    size_t sets = GLTF_PATHS * (joints / GROUP + bodies + 1);
    bool good = true;
    keys->set_begin = calloc(sets + 1, sizeof *keys->set_begin);
    keys->frames = malloc((sets * (size_t)gltf->frame_count + 1) * sizeof *keys->frames);
    for (int path = 0; path < GLTF_PATHS; ++path) {
        keys->sets[path] = malloc((joints + 1) * sizeof **keys->sets);
        for (size_t i = 0; i < joints && keys->sets[path]; ++i)
            keys->sets[path][i] = -1;
        good = good && keys->sets[path];
    }
    return good && keys->set_begin && keys->frames;
}

bool sn__gltf_choose_keys(const SnGltf *gltf, GltfKeys *keys) {
    *keys = (GltfKeys){0};
    Group group = {.gltf = gltf};
    float *reaches = sn__gltf_reaches(gltf);
    group.values =
        calloc((size_t)GROUP * ((size_t)gltf->frame_count + 1), 4 * sizeof *group.values);
    bool good = make_room(gltf, keys) && reaches && group.values;
    for (int r = 0; r < gltf->rod_count && good && gltf->frame_count > 1; ++r)
        add_joints(&group, gltf->rods[r].first_joint, gltf->rods[r].joint_count, reaches, 0, keys);
    for (int a = 0; a < gltf->actor_count && good && gltf->frame_count > 1; ++a)
        add_joints(&group, gltf->joint_count + gltf->actors[a].first_joint,
                   gltf->actors[a].joint_count, NULL, largest_translation(&gltf->actors[a]), keys);
    free(reaches);
    free(group.values);
    if (!good)
        sn__gltf_free_keys(keys);
    return good;
}

void sn__gltf_free_keys(GltfKeys *keys) {
    free(keys->set_begin);
    free(keys->frames);
    for (int path = 0; path < GLTF_PATHS; ++path)
        free(keys->sets[path]);
    *keys = (GltfKeys){0};
}
