#include "bench/chain_methods.h"

#include <assert.h>

#include "solid/match.h"

#define KEPT 0.9   // of the velocity from step to step, so that it comes to rest
#define STILL 1e-6 // m in a step
#define MOST_STEPS 3000
#define HEAVY 1e6 // times its mass, of the particle that is held

typedef struct Chain {
    ChainDef def;
    double volume, mass, moment; // m³, kg, and m⁵: ∫ x² dV along any axis
    Vec3d rest[CHAIN_MOST], x[CHAIN_MOST], before[CHAIN_MOST];
    Mat3 R[CHAIN_MOST], R_before[CHAIN_MOST];
    Quatd q[CHAIN_MOST];
    Vec3d aim[CHAIN_MOST];  // where it would go by itself
    Mat3 aim_R[CHAIN_MOST]; // and turn
} Chain;

static void start(Chain *c, const ChainDef *def) {
    double radius = 0.5 * def->cell;
    *c = (Chain){.def = *def, .volume = def->cell * def->cell * def->cell};
    c->mass = def->density * c->volume;
    c->moment = c->volume * radius * radius / 5.0;
    for (int i = 0; i < def->particles; ++i) {
        c->rest[i] = c->x[i] = c->before[i] = (Vec3d){i * def->cell, 0.0, 0.0};
        c->q[i] = (Quatd){0.0, 0.0, 0.0, 1.0};
        c->R[i] = c->R_before[i] = mat_of(c->q[i]);
    }
}

static void add_scaled(Mat3 *to, const Mat3 *A, double by) {
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            to->m[r][k] += by * A->m[r][k];
}

static void add_outer(Mat3 *to, Vec3d a, Vec3d b, double by) {
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            to->m[r][k] += by * x[r] * y[k];
}

static void predict(Chain *c) {
    double h = c->def.h;
    for (int i = 1; i < c->def.particles; ++i) {
        Vec3d way = scaled(subd(c->x[i], c->before[i]), KEPT);
        c->aim[i] = addd(addd(c->x[i], way), (Vec3d){0.0, -c->def.gravity * h * h, 0.0});
        c->aim_R[i] = c->R[i];
        add_scaled(&c->aim_R[i], &c->R[i], KEPT);
        add_scaled(&c->aim_R[i], &c->R_before[i], -KEPT);
        c->before[i] = c->x[i];
        c->R_before[i] = c->R[i];
        c->x[i] = c->aim[i];
    }
}

static void turn(Chain *c, int i, const Mat3 *A) {
    c->q[i] = sn__match_rotation(A, c->q[i]);
    c->R[i] = mat_of(c->q[i]);
}

// (5) and (11), with the density that (11) lacks.
static void local(Chain *c) {
    int n = c->def.particles;
    for (int i = 1; i < n; ++i) {
        Mat3 A = {0};
        add_scaled(&A, &c->aim_R[i], c->def.density * c->moment / (c->def.h * c->def.h));
        for (int j = i - 1; j <= i + 1; j += 2) {
            if (j >= n)
                continue;
            add_scaled(&A, &c->R[j], 2.0 * c->def.k * c->moment);
            add_outer(&A, subd(c->x[j], c->x[i]), subd(c->rest[j], c->rest[i]),
                      c->def.k * c->volume);
        }
        turn(c, i, &A);
    }
}

// (7) and (12): a row for each particle but the first, which stays, with its neighbours beside the diagonal.
static void global(Chain *c) {
    int n = c->def.particles;
    double inertia = c->mass / (c->def.h * c->def.h), s = 2.0 * c->def.k * c->volume;
    double diagonal[CHAIN_MOST];
    Vec3d right[CHAIN_MOST];
    for (int i = 1; i < n; ++i) {
        diagonal[i] = inertia;
        right[i] = scaled(c->aim[i], inertia);
        for (int j = i - 1; j <= i + 1; j += 2) {
            if (j >= n)
                continue;
            Vec3d off = subd(c->rest[i], c->rest[j]);
            Vec3d both = addd(mat_times(&c->R[i], off), mat_times(&c->R[j], off));
            diagonal[i] += s;
            right[i] = addd(right[i], scaled(both, 0.5 * s));
        }
    }
    right[1] = addd(right[1], scaled(c->x[0], s));
    for (int i = 2; i < n; ++i) {
        double part = s / diagonal[i - 1];
        diagonal[i] -= part * s;
        right[i] = addd(right[i], scaled(right[i - 1], part));
    }
    c->x[n - 1] = scaled(right[n - 1], 1.0 / diagonal[n - 1]);
    for (int i = n - 2; i > 0; --i)
        c->x[i] = scaled(addd(right[i], scaled(c->x[i + 1], s)), 1.0 / diagonal[i]);
}

// A particle and those beside it go to where their shape at rest fits best.
static void match(Chain *c, int middle) {
    int n = c->def.particles, first = middle > 0 ? middle - 1 : 0;
    int last = middle + 1 < n ? middle + 1 : n - 1;
    double sum = 0.0;
    Vec3d now = {0}, rest = {0};
    Mat3 A = {0};
    for (int j = first; j <= last; ++j) {
        double mass = j == 0 ? HEAVY : 1.0;
        sum += mass;
        now = addd(now, scaled(c->x[j], mass));
        rest = addd(rest, scaled(c->rest[j], mass));
    }
    now = scaled(now, 1.0 / sum);
    rest = scaled(rest, 1.0 / sum);
    for (int j = first; j <= last; ++j) {
        double mass = j == 0 ? HEAVY : 1.0;
        add_scaled(&A, &c->R[j], mass * c->moment / c->volume);
        add_outer(&A, subd(c->x[j], now), subd(c->rest[j], rest), mass);
    }
    Quatd q = sn__match_rotation(&A, c->q[middle]);
    Mat3 R = mat_of(q);
    for (int j = first > 1 ? first : 1; j <= last; ++j)
        c->x[j] = addd(now, mat_times(&R, subd(c->rest[j], rest)));
    if (middle > 0) {
        c->q[middle] = q;
        c->R[middle] = R;
    }
}

double chain_sag(const ChainDef *def, ChainMethod method, int iterations) {
    static Chain chain;
    Chain *c = &chain;
    int last = def->particles - 1, still = 0;
    assert(def->particles > 1 && def->particles <= CHAIN_MOST);
    start(c, def);
    for (int step = 0; step < MOST_STEPS && still < 5; ++step) {
        predict(c);
        for (int k = 0; k < iterations; ++k) {
            if (method == CHAIN_SHAPE_MATCHING) {
                for (int i = 0; i <= last; ++i)
                    match(c, i);
                continue;
            }
            local(c);
            global(c);
        }
        still = lengthd(subd(c->x[last], c->before[last])) < STILL ? still + 1 : 0;
    }
    return -c->x[last].y;
}
