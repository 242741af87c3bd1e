#include <string.h>

#include "base/memory.h"
#include "base/null.h"
#include "geom/model_tree.h"

#define MIN_SIDES 3
#define MAX_SIDES 64
// Where a fork leaves its parent it is thicker than it would be, by so many radii over so many.
#define COLLAR 0.9
#define COLLAR_REACH 4.0
// A blade is widest here along it, and its edges are lifted by so much of half its width.
#define LEAF_MIDDLE 0.38
#define LEAF_FOLD 0.3
// A blade more slender than this, half its width by its length, is a pair of needles: so wide at
// their base and so far apart at their tips, in half widths.
#define NEEDLE 0.1
#define NEEDLE_BASE 0.55
#define NEEDLE_SPREAD 2.0

static const Vec3d axis_x = {1.0, 0.0, 0.0}, axis_y = {0.0, 1.0, 0.0};

// Edges that follow each other, and so do their vertices.
typedef struct Stem {
    int begin, end;
    int sides;
    bool forks; // it begins at another stem
} Stem;

static Vec3d place(const SnTreeModel *model, int vertex) { return vec3d(model->positions[vertex]); }

static double edge_length(const SnTreeModel *model, int edge) {
    return lengthd(subd(place(model, edge + 1), place(model, model->edges[2 * edge])));
}

// The stem from edge `begin` on; wood has to be there.
static Stem stem_at(const SnTreeModel *model, int begin, int trunk_sides) {
    Stem stem = {.begin = begin, .end = begin + 1, .forks = begin > 0};
    while (stem.end < model->edge_count && sn__plant_continues(model, stem.end))
        ++stem.end;
    // The silhouette of a tube is off by r (1 − cos(π / sides)): the root makes it equally fine.
    double thickness = (double)model->base_radii[begin] / (double)model->radii[0];
    int sides = (int)floor(trunk_sides * sqrt(fmin(1.0, thickness)) + 0.5);
    stem.sides = sides < MIN_SIDES ? MIN_SIDES : sides;
    return stem;
}

