// The recording of a character, written onto its own file: which of its meshes get targets, what is put behind its
// bytes, and whether that can be done.
#include "io/gltf_onto.h"

#include "base/null.h"
#include "io/gltf_actor.h"
#include "io/gltf_morph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GLB_MAX 0xFFFFFFFFu
#define MOST_OWN_TARGETS 256
#define SAME 1e-4f // of a rotation in 16 bits; of other values it is a part

const Json *sn__onto_mesh(const Onto *onto, int mesh) {
    int node = onto->read->nodes[onto->read->shown_by[mesh]];
    return sn__source_item(onto->source, SOURCE_MESHES, onto->source->lists[SOURCE_NODES][node],
                           "mesh");
}

int sn__onto_targets_before(const Onto *onto, const Json *mesh) {
    const Json *primitive = sn__source_first(onto->source, mesh, "primitives");
    const Json *targets = sn__json_member(&onto->source->doc, primitive, "targets");
    return targets && targets->kind == JSON_ARRAY ? (int)targets->count : 0;
}

int sn__onto_targets_added(const Onto *onto, const Json *mesh) {
    int count = 0;
    for (int i = 0; i < onto->actor->mesh_count && onto->actor->morphs; ++i)
        if (sn__onto_mesh(onto, i) == mesh)
            count += sn__gltf_written_targets(&onto->actor->morphs[i]);
    return count;
}

float sn__onto_default_weight(const Onto *onto, int mesh, int target) {
    const GltfSource *source = onto->source;
    const Json *node = source->lists[SOURCE_NODES][onto->read->nodes[onto->read->shown_by[mesh]]];
    const Json *own = sn__source_first(source, node, "weights");
    const Json *value = own ? own : sn__source_first(source, sn__onto_mesh(onto, mesh), "weights");
    for (; value && target > 0; --target)
        value = sn__json_next(&source->doc, value);
    return value && value->kind == JSON_NUMBER ? (float)value->number : 0.0f;
}

static SnResult refuse(const Onto *onto, const char *why) {
    return sn_error(SN_ERROR_INVALID, "%s: %s", onto->source->path, why);
}

// Whether the file has what was recorded: the same joints, and the same vertices.
static SnResult check_same(const Onto *onto) {
    const SnSkeleton *skeleton = onto->actor->skeleton;
    bool same = onto->read->joint_count == onto->actor->joint_count &&
                onto->read->mesh_count == onto->actor->mesh_count;
    for (int i = 0; i < onto->actor->mesh_count && same; ++i) {
        SnSkeletonMesh mesh = sn_skeleton_mesh(skeleton, i);
        const SnSkeletonMesh *own = &onto->read->meshes[i];
        same = own->vertex_count == mesh.vertex_count &&
               memcmp(own->positions, mesh.positions,
                      (size_t)mesh.vertex_count * sizeof *mesh.positions) == 0;
    }
    return same ? sn_ok() : refuse(onto, "has changed since the recording began");
}

static bool has_eight_joints(const Onto *onto, int mesh) {
    const JsonDoc *doc = &onto->source->doc;
    return sn__json_member(doc, sn__json_member(doc, onto->read->primitives[mesh], "attributes"),
                           "JOINTS_1") != NULL;
}

// What the targets cannot be added to.
static SnResult check_meshes(const Onto *onto) {
    const JsonDoc *doc = &onto->source->doc;
    for (int i = 0; i < onto->actor->mesh_count; ++i) {
        const Json *mesh = sn__onto_mesh(onto, i);
        if (sn__onto_targets_added(onto, mesh) == 0)
            continue;
        if (has_eight_joints(onto, i))
            return refuse(onto, "has vertices that follow more than four joints, which few "
                                "players show");
        int listed = 0, known = 0;
        for (const Json *p = sn__source_first(onto->source, mesh, "primitives"); p;
             p = sn__json_next(doc, p))
            ++listed;
        for (int k = 0; k < onto->actor->mesh_count; ++k)
            known += sn__onto_mesh(onto, k) == mesh;
        if (listed != known)
            return refuse(onto, "shows a mesh by several nodes, or as lines and points");
        if (sn__onto_targets_before(onto, mesh) > MOST_OWN_TARGETS)
            return refuse(onto, "has more than 256 morph targets");
    }
    return sn_ok();
}

static SnResult check_bytes(const Onto *onto) {
    const GltfSource *source = onto->source;
    bool own = source->counts[SOURCE_BUFFERS] == 1 &&
               sn__json_member(&source->doc, source->lists[SOURCE_BUFFERS][0], "uri") == NULL;
    return own ? sn_ok() : refuse(onto, "is no GLB that has all of its bytes");
}

