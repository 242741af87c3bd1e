// Solids that keep their volume: the gradient against finite differences, steps against a dense solve, and a ball that is
// squeezed against the volume of its own skin.
#include "solid_kit.h"

#include <stdlib.h>

#include <sinew/particles.h>
#include <sinew/skin.h>

#include "solid/marks.h"
#include "solid/volume.h"

static Vec3d any3(Rng *rng, double size) {
    return (Vec3d){rng_real(rng, -size, size), rng_real(rng, -size, size),
                   rng_real(rng, -size, size)};
}

#define PARTICLES 12

static Solid *shaken(Rng *rng, double size) {
    static SolidSystem system;
    system = (SolidSystem){.allocator = sn__default_allocator()};
    Grid *g = grid_of(3, 2, 2, sn_vec3(0.3f, 0.15f, 0.25f), sn_vec3(0.0f, 0.0f, 0.0f));
    bool crowded;
    g->def.material.young = 2e4f;
    g->def.material.damping = 0.0f;
    g->def.material.volume = 1e6f;
    Solid *s = sn__solid_create(&system, &g->def, &crowded);
    assert_non_null(s);
    for (int i = 0; i < s->count; ++i) {
        s->work[i] = (SolidWork){.x_start = s->x[i], .u = any3(rng, size * s->size)};
        s->q[i] = normalisedq(mulqd(turn_by(any3(rng, 2.0 * size)), s->q[i]));
    }
    return s;
}

static void move(Solid *s, int i, int axis, double by) {
    double v[6] = {0};
    v[axis] = by;
    s->work[i].u = addd(s->work[i].u, (Vec3d){v[0], v[1], v[2]});
    s->q[i] = normalisedq(mulqd(turn_by((Vec3d){v[3], v[4], v[5]}), s->q[i]));
}

static void clear(Solid *s) {
    for (int k = 0; k < s->count; ++k)
        s->vector[k] = (SparseVector){{0}};
}

static void test_pressure_is_the_slope_of_the_energy(void **state) {
    (void)state;
    Rng rng = {25};
    for (int round = 0; round < 4; ++round) {
        Solid *s = shaken(&rng, 0.2);
        clear(s);
        sn__solid_add_volume_gradient(s, 1.0);
        for (int i = 0; i < s->count; ++i)
            for (int axis = 0; axis < 6; ++axis) {
                double by = 1e-5, g = s->vector[s->graph->plan.place[i]].x[axis];
                g *= axis < 3 ? 1.0 : s->size;
                move(s, i, axis, by);
                double up = sn__solid_volume_energy(s);
                move(s, i, axis, -2.0 * by);
                double down = sn__solid_volume_energy(s);
                move(s, i, axis, by);
                assert_near(g, (up - down) / (2.0 * by), 1e-3 + 1e-5 * fabs(g));
            }
        sn__solid_destroy(s);
    }
}

// Pieces of a body that is turned, and stretched along three axes, have the volume that it has.
static void test_volume_is_that_of_the_body(void **state) {
    (void)state;
    Rng rng = {26};
    Solid *s = shaken(&rng, 0.0);
    const Vec3d stretch = {1.2, 0.8, 1.1};
    Quatd turn = turn_by((Vec3d){0.4, -1.0, 0.6});
    for (int i = 0; i < s->count; ++i) {
        Vec3d x = s->particles[i].rest;
        s->work[i].x_start =
            rotated(turn, (Vec3d){stretch.x * x.x, stretch.y * x.y, stretch.z * x.z});
        s->work[i].u = (Vec3d){0};
        s->q[i] = turn;
    }
    assert_near(sn__solid_volume(s) / (0.3 * 0.15 * 0.25), 1.2 * 0.8 * 1.1, 0.01);
    sn__solid_destroy(s);
}

// H x from the blocks of the matrix, before it is factored.
static void multiply(const Solid *s, const SolidFactors *f, const double *x, double *out) {
    const SparsePlan *plan = &s->graph->plan;
    for (int p = 0; p < s->count; ++p) {
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c)
                out[6 * p + r] +=
                    f->diagonal[p].column[r < c ? r : c][r < c ? c : r] * x[6 * p + c];
        for (int b = plan->first[p]; b < plan->first[p + 1]; ++b)
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c < 6; ++c) {
                    double a = f->below[b].column[c][r];
                    out[6 * plan->rows[b] + r] += a * x[6 * p + c];
                    out[6 * p + c] += a * x[6 * plan->rows[b] + r];
                }
    }
}

