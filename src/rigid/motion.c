// One sub-step of a rigid body.
//
// Momentum first, then the pose: v and L change by the loads of the sub-step, and x and q follow them.
// Without a torque L does not change at all, whatever the body does; q follows
//
//     q' = ½ ω q,  ω = R I⁻¹ Rᵀ L,
//
// by the implicit midpoint rule, whose rotation is Cayley's: (1 + c)(1 − c)⁻¹ with c = h ω_mid/4, a unit
// quaternion without a root or a sine. What is pinned turns about its hub: L and I are about that, and
// an acceleration of the hub acts as gravity the other way.
//
// Drag d acts on the velocity at the end of the sub-step, v' = (v + h a + J/m)/(1 + h d), and so on gravity and on the
// impulses J of contacts alike: what rests is held with m a, and what falls goes at a/d, however long the sub-step is.
#include <assert.h>

#include "body/fields.h"
#include "rigid/rigid.h"

// A turn of so much at most, rad, is one step of the midpoint rule; faster ones take more.
#define TURN_MAX 0.25
#define TURN_STEPS 32
#define MIDPOINT_ROUNDS 4
// rad in a sub-step that what contacts have learned may turn a held body by. What presses on it with the weight of many
// presses nearly through the point that holds it, and the small rest of a large force is not to be relied on.
#define LEARNED_TURN_MAX 0.1

typedef struct Matrix {
    double xx, yy, zz, xy, xz, yz;
} Matrix;

static Vec3d times(const Matrix *m, Vec3d v) {
    return (Vec3d){m->xx * v.x + m->xy * v.y + m->xz * v.z, m->xy * v.x + m->yy * v.y + m->yz * v.z,
                   m->xz * v.x + m->yz * v.y + m->zz * v.z};
}

static Matrix inverse_of(const Matrix *m) {
    assert(m->xx > 0.0 && m->yy > 0.0 && m->zz > 0.0);
    double a = m->yy * m->zz - m->yz * m->yz, b = m->xz * m->yz - m->xy * m->zz;
    double c = m->xy * m->yz - m->xz * m->yy, det = 1.0 / (m->xx * a + m->xy * b + m->xz * c);
    return (Matrix){.xx = det * a,
                    .yy = det * (m->xx * m->zz - m->xz * m->xz),
                    .zz = det * (m->xx * m->yy - m->xy * m->xy),
                    .xy = det * b,
                    .xz = det * c,
                    .yz = det * (m->xy * m->xz - m->xx * m->yz)};
}

// About a point at `at` from the centre of mass, in the body's axes.
static Matrix inertia_about(const Rigid *r, Vec3d at) {
    double m = r->mass, square = dotd(at, at);
    return (Matrix){.xx = r->inertia.x + m * (square - at.x * at.x),
                    .yy = r->inertia.y + m * (square - at.y * at.y),
                    .zz = r->inertia.z + m * (square - at.z * at.z),
                    .xy = -m * at.x * at.y,
                    .xz = -m * at.x * at.z,
                    .yz = -m * at.y * at.z};
}

static bool is_pinned(const Rigid *r) {
    return r->freedom == RIGID_PINNED || r->freedom == RIGID_HINGED;
}

// What it turns about, in its own axes.
static Vec3d hub_of(const Rigid *r) {
    return is_pinned(r) ? r->local[r->leads[r->held[0]].index] : (Vec3d){0};
}

static Vec3d in_world(Quatd q, const Matrix *m, Vec3d v) {
    return rotated(q, times(m, rotated(conjugated(q), v)));
}

Vec3d sn__rigid_spin(const Rigid *r) {
    assert(r->inertia.x > 0.0 && r->inertia.y > 0.0 && r->inertia.z > 0.0);
    Vec3d L = rotated(conjugated(r->pose.q), r->L);
    return rotated(r->pose.q, (Vec3d){L.x / r->inertia.x, L.y / r->inertia.y, L.z / r->inertia.z});
}

double sn__rigid_speed(const Rigid *r) {
    double most = 0.0;
    for (int i = 0; i < r->points; ++i)
        most = fmax(most, lengthd(r->local[i]) + (double)r->radius[i]);
    return lengthd(r->v) + most * lengthd(sn__rigid_spin(r));
}

void sn__rigid_set_spin(Rigid *r, Vec3d spin) {
    Vec3d w = rotated(conjugated(r->pose.q), spin);
    r->L = rotated(r->pose.q, (Vec3d){w.x * r->inertia.x, w.y * r->inertia.y, w.z * r->inertia.z});
}

// A turn by the rotation vector θ, for small ones.
static Quatd cayley(Vec3d theta) {
    Vec3d c = scaled(theta, 0.25);
    double square = dotd(c, c), k = 1.0 / (1.0 + square);
    return (Quatd){2.0 * k * c.x, 2.0 * k * c.y, 2.0 * k * c.z, k * (1.0 - square)};
}

