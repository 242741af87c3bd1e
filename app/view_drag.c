#include "app/view_drag.h"

#include "view/vec.h"

#include <sinew/query.h>

#define FARTHEST 1.0e6f // m
// A body on the link swings this fast, whatever it weighs; and it is not torn by a mouse that runs
// away.
#define SWING 60.0f              // rad/s
#define MOST_ACCELERATION 800.0f // m/s²

// A place on the axis of a rod.
typedef struct Pick {
    int rod; // in the moment; -1: none
    int segment;
    float t, distance;
} Pick;

typedef struct Ends {
    SnVec3 a, b;
    float radius_a, radius_b;
} Ends;

static Ends ends_of(const SnPoses *poses, int rod, int segment) {
    int vertices = poses->point_begin[rod + 1] - poses->point_begin[rod];
    size_t edge = 2 * (size_t)(poses->element_begin[rod] + segment);
    int a = poses->edges ? poses->edges[edge] : segment;
    int b = poses->edges ? poses->edges[edge + 1] : (segment + 1) % vertices;
    size_t first = (size_t)poses->point_begin[rod];
    return (Ends){view_load(poses->positions + 3 * (first + (size_t)a)),
                  view_load(poses->positions + 3 * (first + (size_t)b)),
                  poses->radii[first + (size_t)a], poses->radii[first + (size_t)b]};
}

// Where the ray enters the pill, near enough for a mouse: with the radius at the place of the axis
// that is nearest to the ray.
static bool meets(const Ends *ends, EyeRay ray, float *out_t, float *out_distance) {
    SnVec3 axis = sn_vec3_sub(ends->b, ends->a), from = sn_vec3_sub(ray.origin, ends->a);
    float length = sn_vec3_dot(axis, axis), slant = sn_vec3_dot(axis, ray.direction);
    float along = sn_vec3_dot(axis, from), ahead = sn_vec3_dot(ray.direction, from);
    float across = length - slant * slant;
    float t = across > 1.0e-6f * length ? (along - slant * ahead) / across : 0.0f;
    t = fmaxf(0.0f, fminf(1.0f, t));
    float s = t * slant - ahead;
    SnVec3 gap = sn_vec3_sub(sn_vec3_add_scaled(from, ray.direction, s), sn_vec3_scale(axis, t));
    float radius = ends->radius_a + t * (ends->radius_b - ends->radius_a);
    float inside = radius * radius - sn_vec3_dot(gap, gap);
    *out_t = t;
    *out_distance = s - sqrtf(fmaxf(inside, 0.0f));
    return inside >= 0.0f && s > 0.0f;
}

static Pick nearest_pill(const SnPoses *poses, EyeRay ray) {
    Pick nearest = {.rod = -1, .distance = FARTHEST};
    for (int rod = 0; rod < poses->body_count; ++rod) {
        int segments = poses->element_begin[rod + 1] - poses->element_begin[rod];
        for (int segment = 0; segment < segments; ++segment) {
            Ends ends = ends_of(poses, rod, segment);
            float t, distance;
            if (meets(&ends, ray, &t, &distance) && distance < nearest.distance)
                nearest = (Pick){rod, segment, t, distance};
        }
    }
    return nearest;
}

static int index_of(const SnPoses *poses, SnBodyId id) {
    for (int i = 0; i < poses->body_count; ++i)
        if (poses->bodies[i].index == id.index && poses->bodies[i].generation == id.generation)
            return i;
    return -1;
}

// A ray cast sees only what can be touched. Rods that touch nothing can be dragged as well, where
// they are nearer.
static Pick pick(SnWorld *world, const SnPoses *poses, EyeRay ray) {
    Pick found = nearest_pill(poses, ray);
    SnHit hit;
    if (sn_world_ray_cast(world, ray.origin, ray.direction, FARTHEST, sn_default_filter(), &hit)) {
        int rod = hit.body.generation ? index_of(poses, hit.body) : -1;
        float slack = rod >= 0 ? poses->radii[poses->point_begin[rod]] : 0.0f;
        if (found.rod < 0 || hit.distance < found.distance + slack)
            found = (Pick){rod, hit.element, hit.t, hit.distance};
    }
    return found;
}

static SnVec3 on_plane(EyeRay ray, SnVec3 point, SnVec3 normal) {
    float steep = sn_vec3_dot(ray.direction, normal);
    float away = sn_vec3_dot(sn_vec3_sub(point, ray.origin), normal);
    return fabsf(steep) > 1.0e-4f ? sn_vec3_add_scaled(ray.origin, ray.direction, away / steep)
                                  : point;
}

bool drag_begin(Drag *drag, SnWorld *world, const Moment *moment, EyeRay ray, SnVec3 normal) {
    const SnPoses *poses = &moment->rods;
    Pick found = pick(world, poses, ray);
    *drag = (Drag){.body = found.rod, .normal = normal};
    if (found.rod < 0)
        return false;
    Ends ends = ends_of(poses, found.rod, found.segment);
    drag->target = sn_vec3_add_scaled(ends.a, sn_vec3_sub(ends.b, ends.a), found.t);
    drag->offset = sn_vec3_sub(drag->target, on_plane(ray, drag->target, normal));
    SnMeasures measures;
    SnResult result = sn_body_measure(world, poses->bodies[found.rod], &measures);
    if (result.code != SN_OK)
        return false;
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    def.a = (SnBodyPoint){poses->bodies[found.rod], found.segment, found.t};
    def.target = drag->target;
    def.compliance = 1.0f / ((float)measures.mass * SWING * SWING);
    def.max_force = (float)measures.mass * MOST_ACCELERATION;
    drag->active = sn_link_create(world, &def, &drag->link).code == SN_OK;
    return drag->active;
}

void drag_move(Drag *drag, EyeRay ray) {
    SnVec3 plane = sn_vec3_sub(drag->target, drag->offset);
    drag->target = sn_vec3_add(on_plane(ray, plane, drag->normal), drag->offset);
}

void drag_apply(const Drag *drag, SnWorld *world) {
    if (drag->active)
        sn_link_set_target(world, drag->link, drag->target);
}

void drag_end(Drag *drag, SnWorld *world) {
    if (drag->active)
        sn_link_destroy(world, drag->link);
    *drag = (Drag){0};
}