// Nodes whose mesh has new targets, each once.
static void find_weighted(Onto *onto) {
    for (int i = 0; i < onto->actor->mesh_count; ++i) {
        bool known = false;
        for (int k = 0; k < i; ++k)
            known |= onto->read->shown_by[k] == onto->read->shown_by[i];
        if (!known && sn__onto_targets_added(onto, sn__onto_mesh(onto, i)) > 0)
            onto->weighted[onto->weighted_count++] = i;
    }
}

// The mesh that a channel moves the weights of, if it has new targets; −1: another channel.
static int padded_mesh(const Onto *onto, const Json *channel) {
    const JsonDoc *doc = &onto->source->doc;
    const Json *target = sn__json_member(doc, channel, "target");
    const Json *path = sn__json_member(doc, target, "path");
    int64_t node = sn__source_int(onto->source, target, "node", -1);
    if (path == NULL || path->kind != JSON_STRING ||
        strcmp(sn__json_string(doc, path), "weights") != 0)
        return -1;
    for (int k = 0; k < onto->weighted_count; ++k)
        if (onto->read->nodes[onto->read->shown_by[onto->weighted[k]]] == node)
            return onto->weighted[k];
    return -1;
}

static SnResult add_pad(Onto *onto, const Json *animation, const Json *channel, int mesh) {
    const GltfSource *source = onto->source;
    int64_t number = sn__source_int(source, channel, "sampler", -1);
    const Json *sampler = sn__source_first(source, animation, "samplers");
    for (; sampler && number > 0; --number)
        sampler = sn__json_next(&source->doc, sampler);
    const Json *from = sn__json_member(&source->doc, sampler, "output") && number == 0
                           ? sn__source_item(source, SOURCE_ACCESSORS, sampler, "output")
                           : NULL;
    OntoPad *pad = &onto->pads[onto->pad_count++];
    const Json *own = sn__onto_mesh(onto, mesh);
    pad->sampler = sampler;
    pad->before = sn__onto_targets_before(onto, own);
    pad->total = pad->before + sn__onto_targets_added(onto, own);
    SnResult result = sn__source_numbers(source, from, "SCALAR", true, "weights", &pad->values);
    if (result.code == SN_OK && (pad->before == 0 || pad->values.count % pad->before != 0))
        result = refuse(onto, "has an animation of weights that does not fit its targets");
    return result;
}

// What animations of the file give to targets that were there has to leave the new ones out.
static SnResult find_pads(Onto *onto) {
    const GltfSource *source = onto->source;
    SnResult result = sn_ok();
    for (int pass = 0; pass < 2 && result.code == SN_OK; ++pass) {
        int count = 0;
        for (int a = 0; a < source->counts[SOURCE_ANIMATIONS]; ++a) {
            const Json *animation = source->lists[SOURCE_ANIMATIONS][a];
            const Json *channel = sn__source_first(source, animation, "channels");
            for (; channel && result.code == SN_OK;
                 channel = sn__json_next(&source->doc, channel)) {
                int mesh = padded_mesh(onto, channel);
                count += mesh >= 0;
                if (mesh >= 0 && pass == 1)
                    result = add_pad(onto, animation, channel, mesh);
            }
        }
        if (pass == 0 && (onto->pads = calloc((size_t)count + 1, sizeof *onto->pads)) == NULL)
            return sn_error(SN_ERROR_MEMORY, "%s: no memory to write onto it", source->path);
    }
    return result;
}

// What a joint has in the first frame, and at rest; four numbers.
static void still_values(const Onto *onto, int joint, int path, float now[4], float rest[4]) {
    const GltfActorSample *s = &sn__gltf_actor_samples(
        onto->gltf, onto->gltf->frames[0])[onto->actor->first_joint + joint];
    SnTransform own = sn_skeleton_joint(onto->actor->skeleton, joint).rest;
    const SnVec3 *vector = path == GLTF_SCALE ? &own.scale : &own.translation;
    memcpy(rest, vector, sizeof *vector);
    memcpy(now, path == GLTF_SCALE ? s->scale : s->translation, sizeof *vector);
    now[3] = rest[3] = 0.0f;
    if (path != GLTF_ROTATION)
        return;
    memcpy(rest, &own.rotation, 4 * sizeof *rest);
    SnQuat turn =
        quatf(normalisedq((Quatd){s->rotation[0], s->rotation[1], s->rotation[2], s->rotation[3]}));
    float sign = turn.x * rest[0] + turn.y * rest[1] + turn.z * rest[2] + turn.w * rest[3];
    memcpy(now, &turn, sizeof turn);
    for (int c = 0; c < 4 && sign < 0.0f; ++c)
        now[c] = -now[c];
}

