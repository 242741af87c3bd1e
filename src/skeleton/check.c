// What is wrong with the definition of a skeleton.
#include <stdio.h>

#include "base/null.h"
#include "skeleton/skeleton.h"

// "skeleton: joint 3 "hand"", for messages.
typedef char Place[160];

static void name_place(Place out, const SnSkeletonDef *def, const char *what, int index,
                       const char *name) {
    snprintf(out, sizeof(Place), "%.60s: %s %d%s%.40s%s", def->name ? def->name : "skeleton", what,
             index, name && name[0] ? " \"" : "", name ? name : "", name && name[0] ? "\"" : "");
}

static bool is_rotation(SnQuat q) {
    double n = (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
               (double)q.w * (double)q.w;
    return n > 0.5 && n < 2.0;
}

static SnResult check_joint(const SnSkeletonDef *def, int i) {
    const SnJointDef *joint = &def->joints[i];
    Place place;
    name_place(place, def, "joint", i, joint->name);
    if (joint->parent < -1 || joint->parent >= i)
        return sn_error(SN_ERROR_INVALID,
                        "%s: parent: %d is not a joint before it; parents come before their "
                        "children, and -1 is none",
                        place, joint->parent);
    if (!sn__within3(joint->rest.translation, SN_MAX_POSITION) ||
        !sn__within3(joint->rest.scale, SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "%s: its translation or scale is not within %g", place,
                        (double)SN_MAX_POSITION);
    if (!is_rotation(joint->rest.rotation))
        return sn_error(SN_ERROR_INVALID, "%s: its rotation is not a unit quaternion", place);
    return sn_ok();
}

static bool are_within(const float *numbers, size_t count, float bound) {
    for (size_t i = 0; i < count; ++i)
        if (!(fabsf(numbers[i]) <= bound))
            return false;
    return true;
}

static SnResult check_times(const SnChannelDef *channel, const char *place, int k) {
    if (!are_within(channel->times, (size_t)channel->key_count, SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "%s: channel %d: a time is not within 1e9 s", place, k);
    for (int i = 1; i < channel->key_count; ++i)
        if (!(channel->times[i] > channel->times[i - 1]))
            return sn_error(SN_ERROR_INVALID,
                            "%s: channel %d: times: %g s of key %d is not after %g s of the key "
                            "before",
                            place, k, (double)channel->times[i], i, (double)channel->times[i - 1]);
    return sn_ok();
}

static SnResult check_values(const SnChannelDef *channel, const char *place, int k) {
    int width = sn__key_width(channel->path), per_key = channel->curve == SN_KEYS_CUBIC ? 3 : 1;
    size_t count = (size_t)channel->key_count * (size_t)(per_key * width);
    if (!are_within(channel->values, count, SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "%s: channel %d: a value is not within 1e9", place, k);
    for (int i = 0; i < channel->key_count && channel->path == SN_KEYS_ROTATION; ++i) {
        const float *q = channel->values + 4 * (i * per_key + per_key / 2);
        if (!is_rotation((SnQuat){q[0], q[1], q[2], q[3]}))
            return sn_error(SN_ERROR_INVALID,
                            "%s: channel %d: key %d: the rotation is not a unit quaternion", place,
                            k, i);
    }
    return sn_ok();
}

static SnResult check_clip(const SnSkeletonDef *def, int i) {
    const SnClipDef *clip = &def->clips[i];
    Place place;
    name_place(place, def, "clip", i, clip->name);
    if (clip->channel_count < 0 || (clip->channel_count > 0 && clip->channels == NULL))
        return sn_error(SN_ERROR_INVALID, "%s: %d channels, which are NULL", place,
                        clip->channel_count);
    SnResult result = sn_ok();
    for (int k = 0; k < clip->channel_count && result.code == SN_OK; ++k) {
        const SnChannelDef *channel = &clip->channels[k];
        if (channel->joint < 0 || channel->joint >= def->joint_count)
            return sn_error(SN_ERROR_INVALID, "%s: channel %d: joint: %d is not in [0, %d)", place,
                            k, channel->joint, def->joint_count);
        if (channel->path < SN_KEYS_TRANSLATION || channel->path > SN_KEYS_SCALE ||
            channel->curve < SN_KEYS_LINEAR || channel->curve > SN_KEYS_CUBIC)
            return sn_error(SN_ERROR_INVALID,
                            "%s: channel %d: path %d or curve %d is not one of the kinds there are",
                            place, k, (int)channel->path, (int)channel->curve);
        if (channel->key_count < 1 || channel->times == NULL || channel->values == NULL)
            return sn_error(SN_ERROR_INVALID, "%s: channel %d: it has no keys", place, k);
        result = check_times(channel, place, k);
        if (result.code == SN_OK)
            result = check_values(channel, place, k);
    }
    return result;
}

static SnResult check_weights(const SnSkeletonMesh *mesh, const char *place) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double sum = 0.0;
        for (int k = SN_MESH_JOINTS * v; k < SN_MESH_JOINTS * (v + 1); ++k) {
            if (mesh->vertex_joints[k] < 0 || mesh->vertex_joints[k] >= mesh->joint_count)
                return sn_error(SN_ERROR_INVALID, "%s: vertex %d follows joint %d of %d", place, v,
                                mesh->vertex_joints[k], mesh->joint_count);
            sum += (double)mesh->vertex_weights[k];
        }
        if (!(fabs(sum - 1.0) < 1e-3))
            return sn_error(SN_ERROR_INVALID, "%s: the weights of vertex %d sum up to %g, not 1",
                            place, v, sum);
    }
    return sn_ok();
}

static SnResult check_mesh(const SnSkeletonDef *def, int i) {
    const SnSkeletonMesh *mesh = &def->meshes[i];
    Place place;
    name_place(place, def, "mesh", i, mesh->name);
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1 || mesh->joint_count < 1 ||
        mesh->positions == NULL || mesh->normals == NULL || mesh->triangles == NULL ||
        mesh->joints == NULL || mesh->binds == NULL || mesh->vertex_joints == NULL ||
        mesh->vertex_weights == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: it has no vertices, triangles or joints", place);
    if (!are_within(&mesh->positions->x, 3 * (size_t)mesh->vertex_count, SN_MAX_POSITION) ||
        !are_within(&mesh->normals->x, 3 * (size_t)mesh->vertex_count, SN_MAX_POSITION) ||
        !are_within(&mesh->binds->x.x, 12 * (size_t)mesh->joint_count, SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "%s: a number is not within 1e9", place);
    for (int k = 0; k < mesh->joint_count; ++k)
        if (mesh->joints[k] < 0 || mesh->joints[k] >= def->joint_count)
            return sn_error(SN_ERROR_INVALID, "%s: joint %d is not in [0, %d)", place,
                            mesh->joints[k], def->joint_count);
    for (int k = 0; k < 3 * mesh->triangle_count; ++k)
        if (mesh->triangles[k] >= (uint32_t)mesh->vertex_count)
            return sn_error(SN_ERROR_INVALID, "%s: triangle %d: vertex %u is not below %d", place,
                            k / 3, mesh->triangles[k], mesh->vertex_count);
    if (mesh->texcoords &&
        (mesh->image >= def->image_count ||
         !are_within(mesh->texcoords, 2 * (size_t)mesh->vertex_count, SN_MAX_POSITION)))
        return sn_error(SN_ERROR_INVALID, "%s: image %d of %d, or its coordinates, cannot be used",
                        place, mesh->image, def->image_count);
    return check_weights(mesh, place);
}

SnResult sn__skeleton_check(const SnSkeletonDef *def) {
    const char *name = def->name ? def->name : "skeleton";
    if (def->joint_count < 1 || def->joints == NULL)
        return sn_error(SN_ERROR_INVALID, "%.100s: it has no joints", name);
    if (def->joint_count > SN_MAX_JOINTS)
        return sn_error(SN_ERROR_LIMIT, "%.100s: %d joints are more than %d", name,
                        def->joint_count, SN_MAX_JOINTS);
    if (def->clip_count < 0 || (def->clip_count > 0 && def->clips == NULL))
        return sn__null("skeleton: clips");
    if (def->mesh_count < 0 || (def->mesh_count > 0 && def->meshes == NULL))
        return sn__null("skeleton: meshes");
    if (def->image_count < 0 || (def->image_count > 0 && def->images == NULL))
        return sn__null("skeleton: images");
    for (int i = 0; i < def->image_count; ++i)
        if (def->images[i].mime == NULL || def->images[i].bytes == NULL || def->images[i].size == 0)
            return sn_error(SN_ERROR_INVALID, "%.100s: image %d: it has no bytes", name, i);
    SnResult result = sn_ok();
    for (int i = 0; i < def->joint_count && result.code == SN_OK; ++i)
        result = check_joint(def, i);
    for (int i = 0; i < def->clip_count && result.code == SN_OK; ++i)
        result = check_clip(def, i);
    for (int i = 0; i < def->mesh_count && result.code == SN_OK; ++i)
        result = check_mesh(def, i);
    return result;
}
