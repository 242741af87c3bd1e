// One rod in double precision, written from the paper and apart from the engine: the objective of
// variational implicit Euler (eq. 77) with all potentials of section 5, differentiated by finite
// differences and minimised by Newton's method.
#pragma once

#include "support.h"

#include "math/vec.h"

#define REF_MAX 208           // vertices
#define REF_DOF (7 * REF_MAX) // x, s per vertex; turn per segment

typedef struct RefState {
    Vec3d x[REF_MAX];
    double s[REF_MAX];
    Quatd q[REF_MAX];
} RefState;

typedef struct RefRod {
    int vertices, segments;
    bool closed, classic;
    bool swept;             // which shears as it stretches and as its volume does
    double length[REF_MAX]; // rest, per segment
    double active[REF_MAX]; // with activation
    double radius[REF_MAX]; // per vertex
    double mass[REF_MAX];   // per vertex
    double scale_inertia[REF_MAX];
    double across[REF_MAX], about[REF_MAX]; // inertia of frames
    Quatd half[REF_MAX];                    // of the rest rotation, per joint (= vertex)
    SnRodMaterial material;
    double h;
    RefState rest, predicted;
    bool walled;   // the frames of both end segments are held through half a joint each,
    Quatd wall[2]; // at these
} RefRod;

static inline double ref_or(float value, float otherwise) {
    return value >= 0.0f ? (double)value : (double)otherwise;
}

static inline int ref_next(const RefRod *r, int j) { return j + 1 == r->vertices ? 0 : j + 1; }
static inline int ref_before(const RefRod *r, int j) { return j > 0 ? j - 1 : r->segments - 1; }
static inline bool ref_has_joint(const RefRod *r, int i) {
    return r->closed || (i > 0 && i < r->segments);
}

// 2/L Im(p̄ q), on the nearer side.
static inline Vec3d ref_darboux(Quatd p, Quatd q, double L) {
    double w = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
    double f = (w < 0.0 ? -2.0 : 2.0) / L;
    return (Vec3d){f * (p.w * q.x - p.x * q.w - p.y * q.z + p.z * q.y),
                   f * (p.w * q.y - p.y * q.w - p.z * q.x + p.x * q.z),
                   f * (p.w * q.z - p.z * q.w - p.x * q.y + p.y * q.x)};
}

// Half of a rotation that is less than half a turn: from 1 to it, to the middle of the chord.
static inline Quatd ref_half(Quatd r) {
    double sign = r.w < 0.0 ? -1.0 : 1.0;
    return normalisedq((Quatd){sign * r.x, sign * r.y, sign * r.z, 1.0 + sign * r.w});
}

static inline RefState ref_state(const RodCopy *copy) {
    RefState s = {0};
    for (int i = 0; i < copy->vertices; ++i) {
        s.x[i] = vec3d(copy->x[i]);
        s.s[i] = (double)copy->s[i];
    }
    for (int j = 0; j < copy->segments; ++j)
        s.q[j] = normalisedq(quatd(copy->q[j]));
    return s;
}

// Elements by the midpoint rule; a vertex has half of the elements beside it.
static inline void ref_elements(RefRod *r) {
    double rho = (double)r->material.density;
    for (int j = 0; j < r->segments; ++j) {
        int a = j, b = ref_next(r, j);
        double radius = 0.5 * (r->radius[a] + r->radius[b]);
        double l = r->length[j], mass = rho * SUPPORT_PI * radius * radius * l;
        r->mass[a] += 0.5 * mass;
        r->mass[b] += 0.5 * mass;
        r->scale_inertia[a] += 0.25 * mass * radius * radius;
        r->scale_inertia[b] += 0.25 * mass * radius * radius;
        r->across[j] = 0.25 * mass * (radius * radius + (r->swept ? l * l : 0.0));
        r->about[j] = 0.5 * mass * radius * radius;
    }
}

// A sub-step of h of a rod at rest minimises its objective with h, if it is made with implicit Euler, or
// with this, if it is second order in time (rod/scheme.h).
static inline double ref_second_order(double h) { return h / sqrt(3.0); }

