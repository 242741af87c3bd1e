// Pictures that the meshes of a glTF file are painted with. One that cannot be read, because its file
// is not there or is neither PNG nor JPEG, is left out: it changes nothing that is simulated.
#include "io/gltf_skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static SnResult no_memory(const GltfSkeleton *skeleton) {
    return sn_error(SN_ERROR_MEMORY, "%s: no memory for its images", skeleton->source->path);
}

// Told by its first bytes; NULL for what is neither.
static const char *mime_of(const GltfBytes *bytes) {
    static const unsigned char png[] = {0x89, 'P', 'N', 'G'}, jpeg[] = {0xFF, 0xD8, 0xFF};
    if (bytes->size > sizeof png && memcmp(bytes->bytes, png, sizeof png) == 0)
        return "image/png";
    if (bytes->size > sizeof jpeg && memcmp(bytes->bytes, jpeg, sizeof jpeg) == 0)
        return "image/jpeg";
    return NULL;
}

static bool make_room(GltfSkeleton *skeleton) {
    size_t count = (size_t)skeleton->source->counts[SOURCE_IMAGES];
    if (skeleton->image_of)
        return true;
    skeleton->images = sn__arena_alloc(&skeleton->arena, count, sizeof *skeleton->images);
    skeleton->image_of = sn__arena_alloc(&skeleton->arena, count, sizeof *skeleton->image_of);
    for (size_t i = 0; i < count && skeleton->image_of; ++i)
        skeleton->image_of[i] = -2; // not looked at yet
    return skeleton->images && skeleton->image_of;
}

// The number of an image among those that were read, or −1.
static SnResult read_image(GltfSkeleton *skeleton, int image, int *out) {
    const GltfSource *source = skeleton->source;
    if (!make_room(skeleton))
        return no_memory(skeleton);
    *out = skeleton->image_of[image];
    if (*out != -2)
        return sn_ok();
    GltfBytes bytes;
    SnResult result = sn__source_image(source, source->lists[SOURCE_IMAGES][image], &bytes);
    const char *mime = result.code == SN_OK ? mime_of(&bytes) : NULL;
    *out = skeleton->image_of[image] = -1;
    bool good = true;
    if (mime) {
        void *copy = sn__arena_alloc(&skeleton->arena, bytes.size, 1);
        good = copy != NULL;
        if (good) {
            memcpy(copy, bytes.bytes, bytes.size);
            *out = skeleton->image_of[image] = skeleton->image_count;
            skeleton->images[skeleton->image_count++] = (SnSkeletonImage){mime, copy, bytes.size};
        }
    }
    free(bytes.owned);
    return good ? sn_ok() : no_memory(skeleton);
}

static SnResult read_coordinates(GltfSkeleton *skeleton, const Json *accessor,
                                 SnSkeletonMesh *mesh) {
    GltfElements from = {0};
    SnResult result =
        sn__source_numbers(skeleton->source, accessor, "VEC2", true, "coordinates", &from);
    if (result.code != SN_OK || from.count != mesh->vertex_count)
        return result.code != SN_OK
                   ? result
                   : sn_error(SN_ERROR_FORMAT, "%s: %d coordinates of %d vertices",
                              skeleton->source->path, from.count, mesh->vertex_count);
    float *to = sn__arena_alloc(&skeleton->arena, 2 * (size_t)from.count, sizeof *to);
    if (to == NULL)
        return no_memory(skeleton);
    for (int i = 0; i < 2 * from.count; ++i)
        to[i] = (float)sn__element_number(&from, i / 2, i % 2);
    mesh->texcoords = to;
    return result;
}

SnResult sn__gltf_read_paint(GltfSkeleton *skeleton, const Json *primitive, SnSkeletonMesh *mesh) {
    const GltfSource *source = skeleton->source;
    const Json *material = sn__source_item(source, SOURCE_MATERIALS, primitive, "material");
    const Json *parts = sn__json_member(&source->doc, material, "pbrMetallicRoughness");
    const Json *paint = sn__json_member(&source->doc, parts, "baseColorTexture");
    const Json *texture = sn__source_item(source, SOURCE_TEXTURES, paint, "index");
    int64_t image = sn__source_int(source, texture, "source", -1);
    int64_t set = sn__source_int(source, paint, "texCoord", 0);
    if (image < 0 || image >= source->counts[SOURCE_IMAGES] || set < 0)
        return sn_ok();
    char key[40];
    snprintf(key, sizeof key, "TEXCOORD_%lld", (long long)set);
    const Json *attributes = sn__json_member(&source->doc, primitive, "attributes");
    const Json *accessor = sn__source_item(source, SOURCE_ACCESSORS, attributes, key);
    if (accessor == NULL)
        return sn_ok();
    SnResult result = read_image(skeleton, (int)image, &mesh->image);
    return result.code == SN_OK && mesh->image >= 0 ? read_coordinates(skeleton, accessor, mesh)
                                                    : result;
}
