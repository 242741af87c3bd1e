// Biovision's format: a tree of joints with offsets, then a line of numbers for every frame.
#include "io/bvh.h"

#include "io/arena.h"
#include "io/file.h"
#include "io/number.h"
#include "io/rotation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BVH_LIMIT ((size_t)256 << 20) // bytes
#define WORD_SIZE 96
#define MOST_CHANNELS 6
#define MOST_FRAMES 10000000

// What a number of a frame sets, of one joint.
typedef enum BvhChannel { BVH_X, BVH_Y, BVH_Z, BVH_TURN_X, BVH_TURN_Y, BVH_TURN_Z } BvhChannel;

typedef struct BvhJoint {
    int channel_count;
    BvhChannel channels[MOST_CHANNELS];
    float *translations, *rotations; // of all frames, NULL: they do not change
} BvhJoint;

typedef struct Bvh {
    const char *path, *at, *end;
    int line;
    char word[WORD_SIZE];
    SnResult error; // the first one
    Arena arena;
    int joint_count, joint_capacity;
    SnJointDef *joints;
    BvhJoint *parts;
    int frame_count;
    float *times;
} Bvh;

__attribute__((format(printf, 2, 3))) static bool fail(Bvh *bvh, const char *format, ...) {
    char message[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (bvh->error.code == SN_OK)
        bvh->error = sn_error(SN_ERROR_FORMAT, "%.80s:%d: %s", bvh->path, bvh->line, message);
    return false;
}

static bool fail_memory(Bvh *bvh) {
    if (bvh->error.code == SN_OK)
        bvh->error = sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", bvh->path);
    return false;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The next word, cut off if it is very long; false at the end.
static bool next_word(Bvh *bvh) {
    while (bvh->at < bvh->end && is_space(*bvh->at))
        bvh->line += *bvh->at++ == '\n';
    size_t length = 0;
    while (bvh->at < bvh->end && !is_space(*bvh->at)) {
        if (length + 1 < WORD_SIZE)
            bvh->word[length++] = *bvh->at;
        ++bvh->at;
    }
    bvh->word[length] = 0;
    return length > 0;
}

static bool expect(Bvh *bvh, const char *word) {
    if (!next_word(bvh))
        return fail(bvh, "the file ends where \"%s\" should be", word);
    return strcmp(bvh->word, word) == 0 || fail(bvh, "\"%.40s\" is not \"%s\"", bvh->word, word);
}

// Numbers may start or end with their point and have a plus, which JSON's may not.
static bool read_number(Bvh *bvh, double *out) {
    if (!next_word(bvh))
        return fail(bvh, "the file ends where a number should be");
    char text[WORD_SIZE + 4];
    const char *from = bvh->word;
    size_t length = 0;
    if (*from == '-')
        text[length++] = '-';
    from += *from == '-' || *from == '+';
    while (from[0] == '0' && from[1] >= '0' && from[1] <= '9')
        ++from;
    if (*from == '.')
        text[length++] = '0';
    for (; *from; ++from) {
        bool bare = *from == '.' && !(from[1] >= '0' && from[1] <= '9');
        text[length++] = *from;
        if (bare)
            text[length++] = '0';
        if (length > WORD_SIZE)
            break;
    }
    if (length == 0 || sn__number_parse(text, length, out) != length || !isfinite(*out) ||
        fabs(*out) > (double)SN_MAX_POSITION)
        return fail(bvh, "\"%.40s\" is not a number within 1e9", bvh->word);
    return true;
}

static bool read_count(Bvh *bvh, int most, int *out) {
    double number;
    if (!read_number(bvh, &number))
        return false;
    if (!(number >= 0 && number <= most && number == floor(number)))
        return fail(bvh, "%g is not a whole number from 0 to %d", number, most);
    *out = (int)number;
    return true;
}

// One more joint; its number, or −1.
static int add_joint(Bvh *bvh, const char *name, int parent) {
    if (bvh->joint_count == bvh->joint_capacity) {
        int capacity = 2 * bvh->joint_capacity + 64;
        SnJointDef *joints = sn__arena_alloc(&bvh->arena, (size_t)capacity, sizeof *joints);
        BvhJoint *parts = sn__arena_alloc(&bvh->arena, (size_t)capacity, sizeof *parts);
        if (joints == NULL || parts == NULL) {
            fail_memory(bvh);
            return -1;
        }
        if (bvh->joint_count > 0) {
            memcpy(joints, bvh->joints, (size_t)bvh->joint_count * sizeof *joints);
            memcpy(parts, bvh->parts, (size_t)bvh->joint_count * sizeof *parts);
        }
        bvh->joints = joints;
        bvh->parts = parts;
        bvh->joint_capacity = capacity;
    }
    char *copy = sn__arena_text(&bvh->arena, name, strlen(name));
    if (copy == NULL) {
        fail_memory(bvh);
        return -1;
    }
    bvh->joints[bvh->joint_count] = (SnJointDef){.name = copy,
                                                 .parent = parent,
                                                 .rest.rotation = sn_quat_identity(),
                                                 .rest.scale = {1, 1, 1},
                                                 .bone = true};
    return bvh->joint_count++;
}

static bool read_channels(Bvh *bvh, int joint) {
    static const char *const names[] = {"Xposition", "Yposition", "Zposition",
                                        "Xrotation", "Yrotation", "Zrotation"}; // as BvhChannel
    BvhJoint *part = &bvh->parts[joint];
    if (!read_count(bvh, MOST_CHANNELS, &part->channel_count))
        return false;
    for (int i = 0; i < part->channel_count; ++i) {
        int found = -1;
        if (!next_word(bvh))
            return fail(bvh, "the file ends where a channel should be");
        for (int k = 0; k < MOST_CHANNELS; ++k)
            found = strcmp(bvh->word, names[k]) == 0 ? k : found;
        if (found < 0)
            return fail(bvh, "\"%.40s\" is not a channel such as Xrotation", bvh->word);
        part->channels[i] = (BvhChannel)found;
    }
    return true;
}

// "ROOT name", "JOINT name" or "End Site", up to its brace. The joint's number, or −1.
static int open_joint(Bvh *bvh, int parent, bool site) {
    char name[WORD_SIZE + 8];
    if (site)
        snprintf(name, sizeof name, "%.80s end", bvh->joints[parent].name);
    if (site ? !expect(bvh, "Site") : !next_word(bvh)) {
        fail(bvh, "a joint without a name");
        return -1;
    }
    int joint = add_joint(bvh, site ? name : bvh->word, parent);
    return joint >= 0 && expect(bvh, "{") ? joint : -1;
}

static bool read_offset(Bvh *bvh, int joint) {
    double v[3];
    for (int c = 0; c < 3; ++c)
        if (!read_number(bvh, &v[c]))
            return false;
    bvh->joints[joint].rest.translation = sn_vec3((float)v[0], (float)v[1], (float)v[2]);
    return true;
}

// All roots, up to "MOTION". Joints lie on each other as braces do.
static bool read_hierarchy(Bvh *bvh) {
    int joint = -1;
    if (!expect(bvh, "HIERARCHY"))
        return false;
    while (next_word(bvh)) {
        const char *word = bvh->word;
        bool good = true;
        if (joint < 0 && strcmp(word, "MOTION") == 0)
            return bvh->joint_count > 0 || fail(bvh, "there is no ROOT");
        if (strcmp(word, "ROOT") == 0 && joint < 0)
            good = (joint = open_joint(bvh, -1, false)) >= 0;
        else if (strcmp(word, "JOINT") == 0 && joint >= 0)
            good = (joint = open_joint(bvh, joint, false)) >= 0;
        else if (strcmp(word, "End") == 0 && joint >= 0)
            good = (joint = open_joint(bvh, joint, true)) >= 0;
        else if (strcmp(word, "OFFSET") == 0 && joint >= 0)
            good = read_offset(bvh, joint);
        else if (strcmp(word, "CHANNELS") == 0 && joint >= 0)
            good = read_channels(bvh, joint);
        else if (strcmp(word, "}") == 0 && joint >= 0)
            joint = bvh->joints[joint].parent;
        else
            good = fail(bvh, "\"%.40s\" should be %s", word,
                        joint < 0 ? "ROOT or MOTION" : "OFFSET, CHANNELS, JOINT, End or }");
        if (!good)
            return false;
    }
    return fail(bvh, "the file ends before its MOTION");
}

static bool make_room(Bvh *bvh) {
    size_t frames = (size_t)bvh->frame_count;
    bvh->times = sn__arena_alloc(&bvh->arena, frames, sizeof *bvh->times);
    bool good = bvh->times != NULL;
    for (int i = 0; i < bvh->joint_count && good; ++i) {
        BvhJoint *part = &bvh->parts[i];
        bool moves = false, turns = false;
        for (int k = 0; k < part->channel_count; ++k) {
            moves |= part->channels[k] < BVH_TURN_X;
            turns |= part->channels[k] >= BVH_TURN_X;
        }
        if (moves)
            part->translations = sn__arena_alloc(&bvh->arena, 3 * frames, sizeof(float));
        if (turns)
            part->rotations = sn__arena_alloc(&bvh->arena, 4 * frames, sizeof(float));
        good = (!moves || part->translations) && (!turns || part->rotations);
    }
    return good || fail_memory(bvh);
}

// The channels of a joint in one frame: rotations in the order of the file, the first one outermost.
static bool read_pose(Bvh *bvh, int joint, int frame) {
    BvhJoint *part = &bvh->parts[joint];
    SnVec3 offset = bvh->joints[joint].rest.translation;
    float moved[3] = {offset.x, offset.y, offset.z};
    Quatd turn = {0, 0, 0, 1};
    for (int k = 0; k < part->channel_count; ++k) {
        BvhChannel channel = part->channels[k];
        double value;
        if (!read_number(bvh, &value))
            return false;
        if (channel < BVH_TURN_X) {
            moved[channel] = (float)value;
            continue;
        }
        Vec3d axis = {channel == BVH_TURN_X, channel == BVH_TURN_Y, channel == BVH_TURN_Z};
        turn = mulqd(turn, sn__rotation_about(axis, value));
    }
    SnQuat q = quatf(normalisedq(turn));
    const float turned[4] = {q.x, q.y, q.z, q.w};
    if (part->translations)
        memcpy(part->translations + 3 * (size_t)frame, moved, sizeof moved);
    if (part->rotations)
        memcpy(part->rotations + 4 * (size_t)frame, turned, sizeof turned);
    return true;
}

static bool read_motion(Bvh *bvh) {
    double step;
    if (!expect(bvh, "Frames:") || !read_count(bvh, MOST_FRAMES, &bvh->frame_count) ||
        !expect(bvh, "Frame") || !expect(bvh, "Time:") || !read_number(bvh, &step))
        return false;
    if (!(step > 0))
        return fail(bvh, "a frame time of %g s is not > 0", step);
    if (bvh->frame_count > bvh->end - bvh->at)
        return fail(bvh, "%d frames are more than the file has", bvh->frame_count);
    if (!make_room(bvh))
        return false;
    for (int frame = 0; frame < bvh->frame_count; ++frame) {
        bvh->times[frame] = (float)(step * frame);
        for (int joint = 0; joint < bvh->joint_count; ++joint)
            if (!read_pose(bvh, joint, frame))
                return false;
    }
    return !next_word(bvh) ||
           fail(bvh, "\"%.40s\" after the last of %d frames", bvh->word, bvh->frame_count);
}

static bool list_channels(Bvh *bvh, SnClipDef *clip) {
    SnChannelDef *channels =
        sn__arena_alloc(&bvh->arena, 2 * (size_t)bvh->joint_count, sizeof *channels);
    if (channels == NULL)
        return fail_memory(bvh);
    *clip = (SnClipDef){.name = "motion", .channels = channels};
    for (int i = 0; i < bvh->joint_count && bvh->frame_count > 0; ++i) {
        SnChannelDef channel = {.joint = i, .key_count = bvh->frame_count, .times = bvh->times};
        const float *values[] = {bvh->parts[i].translations, bvh->parts[i].rotations};
        for (int path = 0; path < 2; ++path) {
            channel.path = (SnKeyPath)path;
            channel.values = values[path];
            if (values[path])
                channels[clip->channel_count++] = channel;
        }
    }
    return true;
}

SnResult sn__skeleton_read_bvh(const char *path, const SnAllocator *allocator,
                               SnSkeleton **out_skeleton) {
    char *text = NULL;
    size_t size = 0;
    SnResult result = sn__file_read_regular(path, BVH_LIMIT, &text, &size);
    if (result.code != SN_OK)
        return result;
    Bvh bvh = {.path = path, .at = text, .end = text + size, .line = 1, .error = sn_ok()};
    SnClipDef clip;
    if (read_hierarchy(&bvh) && read_motion(&bvh) && list_channels(&bvh, &clip)) {
        SnSkeletonDef def = sn_default_skeleton_def();
        def.name = path;
        def.joint_count = bvh.joint_count;
        def.joints = bvh.joints;
        def.clip_count = bvh.frame_count > 0;
        def.clips = &clip;
        bvh.error = sn_skeleton_create(&def, allocator, out_skeleton);
        if (bvh.error.code == SN_ERROR_INVALID)
            bvh.error.code = SN_ERROR_FORMAT;
    }
    sn__arena_free(&bvh.arena);
    free(text);
    return bvh.error;
}
