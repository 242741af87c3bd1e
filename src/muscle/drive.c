// What activation does to fibres.
//
// To shorten is to give fibres another rest length (eq. 11). To pull with F is a force beside what the material does, the
// same whatever the length becomes within a step, so that it drives nothing that swings; the direction it has is solved
// as implicitly as all tension is. Hill's forces depend on the rate v at which the length changes, and on the length λ:
//
//     F(λ, v) = F(λ, 0) + c v,   c = (F(λ, v₀) − F(λ, 0))/v₀ + dt/2 max(∂F/∂λ, 0),
//
// with v₀ the rate when the step began, or as steep as the curve is at v = 0 on the side on which v₀ is not. That is a
// force and a damper, solved for with the motion: it has the value of the curve at the rate that there was, and takes
// energy whatever the rate becomes. All fibres keep their volume whatever they do.
#include <assert.h>
#include <math.h>

#include "muscle/muscle.h"
#include "rod/access.h"
#include "rod/inside.h"

#define PI 3.14159265358979323846

FibreLengths sn__fibre_lengths(const Muscle *m, const Body *body, int rod) {
    const RodSystem *rods = rods_of(body);
    const Rod *of = rod_of(body);
    FibreLengths f = {0};
    for (int j = 0; j + 1 < m->slices; ++j) {
        if (m->tendon[j])
            continue;
        int v = sn__muscle_point(m, rod, j);
        RodVertex a = sn__rod_vertex_at(rods, of, v), b = sn__rod_vertex_at(rods, of, v + 1);
        RodSegment g = sn__rod_segment_at(rods, of, sn__muscle_element(m, rod, j));
        Vec3d d = subd(b.x, a.x);
        double t = lengthd(d), r = 0.5 * (a.radius + b.radius);
        f.now += t;
        f.rest += g.length;
        f.rate += t > 0.0 ? dotd(subd(b.v, a.v), d) / t : 0.0;
        f.area += g.length * PI * r * r;
    }
    f.area = f.rest > 0.0 ? f.area / f.rest : 0.0;
    return f;
}

HillForce sn__hill_force(const SnHill *hill, double length, double velocity) {
    double off = (length - 1.0) / (double)hill->width, active = fmax(0.0, 1.0 - off * off);
    double c = (double)hill->curvature, most = (double)hill->eccentric, steepest = 1.0 + 1.0 / c;
    double rising = active > 0.0 ? fmax(-2.0 * off / (double)hill->width, 0.0) : 0.0;
    HillForce f = {active, rising, {active * steepest, active * steepest}, 0.0, 0.0};
    double v = fmax(velocity, -1.0);
    if (v < 0.0)
        f.by_velocity[0] = active * steepest / (1.0 - v / c);
    else
        f.by_velocity[1] = active * (most - 1.0) / fmax(v + (most - 1.0) / steepest, 1e-9);
    if (hill->passive_strain > 0.0f && length > 1.0) {
        double strain = (double)hill->passive_strain;
        f.passive = (length - 1.0) * (length - 1.0) / (strain * strain);
        f.passive_rising = 2.0 * (length - 1.0) / (strain * strain);
    }
    return f;
}

// How much of its force a fibre that only pulls has, by its length over that at rest: less from twice its shortest length
// on, and nothing at that. And it has a straight force-velocity curve: at this many lengths per second, nothing.
#define SHORTEST 0.35
#define FASTEST 10.0

static HillForce plain_force(double length) {
    double part = fmin(fmax(length / SHORTEST - 1.0, 0.0), 1.0);
    double rising = part > 0.0 && part < 1.0 ? 1.0 / SHORTEST : 0.0;
    return (HillForce){part, rising, {part, part}, 0.0, 0.0};
}

// What is swept has no dampers beside the material's, and a force that does not fall with the length would tear it apart.
// There, a rest length l₀/x is found that pulls with F at the length there is, E A x (λ x − 1) = E A (λ − 1) + F, and
// without a little memory of the pace, s, fibres that have nothing to carry would jump to and fro.
#define PACE_MEMORY 0.04
#define LEAST_SCALE 0.1 // sn_rod_set_length_scale
#define MOST_SCALE 10.0

