// From a definition to a rigid body: checks, mass, inertia, principal axes, points.
#include <assert.h>
#include <string.h>

#include "base/null.h"
#include "math/principal.h"
#include "rigid/rigid.h"

#define PI 3.14159265358979323846
#define RIGID_COOKIE 0x534e5247u
#define MIN_RADIUS 1e-5f
#define MAX_RADIUS 1e4f
#define MAX_MASS 1e12f

SnRigidDef sn_default_rigid_def(void) {
    SnRigidDef def = {0};
    def.cookie = RIGID_COOKIE;
    def.density = 1000.0f;
    def.pose = sn_pose_identity();
    def.surface = sn_default_surface();
    def.filter = sn_default_filter();
    def.gravity_scale = 1.0f;
    return def;
}

SnRigidPart sn_rigid_sphere(SnVec3 centre, float radius) {
    return (SnRigidPart){.a = centre, .b = centre, .radius_a = radius, .radius_b = radius};
}

SnRigidPart sn_rigid_pill(SnVec3 a, SnVec3 b, float radius) {
    return (SnRigidPart){.a = a, .b = b, .radius_a = radius, .radius_b = radius};
}

static bool is_sphere(const SnRigidPart *p) {
    return p->a.x == p->b.x && p->a.y == p->b.y && p->a.z == p->b.z;
}

static SnResult bad(const char *name, const char *field, double value, const char *valid) {
    return sn_error(SN_ERROR_INVALID, "%s: %s: %g is not %s", name, field, value, valid);
}

static SnResult check_part(const SnRigidPart *p, const char *name, int i) {
    if (!sn__within3(p->a, MAX_RADIUS) || !sn__within3(p->b, MAX_RADIUS))
        return sn_error(SN_ERROR_INVALID, "%s: parts[%d]: its ends are not within %g m", name, i,
                        (double)MAX_RADIUS);
    const float radii[2] = {p->radius_a, is_sphere(p) ? p->radius_a : p->radius_b};
    for (int k = 0; k < 2; ++k)
        if (!(radii[k] >= MIN_RADIUS && radii[k] <= MAX_RADIUS))
            return sn_error(SN_ERROR_INVALID, "%s: parts[%d]: radius_%c: %g is not in [%g, %g] m",
                            name, i, "ab"[k], (double)radii[k], (double)MIN_RADIUS,
                            (double)MAX_RADIUS);
    if (p->density != 0.0f && !(p->density >= 0.1f && p->density <= 1e6f))
        return sn_error(SN_ERROR_INVALID, "%s: parts[%d]: density: %g is not 0 or in [0.1, 1e6]",
                        name, i, (double)p->density);
    return sn_ok();
}

static SnResult check_motion(const SnRigidDef *def, const char *name) {
    Quatd q = quatd(def->pose.rotation);
    double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!sn__within3(def->pose.position, SN_MAX_POSITION) || !(norm > 0.5 && norm < 2.0))
        return sn_error(SN_ERROR_INVALID,
                        "%s: pose: its position must be within 1e9 m and its rotation a unit "
                        "quaternion",
                        name);
    if (!sn__within3(def->velocity, SN_MAX_SPEED) ||
        !sn__within3(def->angular_velocity, SN_MAX_SPIN))
        return sn_error(SN_ERROR_INVALID, "%s: its velocity is not within %g m/s and %g rad/s",
                        name, (double)SN_MAX_SPEED, (double)SN_MAX_SPIN);
    for (int c = 0; c < 3; ++c)
        if (!(fabs(def->origin[c]) <= (double)SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "%s: origin[%d]: %g is not within %g m", name, c,
                            def->origin[c], (double)SN_MAX_POSITION);
    return sn_ok();
}

