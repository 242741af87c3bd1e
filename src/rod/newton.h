// The elements of a rod for Newton's method: potentials and forces as they are. Included by
// the rod_newton*_wide.c files only.
//
// A sub-step minimises (physics.md, "A sub-step"; all of it × h², so that k = h²K)
//
//     φ = ½ ‖X − X̂‖²_A + Σ (½ k W² − μ₀ W),
//
// with μ₀ what internal damping starts from (rod_damping_wide.c), else 0. The Hessian is that of
// Gauss and Newton, A + Σ k ∇Wᵀ∇W, which is positive definite whatever the state is, plus the
// stiffness that tension gives to the direction of a segment.
#pragma once

#include "rod/newton_lanes.h"
#include "rod/wide.h"

// NUMBER_LANES lanes of a pack from lane i up.
typedef struct NewtonLanes {
    RodPack *pack;
    int i;
    bool volume, damped;
    bool bent;   // some lanes go with prestress (newton_terms.h)
    bool loose;  // some are of rods of which nothing is held
    bool turned; // some joints are turned at rest,
    bool halved; // which is shared by both frames, as in chains
    Number unit; // of masses, stiffnesses and forces in float (RodPack.unit)
} NewtonLanes;

INLINE NewtonLanes newton_lanes(RodPack *pack, int i) {
    return (NewtonLanes){.pack = pack,
                         .i = i,
                         .volume = !pack->classic,
                         .damped = pack->damped,
                         .bent = pack->newton_bent,
                         .loose = number_any_less(splat(0.5f), load_row(&pack->loose[i])),
                         .turned = pack->turn != NULL,
                         .halved = pack->turn != NULL && pack->graph == NULL,
                         .unit = load_row(&pack->unit[i])};
}

// A row of masses, stiffnesses or multipliers. Double has room for any.
INLINE Number in_units(NewtonLanes c, const float *row) {
#if NEWTON_DOUBLE
    return load_row(row + c.i);
#else
    return load_row(row + c.i) * c.unit;
#endif
}

typedef struct NewtonVertex {
    Number3 u;    // displacement
    Number grown; // scale − 1
} NewtonVertex;

INLINE Number newton_multiplier(NewtonLanes c, const float *row) {
    return c.damped ? in_units(c, row) : splat(0.0f);
}

INLINE Number4 newton_frame(const RodState *s, int i) {
    return (Number4){load_row(&s->qx[i]), load_row(&s->qy[i]), load_row(&s->qz[i]),
                     load_row(&s->qw[i])};
}

// At the start of the sub-step.
INLINE Number4 newton_frame_before(const RodWork *u, int i) {
    return (Number4){load_row(&u->pqx[i]), load_row(&u->pqy[i]), load_row(&u->pqz[i]),
                     load_row(&u->pqw[i])};
}

// How much larger than 1 a scale is: forces see how it changes where the scale itself, in float, does not.
INLINE Number newton_grown(const RodWork *u, int i, bool volume) {
    return volume ? (Number)((load_row(&u->ps[i]) - 1.0f) + load_row(&u->us[i])) : splat(0.0f);
}

INLINE NewtonVertex newton_vertex(const RodWork *u, int i, bool volume) {
    return (NewtonVertex){{load_row(&u->ux[i]), load_row(&u->uy[i]), load_row(&u->uz[i])},
                          newton_grown(u, i, volume)};
}

// q turned by θ in its own axes: by 2 atan(|θ|/2), so that any θ is fine.
INLINE Number4 newton_turn(Number4 q, Number3 theta) {
    Number4 half = {0.5f * theta.x, 0.5f * theta.y, 0.5f * theta.z, splat(1.0f)};
    return quat_normalise(quat_mul(q, half));
}

