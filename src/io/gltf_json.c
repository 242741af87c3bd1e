// The JSON chunk of a GLB: nodes, meshes, skins, materials and the animation.
#include "io/gltf_actor.h"
#include "io/gltf_keys.h"
#include "io/gltf_morph.h"
#include "io/gltf_pack.h"
#include "io/gltf_painted.h"
#include "io/gltf_put.h"

#include <stdio.h>
#include <string.h>

// Nodes: the shapes, the parent of all joints, then for every rod a parent and its joints.
static int rod_node(const SnGltf *gltf, int rod) {
    return gltf->shape_count + 1 + rod + gltf->rods[rod].first_joint;
}

static int joint_node(const SnGltf *gltf, int rod, int joint) {
    return rod_node(gltf, rod) + 1 + joint;
}

static bool has_nodes(const SnGltf *gltf) {
    return gltf->rod_count + gltf->actor_count > 0 || gltf->has_camera;
}

static void put_head(const SnGltf *gltf, JsonWriter *w) {
    char generator[64];
    snprintf(generator, sizeof generator, "Sinew %d.%d.%d", SN_VERSION_MAJOR, SN_VERSION_MINOR,
             SN_VERSION_PATCH);
    open_member(w, "asset", '{');
    put_string(w, "version", "2.0");
    put_string(w, "generator", generator);
    sn__json_close(w, '}');
    put_int(w, "scene", 0);
    open_member(w, "scenes", '[');
    sn__json_open(w, '{');
    put_string(w, "name", gltf->title);
    if (has_nodes(gltf)) {
        open_member(w, "nodes", '[');
        for (int node = 0; node <= gltf->shape_count && gltf->rod_count > 0; ++node)
            sn__json_put_int(w, node);
        sn__gltf_put_actor_roots(gltf, w);
        if (gltf->has_camera)
            sn__json_put_int(w, sn__gltf_node_count(gltf));
        sn__json_close(w, ']');
    }
    sn__json_close(w, '}');
    sn__json_close(w, ']');
}

// Where the parent of a rod's joints stands in the first frame.
static SnVec3 root_place(const SnGltf *gltf, const GltfKeys *keys, int rod) {
    return gltf->frame_count > 0 ? keys->roots[(size_t)rod * (size_t)gltf->frame_count]
                                 : sn_vec3(0, 0, 0);
}

// A joint stands as in the first frame, so that channels that never change can be left out.
static void put_joint(const SnGltf *gltf, const char *name, int vertex, int joint, SnVec3 root,
                      JsonWriter *w) {
    SnVec3 p = gltf->positions[vertex];
    SnQuat q = gltf->rotations[vertex];
    float scale = 1;
    if (gltf->frame_count > 0) {
        const GltfSample *s = &gltf->frames[0][joint];
        Quatd exact =
            normalisedq((Quatd){s->rotation[0], s->rotation[1], s->rotation[2], s->rotation[3]});
        p = sn_vec3(s->position[0], s->position[1], s->position[2]);
        q = quatf(exact);
        scale = s->scale;
    }
    const float rotation[4] = {q.x, q.y, q.z, q.w}, scales[3] = {scale, scale, scale};
    const float position[3] = {p.x - root.x, p.y - root.y, p.z - root.z};
    sn__json_open(w, '{');
    put_string(w, "name", name);
    put_floats(w, "translation", position, 3);
    if (q.x != 0 || q.y != 0 || q.z != 0)
        put_floats(w, "rotation", rotation, 4);
    if (scale != 1)
        put_floats(w, "scale", scales, 3);
    sn__json_close(w, '}');
}

static void put_rod_nodes(const SnGltf *gltf, const GltfKeys *keys, int r, JsonWriter *w) {
    const GltfRod *rod = &gltf->rods[r];
    char name[256];
    SnVec3 root = root_place(gltf, keys, r);
    const float place[3] = {root.x, root.y, root.z};
    snprintf(name, sizeof name, "%.200s joints", rod->name);
    sn__json_open(w, '{');
    put_string(w, "name", name);
    if (root.x != 0 || root.y != 0 || root.z != 0)
        put_floats(w, "translation", place, 3);
    open_member(w, "children", '[');
    for (int i = 0; i < rod->joint_count; ++i)
        sn__json_put_int(w, joint_node(gltf, r, i));
    sn__json_close(w, ']');
    sn__json_close(w, '}');
    for (int i = 0; i < rod->joint_count; ++i) {
        int vertex = sn__gltf_joint_vertex(rod, i);
        snprintf(name, sizeof name, "%.200s %d", rod->name, vertex);
        put_joint(gltf, name, rod->first_vertex + vertex, rod->first_joint + i, root, w);
    }
}

