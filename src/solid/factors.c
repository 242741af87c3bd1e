// The factors of a solid's matrix: which ones serve, and how they are turned.
//
// Factors serve as long as the body has only moved and turned as a whole since they were made: they are
// those of a body that lies as it did, so right sides are turned back and steps are turned on. Those of the
// body at rest serve for ever, and for all bodies that are alike (SolidRest): a crowd has one set for each of
// its shapes, which stays in the cache.
//
// What particles have turned beside the whole, by δ at most, makes factors wrong. With A the map from motions
// to the strains of edges, the stiffness is Aᵀ s A, and A is off by δ: so the iteration still gets nearer by a
// factor of about δ √(h² s/m) each time, m being the mass of a particle, as long as that is well below 1. What
// lies within `rough` is used as it is, and the iteration goes on for longer. Where it does not get nearer, the
// matrix is made anew where the body is, and dropped when the next step begins, so that a step depends on the
// state alone.
#include <string.h>

#include "solid/marks.h"
#include "solid/volume.h"

#define HELD 1e30
#define ROUGH 1.0 // of δ² h² s/m: factors that the iteration gets nearer with
// And those that are as good as exact: besides, an edge that is off by δ holds the body against turning with
// s δ² l², against an inertia of m L².
#define DEFORMED 0.02 // rad
#define WRONG 0.02    // of (L/l)²

static void add_inertia(Solid *s, const SolidFactors *f, bool rest) {
    const SparsePlan *plan = &s->graph->plan;
    double by = 1.0 / (s->size * s->size);
    for (int i = 0; i < s->count; ++i) {
        const SolidWork *w = &s->work[i];
        SparseBlock *block = &f->diagonal[plan->place[i]];
        Sym3 own = rest ? s->particles[i].inertia : w->inertia;
        Mat3 inertia = mat_of_sym(&own);
        *block = (SparseBlock){{{0}}};
        for (int c = 0; c < 3; ++c) {
            block->column[c][c] = s->particles[i].mass;
            for (int r = 0; r < 3; ++r)
                block->column[3 + c][3 + r] = by * inertia.m[r][c];
        }
    }
}

static void hold(Solid *s, const SolidFactors *f) {
    for (int i = 0; i < s->count; ++i) {
        const SolidWork *w = &s->work[i];
        SparseBlock *block = &f->diagonal[s->graph->plan.place[i]];
        for (int c = 0; c < 3; ++c) {
            block->column[c][c] += w->held_x ? HELD : 0.0;
            block->column[3 + c][3 + c] += w->held_q ? HELD : 0.0;
        }
    }
}

static void clear(Solid *s, const SolidFactors *f) {
    for (int b = 0; b < s->graph->plan.blocks; ++b)
        f->below[b] = (SparseBlock){{{0}}};
}

static void factor(Solid *s, const SolidStep *step, double damping, bool rest) {
    SolidFactors *f = &s->own;
    clear(s, f);
    add_inertia(s, f, rest);
    if (rest)
        sn__solid_add_rest_hessian(s, f, step->h2, damping);
    else
        sn__solid_add_hessian(s, f, step->h2, damping);
    sn__solid_marks_add_hessian(s, f, step->h2, rest);
    hold(s, f);
    for (int k = 0; k < s->edge_count; ++k)
        s->edges[k].strain_factor = rest ? (Vec3d){0} : sn__solid_strain_start(s, k, 0);
    for (int i = 0; i < s->count; ++i)
        s->factor_q[i] = rest ? (Quatd){0.0, 0.0, 0.0, 1.0} : s->q[i];
    f->h2 = step->kernels->factor(&s->graph->plan, f->diagonal, f->below) ? step->h2 : 0.0;
    f->damping = damping;
    s->own_rest = rest;
}

void sn__solid_factor_rest(Solid *s, const SolidStep *step) {
    SolidFactors *f = &s->rest->factors[step->euler ? 0 : 1];
    double damping = (double)s->material.damping / step->h;
    clear(s, f);
    add_inertia(s, f, true);
    sn__solid_add_rest_hessian(s, f, step->h2, damping);
    f->h2 = step->kernels->factor(&s->graph->plan, f->diagonal, f->below) ? step->h2 : 0.0;
    f->damping = damping;
}

static const Quatd no_turn = {0.0, 0.0, 0.0, 1.0};

// How the body has turned as a whole since its own factors were made, or since rest: the mean of what
// particles have.
static Quatd turn_since(const Solid *s, bool rest) {
    Quatd sum = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < s->count; ++i) {
        Quatd d = rest ? s->q[i] : mulqd(s->q[i], conjugated(s->factor_q[i]));
        double dot = sum.x * d.x + sum.y * d.y + sum.z * d.z + sum.w * d.w;
        double w = dot < 0.0 ? -s->particles[i].volume : s->particles[i].volume;
        sum = (Quatd){sum.x + w * d.x, sum.y + w * d.y, sum.z + w * d.z, sum.w + w * d.w};
    }
    return normalisedq(sum);
}

