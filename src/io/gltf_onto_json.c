// The JSON of a character's own file with what was recorded: all that is there is copied, and lists get longer.
#include "io/gltf_morph.h"
#include "io/gltf_onto.h"
#include "io/gltf_put.h"

#include <math.h>

static void copy(const JsonDoc *doc, const Json *value, JsonWriter *w);

static void copy_items(const JsonDoc *doc, const Json *list, JsonWriter *w) {
    for (const Json *item = list ? sn__json_first(list) : NULL; item;
         item = sn__json_next(doc, item))
        copy(doc, item, w);
}

static void copy_member(const JsonDoc *doc, const Json *member, JsonWriter *w) {
    sn__json_put_key(w, sn__json_key(doc, member));
    copy(doc, member, w);
}

static void copy_number(double number, JsonWriter *w) {
    if (fabs(number) < 9e15 && (double)(long long)number == number)
        sn__json_put_int(w, (long long)number);
    else
        sn__json_put_double(w, number);
}

static void copy(const JsonDoc *doc, const Json *value, JsonWriter *w) {
    switch (value->kind) {
    case JSON_NUMBER:
        copy_number(value->number, w);
        break;
    case JSON_STRING:
        sn__json_put_string(w, sn__json_string(doc, value));
        break;
    case JSON_BOOL:
        sn__json_put_bool(w, value->boolean);
        break;
    case JSON_ARRAY:
        sn__json_open(w, '[');
        copy_items(doc, value, w);
        sn__json_close(w, ']');
        break;
    case JSON_OBJECT:
        sn__json_open(w, '{');
        for (const Json *m = sn__json_first(value); m; m = sn__json_next(doc, m))
            copy_member(doc, m, w);
        sn__json_close(w, '}');
        break;
    default:
        sn__json_put_null(w);
        break;
    }
}

// The members of an object without one of them; the object stays open.
static void open_without(const JsonDoc *doc, const Json *object, const char *key, JsonWriter *w) {
    sn__json_open(w, '{');
    for (const Json *m = sn__json_first(object); m; m = sn__json_next(doc, m))
        if (strcmp(sn__json_key(doc, m), key) != 0)
            copy_member(doc, m, w);
}

// Whether other primitives of the mesh have targets that are zeros here.
static bool needs_zeros(const Onto *onto, int mesh) {
    return onto->actor->morphs && sn__onto_targets_added(onto, sn__onto_mesh(onto, mesh)) >
                                      sn__gltf_written_targets(&onto->actor->morphs[mesh]);
}

static int zero_accessor(const Onto *onto, int mesh) {
    int number = onto->zeros;
    for (int i = 0; i < mesh; ++i)
        number += needs_zeros(onto, i);
    return number;
}

// Targets that were there, and behind them those of all primitives: the own ones, and zeros for the others.
static void put_primitive_onto(const Onto *onto, const Json *mesh, int own, JsonWriter *w) {
    const JsonDoc *doc = &onto->source->doc;
    const Json *primitive = onto->read->primitives[own];
    bool normals =
        sn__json_member(doc, sn__json_member(doc, primitive, "attributes"), "NORMAL") != NULL;
    open_without(doc, primitive, "targets", w);
    open_member(w, "targets", '[');
    copy_items(doc, sn__json_member(doc, primitive, "targets"), w);
    for (int i = 0; i < onto->actor->mesh_count; ++i) {
        int first = sn__gltf_morph_accessor(onto->gltf, 0, i, onto->targets);
        for (int k = 0; k < sn__gltf_written_targets(&onto->actor->morphs[i]) &&
                        sn__onto_mesh(onto, i) == mesh;
             ++k) {
            sn__json_open(w, '{');
            put_int(w, "POSITION", i == own ? first + 2 * k : zero_accessor(onto, own));
            if (normals)
                put_int(w, "NORMAL", i == own ? first + 2 * k + 1 : zero_accessor(onto, own));
            sn__json_close(w, '}');
        }
    }
    sn__json_close(w, ']');
    sn__json_close(w, '}');
}

static void put_default_weights(const Onto *onto, int first, JsonWriter *w) {
    const Json *mesh = sn__onto_mesh(onto, first);
    int before = sn__onto_targets_before(onto, mesh), added = sn__onto_targets_added(onto, mesh);
    open_member(w, "weights", '[');
    for (int t = 0; t < before; ++t)
        sn__json_put_float(w, sn__onto_default_weight(onto, first, t));
    for (int t = 0; t < added; ++t)
        sn__json_put_int(w, 0);
    sn__json_close(w, ']');
}

