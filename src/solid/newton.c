// Newton's method on all places and rotations of a body at once.
//
// What is minimised in a sub-step is, times η h²,
//
//     φ = Σ ½ m ‖u − û‖² + ½ (τ − τ̂)·I (τ − τ̂) + η h² (energy of the edges, with damping),
//
// the momentum energy (10) with the density that its printed form lacks. û and τ̂ is where particles would
// go by themselves; τ is 2 tan(angle/2) of the turn since the sub-step began, which a further turn θ
// changes by θ + ½ θ × τ + ¼ τ (τ·θ). Steps are found with the stiffness of energy.c.
#include <float.h>

#include "solid/marks.h"
#include "solid/volume.h"

#define ITERATIONS 12
// Of the size, or rad: what the last step may leave over. Where something touches the body that is soft within a sub-step,
// it is more, over h² s/m; and still more if contacts come next.
#define ARRIVED 1e-5
#define ARRIVED_TOUCHED 1e-4
#define ARRIVED_BEFORE 1e-3
// Of a step, so much is left over: with factors that fit, and with rough ones as long as nothing is known.
#define LEFT 0.1
#define LEFT_ROUGH 0.3
#define MOVED 0.01   // rad of a step beyond which factors are looked at again
#define ASKEW 0.01   // of turn² h² s/m: the same of stiff bodies
#define FAR 0.5      // rad that a step turns at most
#define CAREFUL 0.05 // steps that turn farther, or go farther than the size, must make φ smaller
#define HALVINGS 8
#define VIOLENT 0.5 // strain beyond which rotations start from the places

void sn__solid_stand_still(Solid *s) {
    for (int i = 0; i < s->count; ++i) {
        s->work[i].x_start = s->x[i];
        s->work[i].u = (Vec3d){0};
    }
}

static double inertia_energy(const Solid *s) {
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        const SolidWork *w = &s->work[i];
        Vec3d off = subd(w->u, w->aim), turn = subd(sn__solid_tau(w->q_start, s->q[i]), w->aim_tau);
        if (!w->held_x)
            sum += 0.5 * s->particles[i].mass * dotd(off, off);
        if (!w->held_q)
            sum += 0.5 * dotd(turn, sym_times(&w->inertia, turn));
    }
    return sum;
}

static double objective(const Solid *s, double h2, double damping) {
    return inertia_energy(s) + h2 * (sn__solid_potential(s, damping) + sn__solid_marks_energy(s) +
                                     sn__solid_volume_energy(s));
}

static Vec3d load3(const double *from) { return (Vec3d){from[0], from[1], from[2]}; }

// Returns the largest strain.
static double find_gradient(Solid *s, const SolidStep *step, double damping) {
    step->lanes->inertia(s);
    sn__solid_marks_add_gradient(s, step->h2);
    sn__solid_add_volume_gradient(s, step->h2);
    return sn__solid_add_gradient(s, step->lanes, step->h2, damping);
}

static double damping_of(const Solid *s, const SolidStep *step) {
    return (double)s->material.damping / step->h;
}

// Whether a turn by so much would make the factors wrong, if they did not turn along.
static bool is_askew(const Solid *s, const SolidStep *step, double turn) {
    return turn * turn * step->h2 * (1.0 + damping_of(s, step)) * s->stiff > ASKEW;
}

// The longest of places, over the size, and of turns; and whether the body is to be moved on circles.
static void measure_step(Solid *s, const SolidStep *step, double *out_way, double *out_turn) {
    double squares[2];
    step->lanes->measure(s, squares);
    *out_way = sqrt(squares[0]) / s->size;
    *out_turn = sqrt(squares[1]) / s->size;
    s->askew = is_askew(s, step, *out_turn);
}

// How the step turns the body as a whole, τ about the centre of mass, which is at `centre`.
typedef struct WholeTurn {
    Vec3d tau, centre;
    Mat3 R;
} WholeTurn;

static WholeTurn whole_turn(const Solid *s, double by) {
    WholeTurn t = {0};
    for (int i = 0; i < s->count; ++i) {
        const double *x = s->vector[s->graph->plan.place[i]].x;
        double part = s->particles[i].mass / s->mass;
        t.tau = addd(t.tau, scaled(load3(x + 3), -by * part / s->size));
        t.centre = addd(t.centre, scaled(addd(s->work[i].x_start, s->work[i].u), part));
    }
    t.R = mat_of(turn_by(t.tau));
    return t;
}

// A step that turns the body as a whole moves particles on tangents, which strains it by θ²/2. Stiff bodies are moved
// on circles instead: the difference is R r − r − τ × r.
static void bend_step(Solid *s, double by) {
    WholeTurn t = whole_turn(s, by);
    for (int i = 0; i < s->count; ++i) {
        SolidWork *w = &s->work[i];
        Vec3d arm = subd(addd(w->x_start, w->u), t.centre);
        Vec3d more = subd(subd(mat_times(&t.R, arm), arm), crossd(t.tau, arm));
        if (!w->held_x)
            w->u = addd(w->u, more);
    }
}

