// The field of a muscle in lanes, and how it is joined to the field of a part. Included by *_wide.c files
// only.
//
// f(x) = d − R(s) r(θ), with d = |x − C(s)| (Roussellet et al. 2018, eqs. 1, 2 and 5; lengths in m). With
// q = x − C, n = q/d, u the direction of the line at C and ∇s the change of the place along the line (m/m),
//   ∇d = n − (n·u) ∇s,
//   ∇f = ∇d − r R' ∇s − R r'(c) ∇c,
// where c = cos θ = p·N/|p|, p is the part of q across the line, N the normal of the cross-section, and
//   r = 1/√(c²/v² + (1 − c²)/u²),  r'(c) = −r³ c (1/v² − 1/u²),
//   ∇c = (N − c p/|p|)/|p| + (p/|p|·N') ∇s.
// R is a cubic between the points of the line.
//
// ∇s is u inside a segment and 0 beyond the ends. Where x has its foot inside two segments that follow each
// other, at distances e and g from their common point and h and k from x, the place is (algorithm 1)
//   σ = (g w₁ − e w₀)/(w₀ + w₁) from that point on, w₀ = e k, w₁ = g h,
// whose gradient follows with ∇e = −u₀, ∇g = u₁ and ∇h, ∇k the unit vectors from the feet to x.
#pragma once

#include "implicit/kernels.h"
#include "math/lanes.h"

// A distance and its gradient.
typedef struct Distance {
    Lanes value;
    Lanes3 gradient;
} Distance;

#define SHORTEST 1e-12f // of a squared length that is divided by

INLINE Lanes3 choose3(Lanes a, Lanes b, Lanes3 x, Lanes3 y) {
    return (Lanes3){lanes_if_less(a, b, x.x, y.x), lanes_if_less(a, b, x.y, y.y),
                    lanes_if_less(a, b, x.z, y.z)};
}

// A node of the line, per lane.
typedef struct LaneNode {
    Lanes3 at, side;
    Lanes along, radius, slope;
} LaneNode;

INLINE LaneNode gather_node(const MuscleNode *nodes, LaneBits index) {
    const int stride = (int)(sizeof *nodes / sizeof(float));
    const int32_t *at = (const int32_t *)&index;
    Lanes place[4], shape[4], side[4];
    gather_fours(nodes->place, stride, at, place);
    gather_fours(nodes->shape, stride, at, shape);
    gather_fours(nodes->side, stride, at, side);
    return (LaneNode){
        {place[0], place[1], place[2]}, {side[0], side[1], side[2]}, place[3], shape[0], shape[1]};
}

INLINE Lanes3 gather_at(const MuscleNode *nodes, LaneBits index) {
    Lanes place[4];
    gather_fours(nodes->place, (int)(sizeof *nodes / sizeof(float)), (const int32_t *)&index,
                 place);
    return (Lanes3){place[0], place[1], place[2]};
}

INLINE LaneNode choose_node(Lanes a, Lanes b, const LaneNode *x, const LaneNode *y) {
    return (LaneNode){choose3(a, b, x->at, y->at), choose3(a, b, x->side, y->side),
                      lanes_if_less(a, b, x->along, y->along),
                      lanes_if_less(a, b, x->radius, y->radius),
                      lanes_if_less(a, b, x->slope, y->slope)};
}

// A segment and the foot of x on the line through it.
typedef struct LaneFoot {
    Lanes t;           // along the segment, 0 to 1; not clamped
    Lanes length;      // of the segment
    Lanes3 way;        // its unit vector
    Lanes3 off;        // from the foot to x
    Lanes distance;    // of x from it
    Lanes inner, none; // inner < none: the foot is inside
} LaneFoot;

