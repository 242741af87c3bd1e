// Skins that split where their solid breaks: cells of a cut mesh are closed and fill it, and so do the pieces of
// bodies that are torn.
#include "contact_kit.h"
#include "particle_kit.h"

#include <stdlib.h>

#include <sinew/skin.h>

#include "skin/split.h"

typedef struct Filled {
    SnMesh mesh;
    SnParticles particles;
} Filled;

static Filled filled(SnSolidShape shape, int triangles, int count) {
    Filled f;
    assert_ok(sn_solid_mesh(shape, 1.0f, triangles, NULL, &f.mesh));
    SnParticlesDef def =
        mesh_def(&f.mesh, count, shape == SN_SOLID_SHEET ? SN_FILL_SHELL : SN_FILL_SOLID);
    assert_ok(sn_particles_create(&def, NULL, &f.particles));
    return f;
}

static void release(Filled *f) {
    sn_particles_destroy(&f->particles);
    sn_mesh_destroy(&f->mesh);
}

static double volume_by(const uint32_t *t, int triangles, const float *x) {
    double sum = 0.0;
    for (int i = 0; i < triangles; ++i, t += 3) {
        Vec3d c[3];
        for (int k = 0; k < 3; ++k)
            c[k] = (Vec3d){(double)x[3 * t[k]], (double)x[3 * t[k] + 1], (double)x[3 * t[k] + 2]};
        sum += dotd(c[0], crossd(c[1], c[2])) / 6.0;
    }
    return sum;
}

// A directed edge between places, in a cell.
typedef struct Side {
    float a[3], b[3];
    int cell, sign;
} Side;

static int by_side(const void *p, const void *q) {
    const Side *a = p, *b = q;
    int at = memcmp(a->a, b->a, sizeof a->a + sizeof a->b);
    return at ? at : (a->cell > b->cell) - (a->cell < b->cell);
}

// How many edges are not passed as often one way as the other. What has no size is left out.
static int open_edges(const uint32_t *t, int triangles, const float *x, const int *cells) {
    Side *sides = calloc(3 * (size_t)triangles, sizeof *sides);
    int count = 0, open = 0;
    for (int i = 0; i < 3 * triangles; ++i) {
        const float *a = x + 3 * t[i], *b = x + 3 * t[i - i % 3 + (i + 1) % 3];
        int order = memcmp(a, b, 3 * sizeof *a);
        if (order == 0)
            continue;
        Side *side = &sides[count++];
        memcpy(side->a, order < 0 ? a : b, sizeof side->a);
        memcpy(side->b, order < 0 ? b : a, sizeof side->b);
        side->cell = cells ? cells[t[i]] : 0;
        side->sign = order < 0 ? 1 : -1;
    }
    qsort(sides, (size_t)count, sizeof *sides, by_side);
    for (int i = 0; i < count;) {
        int end = i, sum = 0;
        for (; end < count && by_side(&sides[i], &sides[end]) == 0; ++end)
            sum += sides[end].sign;
        open += abs(sum);
        i = end;
    }
    free(sides);
    return open;
}

static SkinSplit *cut(const Filled *f, SkinSurface *surface) {
    const SnAllocator a = sn__default_allocator();
    const SnMesh *m = &f->mesh;
    const SnParticles *p = &f->particles;
    assert_true(sn__skin_surface_create(&a, m->positions, m->vertex_count, m->triangles,
                                        m->triangle_count, surface));
    SplitMesh mesh = {.surface = surface,
                      .vertex_count = m->vertex_count,
                      .triangle_count = m->triangle_count,
                      .positions = m->positions,
                      .normals = m->normals,
                      .triangles = m->triangles,
                      .bones = p->bones,
                      .weights = p->weights,
                      .particle_count = p->particle_count,
                      .edge_count = p->edge_count,
                      .particles = p->positions,
                      .edges = (const int(*)[2])p->edges};
    SkinSplit *split = sn__skin_split_create(&a, &mesh);
    assert_non_null(split);
    return split;
}

