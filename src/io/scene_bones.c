// The bones of a scene's skeletons, which are colliders: pills between joints, or parts of the
// skeleton's own mesh.
#include "io/scene_skeleton.h"
#include "io/tables.h"
#include "math/map.h"

#include <stdio.h>
#include <string.h>

// A place in the world, in the rigid space of a joint.
static SnVec3 seen_from(const SnPose *joint, SnVec3 x) {
    Vec3d way = subd(vec3d(x), vec3d(joint->position));
    return vec3f(rotated(conjugated(quatd(joint->rotation)), way));
}

static bool is_part(const SnSkeleton *skeleton, int mesh, const char *name) {
    return strcmp(sn_skeleton_mesh(skeleton, mesh).name, name) == 0;
}

// Complains that there is no mesh of this name.
static void unknown_mesh(Reader *reader, const Json *value, const SnSkeleton *skeleton) {
    int count = sn_skeleton_mesh_count(skeleton);
    const char **names = sn__reader_alloc(reader, (size_t)count, sizeof *names);
    for (int i = 0; i < count && names; ++i)
        names[i] = sn_skeleton_mesh(skeleton, i).name;
    if (names)
        sn__reader_unknown(reader, value, "mesh", sn__json_string(&reader->doc, value), names,
                           count);
}

// All meshes of a name, which are the parts of one, as they are at rest.
static void read_mesh(Reader *reader, const Json *value, const SnSkeleton *skeleton,
                      const SnMap *rest, SceneBone *bone) {
    if (!sn__read_kind(reader, value, JSON_STRING, "the name of a mesh"))
        return;
    const char *name = sn__json_string(&reader->doc, value);
    int vertices = 0, triangles = 0;
    for (int i = 0; i < sn_skeleton_mesh_count(skeleton); ++i)
        if (is_part(skeleton, i, name)) {
            vertices += sn_skeleton_mesh(skeleton, i).vertex_count;
            triangles += sn_skeleton_mesh(skeleton, i).triangle_count;
        }
    if (triangles == 0) {
        unknown_mesh(reader, value, skeleton);
        return;
    }
    bone->vertices = sn__reader_alloc(reader, (size_t)vertices, sizeof *bone->vertices);
    bone->triangles = sn__reader_alloc(reader, 3 * (size_t)triangles, sizeof *bone->triangles);
    for (int i = 0; i < sn_skeleton_mesh_count(skeleton) && !reader->out_of_memory; ++i) {
        if (!is_part(skeleton, i, name))
            continue;
        SnSkeletonMesh mesh = sn_skeleton_mesh(skeleton, i);
        sn_skeleton_deform(skeleton, i, rest, bone->vertices + bone->vertex_count, NULL);
        for (int k = 0; k < 3 * mesh.triangle_count; ++k)
            bone->triangles[3 * bone->triangle_count + k] =
                (uint32_t)bone->vertex_count + mesh.triangles[k];
        bone->vertex_count += mesh.vertex_count;
        bone->triangle_count += mesh.triangle_count;
    }
}

static void read_bone(Reader *reader, const Json *json, const SceneSkeleton *entry,
                      const SnMap *rest, SceneBone *bone) {
    BoneEntry own = {0};
    if (!sn__read_object(reader, json, &sn__table_bone, &own))
        return;
    const Json *to = sn__json_member(&reader->doc, json, "to");
    const Json *radius = sn__json_member(&reader->doc, json, "radius");
    const Json *mesh = sn__json_member(&reader->doc, json, "mesh");
    bone->pill.parent =
        sn__read_joint(reader, entry->skeleton, sn__json_member(&reader->doc, json, "joint"));
    if (mesh ? to || radius : to == NULL || radius == NULL) {
        sn__reader_error(reader, json, "needs \"to\" and \"radius\", or \"mesh\"");
        return;
    }
    bone->pill.radius = own.radius;
    bone->pill.joint = to ? sn__read_joint(reader, entry->skeleton, to) : 0;
    if (bone->pill.parent < 0 || bone->pill.joint < 0)
        return;
    SnPose pose = sn_map_pose(&rest[bone->pill.parent]);
    if (mesh)
        read_mesh(reader, mesh, entry->skeleton, rest, bone);
    for (int i = 0; i < bone->vertex_count; ++i)
        bone->vertices[i] = seen_from(&pose, bone->vertices[i]);
    bone->pill.to = seen_from(&pose, rest[bone->pill.joint].origin);
}

