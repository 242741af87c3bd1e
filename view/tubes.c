#include "view/tubes.h"

#include "base/result.h"
#include "view/vec.h"

#include <stdlib.h>

#define PI 3.14159265f
#define MOST_SIDES 32
#define FACE_RINGS 6 // of a peg's end: five around its edge, and the middle of the face
// Triangles of a picture; beyond it all tubes get coarser together.
#define TRIANGLE_BUDGET 320000.0
#define FARTHEST 1.0e9f

// One tube: a rod or a peg.
typedef struct Tube {
    int vertex_count, segment_count;
    bool closed;
    const float *positions, *radii, *frames;
    const SnvLook *look;
    int sides, subdivisions; // per segment
} Tube;

// Of a cap, so that it is as round as the tube.
static int cap_rings(int sides) { return sides >= 12 ? sides / 4 : 3; }

// A cross-section of a tube.
typedef struct Ring {
    SnVec3 centre, tangent, axis; // the axis is where the pattern starts
    float radius, slope;          // slope: change of radius per length
    float along;                  // 0 to 1 over the tube's material
} Ring;

static int wrap(const Tube *tube, int vertex) {
    int n = tube->vertex_count;
    return ((vertex % n) + n) % n;
}

// Beyond the ends of an open rod the curve goes straight on.
static SnVec3 point(const Tube *tube, int vertex) {
    int last = tube->vertex_count - 1;
    if (!tube->closed && vertex < 0) {
        SnVec3 p = snv__load(tube->positions);
        return snv__sub(snv__scale(p, 2.0f), snv__load(tube->positions + 3));
    }
    if (!tube->closed && vertex > last) {
        SnVec3 p = snv__load(tube->positions + 3 * last);
        return snv__sub(snv__scale(p, 2.0f), snv__load(tube->positions + 3 * (last - 1)));
    }
    return snv__load(tube->positions + 3 * wrap(tube, vertex));
}

static float radius_at(const Tube *tube, int vertex) {
    int last = tube->vertex_count - 1;
    if (!tube->closed && vertex < 0) {
        return 2.0f * tube->radii[0] - tube->radii[1];
    }
    if (!tube->closed && vertex > last) {
        return 2.0f * tube->radii[last] - tube->radii[last - 1];
    }
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

static const float *segment_frame(const Tube *tube, int segment) {
    int n = tube->segment_count;
    int i = tube->closed   ? ((segment % n) + n) % n
            : segment < 0  ? 0
            : segment >= n ? n - 1
                           : segment;
    return tube->frames + 4 * i;
}

// The first axis of the frames, which belong to the middles of segments, at a parameter in between.
static SnVec3 frame_axis(const Tube *tube, int segment, float t) {
    int first = t < 0.5f ? segment - 1 : segment;
    float blend = t < 0.5f ? t + 0.5f : t - 0.5f;
    const float *a = segment_frame(tube, first), *b = segment_frame(tube, first + 1);
    float sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0f ? -1.0f : 1.0f;
    float q[4];
    for (int i = 0; i < 4; i++) {
        q[i] = a[i] * (1.0f - blend) + sign * b[i] * blend;
    }
    // First column of the rotation, up to the length of q.
    return sn_vec3(q[3] * q[3] + q[0] * q[0] - q[1] * q[1] - q[2] * q[2],
                   2.0f * (q[0] * q[1] + q[3] * q[2]), 2.0f * (q[0] * q[2] - q[3] * q[1]));
}

static Ring ring_at(const Tube *tube, int segment, float t, const Ring *previous) {
    float w[4], d[4];
    spline_weights(t, w, d);
    SnVec3 centre = sn_vec3(0.0f, 0.0f, 0.0f), speed = centre;
    float radius = 0.0f, growth = 0.0f, least = INFINITY;
    for (int i = 0; i < 4; i++) {
        SnVec3 p = point(tube, segment - 1 + i);
        float r = radius_at(tube, segment - 1 + i);
        centre = snv__mad(centre, p, w[i]);
        speed = snv__mad(speed, p, d[i]);
        radius += r * w[i];
        growth += r * d[i];
        least = i == 1 || i == 2 ? fminf(least, r) : least;
    }
    SnVec3 forward = previous ? previous->tangent : sn_vec3(0.0f, 0.0f, 1.0f);
    Ring ring = {.centre = centre, .tangent = snv__normalise(speed, forward)};
    ring.radius = fmaxf(radius, 0.5f * least); // the spline may undershoot
    ring.slope = fmaxf(-1.5f, fminf(1.5f, growth / fmaxf(snv__length(speed), 1.0e-12f)));
    ring.along = ((float)segment + t) / (float)tube->segment_count;

    SnVec3 axis = tube->frames ? frame_axis(tube, segment, t)
                  : previous   ? previous->axis
                               : snv__across(ring.tangent);
    axis = snv__mad(axis, ring.tangent, -snv__dot(axis, ring.tangent));
    ring.axis = snv__normalise(axis, snv__across(ring.tangent));
    return ring;
}

static void *grown(void *memory, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) {
        return memory;
    }
    size_t wanted = count + count / 2;
    void *larger = realloc(memory, wanted * size);
    if (larger) {
        *capacity = wanted;
    }
    return larger;
}

