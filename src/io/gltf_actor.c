// Recording skeletons: a sample of every joint for each frame, and their meshes as bytes.
#include "io/gltf_actor.h"
#include "io/gltf_morph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static SnResult check_actor(const SnGltfActor *actor, int number) {
    if (actor->skeleton == NULL)
        return sn_error(SN_ERROR_INVALID, "gltf: actors[%d]: skeleton is NULL", number);
    for (int i = 0; i < sn_skeleton_mesh_count(actor->skeleton) && actor->shows_mesh; ++i)
        if (sn_skeleton_mesh(actor->skeleton, i).joint_count > SN_MAX_GLTF_JOINTS)
            return sn_error(SN_ERROR_LIMIT,
                            "gltf: actors[%d] has %d joints; a skin has room for %d", number,
                            sn_skeleton_mesh(actor->skeleton, i).joint_count, SN_MAX_GLTF_JOINTS);
    return sn_ok();
}

#define RESIDUAL 0.005f // of the height, if nothing else is said

static bool add_actor(SnGltf *gltf, const SnGltfActor *from, GltfActor *actor) {
    const char *name = from->name && from->name[0] ? from->name : "skeleton";
    SnCue *cues = sn__arena_alloc(&gltf->arena, (size_t)from->cue_count, sizeof *cues);
    *actor = (GltfActor){.name = sn__arena_text(&gltf->arena, name, strlen(name)),
                         .skeleton = from->skeleton,
                         .place = from->place,
                         .cues = cues,
                         .cue_count = from->cue_count,
                         .joint_count = sn_skeleton_joint_count(from->skeleton),
                         .first_joint = gltf->actor_joint_count,
                         .first_mesh = gltf->actor_mesh_count,
                         .first_image = gltf->actor_image_count,
                         .skin = from->shows_mesh ? from->skin : NULL,
                         .residual = from->residual > 0.0f ? from->residual : RESIDUAL};
    if (from->shows_mesh) {
        actor->mesh_count = sn_skeleton_mesh_count(from->skeleton);
        actor->image_count = sn_skeleton_image_count(from->skeleton);
    }
    if (cues && from->cue_count > 0)
        memcpy(cues, from->cues, (size_t)from->cue_count * sizeof *cues);
    size_t meshes = (size_t)actor->mesh_count;
    if (actor->skin)
        actor->morphs = sn__arena_alloc(&gltf->arena, meshes, sizeof *actor->morphs);
    gltf->actor_joint_count += actor->joint_count;
    gltf->actor_mesh_count += actor->mesh_count;
    gltf->actor_image_count += actor->image_count;
    return actor->name && cues && (actor->skin == NULL || actor->morphs);
}

SnResult sn__gltf_add_actors(SnGltf *gltf, const SnGltfDef *def) {
    size_t count = (size_t)def->actor_count, most = 0;
    gltf->actors = sn__arena_alloc(&gltf->arena, count, sizeof *gltf->actors);
    bool good = gltf->actors != NULL;
    for (int i = 0; i < def->actor_count && good; ++i) {
        SnResult result = check_actor(&def->actors[i], i);
        if (result.code != SN_OK)
            return result;
        good = add_actor(gltf, &def->actors[i], &gltf->actors[i]);
        size_t joints = (size_t)gltf->actors[i].joint_count;
        most = joints > most ? joints : most;
        ++gltf->actor_count;
    }
    gltf->actor_locals = sn__arena_alloc(&gltf->arena, most, sizeof *gltf->actor_locals);
    gltf->actor_maps = sn__arena_alloc(&gltf->arena, most, sizeof *gltf->actor_maps);
    return good && gltf->actor_locals && gltf->actor_maps
               ? sn_ok()
               : sn_error(SN_ERROR_MEMORY, "gltf: no memory for %d skeletons", def->actor_count);
}

GltfActorSample *sn__gltf_actor_samples(const SnGltf *gltf, GltfSample *frame) {
    return (GltfActorSample *)(frame + gltf->joint_count + 1);
}

// The sign follows the frame before, so that players that blend between frames turn the short way.
static void put_sample(const SnTransform *local, const GltfActorSample *before,
                       GltfActorSample *out) {
    const float q[4] = {local->rotation.x, local->rotation.y, local->rotation.z, local->rotation.w};
    float dot = 1;
    for (int c = 0; c < 4 && before; ++c)
        dot = c == 0 ? q[c] * (float)before->rotation[c] : dot + q[c] * (float)before->rotation[c];
    memcpy(out->translation, &local->translation, sizeof out->translation);
    memcpy(out->scale, &local->scale, sizeof out->scale);
    for (int c = 0; c < 4; ++c)
        out->rotation[c] = (int16_t)lrintf((dot < 0 ? -q[c] : q[c]) * 32767.0f);
}

bool sn__gltf_sample_actors(SnGltf *gltf, double time, GltfSample *frame) {
    GltfActorSample *samples = sn__gltf_actor_samples(gltf, frame);
    int last = gltf->frame_count - 1;
    const GltfActorSample *before =
        last >= 0 ? sn__gltf_actor_samples(gltf, gltf->frames[last]) : NULL;
    for (int a = 0; a < gltf->actor_count; ++a) {
        GltfActor *actor = &gltf->actors[a];
        sn_skeleton_play(actor->skeleton, actor->cues, actor->cue_count, time, gltf->actor_locals);
        for (int i = 0; i < actor->joint_count; ++i) {
            int k = actor->first_joint + i;
            put_sample(&gltf->actor_locals[i], before ? &before[k] : NULL, &samples[k]);
        }
        if (actor->skin == NULL)
            continue;
        sn_skeleton_maps(actor->skeleton, gltf->actor_locals, &actor->place, gltf->actor_maps);
        if (!sn__gltf_morph_frame(gltf, actor, gltf->actor_maps))
            return false;
    }
    return true;
}

