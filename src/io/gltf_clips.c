// The animations of a glTF file as clips.
#include "io/gltf_skeleton.h"

#include <stdio.h>
#include <string.h>

typedef struct Sampler {
    const Json *input, *output; // accessors
    SnKeyCurve curve;
} Sampler;

static SnResult no_memory(const GltfSkeleton *skeleton) {
    return sn_error(SN_ERROR_MEMORY, "%s: no memory for its animations", skeleton->source->path);
}

static bool is_text(const GltfSource *source, const Json *value, const char *text) {
    return value && value->kind == JSON_STRING &&
           strcmp(sn__json_string(&source->doc, value), text) == 0;
}

// Item `index` of an array.
static const Json *item_at(const GltfSource *source, const Json *object, const char *key,
                           int64_t index) {
    const Json *item = sn__source_first(source, object, key);
    for (; item && index > 0; --index)
        item = sn__json_next(&source->doc, item);
    return index == 0 ? item : NULL;
}

static SnResult find_sampler(const GltfSource *source, const Json *animation, const Json *channel,
                             const char *place, Sampler *out) {
    const Json *sampler =
        item_at(source, animation, "samplers", sn__source_int(source, channel, "sampler", -1));
    const Json *curve = sn__json_member(&source->doc, sampler, "interpolation");
    if (sampler == NULL)
        return sn_error(SN_ERROR_FORMAT, "%s: a channel has no sampler", place);
    out->input = sn__source_item(source, SOURCE_ACCESSORS, sampler, "input");
    out->output = sn__source_item(source, SOURCE_ACCESSORS, sampler, "output");
    if (curve == NULL || is_text(source, curve, "LINEAR"))
        out->curve = SN_KEYS_LINEAR;
    else if (is_text(source, curve, "STEP"))
        out->curve = SN_KEYS_STEP;
    else if (is_text(source, curve, "CUBICSPLINE"))
        out->curve = SN_KEYS_CUBIC;
    else
        return sn_error(SN_ERROR_FORMAT,
                        "%s: a sampler's interpolation is not LINEAR, STEP or CUBICSPLINE", place);
    return sn_ok();
}

static SnResult read_keys(GltfSkeleton *skeleton, const Sampler *sampler, const char *place,
                          SnChannelDef *out) {
    bool turns = out->path == SN_KEYS_ROTATION;
    int width = turns ? 4 : 3, per_key = sampler->curve == SN_KEYS_CUBIC ? 3 : 1;
    GltfElements times = {0}, values = {0};
    SnResult result =
        sn__source_numbers(skeleton->source, sampler->input, "SCALAR", false, "times", &times);
    if (result.code == SN_OK)
        result = sn__source_numbers(skeleton->source, sampler->output, turns ? "VEC4" : "VEC3",
                                    true, "keys", &values);
    if (result.code != SN_OK)
        return result;
    if ((int64_t)times.count * per_key != values.count)
        return sn_error(SN_ERROR_FORMAT, "%s: %d times and %d values do not go together", place,
                        times.count, values.count);
    result = sn__gltf_afford(skeleton, (uint64_t)values.count);
    if (result.code != SN_OK)
        return result;
    float *t = sn__arena_alloc(&skeleton->arena, (size_t)times.count, sizeof *t);
    float *v = sn__arena_alloc(&skeleton->arena, (size_t)values.count * (size_t)width, sizeof *v);
    if (t == NULL || v == NULL)
        return no_memory(skeleton);
    for (int i = 0; i < times.count; ++i)
        t[i] = (float)sn__element_number(&times, i, 0);
    for (int i = 0; i < values.count; ++i)
        for (int c = 0; c < width; ++c)
            v[i * width + c] = (float)sn__element_number(&values, i, c);
    out->curve = sampler->curve;
    out->key_count = times.count;
    out->times = t;
    out->values = v;
    return result;
}

// A channel that moves a joint of the scene; others are left out. *out_count grows by what was read.
static SnResult read_channel(GltfSkeleton *skeleton, const Json *animation, const Json *channel,
                             const char *place, SnChannelDef *out, int *out_count) {
    static const char *const paths[] = {"translation", "rotation", "scale"}; // as SnKeyPath
    const GltfSource *source = skeleton->source;
    const Json *target = sn__json_member(&source->doc, channel, "target");
    const Json *path = sn__json_member(&source->doc, target, "path");
    int64_t node = sn__source_int(source, target, "node", -1);
    int found = -1;
    for (int i = 0; i < 3; ++i)
        found = is_text(source, path, paths[i]) ? i : found;
    if (found < 0 || node < 0) // weights of morph targets, and what extensions move
        return sn_ok();
    if (node >= source->counts[SOURCE_NODES])
        return sn_error(SN_ERROR_FORMAT, "%s: a channel moves node %lld, which does not exist",
                        place, (long long)node);
    if (skeleton->joint_of[node] < 0)
        return sn_ok();
    *out = (SnChannelDef){.joint = skeleton->joint_of[node], .path = (SnKeyPath)found};
    Sampler sampler = {0};
    SnResult result = find_sampler(source, animation, channel, place, &sampler);
    if (result.code == SN_OK)
        result = read_keys(skeleton, &sampler, place, out);
    *out_count += result.code == SN_OK;
    return result;
}

static SnResult read_clip(GltfSkeleton *skeleton, int index, SnClipDef *clip) {
    const GltfSource *source = skeleton->source;
    const Json *animation = source->lists[SOURCE_ANIMATIONS][index];
    const Json *list = sn__json_member(&source->doc, animation, "channels");
    size_t count = list && list->kind == JSON_ARRAY ? list->count : 0;
    SnChannelDef *channels = sn__arena_alloc(&skeleton->arena, count, sizeof *channels);
    char number[32], place[160];
    snprintf(number, sizeof number, "clip %d", index);
    clip->name = sn__source_name(source, animation);
    snprintf(place, sizeof place, "%.80s: %s \"%.40s\"", source->path, number, clip->name);
    if (!clip->name[0])
        clip->name = sn__arena_text(&skeleton->arena, number, strlen(number));
    if (channels == NULL || clip->name == NULL)
        return no_memory(skeleton);
    clip->channels = channels;
    SnResult result = sn_ok();
    const Json *channel = count > 0 ? sn__json_first(list) : NULL;
    for (; channel && result.code == SN_OK; channel = sn__json_next(&source->doc, channel))
        result = read_channel(skeleton, animation, channel, place, &channels[clip->channel_count],
                              &clip->channel_count);
    return result;
}

SnResult sn__gltf_read_clips(GltfSkeleton *skeleton) {
    int count = skeleton->source->counts[SOURCE_ANIMATIONS];
    skeleton->clips = sn__arena_alloc(&skeleton->arena, (size_t)count, sizeof *skeleton->clips);
    SnResult result = skeleton->clips ? sn_ok() : no_memory(skeleton);
    for (int i = 0; i < count && result.code == SN_OK; ++i)
        result = read_clip(skeleton, i, &skeleton->clips[i]);
    skeleton->clip_count = count;
    return result;
}