static void put_body_nodes(const SnGltf *gltf, const GltfKeys *keys, JsonWriter *w) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        sn__json_open(w, '{');
        put_string(w, "name", gltf->shapes[k].name);
        put_int(w, "mesh", k);
        put_int(w, "skin", k);
        sn__json_close(w, '}');
    }
    sn__json_open(w, '{');
    put_string(w, "name", "joints");
    open_member(w, "children", '[');
    for (int r = 0; r < gltf->rod_count; ++r)
        sn__json_put_int(w, rod_node(gltf, r));
    sn__json_close(w, ']');
    sn__json_close(w, '}');
    for (int r = 0; r < gltf->rod_count; ++r)
        put_rod_nodes(gltf, keys, r, w);
}

static void put_nodes(const SnGltf *gltf, const GltfKeys *keys, JsonWriter *w) {
    open_member(w, "nodes", '[');
    if (gltf->rod_count > 0)
        put_body_nodes(gltf, keys, w);
    sn__gltf_put_actor_nodes(gltf, w);
    if (gltf->has_camera)
        sn__gltf_put_camera_node(gltf, w);
    sn__json_close(w, ']');
}

static void put_materials(const SnGltf *gltf, JsonWriter *w) {
    open_member(w, "materials", '[');
    for (int m = 0; m < gltf->material_count; ++m)
        put_material(w, &gltf->materials[m],
                     gltf->materials[m].texture > 0
                         ? gltf->actor_image_count + gltf->materials[m].texture - 1
                         : -1);
    sn__gltf_put_actor_materials(gltf, w);
    sn__json_close(w, ']');
}

static void put_meshes(const SnGltf *gltf, JsonWriter *w) {
    open_member(w, "meshes", '[');
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        int accessor = gltf->shapes[shape->mesh].first_accessor;
        sn__json_open(w, '{');
        put_string(w, "name", shape->name);
        open_member(w, "primitives", '[');
        if (shape->paint)
            sn__gltf_put_parts(gltf, shape, w);
        else
            put_primitive(accessor, accessor + GLTF_INDEX, shape->material, w);
        if (gltf->shapes[shape->mesh].leaf_index_count > 0)
            put_primitive(accessor, accessor + GLTF_LEAF_INDEX, shape->leaf_material, w);
        sn__json_close(w, ']');
        sn__json_close(w, '}');
    }
    sn__gltf_put_actor_meshes(gltf, w);
    sn__json_close(w, ']');
}

static void put_skins(const SnGltf *gltf, JsonWriter *w) {
    open_member(w, "skins", '[');
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        int bind = gltf->shapes[shape->binding].first_accessor +
                   (shape->mesh == shape->binding ? GLTF_BINDING : 0);
        sn__json_open(w, '{');
        put_int(w, "inverseBindMatrices", bind);
        put_int(w, "skeleton",
                shape->rod_count == 1 ? rod_node(gltf, shape->rods[0]) : gltf->shape_count);
        open_member(w, "joints", '[');
        for (int r = 0; r < shape->rod_count; ++r)
            for (int i = 0; i < gltf->rods[shape->rods[r]].joint_count; ++i)
                sn__json_put_int(w, joint_node(gltf, shape->rods[r], i));
        sn__json_close(w, ']');
        sn__json_close(w, '}');
    }
    sn__gltf_put_actor_skins(gltf, w);
    sn__json_close(w, ']');
}

static void put_mesh_accessors(const SnGltf *gltf, const GltfShape *shape, uint64_t offsets[2],
                               TubeVertex *scratch, JsonWriter *w) {
    uint64_t first = shape->paint ? 3 * (uint64_t)sn_skeleton_mesh(shape->paint, 0).triangle_count
                                  : shape->index_count - shape->leaf_index_count;
    put_mesh_data(sn__gltf_vertices(gltf, shape, scratch), shape->vertex_count, first, offsets, w);
    offsets[1] += shape->index_count * sizeof(uint32_t);
}