static void put_mesh(const Onto *onto, const Json *mesh, JsonWriter *w) {
    const JsonDoc *doc = &onto->source->doc;
    int first = -1;
    for (int i = onto->actor->mesh_count - 1; i >= 0; --i)
        first = sn__onto_mesh(onto, i) == mesh ? i : first;
    if (first < 0 || sn__onto_targets_added(onto, mesh) == 0) {
        copy(doc, mesh, w);
        return;
    }
    sn__json_open(w, '{');
    for (const Json *m = sn__json_first(mesh); m; m = sn__json_next(doc, m))
        if (strcmp(sn__json_key(doc, m), "primitives") != 0 &&
            strcmp(sn__json_key(doc, m), "weights") != 0)
            copy_member(doc, m, w);
    open_member(w, "primitives", '[');
    for (int i = first; i < onto->actor->mesh_count; ++i)
        if (sn__onto_mesh(onto, i) == mesh)
            put_primitive_onto(onto, mesh, i, w);
    sn__json_close(w, ']');
    put_default_weights(onto, first, w);
    sn__json_close(w, '}');
}

// Weights of a node are in place of its mesh's, which has the same ones here.
static void put_node(const Onto *onto, const Json *node, JsonWriter *w) {
    const Json *mesh = sn__source_item(onto->source, SOURCE_MESHES, node, "mesh");
    if (mesh && sn__onto_targets_added(onto, mesh) > 0) {
        open_without(&onto->source->doc, node, "weights", w);
        sn__json_close(w, '}');
    } else {
        copy(&onto->source->doc, node, w);
    }
}

static void put_numbers(const Onto *onto, uint64_t *offset, uint64_t count, const char *type,
                        const float *bounds, JsonWriter *w) {
    open_accessor(w, view_number(&onto->layout, GLTF_MORPH_KEYS), *offset, COMPONENT_FLOAT, count,
                  type);
    if (bounds) {
        put_floats(w, "min", bounds, 1);
        put_floats(w, "max", bounds + 1, 1);
    }
    sn__json_close(w, '}');
    int width = type[0] == 'S' ? 1 : type[3] - '0';
    *offset += count * (uint64_t)width * sizeof(float);
}

// As the bytes are written.
static void put_accessors(const Onto *onto, JsonWriter *w) {
    const SnGltf *gltf = onto->gltf;
    uint64_t offset = 0, frames = (uint64_t)gltf->frame_count;
    const float bounds[2] = {gltf->times[0], gltf->times[gltf->frame_count - 1]};
    const float start[2] = {gltf->times[0], gltf->times[0]}, zero[3] = {0.0f, 0.0f, 0.0f};
    sn__gltf_put_target_accessors(gltf, &onto->layout, w);
    sn__gltf_put_key_accessors(gltf, &onto->layout, w);
    if (onto->weighted_count > 0)
        put_numbers(onto, &offset, frames, "SCALAR", bounds, w);
    for (int k = 0; k < onto->weighted_count; ++k) {
        const Json *mesh = sn__onto_mesh(onto, onto->weighted[k]);
        int count = sn__onto_targets_before(onto, mesh) + sn__onto_targets_added(onto, mesh);
        put_numbers(onto, &offset, frames * (uint64_t)count, "SCALAR", NULL, w);
    }
    for (int k = 0; k < onto->pad_count; ++k) {
        const OntoPad *pad = &onto->pads[k];
        put_numbers(onto, &offset,
                    (uint64_t)(pad->values.count / pad->before) * (uint64_t)pad->total, "SCALAR",
                    NULL, w);
    }
    if (onto->still_count > 0)
        put_numbers(onto, &offset, 1, "SCALAR", start, w);
    for (int k = 0; k < onto->still_count; ++k)
        put_numbers(onto, &offset, 1, onto->stills[k].path == GLTF_ROTATION ? "VEC4" : "VEC3", NULL,
                    w);
    for (int i = 0; i < onto->actor->mesh_count; ++i) {
        if (!needs_zeros(onto, i))
            continue;
        // Without a view, all of it is zero.
        sn__json_open(w, '{');
        put_int(w, "componentType", COMPONENT_FLOAT);
        put_int(w, "count", sn_skeleton_mesh(onto->actor->skeleton, i).vertex_count);
        put_string(w, "type", "VEC3");
        put_floats(w, "min", zero, 3);
        put_floats(w, "max", zero, 3);
        sn__json_close(w, '}');
    }
}

static void put_sampler(int input, int output, JsonWriter *w) {
    sn__json_open(w, '{');
    put_int(w, "input", input);
    put_int(w, "output", output);
    sn__json_close(w, '}');
}

