// What is seen of a recording: tubes for chains, pills for creatures.
#include "io/gltf_data.h"

#include <stdlib.h>
#include <string.h>

static double rest_length(SnVec3 a, SnVec3 b) { return lengthd(subd(vec3d(b), vec3d(a))); }

bool sn__gltf_set_reference(SnGltf *gltf, GltfRod *rod, const SnQuat *frames,
                            const SnVec3 *positions) {
    size_t count = (size_t)rod->segment_count;
    float *lengths = sn__arena_alloc(&gltf->arena, count, sizeof *lengths);
    SnQuat *reference = sn__arena_alloc(&gltf->arena, count, sizeof *reference);
    if (lengths == NULL || reference == NULL)
        return false;
    rod->reference = memcpy(reference, frames, count * sizeof *frames);
    rod->lengths = lengths;
    for (int j = 0; j < rod->segment_count; ++j) {
        int a = rod->edges ? rod->edges[2 * j] : j;
        int b = rod->edges ? rod->edges[2 * j + 1] : (j + 1) % rod->vertex_count;
        lengths[j] = (float)rest_length(positions[a], positions[b]);
    }
    return true;
}

// A chain is one tube.
static bool add_chain(SnGltf *gltf, GltfRod *rod, GltfShape *shape) {
    TubeMesh *tube = sn__arena_alloc(&gltf->arena, 1, sizeof *tube);
    if (tube == NULL)
        return false;
    int first = rod->first_vertex;
    *tube = (TubeMesh){rod->vertex_count,       rod->segment_count == rod->vertex_count,
                       gltf->positions + first, gltf->rotations + first,
                       gltf->radii + first,     {rod->section[0], rod->section[1]}};
    shape->tubes = tube;
    shape->tube_count = 1;
    shape->bind_rotations = gltf->rotations + first;
    return true;
}

// A creature is a tube for every segment, along the segment; of a sphere, its two caps.
static bool add_creature(SnGltf *gltf, GltfRod *rod, const SnQuat *frames, GltfShape *shape) {
    size_t count = (size_t)rod->segment_count;
    TubeMesh *tubes = sn__arena_alloc(&gltf->arena, count, sizeof *tubes);
    SnVec3 *ends = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *ends);
    SnQuat *turns = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *turns);
    float *radii = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *radii);
    if (tubes == NULL || ends == NULL || turns == NULL || radii == NULL ||
        !sn__gltf_set_reference(gltf, rod, frames, gltf->positions + rod->first_vertex))
        return false;
    for (size_t e = 0; e < 2 * count; ++e) {
        int vertex = rod->first_vertex + rod->edges[e];
        ends[e] = gltf->positions[vertex];
        radii[e] = gltf->radii[vertex];
        turns[e] = frames[e / 2];
    }
    for (size_t j = 0; j < count; ++j) {
        bool sphere = rod->edges[2 * j] == rod->edges[2 * j + 1];
        tubes[j] =
            (TubeMesh){sphere ? 1 : 2, false, ends + 2 * j, turns + 2 * j, radii + 2 * j, {0, 0}};
    }
    shape->tubes = tubes;
    shape->tube_joints = rod->edges;
    shape->tube_count = rod->segment_count;
    return true;
}

static bool add_rods(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    for (int r = 0; r < gltf->rod_count; ++r) {
        GltfRod *rod = &gltf->rods[r];
        if (rod->skinned)
            continue;
        GltfShape *shape = &gltf->shapes[gltf->shape_count];
        int *rods = sn__arena_alloc(&gltf->arena, 1, sizeof *rods);
        const SnQuat *frames = (const SnQuat *)poses->frames + rod->first_segment;
        if (rods == NULL ||
            !(rod->edges ? add_creature(gltf, rod, frames, shape) : add_chain(gltf, rod, shape)))
            return false;
        rods[0] = r;
        shape->name = rod->name;
        shape->colour = def->colours ? def->colours[r] : GLTF_GREY;
        shape->rods = rods;
        shape->rod_count = 1;
        shape->joint_count = rod->vertex_count;
        shape->bind_positions = gltf->positions + rod->first_vertex;
        shape->mesh = gltf->shape_count++;
        for (int k = 0; k < shape->tube_count; ++k) {
            shape->vertex_count += sn__tube_vertex_count(&gltf->plan, &shape->tubes[k]);
            shape->index_count += sn__tube_index_count(&gltf->plan, &shape->tubes[k]);
        }
    }
    return true;
}

