// Skins and creatures in GLB files: the file is read back and played as a viewer would, and must
// show what the engine shows.
#include "support.h"

#include "io/gltf_data.h"
#include "io/gltf_source.h"
#include "io/tube.h"
#include "math/vec.h"

#include <sinew/gltf.h>
#include <sinew/query.h>

#include <stdlib.h>
#include <unistd.h>

static const char *path_of(const char *name) {
    static char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/sinew-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
    return path;
}

// Three arms at a point, the middle one of two segments: 5 vertices, 4 edges.
enum { STAR_VERTICES = 5, STAR_EDGES = 4 };
static const SnVec3 STAR[STAR_VERTICES] = {{0.0f, 0.0f, 0.0f},
                                           {0.5f, 0.0f, 0.0f},
                                           {-0.3f, 0.4f, 0.0f},
                                           {-0.3f, -0.4f, 0.1f},
                                           {1.0f, 0.1f, 0.0f}};
static const int EDGES[2 * STAR_EDGES] = {0, 1, 0, 2, 3, 0, 1, 4};

static SnBodyId make_star(SnWorld *world, double x, const int *bone_segments) {
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = STAR_VERTICES;
    def.positions = STAR;
    def.edges = EDGES;
    def.edge_count = STAR_EDGES;
    def.bone_segments = bone_segments;
    def.radius = 0.1f;
    def.origin[0] = x;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static SnBodyId make_line(SnWorld *world, double x) {
    SnVec3 points[6];
    line_of_points(points, 6, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.2f, 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 6;
    def.positions = points;
    def.radius = 0.05f;
    def.origin[0] = x;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

// Turns and shifts every vertex and frame at random.
static void shake(SnWorld *world, SnBodyId rod, Rng *rng, double amount) {
    RodCopy c;
    copy_rod(world, rod, &c);
    for (int i = 0; i < c.vertices; ++i) {
        SnVec3 d = rng_vec3(rng, amount);
        c.x[i] = sn_vec3(c.x[i].x + d.x, c.x[i].y + d.y, c.x[i].z + d.z);
        c.s[i] = rng_float(rng, 0.7, 1.4);
    }
    for (int j = 0; j < c.segments; ++j) {
        SnVec3 axis = rng_vec3(rng, 1.0);
        SnQuat turn = turn_about((double)axis.x, (double)axis.y, (double)axis.z + 0.01, amount);
        c.q[j] = quatf(mulqd(quatd(turn), quatd(c.q[j])));
    }
    SnBodyState state = copy_arrays(&c);
    state.radii = NULL;
    assert_ok(sn_body_write(world, rod, &state));
}

// Points all around, as strips of triangles that need not make sense.
enum { POINTS = 200, TRIANGLES = POINTS - 2 };

static SnSkinId make_skin(SnWorld *world, const SnBodyId *rods, int rod_count, double x) {
    Rng rng = {5};
    SnVec3 points[POINTS];
    uint32_t triangles[3 * TRIANGLES];
    for (int i = 0; i < POINTS; ++i)
        points[i] = rng_vec3(&rng, 1.2);
    for (uint32_t t = 0; t < TRIANGLES; ++t)
        for (uint32_t c = 0; c < 3; ++c)
            triangles[3 * t + c] = t + c;
    SnSkinDef def = sn_default_skin_def();
    def.bodies = rods;
    def.body_count = rod_count;
    def.vertex_count = POINTS;
    def.triangle_count = TRIANGLES;
    def.positions = points;
    def.triangles = triangles;
    def.origin[0] = x;
    SnSkinId skin;
    assert_ok(sn_skin_create(world, &def, &skin));
    return skin;
}

// What a node carries at the end of the animation: translation, rotation, scale.
typedef struct Node {
    double t[3], r[4], s;
} Node;

static const Json *list_item(const GltfSource *g, const Json *object, const char *key, int index) {
    const Json *v = sn__source_first(g, object, key);
    for (; v && index > 0; --index)
        v = sn__json_next(&g->doc, v);
    assert_non_null(v);
    return v;
}

static const unsigned char *data_of(const GltfSource *g, int64_t accessor, size_t *out_stride,
                                    int *out_count) {
    const Json *a = g->lists[SOURCE_ACCESSORS][accessor];
    const Json *view = sn__source_item(g, SOURCE_VIEWS, a, "bufferView");
    *out_count = (int)sn__source_int(g, a, "count", 0);
    *out_stride = (size_t)sn__source_int(g, view, "byteStride", 0);
    return g->buffers[0].bytes + sn__source_int(g, view, "byteOffset", 0) +
           sn__source_int(g, a, "byteOffset", 0);
}

static Node node_at(const GltfSource *g, int index) {
    const Json *node = g->lists[SOURCE_NODES][index];
    Node n = {{0}, {0, 0, 0, 1}, 1};
    static const char *const keys[] = {"translation", "rotation", "scale"};
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < (k == 1 ? 4 : k == 0 ? 3 : 1); ++c) {
            if (sn__json_member(&g->doc, node, keys[k]) == NULL)
                break;
            double value = list_item(g, node, keys[k], c)->number;
            *(k == 0 ? &n.t[c] : k == 1 ? &n.r[c] : &n.s) = value;
        }
    const Json *animation = list_item(g, sn__json_root(&g->doc), "animations", 0);
    const Json *channel = sn__source_first(g, animation, "channels");
    for (; channel; channel = sn__json_next(&g->doc, channel)) {
        const Json *target = sn__json_member(&g->doc, channel, "target");
        if (sn__source_int(g, target, "node", -1) != index)
            continue;
        const char *path = sn__json_string(&g->doc, sn__json_member(&g->doc, target, "path"));
        const Json *sampler =
            list_item(g, animation, "samplers", (int)sn__source_int(g, channel, "sampler", 0));
        size_t stride;
        int count;
        const unsigned char *data =
            data_of(g, sn__source_int(g, sampler, "output", 0), &stride, &count);
        if (strcmp(path, "rotation") == 0) {
            int16_t q[4];
            memcpy(q, data + 8 * (count - 1), sizeof q);
            for (int c = 0; c < 4; ++c)
                n.r[c] = q[c] / 32767.0;
        } else {
            float v[3];
            memcpy(v, data + 12 * (count - 1), sizeof v);
            for (int c = 0; c < 3; ++c)
                *(strcmp(path, "scale") == 0 ? &n.s : &n.t[c]) = (double)v[c];
        }
    }
    return n;
}

// What moves a joint: its rod's node, which does not turn.
static Vec3d parent_place(const GltfSource *g, int joint) {
    for (int i = 0; i < g->counts[SOURCE_NODES]; ++i) {
        const Json *child = sn__source_first(g, g->lists[SOURCE_NODES][i], "children");
        for (; child; child = sn__json_next(&g->doc, child))
            if ((int)child->number == joint) {
                Node n = node_at(g, i);
                return (Vec3d){n.t[0], n.t[1], n.t[2]};
            }
    }
    fail_msg("node %d has no parent", joint);
    return (Vec3d){0, 0, 0};
}

// Where vertex i of the mesh of node `shape` is at the end of the animation.
static Vec3d played(const GltfSource *g, int shape, int i) {
    const Json *root = sn__json_root(&g->doc), *node = g->lists[SOURCE_NODES][shape];
    const Json *skin = list_item(g, root, "skins", (int)sn__source_int(g, node, "skin", 0));
    const Json *mesh = sn__source_item(g, SOURCE_MESHES, node, "mesh");
    const Json *attributes =
        sn__json_member(&g->doc, list_item(g, mesh, "primitives", 0), "attributes");
    size_t stride, none;
    int count;
    const unsigned char *vertex =
        data_of(g, sn__source_int(g, attributes, "POSITION", 0), &stride, &count);
    assert_int_equal(stride, sizeof(TubeVertex));
    assert_true(i < count);
    TubeVertex v;
    memcpy(&v, vertex + stride * (size_t)i, sizeof v);
    assert_int_equal(v.weights[0] + v.weights[1] + v.weights[2] + v.weights[3], TUBE_WEIGHT);
    const unsigned char *bind =
        data_of(g, sn__source_int(g, skin, "inverseBindMatrices", 0), &none, &count);
    Vec3d sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        if (v.weights[k] == 0)
            continue;
        assert_true(v.joints[k] < count);
        float m[16];
        memcpy(m, bind + 64 * (size_t)v.joints[k], sizeof m);
        Vec3d x = {(double)m[12], (double)m[13], (double)m[14]};
        for (int c = 0; c < 3; ++c)
            x = addd(x,
                     scaled((Vec3d){(double)m[4 * c], (double)m[4 * c + 1], (double)m[4 * c + 2]},
                            (double)v.position[c]));
        int joint = (int)list_item(g, skin, "joints", v.joints[k])->number;
        Node n = node_at(g, joint);
        Quatd q = normalisedq((Quatd){n.r[0], n.r[1], n.r[2], n.r[3]});
        x = addd(scaled(rotated(q, x), n.s), (Vec3d){n.t[0], n.t[1], n.t[2]});
        x = addd(x, parent_place(g, joint));
        sum = addd(sum, scaled(x, v.weights[k] / (double)TUBE_WEIGHT));
    }
    return sum;
}

typedef struct Stage {
    SnWorld *world;
    SnBodyId rods[4]; // line, star, star, line
    SnSkinId skins[3];
    SnSkinMesh meshes[3];
    SnGltf *gltf;
} Stage;

// Two stars with equal skins, a skin over a line and a star; a line without.
static void record(Stage *s, bool with_skins) {
    *s = (Stage){.world = weightless_world()};
    s->rods[0] = make_line(s->world, 0.0);
    s->rods[1] = make_star(s->world, 3.0, NULL);
    s->rods[2] = make_star(s->world, 6.0, NULL);
    s->rods[3] = make_line(s->world, 9.0);
    const SnBodyId both[2] = {s->rods[2], s->rods[0]};
    s->skins[0] = make_skin(s->world, &s->rods[1], 1, 3.0);
    s->skins[1] = make_skin(s->world, &s->rods[2], 1, 6.0);
    s->skins[2] = make_skin(s->world, both, 2, 1.0);
    for (int i = 0; i < 3; ++i)
        assert_ok(sn_skin_mesh(s->world, s->skins[i], &s->meshes[i]));
    Rng rng = {8};
    SnPoses poses;
    SnGltfDef def = sn_default_gltf_def();
    def.skin_count = with_skins ? 3 : 0;
    def.skins = s->meshes;
    for (int i = 0; i < 4; ++i) // the bind pose of a skin is the rest, not the first pose
        shake(s->world, s->rods[i], &rng, 0.2);
    assert_ok(sn_world_poses(s->world, &poses));
    assert_ok(sn_gltf_begin(&poses, &def, &s->gltf));
    for (int frame = 0; frame < 3; ++frame) {
        for (int i = 0; i < 4; ++i)
            shake(s->world, s->rods[i], &rng, 0.1);
        assert_ok(sn_world_poses(s->world, &poses));
        assert_ok(sn_gltf_frame(s->gltf, &poses, frame));
    }
}

static void skins_play_as_in_the_engine(void **state) {
    (void)state;
    Stage s;
    record(&s, true);
    const char *path = path_of("skin.glb");
    assert_ok(sn_gltf_finish(s.gltf, path));
    SnGltfInfo info;
    assert_ok(sn_gltf_info(path, &info));
    assert_int_equal(info.meshes, 4);
    assert_int_equal(info.skins, 4);
    assert_int_equal(info.joints, 5 + 5 + 11 + 6);
    SnSkinPoses poses;
    assert_ok(sn_world_skins(s.world, &poses));
    GltfSource g;
    assert_ok(sn__source_open(path, &g));
    // The first two share their data: 6 accessors, none and twice 6 lie before those of the times.
    const Json *root = sn__json_root(&g.doc);
    const Json *animation = list_item(&g, root, "animations", 0);
    const Json *sampler = list_item(&g, animation, "samplers", 0);
    assert_int_equal(sn__source_int(&g, sampler, "input", 0), 3 * 6);
    double worst = 0.0;
    for (int i = 0; i < poses.vertex_count; i += 3) {
        int skin = i / POINTS;
        Vec3d x = {(double)poses.positions[3 * i], (double)poses.positions[3 * i + 1],
                   (double)poses.positions[3 * i + 2]};
        worst = fmax(worst, lengthd(subd(x, played(&g, skin, i % POINTS))));
    }
    assert_below(worst, 2e-4); // of 16-bit rotations and weights
    sn__source_close(&g);
    sn_gltf_destroy(s.gltf);
    sn_world_destroy(s.world);
    remove(path);
}

// A rod whose vertices turn with some of their segments only, and a skin over it whose last triangles
// are leaves.
static void bones_turn_with_what_they_are_told(void **state) {
    (void)state;
    static const int follows[2 * STAR_VERTICES] = {2, -1, 0, -1, 1, -1, 2, -1, 3, -1};
    SnWorld *world = weightless_world();
    SnBodyId rod = make_star(world, 3.0, follows);
    SnSkinId skin = make_skin(world, &rod, 1, 3.0);
    SnSkinMesh mesh;
    SnPoses poses;
    assert_ok(sn_skin_mesh(world, skin, &mesh));
    const int bark = 50;
    SnGltfDef def = sn_default_gltf_def();
    SnGltf *gltf;
    def.skin_count = 1;
    def.skins = &mesh;
    def.skin_bark = &bark;
    Rng rng = {8};
    assert_ok(sn_world_poses(world, &poses));
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    for (int frame = 0; frame < 2; ++frame) {
        shake(world, rod, &rng, 0.3);
        assert_ok(sn_world_poses(world, &poses));
        assert_ok(sn_gltf_frame(gltf, &poses, frame));
    }
    const char *path = path_of("told.glb");
    assert_ok(sn_gltf_finish(gltf, path));
    GltfSource g;
    assert_ok(sn__source_open(path, &g));
    for (int part = 0; part < 2; ++part) {
        const Json *primitive = list_item(&g, g.lists[SOURCE_MESHES][0], "primitives", part);
        size_t stride;
        int count;
        const unsigned char *data =
            data_of(&g, sn__source_int(&g, primitive, "indices", 0), &stride, &count);
        uint32_t first;
        memcpy(&first, data, sizeof first);
        assert_int_equal(count, 3 * (part == 0 ? bark : TRIANGLES - bark));
        assert_int_equal(first, mesh.triangles[part == 0 ? 0 : 3 * bark]);
    }
    SnSkinPoses skins;
    assert_ok(sn_world_skins(world, &skins));
    double worst = 0.0;
    for (int i = 0; i < POINTS; i += 3) {
        const float *x = skins.positions + 3 * i;
        Vec3d there = {(double)x[0], (double)x[1], (double)x[2]};
        worst = fmax(worst, lengthd(subd(there, played(&g, 0, i))));
    }
    assert_below(worst, 2e-4);
    sn__source_close(&g);
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    remove(path);
}

// A skin over a star and two frames, one of which stands turned when the skin is made.
static void frames_play_as_in_the_engine(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = make_star(world, 0.0, NULL);
    SnFrameId frames[2];
    const SnPose start[2] = {{sn_vec3(-0.5f, 0.0f, 0.0f), sn_quat_identity()},
                             {sn_vec3(0.5f, 0.6f, 0.0f), turn_about(0.2, 0.7, -0.4, 1.3)}};
    for (int i = 0; i < 2; ++i) {
        assert_ok(sn_frame_create(world, start[i], &frames[i]));
        SnColliderDef ball = sn_default_collider_def();
        ball.kind = SN_COLLIDER_SPHERE;
        ball.frame = frames[i];
        ball.radius_a = 0.2f;
        ball.filter.mask = 0;
        assert_ok(sn_collider_create(world, &ball, NULL));
    }
    Rng rng = {5};
    SnVec3 points[POINTS];
    uint32_t triangles[3 * TRIANGLES];
    for (int i = 0; i < POINTS; ++i)
        points[i] = rng_vec3(&rng, 1.2);
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i)
        triangles[i] = i / 3 + i % 3;
    SnSkinDef skin = sn_default_skin_def();
    skin.bodies = &rod;
    skin.body_count = 1;
    skin.frames = frames;
    skin.frame_count = 2;
    skin.vertex_count = POINTS;
    skin.triangle_count = TRIANGLES;
    skin.positions = points;
    skin.triangles = triangles;
    SnSkinId id;
    SnSkinMesh mesh;
    assert_ok(sn_skin_create(world, &skin, &id));
    assert_ok(sn_skin_mesh(world, id, &mesh));
    SnGltfDef def = sn_default_gltf_def();
    def.skin_count = 1;
    def.skins = &mesh;
    SnPoses poses;
    SnGltf *gltf;
    assert_ok(sn_world_poses(world, &poses));
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    for (int frame = 0; frame < 3; ++frame) {
        shake(world, rod, &rng, 0.1);
        SnPose now = {rng_vec3(&rng, 1.0), turn_about(0.5, 0.1, 0.3, 0.7 * (1 + frame))};
        assert_ok(sn_frame_teleport(world, frames[1], now));
        assert_ok(sn_world_poses(world, &poses));
        assert_ok(sn_gltf_frame(gltf, &poses, frame));
    }
    const char *path = path_of("frames.glb");
    assert_ok(sn_gltf_finish(gltf, path));
    SnGltfInfo info;
    assert_ok(sn_gltf_info(path, &info));
    assert_int_equal(info.joints, STAR_VERTICES + 2);
    SnSkinPoses skins;
    assert_ok(sn_world_skins(world, &skins));
    GltfSource g;
    assert_ok(sn__source_open(path, &g));
    double worst = 0.0;
    for (int i = 0; i < POINTS; ++i) {
        const float *x = skins.positions + 3 * i;
        Vec3d there = {(double)x[0], (double)x[1], (double)x[2]};
        worst = fmax(worst, lengthd(subd(there, played(&g, 0, i))));
    }
    assert_below(worst, 2e-4);
    sn__source_close(&g);
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    remove(path);
}

