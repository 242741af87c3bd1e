// The energy of solids against finite differences, rotations against brute force, rest against nothing.
#include "solid_kit.h"

#include "solid/match.h"
#include "solid/solid.h"

static double any(Rng *rng, double size) { return rng_real(rng, -size, size); }

static Vec3d any3(Rng *rng, double size) {
    return (Vec3d){any(rng, size), any(rng, size), any(rng, size)};
}

static void shake(Solid *s, Rng *rng, double size) {
    for (int i = 0; i < s->count; ++i) {
        s->work[i].x_start = s->x[i];
        s->work[i].u = any3(rng, size * s->size);
        s->q[i] = normalisedq(mulqd(turn_by(any3(rng, 2.0 * size)), s->q[i]));
    }
}

// A body of its own, outside of any world.
static Solid *shaken(Rng *rng, double size) {
    static SolidSystem system;
    system = (SolidSystem){.allocator = sn__default_allocator()};
    Grid *g = grid_of(3, 2, 2, sn_vec3(0.3f, 0.15f, 0.25f), sn_vec3(0.0f, 0.0f, 0.0f));
    bool crowded;
    g->def.material.young = 2e4f;
    Solid *s = sn__solid_create(&system, &g->def, &crowded);
    assert_non_null(s);
    shake(s, rng, size);
    sn__solid_kernels(SN_ISA_SCALAR)->note(s);
    shake(s, rng, size);
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

static void test_forces_are_slopes_of_the_energy(void **state) {
    (void)state;
    Rng rng = {5};
    for (int round = 0; round < 4; ++round) {
        double damping = round % 2 == 0 ? 0.0 : 3.0;
        Solid *s = shaken(&rng, 0.3);
        clear(s);
        sn__solid_add_gradient(s, sn__solid_kernels(SN_ISA_SCALAR), 1.0, damping);
        for (int i = 0; i < s->count; ++i)
            for (int axis = 0; axis < 6; ++axis) {
                double by = 1e-5, g = s->vector[s->graph->plan.place[i]].x[axis];
                g *= axis < 3 ? 1.0 : s->size;
                move(s, i, axis, by);
                double up = sn__solid_potential(s, damping);
                move(s, i, axis, -2.0 * by);
                double down = sn__solid_potential(s, damping);
                move(s, i, axis, by);
                assert_near(g, (up - down) / (2.0 * by), 1e-4 + 1e-5 * fabs(g));
            }
        sn__solid_destroy(s);
    }
}

// In any unstrained state, Gauss and Newton's stiffness is all there is.
static void test_stiffness_is_the_slope_of_forces_at_rest(void **state) {
    (void)state;
    Rng rng = {6};
    Solid *s = shaken(&rng, 0.0);
    const int *place = s->graph->plan.place;
    Quatd turn = turn_by((Vec3d){0.3, -0.9, 0.5});
    for (int i = 0; i < s->count; ++i) {
        s->q[i] = turn;
        s->work[i].x_start = rotated(turn, s->particles[i].rest);
    }
    const SolidFactors *f = &s->own;
    memset(f->diagonal, 0, (size_t)s->count * sizeof *f->diagonal);
    memset(f->below, 0, (size_t)s->graph->plan.blocks * sizeof *f->below);
    sn__solid_add_hessian(s, f, 1.0, 0.0);
    for (int i = 0; i < s->count; ++i)
        for (int axis = 0; axis < 6; ++axis) {
            double by = 1e-5, scale = axis < 3 ? 1.0 : 1.0 / s->size;
            SparseVector up[12], down[12];
            for (int way = 0; way < 2; ++way) {
                move(s, i, axis, way == 0 ? by : -2.0 * by);
                clear(s);
                sn__solid_add_gradient(s, sn__solid_kernels(SN_ISA_SCALAR), 1.0, 0.0);
                memcpy(way == 0 ? up : down, s->vector, sizeof up);
            }
            move(s, i, axis, by);
            for (int k = 0; k < s->edge_count; ++k) {
                const SolidEdge *e = &s->edges[k];
                if (e->i != i && e->j != i)
                    continue;
                int a = place[i], b = place[e->i == i ? e->j : e->i];
                for (int r = 0; r < 6; ++r) {
                    double slope = scale * (up[b].x[r] - down[b].x[r]) / (2.0 * by);
                    double found = a < b ? f->below[e->block].column[axis][r]
                                         : f->below[e->block].column[r][axis];
                    assert_near(found, slope, 1e-4 * e->stretch);
                }
            }
            for (int r = axis; r < 6; ++r) {
                int a = place[i];
                double slope = scale * (up[a].x[r] - down[a].x[r]) / (2.0 * by);
                assert_near(f->diagonal[a].column[axis][r], slope, 1e-4 * s->edges[0].stretch);
            }
        }
    sn__solid_destroy(s);
}

static void test_rigid_motion_has_no_energy(void **state) {
    (void)state;
    Rng rng = {8};
    Solid *s = shaken(&rng, 0.0);
    Quatd turn = turn_by((Vec3d){1.0, 2.0, -0.7});
    for (int i = 0; i < s->count; ++i) {
        s->q[i] = turn;
        s->x[i] = addd(rotated(turn, s->particles[i].rest), (Vec3d){3.0, -2.0, 1.0});
    }
    // What is left is the square of rounding, not rounding.
    double energy = sn__solid_energy_now(s);
    assert_below(fabs(energy), 1e-20);
    assert_true(energy >= 0.0);
    sn__solid_destroy(s);
}

static double fit(const Mat3 *A, Quatd q) {
    Mat3 R = mat_of(q), B = mat_mul_transposed(A, &R);
    return B.m[0][0] + B.m[1][1] + B.m[2][2];
}

// Of rank 3, 2, 1 and 0, and reflections.
static Mat3 any_matrix(Rng *rng, int kind) {
    Mat3 A = {0};
    for (int k = 0; k < 3 - kind % 4; ++k) {
        Vec3d a = any3(rng, 1.0), b = any3(rng, 1.0);
        const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                A.m[i][j] += x[i] * y[j];
    }
    return A;
}

static void test_rotations_fit_better_than_any_other(void **state) {
    (void)state;
    Rng rng = {9};
    for (int kind = 0; kind < 200; ++kind) {
        Mat3 A = any_matrix(&rng, kind);
        Quatd guess = normalisedq((Quatd){any(&rng, 1.0), any(&rng, 1.0), any(&rng, 1.0), 0.3});
        Quatd q = sn__match_rotation(&A, guess);
        double best = fit(&A, q), norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        assert_near(norm, 1.0, 1e-9);
        for (int k = 0; k < 500; ++k) {
            Quatd other = normalisedq(
                (Quatd){any(&rng, 1.0), any(&rng, 1.0), any(&rng, 1.0), any(&rng, 1.0) + 1e-9});
            assert_below(fit(&A, other), best + 1e-6);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_are_slopes_of_the_energy),
        cmocka_unit_test(test_stiffness_is_the_slope_of_forces_at_rest),
        cmocka_unit_test(test_rigid_motion_has_no_energy),
        cmocka_unit_test(test_rotations_fit_better_than_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
