// The JSON of skeletons in a GLB: a root that places each, its joints as their own tree, and one node,
// mesh, skin and material per mesh.
#include "io/gltf_actor.h"
#include "io/gltf_keys.h"
#include "io/gltf_morph.h"
#include "io/gltf_pack.h"
#include "io/gltf_painted.h"
#include "io/gltf_put.h"

#include <string.h>

// Nodes of bodies come first: their shapes, the parent of their joints, and those.
static int first_node(const SnGltf *gltf) {
    return gltf->rod_count > 0 ? gltf->shape_count + 1 + gltf->rod_count + gltf->joint_count : 0;
}

// Of an actor: its root, its joints, its meshes.
static int root_node(const SnGltf *gltf, int actor) {
    const GltfActor *a = &gltf->actors[actor];
    return first_node(gltf) + actor + a->first_joint + a->first_mesh;
}

static int joint_node(const SnGltf *gltf, int actor, int joint) {
    return root_node(gltf, actor) + 1 + joint;
}

int sn__gltf_node_count(const SnGltf *gltf) {
    return first_node(gltf) + gltf->actor_count + gltf->actor_joint_count + gltf->actor_mesh_count;
}

int sn__gltf_actor_mesh_node(const SnGltf *gltf, int actor, int mesh) {
    return joint_node(gltf, actor, gltf->actors[actor].joint_count) + mesh;
}

void sn__gltf_put_actor_roots(const SnGltf *gltf, JsonWriter *w) {
    for (int a = 0; a < gltf->actor_count; ++a) {
        sn__json_put_int(w, root_node(gltf, a));
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i)
            sn__json_put_int(w, sn__gltf_actor_mesh_node(gltf, a, i));
    }
}

// The numbers of all joints that have this parent, if there are any.
static void put_children(const SnGltf *gltf, int actor, int parent, JsonWriter *w) {
    const GltfActor *a = &gltf->actors[actor];
    bool open = false;
    for (int i = parent + 1; i < a->joint_count; ++i) { // parents come before their children
        if (sn_skeleton_joint(a->skeleton, i).parent != parent)
            continue;
        if (!open)
            open_member(w, "children", '[');
        open = true;
        sn__json_put_int(w, joint_node(gltf, actor, i));
    }
    if (open)
        sn__json_close(w, ']');
}

static void put_root(const SnGltf *gltf, int actor, JsonWriter *w) {
    const SnMap *m = &gltf->actors[actor].place;
    const SnVec3 columns[4] = {m->x, m->y, m->z, m->origin};
    float matrix[16];
    for (int c = 0; c < 4; ++c) {
        memcpy(matrix + 4 * c, &columns[c], 3 * sizeof *matrix);
        matrix[4 * c + 3] = c == 3;
    }
    sn__json_open(w, '{');
    put_string(w, "name", gltf->actors[actor].name);
    put_floats(w, "matrix", matrix, 16);
    put_children(gltf, actor, -1, w);
    sn__json_close(w, '}');
}

// A joint stands as in the first frame, so that channels that never change can be left out.
static void put_joint(const SnGltf *gltf, int actor, int joint, JsonWriter *w) {
    const GltfActor *a = &gltf->actors[actor];
    SnJointDef def = sn_skeleton_joint(a->skeleton, joint);
    SnTransform local = def.rest;
    if (gltf->frame_count > 0) {
        const GltfActorSample *s =
            &sn__gltf_actor_samples(gltf, gltf->frames[0])[a->first_joint + joint];
        memcpy(&local.translation, s->translation, sizeof local.translation);
        memcpy(&local.scale, s->scale, sizeof local.scale);
        local.rotation = quatf(
            normalisedq((Quatd){s->rotation[0], s->rotation[1], s->rotation[2], s->rotation[3]}));
    }
    sn__json_open(w, '{');
    put_string(w, "name", def.name);
    put_floats(w, "translation", &local.translation.x, 3);
    put_floats(w, "rotation", &local.rotation.x, 4);
    put_floats(w, "scale", &local.scale.x, 3);
    put_children(gltf, actor, joint, w);
    sn__json_close(w, '}');
}

