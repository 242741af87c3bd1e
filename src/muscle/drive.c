// What activation does to fibres.
//
// A segment of rest length l₀ pulls with T = E A x (λ x − 1), where λ = t/l₀ is its length now and l₀/x
// the rest length that activation gives it (eq. 11, whose energy is ½ E A l₀ (t x/l₀ − 1)²). To shorten
// is to give x. To pull with F beside what the material does is to find x from
//
//     x (λ x − 1) = (λ − 1) + F/(E A)   ⇒   x = (1 + √(1 + 4 λ (λ − 1 + F/(E A)))) / 2λ,
//
// once in every step, for the length that the segment will have in its middle, and stretch is solved as implicitly as
// ever. It then pulls with F on average: for the length at the end, it would pull less while it gets longer and more
// while it gets shorter, which drives what swings. All fibres keep their volume whatever x is.
#include <assert.h>
#include <math.h>

#include "muscle/muscle.h"
#include "rod/inside.h"

#define PI 3.14159265358979323846

#define LEAST_SCALE 0.1 // sn_rod_set_length_scale
#define MOST_SCALE 10.0

// Forces depend on how fast a fibre shortens, and it shortens as they tell: without a little memory of
// its pace, s, fibres that have nothing to carry would jump to and fro.
#define PACE_MEMORY 0.04f

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

double sn__hill_force(const SnHill *hill, double activation, double length, double velocity) {
    double off = (length - 1.0) / (double)hill->width;
    double by_length = fmax(0.0, 1.0 - off * off);
    double c = (double)hill->curvature, most = (double)hill->eccentric, by_velocity;
    if (velocity <= 0.0)
        by_velocity = (1.0 + fmax(velocity, -1.0)) / (1.0 - fmax(velocity, -1.0) / c);
    else
        by_velocity = 1.0 + (most - 1.0) * velocity / (velocity + c * (most - 1.0) / (1.0 + c));
    double passive = 0.0;
    if (hill->passive_strain > 0.0f && length > 1.0)
        passive = (length - 1.0) / (double)hill->passive_strain;
    return activation * by_length * by_velocity + passive * passive;
}

// N, beside what the material does.
static double fibre_force(Muscle *m, const Body *body, int rod, double activation, float dt) {
    FibreLengths f = sn__fibre_lengths(m, body, rod);
    double whole = (double)m->stress * (double)m->packing * f.area;
    if (!(f.rest > 0.0))
        return 0.0;
    MuscleFibre *fibre = &m->fibre[rod];
    fibre->pace += ((float)(f.rate / f.rest) - fibre->pace) * (dt / (dt + PACE_MEMORY));
    if (m->drive == SN_MUSCLE_FORCE)
        return activation * whole;
    double optimal = (double)m->hill.optimal_length;
    double velocity = (double)fibre->pace / (optimal * (double)m->hill.max_velocity);
    double length = f.now / f.rest + (double)fibre->pace * (double)dt;
    return whole * sn__hill_force(&m->hill, activation, length / optimal, velocity);
}

// Of a segment as long as it will be half way through the step, if its fibre goes on like that.
static double scale_for_force(const Muscle *m, const Body *body, int rod, int segment, double force,
                              float dt) {
    const RodSystem *rods = rods_of(body);
    const Rod *of = rod_of(body);
    int v = sn__muscle_point(m, rod, segment);
    RodVertex a = sn__rod_vertex_at(rods, of, v), b = sn__rod_vertex_at(rods, of, v + 1);
    RodSegment g = sn__rod_segment_at(rods, of, sn__muscle_element(m, rod, segment));
    // RodRest has E A l₀.
    double stiffness = (double)g.at.pack->rest[g.at.row].stretch[g.at.lane] / g.length;
    double ahead = 0.5 * (double)m->fibre[rod].pace * (double)dt;
    double stretch = lengthd(subd(b.x, a.x)) / g.length + ahead;
    if (!(stiffness > 0.0) || !(stretch > 0.0))
        return 1.0;
    double root = 1.0 + 4.0 * stretch * (stretch - 1.0 + force / stiffness);
    double x = (1.0 + sqrt(fmax(root, 0.0))) / (2.0 * stretch);
    return fmin(fmax(1.0 / x, LEAST_SCALE), MOST_SCALE);
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
        double activation = (double)(m->activation * m->fibre[k].asked), force = 0.0;
        if (m->drive != SN_MUSCLE_SHORTEN)
            force = fibre_force(m, body, k, activation, dt);
        for (int j = 0; j + 1 < m->slices; ++j) {
            if (m->tendon[j])
                continue;
            double scale = m->drive == SN_MUSCLE_SHORTEN
                               ? 1.0 - activation * (double)m->shortening
                               : scale_for_force(m, body, k, j, force, dt);
            body->kind->set_length_scale(body, sn__muscle_element(m, k, j), 1, (float)scale);
        }
    }
}