// From the rod as it was made, at rest.
static inline void ref_create(RefRod *r, const SnRodDef *def, const RodCopy *rest, double h) {
    memset(r, 0, sizeof *r);
    assert_true(rest->vertices <= REF_MAX);
    r->vertices = rest->vertices;
    r->segments = rest->segments;
    r->closed = def->closed;
    r->classic = def->classic;
    r->swept = def->solver == SN_SOLVER_SWEEP;
    r->material = sn_rod_material_derived(def->material);
    r->h = h;
    r->rest = ref_state(rest);
    for (int i = 0; i < r->vertices; ++i)
        r->radius[i] = def->radii ? (double)def->radii[i] : (double)def->radius;
    for (int j = 0; j < r->segments; ++j)
        r->length[j] = r->active[j] =
            lengthd(subd(vec3d(def->positions[ref_next(r, j)]), vec3d(def->positions[j])));
    ref_elements(r);
    for (int i = 0; i < r->vertices; ++i) {
        if (!ref_has_joint(r, i))
            continue;
        int p = ref_before(r, i);
        r->half[i] = ref_half(mulqd(conjugated(r->rest.q[p]), r->rest.q[i]));
    }
}

static inline double ref_square(double a) { return a * a; }

// Of vertices.
static inline double ref_inertia(const RefRod *r, const RefState *s) {
    double sum = 0.0;
    for (int i = 0; i < r->vertices; ++i) {
        Vec3d d = subd(s->x[i], r->predicted.x[i]);
        sum += r->mass[i] * dotd(d, d);
        sum += r->scale_inertia[i] * ref_square(s->s[i] - r->predicted.s[i]);
    }
    return 0.5 * sum / (r->h * r->h);
}

// Of frames: the torque along unknown k that turns it as far as it has, counted as twice the tangent of
// half the angle in the axes it had before. There is no energy of which it would be the gradient.
static inline double ref_torque(const RefRod *r, const RefState *s, int k) {
    int j = (k - 4 * r->vertices) / 3, axis = (k - 4 * r->vertices) % 3;
    Quatd t = mulqd(s->q[j], conjugated(r->predicted.q[j]));
    Vec3d turn = rotated(conjugated(r->predicted.q[j]), scaled((Vec3d){t.x, t.y, t.z}, 2.0 / t.w));
    double along = axis == 0 ? turn.x : axis == 1 ? turn.y : turn.z;
    return (axis < 2 ? r->across[j] : r->about[j]) * along / (r->h * r->h);
}

static inline double ref_transverse(const RefRod *r, double s, int j) {
    const SnRodMaterial *m = &r->material;
    if (!r->swept)
        return ref_or(m->transverse, 0.9f * m->shear);
    double volume = r->classic ? 0.0 : (double)m->volume * s * s * r->active[j] / r->length[j];
    return ref_or(m->stretch, m->young) + volume;
}

// Eqs 11, with shear apart (docs/physics.md), 12, 13 and 18 along the rod.
static inline double ref_segment_energy(const RefRod *r, const RefState *state, int j) {
    const SnRodMaterial *m = &r->material;
    int b = ref_next(r, j);
    double radius = 0.5 * (r->radius[j] + r->radius[b]), l = r->length[j];
    double area = SUPPORT_PI * radius * radius, r2 = radius * radius;
    double s = 0.5 * (state->s[j] + state->s[b]), ds = (state->s[b] - state->s[j]) / l;
    Vec3d d = subd(state->x[b], state->x[j]), w = axis_z(state->q[j]);
    double along = lengthd(d), strain = along / r->active[j] - 1.0;
    double sum = ref_or(m->stretch, m->young) * strain * strain;
    sum += 2.0 * ref_transverse(r, s, j) * (along - dotd(w, d)) / r->active[j];
    if (!r->classic) {
        sum += (double)m->volume * ref_square(s * s * along / l - 1.0);
        sum += 2.0 * ref_or(m->cross_section, m->shear) *
               (ref_square(s - 1.0) + ref_square(l * ds) / 12.0);
        sum += 0.5 * r2 * ref_or(m->scale_gradient, m->shear) * ds * ds;
    }
    return 0.5 * area * l * sum;
}

// Eqs 14 (with H of eq. 55), 15, 19 and 20 (with ¼).
static inline double ref_joint_energy(const RefRod *r, const RefState *state, int i) {
    const SnRodMaterial *m = &r->material;
    int p = ref_before(r, i), next = ref_next(r, i);
    double la = r->length[p], lb = r->length[i], L = 0.5 * (la + lb);
    double radius = r->radius[i], second = 0.25 * SUPPORT_PI * pow(radius, 4.0), s = state->s[i];
    Vec3d o =
        ref_darboux(mulqd(state->q[p], r->half[i]), mulqd(state->q[i], conjugated(r->half[i])), L);
    double sum = ref_or(m->bend, m->young) * (ref_square(s * o.x) + ref_square(s * o.y));
    sum += 2.0 * ref_or(m->twist, m->shear) * ref_square(s * o.z);
    if (!r->classic) {
        double s3 = s * s * s;
        double lap = ((state->s[next] - s) / lb - (s - state->s[p]) / la) / L;
        double surface = m->scale_bend >= 0.0f ? (double)m->scale_bend
                                               : (double)m->shear * radius * radius / 16.0;
        sum += ref_or(m->volume_bend, 0.0f) * (ref_square(s3 * o.x) + ref_square(s3 * o.y));
        sum += 2.0 * surface * lap * lap;
    }
    return 0.5 * second * L * sum;
}