// Eqs 11, 12, 13 and 18 of a segment from vertex a to vertex b, scaled as in the sweep: W = |d| − l,
// V = s²|d| − l₀, C = s_a + s_b − 2, D = s_b − s_a, and shear, k l (|d| − w·d).
typedef struct NewtonSegment {
    Number3 d, n;      // the edge, and its direction
    Number length;     // of it
    Number3 a1, a2, w; // the axes of the frame
    Number k, kv, kc, kd;
    Number over_length; // 1/length
    Number l, l0, s;
    Number taut;  // l, less what it pulls with beside the material, over k
    Number shear; // k l of shear
    Number3 mu;   // of damped rods: μ₀ of shear, along the axes
    Number f, fv; // k W − μ₀, k V; forces have μ₀ taken off the latter
    Number turned,
        back; // 0, or of a segment that lies against its frame what turns it back, and its stiffness
    bool any_turned;
    Number fc, fd; // k C − μ₀, k D − μ₀
} NewtonSegment;

// A segment that is shorter than this part of what it should be has no direction to speak of.
#define SHORTEST 1e-3f

// d − |d| w, which is nothing where there is no shear, whatever a frame that is not quite a unit quaternion
// makes of its axes: with |d| itself along them, that would turn rods that nothing turns.
INLINE Number3 newton_off(Number3 d, Number3 w, Number length) { return sub3(d, mul3(w, length)); }

// A frame is a unit quaternion to within float only, and for dampers it is made one: with axes that are longer
// than 1 by 10⁻⁷, the forces of a segment and the torques of its frame do not quite balance, and dampers
// would spin a rod up by what is left. Lanes without damping keep all bits.
INLINE Number4 newton_unit(NewtonLanes at, Number4 q) {
    Number norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, one = splat(1.0f);
    Number undamped = load_row(&at.pack->undamped_along[at.i]);
    Number by = number_if_less(undamped, one, 1.5f - 0.5f * norm, one);
    return (Number4){q.x * by, q.y * by, q.z * by, q.w * by};
}

// What damping starts from, of stretch: the part of k (|d| − l) at the start of the sub-step that is not there without
// damping. It is along the segment, as the stretch itself is, not along its frame: of the whole force in the
// axes of the frame, the rate across has the tension in it, and where a segment is pushed by more than its shear is
// stiff, as the tendon of a soft muscle by its weight, dampers would drive what they should stop.
INLINE Number3 edge_before(const RodWork *g, int i) {
    return (Number3){load_row(&g->ex[i]), load_row(&g->ey[i]), load_row(&g->ez[i])};
}

INLINE Number newton_stretch_before(NewtonLanes at, const NewtonSegment *e, Number length) {
    return (1.0f - load_row(&at.pack->undamped_along[at.i])) * e->k * (length - e->taut);
}

// And of shear: k_s l (n − w), in the axes of the frame then.
INLINE Number3 newton_shear_before(NewtonLanes at, const NewtonSegment *e, const RodWork *g,
                                   Number length) {
    const int i = at.i;
    Number4 q = newton_unit(at, newton_frame_before(g, i));
    Number pull = (1.0f - load_row(&at.pack->undamped_across[i])) * e->shear / length;
    Number3 w = quat_axis_z(q), off = newton_off(edge_before(g, i), w, length);
    return (Number3){pull * dot3(quat_axis_x(q), off), pull * dot3(quat_axis_y(q), off),
                     pull * dot3(w, off)};
}

// The same of the volume of a segment from vertex a to vertex b: k V as it was.
INLINE Number newton_volume_before(NewtonLanes at, const NewtonSegment *e, int j, int a, int b) {
    const RodWork *g = at.pack->work + j;
    const int i = at.i;
    Number3 d = {load_row(&g->ex[i]), load_row(&g->ey[i]), load_row(&g->ez[i])};
    const RodState *sa = at.pack->state + a, *sb = at.pack->state + b;
    Number s = 0.5f * (load_row(&at.pack->work[a].ps[i]) + load_row(&at.pack->work[b].ps[i])) +
               0.5f * (load_row(&sa->s_rounded[i]) + load_row(&sb->s_rounded[i]));
    Number undamped = load_row(&at.pack->undamped_volume[i]);
    return (e->kv - undamped * e->kv) * (s * s * number_sqrt(dot3(d, d)) - e->l0);
}

