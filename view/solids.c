#include "view/solids.h"

#include "view/pills.h"
#include "view/vec.h"

#define FARTHEST 1.0e9f
#define PLANE_REACH 2.5f // half the side of a plane, in radii of the scene

static bool is_near(SnVec3 p) { // written so that NaN fails it
    return fabsf(p.x) < FARTHEST && fabsf(p.y) < FARTHEST && fabsf(p.z) < FARTHEST;
}

static bool has_place(const ViewSolid *solid) {
    SnQuat q = solid->pose.rotation;
    float length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return is_near(solid->pose.position) && fabsf(length - 1.0f) < 0.1f;
}

static bool is_size(float x) { return x > 0.0f && x < FARTHEST; }

float view_grid_spacing(float size) {
    float power = powf(10.0f, floorf(log10f(fmaxf(size, 1.0e-9f))));
    float digit = size / power;
    return power * (digit < 2.0f ? 1.0f : digit < 5.0f ? 2.0f : 5.0f);
}

// A rectangle around `centre`, facing across × up; the corners are counted anticlockwise.
typedef struct Face {
    SnVec3 centre, across, up;
    float pattern_x, pattern_y; // grid cells from the middle to an edge
} Face;

static void paint_face(ViewTriangles *triangles, const Face *face, const ViewLook *look) {
    uint8_t colour[4];
    view_colour_bytes(look, colour);
    SnVec3 n = sn_vec3_normalise(sn_vec3_cross(face->across, face->up), sn_vec3(0.0f, 1.0f, 0.0f));
    n = sn_vec3_scale(n, 32767.0f);
    uint32_t first = (uint32_t)triangles->vertex_count;
    for (int i = 0; i < 4; ++i) {
        float x = i == 1 || i == 2 ? 1.0f : -1.0f, y = i >= 2 ? 1.0f : -1.0f;
        SnVec3 p =
            sn_vec3_add_scaled(sn_vec3_add_scaled(face->centre, face->across, x), face->up, y);
        p = sn_vec3_sub(p, triangles->origin);
        triangles->vertices[triangles->vertex_count++] =
            (ViewVertex){{p.x, p.y, p.z},
                         {(int16_t)n.x, (int16_t)n.y, (int16_t)n.z, VIEW_PATTERN_GRID},
                         {x * face->pattern_x, y * face->pattern_y},
                         {colour[0], colour[1], colour[2], colour[3]}};
    }
    const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < 6; ++i)
        triangles->indices[triangles->index_count++] = first + corners[i];
}

static SnResult add_box(ViewTriangles *triangles, const ViewSolid *solid, ViewBox *box) {
    SnResult result = view_triangles_reserve(triangles, 24, 36);
    if (result.code != SN_OK)
        return result;
    const float *half = &solid->half_size.x;
    SnVec3 axes[3];
    for (int i = 0; i < 3; ++i) {
        SnVec3 unit = sn_vec3(i == 0, i == 1, i == 2);
        axes[i] = sn_vec3_scale(sn_quat_rotate(solid->pose.rotation, unit), half[i]);
    }
    SnVec3 centre = solid->pose.position;
    for (int i = 0; i < 6; ++i) {
        float side = i < 3 ? 1.0f : -1.0f;
        Face face = {sn_vec3_add_scaled(centre, axes[i % 3], side),
                     sn_vec3_scale(axes[(i + 1) % 3], side), axes[(i + 2) % 3], 0.0f, 0.0f};
        paint_face(triangles, &face, &solid->look);
    }
    for (int i = 0; i < 8; ++i) {
        SnVec3 p = sn_vec3_add_scaled(centre, axes[0], i & 1 ? 1.0f : -1.0f);
        p = sn_vec3_add_scaled(sn_vec3_add_scaled(p, axes[1], i & 2 ? 1.0f : -1.0f), axes[2],
                               i & 4 ? 1.0f : -1.0f);
        view_box_add(box, p, 0.0f);
    }
    return result;
}

SnResult view_solid_add(ViewTriangles *triangles, const ViewSolid *solid, ViewDetail detail,
                        ViewBox *box) {
    SnResult nothing = {.code = SN_OK};
    if (!has_place(solid) || solid->kind == VIEW_SOLID_PLANE)
        return nothing;
    if (solid->kind == VIEW_SOLID_BOX) {
        SnVec3 h = solid->half_size;
        bool good = is_size(h.x) && is_size(h.y) && is_size(h.z);
        return good ? add_box(triangles, solid, box) : nothing;
    }
    if (!is_size(solid->radius_a) || !is_size(solid->radius_b) || !is_near(solid->a) ||
        !is_near(solid->b))
        return nothing;
    ViewPill pill = {sn_pose_apply(solid->pose, solid->a), sn_pose_apply(solid->pose, solid->b),
                     solid->radius_a, solid->radius_b};
    view_box_add(box, pill.a, pill.radius_a);
    view_box_add(box, pill.b, pill.radius_b);
    return view_pill_add(triangles, &pill, &solid->look, detail);
}

// Where a ray from p along the light meets the plane, if that is not too far away.
static void add_shadow(const ViewBox *of, SnVec3 point, SnVec3 normal, SnVec3 light, ViewBox *box) {
    float steep = sn_vec3_dot(light, normal), farthest = 4.0f * view_box_radius(of);
    for (int i = 0; i < 8 && steep > 0.05f; ++i) {
        SnVec3 p = view_box_corner(of, i);
        float t = sn_vec3_dot(sn_vec3_sub(p, point), normal) / steep;
        if (t > 0.0f)
            view_box_add(box, sn_vec3_add_scaled(p, light, -fminf(t, farthest)), 0.0f);
    }
}

SnResult view_plane_add(ViewTriangles *triangles, const ViewSolid *solid, SnVec3 light,
                        ViewBox *box) {
    SnResult result = {.code = SN_OK};
    if (!has_place(solid))
        return result;
    result = view_triangles_reserve(triangles, 4, 6);
    if (result.code != SN_OK)
        return result;
    SnVec3 normal = sn_quat_rotate(solid->pose.rotation, sn_vec3(0.0f, 1.0f, 0.0f));
    SnVec3 point = solid->pose.position, middle = view_box_middle(box);
    float size = view_box_radius(box), reach = PLANE_REACH * size;
    float above = sn_vec3_dot(sn_vec3_sub(middle, point), normal);
    SnVec3 across = sn_quat_rotate(solid->pose.rotation, sn_vec3(1.0f, 0.0f, 0.0f));
    Face face = {.centre = sn_vec3_add_scaled(middle, normal, -above),
                 .across = sn_vec3_scale(across, reach)};
    face.up = sn_vec3_cross(normal, face.across);
    face.pattern_x = face.pattern_y = reach / view_grid_spacing(0.3f * size);
    const ViewBox of = *box;
    paint_face(triangles, &face, &solid->look);
    add_shadow(&of, point, normal, light, box);
    return result;
}
