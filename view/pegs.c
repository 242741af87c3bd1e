#include "view/pegs.h"

#include "view/pills.h"
#include "view/vec.h"

#define PI 3.14159265f
#define FACE_RINGS 6 // of a peg's end: five around its edge, and the middle of the face
#define FARTHEST 1.0e9f

// One end of a cylinder, from the middle of its face (direction −1) or to it (+1).
static void paint_face(const ViewBrush *brush, const ViewRing *end, float bevel, float direction) {
    for (int k = 0; k < FACE_RINGS; ++k) {
        int step = direction > 0.0f ? k : FACE_RINGS - 1 - k; // 0 is on the side, the last two flat
        float phi = 0.5f * PI * fminf((float)step / (float)(FACE_RINGS - 2), 1.0f);
        ViewRing ring = *end;
        ring.centre =
            sn_vec3_add_scaled(end->centre, end->tangent, direction * bevel * (sinf(phi) - 1.0f));
        ring.radius = step == FACE_RINGS - 1 ? 0.0f : end->radius + bevel * (cosf(phi) - 1.0f);
        view_paint_ring(brush, &ring, direction * phi, direction > 0.0f || k > 0);
    }
}

static SnResult add_cylinder(ViewTriangles *triangles, const ViewPeg *peg, ViewDetail detail) {
    SnVec3 along = sn_vec3_sub(peg->b, peg->a);
    float length = sn_vec3_length(along);
    SnVec3 middle = sn_vec3_scale(sn_vec3_add(peg->a, peg->b), 0.5f);
    float pixels = view_pixels_per_metre(detail, middle, 0.5f * length);
    int sides = view_sides_of(detail, peg->radius * pixels);
    SnResult result = view_triangles_reserve(triangles, 2 * FACE_RINGS * (size_t)(sides + 1),
                                             2 * FACE_RINGS * (size_t)sides * 6);
    if (result.code != SN_OK)
        return result;
    ViewBrush brush = view_brush(triangles, &peg->look, sides);
    float bevel = fminf(0.2f * peg->radius, 0.5f * length);
    ViewRing end = {.centre = peg->a,
                    .tangent = sn_vec3_normalise(along, sn_vec3(0.0f, 1.0f, 0.0f))};
    end.axis = view_across(end.tangent);
    end.radius = peg->radius;
    paint_face(&brush, &end, bevel, -1.0f);
    end.centre = peg->b;
    paint_face(&brush, &end, bevel, 1.0f);
    return result;
}

static bool is_near(SnVec3 p) { // written so that NaN fails it
    return fabsf(p.x) < FARTHEST && fabsf(p.y) < FARTHEST && fabsf(p.z) < FARTHEST;
}

SnResult view_peg_add(ViewTriangles *triangles, const ViewPeg *peg, ViewDetail detail,
                      ViewBox *box) {
    SnResult nothing = {.code = SN_OK};
    if (!is_near(peg->a) || !is_near(peg->b) || !(peg->radius > 0.0f && peg->radius < FARTHEST))
        return nothing;
    view_box_add(box, peg->a, peg->radius);
    view_box_add(box, peg->b, peg->radius);
    if (sn_vec3_length(sn_vec3_sub(peg->b, peg->a)) < 1.0e-4f * peg->radius) {
        ViewPill ball = {peg->a, peg->a, peg->radius, peg->radius};
        return view_pill_add(triangles, &ball, &peg->look, detail);
    }
    return add_cylinder(triangles, peg, detail);
}
