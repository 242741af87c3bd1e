// Newton's method on all places and rotations of a body at once.
//
// What is minimised in a sub-step is, times η h²,
//
//     φ = Σ ½ m ‖u − û‖² + ½ (τ − τ̂)·I (τ − τ̂) + η h² (energy of the edges, with damping),
//
// the momentum energy (10) with the density that its printed form lacks. û and τ̂ is where particles would
// go by themselves; τ is 2 tan(angle/2) of the turn since the sub-step began, which a further turn θ
// changes by θ + ½ θ × τ + ¼ τ (τ·θ). Steps are found with the stiffness of energy.c.
//
// Factors serve as long as the body has only moved and turned as a whole since they were made: they are
// those of a body that lies as it did, so right sides are turned back and steps are turned on. What
// particles have turned beside that makes them a little wrong: an edge that is off by δ holds the body
// against turning with s δ² l², against an inertia of m L². So they are made anew where h² (s/m) δ² is more
// than a part of (L/l)², or δ more than DEFORMED. Factors of the body at rest stay from step to step; others
// are dropped when a step begins.
#include <float.h>

#include "solid/solid.h"

#define ITERATIONS 12
#define ARRIVED 1e-4 // of the size, or rad: no further step is needed
#define FAR 0.5      // rad that a step turns at most
#define CAREFUL 0.05 // steps that turn farther, or go farther than the size, must make φ smaller
#define HALVINGS 8
#define VIOLENT 0.5 // strain beyond which rotations start from the places
#define HELD 1e30
#define DEFORMED 0.02
#define WRONG 0.02

void sn__solid_turn_all(Solid *s) {
    for (int i = 0; i < s->count; ++i)
        s->work[i].R = mat_of(s->q[i]);
}

// From one rotation to another: 2 tan(angle/2) along the axis.
Vec3d sn__solid_tau(Quatd from, Quatd to) {
    Quatd d = mulqd(to, conjugated(from));
    double w = fabs(d.w) > 1e-3 ? d.w : (d.w < 0.0 ? -1e-3 : 1e-3), by = 2.0 / w;
    return (Vec3d){by * d.x, by * d.y, by * d.z};
}

static double inertia_energy(const Solid *s) {
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        const SolidWork *w = &s->work[i];
        Vec3d off = subd(w->u, w->aim), turn = subd(sn__solid_tau(w->q_start, s->q[i]), w->aim_tau);
        if (!w->held_x)
            sum += 0.5 * sn__solid_mass(s, i) * dotd(off, off);
        if (!w->held_q)
            sum += 0.5 * dotd(turn, sym_times(&w->inertia, turn));
    }
    return sum;
}

static double objective(const Solid *s, double h2, double damping) {
    return inertia_energy(s) + h2 * sn__solid_potential(s, damping);
}

