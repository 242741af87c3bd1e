// From a definition to segments and joints, in double precision and in linear time.
#include <assert.h>
#include <string.h>

#include "stiff/stiff.h"

// Segments that meet at more than this angle do not continue each other: a branch bends in its own
// half at the joint, and not in that of its stem.
#define CONTINUES 0.7071

// A tree has fewer joints than segments, and every ring one more.
static size_t most_joints(const StiffRod *t) {
    size_t v = (size_t)t->vertices, n = (size_t)t->segments;
    return n + (n + 1 > v ? n + 1 - v : 0);
}

static size_t lay_out(StiffRod *t, void *block) {
    Layout layout = {block, 0};
    size_t v = (size_t)t->vertices, n = (size_t)t->segments, joints = most_joints(t);
    t->edge = sn__lay(&layout, n, sizeof t->edge[0]);
    t->radius = sn__lay(&layout, v, sizeof(float));
    t->segment = sn__lay(&layout, n, sizeof(StiffSegment));
    t->joint = sn__lay(&layout, joints, sizeof(StiffJoint));
    t->joints_begin = sn__lay(&layout, n + 2, sizeof(int));
    t->joints_of = sn__lay(&layout, 2 * joints, sizeof(int));
    t->home = sn__lay(&layout, v, sizeof(int));
    t->vertex_lead = sn__lay(&layout, v, sizeof(int));
    t->frame_lead = sn__lay(&layout, n, sizeof(int));
    t->slot = sn__lay(&layout, n, sizeof(int));
    t->knot_mass = sn__lay(&layout, v, sizeof(double));
    t->press = sn__lay(&layout, v, sizeof(Vec3d));
    t->moved = sn__lay(&layout, v, sizeof(Vec3d));
    t->pushed = sn__lay(&layout, v, sizeof(Vec3d));
    t->press_size = sn__lay(&layout, v, sizeof(double));
    t->evades = sn__lay(&layout, v, sizeof(Vec3d));
    t->rest_positions = sn__lay(&layout, v, sizeof(SnVec3));
    t->rest_frames = sn__lay(&layout, n, sizeof(Quatd));
    t->given = t->has_given ? sn__lay(&layout, n, sizeof(SnSegmentDef)) : NULL;
    return layout.used;
}

// Segments at every vertex, and the order in which they are reached from vertex 0 (or from the first
// vertex of a part that nothing connects to it).
typedef struct Walk {
    int *begin, *at; // of vertex i: at[begin[i]] up to begin[i + 1]
    int *order;      // segments
    int *from;       // by segment: the vertex that it was reached from
    int *stem;       // by vertex: the segment that reached it, −1: none
    int *queue;      // vertices
    int reached, rings;
    void *block;
    size_t bytes;
} Walk;

static bool walk_create(const SnAllocator *allocator, const StiffRod *t, Walk *w) {
    size_t v = (size_t)t->vertices, n = (size_t)t->segments;
    w->bytes = (3 * v + 4 * n + 2) * sizeof(int);
    w->block = sn__alloc(allocator, w->bytes);
    if (w->block == NULL)
        return false;
    w->begin = w->block;
    w->at = w->begin + v + 2;
    w->order = w->at + 2 * n;
    w->from = w->order + n;
    w->stem = w->from + n;
    w->queue = w->stem + v;
    for (int j = 0; j < t->segments; ++j)
        for (int e = 0; e < 2; ++e)
            w->begin[t->edge[j][e] + 2] += 1;
    for (int i = 0; i < t->vertices; ++i)
        w->begin[i + 2] += w->begin[i + 1];
    for (int j = 0; j < t->segments; ++j)
        for (int e = 0; e < 2; ++e)
            w->at[w->begin[t->edge[j][e] + 1]++] = j;
    return true;
}

// A vertex that no edge goes to has no place to be, and there is no room for the joints of all rings.
static bool is_spanned(StiffRod *t, const Walk *w) {
    for (int i = 0; i < t->vertices; ++i)
        if (w->begin[i] == w->begin[i + 1]) {
            t->home[i] = -1;
            return false;
        }
    return true;
}

// Ends are signs until lengths are known.
static void add_joint(StiffRod *t, int vertex, int a, int b) {
    assert(t->edge[a][0] == vertex || t->edge[a][1] == vertex);
    assert(t->edge[b][0] == vertex || t->edge[b][1] == vertex);
    assert(a != b && (size_t)t->joints < most_joints(t));
    t->joint[t->joints++] = (StiffJoint){.a = a,
                                         .b = b,
                                         .end_a = t->edge[a][1] == vertex ? 0.5 : -0.5,
                                         .end_b = t->edge[b][1] == vertex ? 0.5 : -0.5};
}