static SnResult check_edge(const SnTreeModel *model, int edge) {
    int near = model->edges[2 * edge], far = model->edges[2 * edge + 1];
    if (near < 0 || near > edge || far != edge + 1)
        return sn_error(SN_ERROR_INVALID,
                        "tree skin: edges: edge %d from %d to %d does not lead to vertex %d from "
                        "one before it",
                        edge, near, far, edge + 1);
    double length = edge_length(model, edge);
    if (!(length > 0.0))
        return sn_error(SN_ERROR_INVALID, "tree skin: edge %d has no length", edge);
    Quatd q = quatd(model->frames[edge]);
    double norm = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    Vec3d along = scaled(subd(place(model, far), place(model, near)), 1.0 / length);
    if (!(fabs(norm - 1.0) < 1e-3 && dotd(along, axis_z(q)) > 0.99))
        return sn_error(SN_ERROR_INVALID, "tree skin: frames[%d] is not along its edge", edge);
    if (!(model->base_radii[edge] > 0.0f && model->base_radii[edge] <= SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "tree skin: base_radii[%d]: %g m is not in (0, %g]", edge,
                        (double)model->base_radii[edge], (double)SN_MAX_POSITION);
    float width = model->leaf_widths[edge];
    if (model->leaf[edge] && !(width > 0.0f && width <= SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "tree skin: leaf_widths[%d]: %g m is not in (0, %g]",
                        edge, (double)width, (double)SN_MAX_POSITION);
    return sn_ok();
}

static SnResult check_model(const SnTreeModel *model, int sides) {
    if (model == NULL || model->edge_count < 1 || model->vertex_count - 1 != model->edge_count ||
        model->positions == NULL || model->radii == NULL || model->base_radii == NULL ||
        model->edges == NULL || model->leaf == NULL || model->leaf_widths == NULL ||
        model->frames == NULL)
        return sn_error(SN_ERROR_INVALID, "tree skin: model was not made by sn_tree_model");
    if (sides < MIN_SIDES || sides > MAX_SIDES)
        return sn_error(SN_ERROR_INVALID, "tree skin: sides: %d is not in [%d, %d]", sides,
                        MIN_SIDES, MAX_SIDES);
    for (int i = 0; i < model->vertex_count; ++i) {
        if (!sn__within3(model->positions[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "tree skin: positions[%d] is not within %g m", i,
                            (double)SN_MAX_POSITION);
        if (!(model->radii[i] > 0.0f && model->radii[i] <= SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "tree skin: radii[%d]: %g m is not in (0, %g]", i,
                            (double)model->radii[i], (double)SN_MAX_POSITION);
    }
    for (int i = 0; i < model->edge_count; ++i) {
        SnResult result = check_edge(model, i);
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}

// Sets the counts, or says that there are too many.
static SnResult count(const SnTreeModel *model, int sides, SnTreeSkin *skin) {
    int64_t vertices = 0, triangles = 0, leaves = 0;
    for (int i = 0; i < model->edge_count;) {
        if (model->leaf[i]) {
            ++leaves;
            ++i;
            continue;
        }
        Stem stem = stem_at(model, i, sides);
        int spans = stem.end - stem.begin + stem.forks;
        vertices += (spans + 1) * (stem.sides + 1) + 1;
        triangles += (2 * spans + 1) * stem.sides;
        i = stem.end;
    }
    if (vertices + 4 * leaves > SN_MAX_SKIN_VERTICES ||
        triangles + 2 * leaves > SN_MAX_SKIN_TRIANGLES)
        return sn_error(SN_ERROR_LIMIT,
                        "tree skin: sides: %d make %lld vertices and %lld triangles, more than %d "
                        "and %d",
                        sides, (long long)(vertices + 4 * leaves),
                        (long long)(triangles + 2 * leaves), SN_MAX_SKIN_VERTICES,
                        SN_MAX_SKIN_TRIANGLES);
    skin->bark_vertex_count = (int)vertices;
    skin->bark_triangle_count = (int)triangles;
    skin->vertex_count = (int)(vertices + 4 * leaves);
    skin->triangle_count = (int)(triangles + 2 * leaves);
    return sn_ok();
}

static bool allocate(SnTreeSkin *skin) {
    size_t vertices = (size_t)skin->vertex_count, indices = 3 * (size_t)skin->triangle_count;
    skin->size = vertices * (2 * sizeof *skin->positions + 2 * sizeof *skin->uvs +
                             SN_SKIN_BONES * (sizeof *skin->bones + sizeof *skin->weights)) +
                 indices * sizeof *skin->triangles;
    skin->positions = sn__alloc(&skin->allocator, skin->size);
    if (skin->positions == NULL)
        return false;
    skin->normals = skin->positions + vertices;
    skin->uvs = (float *)(skin->normals + vertices);
    skin->weights = skin->uvs + 2 * vertices;
    skin->bones = (int *)(skin->weights + SN_SKIN_BONES * vertices);
    skin->triangles = (uint32_t *)(skin->bones + SN_SKIN_BONES * vertices);
    // From here on they count what is written.
    skin->vertex_count = skin->triangle_count = 0;
    return true;
}

// Follows bone a, and bone b to the part `t`.
typedef struct Hold {
    int a, b;
    double t;
} Hold;

static void write_vertex(SnTreeSkin *skin, Vec3d x, Vec3d normal, double u, double v, Hold hold) {
    size_t i = (size_t)skin->vertex_count++;
    Vec3d n = scaled(normal, 1.0 / lengthd(normal));
    skin->positions[i] = sn_vec3((float)x.x, (float)x.y, (float)x.z);
    skin->normals[i] = sn_vec3((float)n.x, (float)n.y, (float)n.z);
    skin->uvs[2 * i] = (float)u;
    skin->uvs[2 * i + 1] = (float)v;
    for (int k = 0; k < SN_SKIN_BONES; ++k)
        skin->bones[SN_SKIN_BONES * i + k] = k == 1 ? hold.b : hold.a;
    skin->weights[SN_SKIN_BONES * i + 1] = (float)hold.t;
    skin->weights[SN_SKIN_BONES * i] = 1.0f - (float)hold.t;
}

static void write_triangle(SnTreeSkin *skin, int a, int b, int c) {
    uint32_t *t = skin->triangles + 3 * (size_t)skin->triangle_count++;
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

typedef struct Ring {
    Vec3d centre;
    Quatd frame;
    double radius, slope, along; // slope: how much the radius shrinks per length
    Hold hold;
} Ring;

// First and last vertex of a ring are at the same place: the texture's ends meet there.
static void write_ring(SnTreeSkin *skin, const Ring *ring, int sides) {
    for (int i = 0; i <= sides; ++i) {
        double angle = 2.0 * TREE_PI * (i % sides) / sides;
        Vec3d out = rotated(ring->frame, (Vec3d){cos(angle), sin(angle), 0.0});
        Vec3d normal = addd(out, scaled(axis_z(ring->frame), ring->slope));
        write_vertex(skin, addd(ring->centre, scaled(out, ring->radius)), normal, (double)i / sides,
                     ring->along, ring->hold);
    }
}

// Between the last two rings.
static void write_span(SnTreeSkin *skin, int sides) {
    int upper = skin->vertex_count - (sides + 1), lower = upper - (sides + 1);
    for (int i = 0; i < sides; ++i) {
        write_triangle(skin, lower + i, lower + i + 1, upper + i + 1);
        write_triangle(skin, lower + i, upper + i + 1, upper + i);
    }
}

static Quatd middle(Quatd a, Quatd b) {
    double sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0 ? -1.0 : 1.0;
    return normalisedq(
        (Quatd){a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z, a.w + sign * b.w});
}

static double slope_of(const SnTreeModel *model, int edge) {
    double shrink = (double)model->base_radii[edge] - (double)model->radii[edge + 1];
    return shrink / edge_length(model, edge);
}

// Thickens a ring near the place where its stem leaves its parent.
static void add_collar(const SnTreeModel *model, const Stem *stem, Ring *ring) {
    double radius = (double)model->base_radii[stem->begin];
    double parent = (double)model->radii[model->edges[2 * stem->begin]];
    double t = 1.0 - (ring->along - parent) / (COLLAR_REACH * radius);
    if (!stem->forks || t < 0.0)
        return;
    t = fmin(t, 1.0);
    double thicker = fmin(COLLAR * t * t, fmax(0.0, 0.9 * parent / radius - 1.0));
    ring->slope += 2.0 * thicker / COLLAR_REACH;
    ring->radius += thicker * radius;
}

// The ring around the far end of an edge, half way between its own direction and the next one's.
static Ring ring_behind(const SnTreeModel *model, const Stem *stem, int edge, double along) {
    Ring ring = {.centre = place(model, edge + 1),
                 .frame = quatd(model->frames[edge]),
                 .radius = (double)model->radii[edge + 1],
                 .slope = slope_of(model, edge),
                 .along = along,
                 .hold = {edge + 1, edge + 1, 0.0}};
    if (edge + 1 < stem->end) {
        ring.frame = middle(ring.frame, quatd(model->frames[edge + 1]));
        ring.slope = 0.5 * (ring.slope + slope_of(model, edge + 1));
    }
    add_collar(model, stem, &ring);
    return ring;
}

static Ring ring_within(const SnTreeModel *model, const Stem *stem, double along) {
    int edge = stem->begin, near = model->edges[2 * edge];
    Quatd frame = quatd(model->frames[edge]);
    double radius = (double)model->base_radii[edge], slope = slope_of(model, edge);
    Ring ring = {.centre = addd(place(model, near), scaled(axis_z(frame), along)),
                 .frame = frame,
                 .radius = radius - along * slope,
                 .slope = slope,
                 .along = along,
                 .hold = {near, edge + 1, along / edge_length(model, edge)}};
    add_collar(model, stem, &ring);
    return ring;
}

// A fork begins below its parent's bark, where the ring is not seen and stays with the parent, and
// has one more ring in its first edge, where the collar is.
static void write_base(const SnTreeModel *model, const Stem *stem, SnTreeSkin *skin) {
    double radius = (double)model->base_radii[stem->begin];
    double parent = (double)model->radii[model->edges[2 * stem->begin]];
    double length = edge_length(model, stem->begin);
    double depth = stem->forks ? fmin(0.8 * fmax(0.0, parent - radius), 0.4 * length) : 0.0;
    Ring ring = ring_within(model, stem, depth);
    ring.hold.t = 0.0;
    write_ring(skin, &ring, stem->sides);
    if (stem->forks) {
        double collar = fmin(parent + 0.4 * COLLAR_REACH * radius, 0.5 * (depth + length));
        ring = ring_within(model, stem, fmax(collar, depth + 0.2 * (length - depth)));
        write_ring(skin, &ring, stem->sides);
        write_span(skin, stem->sides);
    }
}

static void write_stem(const SnTreeModel *model, const Stem *stem, SnTreeSkin *skin) {
    write_base(model, stem, skin);
    double along = 0.0;
    for (int edge = stem->begin; edge < stem->end; ++edge) {
        along += edge_length(model, edge);
        Ring ring = ring_behind(model, stem, edge, along);
        write_ring(skin, &ring, stem->sides);
        write_span(skin, stem->sides);
    }
    int tip = stem->end, last = skin->vertex_count - (stem->sides + 1);
    double radius = (double)model->radii[tip];
    Vec3d direction = axis_z(quatd(model->frames[tip - 1]));
    write_vertex(skin, addd(place(model, tip), scaled(direction, radius)), direction, 0.5,
                 along + radius, (Hold){tip, tip, 0.0});
    for (int i = 0; i < stem->sides; ++i)
        write_triangle(skin, last + i, last + i + 1, last + stem->sides + 1);
}

static void write_needles(const SnTreeModel *model, int edge, SnTreeSkin *skin) {
    int first = skin->vertex_count;
    double width = (double)model->leaf_widths[edge];
    Quatd frame = quatd(model->frames[edge]);
    Vec3d base = place(model, model->edges[2 * edge]), tip = place(model, edge + 1);
    Vec3d across = rotated(frame, axis_x), above = rotated(frame, axis_y);
    for (int side = -1; side <= 1; side += 2) {
        Vec3d normal = subd(above, scaled(across, 0.5 * side));
        write_vertex(skin, addd(base, scaled(across, side * NEEDLE_BASE * width)), above,
                     0.5 + 0.5 * side, 0.0, (Hold){edge + 1, edge + 1, 0.0});
        write_vertex(skin, addd(tip, scaled(across, side * NEEDLE_SPREAD * width)), normal,
                     0.5 + 0.5 * side, 1.0, (Hold){edge + 1, edge + 1, 0.0});
    }
    write_triangle(skin, first, first + 1, first + 2);
    write_triangle(skin, first, first + 3, first + 2);
}

static void write_leaf(const SnTreeModel *model, int edge, SnTreeSkin *skin) {
    int first = skin->vertex_count;
    double width = (double)model->leaf_widths[edge];
    Quatd frame = quatd(model->frames[edge]);
    Vec3d base = place(model, model->edges[2 * edge]), tip = place(model, edge + 1);
    Vec3d across = rotated(frame, axis_x), above = rotated(frame, axis_y);
    Vec3d centre =
        addd(addd(base, scaled(subd(tip, base), LEAF_MIDDLE)), scaled(above, LEAF_FOLD * width));
    Hold hold = {edge + 1, edge + 1, 0.0};
    write_vertex(skin, base, above, 0.5, 0.0, hold);
    write_vertex(skin, addd(centre, scaled(across, -width)), addd(above, scaled(across, LEAF_FOLD)),
                 1.0, LEAF_MIDDLE, hold);
    write_vertex(skin, tip, above, 0.5, 1.0, hold);
    write_vertex(skin, addd(centre, scaled(across, width)), subd(above, scaled(across, LEAF_FOLD)),
                 0.0, LEAF_MIDDLE, hold);
    write_triangle(skin, first, first + 1, first + 2);
    write_triangle(skin, first, first + 2, first + 3);
}

SnResult sn_tree_skin(const SnTreeModel *model, int sides, const SnAllocator *allocator,
                      SnTreeSkin *out_skin) {
    if (out_skin == NULL)
        return sn__null("tree skin: out_skin");
    memset(out_skin, 0, sizeof *out_skin);
    SnTreeSkin skin = {.allocator = allocator ? *allocator : sn__default_allocator()};
    SnResult result = check_model(model, sides);
    if (result.code == SN_OK)
        result = count(model, sides, &skin);
    if (result.code != SN_OK)
        return result;
    if (!allocate(&skin))
        return sn_error(SN_ERROR_MEMORY, "tree skin: no memory for %d vertices", skin.vertex_count);
    for (int i = 0; i < model->edge_count;) {
        if (model->leaf[i]) {
            ++i;
            continue;
        }
        Stem stem = stem_at(model, i, sides);
        write_stem(model, &stem, &skin);
        i = stem.end;
    }
    for (int i = 0; i < model->edge_count; ++i)
        if (model->leaf[i]) {
            bool slender = (double)model->leaf_widths[i] < NEEDLE * edge_length(model, i);
            (slender ? write_needles : write_leaf)(model, i, &skin);
        }
    *out_skin = skin;
    return result;
}

void sn_tree_skin_destroy(SnTreeSkin *skin) {
    if (skin == NULL)
        return;
    sn__free(&skin->allocator, skin->positions, skin->size);
    memset(skin, 0, sizeof *skin);
}
