// Which reader a skeleton's file needs.
#include <sinew/skeleton_file.h>

#include "base/null.h"
#include "io/bvh.h"
#include "io/gltf_skeleton.h"

#include <string.h>
#include <strings.h>

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

SnResult sn_skeleton_load_file(const char *path, const SnAllocator *allocator,
                               SnSkeleton **out_skeleton) {
    if (path == NULL)
        return sn__null("skeleton: path");
    if (out_skeleton == NULL)
        return sn__null("skeleton: out_skeleton");
    *out_skeleton = NULL;
    if (ends_with(path, ".glb") || ends_with(path, ".gltf"))
        return sn__skeleton_read_gltf(path, true, allocator, out_skeleton);
    if (ends_with(path, ".bvh"))
        return sn__skeleton_read_bvh(path, allocator, out_skeleton);
    return sn_error(SN_ERROR_FORMAT, "%s: skeletons are read from .glb, .gltf and .bvh", path);
}
