// What is seen of a recording: tubes for chains, pills for creatures, and the meshes of skins.
#include "io/gltf_data.h"

#include "base/result.h"

#include <stdlib.h>
#include <string.h>

static const SnColour GREY = {0.5f, 0.5f, 0.5f};

// The rod's number in the poses, or −1. Skins mostly come in the order of their rods: the search
// starts at `hint`.
static int find_rod(const SnPoses *poses, SnRodId id, int hint) {
    for (int k = 0; k < poses->rod_count; k++) {
        int r = (hint + k) % poses->rod_count;
        if (poses->rods[r].index == id.index && poses->rods[r].generation == id.generation) {
            return r;
        }
    }
    return -1;
}

SnResult sn__gltf_check_skins(const SnPoses *poses, const SnGltfDef *def) {
    if (def->skin_count > 0 && (!poses->rods || !def->skins)) {
        return sn__error(SN_ERROR_INVALID, "gltf: %d skins, but the %s are NULL", def->skin_count,
                         def->skins ? "poses' rods" : "skins");
    }
    int found = -1;
    for (int s = 0; s < def->skin_count; s++) {
        const SnSkinMesh *skin = &def->skins[s];
        int joints = 0;
        for (int k = 0; k < skin->rod_count; k++) {
            found = find_rod(poses, skin->rods[k], found + 1);
            if (found < 0) {
                return sn__error(SN_ERROR_INVALID,
                                 "gltf: skins[%d] is on a rod that is not in the "
                                 "poses",
                                 s);
            }
            joints += poses->vertex_begin[found + 1] - poses->vertex_begin[found];
        }
        if (joints != skin->bone_count || joints == 0) {
            return sn__error(SN_ERROR_INVALID, "gltf: skins[%d] has %d bones, its rods %d vertices",
                             s, skin->bone_count, joints);
        }
        if (joints > SN_MAX_GLTF_JOINTS) {
            return sn__error(SN_ERROR_LIMIT, "gltf: skins[%d] has %d joints; there is room for %d",
                             s, joints, SN_MAX_GLTF_JOINTS);
        }
    }
    return sn__ok();
}

// Weights as integers whose sum is exact: what rounding leaves goes to the heaviest. A joint is
// named once.
static void put_weights(const int *bones, const float *weights, SnTubeVertex *out) {
    int count = 0, sum = 0, heaviest = 0;
    double share[SN_SKIN_BONES] = {0};
    for (int k = 0; k < SN_SKIN_BONES; k++) {
        int at = 0;
        while (at < count && out->joints[at] != bones[k]) {
            at++;
        }
        if (weights[k] > 0) {
            out->joints[at] = (uint16_t)bones[k];
            share[at] += (double)weights[k];
            count = at == count ? count + 1 : count;
        }
    }
    for (int k = 0; k < count; k++) {
        out->weights[k] = (uint16_t)(share[k] * SN__TUBE_WEIGHT);
        out->joints[k] = out->weights[k] ? out->joints[k] : 0;
        sum += out->weights[k];
        heaviest = share[k] > share[heaviest] ? k : heaviest;
    }
    out->weights[heaviest] = (uint16_t)(out->weights[heaviest] + SN__TUBE_WEIGHT - sum);
}

static bool copy_mesh(SnGltf *gltf, const SnSkinMesh *skin, SnGltfShape *shape) {
    shape->vertex_count = (uint64_t)skin->vertex_count;
    shape->index_count = 3 * (uint64_t)skin->triangle_count;
    size_t index_size = (size_t)shape->index_count * sizeof(uint32_t);
    SnTubeVertex *vertices =
        sn__arena_alloc(&gltf->arena, (size_t)skin->vertex_count, sizeof *vertices);
    uint32_t *indices = sn__arena_alloc(&gltf->arena, index_size, 1);
    if (!vertices || !indices) {
        return false;
    }
    for (int i = 0; i < skin->vertex_count; i++) {
        memcpy(vertices[i].position, &skin->rest_positions[i], sizeof vertices[i].position);
        memcpy(vertices[i].normal, &skin->rest_normals[i], sizeof vertices[i].normal);
        put_weights(skin->bones + SN_SKIN_BONES * i, skin->weights + SN_SKIN_BONES * i,
                    &vertices[i]);
    }
    memcpy(indices, skin->triangles, index_size);
    shape->vertices = vertices;
    shape->indices = indices;
    return true;
}

static const void *copied(SnGltf *gltf, const void *from, size_t count, size_t size) {
    void *to = sn__arena_alloc(&gltf->arena, count, size);
    return to ? memcpy(to, from, count * size) : NULL;
}

static double rest_length(SnVec3 a, SnVec3 b) { return lengthd(subd(vec3d(b), vec3d(a))); }

