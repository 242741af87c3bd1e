// Bones carry the flesh on them (VIPER, section 8.2).
//
// The paper moves every vertex with its two bones, by skinning weights, before a step is solved. Here a
// vertex has a velocity of its own, which goes on as the bones did in the last step: what is added to it
// is how the motion of the bones has changed since. That is the same where bones move evenly, and leaves
// momentum and energy of the muscle what they are.
#include <math.h>

#include "muscle/muscle.h"
#include "rod/inside.h"

// The motion of a frame over a step, as a velocity and a spin. The rotation vector is twice the vector
// part of the turn, exact to third order of the angle in a step.
static void motion_of(SnPose from, SnPose to, float dt, SnVec3 *out_velocity, SnVec3 *out_spin) {
    Vec3d move = subd(vec3d(to.position), vec3d(from.position));
    Quatd turn = mulqd(quatd(to.rotation), conjugated(quatd(from.rotation)));
    double rate = (turn.w < 0.0 ? -2.0 : 2.0) / (double)dt;
    *out_velocity = vec3f(scaled(move, 1.0 / (double)dt));
    *out_spin = vec3f((Vec3d){rate * turn.x, rate * turn.y, rate * turn.z});
}

// How the motion of an end has changed.
typedef struct Change {
    Vec3d velocity, at;
    Vec3d before, after; // spins
    double dt;
} Change;

// A point with the lever l from a frame that turns with ω goes, in a step, along the chord
// ω × l + ½ dt ω × (ω × l), l at the start. Of the last step, at whose end l is now, that was
// ω × l − ½ dt ω × (ω × l).
static Vec3d change_at(const Change *c, Vec3d x) {
    Vec3d lever = subd(x, c->at);
    Vec3d was = crossd(c->before, lever), is = crossd(c->after, lever);
    Vec3d inward = addd(crossd(c->before, was), crossd(c->after, is));
    return addd(addd(c->velocity, subd(is, was)), scaled(inward, 0.5 * c->dt));
}

static float bounded(double v, float most) {
    return (float)fmax(fmin(v, (double)most), (double)-most);
}

static void add_velocity(RodAddress at, Vec3d by) {
    RodState *s = at.pack->state + at.row;
    if (at.pack->held[at.row][at.lane] & HELD_VERTEX)
        return;
    s->vx[at.lane] = bounded((double)s->vx[at.lane] + by.x, SN_MAX_SPEED);
    s->vy[at.lane] = bounded((double)s->vy[at.lane] + by.y, SN_MAX_SPEED);
    s->vz[at.lane] = bounded((double)s->vz[at.lane] + by.z, SN_MAX_SPEED);
}

static void add_spin(RodAddress at, Vec3d by) {
    RodState *s = at.pack->state + at.row;
    if (at.pack->held[at.row][at.lane] & HELD_FRAME)
        return;
    s->wx[at.lane] = bounded((double)s->wx[at.lane] + by.x, SN_MAX_SPIN);
    s->wy[at.lane] = bounded((double)s->wy[at.lane] + by.y, SN_MAX_SPIN);
    s->wz[at.lane] = bounded((double)s->wz[at.lane] + by.z, SN_MAX_SPIN);
}

static Vec3d blended(Vec3d a, Vec3d b, double t) { return addd(scaled(a, 1.0 - t), scaled(b, t)); }

void sn__muscle_carry(Muscle *m, Body *body, const SnPose from[2], const SnPose to[2], float dt) {
    Change change[2];
    bool changed = false;
    for (int e = 0; e < 2; ++e) {
        SnVec3 velocity, spin;
        motion_of(from[e], to[e], dt, &velocity, &spin);
        change[e] = (Change){.velocity = subd(vec3d(velocity), vec3d(m->end[e].velocity)),
                             .at = vec3d(from[e].position),
                             .before = vec3d(m->end[e].spin),
                             .after = vec3d(spin),
                             .dt = (double)dt};
        changed |= lengthd(change[e].velocity) > 0.0 || lengthd(change[e].before) > 0.0 ||
                   lengthd(change[e].after) > 0.0;
        m->end[e].velocity = velocity;
        m->end[e].spin = spin;
    }
    if (!changed || !(m->carry > 0.0f))
        return;
    const RodSystem *rods = rods_of(body);
    const Rod *rod = rod_of(body);
    double carry = (double)m->carry;
    for (int k = 0; k < m->rods; ++k)
        for (int j = 0; j < m->slices; ++j) {
            int v = sn__muscle_point(m, k, j);
            Vec3d x = sn__rod_vertex_at(rods, rod, v).x;
            double t = (double)m->along[j];
            Vec3d by = blended(change_at(&change[0], x), change_at(&change[1], x), t);
            add_velocity(sn__rod_address(rods, rod, v), scaled(by, carry));
            if (j + 1 == m->slices)
                continue;
            t = 0.5 * (double)(m->along[j] + m->along[j + 1]);
            by = blended(subd(change[0].after, change[0].before),
                         subd(change[1].after, change[1].before), t);
            add_spin(sn__rod_address(rods, rod, sn__muscle_element(m, k, j)), scaled(by, carry));
        }
}
