// Bodies that are caught in a fold.
//
// The energy of the edges has other minima than rest: a particle that has come to the wrong side of its neighbours may
// stay there, and all rotations settle with it. A body that lies still far out of its shape, though nothing touches,
// holds or pulls it, is in one of them, and is led out. As long as all particles have one rotation, the energy is a
// square of their places whose only minimum is the shape at rest, turned by it. So they are held at the rotation R that
// fits best to all places,
//
//     R = argmax tr (Rᵀ Σ m (x − c)(x̄ − c̄)ᵀ),
//
// which costs the body some energy to begin with, until it is nearly back in its shape. Momentum and angular momentum
// are kept as those of any free body.
#include "solid/match.h"
#include "solid/solid.h"

#define CAUGHT 0.1 // strain of an edge
#define BACK 0.02
#define STILL 1e-3  // of the stored energy: what may move besides the whole
#define SPINS 0.1   // of the stored energy: a spin that is faster may be what strains it
#define PULLED 1e-2 // of the stored energy over the size: a load that holds it may be the reason

static bool is_pulled(const Solid *s, double energy) {
    double most = PULLED * energy / s->size;
    for (int i = 0; i < s->count; ++i)
        if (dotd(s->force[i], s->force[i]) > most * most ||
            dotd(s->couple[i], s->couple[i]) > most * most * s->size * s->size)
            return true;
    return false;
}

static bool is_caught(Solid *s, const BodyStep *step, double strain) {
    if (step->field_count > 0 || !(strain > CAUGHT))
        return false;
    double spin, energy = sn__solid_energy_now(s), inner = sn__solid_inner_motion(s, &spin);
    return inner < STILL * energy && spin < SPINS * energy && !is_pulled(s, energy);
}

static Quatd turn_of_all(const Solid *s) {
    Vec3d centre = {0}, rest = {0};
    Mat3 A = {0};
    for (int i = 0; i < s->count; ++i) {
        double part = s->particles[i].mass / s->mass;
        centre = addd(centre, scaled(s->x[i], part));
        rest = addd(rest, scaled(s->particles[i].rest, part));
    }
    for (int i = 0; i < s->count; ++i) {
        Vec3d a = scaled(subd(s->x[i], centre), s->particles[i].mass);
        Vec3d b = subd(s->particles[i].rest, rest);
        const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                A.m[r][c] += x[r] * y[c];
    }
    return sn__match_rotation(&A, s->q[0]);
}

double sn__solid_unfold(Solid *s, const BodyStep *step) {
    bool before = s->unfolds, held = s->lead_count > 0;
    sn__solid_stand_still(s);
    double strain = sn__solid_strain(s);
    s->unfolds = !held && (before ? strain > BACK : is_caught(s, step, strain));
    if (s->unfolds != before)
        s->own.h2 = 0.0;
    if (!s->unfolds)
        return strain;
    Quatd q = turn_of_all(s);
    for (int i = 0; i < s->count; ++i)
        s->q[i] = q;
    return strain;
}

void sn__solid_hold_turns(Solid *s) {
    for (int i = 0; i < s->count && s->unfolds; ++i) {
        s->q[i] = s->work[i].q_start;
        s->work[i].held_q = 1.0;
    }
}
