// One sub-step of a random rod, beside the objective that it should minimise (reference.h).
#pragma once

#include "reference.h"

#include <stdlib.h>

// A curved, twisted, tapered rest shape with its definition.
typedef struct Shape {
    SnVec3 x[REF_MAX];
    SnQuat q[REF_MAX];
    float radii[REF_MAX];
    SnRodDef def;
} Shape;

static inline SnRodMaterial no_stiffness(void) {
    SnRodMaterial m = sn_default_rod_material();
    m.young = m.shear = m.volume = 0.0f;
    m.stretch = m.transverse = m.cross_section = m.scale_gradient = m.bend = m.twist = 0.0f;
    m.scale_bend = m.volume_bend = 0.0f;
    return m;
}

// Frames from the smallest turn of z onto the segment, and a random roll about it.
static inline void random_frames(Shape *shape, Rng *rng, int segments, int vertices) {
    for (int j = 0; j < segments; ++j) {
        Vec3d d = subd(vec3d(shape->x[(j + 1) % vertices]), vec3d(shape->x[j]));
        Quatd q = rotation_between((Vec3d){0.0, 0.0, 1.0}, scaled(d, 1.0 / lengthd(d)));
        Quatd roll = quatd(turn_about(0.0, 0.0, 1.0, rng_real(rng, -0.5, 0.5)));
        shape->q[j] = quatf(mulqd(q, roll));
    }
}

// A wavy line or ring; longer ones wind about the z axis, so that all of them stay where float is
// fine. No tangent comes near −z, where the frames would jump.
static inline void random_shape(Shape *shape, Rng *rng, int vertices, bool closed) {
    double winding = closed ? 2.0 * SUPPORT_PI / vertices : 1.0 / 3.0;
    double size = 0.1 / winding;
    for (int i = 0; i < vertices; ++i) {
        Vec3d at = {size * cos(winding * i), size * sin(winding * i), closed ? 0.0 : 0.02 * i};
        shape->x[i] = sn_vec3((float)(at.x + rng_real(rng, -0.02, 0.02)),
                              (float)(at.y + rng_real(rng, -0.02, 0.02)),
                              (float)(at.z + rng_real(rng, -0.02, 0.02)));
        shape->radii[i] = rng_float(rng, 0.01, 0.03);
    }
    random_frames(shape, rng, closed ? vertices : vertices - 1, vertices);
    shape->def = sn_default_rod_def();
    shape->def.solver = SN_SOLVER_SWEEP;
    shape->def.vertex_count = vertices;
    shape->def.closed = closed;
    shape->def.positions = shape->x;
    shape->def.frames = shape->q;
    shape->def.radii = shape->radii;
}

// A random pose around rest: `size` times 5 cm, 1.2 rad and 0.3 of the scale; without shear if the
// frames are turned back onto the segments.
typedef struct Pose {
    double size;
    bool aligned;
} Pose;

static inline void random_pose(RodCopy *copy, Rng *rng, Pose pose, bool classic) {
    for (int i = 0; i < copy->vertices; ++i) {
        SnVec3 by = rng_vec3(rng, 0.05 * pose.size);
        copy->x[i] = sn_vec3(copy->x[i].x + by.x, copy->x[i].y + by.y, copy->x[i].z + by.z);
        float swell = rng_float(rng, -0.3 * pose.size, 0.3 * pose.size);
        copy->s[i] = classic ? 1.0f : 1.0f + swell;
    }
    for (int j = 0; j < copy->segments; ++j) {
        SnVec3 t = rng_vec3(rng, 0.6 * pose.size);
        Quatd q = mulqd((Quatd){(double)t.x, (double)t.y, (double)t.z, 1.0}, quatd(copy->q[j]));
        q = normalisedq(q);
        if (pose.aligned) {
            Vec3d d = subd(vec3d(copy->x[(j + 1) % copy->vertices]), vec3d(copy->x[j]));
            q = mulqd(rotation_between(axis_z(q), scaled(d, 1.0 / lengthd(d))), q);
        }
        copy->q[j] = quatf(q);
    }
}

// Makes the rod, puts it into a random pose at rest and advances one sub-step.
typedef struct OneStep {
    RefRod ref;
    RefState after;
} OneStep;

// Of the two ways of making a sub-step, the one whose objective it is nearer to the minimum of.
static inline double made_with(const OneStep *run, double h) {
    static double g[REF_DOF];
    static RefRod ref;
    double left[2], of[2] = {h, ref_second_order(h)};
    for (int k = 0; k < 2; ++k) {
        ref = run->ref;
        ref.h = of[k];
        ref_gradient(&ref, &run->after, g);
        RefNorms norms = ref_norms(&ref, g);
        left[k] = norms.x + norms.s + norms.turn;
    }
    return left[0] < left[1] ? of[0] : of[1];
}