static bool reserve(SnvMesh *mesh, size_t vertices, size_t indices) {
    void *v = grown(mesh->vertices, &mesh->vertex_capacity, mesh->vertex_count + vertices,
                    sizeof *mesh->vertices);
    if (!v) {
        return false;
    }
    mesh->vertices = v;
    void *i = grown(mesh->indices, &mesh->index_capacity, mesh->index_count + indices,
                    sizeof *mesh->indices);
    if (!i) {
        return false;
    }
    mesh->indices = i;
    return true;
}

// What all rings of a tube share: the directions around it and the colour.
typedef struct Brush {
    SnvMesh *mesh;
    const SnvLook *look;
    SnVec3 origin;
    int sides;
    float cosines[MOST_SIDES + 1], sines[MOST_SIDES + 1];
    uint8_t colour[4];
} Brush;

static uint8_t byte_of(float x) { return x > 0.0f ? (uint8_t)(fminf(x, 1.0f) * 255.0f + 0.5f) : 0; }

static Brush brush_for(SnvMesh *mesh, const Tube *tube, SnVec3 origin) {
    Brush brush = {.mesh = mesh, .look = tube->look, .origin = origin, .sides = tube->sides};
    for (int i = 0; i <= tube->sides; i++) {
        float angle = 2.0f * PI * (float)i / (float)tube->sides;
        brush.cosines[i] = cosf(angle);
        brush.sines[i] = sinf(angle);
    }
    for (int i = 0; i < 3; i++) {
        brush.colour[i] = byte_of(tube->look->colour[i]);
    }
    brush.colour[3] = byte_of(tube->look->softness);
    return brush;
}

// One ring of vertices, and the triangles that join it to the one before. `tilt` is the angle of
// the normals from the cross-section's plane towards the tangent.
static void paint_ring(const Brush *brush, const Ring *ring, float tilt, bool join) {
    SnvMesh *mesh = brush->mesh;
    SnVec3 binormal = snv__cross(ring->tangent, ring->axis);
    SnVec3 centre = snv__sub(ring->centre, brush->origin);
    float out = cosf(tilt) * 32767.0f, forward = sinf(tilt) * 32767.0f;
    SnvVertex *vertex = mesh->vertices + mesh->vertex_count;
    for (int i = 0; i <= brush->sides; i++, vertex++) {
        SnVec3 radial =
            snv__mad(snv__scale(ring->axis, brush->cosines[i]), binormal, brush->sines[i]);
        SnVec3 p = snv__mad(centre, radial, ring->radius);
        SnVec3 n = snv__mad(snv__scale(radial, out), ring->tangent, forward);
        *vertex = (SnvVertex){
            {p.x, p.y, p.z},
            {(int16_t)n.x, (int16_t)n.y, (int16_t)n.z, 0},
            {(float)(brush->look->stripes * i) / (float)brush->sides,
             (float)brush->look->rings * ring->along},
            {brush->colour[0], brush->colour[1], brush->colour[2], brush->colour[3]},
        };
    }
    if (join) {
        uint32_t here = (uint32_t)mesh->vertex_count, before = here - (uint32_t)brush->sides - 1;
        uint32_t *index = mesh->indices + mesh->index_count;
        for (uint32_t i = 0; i < (uint32_t)brush->sides; i++, index += 6) {
            index[0] = before + i;
            index[1] = before + i + 1;
            index[2] = here + i;
            index[3] = before + i + 1;
            index[4] = here + i + 1;
            index[5] = here + i;
        }
        mesh->index_count += 6 * (size_t)brush->sides;
    }
    mesh->vertex_count += (size_t)brush->sides + 1;
}

// A part of a sphere that continues the tube's last ring without a crease: with slope tan α the
// sphere has the radius r/cos α and lies r·tan α further on. `direction` is +1 at the end of the
// tube and −1 at its start, where the rings are painted from the pole inwards. An end that widens
// gets half a sphere: a larger part of one would look like a balloon.
static void paint_cap(const Brush *brush, const Ring *end, float direction) {
    float alpha = fminf(atanf(end->slope * direction), 0.0f);
    float sphere = end->radius / cosf(alpha);
    SnVec3 middle = snv__mad(end->centre, end->tangent, direction * sphere * sinf(alpha));
    int rings = cap_rings(brush->sides);
    for (int k = 1; k <= rings; k++) {
        float step = (float)(direction > 0.0f ? k : rings + 1 - k) / (float)rings;
        float phi = -alpha + (0.5f * PI + alpha) * step;
        Ring ring = *end;
        ring.centre = snv__mad(middle, end->tangent, direction * sphere * sinf(phi));
        ring.radius = sphere * fmaxf(cosf(phi), 0.0f);
        paint_ring(brush, &ring, direction * phi, direction > 0.0f || k > 1);
    }
}

