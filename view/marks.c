#include "view/marks.h"

#include "view/rods.h"
#include "view/vec.h"

#define SIDES 8
#define FARTHEST 1.0e9f
#define THINNEST 0.9f // radius of a stick in pixels

// A disc around the start, a stick, and a head at its end; either may have no width.
typedef struct Arrow {
    SnVec3 from, direction; // a unit vector
    float length, stick, disc, head;
    ViewLook look;
} Arrow;

static SnResult add_arrow(ViewTriangles *triangles, const Arrow *arrow) {
    enum { RINGS = 8 };
    SnResult result =
        view_triangles_reserve(triangles, RINGS * (SIDES + 1), RINGS * SIDES * (size_t)6);
    if (result.code != SN_OK)
        return result;
    // Along the arrow, across it, and where the surface looks.
    float neck = fmaxf(arrow->length - 2.0f * arrow->head, 0.0f), thin = 0.4f * arrow->stick;
    const float profile[RINGS][3] = {
        {0.0f, 0.0f, -1.5f},         {0.0f, arrow->disc, -0.8f},  {thin, arrow->disc, 0.8f},
        {thin, arrow->stick, 0.8f},  {neck, arrow->stick, 0.0f},  {neck, arrow->head, -0.3f},
        {arrow->length, 0.0f, 0.5f}, {arrow->length, 0.0f, 1.5f},
    };
    ViewBrush brush = view_brush(triangles, &arrow->look, SIDES);
    ViewRing ring = {.tangent = arrow->direction, .axis = view_across(arrow->direction)};
    for (int i = 0; i < RINGS; ++i) {
        ring.centre = sn_vec3_add_scaled(arrow->from, arrow->direction, profile[i][0]);
        ring.radius = profile[i][1];
        view_paint_ring(&brush, &ring, profile[i][2], i > 0);
    }
    return result;
}

static bool is_near(SnVec3 p) { // written so that NaN fails it
    return fabsf(p.x) < FARTHEST && fabsf(p.y) < FARTHEST && fabsf(p.z) < FARTHEST;
}

static SnResult add_frame(ViewTriangles *triangles, const ViewRods *rods, int rod, int segment,
                          ViewDetail detail) {
    static const ViewLook looks[3] = {{.colour = {0.90f, 0.22f, 0.20f}},
                                      {.colour = {0.25f, 0.70f, 0.28f}},
                                      {.colour = {0.20f, 0.42f, 0.92f}}};
    ViewSegment ends = view_rod_segment(rods, rod, segment);
    size_t first = (size_t)rods->vertex_begin[rod];
    SnVec3 a = view_load(rods->positions + 3 * (first + (size_t)ends.a));
    SnVec3 b = view_load(rods->positions + 3 * (first + (size_t)ends.b));
    float radius =
        0.5f * (rods->radii[first + (size_t)ends.a] + rods->radii[first + (size_t)ends.b]);
    const float *f = rods->frames + 4 * (size_t)(rods->segment_begin[rod] + segment);
    SnQuat rotation = {f[0], f[1], f[2], f[3]};
    // A short thick segment is between others like it, which its axes would hide.
    float length = sn_vec3_length(sn_vec3_sub(b, a)), reach = fminf(1.4f * radius, 0.9f * length);
    SnVec3 middle = sn_vec3_scale(sn_vec3_add(a, b), 0.5f);
    float thinnest = THINNEST / view_pixels_per_metre(detail, middle, 0.0f);
    Arrow arrow = {.from = middle, .stick = fmaxf(0.04f * reach, thinnest)};
    SnResult result = {.code = SN_OK};
    for (int i = 0; i < 3 && result.code == SN_OK; ++i) {
        arrow.direction = sn_quat_rotate(rotation, sn_vec3(i == 0, i == 1, i == 2));
        arrow.length = i == 2 ? 0.45f * length : reach; // the third lies along the rod
        arrow.disc = arrow.stick;
        arrow.head = 1.8f * arrow.stick;
        arrow.look = looks[i];
        result = add_arrow(triangles, &arrow);
    }
    return result;
}

static SnResult add_frames(ViewTriangles *triangles, const ViewRods *rods, ViewDetail detail) {
    SnResult result = {.code = SN_OK};
    for (int i = 0; i < rods->count; ++i) {
        int segments = rods->segment_begin[i + 1] - rods->segment_begin[i];
        bool drawable = view_rod_is_drawable(rods, i);
        for (int k = 0; drawable && k < segments && result.code == SN_OK; ++k)
            result = add_frame(triangles, rods, i, k, detail);
    }
    return result;
}

// An arrow's length grows with the root of the impulse: that of a body at rest is small beside that
// of an impact, and both are to be seen.
static SnResult add_contacts(ViewTriangles *triangles, const ViewScene *scene, float mean_radius,
                             ViewDetail detail) {
    SnResult result = {.code = SN_OK};
    float largest = 0.0f;
    for (int i = 0; i < scene->contact_count; ++i) {
        float impulse = scene->contacts[i].impulse;
        largest = impulse > largest && impulse < FARTHEST ? impulse : largest;
    }
    for (int i = 0; i < scene->contact_count && result.code == SN_OK; ++i) {
        const ViewContact *contact = &scene->contacts[i];
        float length = sn_vec3_length(contact->normal);
        if (!is_near(contact->position) || !(length > 0.5f && length < 2.0f))
            continue;
        float share = largest > 0.0f ? fmaxf(contact->impulse, 0.0f) / largest : 0.0f;
        float thinnest = THINNEST / view_pixels_per_metre(detail, contact->position, 0.0f);
        float stick = fmaxf(0.04f * mean_radius, 1.2f * thinnest);
        Arrow arrow = {.from = contact->position, .direction = contact->normal, .stick = stick};
        arrow.disc = fmaxf(0.2f * mean_radius, 2.2f * stick);
        arrow.head = 1.8f * stick;
        arrow.length = 3.0f * arrow.head + 2.0f * mean_radius * sqrtf(fminf(share, 1.0f));
        arrow.look = (ViewLook){.colour = {0.98f, 0.80f, 0.10f}};
        result = add_arrow(triangles, &arrow);
    }
    return result;
}

SnResult view_marks_add(ViewTriangles *triangles, const ViewScene *scene, float mean_radius,
                        ViewDetail detail) {
    SnResult result = {.code = SN_OK};
    if (scene->rods.show_frames && scene->rods.frames)
        result = add_frames(triangles, &scene->rods, detail);
    return result.code == SN_OK ? add_contacts(triangles, scene, mean_radius, detail) : result;
}
