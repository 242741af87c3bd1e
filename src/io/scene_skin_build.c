// Skins: their meshes, from files or around bodies and frames, bound to every copy of the bodies.
#include "io/scene_data.h"

#include <sinew/solid.h>

#include <stdlib.h>
#include <string.h>

// The pills of several bodies and colliders, as one graph.
typedef struct Pills {
    SnVec3 *positions;
    float *radii;
    int *edges;
    int vertex_count, edge_count;
} Pills;

// From the origin of a placement to a point, relative to another origin.
static Vec3d from_home(const Placement *home, const double *origin, Vec3d position) {
    Vec3d shift = {origin[0] - home->origin[0], origin[1] - home->origin[1],
                   origin[2] - home->origin[2]};
    return addd(shift, subd(position, home->position));
}

// Adds a point that lies so far from where the mesh is at home, in the axes of the world.
static void add_point(Pills *pills, Vec3d x, float radius, const Placement *home) {
    Vec3d v = rotated(conjugated(home->rotation), x);
    pills->positions[pills->vertex_count] = sn_vec3((float)v.x, (float)v.y, (float)v.z);
    pills->radii[pills->vertex_count++] = radius;
}

static void add_body(Pills *pills, const SceneBody *body, const Placement *home) {
    Placement place = sn__place_copy(&body->place, 0);
    Vec3d shift = from_home(home, place.origin, place.position);
    int base = pills->vertex_count;
    for (int i = 0; i < body->point_count; ++i)
        add_point(pills, addd(shift, rotated(place.rotation, vec3d(body->positions[i]))),
                  body->radii[i], home);
    for (int i = 0; i < body->element_count; ++i) {
        int *edge = pills->edges + 2 * pills->edge_count++;
        sn__body_element(body, i, edge);
        edge[0] += base;
        edge[1] += base;
    }
}

// Whether a collider is one that the skin is wrapped around.
static bool is_wrapped(const SnScene *scene, const SceneSkinEntry *skin, int collider) {
    const SceneColliderEntry *entry = &scene->colliders[scene->collider_entries[collider]];
    bool round = entry->def.kind == SN_COLLIDER_SPHERE || entry->def.kind == SN_COLLIDER_PILL;
    for (int i = 0; i < skin->frame_count && round; ++i)
        if (skin->frames[i] == entry->frame)
            return true;
    return false;
}

static SnResult add_collider(const SnScene *scene, const SnWorld *world, int collider,
                             const Placement *home, Pills *pills) {
    SnPose pose;
    SnResult result = sn_collider_pose(world, scene->collider_ids[collider], &pose);
    if (result.code != SN_OK)
        return result;
    SnColliderDef def = sn__collider_def(scene, collider);
    bool sphere = def.kind == SN_COLLIDER_SPHERE;
    const Vec3d ends[2] = {sphere ? (Vec3d){0} : vec3d(def.a), sphere ? (Vec3d){0} : vec3d(def.b)};
    const double here[3] = {0.0, 0.0, 0.0};
    Vec3d shift = from_home(home, here, vec3d(pose.position));
    const float radii[2] = {def.radius_a, sphere ? def.radius_a : def.radius_b};
    for (int end = 0; end < 2; ++end) {
        pills->edges[2 * pills->edge_count + end] = pills->vertex_count;
        add_point(pills, addd(shift, rotated(quatd(pose.rotation), ends[end])), radii[end], home);
    }
    ++pills->edge_count;
    return result;
}

static SnResult add_all(const SnScene *scene, const SnWorld *world, const SceneSkinEntry *skin,
                        Pills *pills) {
    Placement home = sn__place_copy(&scene->bodies[skin->bodies[0]]->place, 0);
    SnResult result = sn_ok();
    for (int i = 0; i < skin->body_count; ++i)
        add_body(pills, scene->bodies[skin->bodies[i]], &home);
    for (int i = 0; i < scene->collider_count && result.code == SN_OK; ++i)
        if (is_wrapped(scene, skin, i))
            result = add_collider(scene, world, i, &home, pills);
    return result;
}