static void put_shape_accessors(const SnGltf *gltf, const GltfLayout *layout, TubeVertex *scratch,
                                JsonWriter *w) {
    uint64_t offsets[2] = {0, 0}, bind = 0, coordinates = 0;
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        uint64_t indices = offsets[1];
        if (shape->mesh == k)
            put_mesh_accessors(gltf, shape, offsets, scratch, w);
        if (shape->binding == k) {
            open_accessor(w, GLTF_BIND, bind, COMPONENT_FLOAT, (uint64_t)shape->joint_count,
                          "MAT4");
            sn__json_close(w, '}');
            bind += (uint64_t)shape->joint_count * 64;
        }
        if (shape->mesh == k && shape->leaf_index_count > 0) {
            uint64_t at = offsets[1] - shape->leaf_index_count * sizeof(uint32_t);
            open_accessor(w, GLTF_INDICES, at, COMPONENT_U32, shape->leaf_index_count, "SCALAR");
            sn__json_close(w, '}');
        }
        if (shape->mesh == k && shape->paint)
            sn__gltf_put_part_accessors(layout, shape, indices, &coordinates, w);
    }
    sn__gltf_put_actor_accessors(gltf, layout, offsets, bind, coordinates, scratch, w);
}

static void put_times(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w) {
    const GltfKeys *keys = layout->keys;
    for (int set = 0; set < keys->set_count; ++set) {
        const int *frames = keys->frames + keys->set_begin[set];
        int count = sn__gltf_key_count(keys, set);
        open_accessor(w, view_number(layout, GLTF_TIMES),
                      (uint64_t)keys->set_begin[set] * sizeof(float), COMPONENT_FLOAT,
                      (uint64_t)count, "SCALAR");
        put_floats(w, "min", &gltf->times[frames[0]], 1);
        put_floats(w, "max", &gltf->times[frames[count - 1]], 1);
        sn__json_close(w, '}');
    }
}

static void put_outputs(const SnGltf *gltf, const GltfLayout *layout, int path, JsonWriter *w) {
    bool rotation = path == GLTF_ROTATION;
    int view = view_number(layout, GLTF_OUTPUT + path);
    uint64_t offset = 0;
    for (int v = 0; v < sn__gltf_node_total(gltf); ++v) {
        int set = layout->keys->sets[path][v];
        if (set < 0)
            continue;
        uint64_t count = (uint64_t)sn__gltf_key_count(layout->keys, set);
        open_accessor(w, view, offset, rotation ? COMPONENT_I16 : COMPONENT_FLOAT, count,
                      rotation ? "VEC4" : "VEC3");
        if (rotation) {
            sn__json_put_key(w, "normalized");
            sn__json_put_bool(w, true);
        }
        sn__json_close(w, '}');
        offset += count * sn__gltf_key_size(path);
    }
}

void sn__gltf_put_key_accessors(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w) {
    put_times(gltf, layout, w);
    for (int path = 0; path < GLTF_PATHS; ++path)
        put_outputs(gltf, layout, path, w);
}

static void put_accessors(const SnGltf *gltf, const GltfLayout *layout, TubeVertex *scratch,
                          JsonWriter *w) {
    open_member(w, "accessors", '[');
    put_shape_accessors(gltf, layout, scratch, w);
    sn__gltf_put_key_accessors(gltf, layout, w);
    sn__json_close(w, ']');
}

void sn__gltf_put_part_views(const GltfLayout *layout, JsonWriter *w) {
    enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963 };
    for (int part = 0; part < GLTF_PARTS; ++part) {
        if (layout->size[part] == 0 || part == GLTF_IMAGES)
            continue;
        sn__json_open(w, '{');
        put_int(w, "buffer", layout->packed ? 1 : 0);
        put_int(w, "byteOffset", (long long)layout->offset[part]);
        put_int(w, "byteLength", (long long)layout->size[part]);
        if (part == GLTF_VERTICES) {
            put_int(w, "byteStride", sizeof(TubeVertex));
            put_int(w, "target", ARRAY_BUFFER);
        } else if (part == GLTF_MORPHS) {
            put_int(w, "byteStride", 3 * sizeof(float));
            put_int(w, "target", ARRAY_BUFFER);
        } else if (part == GLTF_TEXCOORDS) {
            put_int(w, "byteStride", 2 * sizeof(float));
            put_int(w, "target", ARRAY_BUFFER);
        } else if (part == GLTF_INDICES) {
            put_int(w, "target", ELEMENT_ARRAY_BUFFER);
        }
        if (layout->packed)
            sn__gltf_put_packed_view(layout, part, w);
        sn__json_close(w, '}');
    }
}