static void cells_are_closed_and_fill_the_mesh(void **state) {
    (void)state;
    static const struct {
        SnSolidShape shape;
        int triangles, particles;
    } cases[] = {{SN_SOLID_BAR, 2000, 60},   {SN_SOLID_BAR, 200, 1},
                 {SN_SOLID_BAR, 200, 2},     {SN_SOLID_COLUMN, 1000, 80},
                 {SN_SOLID_TORUS, 3000, 40}, {SN_SOLID_DINOSAUR, 6000, 100},
                 {SN_SOLID_RABBIT, 3000, 60}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        Filled f = filled(cases[c].shape, cases[c].triangles, cases[c].particles);
        SkinSurface surface;
        SkinSplit *s = cut(&f, &surface);
        float *x = calloc((size_t)s->vertex_count, 3 * sizeof *x);
        int *cells = calloc((size_t)s->vertex_count, sizeof *cells);
        for (int i = 0; i < s->vertex_count; ++i) {
            memcpy(x + 3 * i, &s->vertices[i].position, 3 * sizeof *x);
            cells[i] = s->vertices[i].cell;
        }
        assert_true(s->triangle_count > s->surface_triangles || cases[c].particles == 1);
        assert_int_equal(open_edges(s->triangles[0], s->triangle_count, x, cells), 0);
        double whole =
            volume_by(f.mesh.triangles, f.mesh.triangle_count, (const float *)f.mesh.positions);
        double *volumes = calloc((size_t)s->cell_count, sizeof *volumes), sum = 0.0;
        for (int t = 0; t < s->triangle_count; ++t)
            volumes[cells[s->triangles[t][0]]] += volume_by(s->triangles[t], 1, x);
        for (int i = 0; i < s->cell_count; ++i) {
            assert_true(volumes[i] > -1e-9);
            sum += volumes[i];
        }
        assert_true(fabs(sum - whole) < 1e-5 * whole);
        free(volumes);
        free(x);
        free(cells);
        sn__skin_split_destroy(s);
        sn__skin_surface_destroy(&surface);
        release(&f);
    }
}

// Some edges are broken, and every particle goes its own way: what hangs together is closed all the same.
static void whatever_breaks_all_is_closed(void **state) {
    (void)state;
    const SnAllocator a = sn__default_allocator();
    Filled f = filled(SN_SOLID_DINOSAUR, 3000, 60);
    SkinSurface surface;
    SkinSplit *s = cut(&f, &surface);
    SplitState broken;
    assert_true(sn__split_state_create(s, &broken));
    SkinPoint *points = sn__alloc_array(&a, 2 * (size_t)s->vertex_count, sizeof *points);
    SkinPoint *now = points + s->vertex_count;
    float *x = calloc((size_t)s->vertex_count, 3 * sizeof *x);
    Rng rng = {3};
    for (int i = 0; i < s->vertex_count; ++i)
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            points[i].weight[k] = s->vertices[i].weights[k];
            points[i].bone[k] = (uint32_t)s->vertices[i].bones[k];
            memcpy(points[i].x, &s->vertices[i].position, sizeof s->vertices[i].position);
        }
    for (int round = 0; round < 12; ++round) {
        for (int k = 0; k < s->edge_count; ++k)
            broken.broken[k] = rng_real(&rng, 0.0, 11.0) < round;
        SnVec3 ways[60];
        for (int i = 0; i < 60; ++i)
            ways[i] = rng_vec3(&rng, 0.1);
        sn__skin_split_apply(s, &broken, points, now);
        for (int i = 0; i < s->vertex_count; ++i) {
            memcpy(x + 3 * i, now[i].x, 3 * sizeof *x);
            float sum = 0.0f;
            for (int k = 0; k < SN_SKIN_BONES; ++k) {
                float w = now[i].weight[k];
                SnVec3 way = ways[now[i].bone[k]];
                x[3 * i] += w * way.x;
                x[3 * i + 1] += w * way.y;
                x[3 * i + 2] += w * way.z;
                sum += w;
            }
            assert_true(fabsf(sum - 1.0f) < 1e-5f);
        }
        assert_int_equal(open_edges(s->triangles[0], s->triangle_count, x, NULL), 0);
        assert_true((round > 0) ==
                    (open_edges(s->triangles[0], s->surface_triangles, x, NULL) > 0));
    }
    sn__free(&a, points, 2 * (size_t)s->vertex_count * sizeof *points);
    free(x);
    sn__split_state_destroy(s, &broken);
    sn__skin_split_destroy(s);
    sn__skin_surface_destroy(&surface);
    release(&f);
}

typedef struct Torn {
    Filled f;
    SnWorld *world;
    SnBodyId body;
    SnSkinId skin;
    SnFrameId hand;
} Torn;

