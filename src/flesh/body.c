#include "flesh/body.h"

#include "base/memory.h"

#define PI 3.14159265358979323846
#define LEAST_SHARE 0.5f  // of a vertex that belongs to a joint
#define UNDER_SKIN 0.88   // of the room between a muscle's line and the skin, that it takes
#define SIDEWAYS 1.5      // of the room across it, as an ellipse is thin where it ends
#define WIDEST 0.2        // of a belly, over its length
#define LEAST_RADIUS 0.02 // of a belly, over its length: thinner ones are left out

SnResult sn__flesh_body_create(const SnSkeleton *skeleton, FleshBody *out) {
    SnAllocator a = sn__default_allocator();
    size_t joints = (size_t)sn_skeleton_joint_count(skeleton);
    *out = (FleshBody){.skeleton = skeleton};
    SnTransform *locals = sn__alloc_array(&a, joints, sizeof *locals);
    out->bound = sn__alloc_array(&a, joints, sizeof(SnMap));
    out->rest = sn__alloc_array(&a, joints, sizeof(SnMap));
    out->skin = sn__alloc(&a, sizeof *out->skin);
    SnResult result = locals && out->bound && out->rest && out->skin
                          ? sn_skeleton_rest(skeleton, locals)
                          : sn_error(SN_ERROR_MEMORY, "muscles: no memory");
    if (out->skin)
        *out->skin = (SnImplicit){.allocator = a, .skeleton = skeleton};
    if (result.code == SN_OK)
        result = sn_skeleton_maps(skeleton, locals, NULL, out->rest);
    if (result.code == SN_OK)
        result = sn_skeleton_bound_maps(skeleton, out->bound);
    if (result.code == SN_OK)
        result = sn__implicit_bind(out->skin, "muscles");
    sn__free(&a, locals, joints * sizeof *locals);
    return result;
}

void sn__flesh_body_destroy(FleshBody *body) {
    SnAllocator a = sn__default_allocator();
    size_t joints = (size_t)sn_skeleton_joint_count(body->skeleton);
    sn__free(&a, body->bound, joints * sizeof(SnMap));
    sn__free(&a, body->rest, joints * sizeof(SnMap));
    if (body->skin)
        sn_implicit_destroy(body->skin);
    *body = (FleshBody){0};
}

static Vec3d unit(Vec3d a) {
    double length = lengthd(a);
    return length > 1e-12 ? scaled(a, 1.0 / length) : (Vec3d){0.0, 0.0, 0.0};
}

static Vec3d across(Vec3d a, Vec3d axis) { return unit(subd(a, scaled(axis, dotd(a, axis)))); }

// How far the skin that follows a joint reaches from it along a unit vector.
static double reach_of(const FleshBody *body, int joint, Vec3d from, Vec3d way) {
    double most = 0.0;
    for (int i = 0; i < body->skin->surface.point_count; ++i) {
        BoundPoint p = sn__implicit_point(body->skin, i);
        float share = 0.0f;
        for (int k = 0; k < SN_MESH_JOINTS; ++k)
            share += body->skin->joints[p.joints[k]].joint == joint ? p.weights[k] : 0.0f;
        if (share > LEAST_SHARE)
            most = fmax(most, dotd(subd(vec3d(p.rest), from), way));
    }
    return most;
}

bool sn__flesh_bone(const FleshBody *body, int joint, int to, Vec3d along, Vec3d front, double side,
                    FleshBone *out) {
    *out = (FleshBone){.joint = joint, .from = vec3d(body->bound[joint].origin)};
    if (to >= 0)
        out->to = vec3d(body->bound[to].origin);
    else
        out->to =
            addd(out->from, scaled(unit(along), reach_of(body, joint, out->from, unit(along))));
    Vec3d axis = unit(subd(out->to, out->from));
    out->front = across(front, axis);
    out->outer = scaled(crossd(out->front, axis), side);
    return lengthd(subd(out->to, out->from)) > 1e-6 * body->skin->height &&
           lengthd(out->front) > 0.5;
}

// Where a ray meets a triangle, or a negative number (Möller and Trumbore 1997).
static double meet(Vec3d from, Vec3d way, Vec3d a, Vec3d b, Vec3d c) {
    Vec3d e = subd(b, a), f = subd(c, a), p = crossd(way, f);
    double det = dotd(e, p);
    if (fabs(det) < 1e-18)
        return -1.0;
    Vec3d s = subd(from, a), q = crossd(s, e);
    double u = dotd(s, p) / det, v = dotd(way, q) / det;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 ? dotd(f, q) / det : -1.0;
}

