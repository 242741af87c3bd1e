#include "app/cache.h"

#include "io/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The header of the file: little endian, without gaps. Start and rate are in frames.
typedef struct CacheHeader {
    char magic[12]; // "POINTCACHE2" and a zero
    int32_t version, points;
    float start, rate;
    int32_t samples;
} CacheHeader;

struct Cache {
    FileWriter writer;
    CacheHeader header;
};

static int vertex_count(const Actors *actors, int mesh) {
    const ActorMesh *own = &actors->meshes[mesh];
    const SnSkeleton *skeleton = sn_scene_skeleton(actors->scene, own->skeleton).skeleton;
    return sn_skeleton_mesh(skeleton, own->mesh).vertex_count;
}

SnResult cache_open(const char *path, const Actors *actors, Cache **out_cache) {
    *out_cache = NULL;
    if (actors->mesh_count == 0)
        return sn_error(SN_ERROR_INVALID, "%s: the scene has no skeleton with a mesh to be cached",
                        path);
    Cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory", path);
    cache->header = (CacheHeader){.magic = "POINTCACHE2", .version = 1, .rate = 1.0f};
    for (int i = 0; i < actors->mesh_count; ++i)
        cache->header.points += vertex_count(actors, i);
    SnResult result = sn__file_begin(&cache->writer, path);
    if (result.code != SN_OK) {
        free(cache);
        return result;
    }
    sn__file_write(&cache->writer, &cache->header, sizeof cache->header);
    *out_cache = cache;
    return result;
}

void cache_add(Cache *cache, const Actors *actors) {
    for (int i = 0; i < actors->mesh_count; ++i)
        sn__file_write(&cache->writer, actors->meshes[i].positions,
                       (size_t)vertex_count(actors, i) * sizeof(SnVec3));
    ++cache->header.samples;
}

SnResult cache_close(Cache *cache) {
    // How many frames there are is known at the end.
    if (cache->writer.error == 0 && fseek(cache->writer.file, 0, SEEK_SET) == 0)
        sn__file_write(&cache->writer, &cache->header, sizeof cache->header);
    SnResult result = sn__file_end(&cache->writer);
    free(cache);
    return result;
}
