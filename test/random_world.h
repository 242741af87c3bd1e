// Random worlds for test_random_worlds.c: groups of random bodies are placed where nothing is, held, and tied.
#pragma once

#include "random_bodies.h"

#define PLACES 60 // that are tried for a group

typedef struct Group {
    Rng rng;
    int number;
    Draft members[MAX_MEMBERS];
    float from[MAX_MEMBERS]; // m along x, where each one begins
    int count;
    Held held;
    bool in_floor;
    double ratio; // of the mass of the last one to that of the one before; 0: as it is
} Group;

static inline SnPose shifted(SnPose pose, float along) {
    return (SnPose){sn_pose_apply(pose, sn_vec3(along, 0.0f, 0.0f)), pose.rotation};
}

static inline SnPose random_place(RandomWorld *w, Group *g) {
    SnPose pose = {rng_vec3(&g->rng, w->half), rng_quat(&g->rng)};
    pose.position.y = rng_float(&g->rng, 0.05, w->top);
    if (rng_int(&g->rng, 0, 2) == 0)
        pose.rotation = turn_about(0.0, 1.0, 0.0, rng_real(&g->rng, -3.0, 3.0));
    if (g->in_floor) {
        pose.rotation = turn_about(0.0, 1.0, 0.0, rng_real(&g->rng, -3.0, 3.0));
        pose.position.y = g->members[0].radius * rng_float(&g->rng, -0.5, 1.0);
    }
    return pose;
}

static inline bool find_place(RandomWorld *w, Group *g, SnPose *out) {
    for (int n = 0; n < PLACES; ++n) {
        *out = random_place(w, g);
        SnPose free = *out;
        // What is held in the floor touches nothing else.
        if (g->in_floor)
            free.position.y = 1.2f * g->members[0].radius + 2e-3f;
        bool clear = true;
        for (int k = 0; k < g->count && clear; ++k)
            clear = is_clear(w->world, &g->members[k], shifted(free, g->from[k]));
        if (clear)
            return true;
    }
    return false;
}

static inline void hold(RandomWorld *w, Member *m, Held held) {
    int last_point = sn_body_point_count(w->world, m->id) - 1;
    int last = sn_body_element_count(w->world, m->id) - 1;
    m->held = true;
    pin(w->world, m->id, SN_ATTACH_VERTEX, 0);
    if (held == CLAMPED || held == BOTH_CLAMPED)
        pin(w->world, m->id, SN_ATTACH_SEGMENT, 0);
    if (last_point == 0 || (held != BOTH_HINGED && held != BOTH_CLAMPED))
        return;
    pin(w->world, m->id, SN_ATTACH_VERTEX, last_point);
    if (held == BOTH_CLAMPED && last > 0)
        pin(w->world, m->id, SN_ATTACH_SEGMENT, last);
}

// A pill of about this radius, from the origin along x.
static inline void weight_draft(Rng *rng, const RandomWorld *w, Draft *d, float radius) {
    *d =
        (Draft){.kind = "weight", .is_rigid = true, .rigid = sn_default_rigid_def(), .elements = 1};
    d->radius = radius * rng_float(rng, 0.6, 1.0);
    SnVec3 end = sn_vec3(radius * rng_float(rng, 2.5, 5.0), 0.0f, 0.0f);
    d->parts[0] = sn_rigid_pill(sn_vec3(0.0f, 0.0f, 0.0f), end, d->radius);
    d->rigid.part_count = 1;
    d->rigid.parts = d->parts;
    d->rigid.drag = w->drag;
    d->rigid.surface = random_surface(rng, w);
}

// A straight rod, of segments that are long enough that those beside a link are all that overlap.
static inline void link_draft(Rng *rng, const RandomWorld *w, Draft *d, float radius) {
    memset(d, 0, sizeof *d);
    any_rod(rng, w, d);
    d->radius = radius * rng_float(rng, 0.6, 1.0);
    d->elements = rng_int(rng, 3, 15);
    d->points = d->elements + 1;
    float step = radius * rng_float(rng, 1.2, 4.0);
    line_of_points(d->x, d->points, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(step, 0.0f, 0.0f));
    finish_rod(d);
}