// Without skins a star is four pills: each vertex of their surface that follows one joint alone
// keeps its distance from it, times the scale.
static void creatures_are_pills(void **state) {
    (void)state;
    Stage s;
    record(&s, false);
    const char *path = path_of("star.glb");
    assert_ok(sn_gltf_finish(s.gltf, path));
    GltfSource g;
    assert_ok(sn__source_open(path, &g));
    assert_int_equal(g.counts[SOURCE_MESHES], 4);
    RodCopy star;
    copy_rod(s.world, s.rods[1], &star);
    const Json *attributes = sn__json_member(
        &g.doc, list_item(&g, g.lists[SOURCE_MESHES][1], "primitives", 0), "attributes");
    size_t stride;
    int count, alone[STAR_VERTICES] = {0};
    const unsigned char *vertices =
        data_of(&g, sn__source_int(&g, attributes, "POSITION", 0), &stride, &count);
    for (int i = 0; i < count; ++i) {
        TubeVertex v;
        memcpy(&v, vertices + stride * (size_t)i, sizeof v);
        Vec3d x = played(&g, 1, i);
        int first = v.weights[0] > 0 ? v.joints[0] : v.joints[1];
        if (v.weights[0] > 0 && v.weights[1] > 0)
            continue;
        ++alone[first];
        double away = lengthd(subd(x, vec3d(star.x[first])));
        assert_near(away, (double)star.radius[first], 1e-3);
    }
    for (int i = 0; i < STAR_VERTICES; ++i)
        assert_true(alone[i] >= 12);
    sn__source_close(&g);
    sn_gltf_destroy(s.gltf);
    sn_world_destroy(s.world);
    remove(path);
}