static bool find_stills(Onto *onto) {
    size_t most = (size_t)onto->actor->joint_count * GLTF_PATHS;
    onto->stills = calloc(most + 1, sizeof *onto->stills);
    for (int j = 0; j < onto->actor->joint_count && onto->stills; ++j)
        for (int path = 0; path < GLTF_PATHS; ++path) {
            float now[4], rest[4], size = 0.0f, away = 0.0f;
            if (onto->layout.keys
                    ->sets[path][onto->gltf->joint_count + onto->actor->first_joint + j] >= 0)
                continue;
            still_values(onto, j, path, now, rest);
            for (int c = 0; c < 4; ++c) {
                size = fmaxf(size, fabsf(rest[c]));
                away = fmaxf(away, fabsf(now[c] - rest[c]));
            }
            if (away <= SAME * size)
                continue;
            OntoStill *still = &onto->stills[onto->still_count++];
            *still = (OntoStill){.joint = j, .path = path};
            memcpy(still->value, now, sizeof now);
        }
    return onto->stills != NULL;
}

static size_t still_size(const OntoStill *still) {
    return (still->path == GLTF_ROTATION ? 4 : 3) * sizeof(float);
}

// Everything that comes behind the bytes of the file.
static void lay_out(Onto *onto) {
    const SnGltf *gltf = onto->gltf;
    GltfLayout *layout = &onto->layout;
    static const int left_out[] = {GLTF_VERTICES, GLTF_INDICES, GLTF_BIND, GLTF_TEXCOORDS,
                                   GLTF_IMAGES};
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; ++k)
        layout->size[left_out[k]] = 0;
    uint64_t numbers = onto->weighted_count > 0 ? (uint64_t)gltf->frame_count : 0;
    int targets = 0;
    for (int i = 0; i < onto->actor->mesh_count && onto->actor->morphs; ++i)
        targets += sn__gltf_written_targets(&onto->actor->morphs[i]);
    for (int k = 0; k < onto->weighted_count; ++k) {
        const Json *mesh = sn__onto_mesh(onto, onto->weighted[k]);
        numbers += (uint64_t)gltf->frame_count * (uint64_t)(sn__onto_targets_before(onto, mesh) +
                                                            sn__onto_targets_added(onto, mesh));
    }
    for (int k = 0; k < onto->pad_count; ++k)
        numbers += (uint64_t)(onto->pads[k].values.count / onto->pads[k].before) *
                   (uint64_t)onto->pads[k].total;
    numbers += onto->still_count > 0;
    for (int k = 0; k < onto->still_count; ++k)
        numbers += still_size(&onto->stills[k]) / sizeof(float);
    layout->size[GLTF_MORPH_KEYS] = numbers * sizeof(float);
    layout->total = 0;
    for (int part = 0; part < GLTF_PARTS; ++part) {
        layout->offset[part] = onto->base + layout->total;
        layout->total += layout->size[part];
    }
    layout->first_view = onto->source->counts[SOURCE_VIEWS];
    int channels = sn__gltf_channel_total(gltf, layout->keys);
    onto->targets = onto->source->counts[SOURCE_ACCESSORS];
    onto->keys = onto->targets + 2 * targets;
    onto->weights = onto->keys + layout->keys->set_count + channels;
    onto->padded = onto->weights + (onto->weighted_count > 0) + onto->weighted_count;
    onto->still = onto->padded + onto->pad_count;
    onto->zeros = onto->still + (onto->still_count > 0) + onto->still_count;
}

static void write_weights(const Onto *onto, FileWriter *writer) {
    const SnGltf *gltf = onto->gltf;
    if (onto->weighted_count > 0)
        sn__file_write(writer, gltf->times, (size_t)gltf->frame_count * sizeof(float));
    for (int k = 0; k < onto->weighted_count; ++k) {
        int first = onto->weighted[k];
        const Json *mesh = sn__onto_mesh(onto, first);
        int before = sn__onto_targets_before(onto, mesh);
        for (int f = 0; f < gltf->frame_count; ++f) {
            for (int t = 0; t < before; ++t) {
                float own = sn__onto_default_weight(onto, first, t);
                sn__file_write(writer, &own, sizeof own);
            }
            for (int i = first; i < onto->actor->mesh_count; ++i)
                if (sn__onto_mesh(onto, i) == mesh)
                    sn__gltf_write_weights(&onto->actor->morphs[i], f, writer);
        }
    }
}

