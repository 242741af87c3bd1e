// What is seen of a recording: tubes for chains, pills for creatures.
#include "io/gltf_painted.h"

#include <stdlib.h>
#include <string.h>

// The frame of a chain at a vertex: the mean of those beside it. q and −q are the same one.
static SnQuat ring_frame(const GltfRod *rod, const SnQuat *frames, int vertex) {
    bool closed = rod->segment_count == rod->vertex_count;
    int last = rod->segment_count - 1;
    int before = vertex > 0 ? vertex - 1 : closed ? last : 0;
    Quatd a = quatd(frames[before]), b = quatd(frames[vertex < last ? vertex : last]);
    double sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
    Quatd sum = {a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z, a.w + sign * b.w};
    return quatf(normalisedq(sum));
}

// A chain is one tube.
static bool add_chain(SnGltf *gltf, const GltfRod *rod, const SnQuat *frames, GltfShape *shape) {
    TubeMesh *tube = sn__arena_alloc(&gltf->arena, 1, sizeof *tube);
    SnQuat *rings = sn__arena_alloc(&gltf->arena, (size_t)rod->vertex_count, sizeof *rings);
    if (tube == NULL || rings == NULL)
        return false;
    for (int i = 0; i < rod->vertex_count; ++i)
        rings[i] = ring_frame(rod, frames, i);
    int first = rod->first_vertex;
    *tube = (TubeMesh){rod->vertex_count,       rod->segment_count == rod->vertex_count,
                       gltf->positions + first, rings,
                       gltf->radii + first,     {rod->section[0], rod->section[1]}};
    shape->tubes = tube;
    shape->tube_count = 1;
    return true;
}

// A creature is a tube for every segment, along the segment; of a sphere, its two caps.
static bool add_creature(SnGltf *gltf, const GltfRod *rod, const SnPoses *poses, GltfShape *shape) {
    const SnQuat *frames = (const SnQuat *)poses->frames + rod->first_segment;
    const SnVec3 *shapes = (const SnVec3 *)poses->shapes;
    size_t count = (size_t)rod->segment_count;
    TubeMesh *tubes = sn__arena_alloc(&gltf->arena, count, sizeof *tubes);
    SnVec3 *ends = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *ends);
    SnQuat *turns = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *turns);
    float *radii = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *radii);
    if (tubes == NULL || ends == NULL || turns == NULL || radii == NULL)
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
        for (int c = 0; c < 2 && !sphere; ++c)
            tubes[j].section[c] = rod->section[c];
        // An ellipsoid is a sphere with a section of its own.
        const SnVec3 *own = shapes ? &shapes[(size_t)rod->first_segment + j] : NULL;
        if (own && sphere && own->x > 0.0f) {
            radii[2 * j] = own->z;
            tubes[j].section[0] = own->x / own->z;
            tubes[j].section[1] = own->y / own->z;
        }
    }
    shape->tubes = tubes;
    shape->tube_joints = rod->edges;
    shape->tube_count = rod->segment_count;
    return true;
}