double sn__flesh_ray(const FleshBody *body, Vec3d from, Vec3d way) {
    const SnImplicit *skin = body->skin;
    double nearest = 1e300;
    for (int t = 0; t < skin->triangle_count; ++t) {
        const uint32_t *c = skin->triangles + 3 * t;
        double at = meet(from, way, vec3d(skin->rest[c[0]]), vec3d(skin->rest[c[1]]),
                         vec3d(skin->rest[c[2]]));
        if (at > 0.0 && at < nearest)
            nearest = at;
    }
    return nearest < 1e299 ? nearest : 0.0;
}

static Vec3d way_out(const FleshBone *bone, double degrees) {
    double angle = PI / 180.0 * degrees;
    return addd(scaled(bone->front, cos(angle)), scaled(bone->outer, sin(angle)));
}

static Vec3d on_axis(const FleshBone *bone, double t) {
    return addd(bone->from, scaled(subd(bone->to, bone->from), t));
}

Vec3d sn__flesh_place(const FleshBody *body, const FleshBone *bone, const FleshPlace *place) {
    Vec3d axis = on_axis(bone, place->t), out = way_out(bone, place->angle);
    return addd(axis, scaled(out, place->depth * sn__flesh_ray(body, axis, out)));
}

// In the rigid space of a joint, in metres of the rest pose.
static SnFleshPoint seen_from(const FleshBody *body, int joint, Vec3d x) {
    SnPose pose = sn_map_pose(&body->bound[joint]);
    Map bound = map_wide(&body->bound[joint]), rest = map_wide(&body->rest[joint]);
    double size = fabs(map_volume(&bound)), scale = 1.0;
    if (size > 0.0)
        scale = cbrt(fabs(map_volume(&rest)) / size);
    Vec3d local = rotated(conjugated(quatd(pose.rotation)), subd(x, vec3d(pose.position)));
    return (SnFleshPoint){joint, vec3f(scaled(local, scale))};
}

// The largest value of a profile of area 1, and where it is.
static double peak(const SnMuscleProfile *p, double *out_place) {
    double most = 0.0;
    *out_place = 0.5;
    for (int i = 0; i <= 200; ++i) {
        double value = sn__muscle_profile(p->alpha, p->beta, i / 200.0);
        if (value > most) {
            most = value;
            *out_place = i / 200.0;
        }
    }
    return most;
}

// How thick the muscle may be, over its profile, so that it fits under the skin: towards it, and across.
static double find_width(const FleshBody *body, Vec3d a, Vec3d b, Vec3d normal, Vec3d longer,
                         const SnMuscleProfile *profile) {
    double e = (double)profile->eccentricity, u = sqrt(sqrt(1.0 - e * e)), width = 1e300;
    for (int i = 3; i <= 7; ++i) {
        double s = 0.1 * i, value = sn__muscle_profile(profile->alpha, profile->beta, s);
        Vec3d x = addd(a, scaled(subd(b, a), s));
        const Vec3d ways[3] = {normal, longer, scaled(longer, -1.0)};
        for (int k = 0; k < 3; ++k) {
            double room = sn__flesh_ray(body, x, ways[k]); // 0: the line is outside there
            if (room > 0.0)
                width = fmin(width, k == 0 ? UNDER_SKIN * room / (value * u)
                                           : SIDEWAYS * room / (value / u));
        }
    }
    return width;
}

bool sn__flesh_muscle(const FleshBody *body, const FleshBone *origin, const FleshPlace *from,
                      const FleshBone *insertion, const FleshPlace *to, SnFleshMuscle *out) {
    Vec3d a = sn__flesh_place(body, origin, from), b = sn__flesh_place(body, insertion, to);
    Vec3d way = subd(b, a);
    double length = lengthd(way), place, height = peak(&out->rest, &place);
    // Outwards from the belly: between the ways out of both ends, across the line.
    Vec3d out_a = way_out(origin, from->angle), out_b = way_out(insertion, to->angle);
    Vec3d normal = across(addd(scaled(out_a, 1.0 - place), scaled(out_b, place)), unit(way));
    Vec3d longer = crossd(unit(way), normal);
    if (!(length > 1e-4 * body->skin->height) || !(lengthd(normal) > 0.5))
        return false;
    double width = find_width(body, a, b, normal, longer, &out->rest);
    width = fmin(width, WIDEST * length / height);
    if (!(width * height > LEAST_RADIUS * length))
        return false;
    SnPose pose = sn_map_pose(&body->bound[origin->joint]);
    out->path[0] = seen_from(body, origin->joint, a);
    out->path[1] = seen_from(body, insertion->joint, b);
    out->point_count = 2;
    out->normal = vec3f(rotated(conjugated(quatd(pose.rotation)), longer));
    Map bound = map_wide(&body->bound[origin->joint]), rest = map_wide(&body->rest[origin->joint]);
    double bigger = fabs(map_volume(&rest) / map_volume(&bound));
    out->volume = (float)(PI * width * width * length * bigger);
    return true;
}