INLINE NewtonSegment newton_segment(NewtonLanes at, int j, NewtonVertex a, NewtonVertex b,
                                    Number4 q) {
    const RodPrepared *p = at.pack->prepared + j;
    const RodWork *g = at.pack->work + j;
    const int i = at.i;
    NewtonSegment e;
    if (NEWTON_DOUBLE && at.damped)
        q = newton_unit(at, q);
    Number x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
    e.a1 = (Number3){1.0f - (y * q.y + z * q.z), x * q.y + z * q.w, x * q.z - y * q.w};
    e.a2 = (Number3){x * q.y - z * q.w, 1.0f - (x * q.x + z * q.z), y * q.z + x * q.w};
    e.w = (Number3){x * q.z + y * q.w, y * q.z - x * q.w, 1.0f - (x * q.x + y * q.y)};
    e.d = add3((Number3){load_row(&g->ex[i]), load_row(&g->ey[i]), load_row(&g->ez[i])},
               sub3(b.u, a.u));
    e.k = in_units(at, p->k_stretch);
    e.l = load_row(&p->active[i]);
    e.taut = load_row(&p->taut[i]);
    e.shear = in_units(at, p->k_shear) * e.l;
    e.length = number_max(number_sqrt(dot3(e.d, e.d)), SHORTEST * e.l + 1e-30f);
    e.over_length = 1.0f / e.length;
    e.n = mul3(e.d, e.over_length);
    e.f = e.k * (e.length - e.taut);
    if (at.damped) {
        Number3 d = edge_before(g, i);
        Number before = number_max(number_sqrt(dot3(d, d)), SHORTEST * e.l + 1e-30f);
        e.mu = newton_shear_before(at, &e, g, before);
        e.f -= newton_stretch_before(at, &e, before);
    }
    // Shear alone would let it rest there: it is weaker than what holds the length. So there is ½ (k + k_v) (w·d)²,
    // from w·d = 0 on. A force that is all there at once would throw frames that pass by a right angle.
    Number zero = splat(0.0f), along = dot3(e.w, e.d);
    e.kv = at.volume ? in_units(at, p->k_volume) : zero;
    e.any_turned = number_any_less(along, zero);
    e.back = e.any_turned ? number_if_less(along, zero, e.k + e.kv, zero) : zero;
    e.turned = -e.back * along;
    if (!at.volume)
        return e;

    e.kc = in_units(at, p->k_cross);
    e.kd = in_units(at, p->k_gradient);
    e.l0 = load_row(&p->length[i]);
    Number C = a.grown + b.grown, D = b.grown - a.grown, grown = 0.5f * C;
    e.s = 1.0f + grown;
    Number V = (e.length - e.l0) + grown * (1.0f + e.s) * e.length;
    Number mu_c = newton_multiplier(at, g->cross);
    Number mu_d = newton_multiplier(at, g->gradient);
    e.fv = e.kv * V;
    e.fc = e.kc * C - mu_c;
    e.fd = e.kd * D - mu_d;
    return e;
}

// How long segment j from vertex a to vertex b is, and its tension × h². In the first iteration of a
// sub-step both are those at its start: where the iteration starts, turns of frames have strained segments
// by far more than the force there is. So they are in all iterations of rods that links tie to others: these
// count on it that the next iteration answers as the last one said. What may be nothing but rounding is left out.
//
// A push instead of a pull lets a segment give way, and is counted in rods that go with prestress: one that is twisted
// far shortens its radius and presses on its clamps, and would else tremble for ever.
#define VOLUME_TENSION 0.25f

typedef struct NewtonTension {
    Number length, over_length, force;
    Number off[2]; // with prestress: of the edge, what lies across the axis of the frame, likewise
} NewtonTension;