// A segment is joined to the stem of the vertex it is reached from; at its other end, too, if that
// was reached before.
static void reach(StiffRod *t, Walk *w, int j, int vertex, int *queued) {
    assert(t->edge[j][0] == vertex || t->edge[j][1] == vertex);
    assert(w->from[j] < 0 && w->stem[vertex] >= 0);
    int to = t->edge[j][0] == vertex ? t->edge[j][1] : t->edge[j][0];
    w->from[j] = vertex;
    w->order[w->reached++] = j;
    if (w->stem[vertex] != j)
        add_joint(t, vertex, w->stem[vertex], j);
    if (w->stem[to] >= 0) {
        add_joint(t, to, w->stem[to], j);
        w->rings += 1;
    } else {
        w->stem[to] = j;
        w->queue[(*queued)++] = to;
    }
}

// Breadth first.
static void walk_graph(StiffRod *t, Walk *w) {
    for (int i = 0; i < t->vertices; ++i)
        w->stem[i] = -1;
    for (int j = 0; j < t->segments; ++j)
        w->from[j] = -1;
    for (int start = 0; start < t->vertices; ++start) {
        if (w->stem[start] >= 0)
            continue;
        int queued = 0;
        w->stem[start] = w->at[w->begin[start]];
        w->queue[queued++] = start;
        for (int q = 0; q < queued; ++q) {
            int vertex = w->queue[q];
            for (int k = w->begin[vertex]; k < w->begin[vertex + 1]; ++k)
                if (w->from[w->at[k]] < 0)
                    reach(t, w, w->at[k], vertex, &queued);
        }
    }
    assert(w->reached == t->segments);
    for (int i = 0; i < t->vertices; ++i)
        t->home[i] = 2 * w->stem[i] + (t->edge[w->stem[i]][1] == i);
}

// Two edges that join the same vertices; only rings have such. The queue is free again.
static void find_twins(StiffRod *t, const Walk *w) {
    if (w->rings == 0)
        return;
    memset(w->queue, 0, (size_t)t->vertices * sizeof(int));
    for (int i = 0; i < t->vertices; ++i)
        for (int k = w->begin[i]; k < w->begin[i + 1]; ++k) {
            int j = w->at[k], to = t->edge[j][0] == i ? t->edge[j][1] : t->edge[j][0];
            if (w->queue[to] >= w->begin[i] + 1 && t->twins[1] == 0) {
                t->twins[0] = w->at[w->queue[to] - 1];
                t->twins[1] = j;
            }
            w->queue[to] = k + 1;
        }
}

static void list_joints(StiffRod *t) {
    for (int k = 0; k < t->joints; ++k) {
        t->joints_begin[t->joint[k].a + 2] += 1;
        t->joints_begin[t->joint[k].b + 2] += 1;
    }
    for (int j = 0; j < t->segments; ++j)
        t->joints_begin[j + 2] += t->joints_begin[j + 1];
    for (int k = 0; k < t->joints; ++k) {
        t->joints_of[t->joints_begin[t->joint[k].a + 1]++] = k;
        t->joints_of[t->joints_begin[t->joint[k].b + 1]++] = k;
    }
}

static Vec3d along(const StiffRod *t, const SnVec3 *x, int j) {
    return subd(vec3d(x[t->edge[j][1]]), vec3d(x[t->edge[j][0]]));
}

static Vec3d direction(const StiffRod *t, const SnVec3 *x, int j) {
    Vec3d d = along(t, x, j);
    return scaled(d, 1.0 / lengthd(d));
}

// Frames carried over without twist from the stem, or as given, turned the shortest way so that
// their third axis is the segment's. `rest` carries the twist of another pose over.
static void make_frames(const StiffRod *t, const Walk *w, const SnVec3 *x, const SnQuat *given,
                        const Quatd *rest, Quatd *frame) {
    for (int k = 0; k < t->segments; ++k) {
        int j = w->order[k], stem = w->stem[w->from[j]];
        Vec3d d = direction(t, x, j);
        Quatd q = {0.0, 0.0, 0.0, 1.0};
        if (given)
            q = normalisedq(quatd(given[j]));
        else if (rest && stem != j)
            q = mulqd(frame[stem], mulqd(conjugated(rest[stem]), rest[j]));
        else if (rest)
            q = rest[j];
        else if (stem != j)
            q = frame[stem];
        frame[j] = normalisedq(mulqd(rotation_between(axis_z(q), d), q));
    }
}

