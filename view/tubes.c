#include "view/tubes.h"

#include "view/vec.h"

#define PI 3.14159265f

static int wrap(const ViewTube *tube, int vertex) {
    int n = tube->vertex_count;
    return ((vertex % n) + n) % n;
}

// Beyond the ends of an open rod the curve goes straight on.
static SnVec3 point(const ViewTube *tube, int vertex) {
    int last = tube->vertex_count - 1;
    if (!tube->closed && vertex < 0) {
        SnVec3 p = view_load(tube->positions);
        return sn_vec3_sub(sn_vec3_scale(p, 2.0f), view_load(tube->positions + 3));
    }
    if (!tube->closed && vertex > last) {
        SnVec3 p = view_load(tube->positions + 3 * last);
        return sn_vec3_sub(sn_vec3_scale(p, 2.0f), view_load(tube->positions + 3 * (last - 1)));
    }
    return view_load(tube->positions + 3 * wrap(tube, vertex));
}

static float radius_at(const ViewTube *tube, int vertex) {
    int last = tube->vertex_count - 1;
    if (!tube->closed && vertex < 0)
        return 2.0f * tube->radii[0] - tube->radii[1];
    if (!tube->closed && vertex > last)
        return 2.0f * tube->radii[last] - tube->radii[last - 1];
    return tube->radii[wrap(tube, vertex)];
}

// Catmull-Rom weights of the four points around [1, 2] and their derivatives.
static void spline_weights(float t, float w[4], float d[4]) {
    float t2 = t * t, t3 = t2 * t;
    w[0] = 0.5f * (-t3 + 2.0f * t2 - t);
    w[1] = 0.5f * (3.0f * t3 - 5.0f * t2 + 2.0f);
    w[2] = 0.5f * (-3.0f * t3 + 4.0f * t2 + t);
    w[3] = 0.5f * (t3 - t2);
    d[0] = 0.5f * (-3.0f * t2 + 4.0f * t - 1.0f);
    d[1] = 0.5f * (9.0f * t2 - 10.0f * t);
    d[2] = 0.5f * (-9.0f * t2 + 8.0f * t + 1.0f);
    d[3] = 0.5f * (3.0f * t2 - 2.0f * t);
}

static const float *segment_frame(const ViewTube *tube, int segment) {
    int n = tube->segment_count;
    int i = tube->closed   ? ((segment % n) + n) % n
            : segment < 0  ? 0
            : segment >= n ? n - 1
                           : segment;
    return tube->frames + 4 * i;
}

// The first axis of the frames, which belong to the middles of segments, at a parameter in between.
static SnVec3 frame_axis(const ViewTube *tube, int segment, float t) {
    int first = t < 0.5f ? segment - 1 : segment;
    float blend = t < 0.5f ? t + 0.5f : t - 0.5f;
    const float *a = segment_frame(tube, first), *b = segment_frame(tube, first + 1);
    float sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0f ? -1.0f : 1.0f;
    float q[4];
    for (int i = 0; i < 4; ++i)
        q[i] = a[i] * (1.0f - blend) + sign * b[i] * blend;
    // First column of the rotation, up to the length of q.
    return sn_vec3(q[3] * q[3] + q[0] * q[0] - q[1] * q[1] - q[2] * q[2],
                   2.0f * (q[0] * q[1] + q[3] * q[2]), 2.0f * (q[0] * q[2] - q[3] * q[1]));
}

static ViewRing ring_at(const ViewTube *tube, int segment, float t, const ViewRing *previous) {
    float w[4], d[4];
    spline_weights(t, w, d);
    SnVec3 centre = sn_vec3(0.0f, 0.0f, 0.0f), speed = centre;
    float radius = 0.0f, growth = 0.0f, least = INFINITY;
    for (int i = 0; i < 4; ++i) {
        SnVec3 p = point(tube, segment - 1 + i);
        float r = radius_at(tube, segment - 1 + i);
        centre = sn_vec3_add_scaled(centre, p, w[i]);
        speed = sn_vec3_add_scaled(speed, p, d[i]);
        radius += r * w[i];
        growth += r * d[i];
        least = i == 1 || i == 2 ? fminf(least, r) : least;
    }
    SnVec3 forward = previous ? previous->tangent : sn_vec3(0.0f, 0.0f, 1.0f);
    ViewRing ring = {.centre = centre, .tangent = sn_vec3_normalise(speed, forward)};
    ring.radius = fmaxf(radius, 0.5f * least); // the spline may undershoot
    ring.slope = fmaxf(-1.5f, fminf(1.5f, growth / fmaxf(sn_vec3_length(speed), 1.0e-12f)));
    ring.along = ((float)segment + t) / (float)tube->segment_count;

    SnVec3 axis = tube->frames ? frame_axis(tube, segment, t)
                  : previous   ? previous->axis
                               : view_across(ring.tangent);
    axis = sn_vec3_add_scaled(axis, ring.tangent, -sn_vec3_dot(axis, ring.tangent));
    ring.axis = sn_vec3_normalise(axis, view_across(ring.tangent));
    return ring;
}

