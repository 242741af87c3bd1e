// From one sub-step to the next: where particles would go, and what velocities come of where they went.
//
// The scheme is that of rods (rod/scheme.h has it, with its derivation): second order while nothing
// touches the body, implicit Euler in a step in which something may. Rotations have the angular momentum l
// and the remembered torque t in place of v and a. A free particle keeps its l as it turns; ω is that of
// half a sub-step later, which is second order, too.
#include "body/fields.h"
#include "solid/solid.h"

#define ROUGH_STRAIN 0.3
#define ROUGH_TURN 0.3 // rad per sub-step

// A scheme of second order extrapolates; what is torn far out of shape, or turns far within a sub-step,
// cannot be extrapolated and would gain by it.
bool sn__solid_is_rough(const Solid *s, double h, double strain) {
    double fastest = 0.0;
    if (s->late || s->unfolds)
        return true;
    for (int i = 0; i < s->count; ++i) {
        Vec3d spin = sn__solid_spin(s, i);
        fastest = fmax(fastest, dotd(spin, spin));
    }
    return h * h * fastest > ROUGH_TURN * ROUGH_TURN || strain > ROUGH_STRAIN;
}

SolidStep sn__solid_step(const BodyStep *step, bool euler) {
    SolidStep s = {.kernels = sn__sparse_kernels(step->isa),
                   .lanes = sn__solid_kernels(step->isa),
                   .h = (double)step->dt / (double)step->substeps,
                   .euler = euler};
    s.share = euler ? 1.0 : 1.0 / 3.0;
    s.h2 = s.share * s.h * s.h;
    s.carried = euler ? 0.0 : 1.0 / 6.0;
    s.outside = euler ? 1.0 : 0.5;
    s.guess = euler ? 1.0 : 0.5;
    s.alpha = euler ? 1.0 : 15.0 / 8.0;
    s.beta = euler ? 0.0 : -7.0 / 8.0;
    s.gamma = euler ? 0.0 : 1.0 / 16.0;
    s.delta = euler ? 1.0 : 9.0 / 4.0;
    s.epsilon = euler ? 0.0 : -1.0 / 8.0;
    return s;
}

// But for the loads of the step.
static Vec3d pull_at(const Solid *s, const BodyStep *step, int i) {
    Vec3d origin = {s->origin[0], s->origin[1], s->origin[2]}, x = addd(origin, s->x[i]);
    Vec3d pull = scaled(vec3d(step->gravity), s->gravity_scale);
    for (int k = 0; k < step->field_count; ++k)
        pull = addd(pull, sn__field_acceleration(&step->fields[k], x));
    return pull;
}

static Vec3d take3(float from[3]) {
    Vec3d v = {(double)from[0], (double)from[1], (double)from[2]};
    from[0] = from[1] = from[2] = 0.0f;
    return v;
}

void sn__solid_begin_substep(Solid *s, const BodyStep *step, const SolidStep *o, int substep,
                             ContactLoad *loads, KnotTurn *turns) {
    if (s->material.damping > 0.0f) {
        sn__solid_stand_still(s);
        o->lanes->note(s);
    }
    for (int i = 0; i < s->count; ++i) {
        SolidWork *w = &s->work[i];
        w->pull = pull_at(s, step, i);
        w->aim = w->aim_tau = (Vec3d){0};
        if (loads) {
            w->aim = take3(loads[s->knots + i].force);
            w->aim_tau = take3(turns[s->turns + i].load);
        }
    }
    o->lanes->predict(s, o);
    sn__solid_led(s, (double)(substep + 1) / (double)step->substeps);
    s->factors = NULL;
}

// Momentum, and angular momentum about the centre of mass, which stands at x.
typedef struct Momenta {
    Vec3d p, L, x;
    Sym3 inertia;
} Momenta;

static Sym3 arm_inertia(Vec3d r, double m) {
    double rr = dotd(r, r);
    return (Sym3){m * (rr - r.x * r.x), m * (rr - r.y * r.y), m * (rr - r.z * r.z),
                  -m * r.x * r.y,       -m * r.x * r.z,       -m * r.y * r.z};
}

static Momenta momenta_of(const Solid *s, bool with_inertia) {
    Momenta m = {0};
    for (int i = 0; i < s->count; ++i) {
        double mass = s->particles[i].mass;
        m.p = addd(m.p, scaled(s->v[i], mass));
        m.x = addd(m.x, scaled(s->x[i], mass));
    }
    m.x = scaled(m.x, 1.0 / s->mass);
    for (int i = 0; i < s->count; ++i) {
        double mass = s->particles[i].mass;
        Vec3d arm = subd(s->x[i], m.x);
        m.L = addd(m.L, addd(crossd(arm, scaled(s->v[i], mass)), s->l[i]));
        if (with_inertia) {
            Mat3 R = mat_of(s->q[i]);
            Sym3 own = sym_turned(&R, &s->particles[i].inertia), far = arm_inertia(arm, mass);
            m.inertia = sym_sum(&m.inertia, &own);
            m.inertia = sym_sum(&m.inertia, &far);
        }
    }
    return m;
}