void sn__gltf_measure_actors(const SnGltf *gltf, GltfLayout *layout) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            layout->size[GLTF_VERTICES] += (uint64_t)mesh.vertex_count * sizeof(TubeVertex);
            layout->size[GLTF_INDICES] += 3 * (uint64_t)mesh.triangle_count * sizeof(uint32_t);
            layout->size[GLTF_BIND] += (uint64_t)mesh.joint_count * 64;
            if (mesh.texcoords)
                layout->size[GLTF_TEXCOORDS] += (uint64_t)mesh.vertex_count * 2 * sizeof(float);
        }
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].image_count; ++i) {
            SnSkeletonImage image = sn_skeleton_image(gltf->actors[a].skeleton, i);
            layout->size[GLTF_IMAGES] += sn__gltf_image_size(&image);
        }
}

size_t sn__gltf_largest_actor_mesh(const SnGltf *gltf) {
    size_t most = 0;
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            size_t own = (size_t)sn_skeleton_mesh(gltf->actors[a].skeleton, i).vertex_count;
            most = own > most ? own : most;
        }
    return most;
}

// How many joints of a vertex are heavier, or as heavy and before it.
static int rank_of(const float weights[SN_MESH_JOINTS], int which) {
    int rank = 0;
    for (int k = 0; k < SN_MESH_JOINTS; ++k)
        rank += weights[k] > weights[which] || (weights[k] == weights[which] && k < which);
    return rank;
}

void sn__gltf_heaviest(const SnSkeletonMesh *mesh, int vertex, int out_joints[GLTF_FOLLOWED],
                       float out_weights[GLTF_FOLLOWED]) {
    const int *joints = mesh->vertex_joints + SN_MESH_JOINTS * vertex;
    const float *weights = mesh->vertex_weights + SN_MESH_JOINTS * vertex;
    float sum = 0.0f, left = 0.0f;
    for (int k = 0, count = 0; k < SN_MESH_JOINTS; ++k) {
        if (rank_of(weights, k) >= GLTF_FOLLOWED) {
            left += weights[k];
            continue;
        }
        out_joints[count] = joints[k];
        out_weights[count++] = weights[k];
        sum += weights[k];
    }
    for (int k = 0; k < GLTF_FOLLOWED && left > 0.0f; ++k)
        out_weights[k] /= sum;
}

// Weights as integers whose sum is exact: what rounding leaves goes to the heaviest.
static void put_weights(const int *joints, const float *weights, TubeVertex *out) {
    int sum = 0, heaviest = 0;
    for (int k = 0; k < GLTF_FOLLOWED; ++k) {
        out->weights[k] = (uint16_t)((double)weights[k] * TUBE_WEIGHT);
        out->joints[k] = (uint16_t)(out->weights[k] ? joints[k] : 0);
        sum += out->weights[k];
        heaviest = weights[k] > weights[heaviest] ? k : heaviest;
    }
    out->weights[heaviest] = (uint16_t)(out->weights[heaviest] + TUBE_WEIGHT - sum);
}

void sn__gltf_actor_vertices(const SnSkeletonMesh *mesh, TubeVertex *out) {
    for (int i = 0; i < mesh->vertex_count; ++i) {
        int joints[GLTF_FOLLOWED];
        float weights[GLTF_FOLLOWED];
        memcpy(out[i].position, &mesh->positions[i], sizeof out[i].position);
        memcpy(out[i].normal, &mesh->normals[i], sizeof out[i].normal);
        sn__gltf_heaviest(mesh, i, joints, weights);
        put_weights(joints, weights, &out[i]);
    }
}

void sn__gltf_write_actor_vertices(const SnGltf *gltf, TubeVertex *scratch, FileWriter *writer) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            sn__gltf_actor_vertices(&mesh, scratch);
            sn__file_write(writer, scratch, (size_t)mesh.vertex_count * sizeof *scratch);
        }
}

void sn__gltf_write_actor_indices(const SnGltf *gltf, FileWriter *writer) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            sn__file_write(writer, mesh.triangles,
                           3 * (size_t)mesh.triangle_count * sizeof *mesh.triangles);
        }
}

static void write_bind(const SnMap *map, FileWriter *writer) {
    const SnVec3 columns[4] = {map->x, map->y, map->z, map->origin};
    float matrix[16];
    for (int c = 0; c < 4; ++c) {
        memcpy(matrix + 4 * c, &columns[c], 3 * sizeof *matrix);
        matrix[4 * c + 3] = c == 3;
    }
    sn__file_write(writer, matrix, sizeof matrix);
}

void sn__gltf_write_actor_binds(const SnGltf *gltf, FileWriter *writer) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            for (int k = 0; k < mesh.joint_count; ++k)
                write_bind(&mesh.binds[k], writer);
        }
}

void sn__gltf_write_actor_paint(const SnGltf *gltf, FileWriter *writer) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count; ++i) {
            SnSkeletonMesh mesh = sn_skeleton_mesh(gltf->actors[a].skeleton, i);
            if (mesh.texcoords)
                sn__file_write(writer, mesh.texcoords,
                               (size_t)mesh.vertex_count * 2 * sizeof(float));
        }
    static const char fill[4] = {0};
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].image_count; ++i) {
            SnSkeletonImage image = sn_skeleton_image(gltf->actors[a].skeleton, i);
            sn__file_write(writer, image.bytes, image.size);
            sn__file_write(writer, fill, (size_t)sn__gltf_image_size(&image) - image.size);
        }
}