static void read_list(Reader *reader, const Json *list, const SnMap *rest, SceneSkeleton *entry) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    entry->bones = sn__reader_alloc(reader, (size_t)count, sizeof *entry->bones);
    for (int i = 0; i < count && entry->bones; ++i)
        read_bone(reader, items[i], entry, rest, &entry->bones[i]);
    entry->bone_count = entry->bones ? count : 0;
}

void sn__read_bones(Reader *reader, const Json *json, const SnMap *rest, SceneSkeleton *entry) {
    const Json *bones = sn__json_member(&reader->doc, json, "bones");
    if (bones && bones->kind == JSON_ARRAY) {
        read_list(reader, bones, rest, entry);
        return;
    }
    if (bones && bones->kind != JSON_BOOL)
        sn__reader_error(reader, bones, "is not true, false or a list of bones");
    if (bones && !bones->boolean)
        return;
    size_t joints = (size_t)sn_skeleton_joint_count(entry->skeleton);
    SnBone *pills = sn__reader_alloc(reader, joints, sizeof *pills);
    entry->bones = sn__reader_alloc(reader, joints, sizeof *entry->bones);
    if (pills == NULL || entry->bones == NULL)
        return;
    entry->bone_count = sn_skeleton_bones(entry->skeleton, rest, pills);
    for (int i = 0; i < entry->bone_count; ++i)
        entry->bones[i].pill = pills[i];
}

int sn__scene_bone_count(const SnScene *scene) {
    int count = 0;
    for (int i = 0; i < scene->skeleton_count; ++i)
        count += scene->skeletons[i].bone_count;
    return count;
}

// A bone is called as its joint is, or, of a joint with several of them, "JOINT to JOINT".
static const char *bone_name(Reader *reader, const SceneSkeleton *entry, int bone) {
    const SnBone *own = &entry->bones[bone].pill;
    const char *name = sn__joint_name(reader, entry, own->parent);
    int alike = 0;
    for (int i = 0; i < entry->bone_count; ++i)
        alike += entry->bones[i].pill.parent == own->parent;
    if (alike == 1 || entry->bones[bone].vertices)
        return name;
    char text[512];
    int length = snprintf(text, sizeof text, "%.240s to %.200s", name,
                          sn_skeleton_joint(entry->skeleton, own->joint).name);
    char *longer = sn__arena_text(reader->arena, text, (size_t)length);
    reader->out_of_memory |= longer == NULL;
    return longer ? longer : "";
}

static SnColliderDef collider_of(const SceneSkeleton *entry, const SceneBone *bone) {
    SnColliderDef def = sn_default_collider_def();
    def.surface = entry->surface;
    def.filter = entry->filter;
    if (bone->vertices) {
        def.kind = SN_COLLIDER_MESH;
        def.vertices = bone->vertices;
        def.vertex_count = bone->vertex_count;
        def.triangles = bone->triangles;
        def.triangle_count = bone->triangle_count;
        return def;
    }
    def.kind = SN_COLLIDER_PILL;
    def.b = bone->pill.to;
    def.radius_a = def.radius_b = bone->pill.radius;
    return def;
}

void sn__add_bones(Reader *reader, SnScene *scene) {
    for (int s = 0; s < scene->skeleton_count; ++s) {
        const SceneSkeleton *entry = &scene->skeletons[s];
        for (int i = 0; i < entry->bone_count && !reader->out_of_memory; ++i) {
            SceneColliderEntry *bone = &scene->colliders[scene->collider_entry_count++];
            bone->name = bone_name(reader, entry, i);
            bone->def = collider_of(entry, &entry->bones[i]);
            bone->mesh.mesh = -1;
            bone->frame = entry->first_frame + entry->bones[i].pill.parent;
            bone->colours = entry->colours;
            bone->visible = entry->visible;
            bone->first = scene->collider_count++;
            sn__default_place(&bone->place);
        }
    }
}
