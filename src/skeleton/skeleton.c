// Making a skeleton from its definition, and what it tells about itself.
#include "skeleton/skeleton.h"

#include <stdlib.h>
#include <string.h>

#include "base/null.h"

#define SKELETON_COOKIE 0x534E534Bu

SnSkeletonDef sn_default_skeleton_def(void) { return (SnSkeletonDef){.cookie = SKELETON_COOKIE}; }

// While the layout is only measured these return NULL.
static void *copied(Layout *layout, const void *from, size_t count, size_t size) {
    void *to = sn__lay(layout, count, size);
    if (to && count > 0)
        memcpy(to, from, count * size);
    return to;
}

static const char *copied_text(Layout *layout, const char *text) {
    return copied(layout, text ? text : "", text ? strlen(text) + 1 : 1, 1);
}

static SnJointDef *copied_joints(Layout *layout, const SnSkeletonDef *def) {
    SnJointDef *joints = copied(layout, def->joints, (size_t)def->joint_count, sizeof *joints);
    for (int i = 0; i < def->joint_count; ++i) {
        const char *name = copied_text(layout, def->joints[i].name);
        if (joints) {
            joints[i].name = name;
            joints[i].rest.rotation = quatf(normalisedq(quatd(joints[i].rest.rotation)));
        }
    }
    return joints;
}

static int compare_channels(const void *a, const void *b) {
    const SnChannelDef *left = a, *right = b;
    if (left->joint != right->joint)
        return left->joint < right->joint ? -1 : 1;
    return (int)left->path - (int)right->path;
}

static void find_range(Clip *clip) {
    for (int k = 0; k < clip->channel_count; ++k) {
        const SnChannelDef *channel = &clip->channels[k];
        double first = (double)channel->times[0];
        double last = (double)channel->times[channel->key_count - 1];
        clip->first = k == 0 || first < clip->first ? first : clip->first;
        clip->last = k == 0 || last > clip->last ? last : clip->last;
    }
}

static void copy_clip(Layout *layout, const SnClipDef *def, Clip *clip) {
    const char *name = copied_text(layout, def->name);
    SnChannelDef *channels =
        copied(layout, def->channels, (size_t)def->channel_count, sizeof *channels);
    for (int k = 0; k < def->channel_count; ++k) {
        const SnChannelDef *from = &def->channels[k];
        size_t keys = (size_t)from->key_count;
        size_t values = keys * (from->curve == SN_KEYS_CUBIC ? 3 : 1);
        const float *times = copied(layout, from->times, keys, sizeof *times);
        const float *numbers = copied(layout, from->values,
                                      values * (size_t)sn__key_width(from->path), sizeof *numbers);
        if (channels) {
            channels[k].times = times;
            channels[k].values = numbers;
        }
    }
    if (clip == NULL)
        return;
    qsort(channels, (size_t)def->channel_count, sizeof *channels, compare_channels);
    *clip = (Clip){.name = name, .channel_count = def->channel_count, .channels = channels};
    find_range(clip);
}

static void copy_mesh(Layout *layout, const SnSkeletonMesh *from, SnSkeletonMesh *to) {
    size_t vertices = (size_t)from->vertex_count, joints = (size_t)from->joint_count;
    SnSkeletonMesh mesh = *from;
    mesh.name = copied_text(layout, from->name);
    mesh.positions = copied(layout, from->positions, vertices, sizeof(SnVec3));
    mesh.normals = copied(layout, from->normals, vertices, sizeof(SnVec3));
    mesh.triangles =
        copied(layout, from->triangles, 3 * (size_t)from->triangle_count, sizeof(uint32_t));
    mesh.joints = copied(layout, from->joints, joints, sizeof(int));
    mesh.binds = copied(layout, from->binds, joints, sizeof(SnMap));
    mesh.vertex_joints =
        copied(layout, from->vertex_joints, SN_MESH_JOINTS * vertices, sizeof(int));
    mesh.vertex_weights =
        copied(layout, from->vertex_weights, SN_MESH_JOINTS * vertices, sizeof(float));
    if (from->texcoords)
        mesh.texcoords = copied(layout, from->texcoords, 2 * vertices, sizeof(float));
    if (to)
        *to = mesh;
}

static SnSkeletonImage *copied_images(Layout *layout, const SnSkeletonDef *def) {
    SnSkeletonImage *images = copied(layout, def->images, (size_t)def->image_count, sizeof *images);
    for (int i = 0; i < def->image_count; ++i) {
        const char *mime = copied_text(layout, def->images[i].mime);
        const void *bytes = copied(layout, def->images[i].bytes, def->images[i].size, 1);
        if (images)
            images[i] = (SnSkeletonImage){mime, bytes, def->images[i].size};
    }
    return images;
}

// The end of a bone that most of a vertex follows, or that the joint hangs on which it follows.
static void mark_carrying(SnSkeleton *skeleton, const SnSkeletonMesh *mesh) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int most = SN_MESH_JOINTS * v;
        for (int k = most + 1; k < SN_MESH_JOINTS * (v + 1); ++k)
            most = mesh->vertex_weights[k] > mesh->vertex_weights[most] ? k : most;
        int joint = mesh->joints[mesh->vertex_joints[most]];
        while (joint >= 0 && !skeleton->joints[joint].bone)
            joint = skeleton->joints[joint].parent;
        if (joint >= 0)
            skeleton->carries[joint] = true;
    }
}

