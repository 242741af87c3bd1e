#include "app/stage.h"

#include "view/vec.h"

#include <stdlib.h>
#include <string.h>

#define RADIANS_PER_DEGREE 0.01745329252f
#define RING_SPACING 1.6f // radii
#define FEWEST_RINGS 3
#define MOST_RINGS 10000
#define THINNEST_RINGED 0.006f // radius over the size of the scene
#define LEVEL 0.9999f          // upward part of the normal of a plane that is ground

// The transfer curve of sRGB: scenes keep linear light, the renderer takes what one would type in.
static float srgb_from_linear(float x) {
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
}

void stage_srgb(SnColour colour, float out[3]) {
    out[0] = srgb_from_linear(colour.r);
    out[1] = srgb_from_linear(colour.g);
    out[2] = srgb_from_linear(colour.b);
}

// Rings around a rod show how it stretches: one for every few radii of its length at rest, so that
// they look alike on all rods. On thin ones they would only flicker, and one or two show nothing.
static int rings_of_rod(const SnSceneBody *rod, float scene_size) {
    float length = 0.0f, radius = 0.0f;
    if (rod->edges)
        return 0; // creatures are drawn as pills
    for (int i = 0; i < rod->element_count; ++i) {
        SnVec3 a = rod->positions[i], b = rod->positions[(i + 1) % rod->point_count];
        length += sn_vec3_length(sn_vec3_sub(b, a));
        radius += rod->radii[i] / (float)rod->element_count;
    }
    if (!(radius > THINNEST_RINGED * scene_size))
        return 0;
    float rings = fminf(length / (RING_SPACING * radius), MOST_RINGS);
    return rings < FEWEST_RINGS ? 0 : (int)rings;
}