INLINE LaneFoot find_foot(const LaneNode *a, const LaneNode *b, Lanes3 x) {
    LaneFoot foot;
    Lanes3 edge = sub3(b->at, a->at), from = sub3(x, a->at);
    Lanes square = lanes_max(dot3(edge, edge), splat(SHORTEST));
    foot.length = lanes_sqrt(square);
    foot.way = mul3(edge, 1.0f / foot.length);
    foot.t = dot3(from, edge) / square;
    foot.off = sub3(from, mul3(edge, foot.t));
    foot.distance = lanes_sqrt(lanes_max(dot3(foot.off, foot.off), splat(SHORTEST)));
    foot.inner = lanes_max(-foot.t, foot.t - 1.0f);
    foot.none = splat(0.0f);
    return foot;
}

// As `inner` of the foot.
INLINE Lanes find_inner(Lanes3 a, Lanes3 b, Lanes3 x) {
    Lanes3 edge = sub3(b, a);
    Lanes square = lanes_max(dot3(edge, edge), splat(SHORTEST));
    Lanes t = dot3(sub3(x, a), edge) / square;
    return lanes_max(-t, t - 1.0f);
}

// The segment that is nearest to x, as a whole number, and the square of its distance.
typedef struct LaneNearest {
    Lanes segment, square;
} LaneNearest;

INLINE LaneNearest find_nearest(const MuscleNode *nodes, int begin, int end, Lanes3 x) {
    Lanes best = splat(3e38f), nearest = splat((float)begin);
    for (int i = begin; i < end; ++i) {
        const float *a = nodes[i].place, *b = nodes[i + 1].place;
        float e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        float square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        float over = 1.0f / (square > SHORTEST ? square : SHORTEST);
        Lanes3 from = {x.x - a[0], x.y - a[1], x.z - a[2]};
        Lanes t = lanes_clamp((from.x * e[0] + from.y * e[1] + from.z * e[2]) * over, 0.0f, 1.0f);
        Lanes3 off = {from.x - t * e[0], from.y - t * e[1], from.z - t * e[2]};
        Lanes apart = dot3(off, off);
        nearest = lanes_if_less(apart, best, splat((float)i), nearest);
        best = lanes_min(apart, best);
    }
    return (LaneNearest){nearest, best};
}

// No more than the field: its place on the line is no nearer than the nearest one.
INLINE Lanes least_distance(const FieldMuscle *m, const LaneNearest *nearest) {
    return lanes_sqrt(nearest->square) - m->most_radius;
}

// The place on the line that x belongs to.
typedef struct LanePlace {
    LaneNode a, b;   // the ends of the segment that it is in
    Lanes t, length; // along that segment, 0 to 1, and its length
    Lanes3 way;      // its unit vector
    Lanes3 gradient; // of the place
} LanePlace;

// σ and its gradient at the point where two segments meet.
INLINE Lanes join_feet(const LaneFoot *a, const LaneFoot *b, Lanes3 *out_gradient) {
    Lanes e = (1.0f - a->t) * a->length, g = b->t * b->length;
    Lanes3 to_a = mul3(a->off, 1.0f / a->distance), to_b = mul3(b->off, 1.0f / b->distance);
    Lanes w0 = e * b->distance, w1 = g * a->distance;
    Lanes over = 1.0f / lanes_max(w0 + w1, splat(SHORTEST)), sigma = (g * w1 - e * w0) * over;
    Lanes3 by_w0 = sub3(mul3(to_b, e), mul3(a->way, b->distance));
    Lanes3 by_w1 = add3(mul3(to_a, g), mul3(b->way, a->distance));
    Lanes3 sum = add3(mul3(b->way, w1), mul3(a->way, w0));
    sum = add3(sum, sub3(mul3(by_w1, g - sigma), mul3(by_w0, e + sigma)));
    *out_gradient = mul3(sum, over);
    return sigma;
}

INLINE LaneBits node_number(const FieldMuscle *m, Lanes nearest, float from_there) {
    Lanes number = lanes_clamp(nearest + from_there, 0.0f, (float)(m->count - 1));
    return __builtin_convertvector(number, LaneBits);
}