// The iso-surface of a skin lies, as a mesh does, in the coordinates of its first body's shape.
static SnResult make_iso(const SnScene *scene, const SnWorld *world, SceneSkinEntry *skin) {
    size_t vertices = 0, segments = 0;
    for (int i = 0; i < skin->body_count; ++i) {
        vertices += (size_t)scene->bodies[skin->bodies[i]]->point_count;
        segments += (size_t)scene->bodies[skin->bodies[i]]->element_count;
    }
    for (int i = 0; i < scene->collider_count && skin->frame_count > 0; ++i) {
        vertices += is_wrapped(scene, skin, i) ? 2 : 0;
        segments += is_wrapped(scene, skin, i);
    }
    Pills pills = {.positions = malloc(vertices * sizeof *pills.positions),
                   .radii = malloc(vertices * sizeof *pills.radii),
                   .edges = malloc(2 * segments * sizeof *pills.edges)};
    SnResult result = sn_error(SN_ERROR_MEMORY, "no memory for %zu pills", segments);
    if (pills.positions && pills.radii && pills.edges)
        result = add_all(scene, world, skin, &pills);
    if (result.code == SN_OK) {
        SnIsoDef def = sn_default_iso_def();
        def.vertex_count = pills.vertex_count;
        def.edge_count = pills.edge_count;
        def.positions = pills.positions;
        def.radii = pills.radii;
        def.edges = pills.edges;
        def.triangles = skin->iso_triangles;
        def.blend = skin->iso_blend;
        def.grow = skin->iso_grow;
        def.close = skin->iso_close;
        def.smooth = skin->iso_smooth;
        result = sn_iso_mesh(&def, NULL, &skin->iso_mesh);
    }
    free(pills.positions);
    free(pills.radii);
    free(pills.edges);
    return result;
}

// Trees are made again: the same definition gives the same tree.
static SnResult make_tree(SceneSkinEntry *skin) {
    SnTreeModel model;
    SnResult result = sn_tree_model(&skin->tree->def, NULL, &model);
    if (result.code == SN_OK) {
        result = sn_tree_skin(&model, skin->tree->sides, NULL, &skin->tree_skin);
        sn_tree_model_destroy(&model);
    }
    return result;
}

// The mesh of a skin in the coordinates of its first body's shape, and room to place it for a copy.
typedef struct SkinMesh {
    int vertex_count, triangle_count;
    const uint32_t *triangles;
    const SnVec3 *positions, *normals; // no normals: NULL
    SnVec3 *placed_positions, *placed_normals;
    SnBodyId *bodies;
    SnFrameId *frames;
} SkinMesh;

static void take_mesh(const SnMesh *mesh, const MeshUse *use, SkinMesh *out) {
    out->vertex_count = mesh->vertex_count;
    out->triangle_count = mesh->triangle_count;
    out->triangles = mesh->triangles;
    out->positions = use ? use->positions : mesh->positions;
    out->normals = use ? use->normals : mesh->normals;
}

// Makes or reads what is not there from a world before.
static SnResult find_mesh(SnScene *scene, const SnWorld *world, SceneSkinEntry *skin,
                          SkinMesh *out) {
    SnResult result = sn_ok();
    if (skin->tree) {
        const SnTreeSkin *tree = &skin->tree_skin;
        result = tree->vertex_count == 0 ? make_tree(skin) : result;
        out->vertex_count = tree->vertex_count;
        out->triangle_count = tree->triangle_count;
        out->triangles = tree->triangles;
        out->positions = tree->positions;
        out->normals = tree->normals;
    } else if (skin->flesh) {
        out->vertex_count = skin->flesh->vertex_count;
        out->triangle_count = skin->flesh->triangle_count;
        out->triangles = skin->flesh->triangles;
        out->positions = skin->flesh->positions;
        out->normals = skin->flesh->normals;
    } else if (skin->mesh.mesh >= 0) {
        result = sn__scene_use_mesh(scene, &skin->mesh);
        if (result.code == SN_OK)
            take_mesh(&scene->meshes[skin->mesh.mesh].mesh, &skin->mesh, out);
    } else {
        result = skin->iso_mesh.vertex_count == 0 ? make_iso(scene, world, skin) : result;
        take_mesh(&skin->iso_mesh, NULL, out);
    }
    return result;
}