static SnResult add_tube(SnvMesh *mesh, const Tube *tube, SnVec3 origin) {
    size_t rings =
        (size_t)tube->segment_count * tube->subdivisions + 1 + 2 * cap_rings(tube->sides);
    if (!reserve(mesh, rings * (tube->sides + 1), rings * tube->sides * 6)) {
        return sn__error(SN_ERROR_MEMORY, "view: no memory for a tube of %d vertices",
                         tube->vertex_count);
    }
    Brush brush = brush_for(mesh, tube, origin);
    Ring ring = ring_at(tube, 0, 0.0f, NULL);
    if (!tube->closed) {
        paint_cap(&brush, &ring, -1.0f);
    }
    paint_ring(&brush, &ring, -atanf(ring.slope), !tube->closed);
    for (int segment = 0; segment < tube->segment_count; segment++) {
        for (int k = 1; k <= tube->subdivisions; k++) {
            ring = ring_at(tube, segment, (float)k / (float)tube->subdivisions, &ring);
            paint_ring(&brush, &ring, -atanf(ring.slope), true);
        }
    }
    if (!tube->closed) {
        paint_cap(&brush, &ring, 1.0f);
    }
    return sn__ok();
}

static bool is_drawable(const Tube *tube) {
    if (tube->vertex_count < 2 || tube->segment_count < tube->vertex_count - 1) {
        return false;
    }
    // Comparisons that NaN fails.
    for (int i = 0; i < 3 * tube->vertex_count; i++) {
        if (!(fabsf(tube->positions[i]) < FARTHEST)) {
            return false;
        }
    }
    for (int i = 0; i < tube->vertex_count; i++) {
        if (!(tube->radii[i] > 0.0f && tube->radii[i] < FARTHEST)) {
            return false;
        }
    }
    for (int i = 0; tube->frames && i < 4 * tube->segment_count; i++) {
        if (!(fabsf(tube->frames[i]) < 2.0f)) {
            return false;
        }
    }
    return true;
}

// Sides and subdivisions from the size of the tube on the screen.
static void choose_detail(Tube *tube, SnvDetail detail, float coarseness) {
    const float *middle = tube->positions + 3 * (tube->vertex_count / 2);
    float length = 0.0f, radius = 0.0f;
    for (int i = 0; i < tube->vertex_count; i++) {
        radius = fmaxf(radius, tube->radii[i]);
    }
    for (int i = 0; i + 1 < tube->vertex_count; i++) {
        length += snv__length(
            snv__sub(snv__load(tube->positions + 3 * i), snv__load(tube->positions + 3 * (i + 1))));
    }
    float distance = snv__length(snv__sub(snv__load(middle), detail.eye));
    float pixels = detail.pixels_per_radian / fmaxf(distance - 0.5f * length, 0.3f * distance);
    float sides = 4.0f + 3.6f * sqrtf(fmaxf(radius * pixels, 0.0f));
    float pieces = length / (float)tube->segment_count * pixels / 7.0f;
    tube->sides = (int)fmaxf(5.0f, fminf(sides / coarseness, MOST_SIDES));
    tube->subdivisions = (int)fmaxf(1.0f, fminf(pieces / coarseness + 0.5f, 4.0f));
}

static Tube rod_tube(const SnvRods *rods, int i, SnvLook *look) {
    int vertex = rods->vertex_begin[i], segment = rods->segment_begin[i];
    Tube tube = {
        .vertex_count = rods->vertex_begin[i + 1] - vertex,
        .segment_count = rods->segment_begin[i + 1] - segment,
        .positions = rods->positions + 3 * (size_t)vertex,
        .radii = rods->radii + vertex,
        .frames = rods->frames ? rods->frames + 4 * (size_t)segment : NULL,
        .look = look,
    };
    tube.closed = tube.segment_count == tube.vertex_count;
    *look = rods->looks ? rods->looks[i] : snv_palette(i);
    return tube;
}

static double triangle_count(const Tube *tube) {
    return 2.0 * tube->sides *
           ((double)tube->segment_count * tube->subdivisions + 2 * cap_rings(tube->sides));
}

static float choose_coarseness(const SnvRods *rods, SnvDetail detail) {
    double triangles = 0.0;
    for (int i = 0; i < rods->count; i++) {
        SnvLook look;
        Tube tube = rod_tube(rods, i, &look);
        if (is_drawable(&tube)) {
            choose_detail(&tube, detail, 1.0f);
            triangles += triangle_count(&tube);
        }
    }
    return (float)fmax(1.0, sqrt(triangles / TRIANGLE_BUDGET));
}

