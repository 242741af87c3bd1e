#include "view/pills.h"

#include "view/vec.h"

#define PI 3.14159265f

static int sides_of(const ViewPill *pill, ViewDetail detail) {
    float radius = fmaxf(pill->radius_a, pill->radius_b);
    float length = sn_vec3_length(sn_vec3_sub(pill->b, pill->a));
    SnVec3 middle = sn_vec3_scale(sn_vec3_add(pill->a, pill->b), 0.5f);
    float pixels = view_pixels_per_metre(detail, middle, 0.5f * length + radius);
    return view_sides_of(detail, radius * pixels);
}

// Of one end, the one where the spheres meet the cone included.
static int end_rings(int sides) { return sides > 6 ? view_cap_rings(sides) + 1 : 3; }

size_t view_pill_triangle_count(const ViewPill *pill, ViewDetail detail) {
    int sides = sides_of(pill, detail);
    return 2 * (size_t)sides * (size_t)(2 * end_rings(sides) - 1);
}

// Part of a sphere around `centre`, from the latitude `from` to `to`.
static void paint_end(const ViewBrush *brush, ViewRing *ring, SnVec3 centre, float radius,
                      float from, float to, bool joined) {
    int rings = end_rings(brush->sides);
    for (int k = 0; k < rings; ++k) {
        float phi = from + (to - from) * (float)k / (float)(rings - 1);
        ring->centre = sn_vec3_add_scaled(centre, ring->tangent, radius * sinf(phi));
        ring->radius = radius * fmaxf(cosf(phi), 0.0f);
        view_paint_ring(brush, ring, phi, joined || k > 0);
    }
}

// The cone touches both spheres at the latitude θ with sin θ = (r_a − r_b)/length: below it is
// sphere a, above it sphere b. Where one sphere holds the other, both are that one.
SnResult view_pill_add(ViewTriangles *triangles, const ViewPill *pill, const ViewLook *look,
                       ViewDetail detail) {
    int sides = sides_of(pill, detail);
    size_t rings = 2 * (size_t)end_rings(sides);
    SnResult result =
        view_triangles_reserve(triangles, rings * (size_t)(sides + 1), rings * (size_t)sides * 6);
    if (result.code != SN_OK)
        return result;
    SnVec3 along = sn_vec3_sub(pill->b, pill->a);
    float length = sn_vec3_length(along), taper = pill->radius_a - pill->radius_b, theta = 0.0f;
    ViewPill shape = *pill;
    if (length > fabsf(taper) + 1.0e-6f * pill->radius_a) {
        theta = asinf(taper / length);
    } else if (taper >= 0.0f) {
        shape.b = shape.a;
        shape.radius_b = shape.radius_a;
    } else {
        shape.a = shape.b;
        shape.radius_a = shape.radius_b;
    }
    ViewBrush brush = view_brush(triangles, look, sides);
    ViewRing ring = {.tangent = sn_vec3_normalise(along, sn_vec3(0.0f, 1.0f, 0.0f))};
    ring.axis = view_across(ring.tangent);
    paint_end(&brush, &ring, shape.a, shape.radius_a, -0.5f * PI, theta, false);
    paint_end(&brush, &ring, shape.b, shape.radius_b, theta, 0.5f * PI, true);
    return result;
}

#define NORMAL_ONE 32767.0f

// A vertex of a unit sphere becomes one of the ellipsoid; normals are those of what it was scaled from.
static void stretch(ViewVertex *vertex, SnVec3 centre, SnVec3 radii, SnQuat frame) {
    float *x = vertex->position;
    SnVec3 p = sn_vec3(radii.x * x[0], radii.y * x[1], radii.z * x[2]);
    SnVec3 n = sn_vec3(x[0] / radii.x, x[1] / radii.y, x[2] / radii.z);
    p = sn_vec3_add(centre, sn_quat_rotate(frame, p));
    n = sn_vec3_normalise(sn_quat_rotate(frame, n), sn_vec3(0.0f, 1.0f, 0.0f));
    const float place[3] = {p.x, p.y, p.z}, normal[3] = {n.x, n.y, n.z};
    for (int c = 0; c < 3; ++c) {
        x[c] = place[c];
        vertex->normal[c] = (int16_t)lrintf(NORMAL_ONE * normal[c]);
    }
}

SnResult view_ellipsoid_add(ViewTriangles *triangles, const ViewPill *sphere, SnVec3 radii,
                            SnQuat frame, const ViewLook *look, ViewDetail detail) {
    float largest = fmaxf(radii.x, fmaxf(radii.y, radii.z));
    ViewPill round = {sphere->a, sphere->a, largest, largest};
    size_t first = triangles->vertex_count;
    SnResult result = view_pill_add(triangles, &round, look, detail);
    SnVec3 centre = sn_vec3_sub(sphere->a, triangles->origin);
    for (size_t k = first; k < triangles->vertex_count; ++k) {
        float *x = triangles->vertices[k].position;
        SnVec3 p = sn_vec3_scale(sn_vec3_sub(sn_vec3(x[0], x[1], x[2]), centre), 1.0f / largest);
        x[0] = p.x;
        x[1] = p.y;
        x[2] = p.z;
        stretch(&triangles->vertices[k], centre, radii, frame);
    }
    return result;
}