INLINE NewtonTension newton_tension(NewtonLanes at, const NewtonSegment *e, int j, int a, int b) {
    const RodPack *pack = at.pack;
    const RodWork *g = pack->work + j;
    const int i = at.i;
    Number stiff = e->k * load_row(&pack->undamped_along[i]), zero = splat(0.0f);
    Number plain = load_row(&pack->newton_plain[i]);
    Number length = e->length, over_length = e->over_length, s = e->s;
    const bool tied = pack->newton_again && pack->tie_count > 0;
    if (!pack->newton_again || tied) {
        Number3 d = {load_row(&g->ex[i]), load_row(&g->ey[i]), load_row(&g->ez[i])};
        Number before = number_max(number_sqrt(dot3(d, d)), SHORTEST * e->l + 1e-30f);
        if (!pack->newton_again) {
            length = before;
            over_length = 1.0f / before;
        }
        if (at.volume && !pack->newton_again)
            s = 0.5f * (load_row(&pack->work[a].ps[i]) + load_row(&pack->work[b].ps[i]));
        if (tied) {
            Number half = splat(0.5f), is_tied = load_row(&pack->tied[i]);
            Number was = 0.5f * (load_row(&pack->work[a].ps[i]) + load_row(&pack->work[b].ps[i]));
            length = number_if_less(half, is_tied, before, length);
            over_length = number_if_less(half, is_tied, 1.0f / before, over_length);
            s = at.volume ? number_if_less(half, is_tied, was, s) : s;
        }
    }
    Number force = stiff * (length - e->taut), all = force;
    if (at.volume) {
        // At rest the volume bears a part of what stretch does, as the cross-section resists, or takes off from
        // it in a rod that is bent. More than that part is a radius that swings, no tension to rely on.
        Number kv = e->kv * load_row(&pack->undamped_volume[i]);
        Number volume = kv * (s * s) * (s * s * length - e->l0);
        all += volume;
        force += number_min(volume, VOLUME_TENSION * force);
    }
    Number coarse = stiff * load_row(&pack->aim[j].coarse[i]);
    force = number_max(force - coarse, zero);
    if (at.bent)
        force += (1.0f - plain) * number_min(all + coarse, zero);
    NewtonTension t = {length, over_length, force, {zero, zero}};
    if (at.bent && pack->newton_again) {
        Number3 off = newton_off(e->d, e->w, e->length);
        t.off[0] = dot3(e->a1, off), t.off[1] = dot3(e->a2, off);
    } else if (at.bent) {
        Number3 d = edge_before(g, i);
        Number4 q = newton_frame_before(g, i);
        Number3 off = newton_off(d, quat_axis_z(q), number_sqrt(dot3(d, d)));
        t.off[0] = dot3(quat_axis_x(q), off), t.off[1] = dot3(quat_axis_y(q), off);
    }
    return t;
}

// Eqs 14, 19 and 20 between the frames p and a, W = 2 s b and 2 s³ b with b = Im(conj(q_p h) q_a h̄), h half of the rest
// rotation, or Im(conj(q_p r̄) q_a) in creatures, and eqs 15 and 39, W = s_a − s − ratio (s − s_p), with the scales of the far vertices.
typedef struct NewtonJoint {
    Number4 b;
    Number3 turn
        [3]; // the axes of h or r̄: a turn θ of p is R(h)ᵀ θ of q_p h, and one of a is R(h) θ of q_a h̄
    Number s;
    Number kb, kt, kv, k_lap, ratio;
    Number3 f;     // k W − μ₀
    Number fu, fv; // of eqs 19 and 20
    Number f_lap;
} NewtonJoint;

// From frame a to frame b in a's axes, with a real part that is not negative. The imaginary part is that of
// ā (b − a): what is small is not the difference of what is large, and float has all its digits.
INLINE Number4 newton_between(Number4 a, Number4 b) {
    Number3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
    Number dw = b.w - a.w, c = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    return (Number4){number_flip_by(a.w * d.x - a.x * dw - a.y * d.z + a.z * d.y, c),
                     number_flip_by(a.w * d.y - a.y * dw - a.z * d.x + a.x * d.z, c),
                     number_flip_by(a.w * d.z - a.z * dw - a.x * d.y + a.y * d.x, c),
                     number_flip_by(c, c)};
}