static SnResult add_rods(SnvMesh *mesh, const SnvRods *rods, SnVec3 origin, SnvDetail detail) {
    float coarseness = choose_coarseness(rods, detail);
    double radius_sum = 0.0;
    long drawn = 0;
    for (int i = 0; i < rods->count; i++) {
        SnvLook look;
        Tube tube = rod_tube(rods, i, &look);
        if (!is_drawable(&tube)) {
            mesh->skipped_rods++;
            continue;
        }
        choose_detail(&tube, detail, coarseness);
        SnResult result = add_tube(mesh, &tube, origin);
        if (result.code != SN_OK) {
            return result;
        }
        snv_bounds_add(&mesh->bounds, tube.positions, tube.radii, tube.vertex_count);
        for (int k = 0; k < tube.vertex_count; k++) {
            radius_sum += tube.radii[k];
        }
        drawn += tube.vertex_count;
    }
    mesh->mean_radius = drawn ? (float)(radius_sum / (double)drawn) : 0.0f;
    return sn__ok();
}

// One end of a cylinder, from the middle of its face (direction −1) or to it (+1).
static void paint_face(const Brush *brush, const Ring *end, float bevel, float direction) {
    for (int k = 0; k < FACE_RINGS; k++) {
        int step = direction > 0.0f ? k : FACE_RINGS - 1 - k; // 0 is on the side, the last two flat
        float phi = 0.5f * PI * fminf((float)step / (float)(FACE_RINGS - 2), 1.0f);
        Ring ring = *end;
        ring.centre = snv__mad(end->centre, end->tangent, direction * bevel * (sinf(phi) - 1.0f));
        ring.radius = step == FACE_RINGS - 1 ? 0.0f : end->radius + bevel * (cosf(phi) - 1.0f);
        paint_ring(brush, &ring, direction * phi, direction > 0.0f || k > 0);
    }
}

static SnResult add_cylinder(SnvMesh *mesh, const Tube *tube, SnVec3 origin) {
    if (!reserve(mesh, 2 * FACE_RINGS * (size_t)(tube->sides + 1),
                 2 * FACE_RINGS * (size_t)tube->sides * 6)) {
        return sn__error(SN_ERROR_MEMORY, "view: no memory for a peg");
    }
    Brush brush = brush_for(mesh, tube, origin);
    SnVec3 a = snv__load(tube->positions), b = snv__load(tube->positions + 3);
    SnVec3 along = snv__sub(b, a);
    float radius = tube->radii[0];
    float bevel = fminf(0.2f * radius, 0.5f * snv__length(along));
    Ring end = {.centre = a, .tangent = snv__normalise(along, sn_vec3(0.0f, 1.0f, 0.0f))};
    end.axis = snv__across(end.tangent);
    end.radius = radius;
    paint_face(&brush, &end, bevel, -1.0f);
    end.centre = b;
    paint_face(&brush, &end, bevel, 1.0f);
    return sn__ok();
}

static SnResult add_peg(SnvMesh *mesh, const SnvPeg *peg, SnVec3 origin, SnvDetail detail) {
    SnVec3 along = snv__sub(peg->b, peg->a);
    SnVec3 b = peg->b;
    bool is_ball = snv__length(along) < 1.0e-4f * peg->radius;
    if (is_ball) { // it still needs an axis
        b = snv__add(peg->a, sn_vec3(0.0f, 1.0e-3f * peg->radius, 0.0f));
    }
    float positions[6] = {peg->a.x, peg->a.y, peg->a.z, b.x, b.y, b.z};
    float radii[2] = {peg->radius, peg->radius};
    Tube tube = {2, 1, false, positions, radii, NULL, &peg->look, MOST_SIDES, 1};
    if (!is_drawable(&tube)) {
        return sn__ok();
    }
    choose_detail(&tube, detail, 1.0f);
    snv_bounds_add(&mesh->bounds, positions, radii, 2);
    return is_ball ? add_tube(mesh, &tube, origin) : add_cylinder(mesh, &tube, origin);
}

SnResult snv__mesh_build(SnvMesh *mesh, const SnvScene *scene, SnVec3 origin, SnvDetail detail) {
    mesh->vertex_count = mesh->index_count = 0;
    mesh->skipped_rods = 0;
    mesh->bounds = snv_bounds_empty();
    SnResult result = add_rods(mesh, &scene->rods, origin, detail);
    for (int i = 0; i < scene->peg_count && result.code == SN_OK; i++) {
        result = add_peg(mesh, &scene->pegs[i], origin, detail);
    }
    return result;
}

void snv__mesh_release(SnvMesh *mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (SnvMesh){0};
}