static void store3(double *to, Vec3d v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static Vec3d load3(const double *from) { return (Vec3d){from[0], from[1], from[2]}; }

static void find_gradient(Solid *s, double h2, double damping) {
    for (int i = 0; i < s->count; ++i) {
        const SolidWork *w = &s->work[i];
        SparseVector *g = &s->vector[s->graph->plan.place[i]];
        Vec3d tau = sn__solid_tau(w->q_start, s->q[i]);
        Vec3d turn = sym_times(&w->inertia, subd(tau, w->aim_tau));
        turn =
            addd(addd(turn, scaled(crossd(tau, turn), 0.5)), scaled(tau, 0.25 * dotd(tau, turn)));
        *g = (SparseVector){{0}};
        if (!w->held_x)
            store3(g->x, scaled(subd(w->u, w->aim), sn__solid_mass(s, i)));
        if (!w->held_q)
            store3(g->x + 3, scaled(turn, 1.0 / s->size));
    }
    sn__solid_add_gradient(s, h2, damping);
}

static void add_inertia(Solid *s, bool rest) {
    const SparsePlan *plan = &s->graph->plan;
    double by = 1.0 / (s->size * s->size);
    for (int i = 0; i < s->count; ++i) {
        const SolidWork *w = &s->work[i];
        SparseBlock *block = &s->diagonal[plan->place[i]];
        Sym3 own = rest ? sn__solid_inertia(s, i) : w->inertia;
        Mat3 inertia = mat_of_sym(&own);
        *block = (SparseBlock){{{0}}};
        for (int c = 0; c < 3; ++c) {
            block->column[c][c] = w->held_x ? HELD : sn__solid_mass(s, i);
            for (int r = 0; r < 3; ++r)
                block->column[3 + c][3 + r] = by * inertia.m[r][c];
            if (w->held_q)
                block->column[3 + c][3 + c] += HELD;
        }
        s->factor_q[i] = rest ? (Quatd){0.0, 0.0, 0.0, 1.0} : s->q[i];
    }
}

static bool factor(Solid *s, const SparseKernels *kernels, double h2, double damping, bool rest) {
    for (int b = 0; b < s->graph->plan.blocks; ++b)
        s->below[b] = (SparseBlock){{{0}}};
    add_inertia(s, rest);
    if (rest)
        sn__solid_add_rest_hessian(s, h2, damping);
    else
        sn__solid_add_hessian(s, h2, damping);
    for (int k = 0; k < s->edge_count; ++k)
        s->edges[k].strain_factor = rest ? (Vec3d){0} : s->edges[k].strain_start[0];
    bool made = kernels->factor(&s->graph->plan, s->diagonal, s->below);
    s->factor_h2 = made ? h2 : 0.0;
    s->factor_damping = damping;
    s->factor_rest = rest;
    return made;
}

static const Quatd no_turn = {0.0, 0.0, 0.0, 1.0};

// How the body has turned as a whole since the factors were made, or since rest: the mean of what particles
// have.
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

// Whether factors of the body, turned by `turn`, are good enough.
static bool would_fit(const Solid *s, Quatd turn, double h2, double damping, bool rest) {
    double most = 0.0;
    for (int i = 0; i < s->count; ++i) {
        Quatd from = rest ? turn : mulqd(turn, s->factor_q[i]);
        Quatd d = mulqd(s->q[i], conjugated(from));
        double square = 4.0 * (d.x * d.x + d.y * d.y + d.z * d.z);
        most = square > most ? square : most;
    }
    // What is damped is held by arms that the strain is a part of.
    for (int k = 0; k < s->edge_count && damping > 0.0; ++k) {
        const SolidEdge *e = &s->edges[k];
        Vec3d off = rest ? e->strain_start[0] : subd(e->strain_start[0], e->strain_factor);
        double square = dotd(off, off) / (s->size * s->size);
        most = square > most ? square : most;
    }
    double wrong = most * h2 * (1.0 + damping) * s->stiff;
    return most < DEFORMED * DEFORMED && wrong < WRONG * s->slender;
}

// Factors that fit, and how they are turned. Those of the body at rest are best: they serve in all steps.
static bool find_factors(Solid *s, const SparseKernels *kernels, double h2, double damping,
                         Quatd *out_turn) {
    bool kept = s->factor_h2 == h2 && s->factor_damping == damping;
    Quatd turn = kept ? turn_since(s, s->factor_rest) : no_turn;
    if (kept && would_fit(s, turn, h2, damping, s->factor_rest)) {
        *out_turn = turn;
        return true;
    }
    bool rest = kept && s->factor_rest ? false : true;
    turn = rest ? turn_since(s, true) : no_turn;
    rest = rest && would_fit(s, turn, h2, damping, true);
    *out_turn = rest ? turn : no_turn;
    return factor(s, kernels, h2, damping, rest);
}

static void turn_vectors(Solid *s, Quatd q) {
    Mat3 R = mat_of(q);
    for (int k = 0; k < s->count; ++k) {
        double *x = s->vector[k].x;
        store3(x, mat_times(&R, load3(x)));
        store3(x + 3, mat_times(&R, load3(x + 3)));
    }
}

// Makes `vector` the step, from the gradient.
static bool find_step(Solid *s, const SparseKernels *kernels, double h2, double damping) {
    Quatd turn;
    if (!find_factors(s, kernels, h2, damping, &turn))
        return false;
    turn_vectors(s, conjugated(turn));
    kernels->solve(&s->graph->plan, s->diagonal, s->below, s->vector);
    turn_vectors(s, turn);
    return true;
}

// The longest of places, over the size, and of turns.
static void measure_step(const Solid *s, double *out_way, double *out_turn) {
    double way = 0.0, turn = 0.0;
    for (int k = 0; k < s->count; ++k) {
        const double *x = s->vector[k].x;
        double u = dotd(load3(x), load3(x)), t = dotd(load3(x + 3), load3(x + 3));
        // Not a number is the longest of all.
        way = !(u <= way) ? u : way;
        turn = !(t <= turn) ? t : turn;
    }
    *out_way = sqrt(way) / s->size;
    *out_turn = sqrt(turn) / s->size;
}

static void take_step(Solid *s, double by) {
    for (int i = 0; i < s->count; ++i) {
        SolidWork *w = &s->work[i];
        const double *x = s->vector[s->graph->plan.place[i]].x;
        if (!w->held_x)
            w->u = subd(w->u, scaled(load3(x), by));
        if (w->held_q)
            continue;
        s->q[i] = normalisedq(mulqd(turn_by(scaled(load3(x + 3), -by / s->size)), s->q[i]));
        w->R = mat_of(s->q[i]);
    }
}

static void keep(Solid *s) {
    for (int i = 0; i < s->count; ++i) {
        s->work[i].kept_u = s->work[i].u;
        s->work[i].kept_q = s->q[i];
    }
}

static void take_back(Solid *s) {
    for (int i = 0; i < s->count; ++i) {
        s->work[i].u = s->work[i].kept_u;
        s->q[i] = s->work[i].kept_q;
        s->work[i].R = mat_of(s->q[i]);
    }
}

// A long step is made shorter until it leads down; false if it does not.
static bool take_carefully(Solid *s, double h2, double damping, double by) {
    double before = objective(s, h2, damping);
    keep(s);
    for (int k = 0; k < HALVINGS; ++k, by *= 0.5) {
        take_step(s, by);
        if (objective(s, h2, damping) <= before + 1e-9 * fabs(before))
            return true;
        take_back(s);
    }
    return false;
}

// Keeps what it is now if φ is lower than that of what was kept, which is taken back else. Returns the lower
// one.
static double choose(Solid *s, double h2, double damping, double kept) {
    double now = objective(s, h2, damping);
    if (!(now < kept)) {
        take_back(s);
        return kept;
    }
    keep(s);
    return now;
}

static void put_at_start(Solid *s) {
    for (int i = 0; i < s->count; ++i) {
        SolidWork *w = &s->work[i];
        if (!w->held_x)
            w->u = (Vec3d){0};
        if (!w->held_q) {
            s->q[i] = w->q_start;
            w->R = mat_of(s->q[i]);
        }
    }
}

// Where the prediction is torn far out of shape, the iteration starts from the lowest φ there is: where the
// body is predicted or where it was, with rotations as they are or as they fit to the places. So it ends
// lower than it was, and a sub-step of implicit Euler gains no energy, however few iterations it has.
static void start_lower(Solid *s, double h2, double damping) {
    keep(s);
    double best = objective(s, h2, damping);
    sn__solid_match_turns(s);
    best = choose(s, h2, damping, best);
    put_at_start(s);
    best = choose(s, h2, damping, best);
    put_at_start(s);
    sn__solid_match_turns(s);
    choose(s, h2, damping, best);
}

#define LITTLE 0.01 // of the size, or rad: farther, what contacts did is not to first order

bool sn__solid_respond(Solid *s, const SolidStep *step) {
    double h2 = step->share * step->h * step->h, way, turn;
    double damping = (double)s->material.damping / step->h;
    if (!find_step(s, step->kernels, h2, damping))
        return false;
    measure_step(s, &way, &turn);
    if (!(way < LITTLE && turn < LITTLE))
        return false;
    take_step(s, 1.0);
    return true;
}

void sn__solid_solve(Solid *s, const SolidStep *step) {
    double h2 = step->share * step->h * step->h;
    double damping = (double)s->material.damping / step->h;
    sn__solid_turn_all(s);
    if (sn__solid_strain(s) > VIOLENT)
        start_lower(s, h2, damping);
    int k = 0;
    s->late = true;
    for (; s->late && k < ITERATIONS; ++k) {
        find_gradient(s, h2, damping);
        double way, turn;
        if (!find_step(s, step->kernels, h2, damping))
            break;
        measure_step(s, &way, &turn);
        if (!(way < DBL_MAX && turn < DBL_MAX))
            break;
        double by = turn > FAR ? FAR / turn : 1.0;
        bool careful = turn > CAREFUL || way > 1.0;
        if (!careful)
            take_step(s, by);
        else if (!take_carefully(s, h2, damping, by))
            break;
        s->late = turn > ARRIVED || (way > ARRIVED && k == 0);
    }
    s->iterations = k > s->iterations ? k : s->iterations;
}
