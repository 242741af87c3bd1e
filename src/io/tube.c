// Vertices in order: the rings of the first cap from its pole's side, the rings of the tube, the
// rings of the last cap, and then the two poles. Closed tubes have no caps and join their ends.
#include "io/tube.h"

_Static_assert(sizeof(TubeVertex) == 40, "the layout of the file");

#define PI 3.14159265358979323846

static int ring_count(const TubeDetail *detail, const TubeMesh *tube) {
    return tube->closed ? tube->vertex_count * detail->rings_per_segment
                        : (tube->vertex_count - 1) * detail->rings_per_segment + 1;
}

static int cap_count(const TubeMesh *tube) { return tube->closed ? 0 : 2; }

size_t sn__tube_vertex_count(const TubeDetail *detail, const TubeMesh *tube) {
    size_t rings = (size_t)(ring_count(detail, tube) + cap_count(tube) * detail->cap_rings);
    return rings * (size_t)detail->sides + (size_t)cap_count(tube);
}

size_t sn__tube_index_count(const TubeDetail *detail, const TubeMesh *tube) {
    size_t rings = (size_t)(ring_count(detail, tube) + cap_count(tube) * detail->cap_rings);
    size_t bands = tube->closed ? rings : rings - 1;
    return (size_t)detail->sides * (bands * 6 + (size_t)cap_count(tube) * 3);
}

// A ring or pole: where it is, how wide, and which joints it follows.
typedef struct Ring {
    Vec3d centre;
    Quatd rotation;
    double radius;
    double wide, thick;    // factors on it along the first and second axis
    double outward, along; // the normal's parts across and along the rod
    int joints[2];
    int weight; // of the second joint, of TUBE_WEIGHT
} Ring;

static void put_vertex(const Ring *ring, double angle, TubeVertex *out) {
    double x = cos(angle), y = sin(angle);
    Vec3d across = {x * ring->wide, y * ring->thick, 0};
    Vec3d place = addd(ring->centre, rotated(ring->rotation, scaled(across, ring->radius)));
    double outward = ring->outward;
    if (ring->wide != ring->thick) { // the normal of an ellipse
        outward /= sqrt(x * x / (ring->wide * ring->wide) + y * y / (ring->thick * ring->thick));
        x /= ring->wide;
        y /= ring->thick;
    }
    Vec3d normal = {x * outward, y * outward, ring->along};
    normal = rotated(ring->rotation, scaled(normal, 1 / lengthd(normal)));
    *out = (TubeVertex){
        {(float)place.x, (float)place.y, (float)place.z},
        {(float)normal.x, (float)normal.y, (float)normal.z},
        {(uint16_t)ring->joints[0], (uint16_t)(ring->weight ? ring->joints[1] : 0), 0, 0},
        {(uint16_t)(TUBE_WEIGHT - ring->weight), (uint16_t)ring->weight, 0, 0},
    };
}

static TubeVertex *put_ring(const TubeDetail *detail, const Ring *ring, TubeVertex *out) {
    for (int k = 0; k < detail->sides; ++k)
        put_vertex(ring, 2 * PI * k / detail->sides, out++);
    return out;
}

// How fast the radius grows along the rod at vertex i; it tilts the normals.
static double radius_slope(const TubeMesh *tube, int i) {
    int n = tube->vertex_count;
    int a = tube->closed ? (i + n - 1) % n : i > 0 ? i - 1 : i;
    int b = tube->closed ? (i + 1) % n : i + 1 < n ? i + 1 : i;
    double length = lengthd(subd(vec3d(tube->positions[i]), vec3d(tube->positions[a]))) +
                    lengthd(subd(vec3d(tube->positions[b]), vec3d(tube->positions[i])));
    return length > 0 ? ((double)tube->radii[b] - (double)tube->radii[a]) / length : 0;
}

static Ring ring_at_vertex(const TubeMesh *tube, int i) {
    return (Ring){.centre = vec3d(tube->positions[i]),
                  .rotation = quatd(tube->frames[i]),
                  .radius = (double)tube->radii[i],
                  .wide = tube->section[0] > 0 ? (double)tube->section[0] : 1,
                  .thick = tube->section[1] > 0 ? (double)tube->section[1] : 1,
                  .outward = 1,
                  .along = -radius_slope(tube, i),
                  .joints = {i, 0}};
}