static bool add_rods(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    for (int r = 0; r < gltf->rod_count; ++r) {
        const GltfRod *rod = &gltf->rods[r];
        if (rod->skinned || rod->hidden)
            continue;
        GltfShape *shape = &gltf->shapes[gltf->shape_count];
        int *rods = sn__arena_alloc(&gltf->arena, 1, sizeof *rods);
        const SnQuat *frames = (const SnQuat *)poses->frames + rod->first_segment;
        if (rods == NULL || !(rod->edges ? add_creature(gltf, rod, poses, shape)
                                         : add_chain(gltf, rod, frames, shape)))
            return false;
        rods[0] = r;
        shape->name = rod->name;
        shape->colour = def->colours ? def->colours[r] : GLTF_GREY;
        shape->rods = rods;
        shape->rod_count = 1;
        shape->joint_count = rod->joint_count;
        shape->bind_positions = gltf->positions + rod->first_vertex;
        shape->bind_rotations = gltf->rotations + rod->first_vertex;
        shape->mesh = gltf->shape_count++;
        for (int k = 0; k < shape->tube_count; ++k) {
            shape->vertex_count += sn__tube_vertex_count(&gltf->detail, &shape->tubes[k]);
            shape->index_count += sn__tube_index_count(&gltf->detail, &shape->tubes[k]);
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
    if (order == 0 && left->opacity != right->opacity)
        order = left->opacity < right->opacity ? -1 : 1;
    if (order == 0)
        order = left->leaf - right->leaf;
    return order != 0 ? order : left->texture - right->texture;
}

// Shapes of one colour share a material.
static bool make_materials(SnGltf *gltf) {
    size_t most = 2 * (size_t)gltf->shape_count, count = 0;
    for (int k = 0; k < gltf->shape_count; ++k)
        most += (size_t)sn__gltf_part_count(&gltf->shapes[k]);
    ColourOrder *order = malloc((most + 1) * sizeof *order);
    gltf->materials = sn__arena_alloc(&gltf->arena, most, sizeof *gltf->materials);
    if (order == NULL || gltf->materials == NULL) {
        free(order);
        return false;
    }
    for (int k = 0; k < gltf->shape_count; ++k) {
        GltfShape *shape = &gltf->shapes[k];
        for (int i = 0; i < sn__gltf_part_count(shape); ++i)
            order[count++] =
                (ColourOrder){sn__gltf_part_material(shape, i), &shape->part_materials[i]};
        if (shape->paint)
            continue;
        order[count++] =
            (ColourOrder){{shape->colour, 1.0f - shape->clear, false, 0}, &shape->material};
        if (gltf->shapes[shape->mesh].leaf_index_count > 0)
            order[count++] =
                (ColourOrder){{shape->leaf_colour, 1.0f, true, 0}, &shape->leaf_material};
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

static bool same_binding(const GltfShape *a, const GltfShape *b) {
    size_t count = (size_t)a->joint_count;
    bool turned = a->bind_rotations && b->bind_rotations;
    return a->joint_count == b->joint_count && !a->bind_rotations == !b->bind_rotations &&
           memcmp(a->bind_positions, b->bind_positions, count * sizeof *a->bind_positions) == 0 &&
           (!turned ||
            memcmp(a->bind_rotations, b->bind_rotations, count * sizeof *a->bind_rotations) == 0);
}

static void number_shapes(SnGltf *gltf) {
    int accessor = 0;
    for (int k = 0; k < gltf->shape_count; ++k) {
        GltfShape *shape = &gltf->shapes[k];
        shape->first_accessor = accessor;
        // Coordinates, and indices of all parts but the first: as many as there are parts.
        int own = GLTF_ACCESSORS + (shape->leaf_index_count > 0) + sn__gltf_part_count(shape);
        shape->binding = same_binding(shape, &gltf->shapes[shape->mesh]) ? shape->mesh : k;
        accessor += shape->mesh == k ? own : shape->binding == k;
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
    sn__gltf_number_images(gltf);
    return make_materials(gltf);
}

// Where there is only one joint, to which both ends of a tube belong.
static void follow_first(TubeVertex *vertex) {
    memset(vertex->joints, 0, sizeof vertex->joints);
    memset(vertex->weights, 0, sizeof vertex->weights);
    vertex->weights[0] = TUBE_WEIGHT;
}

const TubeVertex *sn__gltf_vertices(const SnGltf *gltf, const GltfShape *shape,
                                    TubeVertex *scratch) {
    TubeVertex *at = scratch;
    for (int k = 0; k < shape->tube_count; ++k) {
        size_t count = sn__tube_vertex_count(&gltf->detail, &shape->tubes[k]);
        sn__tube_vertices(&gltf->detail, &shape->tubes[k], at);
        for (size_t v = 0; v < count && shape->joint_count == 1; ++v)
            follow_first(&at[v]);
        for (size_t v = 0; v < count && shape->joint_count > 1 && shape->tube_joints; ++v)
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
        size_t count = sn__tube_index_count(&gltf->detail, &shape->tubes[k]);
        sn__tube_indices(&gltf->detail, &shape->tubes[k], at);
        for (size_t i = 0; i < count; ++i)
            at[i] += first;
        at += count;
        first += (uint32_t)sn__tube_vertex_count(&gltf->detail, &shape->tubes[k]);
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
