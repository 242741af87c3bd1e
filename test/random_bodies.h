// Random worlds for test_random_worlds.c: floors, boxes, bins and meshes; bodies of all kinds, alone, held, in chains
// with weights of up to 1000 times their mass, and tied to each other and to the world. Nothing overlaps when they
// begin, but for what is held in the floor.
//
// Every group of bodies draws from numbers of its own, so that a world can be made again without some of them.
#pragma once

#include "rigid_kit.h"

#include <stdlib.h>

#define MAX_GROUPS 30
#define MAX_BODIES 160
#define MAX_LINKS 160
#define MAX_POINTS 64
#define MAX_PARTS 4
#define MAX_MEMBERS 5

// What the checks want to know of a body.
typedef struct Member {
    SnBodyId id;
    const char *kind;
    int group;
    bool held, in_floor;
    double radius, young;
} Member;

typedef struct RandomWorld {
    SnWorld *world;
    uint64_t seed;
    Rng rng;          // of the world itself
    double half, top; // bodies start within ±half and below top
    float dt, drag, restitution, sleep_speed;
    int substeps, group_count;
    Member members[MAX_BODIES];
    int member_count;
    SnLinkId links[MAX_LINKS];
    int link_count;
    double start_speed, start_height; // the most of them
    double lift;                      // J, what pushes out of the floor may give
    double ratio;                     // the largest of masses that links tie
} RandomWorld;

// A body that is about to be made: a rod, or a rigid body of parts.
typedef struct Draft {
    const char *kind;
    SnRodDef rod;
    SnRigidDef rigid;
    bool is_rigid;
    SnVec3 x[MAX_POINTS]; // of both
    int edges[2 * MAX_POINTS];
    int points, elements;
    float radius;
    SnRigidPart parts[MAX_PARTS];
} Draft;

typedef enum Held { FREE, HINGED, CLAMPED, BOTH_HINGED, BOTH_CLAMPED } Held;

static inline SnSurface random_surface(Rng *rng, const RandomWorld *w) {
    SnSurface s = sn_default_surface();
    s.friction = rng_int(rng, 0, 4) ? rng_float(rng, 0.0, 1.0) : 0.0f;
    s.restitution = w->restitution > 0.0f ? rng_float(rng, 0.0, (double)w->restitution) : 0.0f;
    return s;
}

static inline void random_box(RandomWorld *w) {
    SnColliderDef def = collider_def(SN_COLLIDER_BOX, rng_vec3(&w->rng, w->half), 0.5f);
    def.half_size = sn_vec3(rng_float(&w->rng, 0.05, 0.4), rng_float(&w->rng, 0.05, 0.3),
                            rng_float(&w->rng, 0.05, 0.4));
    def.pose.position.y = rng_float(&w->rng, 0.0, 0.8);
    if (rng_int(&w->rng, 0, 1))
        def.pose.rotation = rng_quat(&w->rng);
    def.surface = random_surface(&w->rng, w);
    add_collider(w->world, &def);
}

static inline void bin(RandomWorld *w) {
    float a = (float)w->half + 0.15f;
    SnSurface surface = random_surface(&w->rng, w);
    for (int side = 0; side < 4; ++side) {
        float sign = side % 2 ? 1.0f : -1.0f;
        SnColliderDef def = collider_def(
            SN_COLLIDER_BOX, sn_vec3(side < 2 ? sign * a : 0.0f, 0.4f, side < 2 ? 0.0f : sign * a),
            0.5f);
        def.half_size = side < 2 ? sn_vec3(0.1f, 0.4f, a + 0.1f) : sn_vec3(a + 0.1f, 0.4f, 0.1f);
        def.surface = surface;
        add_collider(w->world, &def);
    }
}

