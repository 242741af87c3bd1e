#include "view/triangles.h"

#include "view/vec.h"

#include <stdlib.h>

#define PI 3.14159265f

void view_triangles_clear(ViewTriangles *triangles, SnVec3 origin) {
    triangles->vertex_count = triangles->index_count = 0;
    triangles->origin = origin;
}

static bool grow(void **memory, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity)
        return true;
    size_t wanted = count + count / 2;
    void *larger = realloc(*memory, wanted * size);
    if (larger) {
        *memory = larger;
        *capacity = wanted;
    }
    return larger;
}

SnResult view_triangles_reserve(ViewTriangles *triangles, size_t vertices, size_t indices) {
    size_t vertex_count = triangles->vertex_count + vertices;
    size_t index_count = triangles->index_count + indices;
    void *v = triangles->vertices, *i = triangles->indices;
    bool done = vertex_count <= UINT32_MAX &&
                grow(&v, &triangles->vertex_capacity, vertex_count, sizeof *triangles->vertices) &&
                grow(&i, &triangles->index_capacity, index_count, sizeof *triangles->indices);
    triangles->vertices = v;
    triangles->indices = i;
    return done ? sn_ok()
                : sn_error(SN_ERROR_MEMORY, "view: no memory for %zu triangles", index_count / 3);
}

void view_triangles_release(ViewTriangles *triangles) {
    free(triangles->vertices);
    free(triangles->indices);
    *triangles = (ViewTriangles){0};
}

float view_pixels_per_metre(ViewDetail detail, SnVec3 at, float reach) {
    float distance = sn_vec3_length(sn_vec3_sub(at, detail.eye));
    return detail.pixels_per_radian / fmaxf(fmaxf(distance - reach, 0.3f * distance), 1.0e-12f);
}

int view_sides_of(ViewDetail detail, float radius_pixels) {
    float sides = 4.0f + 3.6f * sqrtf(fmaxf(radius_pixels, 0.0f));
    return (int)fmaxf(5.0f, fminf(sides / detail.coarseness, VIEW_MOST_SIDES));
}

int view_cap_rings(int sides) { return sides >= 12 ? sides / 4 : 3; }

static uint8_t byte_of(float x) { return x > 0.0f ? (uint8_t)(fminf(x, 1.0f) * 255.0f + 0.5f) : 0; }

void view_colour_bytes(const ViewLook *look, uint8_t out[4]) {
    for (int i = 0; i < 3; ++i)
        out[i] = byte_of(look->colour[i]);
    out[3] = byte_of(0.5f + 0.5f * (look->sheer > 0.0f ? -look->sheer : look->softness));
}

ViewBrush view_brush(ViewTriangles *triangles, const ViewLook *look, int sides) {
    ViewBrush brush = {.triangles = triangles, .look = look, .sides = sides};
    for (int i = 0; i <= sides; ++i) {
        float angle = 2.0f * PI * (float)i / (float)sides;
        brush.cosines[i] = cosf(angle);
        brush.sines[i] = sinf(angle);
    }
    view_colour_bytes(look, brush.colour);
    return brush;
}

static void join_rings(const ViewBrush *brush) {
    ViewTriangles *triangles = brush->triangles;
    uint32_t here = (uint32_t)triangles->vertex_count, before = here - (uint32_t)brush->sides - 1;
    uint32_t *index = triangles->indices + triangles->index_count;
    for (uint32_t i = 0; i < (uint32_t)brush->sides; ++i, index += 6) {
        index[0] = before + i;
        index[1] = before + i + 1;
        index[2] = here + i;
        index[3] = before + i + 1;
        index[4] = here + i + 1;
        index[5] = here + i;
    }
    triangles->index_count += 6 * (size_t)brush->sides;
}

void view_paint_ring(const ViewBrush *brush, const ViewRing *ring, float tilt, bool join) {
    ViewTriangles *triangles = brush->triangles;
    SnVec3 binormal = sn_vec3_cross(ring->tangent, ring->axis);
    SnVec3 centre = sn_vec3_sub(ring->centre, triangles->origin);
    float out = cosf(tilt) * 32767.0f, forward = sinf(tilt) * 32767.0f;
    const float *section = brush->look->section;
    bool flat = section[0] > 0.0f && section[1] > 0.0f;
    float wide = flat ? section[0] : 1.0f, thick = flat ? section[1] : 1.0f;
    ViewVertex *vertex = triangles->vertices + triangles->vertex_count;
    for (int i = 0; i <= brush->sides; ++i, ++vertex) {
        float x = brush->cosines[i], y = brush->sines[i];
        SnVec3 radial =
            sn_vec3_add_scaled(sn_vec3_scale(ring->axis, wide * x), binormal, thick * y);
        SnVec3 p = sn_vec3_add_scaled(centre, radial, ring->radius);
        if (flat) { // the normal of an ellipse
            radial = sn_vec3_add_scaled(sn_vec3_scale(ring->axis, x / wide), binormal, y / thick);
            radial = sn_vec3_normalise(radial, ring->axis);
        }
        SnVec3 n = sn_vec3_add_scaled(sn_vec3_scale(radial, out), ring->tangent, forward);
        *vertex = (ViewVertex){
            {p.x, p.y, p.z},
            {(int16_t)n.x, (int16_t)n.y, (int16_t)n.z, 0},
            {(float)(brush->look->stripes * i) / (float)brush->sides,
             (float)brush->look->rings * ring->along},
            {brush->colour[0], brush->colour[1], brush->colour[2], brush->colour[3]},
        };
    }
    if (join)
        join_rings(brush);
    triangles->vertex_count += (size_t)brush->sides + 1;
}
