// Reading keyframes: the file's own list, and those inside frames and activations.
#include "io/scene_target.h"
#include "io/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_interpolation(Reader *reader, const Json *json, Interpolation *out) {
    static const char *const words[] = {"linear", "smooth", "step"}; // as Interpolation
    int number = 0;
    if (json && !sn__read_word(reader, json, words, 3, &number))
        return false;
    *out = (Interpolation)number;
    return true;
}

static bool read_key_value(Reader *reader, const Json *json, const ValueSlot *slot, float *out) {
    if (slot->width == 1)
        return sn__read_float(reader, json, slot->range, out);
    if (slot->width == 3) {
        SnVec3 v;
        bool good = sn__read_vec3(reader, json, slot->range, &v);
        memcpy(out, &v, good ? sizeof v : 0);
        return good;
    }
    SnQuat q;
    bool good = sn__read_rotation(reader, json, &q);
    memcpy(out, &q, good ? sizeof q : 0);
    return good;
}

// q and −q are the same rotation: takes the one nearer to the key before.
static void join_signs(float *values, int count) {
    for (int i = 1; i < count; ++i) {
        float *q = values + 4 * (size_t)i, dot = 0;
        for (int c = 0; c < 4; ++c)
            dot += q[c] * q[c - 4];
        for (int c = 0; c < 4 && dot < 0; ++c)
            q[c] = -q[c];
    }
}

// [[t, value], …]
static bool read_keys(Reader *reader, const Json *list, const ValueSlot *slot, KeyCurve *curve) {
    const Range times_range = RANGE_NOT_NEGATIVE;
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    if (items == NULL || count == 0) {
        if (items)
            sn__reader_error(reader, list, "needs one key [t, value] or more");
        return false;
    }
    double *times = sn__reader_alloc(reader, (size_t)count, sizeof *times);
    float *values = sn__reader_alloc(reader, (size_t)count * (size_t)slot->width, sizeof *values);
    bool good = times && values;
    for (int i = 0; i < count && times && values; ++i) {
        if (items[i]->kind != JSON_ARRAY || items[i]->count != 2) {
            sn__reader_error(reader, items[i], "is not a key [t, value]");
            good = false;
            continue;
        }
        const Json *time = sn__json_first(items[i]);
        const Json *value = sn__json_next(&reader->doc, time);
        good = sn__read_double(reader, time, times_range, &times[i]) && good;
        good =
            read_key_value(reader, value, slot, values + (size_t)i * (size_t)slot->width) && good;
        if (good && i > 0 && times[i] <= times[i - 1]) {
            sn__reader_error(reader, time, "a key's time must be after the one before it");
            good = false;
        }
    }
    if (good && slot->width == 4)
        join_signs(values, count);
    curve->width = slot->width;
    curve->key_count = count;
    curve->times = times;
    curve->values = values;
    return good;
}

typedef struct Animator {
    Reader *reader;
    SnScene *scene;
    const Json **where; // the target of each channel, for errors
} Animator;

typedef struct Entry {
    const Json *where; // for errors about the target
    const char *target;
    const Json *keys, *interpolation;
    bool repeat;
} Entry;

static void add_channel(Animator *animator, const Entry *entry) {
    Reader *reader = animator->reader;
    SnScene *scene = animator->scene;
    ValueSlot slot;
    Channel channel = {0};
    if (!read_interpolation(reader, entry->interpolation, &channel.curve.interpolation) ||
        !sn__find_slot(reader, scene, entry->where, entry->target, &slot) ||
        !read_keys(reader, entry->keys, &slot, &channel.curve))
        return;
    channel.curve.repeat = entry->repeat && channel.curve.key_count > 1;
    channel.slot = slot.value;
    channel.kind = slot.target.kind;
    animator->where[scene->channel_count] = entry->where;
    scene->channels[scene->channel_count++] = channel;
    if (slot.animated && !*slot.animated) {
        *slot.animated = true;
        scene->targets[scene->target_count++] = slot.target;
    }
}

// `prefix` stands in front of the target; "" where the file gives all of it.
static void read_entry(Animator *animator, const Json *json, const char *prefix) {
    Reader *reader = animator->reader;
    AnimationEntry read = {"", false};
    if (!sn__read_object(reader, json, &sn__table_animation, &read))
        return;
    size_t length = strlen(prefix), more = strlen(read.target);
    char *target = sn__reader_alloc(reader, length + more + 1, 1);
    if (target == NULL)
        return;
    memcpy(target, prefix, length);
    memcpy(target + length, read.target, more + 1);
    Entry entry = {.where = sn__json_member(&reader->doc, json, "target"),
                   .target = target,
                   .keys = sn__json_member(&reader->doc, json, "keys"),
                   .interpolation = sn__json_member(&reader->doc, json, "interpolation"),
                   .repeat = read.repeat};
    add_channel(animator, &entry);
}