// A double pyramid of many sides, like a spinning top.
static inline void mesh(RandomWorld *w) {
    SnVec3 x[18];
    uint32_t t[96];
    uint32_t sides = (uint32_t)rng_int(&w->rng, 4, 16);
    float size = rng_float(&w->rng, 0.15, 0.5);
    for (uint32_t i = 0; i < sides; ++i) {
        double angle = 2.0 * SUPPORT_PI * i / sides;
        x[i] = sn_vec3(size * (float)cos(angle), 0.0f, size * (float)sin(angle));
        const uint32_t next = (i + 1) % sides;
        const uint32_t both[6] = {next, i, sides, i, next, sides + 1};
        memcpy(t + 6 * i, both, sizeof both);
    }
    x[sides] = sn_vec3(0.0f, rng_float(&w->rng, 0.1, 0.5), 0.0f);
    x[sides + 1] = sn_vec3(0.0f, -0.3f, 0.0f);
    SnColliderDef def = collider_def(SN_COLLIDER_MESH, rng_vec3(&w->rng, 0.5 * w->half), 0.5f);
    def.pose.position.y = rng_float(&w->rng, 0.0, 0.3);
    def.pose.rotation = turn_about(1.0, 0.0, 0.3, rng_real(&w->rng, 0.0, 0.6));
    def.vertex_count = (int)sides + 2;
    def.triangle_count = 2 * (int)sides;
    def.vertices = x;
    def.triangles = t;
    def.surface = random_surface(&w->rng, w);
    add_collider(w->world, &def);
}

static inline void random_material(Rng *rng, const RandomWorld *w, Draft *d) {
    SnRodDef *rod = &d->rod;
    rod->material.young = rng_log(rng, 1e5, 2e11);
    rod->material.density = rng_log(rng, 300.0, 8000.0);
    rod->material.damping = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-4, 0.1);
    rod->material.drag = w->drag;
    rod->surface = random_surface(rng, w);
}

// Volume-preserving, classic, swept or stiff, with all but its points.
static inline void any_rod(Rng *rng, const RandomWorld *w, Draft *d) {
    d->rod = sn_default_rod_def();
    random_material(rng, w, d);
    int kind = rng_int(rng, 0, 7);
    d->kind = "volume";
    if (kind >= 6) {
        d->kind = "stiff";
        d->rod.stiff = true;
    } else if (kind >= 4) {
        d->kind = "swept";
        d->rod.solver = SN_SOLVER_SWEEP;
        d->rod.material.young = rng_log(rng, 1e5, 1e7);
        d->rod.classic = rng_int(rng, 0, 1);
    } else if (kind >= 2) {
        d->kind = "classic";
        d->rod.classic = true;
    }
}

// Along x from the origin, or an arc.
static inline void line_draft(Rng *rng, const RandomWorld *w, Draft *d) {
    any_rod(rng, w, d);
    d->radius = rng_log(rng, 0.005, 0.1);
    double length = fmin(1.5, (double)(d->radius * rng_log(rng, 6.0, 80.0)));
    int most = (int)fmin(40.0, length / (0.6 * (double)d->radius));
    d->elements = rng_int(rng, 3, most < 3 ? 3 : most);
    d->points = d->elements + 1;
    double bend = rng_int(rng, 0, 1) ? rng_real(rng, 0.2, fmin(2.0, 0.3 * d->elements)) : 0.0;
    double step = length / d->elements, x = 0.0, z = 0.0;
    for (int i = 0; i < d->points; ++i) {
        d->x[i] = sn_vec3((float)x, 0.0f, (float)z);
        double angle = bend * ((i + 0.5) / d->elements - 0.5);
        x += step * cos(angle);
        z += step * sin(angle);
    }
}

static inline void ring_draft(Rng *rng, const RandomWorld *w, Draft *d) {
    any_rod(rng, w, d);
    d->radius = rng_log(rng, 0.005, 0.05);
    double radius = fmin(0.4, (double)(d->radius * rng_log(rng, 4.0, 20.0)));
    d->elements = d->points = rng_int(rng, 8, 40);
    circle_of_points(d->x, d->points, radius);
    d->rod.closed = true;
}

