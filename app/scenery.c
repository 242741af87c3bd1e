#include "app/scenery.h"

#include "app/stage.h"

#include "view/solids.h"

#include <stdlib.h>
#include <string.h>

// As fine as a pill of 1 m that is seen from 4 m in a picture of 250 pixels.
#define PIXELS_PER_RADIAN 250.0f
#define SEEN_FROM 4.0f  // sizes of the thing
#define COARSENESS 1.6f // pillars may be many

// Arrays of one mesh, one behind the other.
typedef struct MeshArrays {
    SnVec3 *positions, *normals;
    int *bones;
    float *weights;
    uint32_t *triangles;
} MeshArrays;

static void *make_arrays(size_t vertices, size_t indices, MeshArrays *out) {
    size_t floats = vertices * (3 + 3 + 2 * SN_SKIN_BONES) + indices;
    float *memory = calloc(floats + 1, sizeof *memory);
    if (memory == NULL)
        return NULL;
    out->positions = (SnVec3 *)memory;
    out->normals = out->positions + vertices;
    out->bones = (int *)(out->normals + vertices);
    out->weights = (float *)(out->bones + SN_SKIN_BONES * vertices);
    out->triangles = (uint32_t *)(out->weights + SN_SKIN_BONES * vertices);
    for (size_t i = 0; i < vertices; ++i)
        out->weights[SN_SKIN_BONES * i] = 1.0f;
    return memory;
}

static void set_mesh(const MeshArrays *arrays, size_t vertices, size_t indices, int k,
                     Scenery *scenery) {
    scenery->meshes[k] = (SnSkinMesh){.vertex_count = (int)vertices,
                                      .triangle_count = (int)(indices / 3),
                                      .bone_count = 1,
                                      .triangles = arrays->triangles,
                                      .rest_positions = arrays->positions,
                                      .rest_normals = arrays->normals,
                                      .bones = arrays->bones,
                                      .weights = arrays->weights,
                                      .frames = &scenery->frames[k],
                                      .rest_frames = &scenery->poses[k],
                                      .frame_count = 1,
                                      .rest_bones = &scenery->places[k]};
}

// From what the renderer draws.
static SnResult add_triangles(const ViewTriangles *from, int k, Scenery *scenery) {
    MeshArrays to;
    void *memory = scenery->memory[k] = make_arrays(from->vertex_count, from->index_count, &to);
    if (memory == NULL)
        return sn_error(SN_ERROR_MEMORY, "glTF: no memory for a collider");
    for (size_t i = 0; i < from->vertex_count; ++i) {
        const ViewVertex *v = &from->vertices[i];
        SnVec3 n = sn_vec3(v->normal[0], v->normal[1], v->normal[2]);
        to.positions[i] = sn_vec3(v->position[0], v->position[1], v->position[2]);
        to.normals[i] = sn_vec3_normalise(n, sn_vec3(0, 1, 0));
    }
    memcpy(to.triangles, from->indices, from->index_count * sizeof *to.triangles);
    set_mesh(&to, from->vertex_count, from->index_count, k, scenery);
    return sn_ok();
}

// A mesh has sharp edges: every triangle has corners and a normal of its own.
static SnResult add_mesh(const SnColliderDef *def, SnPose pose, int k, Scenery *scenery) {
    size_t corners = 3 * (size_t)def->triangle_count;
    MeshArrays to;
    void *memory = scenery->memory[k] = make_arrays(corners, corners, &to);
    if (memory == NULL)
        return sn_error(SN_ERROR_MEMORY, "glTF: no memory for a collider");
    for (size_t t = 0; t < corners; t += 3) {
        SnVec3 *x = to.positions + t;
        for (size_t c = 0; c < 3; ++c) {
            x[c] = sn_pose_apply(pose, def->vertices[def->triangles[t + c]]);
            to.triangles[t + c] = (uint32_t)(t + c);
        }
        SnVec3 n = sn_vec3_cross(sn_vec3_sub(x[1], x[0]), sn_vec3_sub(x[2], x[0]));
        for (size_t c = 0; c < 3; ++c)
            to.normals[t + c] = sn_vec3_normalise(n, sn_vec3(0, 1, 0));
    }
    set_mesh(&to, corners, corners, k, scenery);
    return sn_ok();
}

