// Where the joints of a skeleton were when its meshes were bound.
#include "base/null.h"
#include "implicit/implicit.h"

// A joint that nothing follows is at rest to the one above it, or to the first one below it.
static void find_others(const SnSkeleton *skeleton, bool *known, SnMap *maps) {
    int count = sn_skeleton_joint_count(skeleton);
    for (int i = count - 1; i >= 0; --i) {
        SnJointDef joint = sn_skeleton_joint(skeleton, i);
        if (!known[i] || joint.parent < 0 || known[joint.parent])
            continue;
        Map local = map_of_transform(&joint.rest), own = map_wide(&maps[i]);
        if (!(fabs(map_volume(&local)) > 1e-30))
            continue;
        Map back = map_inverse(&local), above = map_chain(&own, &back);
        maps[joint.parent] = map_narrow(&above);
        known[joint.parent] = true;
    }
    for (int i = 0; i < count; ++i) {
        SnJointDef joint = sn_skeleton_joint(skeleton, i);
        if (known[i] || joint.parent < 0)
            continue;
        Map local = map_of_transform(&joint.rest), above = map_wide(&maps[joint.parent]);
        Map own = map_chain(&above, &local);
        maps[i] = map_narrow(&own);
    }
}

SnResult sn_skeleton_bound_maps(const SnSkeleton *skeleton, SnMap *out_maps) {
    if (skeleton == NULL || out_maps == NULL)
        return sn__null(skeleton == NULL ? "bound maps: skeleton" : "bound maps: out_maps");
    SnAllocator allocator = sn__default_allocator();
    size_t count = (size_t)sn_skeleton_joint_count(skeleton);
    SnTransform *locals = sn__alloc_array(&allocator, count, sizeof *locals);
    bool *known = sn__alloc_array(&allocator, count, sizeof *known);
    SnImplicit *skin = sn__alloc(&allocator, sizeof *skin);
    SnResult result = locals && known && skin ? sn_skeleton_rest(skeleton, locals)
                                              : sn_error(SN_ERROR_MEMORY, "bound maps: no memory");
    if (result.code == SN_OK)
        result = sn_skeleton_maps(skeleton, locals, NULL, out_maps);
    if (result.code == SN_OK) {
        *skin = (SnImplicit){.allocator = allocator, .skeleton = skeleton};
        result = sn__implicit_bind(skin, "bound maps");
        for (int k = 0; k < skin->joint_count && result.code == SN_OK; ++k) {
            Map map = map_inverse(&skin->joints[k].bind);
            out_maps[skin->joints[k].joint] = map_narrow(&map);
            known[skin->joints[k].joint] = true;
        }
        if (result.code == SN_OK)
            find_others(skeleton, known, out_maps);
    }
    sn__free(&allocator, locals, count * sizeof *locals);
    sn__free(&allocator, known, count * sizeof *known);
    if (skin)
        sn_implicit_destroy(skin);
    return result;
}