// Where a body with this momentum is after h.
static Quatd turn_freely(Quatd q, const Matrix *inverse, Vec3d L, double h) {
    double angle = h * lengthd(in_world(q, inverse, L));
    int steps = angle < TURN_MAX * TURN_STEPS ? (int)(angle / TURN_MAX) + 1 : TURN_STEPS;
    double dt = h / (double)steps;
    for (int n = 0; n < steps; ++n) {
        Vec3d w = in_world(q, inverse, L);
        for (int k = 0; k < MIDPOINT_ROUNDS; ++k)
            w = in_world(mulqd(cayley(scaled(w, 0.5 * dt)), q), inverse, L);
        q = normalisedq(mulqd(cayley(scaled(w, dt)), q));
    }
    return q;
}

// The acceleration of all that pulls at every kilogram of it.
static Vec3d acceleration(const Rigid *r, const BodyStep *step) {
    Vec3d a = scaled(vec3d(step->gravity), r->gravity_scale);
    Vec3d x = addd((Vec3d){r->origin[0], r->origin[1], r->origin[2]}, r->pose.x);
    for (int k = 0; k < step->field_count; ++k)
        a = addd(a, sn__field_acceleration(&step->fields[k], x));
    return addd(a, scaled(r->force, 1.0 / r->mass));
}

static Vec3d within(Vec3d v, double most, uint32_t *bits) {
    double length = lengthd(v);
    if (!(length > most))
        return v;
    *bits |= SN_STEP_CLAMPED;
    return scaled(v, most / length);
}

static void move_freely(Rigid *r, const BodyStep *step, double h, Vec3d load) {
    double air = r->air / r->mass;
    Vec3d a = addd(acceleration(r, step), scaled(r->air_from, air));
    Vec3d v = addd(addd(r->v, scaled(a, h)), scaled(load, 1.0 / (h * r->mass)));
    v = within(scaled(v, r->left), (double)SN_MAX_SPEED, &r->step_bits);
    r->ahead.x = addd(r->pose.x, scaled(v, h));
    r->hub_start = r->pose.x;
    r->hub_ahead = r->ahead.x;
}

static void turn_about_centre(Rigid *r, double h, Vec3d torque) {
    Matrix inertia = inertia_about(r, (Vec3d){0}), inverse = inverse_of(&inertia);
    Vec3d pushed = addd(scaled(r->torque, h), scaled(torque, 1.0 / h));
    r->L_ahead = scaled(addd(r->L, pushed), r->left_turn);
    r->ahead.q = turn_freely(r->pose.q, &inverse, r->L_ahead, h);
}

// The momentum about a hub that goes to hub_ahead, after the loads of the sub-step.
static Vec3d pinned_momentum(const Rigid *r, const BodyStep *step, double h, const Matrix *inertia,
                             Vec3d torque) {
    Vec3d arm = subd(r->pose.x, r->hub_start), spin = sn__rigid_spin(r);
    Vec3d before = subd(r->v, crossd(spin, arm)); // velocity of the hub
    Vec3d after = scaled(subd(r->hub_ahead, r->hub_start), 1.0 / h);
    Vec3d a = subd(acceleration(r, step), scaled(subd(after, before), 1.0 / h));
    Vec3d moment = addd(r->torque, crossd(arm, scaled(a, r->mass)));
    Vec3d pushed = addd(scaled(moment, h), scaled(torque, 1.0 / h));
    return scaled(addd(in_world(r->pose.q, inertia, spin), pushed), r->left_turn);
}

// The axis of a hinge: in the body's axes, and as it is led.
static Vec3d own_axis(const Rigid *r) {
    assert(r->freedom == RIGID_HINGED);
    Vec3d d = subd(r->local[r->leads[r->held[1]].index], r->local[r->leads[r->held[0]].index]);
    return scaled(d, 1.0 / lengthd(d));
}

static Vec3d led_axis(const Rigid *r, double time, Vec3d now) {
    Vec3d d = subd(sn__rigid_led_point(r, 1, time), sn__rigid_led_point(r, 0, time));
    double length = lengthd(d);
    return length > 1e-12 ? scaled(d, 1.0 / length) : now;
}