static inline void tree_draft(Rng *rng, const RandomWorld *w, Draft *d) {
    any_rod(rng, w, d);
    d->kind = "tree";
    d->rod.stiff = true;
    d->rod.classic = false;
    d->radius = rng_log(rng, 0.005, 0.02);
    d->points = rng_int(rng, 4, 16);
    d->elements = d->points - 1;
    d->x[0] = sn_vec3(0.0f, 0.0f, 0.0f);
    for (int i = 1; i < d->points; ++i) {
        int from = rng_int(rng, i > 3 ? i - 3 : 0, i - 1);
        SnVec3 by = rng_vec3(rng, 0.1);
        d->x[i] = sn_vec3(d->x[from].x + by.x + 0.12f, d->x[from].y + by.y, d->x[from].z + by.z);
        d->edges[2 * i - 2] = from;
        d->edges[2 * i - 1] = i;
    }
}

// A star of arms.
static inline void creature_draft(Rng *rng, const RandomWorld *w, Draft *d) {
    any_rod(rng, w, d);
    d->kind = "creature";
    d->rod.stiff = false;
    d->rod.material.young = rng_log(rng, 1e5, 1e9);
    d->radius = rng_log(rng, 0.008, 0.05);
    double step = (double)d->radius * rng_real(rng, 1.0, 4.0);
    int arms = rng_int(rng, 3, 6), joints = rng_int(rng, 2, 6);
    d->x[0] = sn_vec3(0.0f, 0.0f, 0.0f);
    d->points = 1;
    d->elements = 0;
    for (int arm = 0; arm < arms; ++arm)
        for (int k = 1; k <= joints; ++k) {
            double angle = 2.0 * SUPPORT_PI * arm / arms;
            d->edges[2 * d->elements] = k == 1 ? 0 : d->points - 1;
            d->edges[2 * d->elements + 1] = d->points;
            d->x[d->points] =
                sn_vec3((float)(k * step * cos(angle)), 0.0f, (float)(k * step * sin(angle)));
            ++d->elements;
            ++d->points;
        }
}

static inline void finish_rod(Draft *d) {
    d->rod.vertex_count = d->points;
    d->rod.positions = d->x;
    d->rod.radius = d->radius;
    if (d->kind[0] == 't' || strcmp(d->kind, "creature") == 0) {
        d->rod.edges = d->edges;
        d->rod.edge_count = d->elements;
        return;
    }
    for (int e = 0; e < d->elements; ++e) {
        d->edges[2 * e] = e;
        d->edges[2 * e + 1] = (e + 1) % d->points;
    }
}

// Parts that hang together at the origin.
static inline void rigid_draft(Rng *rng, const RandomWorld *w, Draft *d) {
    *d = (Draft){.kind = "rigid", .is_rigid = true, .rigid = sn_default_rigid_def()};
    float size = rng_log(rng, 0.01, 0.1);
    d->rigid.part_count = d->elements = rng_int(rng, 1, MAX_PARTS);
    d->radius = size;
    for (int k = 0; k < d->elements; ++k) {
        SnVec3 a = k == 0 ? sn_vec3(0.0f, 0.0f, 0.0f) : rng_vec3(rng, (double)size), b = a;
        if (rng_int(rng, 0, 2))
            b = rng_vec3(rng, 2.0 * (double)size);
        float r = size * rng_float(rng, 0.5, 1.0);
        d->parts[k] = (SnRigidPart){.a = a, .b = b, .radius_a = r, .radius_b = r};
        d->radius = fminf(d->radius, r);
    }
    d->rigid.parts = d->parts;
    d->rigid.density = rng_log(rng, 100.0, 8000.0);
    d->rigid.drag = w->drag;
    d->rigid.surface = random_surface(rng, w);
}

static inline void any_draft(Rng *rng, const RandomWorld *w, Draft *d) {
    int kind = rng_int(rng, 0, 9);
    memset(d, 0, sizeof *d);
    if (kind >= 7) {
        rigid_draft(rng, w, d);
        return;
    }
    if (kind == 6)
        creature_draft(rng, w, d);
    else if (kind == 5)
        tree_draft(rng, w, d);
    else if (kind == 4)
        ring_draft(rng, w, d);
    else
        line_draft(rng, w, d);
    finish_rod(d);
}