// A part of a sphere that continues the tube's last ring without a crease: with slope tan α the
// sphere has the radius r/cos α and lies r·tan α further on. `direction` is +1 at the end of the
// tube and −1 at its start, where the rings are painted from the pole inwards. An end that widens
// gets half a sphere: a larger part of one would look like a balloon.
static void paint_cap(const ViewBrush *brush, const ViewRing *end, float direction) {
    float alpha = fminf(atanf(end->slope * direction), 0.0f);
    float sphere = end->radius / cosf(alpha);
    SnVec3 middle = sn_vec3_add_scaled(end->centre, end->tangent, direction * sphere * sinf(alpha));
    int rings = view_cap_rings(brush->sides);
    for (int k = 1; k <= rings; ++k) {
        float step = (float)(direction > 0.0f ? k : rings + 1 - k) / (float)rings;
        float phi = -alpha + (0.5f * PI + alpha) * step;
        ViewRing ring = *end;
        ring.centre = sn_vec3_add_scaled(middle, end->tangent, direction * sphere * sinf(phi));
        ring.radius = sphere * fmaxf(cosf(phi), 0.0f);
        view_paint_ring(brush, &ring, direction * phi, direction > 0.0f || k > 1);
    }
}

ViewTubeDetail view_tube_detail(const ViewTube *tube, ViewDetail detail) {
    float length = 0.0f, radius = 0.0f;
    for (int i = 0; i < tube->vertex_count; ++i)
        radius = fmaxf(radius, tube->radii[i]);
    for (int i = 0; i + 1 < tube->vertex_count; ++i)
        length += sn_vec3_length(sn_vec3_sub(view_load(tube->positions + 3 * i),
                                             view_load(tube->positions + 3 * (i + 1))));
    SnVec3 middle = view_load(tube->positions + 3 * (tube->vertex_count / 2));
    float pixels = view_pixels_per_metre(detail, middle, 0.5f * length);
    float pieces = length / (float)tube->segment_count * pixels / 7.0f;
    ViewTubeDetail fine = {.sides = view_sides_of(detail, radius * pixels)};
    fine.subdivisions = (int)fmaxf(1.0f, fminf(pieces / detail.coarseness + 0.5f, 4.0f));
    fine.rings = (size_t)tube->segment_count * (size_t)fine.subdivisions + 1 +
                 2 * (size_t)view_cap_rings(fine.sides);
    return fine;
}

SnResult view_tube_add(ViewTriangles *triangles, const ViewTube *tube, ViewDetail detail) {
    ViewTubeDetail fine = view_tube_detail(tube, detail);
    SnResult result = view_triangles_reserve(triangles, fine.rings * (size_t)(fine.sides + 1),
                                             fine.rings * (size_t)fine.sides * 6);
    if (result.code != SN_OK)
        return result;
    ViewBrush brush = view_brush(triangles, tube->look, fine.sides);
    ViewRing ring = ring_at(tube, 0, 0.0f, NULL);
    if (!tube->closed)
        paint_cap(&brush, &ring, -1.0f);
    view_paint_ring(&brush, &ring, -atanf(ring.slope), !tube->closed);
    for (int segment = 0; segment < tube->segment_count; ++segment)
        for (int k = 1; k <= fine.subdivisions; ++k) {
            ring = ring_at(tube, segment, (float)k / (float)fine.subdivisions, &ring);
            view_paint_ring(&brush, &ring, -atanf(ring.slope), true);
        }
    if (!tube->closed)
        paint_cap(&brush, &ring, 1.0f);
    return result;
}