// Joints turn relative to these frames; `positions` are those of the rod's vertices.
static bool set_reference(SnGltf *gltf, SnGltfRod *rod, const SnQuat *frames,
                          const SnVec3 *positions) {
    size_t count = (size_t)rod->segment_count;
    float *lengths = sn__arena_alloc(&gltf->arena, count, sizeof *lengths);
    rod->reference = copied(gltf, frames, count, sizeof *frames);
    rod->lengths = lengths;
    if (!lengths || !rod->reference) {
        return false;
    }
    for (int j = 0; j < rod->segment_count; j++) {
        int a = rod->edges ? rod->edges[2 * j] : j;
        int b = rod->edges ? rod->edges[2 * j + 1] : (j + 1) % rod->vertex_count;
        lengths[j] = (float)rest_length(positions[a], positions[b]);
    }
    return true;
}

static bool add_skin(SnGltf *gltf, const SnPoses *poses, const SnSkinMesh *skin, int *hint,
                     SnGltfShape *shape) {
    int *rods = sn__arena_alloc(&gltf->arena, (size_t)skin->rod_count, sizeof *rods);
    size_t joints = (size_t)skin->bone_count;
    shape->bind_positions = copied(gltf, skin->rest_bones, joints, sizeof(SnVec3));
    if (!rods || !shape->bind_positions) {
        return false;
    }
    int bone = 0, segment = 0;
    for (int k = 0; k < skin->rod_count; k++) {
        rods[k] = *hint = find_rod(poses, skin->rods[k], *hint + 1);
        SnGltfRod *rod = &gltf->rods[rods[k]];
        if (!rod->skinned &&
            !set_reference(gltf, rod, skin->rest_frames + segment, skin->rest_bones + bone)) {
            return false;
        }
        rod->skinned = true;
        bone += rod->vertex_count;
        segment += rod->segment_count;
    }
    shape->rods = rods;
    shape->rod_count = skin->rod_count;
    shape->joint_count = skin->bone_count;
    return true;
}

// Skins of equal definitions point to the same weights.
static int find_mesh(const SnGltf *gltf, const SnGltfDef *def, const int *skin_of, int s) {
    for (int k = gltf->shape_count - 1; k >= 0; k--) {
        if (def->skins[skin_of[k]].weights == def->skins[s].weights) {
            return gltf->shapes[k].mesh;
        }
    }
    return gltf->shape_count;
}

static bool add_skins(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    int *skin_of = malloc(((size_t)def->skin_count + 1) * sizeof *skin_of), hint = -1;
    bool good = skin_of != NULL;
    for (int s = 0; s < def->skin_count && good; s++) {
        if (def->skins[s].triangle_count < 1) {
            continue;
        }
        SnGltfShape *shape = &gltf->shapes[gltf->shape_count];
        const char *name = def->skin_names && def->skin_names[s] ? def->skin_names[s] : "skin";
        shape->name = sn__arena_text(&gltf->arena, name, strlen(name));
        shape->colour = def->skin_colours ? def->skin_colours[s] : GREY;
        shape->mesh = find_mesh(gltf, def, skin_of, s);
        good = shape->name && add_skin(gltf, poses, &def->skins[s], &hint, shape) &&
               (shape->mesh < gltf->shape_count || copy_mesh(gltf, &def->skins[s], shape));
        skin_of[gltf->shape_count++] = s;
    }
    free(skin_of);
    return good;
}

// A chain is one tube.
static bool add_chain(SnGltf *gltf, SnGltfRod *rod, SnGltfShape *shape) {
    SnTube *tube = sn__arena_alloc(&gltf->arena, 1, sizeof *tube);
    if (!tube) {
        return false;
    }
    int first = rod->first_vertex;
    *tube = (SnTube){rod->vertex_count, rod->segment_count == rod->vertex_count,
                     gltf->positions + first, gltf->rotations + first, gltf->radii + first};
    shape->tubes = tube;
    shape->tube_count = 1;
    shape->bind_rotations = gltf->rotations + first;
    return true;
}

// A creature is a tube for every segment, along the segment.
static bool add_creature(SnGltf *gltf, SnGltfRod *rod, const SnQuat *frames, SnGltfShape *shape) {
    size_t count = (size_t)rod->segment_count;
    SnTube *tubes = sn__arena_alloc(&gltf->arena, count, sizeof *tubes);
    SnVec3 *ends = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *ends);
    SnQuat *turns = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *turns);
    float *radii = sn__arena_alloc(&gltf->arena, 2 * count, sizeof *radii);
    if (!tubes || !ends || !turns || !radii ||
        !set_reference(gltf, rod, frames, gltf->positions + rod->first_vertex)) {
        return false;
    }
    for (size_t e = 0; e < 2 * count; e++) {
        int vertex = rod->first_vertex + rod->edges[e];
        ends[e] = gltf->positions[vertex];
        radii[e] = gltf->radii[vertex];
        turns[e] = frames[e / 2];
    }
    for (size_t j = 0; j < count; j++) {
        tubes[j] = (SnTube){2, false, ends + 2 * j, turns + 2 * j, radii + 2 * j};
    }
    shape->tubes = tubes;
    shape->tube_joints = rod->edges;
    shape->tube_count = rod->segment_count;
    return true;
}