void sn__gltf_put_actor_nodes(const SnGltf *gltf, JsonWriter *w) {
    for (int a = 0; a < gltf->actor_count; ++a) {
        const GltfActor *actor = &gltf->actors[a];
        put_root(gltf, a, w);
        for (int i = 0; i < actor->joint_count; ++i)
            put_joint(gltf, a, i, w);
        for (int i = 0; i < actor->mesh_count; ++i) {
            sn__json_open(w, '{');
            put_string(w, "name", sn_skeleton_mesh(actor->skeleton, i).name);
            put_int(w, "mesh", gltf->shape_count + actor->first_mesh + i);
            put_int(w, "skin", gltf->shape_count + actor->first_mesh + i);
            sn__json_close(w, '}');
        }
    }
}

void sn__gltf_put_actor_materials(const SnGltf *gltf, JsonWriter *w) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            const GltfMaterial material = {
                {mesh.colour[0], mesh.colour[1], mesh.colour[2]}, 1.0f, false, 0};
            bool painted = mesh.texcoords && mesh.image >= 0;
            put_material(w, &material, painted ? gltf->actors[a].first_image + mesh.image : -1);
        }
}

static int mesh_accessor(const SnGltf *gltf, int mesh) {
    return gltf->shape_accessors + GLTF_ACCESSORS * mesh;
}

// How many meshes of all actors have texture coordinates; their accessors come after all others.
static int painted_meshes(const SnGltf *gltf) {
    int count = 0;
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i)
            count += sn_skeleton_mesh(gltf->actors[a].skeleton, i).texcoords != NULL;
    return count;
}

int sn__gltf_actor_accessors(const SnGltf *gltf) {
    return GLTF_ACCESSORS * gltf->actor_mesh_count + painted_meshes(gltf) +
           sn__gltf_morph_accessors(gltf);
}

// Images are the last views; a texture is an image.
void sn__gltf_put_actor_images(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w) {
    int view = view_number(layout, GLTF_IMAGES);
    open_member(w, "images", '[');
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].image_count; ++i) {
            sn__json_open(w, '{');
            put_int(w, "bufferView", view++);
            put_string(w, "mimeType", sn_skeleton_image(gltf->actors[a].skeleton, i).mime);
            sn__json_close(w, '}');
        }
    sn__gltf_put_shape_images(gltf, view, w);
    sn__json_close(w, ']');
    open_member(w, "textures", '[');
    for (int i = 0; i < gltf->actor_image_count + gltf->shape_image_count; ++i) {
        sn__json_open(w, '{');
        put_int(w, "source", i);
        sn__json_close(w, '}');
    }
    sn__json_close(w, ']');
}

void sn__gltf_put_actor_views(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w) {
    uint64_t offset = (layout->packed ? layout->packed->offset : layout->offset)[GLTF_IMAGES];
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].image_count; ++i) {
            SnSkeletonImage image = sn_skeleton_image(gltf->actors[a].skeleton, i);
            sn__json_open(w, '{');
            put_int(w, "buffer", 0);
            put_int(w, "byteOffset", (long long)offset);
            put_int(w, "byteLength", (long long)image.size);
            sn__json_close(w, '}');
            offset += sn__gltf_image_size(&image);
        }
    sn__gltf_put_shape_image_views(gltf, offset, w);
}

// Morph targets, whose accessors come in pairs, and that they have no weight without an animation.
static void put_targets(int accessor, int count, JsonWriter *w) {
    open_member(w, "targets", '[');
    for (int k = 0; k < count; ++k) {
        sn__json_open(w, '{');
        put_int(w, "POSITION", accessor + 2 * k);
        put_int(w, "NORMAL", accessor + 2 * k + 1);
        sn__json_close(w, '}');
    }
    sn__json_close(w, ']');
}