// A rigid body turns and moves as a whole, and one joint does so for all of its parts.
static void rigid_bodies_have_one_joint(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    const SnRigidPart parts[2] = {
        sn_rigid_sphere(sn_vec3(0.5f, 0.5f, 0.0f), 0.2f),
        sn_rigid_pill(sn_vec3(-0.5f, 0.0f, 0.0f), sn_vec3(0.5f, 0.0f, 0.3f), 0.1f)};
    SnRigidDef body = sn_default_rigid_def();
    body.part_count = 2;
    body.parts = parts;
    body.velocity = sn_vec3(1.0f, 0.0f, 0.0f);
    body.angular_velocity = sn_vec3(1.0f, 2.0f, 3.0f);
    SnBodyId id;
    assert_ok(sn_rigid_create(world, &body, &id));
    SnPoses poses;
    SnGltfDef def = sn_default_gltf_def();
    SnGltf *gltf;
    assert_ok(sn_world_poses(world, &poses));
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    for (int frame = 0; frame < 2; ++frame) {
        assert_int_equal(sn_world_step(world, 0.25f, 10, 1), SN_STEP_OK);
        assert_ok(sn_world_poses(world, &poses));
        assert_ok(sn_gltf_frame(gltf, &poses, frame));
    }
    const char *path = path_of("rigid.glb");
    assert_ok(sn_gltf_finish(gltf, path));
    SnGltfInfo info;
    assert_ok(sn_gltf_info(path, &info));
    assert_int_equal(info.joints, 1);
    GltfSource g;
    assert_ok(sn__source_open(path, &g));
    SnFilter all = sn_default_filter();
    SnHit hit;
    for (int i = 0; i < info.vertices; ++i) {
        assert_true(sn_world_nearest(world, vec3f(played(&g, 0, i)), 1.0f, all, &hit));
        assert_near(hit.distance, 0.0, 1e-3);
    }
    sn__source_close(&g);
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    remove(path);
}