// Where a point is on its own segment and, if its foot on a neighbour is inside that as well, between both.
INLINE LanePlace find_place(const FieldMuscle *m, Lanes nearest, Lanes3 x) {
    LaneNode n[4];
    n[1] = gather_node(m->nodes, node_number(m, nearest, 0.0f));
    n[2] = gather_node(m->nodes, node_number(m, nearest, 1.0f));
    n[0].at = gather_at(m->nodes, node_number(m, nearest, -1.0f));
    n[3].at = gather_at(m->nodes, node_number(m, nearest, 2.0f));
    LaneFoot own = find_foot(&n[1], &n[2], x);
    Lanes inner_before = find_inner(n[0].at, n[1].at, x);
    Lanes inner_after = find_inner(n[2].at, n[3].at, x);
    Lanes joined = lanes_max(own.inner, lanes_min(inner_before, inner_after));
    if (!lanes_any_less(joined, splat(0.0f))) {
        Lanes3 none = {splat(0.0f), splat(0.0f), splat(0.0f)};
        return (LanePlace){n[1],       n[2],    lanes_clamp(own.t, 0.0f, 1.0f),
                           own.length, own.way, choose3(own.inner, splat(0.0f), own.way, none)};
    }
    n[0] = gather_node(m->nodes, node_number(m, nearest, -1.0f));
    n[3] = gather_node(m->nodes, node_number(m, nearest, 2.0f));
    LaneFoot before = find_foot(&n[0], &n[1], x), after = find_foot(&n[2], &n[3], x);
    Lanes3 in_before, in_after;
    Lanes first = join_feet(&before, &own, &in_before), last = join_feet(&own, &after, &in_after);
    // Below 0 where both feet are inside.
    Lanes joined_before = lanes_max(own.inner, before.inner);
    Lanes joined_after = lanes_max(own.inner, after.inner);
    Lanes zero = splat(0.0f);
    // By itself, then joined to the one after, then to the one before, which counts first.
    Lanes t = lanes_clamp(own.t, 0.0f, 1.0f);
    Lanes3 gradient = choose3(own.inner, zero, own.way, (Lanes3){zero, zero, zero});
    gradient = choose3(joined_after, zero, in_after, gradient);
    gradient = choose3(joined_before, zero, in_before, gradient);
    // σ along the own segment, or over into the neighbour: 1 says the one before, 2 the one after.
    Lanes over_after = lanes_if_less(joined_after, zero, last, splat(-1.0f));
    Lanes over_before = lanes_if_less(joined_before, zero, -first, splat(-1.0f));
    Lanes use_after = lanes_if_less(joined_before, zero, splat(-1.0f), over_after);
    t = lanes_if_less(joined_after, zero, 1.0f + last / own.length, t);
    t = lanes_if_less(joined_before, zero, first / own.length, t);
    t = lanes_if_less(zero, use_after, last / after.length, t);
    t = lanes_if_less(zero, over_before, 1.0f + first / before.length, t);
    LanePlace place = {.a = choose_node(zero, use_after, &n[2], &n[1]),
                       .b = choose_node(zero, use_after, &n[3], &n[2]),
                       .t = t,
                       .length = lanes_if_less(zero, use_after, after.length, own.length),
                       .way = choose3(zero, use_after, after.way, own.way),
                       .gradient = gradient};
    place.a = choose_node(zero, over_before, &n[0], &place.a);
    place.b = choose_node(zero, over_before, &n[1], &place.b);
    place.length = lanes_if_less(zero, over_before, before.length, place.length);
    place.way = choose3(zero, over_before, before.way, place.way);
    return place;
}