static SnResult skin_mesh_begin(SnScene *scene, const SnWorld *world, SceneSkinEntry *skin,
                                SkinMesh *out) {
    SnResult result = find_mesh(scene, world, skin, out);
    if (result.code != SN_OK)
        return result;
    size_t count = (size_t)out->vertex_count + 1;
    out->placed_positions = malloc(count * sizeof *out->placed_positions);
    out->placed_normals = malloc(count * sizeof *out->placed_normals);
    out->bodies = malloc((size_t)skin->body_count * sizeof *out->bodies);
    out->frames = malloc(((size_t)skin->frame_count + 1) * sizeof *out->frames);
    if (out->placed_positions == NULL || out->placed_normals == NULL || out->bodies == NULL ||
        out->frames == NULL)
        result = sn_error(SN_ERROR_MEMORY, "no memory for a mesh of %zu vertices", count);
    return result;
}

static void skin_mesh_end(SkinMesh *mesh) {
    free(mesh->placed_positions);
    free(mesh->placed_normals);
    free(mesh->bodies);
    free(mesh->frames);
}

static SnResult create_skin(SnScene *scene, SnWorld *world, const SceneSkinEntry *skin, int copy,
                            SkinMesh *m) {
    const SceneBody *first = scene->bodies[skin->bodies[0]];
    Placement place = sn__place_copy(&first->place, copy);
    if (first->common_rest)
        place = sn__place_upright(&place);
    for (int i = 0; i < m->vertex_count; ++i) {
        m->placed_positions[i] = sn__place_point(&place, m->positions[i]);
        if (m->normals)
            m->placed_normals[i] = sn__place_direction(&place, m->normals[i]);
    }
    for (int i = 0; i < skin->body_count; ++i)
        m->bodies[i] = scene->body_ids[scene->bodies[skin->bodies[i]]->first + copy];
    for (int i = 0; i < skin->frame_count; ++i)
        m->frames[i] = scene->frames[skin->frames[i]].id;
    SnSkinDef def = sn_default_skin_def();
    def.name = scene->skin_names[skin->first + copy];
    def.body_count = skin->body_count;
    def.bodies = m->bodies;
    def.frame_count = skin->frame_count;
    def.frames = m->frames;
    def.vertex_count = m->vertex_count;
    def.triangle_count = m->triangle_count;
    def.positions = m->placed_positions;
    def.normals = m->normals ? m->placed_normals : NULL;
    def.triangles = m->triangles;
    def.fairing = skin->fairing;
    if (skin->tree) {
        def.bones = skin->tree_skin.bones;
        def.weights = skin->tree_skin.weights;
    } else if (skin->flesh) {
        def.bones = skin->flesh->bones;
        def.weights = skin->flesh->weights;
    }
    memcpy(def.origin, place.origin, sizeof def.origin);
    SnSolidMaterial material;
    def.split = def.body_count == 1 && def.frame_count == 0 &&
                sn_solid_material(world, def.bodies[0], &material).code == SN_OK &&
                material.strength > 0.0f;
    return sn_skin_create(world, &def, &scene->skin_ids[skin->first + copy]);
}

static SnResult create_skin_copies(SnScene *scene, SnWorld *world, SceneSkinEntry *skin) {
    SkinMesh mesh = {0};
    SnResult result = skin_mesh_begin(scene, world, skin, &mesh);
    for (int copy = 0; copy < skin->copy_count && result.code == SN_OK; ++copy)
        result = create_skin(scene, world, skin, copy, &mesh);
    skin_mesh_end(&mesh);
    return result;
}

SnResult sn__scene_create_skins(SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < scene->skin_entry_count && result.code == SN_OK; ++i)
        result =
            sn__scene_at(scene, "skins", i, create_skin_copies(scene, world, &scene->skins[i]));
    return result;
}
