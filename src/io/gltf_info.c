// A summary of a glTF file, from its JSON. Nothing in the file is trusted: numbers that point
// nowhere simply do not count.
#include "base/null.h"
#include "io/file.h"
#include "io/gltf_chunks.h"
#include "io/json.h"

#include <sinew/gltf.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The lists of the document that others point into, as arrays.
typedef struct Lists {
    const JsonDoc *doc;
    const Json *root;
    const Json **accessors;
    size_t accessor_count;
} Lists;

static int count_of(const Lists *lists, const char *key) {
    const Json *list = sn__json_member(lists->doc, lists->root, key);
    return list && list->kind == JSON_ARRAY ? (int)list->count : 0;
}

static const Json *first_of(const Lists *lists, const Json *object, const char *key) {
    const Json *list = sn__json_member(lists->doc, object, key);
    return list && list->kind == JSON_ARRAY ? sn__json_first(list) : NULL;
}

static double number_of(const Lists *lists, const Json *object, const char *key) {
    const Json *value = sn__json_member(lists->doc, object, key);
    return value && value->kind == JSON_NUMBER ? value->number : NAN;
}

// The accessor that object.key names, or NULL.
static const Json *accessor_of(const Lists *lists, const Json *object, const char *key) {
    double index = number_of(lists, object, key);
    return index >= 0 && index < (double)lists->accessor_count ? lists->accessors[(size_t)index]
                                                               : NULL;
}

static int accessor_size(const Lists *lists, const Json *accessor) {
    double count = accessor ? number_of(lists, accessor, "count") : 0;
    return count >= 0 && count < 2147483647.0 ? (int)count : 0;
}

// `limit` is "min" or "max"; false unless it has three numbers.
static bool read_corner(const Lists *lists, const Json *accessor, const char *limit,
                        double out[3]) {
    const Json *v = first_of(lists, accessor, limit);
    for (int c = 0; c < 3; ++c) {
        if (v == NULL || v->kind != JSON_NUMBER)
            return false;
        out[c] = v->number;
        v = sn__json_next(lists->doc, v);
    }
    return true;
}

static void add_bounds(const Lists *lists, const Json *accessor, SnGltfInfo *info) {
    double low[3], high[3];
    if (accessor == NULL || !read_corner(lists, accessor, "min", low) ||
        !read_corner(lists, accessor, "max", high))
        return;
    for (int c = 0; c < 3; ++c) {
        info->bounds_min[c] = info->has_bounds ? fmin(info->bounds_min[c], low[c]) : low[c];
        info->bounds_max[c] = info->has_bounds ? fmax(info->bounds_max[c], high[c]) : high[c];
    }
    info->has_bounds = true;
}

// Of files that claim more than there can be, as much as there can be.
static void add(int *sum, int count) { *sum += count < INT_MAX - *sum ? count : INT_MAX - *sum; }

static void add_primitive(const Lists *lists, const Json *primitive, SnGltfInfo *info) {
    const Json *attributes = sn__json_member(lists->doc, primitive, "attributes");
    const Json *position = attributes ? accessor_of(lists, attributes, "POSITION") : NULL;
    const Json *indices = accessor_of(lists, primitive, "indices");
    int vertices = accessor_size(lists, position);
    int corners = indices ? accessor_size(lists, indices) : vertices;
    double mode = number_of(lists, primitive, "mode");
    if (isnan(mode) || mode == 4) // triangles
        add(&info->triangles, corners / 3);
    else if (mode == 5 || mode == 6) // strips and fans
        add(&info->triangles, corners > 2 ? corners - 2 : 0);
    add(&info->vertices, vertices);
    add_bounds(lists, position, info);
}

static void add_meshes(const Lists *lists, SnGltfInfo *info) {
    const Json *mesh = first_of(lists, lists->root, "meshes");
    for (; mesh; mesh = sn__json_next(lists->doc, mesh)) {
        const Json *primitive = first_of(lists, mesh, "primitives");
        for (; primitive; primitive = sn__json_next(lists->doc, primitive))
            add_primitive(lists, primitive, info);
    }
}

static void add_skins(const Lists *lists, SnGltfInfo *info) {
    const Json *skin = first_of(lists, lists->root, "skins");
    for (; skin; skin = sn__json_next(lists->doc, skin)) {
        const Json *joints = sn__json_member(lists->doc, skin, "joints");
        info->joints += joints && joints->kind == JSON_ARRAY ? (int)joints->count : 0;
    }
}

static void add_animations(const Lists *lists, SnGltfInfo *info) {
    const Json *animation = first_of(lists, lists->root, "animations");
    for (; animation; animation = sn__json_next(lists->doc, animation)) {
        const Json *channels = sn__json_member(lists->doc, animation, "channels");
        info->channels += channels && channels->kind == JSON_ARRAY ? (int)channels->count : 0;
        const Json *sampler = first_of(lists, animation, "samplers");
        for (; sampler; sampler = sn__json_next(lists->doc, sampler)) {
            const Json *input = accessor_of(lists, sampler, "input");
            const Json *end = input ? first_of(lists, input, "max") : NULL;
            if (end && end->kind == JSON_NUMBER && end->number > info->duration)
                info->duration = end->number;
        }
    }
}

static SnResult summarise(const char *path, const JsonDoc *doc, SnGltfInfo *info) {
    const Json *root = sn__json_root(doc), *asset = sn__json_member(doc, root, "asset");
    if (asset == NULL)
        return sn_error(SN_ERROR_FORMAT, "%s: is not glTF: it has no \"asset\"", path);
    Lists lists = {.doc = doc, .root = root};
    size_t most = (size_t)count_of(&lists, "accessors");
    lists.accessors = malloc((most + 1) * sizeof *lists.accessors);
    if (lists.accessors == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", path);
    const Json *accessor = first_of(&lists, root, "accessors");
    for (; accessor; accessor = sn__json_next(doc, accessor))
        lists.accessors[lists.accessor_count++] = accessor;
    const Json *generator = sn__json_member(doc, asset, "generator");
    if (generator && generator->kind == JSON_STRING)
        snprintf(info->generator, sizeof info->generator, "%s", sn__json_string(doc, generator));
    info->nodes = count_of(&lists, "nodes");
    info->meshes = count_of(&lists, "meshes");
    info->materials = count_of(&lists, "materials");
    info->images = count_of(&lists, "images");
    info->skins = count_of(&lists, "skins");
    info->animations = count_of(&lists, "animations");
    add_meshes(&lists, info);
    add_skins(&lists, info);
    add_animations(&lists, info);
    free(lists.accessors);
    return sn_ok();
}

SnResult sn_gltf_info(const char *path, SnGltfInfo *out_info) {
    if (path == NULL)
        return sn__null("gltf info: path");
    if (out_info == NULL)
        return sn__null("gltf info: out_info");
    memset(out_info, 0, sizeof *out_info);
    char *bytes = NULL;
    size_t size = 0;
    SnResult result = sn__file_read_regular(path, GLTF_FILE_LIMIT, &bytes, &size);
    GltfChunks chunks;
    if (result.code == SN_OK) {
        out_info->bytes = size;
        result = sn__gltf_find_chunks(path, bytes, size, &chunks);
    }
    JsonDoc doc;
    if (result.code == SN_OK)
        result = sn__json_parse(path, chunks.text, chunks.text_size, &doc, NULL, NULL);
    if (result.code == SN_OK) {
        result = summarise(path, &doc, out_info);
        sn__json_free(&doc);
    }
    free(bytes);
    return result;
}