// A part of a shape and its material.
typedef struct ColourOrder {
    GltfMaterial material;
    int *number;
} ColourOrder;

static int compare_colours(const void *a, const void *b) {
    const GltfMaterial *left = &((const ColourOrder *)a)->material;
    const GltfMaterial *right = &((const ColourOrder *)b)->material;
    int order = memcmp(&left->colour, &right->colour, sizeof(SnColour));
    return order != 0 ? order : left->leaf - right->leaf;
}

// Shapes of one colour share a material.
static bool make_materials(SnGltf *gltf) {
    size_t most = 2 * (size_t)gltf->shape_count, count = 0;
    ColourOrder *order = malloc((most + 1) * sizeof *order);
    gltf->materials = sn__arena_alloc(&gltf->arena, most, sizeof *gltf->materials);
    if (order == NULL || gltf->materials == NULL) {
        free(order);
        return false;
    }
    for (int k = 0; k < gltf->shape_count; ++k) {
        GltfShape *shape = &gltf->shapes[k];
        order[count++] = (ColourOrder){{shape->colour, false}, &shape->material};
        if (gltf->shapes[shape->mesh].leaf_index_count > 0)
            order[count++] = (ColourOrder){{shape->leaf_colour, true}, &shape->leaf_material};
    }
    qsort(order, count, sizeof *order, compare_colours);
    for (size_t k = 0; k < count; ++k) {
        if (k == 0 || compare_colours(&order[k], &order[k - 1]) != 0)
            gltf->materials[gltf->material_count++] = order[k].material;
        *order[k].number = gltf->material_count - 1;
    }
    free(order);
    return true;
}

static void number_shapes(SnGltf *gltf) {
    int accessor = 0;
    for (int k = 0; k < gltf->shape_count; ++k) {
        GltfShape *shape = &gltf->shapes[k];
        shape->first_accessor = accessor;
        int own = GLTF_ACCESSORS + (shape->leaf_index_count > 0);
        accessor += shape->mesh == k ? own : 1;
    }
    gltf->shape_accessors = accessor;
}

bool sn__gltf_make_shapes(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    size_t most = (size_t)gltf->rod_count + (size_t)def->skin_count;
    gltf->shapes = sn__arena_alloc(&gltf->arena, most, sizeof *gltf->shapes);
    if (gltf->shapes == NULL || !sn__gltf_add_skins(gltf, poses, def) ||
        !add_rods(gltf, poses, def))
        return false;
    number_shapes(gltf);
    return make_materials(gltf);
}

const TubeVertex *sn__gltf_vertices(const SnGltf *gltf, const GltfShape *shape,
                                    TubeVertex *scratch) {
    TubeVertex *at = scratch;
    for (int k = 0; k < shape->tube_count; ++k) {
        size_t count = sn__tube_vertex_count(&gltf->plan, &shape->tubes[k]);
        sn__tube_vertices(&gltf->plan, &shape->tubes[k], at);
        for (size_t v = 0; v < count && shape->tube_joints; ++v)
            for (int c = 0; c < 2; ++c) {
                int joint = shape->tube_joints[2 * k + at[v].joints[c]];
                at[v].joints[c] = (uint16_t)(at[v].weights[c] ? joint : 0);
            }
        at += count;
    }
    return shape->vertices ? shape->vertices : scratch;
}

const uint32_t *sn__gltf_indices(const SnGltf *gltf, const GltfShape *shape, uint32_t *scratch) {
    uint32_t *at = scratch, first = 0;
    for (int k = 0; k < shape->tube_count; ++k) {
        size_t count = sn__tube_index_count(&gltf->plan, &shape->tubes[k]);
        sn__tube_indices(&gltf->plan, &shape->tubes[k], at);
        for (size_t i = 0; i < count; ++i)
            at[i] += first;
        at += count;
        first += (uint32_t)sn__tube_vertex_count(&gltf->plan, &shape->tubes[k]);
    }
    return shape->indices ? shape->indices : scratch;
}

void sn__gltf_most(const SnGltf *gltf, size_t *out_vertices, size_t *out_indices) {
    *out_vertices = *out_indices = 1;
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        if (shape->tube_count > 0 && shape->vertex_count > *out_vertices)
            *out_vertices = (size_t)shape->vertex_count;
        if (shape->tube_count > 0 && shape->index_count > *out_indices)
            *out_indices = (size_t)shape->index_count;
    }
}