static void turn_about_hub(Rigid *r, const BodyStep *step, double h, double time, Vec3d torque) {
    Vec3d hub = hub_of(r);
    Matrix inertia = inertia_about(r, hub), inverse = inverse_of(&inertia);
    r->hub_start = addd(r->pose.x, rotated(r->pose.q, hub));
    r->hub_ahead = sn__rigid_led_point(r, 0, time);
    double learned = lengthd(in_world(r->pose.q, &inverse, torque));
    if (!(learned <= LEARNED_TURN_MAX)) // what is beyond all measure is nothing to learn from
        torque = learned < (double)LARGEST_NUMBER ? scaled(torque, LEARNED_TURN_MAX / learned)
                                                  : (Vec3d){0};
    Vec3d L = pinned_momentum(r, step, h, &inertia, torque);
    if (r->freedom == RIGID_PINNED) {
        r->L_ahead = L;
        r->ahead.q = turn_freely(r->pose.q, &inverse, L, h);
    } else {
        Vec3d own = own_axis(r), now = rotated(r->pose.q, own), axis = led_axis(r, time, now);
        double about = dotd(own, times(&inertia, own)), spin = dotd(now, L) / about;
        Quatd led = mulqd(rotation_between(now, axis), r->pose.q);
        r->L_ahead = scaled(axis, about * spin);
        r->ahead.q = normalisedq(mulqd(cayley(scaled(axis, h * spin)), led));
    }
    r->ahead.x = subd(r->hub_ahead, rotated(r->ahead.q, hub));
}

void sn__rigid_begin_substep(Rigid *r, const BodyStep *step, int substep, Vec3d load,
                             Vec3d torque) {
    assert(step->dt > 0.0f && substep >= 0 && substep < step->substeps);
    double h = (double)step->dt / (double)step->substeps;
    double time = (double)(substep + 1) / (double)step->substeps;
    r->start = r->pose;
    r->left_turn = 1.0 / (1.0 + h * r->drag);
    r->left = 1.0 / (1.0 + h * (r->drag + r->air / r->mass));
    r->pulled = acceleration(r, step);
    r->pressed = load;
    r->pressed_torque = torque;
    switch (r->freedom) {
    case RIGID_FREE:
        move_freely(r, step, h, load);
        turn_about_centre(r, h, torque);
        break;
    case RIGID_PINNED:
    case RIGID_HINGED:
        turn_about_hub(r, step, h, time, torque);
        break;
    case RIGID_UPRIGHT:
        move_freely(r, step, h, load);
        r->ahead.q = sn__rigid_led_pose(r, time).q;
        break;
    case RIGID_FIXED:
        r->ahead = sn__rigid_led_pose(r, time);
        r->hub_start = r->pose.x;
        r->hub_ahead = r->ahead.x;
        break;
    }
}

// The rotation vector from a to b, the shorter way round: 4 atan(tan θ/4), by its series, as a step
// has the same bits everywhere.
static Vec3d turn_between(Quatd a, Quatd b) {
    Quatd d = mulqd(b, conjugated(a));
    double sign = d.w < 0.0 ? -1.0 : 1.0, k = sign / (1.0 + fabs(d.w));
    Vec3d c = {k * d.x, k * d.y, k * d.z};
    double square = dotd(c, c);
    return scaled(c, 4.0 * (1.0 - square * (1.0 / 3.0 - square * (1.0 / 5.0))));
}

static Quatd turned(Quatd q, Vec3d by) { return normalisedq(mulqd(cayley(by), q)); }

// What a turn that contacts added is in angular momentum: that of the inertia they were told of.
static Vec3d momentum_of(const Rigid *r, Vec3d turn, double h) {
    Vec3d hub = hub_of(r);
    Matrix inertia = inertia_about(r, hub);
    if (r->freedom != RIGID_HINGED)
        return scaled(in_world(r->start.q, &inertia, turn), 1.0 / h);
    Vec3d own = own_axis(r), axis = rotated(r->start.q, own);
    return scaled(axis, dotd(own, times(&inertia, own)) * dotd(axis, turn) / h);
}

static bool is_finite(const Rigid *r) {
    double sum = lengthd(r->pose.x) + lengthd(r->v) + lengthd(r->L) + fabs(r->pose.q.x) +
                 fabs(r->pose.q.y) + fabs(r->pose.q.z) + fabs(r->pose.q.w);
    return sum < 1e30;
}

static void put_back(Rigid *r) {
    r->pose = r->start;
    r->v = r->L = (Vec3d){0};
    r->step_bits |= SN_STEP_RECOVERED;
}

// With what contacts and links added to the turn of the sub-step. They take all of it for twice the vector part of a
// quaternion, and so it is: one turn after the other would end elsewhere, links would be open, and a thin body that
// swings would turn about itself. What is turned too far for that is turned one after the other.
#define WHOLE_TURN_MAX 1.5
static Quatd rotation_with(const Rigid *r, Vec3d turn) {
    if (!(dotd(turn, turn) > 0.0))
        return r->ahead.q;
    Quatd ahead = mulqd(r->ahead.q, conjugated(r->start.q));
    double sign = ahead.w < 0.0 ? -1.0 : 1.0;
    Vec3d half = addd((Vec3d){sign * ahead.x, sign * ahead.y, sign * ahead.z}, scaled(turn, 0.5));
    if (!(lengthd(half) < 0.5 * WHOLE_TURN_MAX))
        return turned(r->ahead.q, turn);
    Quatd d = {half.x, half.y, half.z, sqrt(1.0 - dotd(half, half))};
    return normalisedq(mulqd(d, r->start.q));
}