// A step of the whole matrix, with the square of the slope, gives the right side back.
static void test_steps_solve_the_whole_matrix(void **state) {
    (void)state;
    Rng rng = {27};
    Solid *s = shaken(&rng, 0.0);
    SolidStep step = {.kernels = sn__sparse_kernels(SN_ISA_SCALAR),
                      .lanes = sn__solid_kernels(SN_ISA_SCALAR),
                      .h = 0.01,
                      .h2 = 1e-4};
    SolidFactors plain = {.diagonal = calloc(PARTICLES, sizeof(SparseBlock)),
                          .below = calloc((size_t)s->graph->plan.blocks, sizeof(SparseBlock))};
    double by = 1.0 / (s->size * s->size), x[6 * PARTICLES], out[6 * PARTICLES] = {0}, sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        SparseBlock *block = &plain.diagonal[s->graph->plan.place[i]];
        Mat3 inertia = mat_of_sym(&s->particles[i].inertia);
        s->work[i].inertia = s->particles[i].inertia;
        for (int c = 0; c < 3; ++c) {
            block->column[c][c] = s->particles[i].mass;
            for (int r = 0; r < 3; ++r)
                block->column[3 + c][3 + r] = by * inertia.m[r][c];
        }
    }
    sn__solid_add_rest_hessian(s, &plain, step.h2, 0.0);
    assert_true(sn__solid_find_factors(s, &step, true));
    clear(s);
    sn__solid_add_volume_gradient(s, step.h2);
    SparseVector right[PARTICLES];
    for (int k = 0; k < PARTICLES; ++k)
        for (int c = 0; c < 6; ++c)
            s->vector[k].x[c] = right[k].x[c] = rng_real(&rng, -1.0, 1.0);
    sn__solids_divide(&s, 1, &step);
    for (int k = 0; k < 6 * PARTICLES; ++k) {
        x[k] = s->vector[k / 6].x[k % 6];
        sum += s->slope[k / 6].x[k % 6] * x[k];
    }
    multiply(s, &plain, x, out);
    for (int k = 0; k < 6 * PARTICLES; ++k) {
        out[k] += step.h2 * 1e6 / s->volume * s->slope[k / 6].x[k % 6] * sum;
        assert_near(out[k], right[k / 6].x[k % 6], 1e-8);
    }
    free(plain.diagonal);
    free(plain.below);
    sn__solid_destroy(s);
}

typedef struct Ball {
    int vertices, triangles;
    SnVec3 *x;
    uint32_t *t;
} Ball;

#define ROUND 24
#define ALONG 12

static Ball make_ball(float radius) {
    Ball b = {.vertices = ROUND * (ALONG - 1) + 2};
    b.x = malloc((size_t)b.vertices * sizeof *b.x);
    b.t = malloc(sizeof *b.t * 3 * 2 * ROUND * ALONG);
    for (int i = 1; i < ALONG; ++i)
        for (int k = 0; k < ROUND; ++k) {
            float a = 3.14159265f * (float)i / ALONG, f = 6.2831853f * (float)k / ROUND;
            b.x[ROUND * (i - 1) + k] =
                sn_vec3(radius * sinf(a) * cosf(f), radius * cosf(a), -radius * sinf(a) * sinf(f));
        }
    b.x[b.vertices - 2] = sn_vec3(0.0f, radius, 0.0f);
    b.x[b.vertices - 1] = sn_vec3(0.0f, -radius, 0.0f);
    for (int i = 0; i < ALONG; ++i)
        for (int k = 0; k < ROUND; ++k) {
            uint32_t n = (uint32_t)((k + 1) % ROUND), last = (uint32_t)b.vertices - 1;
            uint32_t up = (uint32_t)(ROUND * (i - 1)), low = (uint32_t)(ROUND * i), m = (uint32_t)k;
            uint32_t a[2][3] = {{i > 0 ? up + m : last - 1, low + m, low + n},
                                {up + m, i < ALONG - 1 ? low + n : last, up + n}};
            for (int f = 0; f < 2; ++f)
                if ((f == 0 && i < ALONG - 1) || (f == 1 && i > 0))
                    memcpy(b.t + 3 * b.triangles++, a[f], sizeof a[f]);
        }
    return b;
}