static void measure_segment(StiffRod *t, int j) {
    StiffSegment *s = &t->segment[j];
    assert(s->length > 0.0);
    double r = 0.5 * ((double)t->radius[t->edge[j][0]] + (double)t->radius[t->edge[j][1]]);
    const SnRodMaterial *m = &t->material;
    SnSegmentDef none = {0}, g = t->given ? t->given[j] : none;
    double density = (double)(g.density > 0.0f ? g.density : m->density), l = s->length;
    s->young = (double)(g.young > 0.0f ? g.young : m->young);
    s->stretch = g.young > 0.0f || !(m->stretch > 0.0f) ? s->young : (double)m->stretch;
    s->shear = (double)(g.shear > 0.0f ? g.shear : m->shear);
    s->radius[0] = g.radius_x > 0.0f ? (double)g.radius_x : r;
    s->radius[1] = g.radius_y > 0.0f ? (double)g.radius_y : r;
    double x2 = s->radius[0] * s->radius[0], y2 = s->radius[1] * s->radius[1];
    s->mass = density * 3.14159265358979323846 * s->radius[0] * s->radius[1] * l;
    // Eq. 28, with the part of a segment's own length.
    s->inertia[0] = s->mass * (l * l / 12.0 + 0.25 * y2);
    s->inertia[1] = s->mass * (l * l / 12.0 + 0.25 * x2);
    s->inertia[2] = s->mass * 0.25 * (x2 + y2);
}

// How a length of this segment gives way to a moment, per axis: l / (E I) and l / (G J), eq. 6.
static void compliance(const StiffSegment *s, double l, double out[3]) {
    double quarter = 0.25 * 3.14159265358979323846 * s->radius[0] * s->radius[1];
    double i1 = quarter * s->radius[1] * s->radius[1], i2 = quarter * s->radius[0] * s->radius[0];
    out[0] = l / fmax(s->young * i1, 1e-300);
    out[1] = l / fmax(s->young * i2, 1e-300);
    out[2] = l / fmax(s->shear * (i1 + i2), 1e-300);
}

// Segments that lie end to end bend in both halves at their joint.
static bool continues(const StiffJoint *j) {
    double ends = j->end_a * j->end_b > 0.0 ? -1.0 : 1.0;
    return ends * axis_z(j->rest).z > CONTINUES; // the rest rotation is that of b, seen from a
}

bool sn__stiff_is_end(const StiffRod *t, int segment, int vertex) {
    double end = sn__stiff_end(t, segment, vertex);
    for (int k = t->joints_begin[segment]; k < t->joints_begin[segment + 1]; ++k) {
        const StiffJoint *j = &t->joint[t->joints_of[k]];
        if ((j->a == segment ? j->end_a : j->end_b) * end > 0.0)
            return false;
    }
    return true;
}

void sn__stiff_wall_stiffness(const StiffRod *t, int segment, double out_k[3]) {
    double give[3];
    compliance(&t->segment[segment], 0.5 * t->segment[segment].length, give);
    for (int c = 0; c < 3; ++c)
        out_k[c] = 1.0 / fmax(give[c], 1e-30);
}

void sn__stiff_joint_stiffness(const StiffRod *t, const StiffJoint *j, double out_k[3]) {
    bool fixed_a = sn__stiff_is_fixed(t, j->a), fixed_b = sn__stiff_is_fixed(t, j->b);
    if (fixed_a != fixed_b && continues(j)) {
        sn__stiff_wall_stiffness(t, fixed_a ? j->b : j->a, out_k);
        return;
    }
    for (int c = 0; c < 3; ++c)
        out_k[c] = j->k[c];
}

// Stress in the outermost fibre per moment about each axis: r / I, and r / J.
static void stress_of_moment(const StiffSegment *s, double out[3]) {
    double x = s->radius[0], y = s->radius[1];
    double quarter = 0.25 * 3.14159265358979323846 * x * y;
    out[0] = 1.0 / (quarter * y);
    out[1] = 1.0 / (quarter * x);
    out[2] = fmax(x, y) / (quarter * (x * x + y * y));
}

// Both halves at the joint in a row. They bear the same moment, and the weaker one gives way.
static void measure_joint(StiffRod *t, StiffJoint *j) {
    const StiffSegment *a = &t->segment[j->a], *b = &t->segment[j->b];
    double of_a[3], of_b[3], stress_a[3], stress_b[3];
    bool both = continues(j);
    compliance(a, both ? 0.5 * a->length : 0.0, of_a);
    compliance(b, 0.5 * b->length, of_b);
    stress_of_moment(a, stress_a);
    stress_of_moment(b, stress_b);
    for (int c = 0; c < 3; ++c) {
        j->k[c] = 1.0 / fmax(of_a[c] + of_b[c], 1e-30);
        j->stress[c] = j->k[c] * (both ? fmax(stress_a[c], stress_b[c]) : stress_b[c]);
    }
}

void sn__stiff_apply_material(StiffRod *t, const SnRodMaterial *material) {
    t->material = sn_rod_material_derived(*material);
    for (int j = 0; j < t->segments; ++j)
        measure_segment(t, j);
    for (int k = 0; k < t->joints; ++k)
        measure_joint(t, &t->joint[k]);
    sn__stiff_weigh_points(t);
}