// Rods and pills in a line, each beginning where the one before ends.
static inline void chain_group(Group *g, const RandomWorld *w) {
    g->count = rng_int(&g->rng, 2, MAX_MEMBERS);
    float radius = rng_log(&g->rng, 0.006, 0.06), along = 0.0f;
    for (int k = 0; k < g->count; ++k) {
        Draft *d = &g->members[k];
        bool weight = k + 1 == g->count || rng_int(&g->rng, 0, 2) == 0;
        if (weight)
            weight_draft(&g->rng, w, d, radius);
        else
            link_draft(&g->rng, w, d, radius);
        g->from[k] = along;
        along += weight ? d->parts[0].b.x : d->x[d->points - 1].x;
    }
    g->ratio = rng_int(&g->rng, 0, 1) ? (double)rng_log(&g->rng, 1.0, 1000.0) : 0.0;
}

static inline void random_group(Group *g, const RandomWorld *w) {
    static const Held helds[8] = {FREE,   FREE,    FREE,        FREE,
                                  HINGED, CLAMPED, BOTH_HINGED, BOTH_CLAMPED};
    g->held = helds[rng_int(&g->rng, 0, 7)];
    g->count = 1;
    g->from[0] = 0.0f;
    if (rng_int(&g->rng, 0, 5) == 0) {
        chain_group(g, w);
        if (g->held > CLAMPED)
            g->held = HINGED;
        return;
    }
    any_draft(&g->rng, w, &g->members[0]);
    const Draft *d = &g->members[0];
    if (d->rod.closed && g->held > HINGED)
        g->held = HINGED;
    if (!d->is_rigid && g->held != FREE && rng_int(&g->rng, 0, 4) == 0)
        g->in_floor = true;
}

static inline void link_members(RandomWorld *w, const Group *g, int first) {
    for (int k = 0; k + 1 < g->count; ++k) {
        SnLinkDef def = sn_default_link_def();
        def.length = 0.0f;
        SnBodyId a = w->members[first + k].id, b = w->members[first + k + 1].id;
        def.a = (SnBodyPoint){a, sn_body_element_count(w->world, a) - 1, 1.0f};
        def.b = (SnBodyPoint){b, 0, 0.0f};
        add_link(w, &def);
        double ratio = mass_of(w, a) / mass_of(w, b);
        w->ratio = fmax(w->ratio, fmax(ratio, 1.0 / ratio));
    }
}

static inline void add_group(RandomWorld *w, int number) {
    static Group g;
    memset(&g, 0, sizeof g);
    g.rng.state = w->seed * 1000u + (uint64_t)number;
    g.number = number;
    rng_next(&g.rng);
    random_group(&g, w);
    SnPose pose;
    if (!find_place(w, &g, &pose))
        return;
    int first = w->member_count;
    SnVec3 v = sn_vec3(0.0f, 0.0f, 0.0f), spin = v;
    if (g.held == FREE && rng_int(&g.rng, 0, 1))
        v = rng_vec3(&g.rng, 2.0);
    if (g.held == FREE && g.count == 1 && rng_int(&g.rng, 0, 2) == 0)
        spin = rng_vec3(&g.rng, 5.0);
    for (int k = 0; k < g.count; ++k) {
        if (k > 0 && k + 1 == g.count && g.ratio > 0.0)
            g.members[k].rigid.mass = (float)(g.ratio * mass_of(w, w->members[first + k - 1].id));
        Member *m = make(w, number, &g.members[k], shifted(pose, g.from[k]), v, spin);
        SnMeasures now;
        assert_ok(sn_body_measure(w->world, m->id, &now));
        w->start_speed = fmax(w->start_speed, now.speed_max);
    }
    link_members(w, &g, first);
    if (g.held != FREE)
        hold(w, &w->members[first], g.held);
    w->members[first].in_floor = g.in_floor;
    if (g.in_floor)
        w->lift += mass_of(w, w->members[first].id) * GRAVITY * 3.0 * (double)g.members[0].radius;
}