// The radius of the cubic between two nodes, and its slope.
INLINE Lanes radius_at(const LanePlace *p, Lanes *out_slope) {
    Lanes t = p->t, s = 1.0f - t;
    Lanes m0 = p->a.slope * p->length, m1 = p->b.slope * p->length;
    Lanes radius = s * s * ((1.0f + 2.0f * t) * p->a.radius + t * m0) +
                   t * t * ((1.0f + 2.0f * s) * p->b.radius - s * m1);
    *out_slope = (6.0f * t * s * (p->b.radius - p->a.radius) + s * (1.0f - 3.0f * t) * m0 +
                  t * (3.0f * t - 2.0f) * m1) /
                 p->length;
    return radius;
}

INLINE Distance muscle_distance(const FieldMuscle *m, Lanes nearest, Lanes3 x) {
    LanePlace p = find_place(m, nearest, x);
    Lanes3 edge = sub3(p.b.at, p.a.at), q = sub3(sub3(x, p.a.at), mul3(edge, p.t));
    Lanes d = lanes_sqrt(lanes_max(dot3(q, q), splat(SHORTEST)));
    Lanes3 n = mul3(q, 1.0f / d);
    Lanes slope, radius = radius_at(&p, &slope);
    Lanes3 gradient = sub3(n, mul3(p.gradient, dot3(n, p.way)));
    if (m->normal_axis == m->other_axis) // round
        return (Distance){d - radius, sub3(gradient, mul3(p.gradient, slope))};
    Lanes3 side = add3(mul3(p.a.side, 1.0f - p.t), mul3(p.b.side, p.t));
    Lanes over = 1.0f / lanes_sqrt(lanes_max(dot3(side, side), splat(SHORTEST)));
    Lanes3 change = mul3(sub3(p.b.side, p.a.side), over / p.length);
    side = mul3(side, over);
    Lanes3 across = sub3(q, mul3(p.way, dot3(q, p.way)));
    Lanes length = lanes_sqrt(lanes_max(dot3(across, across), splat(SHORTEST)));
    across = mul3(across, 1.0f / length);
    Lanes c = dot3(across, side), difference = splat(m->normal_axis - m->other_axis);
    Lanes r = 1.0f / lanes_sqrt(m->other_axis + difference * c * c);
    Lanes by_c = -(r * r * r) * c * difference;
    Lanes3 of_c = add3(mul3(sub3(side, mul3(across, c)), 1.0f / length),
                       mul3(p.gradient, dot3(across, change)));
    gradient = sub3(gradient, mul3(p.gradient, r * slope));
    return (Distance){d - radius * r, sub3(gradient, mul3(of_c, radius * by_c))};
}

// Joins a muscle to a part, with the values a of the part and b of the muscle and a width δ: the clean union
//   min(a, b) − (δ − |a − b|)²/4δ where |a − b| < δ, min(a, b) elsewhere,
// has a smooth gradient. What lies behind a muscle, where its gradient points into the part, keeps the
// gradient of the part (the detail blend of Canezin et al. 2013 does so, too): nobody goes the wrong way.
// A muscle counts as far as `most` out of the part, wherever it has gone: the skin keeps it inside.
INLINE Distance join_muscle(Distance a, Distance b, float width, float most) {
    Lanes bound = a.value - most;
    b.gradient = choose3(b.value, bound, a.gradient, b.gradient);
    b.value = lanes_max(b.value, bound);
    Lanes u = lanes_max(1.0f - lanes_abs(a.value - b.value) / width, splat(0.0f));
    Lanes less = lanes_min(a.value, b.value), half = 0.5f * u;
    Lanes by_a = lanes_if_less(a.value, b.value, 1.0f - half, half);
    Lanes3 gradient = add3(mul3(a.gradient, by_a), mul3(b.gradient, 1.0f - by_a));
    Lanes same = dot3(gradient, a.gradient), least = 0.2f * dot3(a.gradient, a.gradient);
    return (Distance){less - 0.25f * width * u * u, choose3(same, least, a.gradient, gradient)};
}