// The ends and the radius of an element of the draft in this pose.
static inline void draft_segment(const Draft *d, SnPose pose, int e, SnVec3 ends[2],
                                 float *radius) {
    SnVec3 a = d->is_rigid ? d->parts[e].a : d->x[d->edges[2 * e]];
    SnVec3 b = d->is_rigid ? d->parts[e].b : d->x[d->edges[2 * e + 1]];
    *radius = d->is_rigid ? d->parts[e].radius_a : d->radius;
    ends[0] = sn_pose_apply(pose, a);
    ends[1] = sn_pose_apply(pose, b);
}

// Nothing is within a tenth of a radius of it.
static inline bool is_clear(SnWorld *world, const Draft *d, SnPose pose) {
    for (int e = 0; e < d->elements; ++e) {
        SnVec3 ends[2];
        float r;
        draft_segment(d, pose, e, ends, &r);
        int samples = 2 + (int)(2.0 * distance(ends[0], ends[1]) / (double)r);
        for (int k = 0; k < samples; ++k) {
            float t = (float)k / (float)(samples - 1);
            SnVec3 at = sn_vec3_add_scaled(ends[0], sn_vec3_sub(ends[1], ends[0]), t);
            SnHit hit;
            if (sn_world_overlap(world, at, 1.1f * r + 1e-3f, sn_default_filter(), &hit, 1) > 0)
                return false;
        }
    }
    return true;
}

static inline void note_height(RandomWorld *w, const Draft *d, SnPose pose) {
    for (int e = 0; e < d->elements; ++e) {
        SnVec3 ends[2];
        float r;
        draft_segment(d, pose, e, ends, &r);
        w->start_height =
            fmax(w->start_height, fmax((double)ends[0].y, (double)ends[1].y) + (double)r);
    }
}

// Makes the body. Swept rods that are too stiff for it are solved directly instead.
static inline Member *make(RandomWorld *w, int group, Draft *d, SnPose pose, SnVec3 v,
                           SnVec3 spin) {
    assert_true(w->member_count < MAX_BODIES);
    Member *m = &w->members[w->member_count++];
    *m = (Member){.kind = d->kind, .group = group, .radius = (double)d->radius};
    note_height(w, d, pose);
    if (d->is_rigid) {
        d->rigid.pose = pose;
        d->rigid.velocity = v;
        d->rigid.angular_velocity = spin;
        assert_ok(sn_rigid_create(w->world, &d->rigid, &m->id));
        return m;
    }
    Draft copy = *d;
    for (int i = 0; i < d->points; ++i)
        copy.x[i] = sn_pose_apply(pose, d->x[i]);
    copy.rod.positions = copy.x;
    if (copy.rod.edges != NULL)
        copy.rod.edges = copy.edges;
    copy.rod.velocity = v;
    copy.rod.angular_velocity = spin;
    m->young = (double)d->rod.material.young;
    assert_ok(sn_rod_create(w->world, &copy.rod, &m->id));
    if (!d->rod.stiff && sn_rod_solver(w->world, m->id) == SN_SOLVER_SWEEP &&
        sn_rod_sweep_error(w->world, m->id, w->dt, w->substeps, 1) > 0.05) {
        assert_ok(sn_body_destroy(w->world, m->id));
        copy.rod.solver = SN_SOLVER_DIRECT;
        assert_ok(sn_rod_create(w->world, &copy.rod, &m->id));
    }
    return m;
}

static inline double mass_of(RandomWorld *w, SnBodyId id) {
    SnMeasures m;
    assert_ok(sn_body_measure(w->world, id, &m));
    return m.mass;
}

static inline void add_link(RandomWorld *w, const SnLinkDef *def) {
    if (w->link_count == MAX_LINKS)
        return;
    SnLinkId id;
    if (sn_link_create(w->world, def, &id).code == SN_OK)
        w->links[w->link_count++] = id;
}