static double volume_of(const Ball *b, const float *x) {
    double sum = 0.0;
    for (int k = 0; k < b->triangles; ++k) {
        Vec3d p[3];
        for (int c = 0; c < 3; ++c) {
            const float *at = x + 3 * b->t[3 * k + c];
            p[c] = (Vec3d){(double)at[0], (double)at[1], (double)at[2]};
        }
        sum += dotd(p[0], crossd(p[1], p[2])) / 6.0;
    }
    return sum;
}

// The parts of its volume that a ball has left between two plates at 70 % of its width: of its pieces, and of its skin.
static void squeeze(const Ball *ball_mesh, const SnParticles *particles, float bulk,
                    double *out_pieces, double *out_skin) {
    SnWorld *world = weightless_world();
    const Ball b = *ball_mesh;
    const SnParticles p = *particles;
    SnSolidDef def = sn_default_solid_def();
    def.particle_count = p.particle_count;
    def.positions = p.positions;
    def.rotations = p.rotations;
    def.radii = p.radii;
    def.volumes = p.volumes;
    def.edge_count = p.edge_count;
    def.edges = (const int(*)[2])p.edges;
    def.areas = p.areas;
    def.material.young = 1e5f;
    def.material.damping = 0.05f;
    def.material.volume = bulk;
    def.surface = rough(0.0f);
    SnBodyId ball;
    assert_ok(sn_solid_create(world, &def, &ball));
    SnSkinDef skin = sn_default_skin_def();
    skin.body_count = 1;
    skin.bodies = &ball;
    skin.vertex_count = b.vertices;
    skin.triangle_count = b.triangles;
    skin.positions = b.x;
    skin.triangles = b.t;
    skin.bones = p.bones;
    skin.weights = p.weights;
    assert_ok(sn_skin_create(world, &skin, NULL));
    SnSkinPoses poses;
    assert_ok(sn_world_skins(world, &poses));
    double before = volume_of(&b, poses.positions);
    SnFrameId plates[2];
    for (int k = 0; k < 2; ++k) {
        SnPose pose = sn_pose_identity();
        pose.position.y = k == 0 ? -0.21f : 0.21f;
        if (k == 1)
            pose.rotation = (SnQuat){1.0f, 0.0f, 0.0f, 0.0f};
        assert_ok(sn_frame_create(world, pose, &plates[k]));
        SnColliderDef plane = collider_def(SN_COLLIDER_PLANE, sn_vec3(0.0f, 0.0f, 0.0f), 0.0f);
        plane.frame = plates[k];
        add_collider(world, &plane);
    }
    for (int n = 1; n <= 100; ++n) {
        for (int k = 0; k < 2; ++k) {
            SnPose pose;
            assert_ok(sn_frame_pose(world, plates[k], &pose));
            float y = 0.21f - 0.07f * fminf((float)n / 60.0f, 1.0f);
            pose.position.y = k == 0 ? -y : y;
            assert_ok(sn_frame_set_target(world, plates[k], pose));
        }
        assert_int_equal(sn_world_step(world, DT, 4, 1), SN_STEP_OK);
    }
    double rest;
    *out_pieces = sn_solid_volume(world, ball, &rest) / rest;
    assert_ok(sn_world_skins(world, &poses));
    *out_skin = volume_of(&b, poses.positions) / before;
    sn_world_destroy(world);
}

static void test_a_squeezed_ball_keeps_its_volume(void **state) {
    (void)state;
    double pieces, skin;
    Ball b = make_ball(0.2f);
    SnParticlesDef fill = sn_default_particles_def();
    SnParticles p;
    fill.vertex_count = b.vertices;
    fill.triangle_count = b.triangles;
    fill.positions = b.x;
    fill.triangles = b.t;
    fill.particles = 120;
    assert_ok(sn_particles_create(&fill, NULL, &p));
    squeeze(&b, &p, 0.0f, &pieces, &skin);
    assert_below(pieces, 0.85);
    assert_below(skin, 0.85);
    squeeze(&b, &p, 1e7f, &pieces, &skin);
    assert_near(pieces, 1.0, 0.002);
    assert_near(skin, 1.0, 0.01);
    sn_particles_destroy(&p);
    free(b.x);
    free(b.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure_is_the_slope_of_the_energy),
        cmocka_unit_test(test_volume_is_that_of_the_body),
        cmocka_unit_test(test_steps_solve_the_whole_matrix),
        cmocka_unit_test(test_a_squeezed_ball_keeps_its_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