static void put_samplers(const Onto *onto, JsonWriter *w) {
    open_member(w, "samplers", '[');
    sn__gltf_put_key_samplers(onto->gltf, onto->layout.keys, onto->keys, w);
    for (int k = 0; k < onto->weighted_count; ++k)
        put_sampler(onto->weights, onto->weights + 1 + k, w);
    for (int k = 0; k < onto->still_count; ++k)
        put_sampler(onto->still, onto->still + 1 + k, w);
    sn__json_close(w, ']');
}

static void put_animation(const Onto *onto, JsonWriter *w) {
    const int *nodes = onto->read->nodes;
    int sampler = 0, first = onto->gltf->joint_count + onto->actor->first_joint;
    sn__json_open(w, '{');
    put_string(w, "name", onto->gltf->title);
    put_samplers(onto, w);
    open_member(w, "channels", '[');
    for (int path = 0; path < GLTF_PATHS; ++path)
        for (int j = 0; j < onto->actor->joint_count; ++j)
            if (onto->layout.keys->sets[path][first + j] >= 0)
                put_channel(w, sampler++, nodes[j], path);
    for (int k = 0; k < onto->weighted_count; ++k)
        put_channel(w, sampler++, nodes[onto->read->shown_by[onto->weighted[k]]], GLTF_PATHS);
    for (int k = 0; k < onto->still_count; ++k)
        put_channel(w, sampler++, nodes[onto->stills[k].joint], onto->stills[k].path);
    sn__json_close(w, ']');
    sn__json_close(w, '}');
}

static void put_own_sampler(const Onto *onto, const Json *sampler, JsonWriter *w) {
    for (int k = 0; k < onto->pad_count; ++k)
        if (onto->pads[k].sampler == sampler) {
            open_without(&onto->source->doc, sampler, "output", w);
            put_int(w, "output", onto->padded + k);
            sn__json_close(w, '}');
            return;
        }
    copy(&onto->source->doc, sampler, w);
}

// The recording comes first, as some players play no other.
static void put_animations(const Onto *onto, JsonWriter *w) {
    const JsonDoc *doc = &onto->source->doc;
    sn__json_put_key(w, "animations");
    sn__json_open(w, '[');
    put_animation(onto, w);
    for (int a = 0; a < onto->source->counts[SOURCE_ANIMATIONS]; ++a) {
        const Json *own = onto->source->lists[SOURCE_ANIMATIONS][a];
        open_without(doc, own, "samplers", w);
        open_member(w, "samplers", '[');
        for (const Json *s = sn__source_first(onto->source, own, "samplers"); s;
             s = sn__json_next(doc, s))
            put_own_sampler(onto, s, w);
        sn__json_close(w, ']');
        sn__json_close(w, '}');
    }
    sn__json_close(w, ']');
}

static void put_buffer(const Onto *onto, const Json *buffer, JsonWriter *w) {
    open_without(&onto->source->doc, buffer, "byteLength", w);
    put_int(w, "byteLength", (long long)(onto->base + onto->layout.total));
    sn__json_close(w, '}');
}

static void put_list(const Onto *onto, const Json *list, const char *key, JsonWriter *w) {
    const JsonDoc *doc = &onto->source->doc;
    open_member(w, key, '[');
    for (const Json *item = sn__json_first(list); item; item = sn__json_next(doc, item))
        if (strcmp(key, "meshes") == 0)
            put_mesh(onto, item, w);
        else if (strcmp(key, "nodes") == 0)
            put_node(onto, item, w);
        else if (strcmp(key, "buffers") == 0)
            put_buffer(onto, item, w);
        else
            copy(doc, item, w);
    if (strcmp(key, "accessors") == 0)
        put_accessors(onto, w);
    if (strcmp(key, "bufferViews") == 0)
        sn__gltf_put_part_views(&onto->layout, w);
    sn__json_close(w, ']');
}

void sn__onto_json(const Onto *onto, JsonWriter *w) {
    static const char *const lists[] = {"meshes", "nodes", "buffers", "accessors", "bufferViews"};
    const JsonDoc *doc = &onto->source->doc;
    sn__json_open(w, '{');
    for (const Json *m = sn__json_first(sn__json_root(doc)); m; m = sn__json_next(doc, m)) {
        const char *key = sn__json_key(doc, m);
        bool is_list = false;
        for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k)
            is_list |= strcmp(key, lists[k]) == 0;
        if (is_list)
            put_list(onto, m, key, w);
        else if (strcmp(key, "animations") != 0)
            copy_member(doc, m, w);
    }
    put_animations(onto, w);
    sn__json_close(w, '}');
}