static SnResult make_looks(Stage *stage, float scene_size) {
    const SnScene *scene = stage->scene;
    int count = sn_scene_body_count(scene);
    stage->looks = calloc((size_t)count + 1, sizeof *stage->looks);
    if (stage->looks == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for the looks of %d bodies", count);
    for (int i = 0; i < count; ++i) {
        SnSceneBody body = sn_scene_body(scene, i);
        stage->looks[i] = view_palette(i);
        stage->looks[i].rings = rings_of_rod(&body, scene_size);
        memcpy(stage->looks[i].section, body.section, sizeof body.section);
        stage_srgb(sn_scene_body_colour(scene, i), stage->looks[i].colour);
    }
    return sn_ok();
}

static SnResult make_room(Stage *stage) {
    size_t colliders = (size_t)sn_scene_collider_count(stage->scene);
    size_t skins = (size_t)sn_scene_skin_count(stage->scene);
    stage->solids = calloc(colliders + 1, sizeof *stage->solids);
    size_t actors = (size_t)stage->actors.mesh_count;
    stage->meshes = calloc(colliders + 2 * skins + actors + 1, sizeof *stage->meshes);
    if (stage->solids == NULL || stage->meshes == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for %zu colliders and %zu skins",
                        colliders, skins);
    return sn_ok();
}

SnResult stage_begin(const SnScene *scene, const ViewBounds *bounds, Stage *out_stage) {
    memset(out_stage, 0, sizeof *out_stage);
    out_stage->scene = scene;
    SnSceneLook look = sn_scene_look(scene);
    ViewScene *view = &out_stage->view;
    *view = view_default_scene();
    view->has_background = look.has_background;
    stage_srgb(look.background, view->background);
    view->bounds = *bounds;
    bool known = !view_bounds_is_empty(bounds);
    float size = known ? sn_vec3_length(sn_vec3_sub(bounds->high, bounds->low)) : 1.0f;
    SnResult result = make_looks(out_stage, size);
    if (result.code == SN_OK)
        result = actors_begin(scene, &out_stage->actors);
    if (result.code == SN_OK)
        result = make_room(out_stage);
    if (result.code == SN_OK)
        result = holders_find(scene, &out_stage->holders);
    return result;
}

void stage_end(Stage *stage) {
    holders_release(&stage->holders);
    actors_end(&stage->actors);
    free(stage->looks);
    free(stage->solids);
    free(stage->meshes);
    free(stage->contacts);
    torn_release(&stage->torn);
    memset(stage, 0, sizeof *stage);
}

static void set_rods(Stage *stage, const Moment *moment, const StageShow *show) {
    const SnPoses *poses = &moment->rods;
    stage->view.rods = (ViewRods){
        .count = poses->body_count,
        .vertex_begin = poses->point_begin,
        .segment_begin = poses->element_begin,
        .positions = poses->positions,
        .radii = poses->radii,
        .frames = poses->frames,
        .shapes = poses->shapes,
        .looks = stage->looks,
        .edges = poses->edges,
        .torn = poses->torn,
        .torn_count = poses->torn_count,
        .hidden = show->pills || show->skins == STAGE_NO_SKINS ? NULL : moment->under_skin,
        .as_pills = show->pills,
        .show_frames = show->frames,
    };
    holders_place(&stage->holders, poses);
    stage->view.pegs = stage->holders.pegs;
    stage->view.peg_count = stage->holders.count;
}

#define LEAF_SHEER 0.8f

// Vertices and triangles from the given ones on, up to these counts.
static ViewMesh part_of(const ViewMesh *mesh, int first_vertex, int vertices, int first_triangle,
                        int triangles) {
    ViewMesh part = *mesh;
    part.first_vertex = (uint32_t)first_vertex;
    part.vertex_count = vertices;
    part.triangle_count = triangles;
    part.positions += 3 * (size_t)first_vertex;
    part.normals += 3 * (size_t)first_vertex;
    part.triangles += 3 * (size_t)first_triangle;
    return part;
}

// Bark, which may be torn, and leaves.
static SnResult add_tree(Stage *stage, const Moment *moment, int skin, const ViewMesh *mesh) {
    SnSceneSkin parts = sn_scene_skin(stage->scene, skin);
    int vertices = parts.bark_vertex_count, triangles = parts.bark_triangle_count;
    ViewMesh bark = part_of(mesh, 0, vertices, 0, triangles);
    ViewMesh leaves = part_of(mesh, vertices, mesh->vertex_count - vertices, triangles,
                              mesh->triangle_count - triangles);
    bark.look.softness = 0.0f;
    bark.uvs = parts.uvs;
    bark.bark = parts.tree_kind == SN_TREE_BIRCH ? VIEW_BARK_MARKS : VIEW_BARK_FURROWS;
    leaves.look.sheer = LEAF_SHEER;
    stage_srgb(parts.leaf_colour, leaves.look.colour);
    SnResult result = torn_cut_bark(&stage->torn, moment, skin, &bark);
    stage->meshes[stage->view.mesh_count++] = bark;
    stage->meshes[stage->view.mesh_count++] = leaves;
    return result;
}

static SnResult add_skins(Stage *stage, const Moment *moment, StageSkins shown) {
    SnResult result = sn_ok();
    const SnSkinPoses *skins = &moment->skins;
    for (int i = 0; i < skins->skin_count && result.code == SN_OK; ++i) {
        if (shown == STAGE_INNER_SKINS && sn_scene_skin(stage->scene, i).outer)
            continue;
        const SnSkinMesh *mesh = &moment->skin_meshes[i];
        size_t first = 3 * (size_t)skins->vertex_begin[i];
        ViewMesh skin = {.vertex_count = mesh->vertex_count,
                         .triangle_count = mesh->triangle_count,
                         .positions = skins->positions + first,
                         .normals = skins->normals + first,
                         .triangles = mesh->triangles,
                         .pose = sn_pose_identity(),
                         .look = view_palette(i)};
        stage_srgb(sn_scene_skin(stage->scene, i).colour, skin.look.colour);
        skin.look.clear = 1.0f - sn_scene_skin(stage->scene, i).opacity;
        if (sn_scene_skin(stage->scene, i).bark_triangle_count > 0)
            result = add_tree(stage, moment, i, &skin);
        else
            stage->meshes[stage->view.mesh_count++] = skin;
    }
    return result;
}

static SnResult add_actors(Stage *stage, const Moment *moment) {
    SnResult result = actors_place(&stage->actors, moment->time, &moment->rods);
    for (int i = 0; i < stage->actors.mesh_count && result.code == SN_OK; ++i) {
        const ActorMesh *actor = &stage->actors.meshes[i];
        SnSkeletonMesh mesh = sn_skeleton_mesh(
            sn_scene_skeleton(stage->scene, actor->skeleton).skeleton, actor->mesh);
        ViewMesh view = {.vertex_count = mesh.vertex_count,
                         .triangle_count = mesh.triangle_count,
                         .positions = &actor->positions->x,
                         .normals = &actor->normals->x,
                         .triangles = mesh.triangles,
                         .pose = sn_pose_identity()};
        stage_srgb((SnColour){mesh.colour[0], mesh.colour[1], mesh.colour[2]}, view.look.colour);
        stage->meshes[stage->view.mesh_count++] = view;
    }
    return result;
}

// What broke off under skins is shown as the pills it is made of.
static SnResult add_torn(Stage *stage, const Moment *moment) {
    size_t most = (size_t)stage->view.solid_count + 2 * (size_t)moment->rods.torn_count;
    ViewSolid *solids = realloc(stage->solids, (most + 1) * sizeof *solids);
    if (solids == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for %zu solids", most);
    stage->view.solids = stage->solids = solids;
    for (int i = 0; i < moment->rods.body_count; ++i) {
        SnSceneBody body = sn_scene_body(stage->scene, i);
        if (!moment->under_skin[i] || !body.tree)
            continue;
        ViewSolid *pills = solids + stage->view.solid_count;
        int count = torn_pills(&body, &moment->rods, i, pills);
        for (int k = 0; k < count; ++k) {
            pills[k].look.colour[0] = stage->looks[i].colour[0];
            pills[k].look.colour[1] = stage->looks[i].colour[1];
            pills[k].look.colour[2] = stage->looks[i].colour[2];
        }
        stage->view.solid_count += count;
    }
    return sn_ok();
}

static void add_mesh_collider(Stage *stage, const SnColliderDef *def, SnPose pose, ViewLook look) {
    if (def->vertex_count > 0 && def->triangle_count > 0)
        stage->meshes[stage->view.mesh_count++] = (ViewMesh){.vertex_count = def->vertex_count,
                                                             .triangle_count = def->triangle_count,
                                                             .positions = &def->vertices->x,
                                                             .triangles = def->triangles,
                                                             .pose = pose,
                                                             .look = look,
                                                             .is_scenery = true};
}

bool stage_solid(const SnSceneCollider *collider, SnPose pose, ViewSolid *out_solid) {
    const SnColliderDef *def = &collider->def;
    *out_solid = (ViewSolid){.pose = pose, .radius_a = def->radius_a, .radius_b = def->radius_b};
    stage_srgb(collider->colour, out_solid->look.colour);
    switch (def->kind) {
    case SN_COLLIDER_PLANE:
        out_solid->kind = VIEW_SOLID_PLANE;
        return true;
    case SN_COLLIDER_SPHERE:
        out_solid->kind = VIEW_SOLID_PILL;
        out_solid->radius_b = out_solid->radius_a;
        return true;
    case SN_COLLIDER_PILL:
        out_solid->kind = VIEW_SOLID_PILL;
        out_solid->a = def->a;
        out_solid->b = def->b;
        return true;
    case SN_COLLIDER_BOX:
        out_solid->kind = VIEW_SOLID_BOX;
        out_solid->half_size = def->half_size;
        return true;
    case SN_COLLIDER_MESH:
        break;
    }
    return false;
}

static void add_collider(Stage *stage, const SnSceneCollider *collider, SnPose pose) {
    ViewScene *view = &stage->view;
    ViewSolid solid;
    SnVec3 up = sn_quat_rotate(pose.rotation, sn_vec3(0.0f, 1.0f, 0.0f));
    if (!stage_solid(collider, pose, &solid)) {
        add_mesh_collider(stage, &collider->def, pose, solid.look);
    } else if (solid.kind == VIEW_SOLID_PLANE && up.y > LEVEL && !view->has_grid) {
        view->has_ground = view->has_grid = true; // the first level one is the ground
        view->ground_height = pose.position.y;
    } else {
        stage->solids[view->solid_count++] = solid;
    }
}

// The ground is that of the scene's look, unless a level plane is one to touch.
static void set_colliders(Stage *stage, const Moment *moment, const StageShow *show) {
    SnSceneLook look = sn_scene_look(stage->scene);
    ViewScene *view = &stage->view;
    view->has_ground = look.has_ground;
    view->ground_height = look.ground_height;
    view->has_grid = false;
    view->solid_count = 0;
    for (int i = 0; i < moment->collider_count; ++i) {
        SnSceneCollider collider = sn_scene_collider(stage->scene, i);
        if (collider.visible || show->pills)
            add_collider(stage, &collider, moment->colliders[i]);
    }
    view->solids = stage->solids;
    view->meshes = stage->meshes;
}

static SnResult set_contacts(Stage *stage, const SnContactEvents *events) {
    int count = events->contact_count;
    if (count > stage->contact_capacity) {
        ViewContact *larger = realloc(stage->contacts, (size_t)count * sizeof *larger);
        if (larger == NULL)
            return sn_error(SN_ERROR_MEMORY, "picture: no memory for %d contacts", count);
        stage->contacts = larger;
        stage->contact_capacity = count;
    }
    for (int i = 0; i < count; ++i) {
        const SnContact *contact = &events->contacts[i];
        stage->contacts[i] = (ViewContact){contact->position, contact->normal, contact->impulse};
    }
    stage->view.contacts = stage->contacts;
    stage->view.contact_count = count;
    return sn_ok();
}

SnResult stage_set(Stage *stage, const Moment *moment, const StageShow *show) {
    SnResult result = torn_begin(&stage->torn, moment);
    if (result.code != SN_OK)
        return result;
    set_rods(stage, moment, show);
    stage->view.mesh_count = 0;
    bool skins = show->skins != STAGE_NO_SKINS && !show->pills;
    if (skins)
        result = add_skins(stage, moment, show->skins);
    if (skins && result.code == SN_OK)
        result = add_actors(stage, moment);
    set_colliders(stage, moment, show);
    if (skins && moment->rods.torn_count > 0 && result.code == SN_OK)
        result = add_torn(stage, moment);
    if (result.code != SN_OK)
        return result;
    const SnContactEvents none = {0};
    return set_contacts(stage, show->contacts ? &moment->contacts : &none);
}

// Another target moves the framed camera, a longer lens moves it back, so that the motion still
// fills the picture.
ViewCamera stage_camera(const SnScene *scene, const ViewCamera *framed, double time) {
    SnSceneCamera wish = sn_scene_camera(scene, time);
    ViewCamera camera = *framed;
    SnVec3 arm = sn_vec3_sub(camera.position, camera.target);
    float distance =
        tanf(0.5f * camera.fov * RADIANS_PER_DEGREE) / tanf(0.5f * wish.fov * RADIANS_PER_DEGREE);
    camera.fov = wish.fov;
    if (wish.has_target)
        camera.target = wish.target;
    camera.position =
        wish.has_position ? wish.position : sn_vec3_add_scaled(camera.target, arm, distance);
    return view_camera_turn(&camera, wish.orbit * RADIANS_PER_DEGREE * (float)time);
}