void sn__rigid_end_substep(Rigid *r, double h, Vec3d moved, Vec3d turn) {
    assert(h > 0.0);
    Vec3d hub = hub_of(r), L = addd(r->L_ahead, momentum_of(r, turn, h));
    Vec3d v_before = r->v, L_before = r->L;
    r->pose.q = rotation_with(r, turn);
    r->pose.x = subd(addd(r->hub_ahead, moved), rotated(r->pose.q, hub));
    if (r->freedom == RIGID_FREE) {
        r->v = scaled(subd(r->pose.x, r->start.x), 1.0 / h);
        r->L = L;
    } else if (is_pinned(r)) {
        Matrix inertia = inertia_about(r, hub), inverse = inverse_of(&inertia);
        Vec3d axis = rotated(r->pose.q, r->freedom == RIGID_HINGED ? own_axis(r) : hub);
        Vec3d spin = in_world(r->pose.q, &inverse, L);
        if (r->freedom == RIGID_HINGED)
            spin = scaled(axis, dotd(axis, L) / dotd(axis, in_world(r->pose.q, &inertia, axis)));
        r->v = addd(scaled(subd(r->hub_ahead, r->hub_start), 1.0 / h),
                    crossd(spin, rotated(r->pose.q, scaled(hub, -1.0))));
        sn__rigid_set_spin(r, spin);
    } else {
        r->v = scaled(subd(r->pose.x, r->start.x), 1.0 / h);
        sn__rigid_set_spin(r, scaled(turn_between(r->start.q, r->pose.q), 1.0 / h));
    }
    if (lengthd(r->v) > (double)SN_MAX_SPEED) {
        r->v = within(r->v, (double)SN_MAX_SPEED, &r->step_bits);
        if (r->freedom == RIGID_FREE || r->freedom == RIGID_UPRIGHT)
            r->pose.x = addd(r->start.x, scaled(r->v, h));
    }
    if (r->fastest > 0.0 && !(sn__rigid_speed(r) <= r->fastest)) {
        r->pose = r->start;
        r->v = v_before;
        r->L = L_before;
    }
    r->fastest = 0.0;
    Vec3d spin = sn__rigid_spin(r);
    if (lengthd(spin) > (double)SN_MAX_SPIN)
        sn__rigid_set_spin(r, within(spin, (double)SN_MAX_SPIN, &r->step_bits));
    if (!is_finite(r))
        put_back(r);
    if (r->freedom != RIGID_FREE)
        sn__rigid_note_reaction(r, h, v_before, L_before);
}

void sn__rigid_push(Rigid *r, Vec3d by, Vec3d turn) {
    if (!(dotd(by, by) + dotd(turn, turn) < 1e12))
        return;
    Vec3d hub = hub_of(r), at = addd(addd(r->pose.x, rotated(r->pose.q, hub)), by);
    r->pose.q = turned(r->pose.q, turn);
    r->pose.x = subd(at, rotated(r->pose.q, hub));
}

static void store_matrix(float out[6], Quatd q, const Matrix *m) {
    Vec3d x = in_world(q, m, (Vec3d){1.0, 0.0, 0.0}), y = in_world(q, m, (Vec3d){0.0, 1.0, 0.0});
    Vec3d z = in_world(q, m, (Vec3d){0.0, 0.0, 1.0});
    const double all[6] = {x.x, y.y, z.z, x.y, x.z, y.z};
    for (int k = 0; k < 6; ++k)
        out[k] = (float)all[k];
}

void sn__rigid_response(const Rigid *r, float inverse[6], float *mobility) {
    Matrix inertia = inertia_about(r, hub_of(r)), m = {0};
    bool moves = r->freedom == RIGID_FREE || r->freedom == RIGID_UPRIGHT;
    *mobility = moves ? (float)(1.0 / r->mass) : 0.0f;
    if (r->freedom == RIGID_FREE || r->freedom == RIGID_PINNED) {
        m = inverse_of(&inertia);
    } else if (r->freedom == RIGID_HINGED) {
        Vec3d a = own_axis(r);
        double k = 1.0 / dotd(a, times(&inertia, a));
        m = (Matrix){k * a.x * a.x, k * a.y * a.y, k * a.z * a.z,
                     k * a.x * a.y, k * a.x * a.z, k * a.y * a.z};
    }
    store_matrix(inverse, r->pose.q, &m);
}