SnResult sn__rigid_check(const SnRigidDef *def) {
    if (def == NULL || def->cookie != RIGID_COOKIE)
        return sn__no_def(def, "rigid body", "sn_default_rigid_def");
    const char *name = def->name ? def->name : "rigid body";
    if (def->part_count < 1)
        return sn_error(SN_ERROR_INVALID, "%s: part_count: %d is not ≥ 1", name, def->part_count);
    if (def->parts == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: parts: is NULL, but part_count is %d", name,
                        def->part_count);
    if (def->part_count > SN_MAX_RIGID_PARTS)
        return sn_error(SN_ERROR_LIMIT, "%s: part_count: %d is more than %d", name, def->part_count,
                        SN_MAX_RIGID_PARTS);
    if (!(def->density >= 0.1f && def->density <= 1e6f))
        return bad(name, "density", (double)def->density, "in [0.1, 1e6] kg/m³");
    if (def->mass != 0.0f && !(def->mass >= 1e-9f && def->mass <= MAX_MASS))
        return bad(name, "mass", (double)def->mass, "0 or in [1e-9, 1e12] kg");
    if (!(def->drag >= 0.0f && def->drag <= 1e6f))
        return bad(name, "drag", (double)def->drag, "in [0, 1e6] 1/s");
    if (!(fabsf(def->gravity_scale) <= 1e3f))
        return bad(name, "gravity_scale", (double)def->gravity_scale, "within 1000");
    SnResult result = check_motion(def, name);
    for (int i = 0; i < def->part_count && result.code == SN_OK; ++i)
        result = check_part(&def->parts[i], name, i);
    return result;
}

// Mass, first moment and second moments ∫ xᵢxⱼ dm of a solid, about the origin of its axes.
typedef struct Moments {
    double mass;
    Vec3d first;
    double second[3][3];
} Moments;

// Integrals over a solid of revolution about z: ∫ r² dz and so on. On spheres and cones r² is a
// polynomial of second degree in z, so three Gauss points are exact for all of them.
typedef struct Slices {
    double area, z, zz, rr; // π∫ r², π∫ z r², π∫ z² r², π/4 ∫ r⁴
} Slices;