static SnSkeleton *copied_skeleton(Layout *layout, const SnSkeletonDef *def) {
    SnSkeleton *skeleton = sn__lay(layout, 1, sizeof *skeleton);
    SnSkeleton all = {.joint_count = def->joint_count,
                      .clip_count = def->clip_count,
                      .mesh_count = def->mesh_count,
                      .image_count = def->image_count};
    all.joints = copied_joints(layout, def);
    all.carries = sn__lay(layout, (size_t)def->joint_count, sizeof *all.carries);
    all.clips = sn__lay(layout, (size_t)def->clip_count, sizeof *all.clips);
    all.meshes = sn__lay(layout, (size_t)def->mesh_count, sizeof *all.meshes);
    all.images = copied_images(layout, def);
    for (int i = 0; i < def->clip_count; ++i)
        copy_clip(layout, &def->clips[i], all.clips ? &all.clips[i] : NULL);
    for (int i = 0; i < def->mesh_count; ++i)
        copy_mesh(layout, &def->meshes[i], all.meshes ? &all.meshes[i] : NULL);
    if (skeleton)
        *skeleton = all;
    return skeleton;
}

SnResult sn_skeleton_create(const SnSkeletonDef *def, const SnAllocator *allocator,
                            SnSkeleton **out_skeleton) {
    if (out_skeleton == NULL)
        return sn__null("skeleton: out_skeleton");
    *out_skeleton = NULL;
    if (def == NULL || def->cookie != SKELETON_COOKIE)
        return sn__no_def(def, "skeleton", "sn_default_skeleton_def");
    SnResult result = sn__skeleton_check(def);
    if (result.code != SN_OK)
        return result;
    SnAllocator chosen = allocator ? *allocator : sn__default_allocator();
    Layout layout = {0};
    copied_skeleton(&layout, def);
    size_t size = layout.used;
    layout = (Layout){.memory = sn__alloc(&chosen, size)};
    if (layout.memory == NULL)
        return sn_error(SN_ERROR_MEMORY, "skeleton: no memory for %d joints", def->joint_count);
    SnSkeleton *skeleton = copied_skeleton(&layout, def);
    for (int i = 0; i < skeleton->mesh_count; ++i)
        mark_carrying(skeleton, &skeleton->meshes[i]);
    skeleton->allocator = chosen;
    skeleton->size = size;
    *out_skeleton = skeleton;
    return result;
}

void sn_skeleton_destroy(SnSkeleton *skeleton) {
    if (skeleton == NULL)
        return;
    SnAllocator allocator = skeleton->allocator;
    sn__free(&allocator, skeleton, skeleton->size);
}

int sn_skeleton_joint_count(const SnSkeleton *skeleton) {
    return GIVEN(skeleton) ? skeleton->joint_count : 0;
}

SnJointDef sn_skeleton_joint(const SnSkeleton *skeleton, int joint) {
    if (!GIVEN(skeleton) || joint < 0 || joint >= skeleton->joint_count)
        return (SnJointDef){.name = "", .parent = -1};
    return skeleton->joints[joint];
}

int sn_skeleton_find_joint(const SnSkeleton *skeleton, const char *name) {
    if (!GIVEN(skeleton) || !GIVEN(name))
        return -1;
    for (int i = 0; i < skeleton->joint_count; ++i)
        if (strcmp(skeleton->joints[i].name, name) == 0)
            return i;
    return -1;
}

int sn_skeleton_clip_count(const SnSkeleton *skeleton) {
    return GIVEN(skeleton) ? skeleton->clip_count : 0;
}

SnClip sn_skeleton_clip(const SnSkeleton *skeleton, int clip) {
    if (!GIVEN(skeleton) || clip < 0 || clip >= skeleton->clip_count)
        return (SnClip){.name = ""};
    const Clip *from = &skeleton->clips[clip];
    return (SnClip){from->name, from->last - from->first, from->channel_count};
}

int sn_skeleton_find_clip(const SnSkeleton *skeleton, const char *name) {
    if (!GIVEN(skeleton) || !GIVEN(name))
        return -1;
    for (int i = 0; i < skeleton->clip_count; ++i)
        if (strcmp(skeleton->clips[i].name, name) == 0)
            return i;
    return -1;
}

int sn_skeleton_mesh_count(const SnSkeleton *skeleton) {
    return GIVEN(skeleton) ? skeleton->mesh_count : 0;
}

SnSkeletonMesh sn_skeleton_mesh(const SnSkeleton *skeleton, int mesh) {
    if (!GIVEN(skeleton) || mesh < 0 || mesh >= skeleton->mesh_count)
        return (SnSkeletonMesh){.name = ""};
    return skeleton->meshes[mesh];
}

int sn_skeleton_image_count(const SnSkeleton *skeleton) {
    return GIVEN(skeleton) ? skeleton->image_count : 0;
}

SnSkeletonImage sn_skeleton_image(const SnSkeleton *skeleton, int image) {
    if (!GIVEN(skeleton) || image < 0 || image >= skeleton->image_count)
        return (SnSkeletonImage){.mime = ""};
    return skeleton->images[image];
}