static double scale_for_force(const Muscle *m, const Body *body, int rod, int segment,
                              double force) {
    const RodSystem *rods = rods_of(body);
    const Rod *of = rod_of(body);
    int v = sn__muscle_point(m, rod, segment);
    RodVertex a = sn__rod_vertex_at(rods, of, v), b = sn__rod_vertex_at(rods, of, v + 1);
    RodSegment g = sn__rod_segment_at(rods, of, sn__muscle_element(m, rod, segment));
    // RodRest has E A l₀.
    double stiffness = (double)g.at.pack->rest[g.at.row].stretch[g.at.lane] / g.length;
    double stretch = lengthd(subd(b.x, a.x)) / g.length;
    if (!(stiffness > 0.0) || !(stretch > 0.0))
        return 1.0;
    double root = 1.0 + 4.0 * stretch * (stretch - 1.0 + force / stiffness);
    double x = (1.0 + sqrt(fmax(root, 0.0))) / (2.0 * stretch);
    return fmin(fmax(1.0 / x, LEAST_SCALE), MOST_SCALE);
}

static void pull_fibre(Muscle *m, Body *body, int rod, double activation, float dt) {
    const bool damped = sn__rod_is_sliced(body);
    FibreLengths f = sn__fibre_lengths(m, body, rod);
    if (!(f.rest > 0.0))
        return;
    float *pace = &m->fibre[rod].pace;
    double memory = damped ? 0.0 : PACE_MEMORY;
    *pace += (float)((f.rate / f.rest - (double)*pace) * ((double)dt / ((double)dt + memory)));
    bool plain = m->drive == SN_MUSCLE_FORCE;
    double optimal = plain ? 1.0 : (double)m->hill.optimal_length,
           length = f.now / f.rest / optimal;
    double fastest = plain ? FASTEST : optimal * (double)m->hill.max_velocity;
    double velocity = (double)*pace / fastest;
    HillForce force = plain ? plain_force(length) : sn__hill_force(&m->hill, length, velocity);
    double whole = (double)m->stress * (double)m->packing * f.area;
    double rising = activation * force.rising + force.passive_rising, viscous[2];
    for (int n = 0; n < 2; ++n)
        viscous[n] = whole * (activation * force.by_velocity[n] / fastest +
                              0.5 * (double)dt * rising / optimal);
    RodPull pull = {.force = (float)(whole * (activation * force.active + force.passive)),
                    .viscous = {(float)viscous[0], (float)viscous[1]}};
    double swept = (double)pull.force + viscous[velocity < 0.0 ? 0 : 1] * (double)*pace;
    for (int j = 0; j + 1 < m->slices; ++j) {
        int element = sn__muscle_element(m, rod, j);
        if (m->tendon[j])
            continue;
        if (damped)
            sn__rod_set_pull(body, element, pull);
        else
            sn__rod_set_length_scale(body, element, 1,
                                     (float)scale_for_force(m, body, rod, j, swept));
    }
}

// No faster than muscles can: rest lengths that jump to a sixth throw a muscle about. False: it is not there yet.
static bool shorten_fibre(const Muscle *m, Body *body, int rod, double activation, float dt) {
    double wanted = 1.0 - activation * (double)m->shortening, most = FASTEST * (double)dt;
    bool there = true;
    for (int j = 0; j + 1 < m->slices; ++j) {
        if (m->tendon[j])
            continue;
        int element = sn__muscle_element(m, rod, j);
        double now = (double)sn__rod_length_scale(body, element);
        double scale = fmin(fmax(wanted, now - most), now + most);
        there = there && scale == wanted;
        sn__rod_set_length_scale(body, element, 1, (float)scale);
    }
    return there;
}

static void follow(Muscle *m, float dt) {
    float lag = m->asked > m->activation ? m->rise_time : m->fall_time;
    m->activation += (m->asked - m->activation) * (dt / (dt + lag));
    if (fabsf(m->asked - m->activation) < 1e-6f)
        m->activation = m->asked;
}

void sn__muscle_drive(Muscle *m, Body *body, float dt) {
    assert(body && dt > 0.0f);
    follow(m, dt);
    if (m->drive == SN_MUSCLE_SHORTEN && m->applied == m->activation)
        return;
    m->applied = m->activation;
    for (int k = 0; k < m->rods; ++k) {
        double activation = (double)(m->activation * m->fibre[k].asked);
        if (m->drive != SN_MUSCLE_SHORTEN)
            pull_fibre(m, body, k, activation, dt);
        else if (!shorten_fibre(m, body, k, activation, dt))
            m->applied = -1.0f;
    }
}
