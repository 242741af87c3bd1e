// A glTF file as a skeleton.
#include "io/gltf_skeleton.h"

SnResult sn__gltf_afford(GltfSkeleton *skeleton, uint64_t count) {
    const GltfSource *source = skeleton->source;
    uint64_t limit = source->file_size;
    for (int i = 0; i < source->counts[SOURCE_BUFFERS]; ++i)
        limit += source->buffers[i].owned ? source->buffers[i].size : 0;
    limit = limit > GLTF_MOST_SHARED ? limit : GLTF_MOST_SHARED;
    skeleton->used += count;
    if (skeleton->used <= limit)
        return sn_ok();
    return sn_error(SN_ERROR_LIMIT,
                    "%s: its nodes and samplers share so much that it grows to more than %llu "
                    "vertices, triangles, joints and keys; let fewer nodes show the same mesh",
                    source->path, (unsigned long long)limit);
}

SnResult sn__gltf_make_skeleton(const GltfSkeleton *from, const SnAllocator *allocator,
                                SnSkeleton **out_skeleton) {
    SnSkeletonDef def = sn_default_skeleton_def();
    def.name = from->source->path;
    def.joint_count = from->joint_count;
    def.joints = from->joints;
    def.clip_count = from->clip_count;
    def.clips = from->clips;
    def.mesh_count = from->mesh_count;
    def.meshes = from->meshes;
    def.image_count = from->image_count;
    def.images = from->images;
    if (def.joint_count == 0)
        return sn_error(SN_ERROR_FORMAT, "%s: its scene has no nodes: no joints and no triangles",
                        from->source->path);
    SnResult result = sn_skeleton_create(&def, allocator, out_skeleton);
    // What a file gets wrong is an error of the file.
    return result.code == SN_ERROR_INVALID ? sn_error(SN_ERROR_FORMAT, "%s", result.message)
                                           : result;
}

SnResult sn__skeleton_read_gltf(const char *path, bool clips, const SnAllocator *allocator,
                                SnSkeleton **out_skeleton) {
    GltfSource source;
    SnResult result = sn__source_open(path, &source);
    if (result.code != SN_OK)
        return result;
    GltfSkeleton skeleton = {.source = &source};
    result = sn__gltf_read_joints(&skeleton);
    if (result.code == SN_OK)
        result = sn__gltf_read_parts(&skeleton);
    if (result.code == SN_OK && clips)
        result = sn__gltf_read_clips(&skeleton);
    if (result.code == SN_OK)
        result = sn__gltf_make_skeleton(&skeleton, allocator, out_skeleton);
    sn__arena_free(&skeleton.arena);
    sn__source_close(&source);
    return result;
}