static void set_start(StiffRod *t, const SnRodDef *def, const Quatd *frame) {
    const SnVec3 *x = def->start_positions ? def->start_positions : def->positions;
    Vec3d spin = vec3d(def->angular_velocity), centre = {0};
    double mass = 0.0;
    for (int j = 0; j < t->segments; ++j) {
        Vec3d middle = scaled(addd(vec3d(x[t->edge[j][0]]), vec3d(x[t->edge[j][1]])), 0.5);
        t->fresh[j] = (StiffCarried){.pose = {.x = middle, .q = frame[j], .w = spin}};
        centre = addd(centre, scaled(middle, t->segment[j].mass));
        mass += t->segment[j].mass;
    }
    assert(mass > 0.0);
    centre = scaled(centre, 1.0 / mass);
    for (int j = 0; j < t->segments; ++j) {
        StiffPose *p = &t->fresh[j].pose;
        p->v = addd(vec3d(def->velocity), crossd(spin, subd(p->x, centre)));
        sn__stiff_limit_start(&t->segment[j], p);
    }
}

static void fill(StiffRod *t, const SnRodDef *def, const Walk *w, Quatd *start) {
    Quatd *rest = t->rest_frames;
    make_frames(t, w, def->positions, def->frames, NULL, rest);
    const SnVec3 *x = def->start_positions ? def->start_positions : def->positions;
    bool moved = def->start_positions || def->start_frames;
    memcpy(start, rest, (size_t)t->segments * sizeof(Quatd));
    if (moved)
        make_frames(t, w, x, def->start_frames, rest, start);
    for (int j = 0; j < t->segments; ++j)
        t->segment[j].length = lengthd(along(t, def->positions, j));
    for (int k = 0; k < t->joints; ++k) {
        StiffJoint *j = &t->joint[k];
        j->end_a *= t->segment[j->a].length;
        j->end_b *= t->segment[j->b].length;
        j->rest =
            def->straight ? (Quatd){0.0, 0.0, 0.0, 1.0} : mulqd(conjugated(rest[j->a]), rest[j->b]);
    }
    if (t->given)
        memcpy(t->given, def->segments, (size_t)t->segments * sizeof(SnSegmentDef));
    memcpy(t->rest_positions, def->positions, (size_t)t->vertices * sizeof(SnVec3));
    sn__stiff_apply_material(t, &def->material);
    set_start(t, def, start);
}

StiffRod *sn__stiff_create(StiffSystem *system, const SnRodDef *def) {
    const SnAllocator *a = &system->allocator;
    StiffRod *t = sn__alloc(a, sizeof *t);
    if (t == NULL)
        return NULL;
    t->system = system;
    t->grove = -1;
    t->vertices = def->vertex_count;
    t->segments = sn__def_segments(def);
    t->gravity_scale = (double)def->gravity_scale;
    t->material = sn_rod_material_derived(def->material);
    t->has_given = def->segments != NULL;
    memcpy(t->origin, def->origin, sizeof t->origin);
    size_t n = (size_t)t->segments;
    t->bytes = lay_out(t, NULL);
    t->block = sn__alloc(a, t->bytes);
    t->fresh = sn__alloc_raw(a, n * sizeof(StiffCarried));
    Quatd *frames = sn__alloc_raw(a, n * sizeof(Quatd));
    Walk walk = {0};
    bool complete = t->block && t->fresh && frames;
    if (complete) {
        lay_out(t, t->block);
        t->points = t->vertices;
        t->ends = t->edge;
        for (int j = 0; j < t->segments; ++j) {
            RodEnds ends = sn__def_ends(def, j);
            t->edge[j][0] = ends.a;
            t->edge[j][1] = ends.b;
            t->frame_lead[j] = -1;
            t->slot[j] = -1;
        }
        for (int i = 0; i < t->vertices; ++i) {
            t->radius[i] = def->radii ? def->radii[i] : def->radius;
            t->vertex_lead[i] = -1;
        }
        complete = walk_create(a, t, &walk);
    }
    if (complete && is_spanned(t, &walk)) {
        walk_graph(t, &walk);
        find_twins(t, &walk);
        list_joints(t);
        fill(t, def, &walk, frames);
    }
    sn__free(a, walk.block, walk.bytes);
    sn__free(a, frames, n * sizeof(Quatd));
    if (complete)
        return t;
    sn__stiff_destroy(t);
    return NULL;
}

void sn__stiff_destroy(StiffRod *t) {
    const SnAllocator *a = &t->system->allocator;
    sn__free(a, t->block, t->bytes);
    sn__free(a, t->torn, t->torn_bytes);
    sn__free(a, t->fresh, (size_t)t->segments * sizeof(StiffCarried));
    sn__free(a, t->leads, (size_t)t->lead_capacity * sizeof(StiffLead));
    sn__free(a, t, sizeof *t);
}
