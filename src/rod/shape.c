#include "rod/shape.h"
#include "base/null.h"

#include <assert.h>

#include "collide/surface.h"

#define ROD_COOKIE 0x534e5244u

#define LENGTH_MIN 1e-5
#define LENGTH_MAX 1e5

SnRodMaterial sn_default_rod_material(void) {
    SnRodMaterial m = {0};
    m.density = 1000.0f;
    m.young = 1e6f;
    m.damping = 0.0f;
    m.drag = 0.0f;
    m.shear = m.volume = SN_DERIVED;
    m.stretch = m.transverse = m.cross_section = m.scale_gradient = SN_DERIVED;
    m.bend = m.twist = m.scale_bend = m.volume_bend = SN_DERIVED;
    return m;
}

// Rubber and flesh keep their volume: G = E/3, and a little more for what the discs of a rod cannot do.
#define SHEAR_OF_YOUNG 0.35f
#define VOLUME_OF_YOUNG 50.0f

SnRodMaterial sn_rod_material_derived(SnRodMaterial m) {
    if (m.shear < 0.0f)
        m.shear = SHEAR_OF_YOUNG * m.young;
    if (m.volume < 0.0f)
        m.volume = fminf(VOLUME_OF_YOUNG * m.young, MAX_STIFFNESS);
    return m;
}

SnRodDef sn_default_rod_def(void) {
    SnRodDef def = {0};
    def.cookie = ROD_COOKIE;
    def.radius = 0.01f;
    def.material = sn_default_rod_material();
    def.surface = sn_default_surface();
    def.filter = sn_default_filter();
    def.self_collide = true;
    def.solver = SN_SOLVER_AUTO;
    def.gravity_scale = 1.0f;
    return def;
}

// The negated comparisons below are true for what is not a number, too.

SnResult sn__rod_material_check(const SnRodMaterial *m, const char *name) {
    if (!(m->density >= MIN_DENSITY && m->density <= MAX_DENSITY))
        return sn_error(SN_ERROR_INVALID, "%s: material.density: %g is not in [%g, %g] kg/m³", name,
                        (double)m->density, (double)MIN_DENSITY, (double)MAX_DENSITY);
    const struct {
        const char *field;
        float value;
    } rates[] = {{"damping", m->damping}, {"drag", m->drag}};
    for (int i = 0; i < 2; ++i)
        if (!(rates[i].value >= 0.0f && rates[i].value <= 1e6f))
            return sn_error(SN_ERROR_INVALID, "%s: material.%s: %g is not in [0, 1e6]", name,
                            rates[i].field, (double)rates[i].value);
    const struct {
        const char *field;
        float value;
        bool derived; // may be negative
    } stiffness[] = {
        {"young", m->young, false},
        {"shear", m->shear, true},
        {"volume", m->volume, true},
        {"yield", m->yield, false},
        {"strength", m->strength, false},
        {"stretch", m->stretch, true},
        {"transverse", m->transverse, true},
        {"cross_section", m->cross_section, true},
        {"scale_gradient", m->scale_gradient, true},
        {"bend", m->bend, true},
        {"twist", m->twist, true},
        {"scale_bend", m->scale_bend, true},
        {"volume_bend", m->volume_bend, true},
    };
    for (int i = 0; i < (int)(sizeof stiffness / sizeof stiffness[0]); ++i) {
        float v = stiffness[i].value;
        if (!(v <= MAX_STIFFNESS) || !(v >= 0.0f || (stiffness[i].derived && isfinite(v))))
            return sn_error(SN_ERROR_INVALID, "%s: material.%s: %g is not in [0, %g] Pa%s", name,
                            stiffness[i].field, (double)v, (double)MAX_STIFFNESS,
                            stiffness[i].derived ? " or negative (derived)" : "");
    }
    return sn_ok();
}