static void put_views(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w) {
    open_member(w, "bufferViews", '[');
    sn__gltf_put_part_views(layout, w);
    sn__gltf_put_actor_views(gltf, layout, w);
    sn__json_close(w, ']');
}

// Calls for each animated value, in the order of the accessors.
static void put_channels(const SnGltf *gltf, const GltfKeys *keys, JsonWriter *w) {
    int sampler = 0;
    for (int path = 0; path < GLTF_PATHS; ++path) {
        for (int r = 0; r < gltf->rod_count; ++r) {
            const GltfRod *rod = &gltf->rods[r];
            for (int i = 0; i < rod->joint_count; ++i)
                if (keys->sets[path][rod->first_joint + i] >= 0)
                    put_channel(w, sampler++, joint_node(gltf, r, i), path);
        }
        sn__gltf_put_actor_channels(gltf, keys, path, &sampler, w);
        for (int r = 0; r < gltf->rod_count; ++r)
            if (keys->sets[path][sn__gltf_root(gltf, r)] >= 0)
                put_channel(w, sampler++, rod_node(gltf, r), path);
    }
    sn__gltf_put_morph_channels(gltf, &sampler, w);
}

// One for each channel, in the order of the accessors. They are linear, which needs no word.
void sn__gltf_put_key_samplers(const SnGltf *gltf, const GltfKeys *keys, int times, JsonWriter *w) {
    int output = times + keys->set_count;
    for (int path = 0; path < GLTF_PATHS; ++path)
        for (int v = 0; v < sn__gltf_node_total(gltf); ++v) {
            if (keys->sets[path][v] < 0)
                continue;
            sn__json_open(w, '{');
            put_int(w, "input", times + keys->sets[path][v]);
            put_int(w, "output", output++);
            sn__json_close(w, '}');
        }
}

static void put_samplers(const SnGltf *gltf, const GltfKeys *keys, JsonWriter *w) {
    int times = gltf->shape_accessors + sn__gltf_actor_accessors(gltf);
    sn__gltf_put_key_samplers(gltf, keys, times, w);
    if (sn__gltf_has_morphs(gltf))
        sn__gltf_put_morph_samplers(gltf, times - sn__gltf_morph_accessors(gltf), w);
}

static void put_animation(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w) {
    open_member(w, "animations", '[');
    sn__json_open(w, '{');
    put_string(w, "name", gltf->title);
    open_member(w, "samplers", '[');
    put_samplers(gltf, layout->keys, w);
    sn__json_close(w, ']');
    open_member(w, "channels", '[');
    put_channels(gltf, layout->keys, w);
    sn__json_close(w, ']');
    sn__json_close(w, '}');
    sn__json_close(w, ']');
}

static void put_buffer(uint64_t size, JsonWriter *w) {
    sn__json_open(w, '{');
    put_int(w, "byteLength", (long long)size);
    sn__json_close(w, '}');
}

void sn__gltf_json(const SnGltf *gltf, const GltfLayout *layout, TubeVertex *scratch,
                   JsonWriter *w) {
    sn__json_open(w, '{');
    put_head(gltf, w);
    if (layout->packed)
        sn__gltf_put_pack_extension(w);
    // Empty lists are not allowed.
    if (has_nodes(gltf))
        put_nodes(gltf, layout->keys, w);
    if (gltf->has_camera)
        sn__gltf_put_camera(gltf, w);
    if (layout->size[GLTF_VERTICES] > 0) {
        put_materials(gltf, w);
        put_meshes(gltf, w);
        put_skins(gltf, w);
    }
    if (gltf->actor_image_count + gltf->shape_image_count > 0)
        sn__gltf_put_actor_images(gltf, layout, w);
    if (layout->total > 0) {
        put_accessors(gltf, layout, scratch, w);
        put_views(gltf, layout, w);
        if (sn__gltf_channel_total(gltf, layout->keys) > 0 || sn__gltf_has_morphs(gltf))
            put_animation(gltf, layout, w);
        open_member(w, "buffers", '[');
        if (layout->packed)
            sn__gltf_put_packed_buffers(layout, w);
        else
            put_buffer(layout->total, w);
        sn__json_close(w, ']');
    }
    sn__json_close(w, '}');
}