static void put_no_weights(int count, JsonWriter *w) {
    open_member(w, "weights", '[');
    for (int k = 0; k < count; ++k)
        sn__json_put_int(w, 0);
    sn__json_close(w, ']');
}

void sn__gltf_put_actor_meshes(const SnGltf *gltf, JsonWriter *w) {
    int texcoords = mesh_accessor(gltf, gltf->actor_mesh_count);
    int morphs = texcoords + painted_meshes(gltf);
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            int mesh = gltf->actors[a].first_mesh + i, accessor = mesh_accessor(gltf, mesh);
            SnSkeletonMesh own = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            sn__json_open(w, '{');
            put_string(w, "name", own.name);
            open_member(w, "primitives", '[');
            open_primitive(accessor, own.texcoords ? texcoords++ : -1, accessor + GLTF_INDEX,
                           gltf->material_count + mesh, w);
            int targets =
                gltf->actors[a].morphs ? sn__gltf_written_targets(&gltf->actors[a].morphs[i]) : 0;
            if (targets > 0)
                put_targets(sn__gltf_morph_accessor(gltf, a, i, morphs), targets, w);
            sn__json_close(w, '}');
            sn__json_close(w, ']');
            if (targets > 0)
                put_no_weights(targets, w);
            sn__json_close(w, '}');
        }
}

void sn__gltf_put_actor_skins(const SnGltf *gltf, JsonWriter *w) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            sn__json_open(w, '{');
            put_int(w, "inverseBindMatrices",
                    mesh_accessor(gltf, gltf->actors[a].first_mesh + i) + GLTF_BINDING);
            put_int(w, "skeleton", root_node(gltf, a));
            open_member(w, "joints", '[');
            for (int k = 0; k < mesh.joint_count; ++k)
                sn__json_put_int(w, joint_node(gltf, a, mesh.joints[k]));
            sn__json_close(w, ']');
            sn__json_close(w, '}');
        }
}

static void put_texcoords(const SnGltf *gltf, const GltfLayout *layout, uint64_t offset,
                          JsonWriter *w) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            if (mesh.texcoords == NULL)
                continue;
            open_accessor(w, view_number(layout, GLTF_TEXCOORDS), offset, COMPONENT_FLOAT,
                          (uint64_t)mesh.vertex_count, "VEC2");
            sn__json_close(w, '}');
            offset += (uint64_t)mesh.vertex_count * 2 * sizeof(float);
        }
}

void sn__gltf_put_actor_accessors(const SnGltf *gltf, const GltfLayout *layout, uint64_t offsets[2],
                                  uint64_t bind, uint64_t coordinates, TubeVertex *scratch,
                                  JsonWriter *w) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            uint64_t indices = 3 * (uint64_t)mesh.triangle_count;
            sn__gltf_actor_vertices(&mesh, scratch);
            put_mesh_data(scratch, (uint64_t)mesh.vertex_count, indices, offsets, w);
            offsets[1] += indices * sizeof(uint32_t);
            open_accessor(w, GLTF_BIND, bind, COMPONENT_FLOAT, (uint64_t)mesh.joint_count, "MAT4");
            sn__json_close(w, '}');
            bind += (uint64_t)mesh.joint_count * 64;
        }
    put_texcoords(gltf, layout, coordinates, w);
    sn__gltf_put_morph_accessors(gltf, layout, w);
}

void sn__gltf_put_actor_channels(const SnGltf *gltf, const GltfKeys *keys, int path, int *sampler,
                                 JsonWriter *w) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].joint_count; ++i)
            if (keys->sets[path][gltf->joint_count + gltf->actors[a].first_joint + i] >= 0)
                put_channel(w, (*sampler)++, joint_node(gltf, a, i), path);
}