static void wrong_skins_are_refused(void **state) {
    (void)state;
    Stage s;
    record(&s, true);
    SnPoses poses;
    assert_ok(sn_world_poses(s.world, &poses));
    SnGltfDef def = sn_default_gltf_def();
    SnGltf *gltf;
    def.skin_count = 1;
    assert_error(sn_gltf_begin(&poses, &def, &gltf), SN_ERROR_INVALID, "NULL");
    SnSkinMesh mesh = s.meshes[2];
    const SnBodyId nobody[2] = {{77, 1}, {78, 1}};
    mesh.bodies = nobody;
    def.skins = &mesh;
    assert_error(sn_gltf_begin(&poses, &def, &gltf), SN_ERROR_INVALID, "skins[0] is on a body");
    mesh = s.meshes[2];
    mesh.body_count = 1;
    assert_error(sn_gltf_begin(&poses, &def, &gltf), SN_ERROR_INVALID, "11 bones");
    assert_null(gltf);
    sn_gltf_destroy(s.gltf);
    sn_world_destroy(s.world);
}

// Two trees that have nothing in common but the rod, each with more vertices than joints are left.
enum { TREES = 2, TREE_VERTICES = 10000, FOREST_VERTICES = TREES * TREE_VERTICES };

static SnBodyId make_forest(SnWorld *world) {
    static SnVec3 points[FOREST_VERTICES];
    static int edges[2 * FOREST_VERTICES];
    SnRodDef def = sn_default_rod_def();
    for (int i = 0; i < FOREST_VERTICES; ++i) {
        int tree = i / TREE_VERTICES, k = i % TREE_VERTICES;
        points[i] = sn_vec3((float)(k % 100), (float)(k / 100), (float)(10 * tree));
        if (k > 0) {
            edges[2 * def.edge_count] = tree * TREE_VERTICES + (k - 1) / 2;
            edges[2 * def.edge_count++ + 1] = i;
        }
    }
    def.stiff = true;
    def.vertex_count = FOREST_VERTICES;
    def.positions = points;
    def.edges = edges;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static void a_forest_follows_the_joints_of_its_trees(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = make_forest(world);
    SnSkinMesh mesh;
    assert_ok(sn_skin_mesh(world, make_skin(world, &rod, 1, 0.0), &mesh));
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    SnGltfDef def = sn_default_gltf_def();
    def.skins = &mesh;
    def.skin_count = 1;
    SnGltf *gltf;
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    const GltfRod *forest = &gltf->rods[0];
    assert_in_range(forest->joint_count, SN_MAX_GLTF_TREE_JOINTS / 4, SN_MAX_GLTF_TREE_JOINTS);
    for (int i = 0; i < FOREST_VERTICES; ++i) {
        int joint = forest->joint_of[i];
        assert_in_range(joint, 0, forest->joint_count - 1);
        assert_int_equal(forest->joint_vertices[joint] / TREE_VERTICES, i / TREE_VERTICES);
    }
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
}

// A bar of four particles in a row that breaks in the middle: its halves are carried off as they are.
static void what_splits_plays_as_in_the_engine(void **state) {
    (void)state;
    enum { PARTICLES = 4 };
    SnWorld *world = weightless_world();
    SnVec3 x[PARTICLES], radii[PARTICLES], corners[8];
    line_of_points(x, PARTICLES, sn_vec3(0.05f, 0.0f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
    for (int i = 0; i < PARTICLES; ++i)
        radii[i] = sn_vec3(0.05f, 0.05f, 0.05f);
    const int edges[PARTICLES - 1][2] = {{0, 1}, {1, 2}, {2, 3}};
    SnSolidDef def = sn_default_solid_def();
    def.particle_count = PARTICLES;
    def.positions = x;
    def.radii = radii;
    def.edge_count = PARTICLES - 1;
    def.edges = edges;
    def.material.strength = 1e5f;
    SnBodyId body;
    assert_ok(sn_solid_create(world, &def, &body));
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t triangles[36];
    for (uint32_t i = 0; i < 8; ++i)
        corners[i] = sn_vec3(i & 1 ? 0.4f : 0.0f, i & 2 ? 0.05f : -0.05f, i & 4 ? 0.05f : -0.05f);
    for (int f = 0, k = 0; f < 6; ++f)
        for (int half = 0; half < 2; ++half) {
            triangles[k++] = faces[f][0];
            triangles[k++] = faces[f][1 + half];
            triangles[k++] = faces[f][2 + half];
        }
    SnSkinDef skin = sn_default_skin_def();
    skin.bodies = &body;
    skin.body_count = 1;
    skin.vertex_count = 8;
    skin.triangle_count = 12;
    skin.positions = corners;
    skin.triangles = triangles;
    skin.split = true;
    SnSkinId id;
    SnSkinMesh mesh;
    assert_ok(sn_skin_create(world, &skin, &id));
    assert_ok(sn_skin_mesh(world, id, &mesh));
    SnGltfDef gltf_def = sn_default_gltf_def();
    gltf_def.skin_count = 1;
    gltf_def.skins = &mesh;
    SnPoses poses;
    SnGltf *gltf;
    assert_ok(sn_world_poses(world, &poses));
    assert_ok(sn_gltf_begin(&poses, &gltf_def, &gltf));
    bool *apart = calloc((size_t)mesh.lead_count, sizeof *apart);
    assert_error(sn_gltf_split(gltf, 1, apart), SN_ERROR_INVALID, "split");
    for (int frame = 0; frame < 2; ++frame) {
        for (int i = PARTICLES / 2; i < PARTICLES && frame == 1; ++i)
            x[i].x += 0.3f;
        SnBodyState shifted = {.positions = x};
        assert_ok(sn_body_write(world, body, &shifted));
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 1, 1) & SN_STEP_TORN, 0);
        assert_ok(sn_skin_apart(world, id, apart));
        assert_ok(sn_gltf_split(gltf, 0, apart));
        assert_ok(sn_world_poses(world, &poses));
        assert_ok(sn_gltf_frame(gltf, &poses, frame));
        bool any = false;
        for (int k = 0; k < mesh.lead_count; ++k)
            any = any || apart[k];
        assert_int_equal(any, frame == 1);
    }
    const char *path = path_of("split.glb");
    assert_ok(sn_gltf_finish(gltf, path));
    SnSkinPoses skins;
    assert_ok(sn_world_skins(world, &skins));
    GltfSource g;
    assert_ok(sn__source_open(path, &g));
    double worst = 0.0;
    int surface = 0; // vertices: closed caps have no size in the engine alone
    for (int i = 0; i < 3 * (mesh.triangle_count - mesh.cap_triangles); ++i)
        surface = (int)mesh.triangles[i] >= surface ? (int)mesh.triangles[i] + 1 : surface;
    for (int i = 0; i < surface; ++i) {
        const float *p = skins.positions + 3 * i;
        Vec3d there = {(double)p[0], (double)p[1], (double)p[2]};
        worst = fmax(worst, lengthd(subd(there, played(&g, 0, i))));
    }
    assert_below(worst,
                 2e-3); // bones that are left share out what a lost one had, here its cell has it
    free(apart);
    sn__source_close(&g);
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skins_play_as_in_the_engine),
        cmocka_unit_test(frames_play_as_in_the_engine),
        cmocka_unit_test(what_splits_plays_as_in_the_engine),
        cmocka_unit_test(bones_turn_with_what_they_are_told),
        cmocka_unit_test(creatures_are_pills),
        cmocka_unit_test(rigid_bodies_have_one_joint),
        cmocka_unit_test(a_forest_follows_the_joints_of_its_trees),
        cmocka_unit_test(wrong_skins_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