static void add_slices(Slices *s, double from, double to, double c0, double c1, double c2) {
    static const double place[3] = {-0.774596669241483377, 0.0, 0.774596669241483377};
    static const double weight[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    double half = 0.5 * (to - from), middle = 0.5 * (to + from);
    for (int k = 0; k < 3; ++k) {
        double z = middle + half * place[k], r2 = c0 + z * (c1 + z * c2);
        double w = PI * half * weight[k];
        s->area += w * r2;
        s->z += w * z * r2;
        s->zz += w * z * z * r2;
        s->rr += 0.25 * w * r2 * r2;
    }
}

// A sphere of radius a at 0 and one of radius b at z = l, and the cone that touches both.
static Slices pill_slices(double a, double b, double l) {
    Slices s = {0};
    double sine = l > 0.0 ? (a - b) / l : 0.0;
    if (!(l > 0.0) || fabs(sine) >= 1.0) { // one holds the other
        double r = fmax(a, b), at = l > 0.0 && b > a ? l : 0.0;
        add_slices(&s, at - r, at + r, r * r - at * at, 2.0 * at, -1.0);
        return s;
    }
    double cosine = sqrt(1.0 - sine * sine), from = a * sine, to = l + b * sine;
    double slope = (b - a) * cosine / (to - from), start = a * cosine - slope * from;
    add_slices(&s, -a, from, a * a, 0.0, -1.0);
    add_slices(&s, from, to, start * start, 2.0 * start * slope, slope * slope);
    add_slices(&s, to, l + b, b * b - l * l, 2.0 * l, -1.0);
    return s;
}

static void add_part(Moments *m, const SnRigidPart *p, double density) {
    Vec3d a = vec3d(p->a), d = subd(vec3d(p->b), a);
    double l = lengthd(d);
    Vec3d w = l > 0.0 ? scaled(d, 1.0 / l) : (Vec3d){0.0, 0.0, 1.0};
    Slices s = pill_slices((double)p->radius_a,
                           is_sphere(p) ? (double)p->radius_a : (double)p->radius_b, l);
    double mass = density * s.area, along = density * s.z;
    const double av[3] = {a.x, a.y, a.z}, wv[3] = {w.x, w.y, w.z};
    m->mass += mass;
    m->first = addd(m->first, addd(scaled(a, mass), scaled(w, along)));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m->second[i][j] += mass * av[i] * av[j] + along * (av[i] * wv[j] + wv[i] * av[j]) +
                               density * (s.zz - s.rr) * wv[i] * wv[j] +
                               (i == j ? density * s.rr : 0.0);
}

// Mass, centre of mass, principal axes (as a rotation from them to those of the definition) and
// moments of inertia.
static void weigh(const SnRigidDef *def, Rigid *r, Vec3d *centre, Quatd *axes) {
    Moments m = {0};
    for (int i = 0; i < def->part_count; ++i)
        add_part(&m, &def->parts[i],
                 (double)(def->parts[i].density > 0.0f ? def->parts[i].density : def->density));
    assert(m.mass > 0.0);
    *centre = scaled(m.first, 1.0 / m.mass);
    const double c[3] = {centre->x, centre->y, centre->z};
    double A[3][3], values[3], sum = 0.0;
    for (int i = 0; i < 3; ++i)
        sum += m.second[i][i] - m.mass * c[i] * c[i];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            A[i][j] = (i == j ? sum : 0.0) - (m.second[i][j] - m.mass * c[i] * c[j]);
    sn__principal_axes(A, values, axes);
    double factor = def->mass > 0.0f ? (double)def->mass / m.mass : 1.0;
    r->mass = factor * m.mass;
    r->inertia = (Vec3d){factor * values[0], factor * values[1], factor * values[2]};
}

static void place_part(Rigid *r, int i, int *point, const SnRigidPart *p, Vec3d centre) {
    Quatd back = r->own_axes;
    const SnVec3 ends[2] = {p->a, p->b};
    int first = *point, count = is_sphere(p) ? 1 : 2;
    assert(first + count <= r->points);
    for (int k = 0; k < count; ++k) {
        r->local[*point] = rotated(back, subd(vec3d(ends[k]), centre));
        r->radius[*point] = k == 0 ? p->radius_a : p->radius_b;
        ++*point;
    }
    r->edge[i][0] = first;
    r->edge[i][1] = first + count - 1;
    Vec3d d = subd(r->local[r->edge[i][1]], r->local[first]);
    double length = lengthd(d);
    Vec3d z = {0.0, 0.0, 1.0};
    r->frame[i] = length > 0.0 ? rotation_between(z, scaled(d, 1.0 / length)) : back;
}

static int count_points(const SnRigidDef *def) {
    int count = 0;
    for (int i = 0; i < def->part_count; ++i)
        count += is_sphere(&def->parts[i]) ? 1 : 2;
    return count;
}

static bool lay_out(const SnAllocator *allocator, Rigid *r) {
    size_t points = (size_t)r->points, parts = (size_t)r->parts;
    r->bytes =
        points * (sizeof(Vec3d) + sizeof(float)) + parts * (sizeof(Quatd) + sizeof r->edge[0]);
    r->block = sn__alloc(allocator, r->bytes);
    if (r->block == NULL)
        return false;
    r->local = r->block;
    r->frame = (Quatd *)(r->local + points);
    r->edge = (int(*)[2])(r->frame + parts);
    r->radius = (float *)(r->edge + parts);
    return true;
}

Rigid *sn__rigid_create(const SnAllocator *allocator, const SnRigidDef *def) {
    Rigid *r = sn__alloc(allocator, sizeof(Rigid));
    if (r == NULL)
        return NULL;
    r->parts = def->part_count;
    r->points = count_points(def);
    if (!lay_out(allocator, r)) {
        sn__rigid_destroy(allocator, r);
        return NULL;
    }
    Vec3d centre;
    Quatd axes;
    weigh(def, r, &centre, &axes);
    r->own_axes = conjugated(axes);
    r->own_origin = rotated(r->own_axes, scaled(centre, -1.0));
    int point = 0;
    for (int i = 0; i < r->parts; ++i)
        place_part(r, i, &point, &def->parts[i], centre);
    assert(point == r->points);
    Quatd q = normalisedq(quatd(def->pose.rotation));
    memcpy(r->origin, def->origin, sizeof r->origin);
    r->pose.q = normalisedq(mulqd(q, axes));
    r->pose.x = addd(vec3d(def->pose.position), rotated(q, centre));
    r->v = vec3d(def->velocity);
    r->drag = (double)def->drag;
    r->gravity_scale = (double)def->gravity_scale;
    sn__rigid_set_spin(r, vec3d(def->angular_velocity));
    return r;
}

void sn__rigid_destroy(const SnAllocator *allocator, Rigid *r) {
    sn__free(allocator, r->block, r->bytes);
    sn__free(allocator, r->leads, (size_t)r->lead_capacity * sizeof(BodyLead));
    sn__free(allocator, r, sizeof(Rigid));
}
