#include "app/actors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// s: what an implicit skin had so long ago does not tell where it is now.
#define FRESH 0.5

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

// A skeleton whose meshes are an implicit skin gets one.
static SnResult add_skin(Actors *actors, int number) {
    SnSceneSkeleton skeleton = sn_scene_skeleton(actors->scene, number);
    if (!skeleton.implicit || !skeleton.shows_mesh)
        return sn_ok();
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = skeleton.skeleton;
    def.name = skeleton.name[0] ? skeleton.name : "skeleton";
    def.thread_count = 0;
    def.fat = skeleton.fat;
    const SnMuscleField **own = calloc((size_t)actors->muscle_count + 1, sizeof *own);
    if (own == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for muscles");
    for (int i = 0; i < actors->muscle_count; ++i)
        if (sn_scene_flesh(actors->scene, i).skeleton == number)
            own[def.muscle_count++] = actors->muscles[i];
    def.muscles = own;
    SnResult result = sn_implicit_create(&def, NULL, &actors->skins[number]);
    free(own);
    return result;
}

// The fields of all muscles, at rest.
static SnResult add_muscles(Actors *actors) {
    int count = sn_scene_flesh_count(actors->scene);
    actors->muscles = calloc((size_t)count + 1, sizeof(SnMuscleField *));
    SnResult result = actors->muscles
                          ? sn_ok()
                          : sn_error(SN_ERROR_MEMORY, "picture: no memory for %d muscles", count);
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        result = sn_scene_flesh_field(actors->scene, i, NULL, &actors->muscles[i]);
        actors->muscle_count = i + 1;
    }
    return result;
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
    out_actors->skins = calloc((size_t)count + 1, sizeof *out_actors->skins);
    bool good = out_actors->meshes && out_actors->locals && out_actors->maps && out_actors->skins;
    for (int i = 0; i < count && good; ++i) {
        out_actors->maps[i] = calloc(joints + 1, sizeof(SnMap));
        good = out_actors->maps[i] && add_meshes(out_actors, i);
    }
    SnResult result =
        good ? sn_ok() : sn_error(SN_ERROR_MEMORY, "picture: no memory for %d skeletons", count);
    if (result.code == SN_OK)
        result = add_muscles(out_actors);
    for (int i = 0; i < count && result.code == SN_OK; ++i)
        result = add_skin(out_actors, i);
    return result;
}

void actors_end(Actors *actors) {
    for (int i = 0; i < actors->mesh_count; ++i) {
        free(actors->meshes[i].positions);
        free(actors->meshes[i].normals);
    }
    for (int i = 0; actors->maps && i < sn_scene_skeleton_count(actors->scene); ++i)
        free(actors->maps[i]);
    for (int i = 0; actors->skins && i < sn_scene_skeleton_count(actors->scene); ++i)
        sn_implicit_destroy(actors->skins[i]);
    for (int i = 0; i < actors->muscle_count; ++i)
        sn_muscle_field_destroy(actors->muscles[i]);
    free(actors->muscles);
    free(actors->skins);
    free(actors->meshes);
    free(actors->locals);
    free(actors->maps);
    memset(actors, 0, sizeof *actors);
}

// A mesh as it is now: that of an implicit skin, or one that is blended.
static SnResult place_mesh(const Actors *actors, const ActorMesh *mesh) {
    SnImplicit *skin = actors->skins[mesh->skeleton];
    if (skin == NULL)
        return sn_skeleton_deform(sn_scene_skeleton(actors->scene, mesh->skeleton).skeleton,
                                  mesh->mesh, actors->maps[mesh->skeleton], mesh->positions,
                                  mesh->normals);
    SnImplicitMesh now = sn_implicit_mesh(skin, mesh->mesh);
    size_t size = (size_t)now.vertex_count * sizeof(SnVec3);
    memcpy(mesh->positions, now.positions, size);
    memcpy(mesh->normals, now.normals, size);
    return sn_ok();
}

static SnResult place_muscles(const Actors *actors, int skeleton, double time,
                              const SnPoses *poses) {
    SnResult result = sn_ok();
    for (int i = 0; i < actors->muscle_count && result.code == SN_OK; ++i)
        if (sn_scene_flesh(actors->scene, i).skeleton == skeleton)
            result = sn_scene_move_flesh(actors->scene, i, time, actors->maps[skeleton], poses,
                                         actors->muscles[i]);
    return result;
}

SnResult actors_place(Actors *actors, double time, const SnPoses *poses) {
    SnResult result = sn_ok();
    for (int i = 0; i < sn_scene_skeleton_count(actors->scene) && result.code == SN_OK; ++i) {
        SnSceneSkeleton skeleton = sn_scene_skeleton(actors->scene, i);
        result = sn_skeleton_play(skeleton.skeleton, skeleton.cues, skeleton.cue_count, time,
                                  actors->locals);
        if (result.code == SN_OK)
            result = sn_skeleton_maps(skeleton.skeleton, actors->locals, &skeleton.place,
                                      actors->maps[i]);
        if (actors->skins[i] && (time < actors->time || time > actors->time + FRESH))
            sn_implicit_reset(actors->skins[i]);
        if (actors->skins[i] && result.code == SN_OK)
            result = place_muscles(actors, i, time, poses);
        if (actors->skins[i] && result.code == SN_OK)
            result = sn_implicit_deform_after(actors->skins[i], actors->maps[i],
                                              (float)fmax(0.0, time - actors->time));
    }
    actors->time = time;
    for (int i = 0; i < actors->mesh_count && result.code == SN_OK; ++i)
        result = place_mesh(actors, &actors->meshes[i]);
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