static bool add_rods(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    for (int r = 0; r < gltf->rod_count; r++) {
        SnGltfRod *rod = &gltf->rods[r];
        if (rod->skinned) {
            continue;
        }
        SnGltfShape *shape = &gltf->shapes[gltf->shape_count];
        int *rods = sn__arena_alloc(&gltf->arena, 1, sizeof *rods);
        const SnQuat *frames = (const SnQuat *)poses->frames + rod->first_segment;
        if (!rods ||
            !(rod->edges ? add_creature(gltf, rod, frames, shape) : add_chain(gltf, rod, shape))) {
            return false;
        }
        rods[0] = r;
        shape->name = rod->name;
        shape->colour = def->colours ? def->colours[r] : GREY;
        shape->rods = rods;
        shape->rod_count = 1;
        shape->joint_count = rod->vertex_count;
        shape->bind_positions = gltf->positions + rod->first_vertex;
        shape->mesh = gltf->shape_count++;
        for (int k = 0; k < shape->tube_count; k++) {
            shape->vertex_count += sn__tube_vertex_count(&gltf->plan, &shape->tubes[k]);
            shape->index_count += sn__tube_index_count(&gltf->plan, &shape->tubes[k]);
        }
    }
    return true;
}

typedef struct ColourOrder {
    SnColour colour;
    int shape;
} ColourOrder;

static int compare_colours(const void *a, const void *b) {
    return memcmp(&((const ColourOrder *)a)->colour, &((const ColourOrder *)b)->colour,
                  sizeof(SnColour));
}

// Shapes of one colour share a material.
static bool make_materials(SnGltf *gltf) {
    size_t count = (size_t)gltf->shape_count;
    ColourOrder *order = malloc((count + 1) * sizeof *order);
    gltf->materials = sn__arena_alloc(&gltf->arena, count, sizeof *gltf->materials);
    if (!order || !gltf->materials) {
        free(order);
        return false;
    }
    for (int k = 0; k < gltf->shape_count; k++) {
        order[k] = (ColourOrder){gltf->shapes[k].colour, k};
    }
    qsort(order, count, sizeof *order, compare_colours);
    for (size_t k = 0; k < count; k++) {
        if (k == 0 || compare_colours(&order[k], &order[k - 1]) != 0) {
            gltf->materials[gltf->material_count++] = order[k].colour;
        }
        gltf->shapes[order[k].shape].material = gltf->material_count - 1;
    }
    free(order);
    return true;
}

static void number_shapes(SnGltf *gltf) {
    int accessor = 0;
    for (int k = 0; k < gltf->shape_count; k++) {
        SnGltfShape *shape = &gltf->shapes[k];
        shape->first_accessor = accessor;
        accessor += shape->mesh == k ? SN__GLTF_ACCESSORS : 1;
    }
    gltf->shape_accessors = accessor;
}

bool sn__gltf_make_shapes(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    size_t most = (size_t)gltf->rod_count + (size_t)def->skin_count;
    gltf->shapes = sn__arena_alloc(&gltf->arena, most, sizeof *gltf->shapes);
    if (!gltf->shapes || !add_skins(gltf, poses, def) || !add_rods(gltf, poses, def)) {
        return false;
    }
    number_shapes(gltf);
    return make_materials(gltf);
}

const SnTubeVertex *sn__gltf_vertices(const SnGltf *gltf, const SnGltfShape *shape,
                                      SnTubeVertex *scratch) {
    SnTubeVertex *at = scratch;
    for (int k = 0; k < shape->tube_count; k++) {
        size_t count = sn__tube_vertex_count(&gltf->plan, &shape->tubes[k]);
        sn__tube_vertices(&gltf->plan, &shape->tubes[k], at);
        for (size_t v = 0; v < count && shape->tube_joints; v++) {
            for (int c = 0; c < 2; c++) {
                int joint = shape->tube_joints[2 * k + at[v].joints[c]];
                at[v].joints[c] = (uint16_t)(at[v].weights[c] ? joint : 0);
            }
        }
        at += count;
    }
    return shape->vertices ? shape->vertices : scratch;
}

const uint32_t *sn__gltf_indices(const SnGltf *gltf, const SnGltfShape *shape, uint32_t *scratch) {
    uint32_t *at = scratch, first = 0;
    for (int k = 0; k < shape->tube_count; k++) {
        size_t count = sn__tube_index_count(&gltf->plan, &shape->tubes[k]);
        sn__tube_indices(&gltf->plan, &shape->tubes[k], at);
        for (size_t i = 0; i < count; i++) {
            at[i] += first;
        }
        at += count;
        first += (uint32_t)sn__tube_vertex_count(&gltf->plan, &shape->tubes[k]);
    }
    return shape->indices ? shape->indices : scratch;
}

void sn__gltf_most(const SnGltf *gltf, size_t *out_vertices, size_t *out_indices) {
    *out_vertices = *out_indices = 1;
    for (int k = 0; k < gltf->shape_count; k++) {
        const SnGltfShape *shape = &gltf->shapes[k];
        if (shape->tube_count > 0 && shape->vertex_count > *out_vertices) {
            *out_vertices = (size_t)shape->vertex_count;
        }
        if (shape->tube_count > 0 && shape->index_count > *out_indices) {
            *out_indices = (size_t)shape->index_count;
        }
    }
}