static void write_rest(const Onto *onto, FileWriter *writer) {
    const float zero = 0.0f;
    for (int k = 0; k < onto->pad_count; ++k) {
        const OntoPad *pad = &onto->pads[k];
        for (int i = 0; i < pad->values.count; ++i) {
            float value = (float)sn__element_number(&pad->values, i, 0);
            sn__file_write(writer, &value, sizeof value);
            for (int t = pad->before; t < pad->total && i % pad->before == pad->before - 1; ++t)
                sn__file_write(writer, &zero, sizeof zero);
        }
    }
    if (onto->still_count > 0)
        sn__file_write(writer, onto->gltf->times, sizeof(float));
    for (int k = 0; k < onto->still_count; ++k)
        sn__file_write(writer, onto->stills[k].value, still_size(&onto->stills[k]));
}

static SnResult write_file(const Onto *onto, const JsonWriter *json, const char *path) {
    FileWriter writer;
    SnResult result = sn__file_begin(&writer, path);
    if (result.code != SN_OK)
        return result;
    static const char fill[4] = {0};
    const GltfBytes *own = &onto->source->buffers[0];
    sn__gltf_write_head(json, onto->base + onto->layout.total, &writer);
    sn__file_write(&writer, own->bytes, own->size);
    sn__file_write(&writer, fill, (size_t)onto->base - own->size);
    sn__gltf_write_keys(onto->gltf, onto->layout.keys, &writer);
    sn__gltf_write_targets(onto->gltf, &writer);
    write_weights(onto, &writer);
    write_rest(onto, &writer);
    return sn__file_end(&writer);
}

static SnResult write_onto(Onto *onto, const char *path) {
    SnResult result = check_bytes(onto);
    if (result.code == SN_OK)
        result = check_same(onto);
    if (result.code == SN_OK)
        result = check_meshes(onto);
    onto->weighted = calloc((size_t)onto->actor->mesh_count + 1, sizeof *onto->weighted);
    if (result.code == SN_OK && onto->weighted) {
        find_weighted(onto);
        result = find_pads(onto);
    }
    if (result.code == SN_OK && (onto->weighted == NULL || !find_stills(onto)))
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    JsonWriter json = {0};
    if (result.code == SN_OK) {
        onto->base = ((uint64_t)onto->source->buffers[0].size + 3) / 4 * 4;
        lay_out(onto);
        sn__onto_json(onto, &json);
        static const char *const fill[] = {"", "   ", "  ", " "};
        sn__json_put_space(&json, fill[json.size % 4]);
        if (json.out_of_memory)
            result = sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
        else if (28 + json.size + onto->base + onto->layout.total > GLB_MAX)
            result = sn_error(SN_ERROR_LIMIT, "%s: more than the 4 GB that a GLB can have", path);
    }
    if (result.code == SN_OK)
        result = write_file(onto, &json, path);
    sn__json_writer_free(&json);
    free(onto->weighted);
    free(onto->pads);
    free(onto->stills);
    return result;
}

static SnResult open_onto(SnGltf *gltf, const GltfKeys *keys, const char *character,
                          const char *path) {
    GltfSource source;
    SnResult result = sn__source_open(character, &source);
    if (result.code != SN_OK)
        return result;
    GltfSkeleton read = {.source = &source};
    result = sn__gltf_read_joints(&read);
    if (result.code == SN_OK)
        result = sn__gltf_read_parts(&read);
    Onto onto = {.gltf = gltf,
                 .actor = &gltf->actors[0],
                 .source = &source,
                 .read = &read,
                 .layout = sn__gltf_layout(gltf, keys)};
    if (result.code == SN_OK)
        result = write_onto(&onto, path);
    sn__arena_free(&read.arena);
    sn__source_close(&source);
    return result;
}

SnResult sn_gltf_finish_onto(SnGltf *gltf, const char *character, const char *path) {
    if (gltf == NULL || character == NULL || path == NULL)
        return sn__null(gltf == NULL        ? "gltf"
                        : character == NULL ? "gltf: character"
                                            : "gltf: path");
    if (gltf->actor_count != 1 || gltf->rod_count > 0 || gltf->frame_count == 0 ||
        gltf->encoder.encode)
        return sn_error(SN_ERROR_INVALID,
                        "gltf: only frames of one skeleton alone, not compressed, can be written "
                        "onto its file");
    GltfKeys keys;
    if (!sn__gltf_reduce_morphs(gltf) || !sn__gltf_choose_keys(gltf, &keys))
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    SnResult result = open_onto(gltf, &keys, character, path);
    sn__gltf_free_keys(&keys);
    return result;
}