// Between vertices i and j, a ring follows both joints. With weights that start and end level, each
// joint carrying its own tangent, the tube passes smoothly through the vertices however it bends.
static Ring ring_between(const TubeMesh *tube, int i, int j, double t) {
    Ring a = ring_at_vertex(tube, i), b = ring_at_vertex(tube, j);
    int weight = (int)(TUBE_WEIGHT * t * t * (3 - 2 * t) + 0.5);
    double w = (double)weight / TUBE_WEIGHT, length = lengthd(subd(b.centre, a.centre));
    Vec3d from_a = addd(a.centre, scaled(axis_z(a.rotation), t * length));
    Vec3d from_b = subd(b.centre, scaled(axis_z(b.rotation), (1 - t) * length));
    Quatd p = a.rotation, q = b.rotation;
    double sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -1 : 1;
    double u = 1 - w, v = sign * w;
    Ring ring = a;
    ring.centre = addd(scaled(from_a, 1 - w), scaled(from_b, w));
    ring.rotation = normalisedq(
        (Quatd){u * p.x + v * q.x, u * p.y + v * q.y, u * p.z + v * q.z, u * p.w + v * q.w});
    ring.radius = a.radius + (b.radius - a.radius) * t;
    ring.along = a.along + (b.along - a.along) * t;
    ring.joints[1] = j;
    ring.weight = weight;
    return ring;
}

// A point of the half sphere over the end at vertex i; `sign` is −1 at the first end. At latitude 0
// it is the end ring, at 1 the pole.
static Ring cap_ring(const TubeMesh *tube, int i, double sign, double latitude) {
    Ring ring = ring_at_vertex(tube, i);
    double angle = 0.5 * PI * latitude, radius = ring.radius;
    ring.centre = addd(ring.centre, scaled(axis_z(ring.rotation), sign * radius * sin(angle)));
    ring.radius = latitude < 1 ? radius * cos(angle) : 0;
    ring.outward = latitude < 1 ? cos(angle) : 0;
    ring.along = sign * sin(angle);
    return ring;
}

void sn__tube_vertices(const TubeDetail *detail, const TubeMesh *tube, TubeVertex *out) {
    int n = tube->vertex_count, caps = tube->closed ? 0 : detail->cap_rings;
    for (int k = caps; k > 0; --k) {
        Ring ring = cap_ring(tube, 0, -1, (double)k / (caps + 1));
        out = put_ring(detail, &ring, out);
    }
    int rings = ring_count(detail, tube);
    for (int k = 0; k < rings; ++k) {
        int i = k / detail->rings_per_segment, part = k % detail->rings_per_segment;
        Ring ring = part == 0 ? ring_at_vertex(tube, i)
                              : ring_between(tube, i, (i + 1) % n,
                                             (double)part / detail->rings_per_segment);
        out = put_ring(detail, &ring, out);
    }
    for (int k = 1; k <= caps; ++k) {
        Ring ring = cap_ring(tube, n - 1, 1, (double)k / (caps + 1));
        out = put_ring(detail, &ring, out);
    }
    if (!tube->closed) {
        Ring first = cap_ring(tube, 0, -1, 1), last = cap_ring(tube, n - 1, 1, 1);
        put_vertex(&first, 0, out);
        put_vertex(&last, 0, out + 1);
    }
}

static uint32_t *put_triangle(uint32_t *out, size_t a, size_t b, size_t c) {
    out[0] = (uint32_t)a;
    out[1] = (uint32_t)b;
    out[2] = (uint32_t)c;
    return out + 3;
}

// Counter-clockwise as seen from outside, with the tangent of the rod from ring to ring.
void sn__tube_indices(const TubeDetail *detail, const TubeMesh *tube, uint32_t *out) {
    size_t sides = (size_t)detail->sides;
    size_t rings = (size_t)(ring_count(detail, tube) + cap_count(tube) * detail->cap_rings);
    for (size_t r = 0; r + 1 < rings + (tube->closed ? 1 : 0); ++r) {
        size_t here = r * sides, there = (r + 1) % rings * sides;
        for (size_t k = 0; k < sides; ++k) {
            size_t next = (k + 1) % sides;
            out = put_triangle(out, here + k, here + next, there + next);
            out = put_triangle(out, here + k, there + next, there + k);
        }
    }
    for (size_t k = 0; k < sides && !tube->closed; ++k) {
        size_t next = (k + 1) % sides, pole = rings * sides, last = (rings - 1) * sides;
        out = put_triangle(out, pole, next, k);
        out = put_triangle(out, pole + 1, last + k, last + next);
    }
}