// By a part of what `vector` has.
static void take_step(Solid *s, const SolidStep *step, double by) {
    if (s->askew)
        bend_step(s, by);
    step->lanes->move(s, by);
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
    }
}

// A long step is made shorter until it leads down; false if it does not.
static bool take_carefully(Solid *s, const SolidStep *step, double damping, double by) {
    double h2 = step->h2, before = objective(s, h2, damping);
    keep(s);
    for (int k = 0; k < HALVINGS; ++k, by *= 0.5) {
        take_step(s, step, by);
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
        if (!w->held_q)
            s->q[i] = w->q_start;
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
// Of the size: what edges may be strained by a turn, θ²/2, may drive particles so far in a sub-step, h² s/m times it.
#define STRAINED 1e-4

// Takes the step that `vector` has, if that is a little one.
static bool take_little(Solid *s, const SolidStep *step, SolidCare care) {
    double way, turn, stiff = fmax(step->h2 * s->stiff, 1e-9);
    double most = care == SOLID_ENDS ? fmin(LITTLE, sqrt(2.0 * STRAINED / stiff)) : LITTLE;
    measure_step(s, step, &way, &turn);
    if (!(way < LITTLE && turn < most))
        return false;
    take_step(s, step, 1.0);
    return true;
}

void sn__solids_respond(Solid **bodies, int count, const SolidStep *step, SolidCare care) {
    Solid *able[SOLID_GROUP], *others[SOLID_GROUP];
    int n = 0, left = 0;
    assert(count <= SOLID_GROUP);
    for (int k = 0; k < count; ++k) {
        const SolidFactors *f = bodies[k]->factors;
        if (f && f->h2 > 0.0 && is_askew(bodies[k], step, LITTLE))
            sn__solid_turn_factors(bodies[k]);
        if (f && f->h2 > 0.0)
            able[n++] = bodies[k];
        else
            others[left++] = bodies[k];
    }
    sn__solids_divide(able, n, step);
    for (int k = 0; k < n; ++k)
        if (!take_little(able[k], step, care))
            others[left++] = able[k];
    sn__solids_solve(others, left, step, care);
}

// Makes `vector` the gradient, and finds factors for it; false if there are none.
static bool prepare(Solid *s, const SolidStep *step, int k) {
    double damping = damping_of(s, step), strain = find_gradient(s, step, damping);
    // Later in the sub-step it starts from what it has found.
    bool first = k == 0 && s->factors == NULL;
    if (first && strain > VIOLENT) {
        start_lower(s, step->h2, damping);
        find_gradient(s, step, damping);
    }
    // Rough factors that do not get nearer are replaced.
    bool again = k == 0 || s->slow || s->last_turn > MOVED || is_askew(s, step, s->last_turn);
    return !again || sn__solid_find_factors(s, step, s->slow);
}

// Takes the step that `vector` has; false if it leads nowhere.
static bool advance(Solid *s, const SolidStep *step, int k, double arrived) {
    double way, turn, last = s->last_turn;
    measure_step(s, step, &way, &turn);
    if (!(way < DBL_MAX && turn < DBL_MAX))
        return false;
    double by = turn > FAR ? FAR / turn : 1.0;
    if (!(turn > CAREFUL || way > 1.0))
        take_step(s, step, by);
    else if (!take_carefully(s, step, damping_of(s, step), by))
        return false;
    bool nearer = k > 0 && turn < LEFT_ROUGH * last;
    double left = !s->rough ? LEFT : nearer ? turn / last : LEFT_ROUGH;
    s->late = left * turn > arrived || (k == 0 && left * way > arrived);
    s->slow = s->rough && k > 0 && !nearer;
    s->last_turn = turn;
    return true;
}

static double arrived_at(const Solid *s, const SolidStep *step, SolidCare care) {
    double nearly = care == SOLID_PREDICTS ? ARRIVED_BEFORE : ARRIVED_TOUCHED;
    return s->touched ? fmax(nearly / fmax(step->h2 * s->stiff, 1.0), ARRIVED) : ARRIVED;
}

void sn__solids_solve(Solid **bodies, int count, const SolidStep *step, SolidCare care) {
    Solid *going[SOLID_GROUP];
    assert(count <= SOLID_GROUP);
    for (int n = 0; n < count; ++n) {
        going[n] = bodies[n];
        going[n]->late = true;
        going[n]->slow = false;
        going[n]->last_turn = 0.0;
    }
    for (int k = 0; count > 0 && k < ITERATIONS; ++k) {
        int able = 0, left = 0;
        for (int n = 0; n < count; ++n)
            if (prepare(going[n], step, k))
                going[able++] = going[n];
        sn__solids_divide(going, able, step);
        for (int n = 0; n < able; ++n) {
            Solid *s = going[n];
            s->iterations = k + 1 > s->iterations ? k + 1 : s->iterations;
            if (advance(s, step, k, arrived_at(s, step, care)) && s->late)
                going[left++] = s;
        }
        count = left;
    }
}