double sn__solid_inner_motion(const Solid *s, double *out_spin) {
    Momenta m = momenta_of(s, true);
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i)
        sum += s->particles[i].mass * dotd(s->v[i], s->v[i]) + dotd(sn__solid_spin(s, i), s->l[i]);
    Sym3 inverse = sym_inverted(&m.inertia);
    *out_spin = 0.5 * dotd(m.L, sym_times(&inverse, m.L));
    return 0.5 * (sum - dotd(m.p, m.p) / s->mass) - *out_spin;
}

// What acts from outside in the sub-step, added to the momenta before it.
static void add_loads(const Solid *s, double h, Momenta *m) {
    for (int i = 0; i < s->count; ++i) {
        const SolidWork *w = &s->work[i];
        Vec3d f = scaled(w->pull, h * s->particles[i].mass);
        m->p = addd(m->p, f);
        m->L = addd(m->L, addd(crossd(subd(w->x_start, m->x), f), scaled(w->torque, h)));
    }
}

// A body that nothing touches and nothing holds has the momenta that it ought to have: what the method
// loses of them, and what rounding does, is put back as a motion of the whole.
static void keep_momenta(Solid *s, const Momenta *wanted) {
    Momenta now = momenta_of(s, true);
    Vec3d push = scaled(subd(wanted->p, now.p), 1.0 / s->mass);
    Sym3 inverse = sym_inverted(&now.inertia);
    Vec3d spin = sym_times(&inverse, subd(wanted->L, now.L));
    for (int i = 0; i < s->count; ++i) {
        Mat3 R = mat_of(s->q[i]);
        s->v[i] = addd(s->v[i], addd(push, crossd(spin, subd(s->x[i], now.x))));
        s->l[i] = addd(s->l[i], sn__turned_times(&R, &s->particles[i].inertia, spin));
    }
}

static void recover(Solid *s) {
    for (int i = 0; i < s->count; ++i) {
        s->work[i].u = (Vec3d){0};
        s->x[i] = s->work[i].x_start;
        s->q[i] = s->work[i].q_start;
        s->v[i] = s->l[i] = s->a[i] = s->t[i] = (Vec3d){0};
    }
    s->own.h2 = 0.0;
    s->step_bits |= SN_STEP_RECOVERED;
}

static void limit_speed(Solid *s, int i, double h) {
    Vec3d spin = sn__solid_spin(s, i), way = subd(s->x[i], s->work[i].x_start);
    double most = h * (double)SN_MAX_SPEED;
    bool far = !s->work[i].held_x && lengthd(way) > most;
    bool fast = far || lengthd(s->v[i]) > (double)SN_MAX_SPEED;
    if (far)
        s->x[i] = addd(s->work[i].x_start, shortened(way, most));
    bool turns = lengthd(spin) > (double)SN_MAX_SPIN;
    if (fast) {
        s->v[i] = shortened(s->v[i], (double)SN_MAX_SPEED);
        s->a[i] = (Vec3d){0};
    }
    if (turns) {
        sn__solid_set_spin(s, i, shortened(spin, (double)SN_MAX_SPIN));
        s->t[i] = (Vec3d){0};
    }
    if (fast || turns)
        s->step_bits |= SN_STEP_CLAMPED;
}

// Whether any particle is as fast as anything may be.
static bool is_fast(const Solid *s, const SolidStep *o) {
    double most = (double)SN_MAX_SPEED * (double)SN_MAX_SPEED, squares[3];
    o->lanes->fastest(s, squares);
    return !(squares[0] < 0.99 * most && squares[2] < 0.99 * o->h * o->h * most &&
             squares[1] < 0.99 * (double)SN_MAX_SPIN * (double)SN_MAX_SPIN);
}

void sn__solid_end_substep(Solid *s, const SolidStep *o) {
    if (!(o->lanes->size(s) < (double)LARGEST_NUMBER)) {
        recover(s);
        return;
    }
    bool free = !s->touched && s->lead_count == 0;
    Momenta wanted = {0};
    if (free) {
        for (int i = 0; i < s->count; ++i)
            s->x[i] = s->work[i].x_start;
        wanted = momenta_of(s, false);
        add_loads(s, o->h, &wanted);
    }
    o->lanes->finish(s, o);
    if (free)
        keep_momenta(s, &wanted);
    double kept = 1.0 / (1.0 + o->h * (double)s->material.drag);
    for (int i = 0; i < s->count && kept < 1.0; ++i) {
        s->v[i] = scaled(s->v[i], kept);
        s->l[i] = scaled(s->l[i], kept);
    }
    bool fast = is_fast(s, o);
    for (int i = 0; fast && i < s->count; ++i)
        limit_speed(s, i, o->h);
    sn__solid_wear(s);
}