// δ² of the body against factors that are turned by `turn`.
static double misfit(const Solid *s, Quatd turn, double damping, bool rest) {
    double most = 0.0, by = 1.0 / (s->size * s->size);
    for (int i = 0; i < s->count; ++i) {
        Quatd from = rest ? turn : mulqd(turn, s->factor_q[i]);
        // The real part of the difference is the cosine of half the angle.
        double w =
            s->q[i].x * from.x + s->q[i].y * from.y + s->q[i].z * from.z + s->q[i].w * from.w;
        double off = 4.0 * (1.0 - w * w);
        most = off > most ? off : most;
    }
    // What is damped is held by arms that the strain is a part of.
    for (int k = 0; k < s->edge_count && damping > 0.0; ++k) {
        Vec3d off = sn__solid_strain_start(s, k, 0);
        if (!rest)
            off = subd(off, s->edges[k].strain_factor);
        double part = dotd(off, off) * by;
        most = part > most ? part : most;
    }
    return most;
}

static bool is_exact(const Solid *s, double misfit, double h2, double damping) {
    return misfit < DEFORMED * DEFORMED &&
           misfit * h2 * (1.0 + damping) * s->stiff < WRONG * s->slender;
}

static bool is_rough(const Solid *s, double misfit, double h2, double damping) {
    return misfit * h2 * (1.0 + damping) * s->stiff < ROUGH;
}

// Factors that all bodies of this shape share. Held bodies and worn ones have others.
static SolidFactors *shared(const Solid *s, const SolidStep *step, double damping) {
    if (s->rest == NULL || s->worn || s->unfolds || s->lead_count > 0)
        return NULL;
    SolidFactors *f = &s->rest->factors[step->euler ? 0 : 1];
    return f->h2 == step->h2 && f->damping == damping ? f : NULL;
}

bool sn__solid_find_factors(Solid *s, const SolidStep *step, bool exact) {
    double h2 = step->h2, damping = (double)s->material.damping / step->h, off;
    SolidFactors *f = shared(s, step, damping);
    s->turn = turn_since(s, true);
    off = misfit(s, s->turn, damping, true);
    s->rough = !is_exact(s, off, h2, damping);
    s->factors = f;
    if (f && (!s->rough || (!exact && is_rough(s, off, h2, damping))))
        return true;
    s->factors = f = &s->own;
    bool rest = !s->rough, kept = f->h2 == h2 && f->damping == damping;
    if (kept && rest && s->own_rest)
        return true;
    if (kept && !s->own_rest) {
        Quatd turn = turn_since(s, false);
        off = misfit(s, turn, damping, false);
        s->turn = turn;
        s->rough = !is_exact(s, off, h2, damping);
        if (!s->rough || (!exact && is_rough(s, off, h2, damping)))
            return true;
    }
    s->rough = false;
    if (!rest)
        s->turn = no_turn;
    factor(s, step, damping, rest);
    return f->h2 > 0.0;
}

void sn__solid_turn_factors(Solid *s) {
    bool own = s->factors == &s->own && !s->own_rest;
    s->turn = turn_since(s, !own);
}

// Bodies with the same factors.
static void divide_together(Solid **bodies, int count, const SolidStep *step) {
    const SolidFactors *f = bodies[0]->factors;
    SparseBlock *lanes = bodies[0]->lanes;
    assert(count <= SPARSE_ROW);
    step->lanes->collect(bodies, count, lanes);
    step->kernels->solve_all(&bodies[0]->graph->plan, f->diagonal, f->below, lanes);
    step->lanes->spread(bodies, count, lanes);
}

static void divide(Solid *s, const SolidStep *step) {
    step->lanes->turn(s, true);
    step->kernels->solve(&s->graph->plan, s->factors->diagonal, s->factors->below, s->vector);
    step->lanes->turn(s, false);
}

static void divide_all(Solid **bodies, int count, const SolidStep *step) {
    Solid *together[SPARSE_ROW];
    int n = 0;
    assert(count <= SPARSE_ROW);
    for (int k = 0; k < count; ++k) {
        Solid *s = bodies[k];
        if (s->factors != &s->own)
            together[n++] = s;
        else
            divide(s, step);
    }
    if (n > 1)
        divide_together(together, n, step);
    else if (n > 0)
        divide(together[0], step);
}

static void exchange(SparseVector **a, SparseVector **b) {
    SparseVector *kept = *a;
    *a = *b;
    *b = kept;
}

void sn__solids_divide(Solid **bodies, int count, const SolidStep *step) {
    Solid *kept[SPARSE_ROW];
    int n = 0;
    divide_all(bodies, count, step);
    for (int k = 0; k < count; ++k)
        if (bodies[k]->material.volume > 0.0f)
            kept[n++] = bodies[k];
    for (int k = 0; k < n; ++k) {
        memcpy(kept[k]->swell, kept[k]->slope, (size_t)kept[k]->count * sizeof *kept[k]->swell);
        exchange(&kept[k]->vector, &kept[k]->swell);
    }
    divide_all(kept, n, step);
    for (int k = 0; k < n; ++k) {
        exchange(&kept[k]->vector, &kept[k]->swell);
        sn__solid_keep_volume(kept[k], step);
    }
}
