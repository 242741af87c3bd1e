// Skeletons that are written inside a scene: "joints" and "clips".
#include "io/scene_skeleton.h"
#include "io/tables.h"

#include <string.h>

// How keys are joined, as files say it. The last one is made cubic, with slopes from its keys.
enum { WORD_LINEAR, WORD_STEP, WORD_CUBIC, WORD_SMOOTH, WORD_COUNT };

typedef struct InlineJoints {
    SnJointDef *joints;
    const char **names;
    int count;
} InlineJoints;

static int find_joint(Reader *reader, const InlineJoints *joints, const Json *value) {
    if (!sn__read_kind(reader, value, JSON_STRING, "the name of a joint"))
        return -1;
    const char *word = sn__json_string(&reader->doc, value);
    for (int i = 0; i < joints->count; ++i)
        if (strcmp(joints->names[i], word) == 0)
            return i;
    sn__reader_unknown(reader, value, "joint", word, joints->names, joints->count);
    return -1;
}

// Parents come before their children, so that no joint can hang on itself.
static void read_joints(Reader *reader, const Json *list, InlineJoints *out) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    out->joints = sn__reader_alloc(reader, (size_t)count, sizeof *out->joints);
    out->names = sn__reader_alloc(reader, (size_t)count, sizeof *out->names);
    if (items && count == 0)
        sn__reader_error(reader, list, "needs one joint or more");
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        JointEntry entry = {.name = "",
                            .rest = {.rotation = sn_quat_identity(), .scale = {1, 1, 1}}};
        sn__read_object(reader, items[i], &sn__table_joint, &entry);
        const Json *parent = sn__json_member(&reader->doc, items[i], "parent");
        SnJointDef *joint = &out->joints[i];
        *joint = (SnJointDef){.name = entry.name, .parent = -1, .rest = entry.rest, .bone = true};
        for (int k = 0; k < i; ++k)
            if (entry.name[0] && strcmp(out->names[k], entry.name) == 0)
                sn__reader_error(reader, items[i], "the name \"%.60s\" is taken", entry.name);
        if (parent)
            joint->parent = find_joint(reader, out, parent);
        out->names[i] = entry.name;
        out->count = i + 1;
    }
}

static bool read_value(Reader *reader, const Json *json, int width, bool slope, float *out) {
    Range any = RANGE_ANY;
    if (width == 4 && !slope) {
        SnQuat q;
        if (!sn__read_rotation(reader, json, &q))
            return false;
        memcpy(out, &q, sizeof q);
        return true;
    }
    if (!sn__read_kind(reader, json, JSON_ARRAY, width == 4 ? "four numbers" : "three numbers"))
        return false;
    if (json->count != (uint32_t)width) {
        sn__reader_error(reader, json, "an array of %u is not one of %d numbers", json->count,
                         width);
        return false;
    }
    int c = 0;
    for (const Json *v = sn__json_first(json); v; v = sn__json_next(&reader->doc, v))
        if (!sn__read_float(reader, v, any, &out[c++]))
            return false;
    return true;
}

// [t, value], or [t, slope before, value, slope after].
static bool read_key(Reader *reader, const Json *json, int width, bool cubic, float *time,
                     float *values) {
    Range range = RANGE_NOT_NEGATIVE;
    if (json->kind != JSON_ARRAY || json->count != (cubic ? 4 : 2)) {
        sn__reader_error(reader, json, "is not a key %s",
                         cubic ? "[t, slope, value, slope]" : "[t, value]");
        return false;
    }
    const Json *v = sn__json_first(json);
    if (!sn__read_float(reader, v, range, time))
        return false;
    for (int k = 0; k < (cubic ? 3 : 1); ++k) {
        v = sn__json_next(&reader->doc, v);
        if (!read_value(reader, v, width, cubic && k != 1, values + k * width))
            return false;
    }
    return true;
}

// The slope at a key: the harmonic mean of those beside it where they agree in sign, else 0, so that
// the curve passes its keys smoothly, never beyond them, and starts and ends at rest.
static float slope_at(const float *times, const float *values, int width, int count, int key,
                      int c) {
    if (key == 0 || key == count - 1)
        return 0;
    const float *v = values + key * width + c;
    double before = (double)(v[0] - v[-width]) / (double)(times[key] - times[key - 1]);
    double after = (double)(v[width] - v[0]) / (double)(times[key + 1] - times[key]);
    return before * after > 0 ? (float)(2 * before * after / (before + after)) : 0;
}

// q and −q are the same rotation: takes the one nearer to the key before.
static void join_signs(float *values, int count) {
    for (int i = 1; i < count; ++i) {
        float *q = values + 4 * i, dot = 0;
        for (int c = 0; c < 4; ++c)
            dot += q[c] * q[c - 4];
        for (int c = 0; c < 4 && dot < 0; ++c)
            q[c] = -q[c];
    }
}