static inline SnBodyPoint any_point(RandomWorld *w, Rng *rng, int member, SnVec3 *at) {
    SnBodyId id = w->members[member].id;
    SnBodyPoint p = {id, rng_int(rng, 0, sn_body_element_count(w->world, id) - 1),
                     (float)rng_int(rng, 0, 2) * 0.5f};
    SnVec3 x[MAX_POINTS];
    int edges[2 * MAX_POINTS];
    assert_ok(sn_body_read(w->world, id, &(SnBodyState){.positions = x}));
    assert_ok(sn_body_edges(w->world, id, edges));
    SnVec3 a = x[edges[2 * p.element]], b = x[edges[2 * p.element + 1]];
    *at = sn_vec3_add_scaled(a, sn_vec3_sub(b, a), p.t);
    return p;
}

// A rope or a bar from a body to another one, or to a point above it.
static inline void random_link(RandomWorld *w, int number) {
    Rng rng = {w->seed * 1000u + 500u + (uint64_t)number};
    rng_next(&rng);
    int a = rng_int(&rng, 0, w->member_count - 1), b = rng_int(&rng, 0, w->member_count - 1);
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    SnVec3 at, other;
    def.a = any_point(w, &rng, a, &at);
    bool to_world = rng_int(&rng, 0, 1) || w->members[a].group == w->members[b].group;
    if (to_world) {
        other = def.target =
            sn_vec3_add(at, rng_int(&rng, 0, 2) ? rng_vec3(&rng, 0.4) : sn_vec3(0.0f, 0.0f, 0.0f));
    } else {
        def.b = any_point(w, &rng, b, &other);
        double ratio = mass_of(w, w->members[a].id) / mass_of(w, w->members[b].id);
        if (ratio > 1000.0 || ratio < 1e-3)
            return;
        w->ratio = fmax(w->ratio, fmax(ratio, 1.0 / ratio));
    }
    double length = distance(at, other);
    def.rope = length > 0.0 && rng_int(&rng, 0, 1);
    def.length = (float)length * (def.rope ? rng_float(&rng, 1.0, 1.5) : 1.0f);
    add_link(w, &def);
}

static inline void random_surroundings(RandomWorld *w) {
    SnColliderDef ground = collider_def(SN_COLLIDER_PLANE, sn_vec3(0.0f, 0.0f, 0.0f), 0.5f);
    ground.surface = random_surface(&w->rng, w);
    add_collider(w->world, &ground);
    int boxes = rng_int(&w->rng, 0, 3);
    for (int k = 0; k < boxes; ++k)
        random_box(w);
    if (rng_int(&w->rng, 0, 3) == 0)
        mesh(w);
    if (rng_int(&w->rng, 0, 3) == 0)
        bin(w);
}

// The world of a seed, with those of its first groups that have a bit.
static inline void random_world(RandomWorld *w, uint64_t seed, int most, uint64_t groups) {
    *w = (RandomWorld){.seed = seed, .rng = {seed * 1000u + 999u}};
    rng_next(&w->rng);
    w->group_count = (int)rng_log(&w->rng, 1.0, MAX_GROUPS + 1.0);
    if (w->group_count > most)
        w->group_count = most;
    w->half = 0.4 + 0.05 * w->group_count;
    w->top = 0.8 + 0.07 * w->group_count;
    w->drag = rng_int(&w->rng, 0, 1) ? 1.0f : 0.0f;
    w->restitution = rng_int(&w->rng, 0, 4) == 0 ? 1.0f : 0.0f;
    w->sleep_speed = rng_int(&w->rng, 0, 1) ? 0.02f : 0.0f;
    bool usual = rng_int(&w->rng, 0, 3) > 0;
    w->dt = usual || rng_int(&w->rng, 0, 1) ? 1.0f / 60.0f : 1.0f / 120.0f;
    w->substeps = usual ? 10 : rng_int(&w->rng, 5, 20);
    SnWorldDef def = sn_default_world_def();
    def.sleep_speed = w->sleep_speed;
    assert_ok(sn_world_create(&def, &w->world));
    random_surroundings(w);
    for (int k = 0; k < w->group_count; ++k)
        if (groups >> k & 1)
            add_group(w, k);
    int links = rng_int(&w->rng, 0, 1) ? rng_int(&w->rng, 0, 1 + w->group_count / 4) : 0;
    for (int k = 0; k < links && w->member_count > 0; ++k)
        random_link(w, k);
}