// Half a joint, at the first vertex or the last one.
static inline double ref_wall_energy(const RefRod *r, const RefState *state, int end) {
    const SnRodMaterial *m = &r->material;
    int j = end == 0 ? 0 : r->segments - 1, i = end == 0 ? 0 : r->vertices - 1;
    double L = 0.5 * r->length[j], s = state->s[i], s3 = s * s * s;
    double second = 0.25 * SUPPORT_PI * pow(r->radius[i], 4.0);
    Vec3d o = ref_darboux(r->wall[end], state->q[j], L);
    double bent = o.x * o.x + o.y * o.y;
    double sum = ref_or(m->bend, m->young) * s * s * bent;
    sum += 2.0 * ref_or(m->twist, m->shear) * s * s * o.z * o.z;
    if (!r->classic)
        sum += ref_or(m->volume_bend, 0.0f) * s3 * s3 * bent;
    return 0.5 * second * L * sum;
}

// But for the inertia of frames.
static inline double ref_objective(const RefRod *r, const RefState *s) {
    double sum = ref_inertia(r, s);
    for (int j = 0; j < r->segments; ++j)
        sum += ref_segment_energy(r, s, j);
    for (int i = 0; i < r->vertices; ++i)
        if (ref_has_joint(r, i))
            sum += ref_joint_energy(r, s, i);
    for (int end = 0; r->walled && end < 2; ++end)
        sum += ref_wall_energy(r, s, end);
    return sum;
}

// Unknown k: x, y, z, s of every vertex, then three turns in its own axes of every segment.
static inline int ref_unknowns(const RefRod *r) { return 4 * r->vertices + 3 * r->segments; }

static inline bool ref_is_scale(const RefRod *r, int k) {
    return k < 4 * r->vertices && k % 4 == 3;
}

static inline bool ref_is_turn(const RefRod *r, int k) { return k >= 4 * r->vertices; }

static inline void ref_move(const RefRod *r, RefState *s, int k, double by) {
    if (k < 4 * r->vertices) {
        double *value[] = {&s->x[k / 4].x, &s->x[k / 4].y, &s->x[k / 4].z, &s->s[k / 4]};
        *value[k % 4] += by;
        return;
    }
    int j = (k - 4 * r->vertices) / 3, axis = (k - 4 * r->vertices) % 3;
    Quatd turn = {axis == 0 ? 0.5 * by : 0.0, axis == 1 ? 0.5 * by : 0.0,
                  axis == 2 ? 0.5 * by : 0.0, 1.0};
    s->q[j] = normalisedq(mulqd(s->q[j], turn));
}

static inline void ref_gradient(const RefRod *r, const RefState *s, double *out) {
    const double step = 1e-6;
    RefState moved = *s;
    for (int k = 0; k < ref_unknowns(r); ++k) {
        int i = k < 4 * r->vertices ? k / 4 : (k - 4 * r->vertices) / 3;
        out[k] = 0.0;
        if (r->classic && ref_is_scale(r, k))
            continue;
        for (int side = -1; side <= 1; side += 2) {
            ref_move(r, &moved, k, side * step);
            out[k] += side * ref_objective(r, &moved) / (2.0 * step);
            moved.x[i] = s->x[i];
            moved.s[i] = s->s[i];
            moved.q[i] = s->q[i];
        }
        if (ref_is_turn(r, k))
            out[k] += ref_torque(r, s, k);
    }
}

// Norms of the parts of a gradient, for positions, scales and turns.
typedef struct RefNorms {
    double x, s, turn;
} RefNorms;

static inline RefNorms ref_norms(const RefRod *r, const double *g) {
    RefNorms n = {0.0, 0.0, 0.0};
    for (int k = 0; k < ref_unknowns(r); ++k) {
        double *to = ref_is_turn(r, k) ? &n.turn : (ref_is_scale(r, k) ? &n.s : &n.x);
        *to += g[k] * g[k];
    }
    return (RefNorms){sqrt(n.x), sqrt(n.s), sqrt(n.turn)};
}
