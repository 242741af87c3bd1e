#include "app/actors.h"

#include <stdlib.h>
#include <string.h>

static int shown_meshes(const SnSceneSkeleton *skeleton) {
    return skeleton->shows_mesh ? sn_skeleton_mesh_count(skeleton->skeleton) : 0;
}

static bool add_meshes(Actors *actors, int number) {
    SnSceneSkeleton skeleton = sn_scene_skeleton(actors->scene, number);
    for (int i = 0; i < shown_meshes(&skeleton); ++i) {
        size_t vertices = (size_t)sn_skeleton_mesh(skeleton.skeleton, i).vertex_count;
        ActorMesh *mesh = &actors->meshes[actors->mesh_count++];
        *mesh = (ActorMesh){number, i, calloc(vertices, sizeof(SnVec3)),
                            calloc(vertices, sizeof(SnVec3))};
        if (mesh->positions == NULL || mesh->normals == NULL)
            return false;
    }
    return true;
}

SnResult actors_begin(const SnScene *scene, Actors *out_actors) {
    *out_actors = (Actors){.scene = scene};
    int count = sn_scene_skeleton_count(scene);
    size_t meshes = 0, joints = 0;
    for (int i = 0; i < count; ++i) {
        SnSceneSkeleton skeleton = sn_scene_skeleton(scene, i);
        size_t own = (size_t)sn_skeleton_joint_count(skeleton.skeleton);
        meshes += (size_t)shown_meshes(&skeleton);
        joints = own > joints ? own : joints;
    }
    out_actors->meshes = calloc(meshes + 1, sizeof *out_actors->meshes);
    out_actors->locals = calloc(joints + 1, sizeof *out_actors->locals);
    out_actors->maps = calloc((size_t)count + 1, sizeof *out_actors->maps);
    bool good = out_actors->meshes && out_actors->locals && out_actors->maps;
    for (int i = 0; i < count && good; ++i) {
        out_actors->maps[i] = calloc(joints + 1, sizeof(SnMap));
        good = out_actors->maps[i] && add_meshes(out_actors, i);
    }
    return good ? sn_ok() : sn_error(SN_ERROR_MEMORY, "picture: no memory for %d skeletons", count);
}

void actors_end(Actors *actors) {
    for (int i = 0; i < actors->mesh_count; ++i) {
        free(actors->meshes[i].positions);
        free(actors->meshes[i].normals);
    }
    for (int i = 0; actors->maps && i < sn_scene_skeleton_count(actors->scene); ++i)
        free(actors->maps[i]);
    free(actors->meshes);
    free(actors->locals);
    free(actors->maps);
    memset(actors, 0, sizeof *actors);
}

SnResult actors_place(Actors *actors, double time) {
    SnResult result = sn_ok();
    for (int i = 0; i < sn_scene_skeleton_count(actors->scene) && result.code == SN_OK; ++i) {
        SnSceneSkeleton skeleton = sn_scene_skeleton(actors->scene, i);
        result = sn_skeleton_play(skeleton.skeleton, skeleton.cues, skeleton.cue_count, time,
                                  actors->locals);
        if (result.code == SN_OK)
            result = sn_skeleton_maps(skeleton.skeleton, actors->locals, &skeleton.place,
                                      actors->maps[i]);
    }
    for (int i = 0; i < actors->mesh_count && result.code == SN_OK; ++i) {
        const ActorMesh *mesh = &actors->meshes[i];
        result = sn_skeleton_deform(sn_scene_skeleton(actors->scene, mesh->skeleton).skeleton,
                                    mesh->mesh, actors->maps[mesh->skeleton], mesh->positions,
                                    mesh->normals);
    }
    return result;
}

void actors_bounds(const Actors *actors, ViewBounds *bounds) {
    for (int i = 0; i < actors->mesh_count; ++i) {
        const ActorMesh *mesh = &actors->meshes[i];
        SnSceneSkeleton skeleton = sn_scene_skeleton(actors->scene, mesh->skeleton);
        view_bounds_add(bounds, &mesh->positions->x, NULL,
                        sn_skeleton_mesh(skeleton.skeleton, mesh->mesh).vertex_count);
    }
    for (int i = 0; i < sn_scene_skeleton_count(actors->scene); ++i) {
        SnSceneSkeleton skeleton = sn_scene_skeleton(actors->scene, i);
        int joints = shown_meshes(&skeleton) > 0 ? 0 : sn_skeleton_joint_count(skeleton.skeleton);
        for (int k = 0; k < joints; ++k)
            if (sn_skeleton_joint(skeleton.skeleton, k).bone)
                view_bounds_add(bounds, &actors->maps[i][k].origin.x, NULL, 1);
    }
}