static SnResult add_solid(const ViewSolid *solid, const ViewBounds *bounds, int k,
                          Scenery *scenery) {
    ViewTriangles triangles = {0};
    view_triangles_clear(&triangles, sn_vec3(0, 0, 0));
    ViewBox box = view_box_empty();
    SnResult result = sn_ok();
    if (solid->kind == VIEW_SOLID_PLANE) {
        bool known = !view_bounds_is_empty(bounds);
        view_box_add(&box, known ? bounds->low : solid->pose.position, known ? 0.0f : 1.0f);
        view_box_add(&box, known ? bounds->high : solid->pose.position, known ? 0.0f : 1.0f);
        result = view_plane_add(&triangles, solid, sn_vec3(0, 1, 0), &box);
    } else {
        float size = fmaxf(solid->radius_a, solid->radius_b);
        SnVec3 eye = sn_vec3_add(sn_pose_apply(solid->pose, solid->a),
                                 sn_vec3(0, 0, SEEN_FROM * fmaxf(size, 1.0e-6f)));
        result = view_solid_add(&triangles, solid, (ViewDetail){eye, PIXELS_PER_RADIAN, COARSENESS},
                                &box);
    }
    if (result.code == SN_OK && triangles.index_count > 0)
        result = add_triangles(&triangles, k, scenery);
    view_triangles_release(&triangles);
    return result;
}

static SnResult make_room(int count, Scenery *scenery) {
    size_t n = (size_t)count + 1;
    scenery->meshes = calloc(n, sizeof *scenery->meshes);
    scenery->names = calloc(n, sizeof *scenery->names);
    scenery->colours = calloc(n, sizeof *scenery->colours);
    scenery->memory = calloc(n, sizeof *scenery->memory);
    scenery->frames = calloc(n, sizeof *scenery->frames);
    scenery->poses = calloc(n, sizeof *scenery->poses);
    scenery->places = calloc(n, sizeof *scenery->places);
    if (scenery->meshes && scenery->names && scenery->colours && scenery->memory &&
        scenery->frames && scenery->poses && scenery->places)
        return sn_ok();
    return sn_error(SN_ERROR_MEMORY, "glTF: no memory for %d colliders", count);
}

SnResult scenery_make(const SnScene *scene, const SnWorld *world, const ViewBounds *bounds,
                      Scenery *out_scenery) {
    *out_scenery = (Scenery){0};
    int count = sn_scene_collider_count(scene);
    SnResult result = make_room(count, out_scenery);
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        SnSceneCollider collider = sn_scene_collider(scene, i);
        int k = out_scenery->count;
        SnPose pose, frame = sn_pose_identity();
        result = sn_collider_pose(world, collider.id, &pose);
        if (result.code == SN_OK && collider.def.frame.index != 0)
            result = sn_frame_pose(world, collider.def.frame, &frame);
        if (!collider.visible || result.code != SN_OK)
            continue;
        out_scenery->names[k] = collider.name;
        out_scenery->colours[k] = collider.colour;
        out_scenery->frames[k] = collider.def.frame;
        out_scenery->poses[k] = frame;
        out_scenery->places[k] = frame.position;
        ViewSolid solid;
        if (stage_solid(&collider, pose, &solid))
            result = add_solid(&solid, bounds, k, out_scenery);
        else if (collider.def.triangle_count > 0)
            result = add_mesh(&collider.def, pose, k, out_scenery);
        out_scenery->count += out_scenery->memory[k] != NULL;
    }
    return result;
}

void scenery_release(Scenery *scenery) {
    for (int k = 0; k < scenery->count && scenery->memory; ++k)
        free(scenery->memory[k]);
    free(scenery->meshes);
    free(scenery->names);
    free(scenery->colours);
    free(scenery->memory);
    free(scenery->frames);
    free(scenery->poses);
    free(scenery->places);
    *scenery = (Scenery){0};
}