static void hold(const Torn *t, int i, SnFrameId frame) {
    for (int k = 0; k < 2; ++k)
        attach(t->world, t->body, k == 0 ? SN_ATTACH_VERTEX : SN_ATTACH_SEGMENT, i, frame);
}

// A bar along x between a hand that goes on by `pull` within a second and what stands still.
static Torn torn_bar(float young, float strength) {
    Torn t = {.f = filled(SN_SOLID_BAR, 2000, 60)};
    const SnParticles *p = &t.f.particles;
    t.world = weightless_world();
    assert_ok(sn_frame_create(t.world, sn_pose_identity(), &t.hand));
    SnSolidDef def = sn_default_solid_def();
    def.particle_count = p->particle_count;
    def.positions = p->positions;
    def.rotations = p->rotations;
    def.radii = p->radii;
    def.volumes = p->volumes;
    def.edge_count = p->edge_count;
    def.edges = (const int(*)[2])p->edges;
    def.areas = p->areas;
    def.material.young = young;
    def.material.strength = strength;
    assert_ok(sn_solid_create(t.world, &def, &t.body));
    for (int i = 0; i < p->particle_count; ++i)
        if (fabsf(p->positions[i].x) > 0.4f)
            hold(&t, i, p->positions[i].x > 0.0f ? t.hand : (SnFrameId){0, 0});
    SnSkinDef skin = sn_default_skin_def();
    skin.body_count = 1;
    skin.bodies = &t.body;
    skin.vertex_count = t.f.mesh.vertex_count;
    skin.triangle_count = t.f.mesh.triangle_count;
    skin.positions = t.f.mesh.positions;
    skin.normals = t.f.mesh.normals;
    skin.triangles = t.f.mesh.triangles;
    skin.bones = p->bones;
    skin.weights = p->weights;
    skin.split = true;
    assert_ok(sn_skin_create(t.world, &skin, &t.skin));
    return t;
}

static void pull(const Torn *t, float way, int steps) {
    for (int n = 1; n <= steps; ++n) {
        SnPose pose = sn_pose_identity();
        pose.position.x = way * (float)n / (float)steps;
        assert_ok(sn_frame_set_target(t->world, t->hand, pose));
        assert_int_equal(sn_world_step(t->world, DT, 4, 1), SN_STEP_OK);
    }
}

static const float *skin_now(const Torn *t) {
    SnSkinPoses poses;
    assert_ok(sn_world_skins(t->world, &poses));
    return poses.positions;
}

static SnSkinMesh mesh_now(const Torn *t) {
    SnSkinMesh mesh;
    assert_ok(sn_skin_mesh(t->world, t->skin, &mesh));
    return mesh;
}

