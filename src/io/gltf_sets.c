// Which channels share the times of their keys.
//
// A line over n frames of a curve misses it by e n²/4, with e half its second difference, so that a
// channel needs about ρ = √(e / tolerance)/2 keys per frame, at most 1. Channels that share have the
// largest ρ of them all, and save the bytes of their own times. From one set for each channel on, the
// two sets are made one by which most bytes are saved, as long as there are such.
#include "io/gltf_keys.h"

#include <math.h>
#include <string.h>

#define BLOCKS 96        // of frames, in which a density is told
#define SET_BYTES 115.0f // of JSON
#define TIME_BYTES 4.0f  // of a key
#define FREE_ENDS 1.3f   // how much further lines reach that need not begin on the curve

typedef struct Sets {
    int count, blocks;
    int channel_set[GLTF_GROUP];
    float bytes[GLTF_GROUP]; // of a key of all channels
    float density[GLTF_GROUP][BLOCKS];
    float gain[GLTF_GROUP][GLTF_GROUP]; // of making two one
} Sets;

// Keys that a channel needs at one frame.
static float density_at(const SnGltf *gltf, const GltfChannel *channel, int frame) {
    int last = gltf->frame_count - 2;
    int middle = frame < 1 ? 1 : frame > last ? last : frame;
    float square = 0;
    for (int c = 0; c < channel->width && middle > 0; ++c) {
        float bend =
            sn__gltf_value(channel, middle)[c] - 0.5f * (sn__gltf_value(channel, middle - 1)[c] +
                                                         sn__gltf_value(channel, middle + 1)[c]);
        square += bend * bend;
    }
    float most = fmaxf(channel->tolerance, 1e-20f);
    return fminf(1.0f, sqrtf(sqrtf(square) / most) * 0.5f / FREE_ENDS);
}

float sn__gltf_keys_needed(const SnGltf *gltf, const GltfChannel *channel) {
    float sum = 0;
    for (int f = 0; f < gltf->frame_count; ++f)
        sum += density_at(gltf, channel, f);
    return sum;
}

static void measure(const SnGltf *gltf, const GltfChannel *channel, int calm, Sets *sets) {
    for (int f = 0; f <= calm; ++f)
        sets->density[sets->count][f * sets->blocks / gltf->frame_count] +=
            density_at(gltf, channel, f);
}

static float cost(float keys, float bytes) { return keys * (bytes + TIME_BYTES) + SET_BYTES; }

static float keys_of(const Sets *sets, int a, int b) {
    float sum = 0;
    for (int k = 0; k < sets->blocks; ++k)
        sum += fmaxf(sets->density[a][k], sets->density[b][k]);
    return sum;
}

static void find_gain(Sets *sets, int a, int b) {
    float apart =
        cost(keys_of(sets, a, a), sets->bytes[a]) + cost(keys_of(sets, b, b), sets->bytes[b]);
    float gain = apart - cost(keys_of(sets, a, b), sets->bytes[a] + sets->bytes[b]);
    sets->gain[a][b] = sets->gain[b][a] = gain;
}

// The second set becomes part of the first, which comes before it, and the last one takes its number.
static void join(Sets *sets, int a, int b, int channels) {
    int last = --sets->count;
    for (int k = 0; k < sets->blocks; ++k)
        sets->density[a][k] = fmaxf(sets->density[a][k], sets->density[b][k]);
    sets->bytes[a] += sets->bytes[b];
    memmove(sets->density[b], sets->density[last], sizeof sets->density[b]);
    sets->bytes[b] = sets->bytes[last];
    for (int s = 0; s <= last; ++s)
        sets->gain[b][s] = sets->gain[s][b] = sets->gain[last][s];
    for (int m = 0; m < channels; ++m) {
        int *set = &sets->channel_set[m];
        *set = *set == b ? a : *set == last ? b : *set;
    }
    for (int s = 0; s < sets->count; ++s)
        if (s != a)
            find_gain(sets, a, s);
}

static bool best_pair(const Sets *sets, int *out_a, int *out_b) {
    float best = 0;
    for (int a = 0; a < sets->count; ++a)
        for (int b = a + 1; b < sets->count; ++b)
            if (sets->gain[a][b] > best) {
                best = sets->gain[a][b];
                *out_a = a;
                *out_b = b;
            }
    return best > 0;
}

void sn__gltf_share_times(const GltfGroup *group, int first, int *out_sets) {
    Sets sets = {.blocks = group->gltf->frame_count < BLOCKS ? group->gltf->frame_count : BLOCKS};
    for (int m = 0; m < group->count; ++m) {
        const GltfChannel *channel = &group->channels[m];
        int calm = sn__gltf_calm_frame(group->gltf, channel);
        sets.channel_set[m] = calm > 0 ? sets.count : -1;
        if (calm == 0)
            continue;
        sets.bytes[sets.count] = (float)sn__gltf_key_size(channel->path);
        measure(group->gltf, channel, calm, &sets);
        ++sets.count;
    }
    for (int a = 0; a < sets.count; ++a)
        for (int b = 0; b < a; ++b)
            find_gain(&sets, a, b);
    for (int a = 0, b = 0; best_pair(&sets, &a, &b);)
        join(&sets, a, b, group->count);
    for (int m = 0; m < group->count; ++m)
        out_sets[m] = sets.channel_set[m] < 0 ? -1 : first + sets.channel_set[m];
}
