// Morph targets in a GLB: their accessors, the animation of their weights, and their bytes.
#include "io/gltf_actor.h"
#include "io/gltf_morph.h"
#include "io/gltf_put.h"

#include <math.h>

static const GltfMorph *morph_of(const SnGltf *gltf, int actor, int mesh) {
    const GltfActor *a = &gltf->actors[actor];
    return a->morphs && a->morphs[mesh].count > 0 ? &a->morphs[mesh] : NULL;
}

float sn__gltf_written_number(const GltfMorph *morph, int target, int i) {
    if (target < morph->count)
        return morph->span[target] * morph->targets[target][i];
    double sum = 0.0;
    for (int k = 0; k < morph->count; ++k)
        sum += (double)morph->low[k] * (double)morph->targets[k][i];
    return (float)sum;
}

float sn__gltf_written_weight(const GltfMorph *morph, int frame, int target) {
    return target < morph->count
               ? (morph->weights[frame][target] - morph->low[target]) / morph->span[target]
               : 1.0f;
}

void sn__gltf_write_weights(const GltfMorph *morph, int frame, FileWriter *writer) {
    for (int k = 0; k < sn__gltf_written_targets(morph); ++k) {
        float weight = sn__gltf_written_weight(morph, frame, k);
        sn__file_write(writer, &weight, sizeof weight);
    }
}

static void write_target(const GltfMorph *morph, int target, FileWriter *writer) {
    for (int i = 0; i < 6 * morph->vertex_count; ++i) {
        float number = sn__gltf_written_number(morph, target, i);
        sn__file_write(writer, &number, sizeof number);
    }
}

bool sn__gltf_has_morphs(const SnGltf *gltf) { return sn_gltf_morphs(gltf).target_count > 0; }

// Positions and normals of each target, then the times, then the weights of each mesh.
int sn__gltf_morph_accessors(const SnGltf *gltf) {
    int count = 0, meshes = 0;
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i)
            if (morph_of(gltf, a, i)) {
                count += 2 * sn__gltf_written_targets(morph_of(gltf, a, i));
                ++meshes;
            }
    return meshes > 0 ? count + 1 + meshes : 0;
}

int sn__gltf_morph_accessor(const SnGltf *gltf, int actor, int mesh, int first) {
    for (int a = 0; a <= actor; ++a)
        for (int i = 0; i < (a == actor ? mesh : gltf->actors[a].mesh_count); ++i)
            first += morph_of(gltf, a, i) ? 2 * sn__gltf_written_targets(morph_of(gltf, a, i)) : 0;
    return first;
}

void sn__gltf_measure_morphs(const SnGltf *gltf, GltfLayout *layout) {
    if (!sn__gltf_has_morphs(gltf))
        return;
    uint64_t frames = (uint64_t)gltf->frame_count;
    layout->size[GLTF_MORPH_KEYS] = frames * sizeof(float);
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            const GltfMorph *morph = morph_of(gltf, a, i);
            if (morph == NULL)
                continue;
            layout->size[GLTF_MORPHS] += (uint64_t)sn__gltf_written_targets(morph) *
                                         (uint64_t)morph->vertex_count * 6 * sizeof(float);
            layout->size[GLTF_MORPH_KEYS] +=
                frames * (uint64_t)sn__gltf_written_targets(morph) * sizeof(float);
        }
}

static void put_target(const GltfMorph *morph, int target, int view, uint64_t *offset,
                       JsonWriter *w) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * morph->vertex_count; ++i) {
        float x = sn__gltf_written_number(morph, target, i);
        low[i % 3] = fminf(low[i % 3], x);
        high[i % 3] = fmaxf(high[i % 3], x);
    }
    for (int k = 0; k < 2; ++k) {
        open_accessor(w, view, *offset, COMPONENT_FLOAT, (uint64_t)morph->vertex_count, "VEC3");
        if (k == 0) {
            put_floats(w, "min", low, 3);
            put_floats(w, "max", high, 3);
        }
        sn__json_close(w, '}');
        *offset += (uint64_t)morph->vertex_count * 3 * sizeof(float);
    }
}

void sn__gltf_put_target_accessors(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w) {
    uint64_t offset = 0;
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i)
            for (int k = 0;
                 morph_of(gltf, a, i) && k < sn__gltf_written_targets(morph_of(gltf, a, i)); ++k)
                put_target(morph_of(gltf, a, i), k, view_number(layout, GLTF_MORPHS), &offset, w);
}

void sn__gltf_put_morph_accessors(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w) {
    if (!sn__gltf_has_morphs(gltf))
        return;
    uint64_t frames = (uint64_t)gltf->frame_count;
    sn__gltf_put_target_accessors(gltf, layout, w);
    int keys = view_number(layout, GLTF_MORPH_KEYS);
    open_accessor(w, keys, 0, COMPONENT_FLOAT, frames, "SCALAR");
    put_floats(w, "min", &gltf->times[0], 1);
    put_floats(w, "max", &gltf->times[gltf->frame_count - 1], 1);
    sn__json_close(w, '}');
    uint64_t offset = frames * sizeof(float);
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            const GltfMorph *morph = morph_of(gltf, a, i);
            if (morph == NULL)
                continue;
            uint64_t count = frames * (uint64_t)sn__gltf_written_targets(morph);
            open_accessor(w, keys, offset, COMPONENT_FLOAT, count, "SCALAR");
            sn__json_close(w, '}');
            offset += count * sizeof(float);
        }
}

void sn__gltf_put_morph_samplers(const SnGltf *gltf, int first, JsonWriter *w) {
    int times = sn__gltf_morph_accessor(gltf, gltf->actor_count - 1,
                                        gltf->actors[gltf->actor_count - 1].mesh_count, first);
    int output = times + 1;
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i)
            if (morph_of(gltf, a, i)) {
                sn__json_open(w, '{');
                put_int(w, "input", times);
                put_int(w, "output", output++);
                sn__json_close(w, '}');
            }
}

void sn__gltf_put_morph_channels(const SnGltf *gltf, int *sampler, JsonWriter *w) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i)
            if (morph_of(gltf, a, i))
                put_channel(w, (*sampler)++, sn__gltf_actor_mesh_node(gltf, a, i), GLTF_PATHS);
}

void sn__gltf_write_targets(const SnGltf *gltf, FileWriter *writer) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i)
            for (int k = 0;
                 morph_of(gltf, a, i) && k < sn__gltf_written_targets(morph_of(gltf, a, i)); ++k)
                write_target(morph_of(gltf, a, i), k, writer);
}

void sn__gltf_write_morphs(const SnGltf *gltf, FileWriter *writer) {
    if (!sn__gltf_has_morphs(gltf))
        return;
    sn__gltf_write_targets(gltf, writer);
    sn__file_write(writer, gltf->times, (size_t)gltf->frame_count * sizeof(float));
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            const GltfMorph *morph = morph_of(gltf, a, i);
            for (int f = 0; morph && f < gltf->frame_count; ++f)
                sn__gltf_write_weights(morph, f, writer);
        }
}