static double longest_edge(const SnSkinMesh *m, const float *x) {
    double longest = 0.0;
    for (int i = 0; i < 3 * m->triangle_count; ++i) {
        const float *a = x + 3 * m->triangles[i];
        const float *b = x + 3 * m->triangles[i - i % 3 + (i + 1) % 3];
        longest = fmax(longest, (double)hypotf(hypotf(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
    return longest;
}

static void pieces_of_a_torn_bar_are_closed(void **state) {
    (void)state;
    Torn t = torn_bar(1e6f, 1e5f);
    SnSkinMesh m = mesh_now(&t);
    const float *x = skin_now(&t);
    double whole =
        volume_by(t.f.mesh.triangles, t.f.mesh.triangle_count, (const float *)t.f.mesh.positions);
    double before = longest_edge(&m, (const float *)m.rest_positions);
    assert_true(m.cap_triangles > 0 && m.vertex_count > t.f.mesh.vertex_count);
    assert_true(fabs(volume_by(m.triangles, m.triangle_count, x) - whole) < 1e-3 * whole);
    // What is not open has no size, so the surface alone is closed.
    int surface = m.triangle_count - m.cap_triangles;
    assert_int_equal(open_edges(m.triangles, surface, x, NULL), 0);
    size_t size = sn_world_snapshot_size(t.world);
    void *snapshot = malloc(size);
    assert_ok(sn_world_save(t.world, snapshot, size));

    pull(&t, 0.5f, 60);
    x = skin_now(&t);
    assert_int_equal(open_edges(m.triangles, m.triangle_count, x, NULL), 0);
    assert_true(open_edges(m.triangles, surface, x, NULL) > 0);
    assert_true(fabs(volume_by(m.triangles, m.triangle_count, x) - whole) < 0.03 * whole);
    assert_true(longest_edge(&m, x) <
                1.6 * before); // nothing is drawn out across the gap of half a metre

    // What was whole is whole again.
    assert_ok(sn_world_restore(t.world, snapshot, size));
    x = skin_now(&t);
    assert_int_equal(open_edges(m.triangles, surface, x, NULL), 0);
    free(snapshot);
    sn_world_destroy(t.world);
    release(&t.f);
}

// An allocator that counts, and fails after some time.
typedef struct Meter {
    long live, left;
} Meter;

static void *meter_allocate(size_t size, size_t align, void *context) {
    Meter *meter = context;
    if (meter->left-- == 0)
        return NULL;
    ++meter->live;
    return aligned_alloc(align, size);
}

static void meter_release(void *memory, size_t size, void *context) {
    (void)size;
    --((Meter *)context)->live;
    free(memory);
}

// Two particles that hold on to each other, in a box.
static SnBodyId make_pair(SnWorld *world, SnSkinDef *skin, SnBodyId *room) {
    static Boxes box;
    static const SnVec3 x[2] = {{-0.1f, 0.0f, 0.0f}, {0.1f, 0.0f, 0.0f}},
                        radii[2] = {{0.1f, 0.1f, 0.1f}, {0.1f, 0.1f, 0.1f}};
    static const int edges[1][2] = {{0, 1}};
    box.count = 0;
    add_box(&box, sn_vec3(-0.2f, -0.1f, -0.1f), sn_vec3(0.2f, 0.1f, 0.1f), false);
    SnSolidDef def = sn_default_solid_def();
    def.particle_count = 2;
    def.positions = x;
    def.radii = radii;
    def.edge_count = 1;
    def.edges = edges;
    def.material.strength = 1e5f;
    assert_ok(sn_solid_create(world, &def, room));
    *skin = sn_default_skin_def();
    skin->body_count = 1;
    skin->bodies = room;
    skin->vertex_count = BOX_VERTICES;
    skin->triangle_count = BOX_TRIANGLES;
    skin->positions = box.positions;
    skin->triangles = box.triangles;
    skin->split = true;
    return *room;
}

static void memory_is_given_back(void **state) {
    (void)state;
    bool made = false;
    for (long left = 0; left < 1000 && !made; ++left) {
        Meter meter = {.left = -1};
        SnWorldDef world_def = sn_default_world_def();
        world_def.allocator = (SnAllocator){meter_allocate, meter_release, &meter};
        SnWorld *world;
        assert_ok(sn_world_create(&world_def, &world));
        SnSkinDef def;
        SnBodyId room, body = make_pair(world, &def, &room);
        meter.left = left;
        SnResult result = sn_skin_create(world, &def, NULL);
        assert_true(result.code == SN_OK || result.code == SN_ERROR_MEMORY);
        SnSkinPoses poses;
        made = result.code == SN_OK && sn_world_skins(world, &poses).code == SN_OK;
        if (made) { // what breaks needs nothing more
            meter.left = -1;
            SnVec3 apart[2] = {{-0.3f, 0.0f, 0.0f}, {0.3f, 0.0f, 0.0f}};
            SnBodyState pulled = {.positions = apart};
            assert_ok(sn_body_write(world, body, &pulled));
            sn_world_step(world, DT, 1, 1);
            float strain;
            assert_ok(sn_solid_edges(world, body, NULL, &strain));
            assert_true(strain == -1.0f);
            meter.left = 0;
            assert_ok(sn_world_skins(world, &poses));
        }
        sn_world_destroy(world);
        assert_int_equal(meter.live, 0);
    }
    assert_true(made);
}

static void split_is_for_one_solid(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnVec3 x[3];
    line_of_points(x, 3, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
    SnRodDef rod = sn_default_rod_def();
    rod.vertex_count = 3;
    rod.positions = x;
    rod.radius = 0.01f;
    SnBodyId body;
    assert_ok(sn_rod_create(world, &rod, &body));
    SnSkinDef def = sn_default_skin_def();
    def.body_count = 1;
    def.bodies = &body;
    def.vertex_count = 3;
    def.positions = x;
    def.split = true;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "split");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_closed_and_fill_the_mesh),
        cmocka_unit_test(whatever_breaks_all_is_closed),
        cmocka_unit_test(pieces_of_a_torn_bar_are_closed),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(split_is_for_one_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