static inline void run_one_step(OneStep *run, const Shape *shape, Rng *rng, Pose pose, double h,
                                int iterations) {
    SnWorld *world = weightless_world();
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &shape->def, &rod));
    RodCopy copy;
    copy_rod(world, rod, &copy);
    ref_create(&run->ref, &shape->def, &copy, h);
    random_pose(&copy, rng, pose, shape->def.classic);
    SnBodyState state = copy_arrays(&copy);
    assert_ok(sn_body_write(world, rod, &state));
    copy_rod(world, rod, &copy);
    run->ref.predicted = ref_state(&copy);
    assert_int_equal(step_world(world, (float)h, 1, iterations), SN_STEP_OK);
    copy_rod(world, rod, &copy);
    run->after = ref_state(&copy);
    run->ref.h = made_with(run, h);
    sn_world_destroy(world);
}

// How much of the gradient is left, for each kind of unknown: 1 if nothing was done. Where there is
// no force in the beginning it is 0, and the state must not move.
static inline RefNorms left_of_gradient(const OneStep *run) {
    static double g[REF_DOF];
    ref_gradient(&run->ref, &run->ref.predicted, g);
    RefNorms before = ref_norms(&run->ref, g);
    ref_gradient(&run->ref, &run->after, g);
    RefNorms after = ref_norms(&run->ref, g);
    double none = 1e-4 * (before.x + before.s + before.turn);
    for (int i = 0; i < run->ref.vertices; ++i) {
        if (before.x < none)
            assert_below(lengthd(subd(run->after.x[i], run->ref.predicted.x[i])), 1e-6);
        if (before.s < none)
            assert_near(run->after.s[i], run->ref.predicted.s[i], 1e-6);
        if (before.turn < none && i < run->ref.segments)
            assert_below(lengthd(ref_darboux(run->after.q[i], run->ref.predicted.q[i], 1.0)), 1e-3);
    }
    return (RefNorms){before.x < none ? 0.0 : after.x / before.x,
                      before.s < none ? 0.0 : after.s / before.s,
                      before.turn < none ? 0.0 : after.turn / before.turn};
}

static inline RefNorms minimise_once(const Shape *shape, uint64_t seed, Pose pose, double h,
                                     int iterations) {
    static OneStep run;
    Rng rng = {seed};
    run_one_step(&run, shape, &rng, pose, h, iterations);
    return left_of_gradient(&run);
}

static inline void assert_little_left(const char *name, RefNorms left, double tolerance) {
    if (!(left.x < tolerance && left.s < tolerance && left.turn < tolerance))
        fail_msg("%s: gradient left: positions %.4f, scales %.4f, turns %.4f, not below %g", name,
                 left.x, left.s, left.turn, tolerance);
}

static inline SnRodMaterial all_potentials(void) {
    SnRodMaterial m = sn_default_rod_material();
    m.young = 2e5f;
    m.shear = 7e4f;
    m.volume = 4e5f;
    m.volume_bend = 1e4f;
    return m;
}

// A x = b by elimination with pivots; A and b are overwritten, x ends in b.
static inline void solve_dense(double *A, double *b, int n) {
    for (int c = 0; c < n; ++c) {
        int best = c;
        for (int r = c + 1; r < n; ++r)
            if (fabs(A[r * n + c]) > fabs(A[best * n + c]))
                best = r;
        for (int k = 0; k < n; ++k) {
            double t = A[c * n + k];
            A[c * n + k] = A[best * n + k];
            A[best * n + k] = t;
        }
        double t = b[c];
        b[c] = b[best];
        b[best] = t;
        for (int r = 0; r < n; ++r) {
            double f = r == c ? 0.0 : A[r * n + c] / A[c * n + c];
            for (int k = c; k < n && f != 0.0; ++k)
                A[r * n + k] -= f * A[c * n + k];
            b[r] -= f * b[c];
        }
    }
    for (int c = 0; c < n; ++c)
        b[c] /= A[c * n + c];
}

static inline double gradient_size(const RefRod *r, const RefState *s) {
    static double g[REF_DOF];
    ref_gradient(r, s, g);
    RefNorms norms = ref_norms(r, g);
    return norms.x + norms.s + norms.turn;
}

// Newton's method with halved steps where they would lead farther away.
static inline void minimise(const RefRod *r, RefState *s) {
    enum { MOST = 7 * 8 };
    static double H[MOST * MOST], g[REF_DOF], plus[REF_DOF], minus[REF_DOF];
    int n = ref_unknowns(r);
    assert_true(n <= MOST);
    for (int round = 0; round < 8; ++round) {
        ref_gradient(r, s, g);
        for (int k = 0; k < n; ++k) {
            RefState moved = *s;
            ref_move(r, &moved, k, 1e-5);
            ref_gradient(r, &moved, plus);
            moved = *s;
            ref_move(r, &moved, k, -1e-5);
            ref_gradient(r, &moved, minus);
            for (int i = 0; i < n; ++i)
                H[i * n + k] = (plus[i] - minus[i]) / 2e-5;
            if (r->classic && ref_is_scale(r, k))
                H[k * n + k] = 1.0;
        }
        solve_dense(H, g, n);
        double start = gradient_size(r, s);
        for (double step = 1.0; step > 1e-3; step *= 0.5) {
            RefState tried = *s;
            for (int k = 0; k < n; ++k)
                ref_move(r, &tried, k, -step * g[k]);
            if (gradient_size(r, &tried) <= start) {
                *s = tried;
                break;
            }
        }
    }
}