static const float *smooth_values(Reader *reader, const SnChannelDef *channel, float *values,
                                  int width) {
    int count = channel->key_count;
    float *out = sn__reader_alloc(reader, 3 * (size_t)(count * width), sizeof *out);
    if (out == NULL)
        return NULL;
    if (width == 4)
        join_signs(values, count);
    for (int i = 0; i < count; ++i)
        for (int c = 0; c < width; ++c) {
            float slope = slope_at(channel->times, values, width, count, i, c);
            out[(3 * i + 0) * width + c] = slope;
            out[(3 * i + 1) * width + c] = values[i * width + c];
            out[(3 * i + 2) * width + c] = slope;
        }
    return out;
}

static void read_keys(Reader *reader, const Json *list, int word, SnChannelDef *channel) {
    int count, width = channel->path == SN_KEYS_ROTATION ? 4 : 3;
    bool cubic = word == WORD_CUBIC, good = true;
    const Json **items = sn__read_list(reader, list, &count);
    size_t numbers = (size_t)count * (size_t)(width * (cubic ? 3 : 1));
    float *times = sn__reader_alloc(reader, (size_t)count, sizeof *times);
    float *values = sn__reader_alloc(reader, numbers, sizeof *values);
    if (items && count == 0)
        sn__reader_error(reader, list, "needs one key [t, value] or more");
    for (int i = 0; i < count && times && values; ++i) {
        good = read_key(reader, items[i], width, cubic, &times[i],
                        values + i * width * (cubic ? 3 : 1)) &&
               good;
        if (good && i > 0 && !(times[i] > times[i - 1])) {
            sn__reader_error(reader, items[i], "%g s is not after the key before, %g s",
                             (double)times[i], (double)times[i - 1]);
            good = false;
        }
    }
    if (!good || reader->out_of_memory || count == 0)
        return;
    channel->key_count = count;
    channel->times = times;
    channel->values = values;
    channel->curve = word == WORD_LINEAR ? SN_KEYS_LINEAR
                     : word == WORD_STEP ? SN_KEYS_STEP
                                         : SN_KEYS_CUBIC;
    if (word == WORD_SMOOTH)
        channel->values = smooth_values(reader, channel, values, width);
}

static void read_channel(Reader *reader, const Json *json, const InlineJoints *joints,
                         SnChannelDef *channel) {
    static const char *const paths[] = {"position", "rotation", "scale"}; // as SnKeyPath
    static const char *const words[WORD_COUNT] = {"linear", "step", "cubic", "smooth"};
    if (!sn__read_object(reader, json, &sn__table_channel, NULL))
        return;
    const Json *interpolation = sn__json_member(&reader->doc, json, "interpolation");
    int path, word = WORD_LINEAR;
    channel->joint = find_joint(reader, joints, sn__json_member(&reader->doc, json, "joint"));
    if (!sn__read_word(reader, sn__json_member(&reader->doc, json, "path"), paths, 3, &path) ||
        (interpolation && !sn__read_word(reader, interpolation, words, WORD_COUNT, &word)))
        return;
    channel->path = (SnKeyPath)path;
    read_keys(reader, sn__json_member(&reader->doc, json, "keys"), word, channel);
}

static void read_clip(Reader *reader, const Json *json, const InlineJoints *joints,
                      SnClipDef *clip) {
    ClipEntry entry = {.name = ""};
    sn__read_object(reader, json, &sn__table_clip, &entry);
    clip->name = entry.name;
    int count;
    const Json **items =
        sn__read_list(reader, sn__json_member(&reader->doc, json, "channels"), &count);
    SnChannelDef *channels = sn__reader_alloc(reader, (size_t)count, sizeof *channels);
    for (int i = 0; i < count && channels; ++i)
        read_channel(reader, items[i], joints, &channels[i]);
    clip->channels = channels;
    clip->channel_count = count;
}

SnSkeleton *sn__read_inline_skeleton(Reader *reader, const Json *json) {
    const Json *list = sn__json_member(&reader->doc, json, "clips");
    int errors = reader->errors->count, count;
    InlineJoints joints = {0};
    read_joints(reader, sn__json_member(&reader->doc, json, "joints"), &joints);
    const Json **items = sn__read_list(reader, list, &count);
    SnClipDef *clips = sn__reader_alloc(reader, (size_t)count, sizeof *clips);
    for (int i = 0; i < count && clips && !reader->out_of_memory; ++i)
        read_clip(reader, items[i], &joints, &clips[i]);
    if (reader->errors->count > errors || reader->errors->more || reader->out_of_memory)
        return NULL;
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = joints.count;
    def.joints = joints.joints;
    def.clip_count = count;
    def.clips = clips;
    SnSkeleton *skeleton = NULL;
    SnResult result = sn_skeleton_create(&def, NULL, &skeleton);
    if (result.code != SN_OK)
        sn__reader_error(reader, json, "%s", result.message);
    return skeleton;
}