static SnResult check_positions(const SnRodDef *def, const char *name, const char *field,
                                const SnVec3 *x) {
    for (int i = 0; i < def->vertex_count; ++i)
        if (!sn__within3(x[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "%s: %s[%d]: (%g, %g, %g) is not within 1e9 m", name,
                            field, i, (double)x[i].x, (double)x[i].y, (double)x[i].z);
    for (int j = 0; j < sn__def_segments(def); ++j) {
        RodEnds e = sn__def_ends(def, j);
        double l = lengthd(subd(vec3d(x[e.b]), vec3d(x[e.a])));
        if (!(l >= LENGTH_MIN && l <= LENGTH_MAX))
            return sn_error(SN_ERROR_INVALID,
                            "%s: %s: segment %d is %g m long, which is not in [%g, %g]", name,
                            field, j, l, LENGTH_MIN, LENGTH_MAX);
    }
    return sn_ok();
}

static SnResult check_radii(const SnRodDef *def, const char *name) {
    for (int i = 0; i < (def->radii ? def->vertex_count : 1); ++i) {
        float r = def->radii ? def->radii[i] : def->radius;
        if (!(r >= MIN_RADIUS && r <= MAX_RADIUS))
            return sn_error(SN_ERROR_INVALID, "%s: %s[%d]: %g is not in [%g, %g] m", name,
                            def->radii ? "radii" : "radius", i, (double)r, (double)MIN_RADIUS,
                            (double)MAX_RADIUS);
    }
    for (int i = 0; def->start_scales && i < def->vertex_count; ++i)
        if (!(def->start_scales[i] >= 0.1f && def->start_scales[i] <= 10.0f))
            return sn_error(SN_ERROR_INVALID, "%s: start_scales[%d]: %g is not in [0.1, 10]", name,
                            i, (double)def->start_scales[i]);
    return sn_ok();
}

static SnResult check_frames(const SnRodDef *def, const char *name, const char *field,
                             const SnQuat *frames, const SnVec3 *x) {
    for (int j = 0; frames && j < sn__def_segments(def); ++j) {
        Quatd q = quatd(frames[j]);
        double n = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (!(n > 0.5 && n < 2.0))
            return sn_error(SN_ERROR_INVALID, "%s: %s[%d]: norm %g is not 1", name, field, j,
                            sqrt(n));
        RodEnds e = sn__def_ends(def, j);
        Vec3d d = subd(vec3d(x[e.b]), vec3d(x[e.a]));
        if (!(dotd(axis_z(normalisedq(q)), d) > 0.0))
            return sn_error(SN_ERROR_INVALID,
                            "%s: %s[%d]: its third axis points away from the segment", name, field,
                            j);
    }
    return sn_ok();
}

static SnResult check_bone_segments(const SnRodDef *def, const char *name) {
    int segments = sn__def_segments(def);
    for (int i = 0; def->bone_segments && i < 2 * def->vertex_count; ++i) {
        int least = i % 2 == 0 ? 0 : -1, segment = def->bone_segments[i];
        if (segment < least || segment >= segments)
            return sn_error(SN_ERROR_INVALID, "%s: bone_segments[%d]: %d is not in [%d, %d)", name,
                            i, segment, least, segments);
    }
    return sn_ok();
}

static SnResult check_stretch_factors(const SnRodDef *def, const char *name) {
    if (def->stretch_factors && def->stiff)
        return sn_error(SN_ERROR_INVALID, "%s: stretch_factors: are given, but the rod is stiff",
                        name);
    for (int j = 0; def->stretch_factors && j < sn__def_segments(def); ++j)
        if (!(def->stretch_factors[j] >= 1.0f && def->stretch_factors[j] <= 1e6f))
            return sn_error(SN_ERROR_INVALID, "%s: stretch_factors[%d]: %g is not in [1, 1e6]",
                            name, j, (double)def->stretch_factors[j]);
    return sn_ok();
}

SnResult sn__rod_def_check(const SnRodDef *def) {
    if (def == NULL || def->cookie != ROD_COOKIE)
        return sn__no_def(def, "rod", "sn_default_rod_def");
    const char *name = def->name ? def->name : "rod";
    int least = def->closed ? 4 : 2;
    if (def->vertex_count < least)
        return sn_error(SN_ERROR_INVALID, "%s: vertex_count: %d is not ≥ %d", name,
                        def->vertex_count, least);
    if (def->vertex_count > SN_MAX_ROD_VERTICES)
        return sn_error(SN_ERROR_LIMIT, "%s: vertex_count: %d is more than SN_MAX_ROD_VERTICES, %d",
                        name, def->vertex_count, SN_MAX_ROD_VERTICES);
    if (def->positions == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: positions: is NULL", name);
    SnResult r = sn_ok();
    if (def->stiff)
        r = sn__stiff_def_check(def, name);
    else if (def->segments)
        r = sn_error(SN_ERROR_INVALID, "%s: segments: are given, but the rod is not stiff", name);
    else if (def->sections && def->edges == NULL)
        r = sn_error(SN_ERROR_INVALID, "%s: sections: are given, but there are no edges", name);
    else if (def->edges || def->edge_count != 0)
        r = sn__graph_check(def, name);
    if (r.code == SN_OK)
        r = check_positions(def, name, "positions", def->positions);
    if (r.code == SN_OK && def->start_positions)
        r = check_positions(def, name, "start_positions", def->start_positions);
    if (r.code == SN_OK)
        r = check_radii(def, name);
    if (r.code == SN_OK)
        r = check_frames(def, name, "frames", def->frames, def->positions);
    if (r.code == SN_OK)
        r = check_frames(def, name, "start_frames", def->start_frames,
                         def->start_positions ? def->start_positions : def->positions);
    if (r.code == SN_OK)
        r = check_bone_segments(def, name);
    if (r.code == SN_OK)
        r = check_stretch_factors(def, name);
    if (r.code == SN_OK)
        r = sn__rod_material_check(&def->material, name);
    if (r.code == SN_OK)
        r = sn__surface_check(&def->surface, name);
    if (r.code != SN_OK)
        return r;
    if (!sn__within3(def->velocity, SN_MAX_SPEED))
        return sn_error(SN_ERROR_INVALID, "%s: velocity: (%g, %g, %g) is not within %g m/s", name,
                        (double)def->velocity.x, (double)def->velocity.y, (double)def->velocity.z,
                        (double)SN_MAX_SPEED);
    if (!sn__within3(def->angular_velocity, SN_MAX_SPIN))
        return sn_error(SN_ERROR_INVALID,
                        "%s: angular_velocity: (%g, %g, %g) is not within %g rad/s", name,
                        (double)def->angular_velocity.x, (double)def->angular_velocity.y,
                        (double)def->angular_velocity.z, (double)SN_MAX_SPIN);
    if (def->solver < SN_SOLVER_AUTO || def->solver > SN_SOLVER_DIRECT)
        return sn_error(SN_ERROR_INVALID, "%s: solver: %d is not one of SnRodSolver", name,
                        (int)def->solver);
    if (!(fabsf(def->gravity_scale) <= MAX_GRAVITY_SCALE))
        return sn_error(SN_ERROR_INVALID, "%s: gravity_scale: %g is not within 1e3", name,
                        (double)def->gravity_scale);
    for (int k = 0; k < 3; ++k)
        if (!(fabs(def->origin[k]) <= 1e9))
            return sn_error(SN_ERROR_INVALID, "%s: origin[%d]: %g is not within 1e9 m", name, k,
                            def->origin[k]);
    return r;
}

// Unit vector along segment j in this pose.
static Vec3d tangent(const SnRodDef *def, const SnVec3 *x, int j) {
    RodEnds e = sn__def_ends(def, j);
    Vec3d d = subd(vec3d(x[e.b]), vec3d(x[e.a]));
    return scaled(d, 1.0 / lengthd(d));
}

static Quatd turned_about(Vec3d axis, double angle) {
    double s = sin(0.5 * angle);
    return (Quatd){axis.x * s, axis.y * s, axis.z * s, cos(0.5 * angle)};
}

// Angle about the axis (a unit vector) that the rotation q, which keeps it, turns by.
static double angle_about(Quatd q, Vec3d axis) {
    return 2.0 * atan2(q.x * axis.x + q.y * axis.y + q.z * axis.z, q.w);
}

// Given frames, turned the shortest way so that their third axis is the tangent.
static void align_frames(const RodShape *shape, const SnRodDef *def, const SnVec3 *x,
                         const SnQuat *given, Quatd *frame) {
    for (int j = 0; j < shape->segments; ++j) {
        Quatd q = normalisedq(quatd(given[j]));
        frame[j] = normalisedq(mulqd(rotation_between(axis_z(q), tangent(def, x, j)), q));
    }
}

// The order in which frames are carried from segment to segment: along a chain, or as a graph is
// walked. A segment may lie against the direction of the walk; its sign is then −1.
typedef struct Carry {
    int segment, before; // before: −1 at the start
    double sign, sign_before;
} Carry;

static Carry carry(const RodShape *shape, int k) {
    assert(k >= 0 && k < shape->segments);
    if (shape->graph == NULL)
        return (Carry){k, k - 1, 1.0, 1.0};
    const GraphStep *step = &shape->graph->walk[k];
    Carry c = {step->segment, step->before, 1.0, 1.0};
    if (shape->graph->edge[c.segment][0] != step->from)
        c.sign = -1.0;
    if (c.before >= 0 && shape->graph->edge[c.before][1] != step->from)
        c.sign_before = -1.0;
    return c;
}

// The frame of the segment before, carried over without twist. Where only one of the two lies along
// the walk, it is turned over, about its own first axis.
static Quatd carried(const SnRodDef *def, const SnVec3 *x, Carry c, Quatd before) {
    assert(c.before >= 0);
    Vec3d from = scaled(tangent(def, x, c.before), c.sign_before);
    Quatd q = mulqd(rotation_between(from, scaled(tangent(def, x, c.segment), c.sign)), before);
    return c.sign == c.sign_before ? q : mulqd(q, (Quatd){1.0, 0.0, 0.0, 0.0});
}

// Round a closed curve, frames come back turned by some angle; that is taken out evenly.
static void close_frames(const RodShape *shape, const SnRodDef *def, Quatd *frame) {
    const SnVec3 *x = def->positions;
    int last = shape->segments - 1;
    Vec3d first = tangent(def, x, 0);
    Quatd back = mulqd(rotation_between(tangent(def, x, last), first), frame[last]);
    double angle = angle_about(mulqd(frame[0], conjugated(back)), first);
    angle = remainder(angle, 2.0 * 3.14159265358979323846);
    double total = 0.0, run = 0.0;
    for (int j = 0; j < shape->segments; ++j)
        total += shape->length[j];
    for (int j = 0; j < shape->segments; ++j) {
        frame[j] = mulqd(turned_about(tangent(def, x, j), angle * run / total), frame[j]);
        run += shape->length[j];
    }
}

// Frames carried from segment to segment without twist, from any first one.
static void transport_frames(const RodShape *shape, const SnRodDef *def, Quatd *frame) {
    const SnVec3 *x = def->positions;
    for (int k = 0; k < shape->segments; ++k) {
        Carry c = carry(shape, k);
        Quatd first = rotation_between((Vec3d){0.0, 0.0, 1.0}, tangent(def, x, c.segment));
        frame[c.segment] = c.before < 0 ? first : normalisedq(carried(def, x, c, frame[c.before]));
    }
    if (shape->closed)
        close_frames(shape, def, frame);
}

// Frames of another pose, with the twist that the rest frames have from one to the next.
static void follow_frames(const RodShape *shape, const SnRodDef *def, const SnVec3 *x,
                          Quatd *frame) {
    const SnVec3 *rest = def->positions;
    for (int k = 0; k < shape->segments; ++k) {
        Carry c = carry(shape, k);
        if (c.before < 0) {
            Quatd first =
                rotation_between(tangent(def, rest, c.segment), tangent(def, x, c.segment));
            frame[c.segment] = normalisedq(mulqd(first, shape->frame[c.segment]));
            continue;
        }
        Quatd plain = carried(def, rest, c, shape->frame[c.before]);
        double twist = angle_about(mulqd(shape->frame[c.segment], conjugated(plain)),
                                   tangent(def, rest, c.segment));
        Quatd moved = carried(def, x, c, frame[c.before]);
        Quatd turn = turned_about(tangent(def, x, c.segment), twist);
        frame[c.segment] = normalisedq(mulqd(turn, moved));
    }
}

BodyDef sn__rod_body_def(const SnRodDef *def, int segments, const SnQuat *rest_frames) {
    return (BodyDef){.name = def->name,
                     .points = def->vertex_count,
                     .elements = segments,
                     .surface = def->surface,
                     .filter = def->filter,
                     .self_collide = def->self_collide,
                     .gravity_scale = def->gravity_scale,
                     .rest_origin = def->origin,
                     .rest_positions = def->positions,
                     .rest_frames = rest_frames,
                     .bone_elements = def->bone_segments,
                     .user_data = def->user_data};
}

SnResult sn__rod_shape_create(const SnAllocator *allocator, const SnRodDef *def,
                              const RodGraph *graph, RodShape *out_shape) {
    RodShape shape = {0};
    assert((graph != NULL) == (def->edges != NULL));
    shape.vertices = def->vertex_count;
    shape.closed = def->closed;
    shape.straight = def->straight;
    shape.graph = graph;
    shape.stretch_factors = def->stretch_factors;
    shape.segments = sn__def_segments(def);
    size_t v = (size_t)shape.vertices, n = (size_t)shape.segments;
    shape.bytes = v * sizeof(double) + n * (sizeof(double) + 2 * sizeof(Quatd));
    shape.block = sn__alloc(allocator, shape.bytes);
    if (shape.block == NULL)
        return sn_error(SN_ERROR_MEMORY, "rod: no memory for %d vertices", shape.vertices);
    shape.frame = shape.block;
    shape.start_frame = shape.frame + n;
    shape.radius = (double *)(shape.start_frame + n);
    shape.length = shape.radius + v;

    for (int i = 0; i < shape.vertices; ++i)
        shape.radius[i] = def->radii ? def->radii[i] : def->radius;
    for (int j = 0; j < shape.segments; ++j) {
        RodEnds e = sn__def_ends(def, j);
        shape.length[j] = lengthd(subd(vec3d(def->positions[e.b]), vec3d(def->positions[e.a])));
    }
    if (def->frames)
        align_frames(&shape, def, def->positions, def->frames, shape.frame);
    else
        transport_frames(&shape, def, shape.frame);
    const SnVec3 *start = def->start_positions ? def->start_positions : def->positions;
    if (def->start_frames)
        align_frames(&shape, def, start, def->start_frames, shape.start_frame);
    else
        follow_frames(&shape, def, start, shape.start_frame);
    *out_shape = shape;
    return sn_ok();
}

void sn__rod_shape_destroy(const SnAllocator *allocator, RodShape *shape) {
    sn__free(allocator, shape->block, shape->bytes);
    *shape = (RodShape){0};
}
