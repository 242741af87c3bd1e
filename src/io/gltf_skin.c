// Skins of a recording: their meshes, and the joints these follow.
#include "io/gltf_painted.h"

#include <stdlib.h>
#include <string.h>

// The rod's number in the poses, or −1. Skins mostly come in the order of their rods: the search
// starts at `hint`.
static int find_rod(const SnPoses *poses, SnBodyId id, int hint) {
    for (int k = 0; k < poses->body_count; ++k) {
        int r = (hint + k) % poses->body_count;
        if (poses->bodies[r].index == id.index && poses->bodies[r].generation == id.generation)
            return r;
    }
    return -1;
}

SnResult sn__gltf_check_skins(const SnPoses *poses, const SnGltfDef *def) {
    if (def->skin_count > 0 && (poses->bodies == NULL || def->skins == NULL))
        return sn_error(SN_ERROR_INVALID, "gltf: %d skins, but the %s are NULL", def->skin_count,
                        def->skins ? "poses' bodies" : "skins");
    int found = -1;
    for (int s = 0; s < def->skin_count; ++s) {
        const SnSkinMesh *skin = &def->skins[s];
        int points = 0;
        for (int k = 0; k < skin->body_count; ++k) {
            found = find_rod(poses, skin->bodies[k], found + 1);
            if (found < 0)
                return sn_error(SN_ERROR_INVALID,
                                "gltf: skins[%d] is on a body that is not in the "
                                "poses",
                                s);
            points += poses->point_begin[found + 1] - poses->point_begin[found];
        }
        if (points + skin->frame_count != skin->bone_count || skin->bone_count == 0)
            return sn_error(SN_ERROR_INVALID,
                            "gltf: skins[%d] has %d bones, its bodies %d points, and it has %d "
                            "frames",
                            s, skin->bone_count, points, skin->frame_count);
        const SnSkeleton *paint = def->skin_paints ? def->skin_paints[s] : NULL;
        SnResult result = paint ? sn__gltf_check_paint(paint, skin, s) : sn_ok();
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}

// What rounding leaves goes to the heaviest. A joint is named once.
void sn__gltf_put_weights(const int joints[SN_SKIN_BONES], const float *weights, TubeVertex *out) {
    int count = 0, sum = 0, heaviest = 0;
    double share[SN_SKIN_BONES] = {0};
    for (int k = 0; k < SN_SKIN_BONES; ++k) {
        int at = 0, joint = joints[k];
        while (at < count && out->joints[at] != joint)
            ++at;
        if (weights[k] > 0) {
            out->joints[at] = (uint16_t)joint;
            share[at] += (double)weights[k];
            count = at == count ? count + 1 : count;
        }
    }
    for (int k = 0; k < count; ++k) {
        out->weights[k] = (uint16_t)(share[k] * TUBE_WEIGHT);
        out->joints[k] = out->weights[k] ? out->joints[k] : 0;
        sum += out->weights[k];
        heaviest = share[k] > share[heaviest] ? k : heaviest;
    }
    out->weights[heaviest] = (uint16_t)(out->weights[heaviest] + TUBE_WEIGHT - sum);
}

static bool copy_mesh(SnGltf *gltf, const SnSkinMesh *skin, const int *joint_of, GltfSplit *split,
                      GltfShape *shape) {
    shape->vertex_count = (uint64_t)skin->vertex_count;
    shape->index_count = 3 * (uint64_t)skin->triangle_count;
    size_t index_size = (size_t)shape->index_count * sizeof(uint32_t);
    TubeVertex *vertices =
        sn__arena_alloc(&gltf->arena, (size_t)skin->vertex_count, sizeof *vertices);
    uint32_t *indices = sn__arena_alloc(&gltf->arena, index_size, 1);
    if (vertices == NULL || indices == NULL)
        return false;
    for (int i = 0; i < skin->vertex_count; ++i) {
        memcpy(vertices[i].position, &skin->rest_positions[i], sizeof vertices[i].position);
        memcpy(vertices[i].normal, &skin->rest_normals[i], sizeof vertices[i].normal);
        int joints[SN_SKIN_BONES];
        for (int k = 0; k < SN_SKIN_BONES; ++k)
            joints[k] = joint_of[skin->bones[SN_SKIN_BONES * i + k]];
        sn__gltf_put_weights(joints, skin->weights + SN_SKIN_BONES * i, &vertices[i]);
    }
    if (split && !sn__gltf_bind_split(gltf, split, skin, joint_of, vertices))
        return false;
    memcpy(indices, skin->triangles, index_size);
    shape->vertices = vertices;
    shape->indices = indices;
    return true;
}

static bool add_skin(SnGltf *gltf, const SnPoses *poses, const SnSkinMesh *skin, GltfSplit *split,
                     int *hint, GltfShape *shape) {
    int count = skin->body_count + skin->frame_count + (split != NULL);
    int *rods = sn__arena_alloc(&gltf->arena, (size_t)count, sizeof *rods);
    if (rods == NULL)
        return false;
    for (int k = 0; k < skin->body_count; ++k) {
        rods[k] = *hint = find_rod(poses, skin->bodies[k], *hint + 1);
        gltf->rods[rods[k]].skinned = true;
    }
    for (int k = 0; k < skin->frame_count; ++k)
        rods[skin->body_count + k] = sn__gltf_find_led(gltf, skin->frames[k]);
    if (split) {
        split->body = rods[0];
        rods[count - 1] = gltf->led_end + (int)(split - gltf->splits);
    }
    shape->rods = rods;
    shape->rod_count = count;
    return true;
}

// Points of bodies count their turns from the rest pose, frames from the world's axes.
static bool bind_rotations(SnGltf *gltf, const SnSkinMesh *skin, GltfShape *shape) {
    int bodies = shape->joint_count - skin->frame_count;
    SnQuat *turns = sn__arena_alloc(&gltf->arena, (size_t)shape->joint_count, sizeof *turns);
    for (int i = 0; i < shape->joint_count && turns; ++i)
        turns[i] = i < bodies ? sn_quat_identity() : skin->rest_frames[i - bodies].rotation;
    shape->bind_rotations = turns;
    return turns != NULL;
}

// The joint of every bone, and where the joints are bound.
static int *bind_joints(SnGltf *gltf, const SnSkinMesh *skin, GltfShape *shape) {
    int *joint_of = sn__arena_alloc(&gltf->arena, (size_t)skin->bone_count, sizeof *joint_of);
    size_t most = (size_t)(skin->bone_count + skin->lead_count);
    SnVec3 *places = sn__arena_alloc(&gltf->arena, most, sizeof *places);
    int bone = 0, joints = 0;
    for (int k = 0; k < shape->rod_count && joint_of && places; ++k) {
        const GltfRod *rod = &gltf->rods[shape->rods[k]];
        bool leads = shape->rods[k] >= gltf->led_end;
        for (int i = 0; i < rod->joint_count && leads; ++i)
            places[joints++] = skin->rest_bones[skin->leads[i][1]];
        if (leads)
            break;
        for (int i = 0; i < rod->vertex_count; ++i)
            joint_of[bone + i] = joints + (rod->joint_of ? rod->joint_of[i] : i);
        for (int i = 0; i < rod->joint_count; ++i)
            places[joints + i] = skin->rest_bones[bone + sn__gltf_joint_vertex(rod, i)];
        bone += rod->vertex_count;
        joints += rod->joint_count;
    }
    shape->bind_positions = places;
    shape->joint_count = joints;
    if (skin->frame_count > 0 && !bind_rotations(gltf, skin, shape))
        return NULL;
    return places ? joint_of : NULL;
}

// Skins of equal definitions point to the same weights; they share what is painted alike.
static int find_mesh(const SnGltf *gltf, const SnGltfDef *def, const int *skin_of, int s,
                     const SnSkeleton *paint) {
    for (int k = gltf->shape_count - 1; k >= 0 && def->skins[s].lead_count == 0; --k)
        if (def->skins[skin_of[k]].weights == def->skins[s].weights &&
            gltf->shapes[k].paint == paint)
            return gltf->shapes[k].mesh;
    return gltf->shape_count;
}

static void colour_skin(const SnGltfDef *def, int s, GltfShape *shape) {
    int bark = def->skin_bark ? def->skin_bark[s] : 0, triangles = def->skins[s].triangle_count;
    shape->colour = def->skin_colours ? def->skin_colours[s] : GLTF_GREY;
    shape->clear = def->skin_opacities ? 1.0f - def->skin_opacities[s] : 0.0f;
    shape->leaf_colour = def->skin_leaf_colours ? def->skin_leaf_colours[s] : GLTF_GREY;
    if (bark > 0 && bark < triangles)
        shape->leaf_index_count = 3 * (uint64_t)(triangles - bark);
}

// False: no memory.
static bool paint_skin(SnGltf *gltf, const SnGltfDef *def, int s, GltfShape *shape) {
    const SnSkeleton *paint = def->skin_paints ? def->skin_paints[s] : NULL;
    if (!sn__is_painted(paint))
        return true;
    shape->paint = paint;
    shape->leaf_index_count = 0;
    size_t parts = (size_t)sn__gltf_part_count(shape);
    shape->part_materials = sn__arena_alloc(&gltf->arena, parts, sizeof *shape->part_materials);
    return shape->part_materials != NULL;
}

static bool add_shapes(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def, int *skin_of) {
    int hint = -1;
    for (int s = 0; s < def->skin_count; ++s) {
        if (def->skins[s].triangle_count < 1)
            continue;
        GltfShape *shape = &gltf->shapes[gltf->shape_count];
        const char *name = def->skin_names && def->skin_names[s] ? def->skin_names[s] : "skin";
        shape->name = sn__arena_text(&gltf->arena, name, strlen(name));
        colour_skin(def, s, shape);
        if (shape->name == NULL || !paint_skin(gltf, def, s, shape) ||
            !add_skin(gltf, poses, &def->skins[s], sn__gltf_split_of(gltf, s), &hint, shape))
            return false;
        shape->mesh = find_mesh(gltf, def, skin_of, s, shape->paint);
        skin_of[gltf->shape_count++] = s;
    }
    return true;
}

bool sn__gltf_add_skins(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    int *skin_of = malloc(((size_t)def->skin_count + 1) * sizeof *skin_of);
    bool good = skin_of && add_shapes(gltf, poses, def, skin_of) && sn__gltf_choose_joints(gltf);
    for (int k = 0; k < gltf->shape_count && good; ++k) {
        GltfShape *shape = &gltf->shapes[k];
        const SnSkinMesh *skin = &def->skins[skin_of[k]];
        const int *joint_of = bind_joints(gltf, skin, shape);
        good = joint_of &&
               (shape->mesh < k ||
                copy_mesh(gltf, skin, joint_of, sn__gltf_split_of(gltf, skin_of[k]), shape));
    }
    free(skin_of);
    return good;
}