// In row k, with how much the far vertices and the one where the two meet have grown.
INLINE NewtonJoint newton_joint(NewtonLanes at, int k, Number4 qp, Number4 qa, Number grown_p,
                                Number grown, Number grown_a) {
    const RodPrepared *p = at.pack->prepared + k;
    const RodWork *g = at.pack->work + k;
    const int i = at.i;
    NewtonJoint e;
    if (at.turned) {
        const RodTurn *t = at.pack->turn + k;
        Number4 turn = {load_row(&t->x[i]), load_row(&t->y[i]), load_row(&t->z[i]),
                        load_row(&t->w[i])};
        qp = quat_mul(qp, turn);
        if (at.halved)
            qa = quat_mul(qa, quat_conjugate(turn));
        e.turn[0] = quat_axis_x(turn);
        e.turn[1] = quat_axis_y(turn);
        e.turn[2] = quat_axis_z(turn);
    }
    Number s = 1.0f + grown;
    e.b = newton_between(qp, qa);
    e.s = s;
    e.kb = in_units(at, p->k_bend);
    e.kt = in_units(at, p->k_twist);
    Number3 mu = {newton_multiplier(at, g->bend_u), newton_multiplier(at, g->bend_v),
                  newton_multiplier(at, g->bend_w)};
    Number3 W = {(e.b.x + e.b.x) * s, (e.b.y + e.b.y) * s, (e.b.z + e.b.z) * s};
    e.f = (Number3){e.kb * W.x - mu.x, e.kb * W.y - mu.y, e.kt * W.z - mu.z};
    if (!at.volume)
        return e;

    e.kv = in_units(at, p->k_volume_bend);
    e.fu = e.kv * (s * s * W.x);
    e.fv = e.kv * (s * s * W.y);
    e.k_lap = in_units(at, p->k_lap);
    e.ratio = load_row(&p->lap_ratio[i]);
    Number mu_lap = newton_multiplier(at, g->lap);
    Number lap = (grown_a - grown) - e.ratio * (grown - grown_p);
    e.f_lap = e.k_lap * lap - mu_lap;
    return e;
}

INLINE Number3 rotate(Number3 v, const Number3 axes[3]) {
    return add3(add3(mul3(axes[0], v.x), mul3(axes[1], v.y)), mul3(axes[2], v.z));
}

INLINE Number3 rotate_back(Number3 v, const Number3 axes[3]) {
    return (Number3){dot3(axes[0], v), dot3(axes[1], v), dot3(axes[2], v)};
}

// Where a vertex and a frame would go alone, and what keeps them there.
typedef struct NewtonInertia {
    Number mass, scale, turn, roll; // 0 where it is held
    Number free, free_scale, free_frame;
} NewtonInertia;

INLINE NewtonInertia newton_inertia(NewtonLanes at, int j) {
    const RodPrepared *p = at.pack->prepared + j;
    const RodRest *r = at.pack->rest + j;
    const int i = at.i;
    Number zero = splat(0.0f), one = splat(1.0f);
    NewtonInertia n;
    n.free = number_if_less(zero, load_row(&p->m[i]), one, zero);
    n.free_scale = number_if_less(zero, load_row(&p->m_scale[i]), one, zero);
    n.free_frame = number_if_less(zero, load_row(&p->m_turn[i]), one, zero);
    n.mass = n.free * in_units(at, r->mass);
    n.scale = n.free_scale * in_units(at, r->scale_inertia);
    n.turn = n.free_frame * in_units(at, r->frame_inertia);
    n.roll = n.free_frame * in_units(at, r->spin_inertia);
    return n;
}

// Also of what is held: its forces move nothing.
INLINE NewtonInertia newton_own_inertia(NewtonLanes at, int j) {
    const RodRest *r = at.pack->rest + j;
    Number one = splat(1.0f);
    return (NewtonInertia){.mass = in_units(at, r->mass),
                           .scale = in_units(at, r->scale_inertia),
                           .turn = in_units(at, r->frame_inertia),
                           .roll = in_units(at, r->spin_inertia),
                           .free = one,
                           .free_scale = one,
                           .free_frame = one};
}

INLINE Number3 newton_aim(const RodAim *aim, int i) {
    return (Number3){load_row(&aim->ux[i]), load_row(&aim->uy[i]), load_row(&aim->uz[i])};
}

// How a frame has turned in the sub-step: twice the tangent of half the angle, along the axis, in the axes
// that it had before.
#define COSINE_MIN 1e-4f
INLINE Number3 newton_turn_since(Number4 before, Number4 q) {
    Number4 t = newton_between(before, q);
    Number twice = 2.0f / number_max(t.w, splat(COSINE_MIN));
    return (Number3){twice * t.x, twice * t.y, twice * t.z};
}