static void read_entries(Animator *animator, const Json *list, const char *prefix) {
    Reader *reader = animator->reader;
    if (list == NULL || !sn__read_array(reader, list))
        return;
    for (const Json *v = sn__json_first(list); v; v = sn__json_next(&reader->doc, v))
        if (v->kind == JSON_ARRAY)
            sn__reader_error(
                reader, v, "is not {\"target\": …, \"keys\": [[t, value], …]}; keys stand in that");
        else
            read_entry(animator, v, prefix);
}

static void read_activation(Animator *animator, const Json *json, const SceneBody *body,
                            int number) {
    char prefix[96];
    snprintf(prefix, sizeof prefix, "/%s/%d/activation/%d/", body->list, body->entry, number);
    read_entries(animator, sn__json_member(&animator->reader->doc, json, "animation"), prefix);
}

// The lists named `key` inside the items of `list`.
static size_t count_inner(const Reader *reader, const Json *list, const char *key) {
    size_t count = 0;
    if (sn__list_length(list) > 0)
        for (const Json *v = sn__json_first(list); v; v = sn__json_next(&reader->doc, v))
            count += sn__list_length(sn__json_member(&reader->doc, v, key));
    return count;
}

// Those inside the activations of bodies.
static size_t count_in_bodies(const Reader *reader, const Json *list) {
    size_t count = 0;
    if (sn__list_length(list) > 0)
        for (const Json *v = sn__json_first(list); v; v = sn__json_next(&reader->doc, v))
            count +=
                count_inner(reader, sn__json_member(&reader->doc, v, "activation"), "animation");
    return count;
}

static int compare_slots(const void *a, const void *b) {
    const Channel *left = *(const Channel *const *)a, *right = *(const Channel *const *)b;
    uintptr_t l = (uintptr_t)left->slot, r = (uintptr_t)right->slot;
    return l < r ? -1 : l > r;
}

// No value may be set by two animations.
static void check_animated_once(Animator *animator) {
    SnScene *scene = animator->scene;
    size_t count = (size_t)scene->channel_count;
    const Channel **sorted = sn__reader_alloc(animator->reader, count, sizeof *sorted);
    if (sorted == NULL)
        return;
    for (size_t i = 0; i < count; ++i)
        sorted[i] = &scene->channels[i];
    qsort(sorted, count, sizeof *sorted, compare_slots);
    for (size_t i = 1; i < count; ++i)
        if (sorted[i]->slot < sorted[i - 1]->slot + sorted[i - 1]->curve.width)
            sn__reader_error(animator->reader, animator->where[sorted[i] - scene->channels],
                             "this value is animated twice");
}

static void read_in_frames(Animator *animator, const Json *list) {
    const JsonDoc *doc = &animator->reader->doc;
    const Json *json = animator->scene->own_frame_count > 0 ? sn__json_first(list) : NULL;
    for (int i = 0; json; ++i, json = sn__json_next(doc, json)) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "/frames/%d/", i);
        read_entries(animator, sn__json_member(doc, json, "animation"), prefix);
    }
}

// In the bodies of one kind.
static void read_in_bodies(Animator *animator, const Json *list, int kind) {
    const JsonDoc *doc = &animator->reader->doc;
    const SnScene *scene = animator->scene;
    int begin = scene->kind_begin[kind], end = scene->kind_begin[kind + 1];
    const Json *json = end > begin ? sn__json_first(list) : NULL;
    for (int i = begin; json && i < end; ++i, json = sn__json_next(doc, json)) {
        const SceneBody *body = scene->bodies[i];
        const Json *inner = sn__json_member(doc, json, "activation");
        const Json *item = body->activation_count > 0 ? sn__json_first(inner) : NULL;
        for (int k = 0; item; ++k, item = sn__json_next(doc, item))
            read_activation(animator, item, body, k);
    }
}

void sn__read_animation(Reader *reader, SnScene *scene) {
    const JsonDoc *doc = &reader->doc;
    const Json *root = sn__json_root(doc);
    const Json *list = sn__json_member(doc, root, "animation");
    const Json *frames = sn__json_member(doc, root, "frames");
    const Json *bodies[SCENE_KIND_COUNT];
    size_t most = sn__list_length(list) + count_inner(reader, frames, "animation");
    for (int k = 0; k < SCENE_KIND_COUNT; ++k) {
        bodies[k] = sn__json_member(doc, root, sn__scene_lists[k].key);
        most += count_in_bodies(reader, bodies[k]);
    }
    scene->channels = sn__reader_alloc(reader, most, sizeof *scene->channels);
    scene->targets = sn__reader_alloc(reader, most, sizeof *scene->targets);
    Animator animator = {reader, scene, sn__reader_alloc(reader, most, sizeof(Json *))};
    if (reader->out_of_memory)
        return;
    read_entries(&animator, list, "");
    read_in_frames(&animator, frames);
    for (int k = 0; k < SCENE_KIND_COUNT; ++k)
        read_in_bodies(&animator, bodies[k], k);
    check_animated_once(&animator);
}
