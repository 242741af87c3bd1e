// Shapes made by code, with edges of their own: the octopus, the trees and the net.
#include "io/scene_shape.h"
#include "io/tables.h"

#include <string.h>

// An ellipse of this part of a blade's half width has the area of the blade, a rhomb, on average.
#define BLADE 0.64f

static void *copied(Reader *reader, const void *from, size_t count, size_t size) {
    void *to = sn__reader_alloc(reader, count, size);
    return to ? memcpy(to, from, count * size) : NULL;
}

bool sn__read_octopus(Reader *reader, const Json *json, PointList *out) {
    ShapeParams p = {.radius = 1.885f}; // of the published one
    SnModel model;
    if (!sn__read_object(reader, json, &sn__table_octopus, &p))
        return false;
    SnResult result = sn_octopus(p.radius, NULL, &model);
    if (result.code != SN_OK) {
        sn__reader_error(reader, json, "%s", result.message);
        return false;
    }
    size_t vertices = (size_t)model.vertex_count, edges = (size_t)model.edge_count;
    out->positions = copied(reader, model.positions, vertices, sizeof *out->positions);
    out->radii = copied(reader, model.radii, vertices, sizeof *out->radii);
    out->edges = copied(reader, model.edges, 2 * edges, sizeof *out->edges);
    out->count = model.vertex_count;
    out->edge_count = model.edge_count;
    sn_model_destroy(&model);
    return !reader->out_of_memory;
}

// Segments from one crossing to another, with vertices of their own in between.
static void join_crossings(PointList *out, int a, int b, int segments) {
    Vec3d from = vec3d(out->positions[a]), along = subd(vec3d(out->positions[b]), from);
    for (int i = 1, last = a; i <= segments; ++i) {
        int next = i < segments ? out->count++ : b;
        if (i < segments)
            out->positions[next] = vec3f(addd(from, scaled(along, (double)i / segments)));
        out->edges[2 * out->edge_count] = last;
        out->edges[2 * out->edge_count++ + 1] = next;
        last = next;
    }
}

// Crossings come first, row by row.
bool sn__read_net(Reader *reader, const Json *json, PointList *out) {
    NetParams p = {.segments = 1};
    if (!sn__read_object(reader, json, &sn__table_net, &p))
        return false;
    int across = p.columns + 1, down = p.rows + 1, crossings = across * down;
    int sides = p.columns * down + p.rows * across;
    int64_t vertices = crossings + (int64_t)sides * (p.segments - 1);
    if (vertices > SN_MAX_ROD_VERTICES || (int64_t)sides * p.segments > SN_MAX_ROD_VERTICES) {
        sn__reader_error(reader, json, "%lld segments are not in [1, %d]",
                         (long long)sides * p.segments, SN_MAX_ROD_VERTICES);
        return false;
    }
    out->positions = sn__reader_alloc(reader, (size_t)vertices, sizeof *out->positions);
    out->edges = sn__reader_alloc(reader, 2 * (size_t)sides * (size_t)p.segments, sizeof(int));
    if (reader->out_of_memory)
        return false;
    for (int i = 0; i < crossings; ++i) {
        double u = (double)(i % across) / p.columns, v = (double)(i / across) / p.rows;
        out->positions[i] =
            vec3f((Vec3d){(double)p.width * (u - 0.5), 0, (double)p.depth * (v - 0.5)});
    }
    out->count = crossings;
    for (int i = 0; i < crossings; ++i) {
        if (i % across + 1 < across)
            join_crossings(out, i, i + 1, p.segments);
        if (i + across < crossings)
            join_crossings(out, i, i + across, p.segments);
    }
    return true;
}

// What a tree looks like and is made of, before anything is said about it.
static const struct {
    const char *name;
    SnColour bark, leaves;
} kinds[] = {
    {"birch", {0.62f, 0.58f, 0.52f}, {0.17f, 0.29f, 0.05f}},
    {"willow", {0.20f, 0.14f, 0.08f}, {0.20f, 0.28f, 0.08f}},
    {"pine", {0.25f, 0.12f, 0.06f}, {0.05f, 0.16f, 0.06f}},
};

static bool read_kind(Reader *reader, const Json *json, SceneTree *tree) {
    const char *const names[] = {kinds[0].name, kinds[1].name, kinds[2].name}; // as SnTreeKind
    int kind;
    if (json == NULL || !sn__read_word(reader, json, names, 3, &kind))
        return false;
    tree->def = sn_default_tree_def((SnTreeKind)kind);
    tree->sides = 8;
    tree->leaf_young = 1.2e9f;
    tree->leaf_shear = 0.6e9f;
    tree->leaf_density = 1000;
    tree->leaf_thickness = kind == SN_TREE_PINE ? 0.0012f : 0.0004f;
    return true;
}

static SnSegmentDef segment_of(const SnTreeModel *model, const SceneTree *tree, int edge) {
    if (model->leaf[edge])
        return (SnSegmentDef){tree->leaf_young, tree->leaf_shear, tree->leaf_density,
                              BLADE * model->leaf_widths[edge], 0.5f * tree->leaf_thickness};
    float radius = 0.5f * (model->base_radii[edge] + model->radii[edge + 1]);
    return (SnSegmentDef){.radius_x = radius, .radius_y = radius};
}

static void take_model(Reader *reader, const SnTreeModel *model, const SceneTree *tree,
                       PointList *out) {
    size_t vertices = (size_t)model->vertex_count, edges = (size_t)model->edge_count;
    out->positions = copied(reader, model->positions, vertices, sizeof *out->positions);
    out->radii = copied(reader, model->radii, vertices, sizeof *out->radii);
    out->frames = copied(reader, model->frames, edges, sizeof *out->frames);
    out->edges = copied(reader, model->edges, 2 * edges, sizeof *out->edges);
    out->bone_segments =
        copied(reader, model->bone_segments, 2 * vertices, sizeof *out->bone_segments);
    out->segments = sn__reader_alloc(reader, edges, sizeof *out->segments);
    for (int i = 0; i < model->edge_count && out->segments; ++i)
        out->segments[i] = segment_of(model, tree, i);
    out->count = model->vertex_count;
    out->edge_count = model->edge_count;
    out->tree = tree;
}

bool sn__read_tree(Reader *reader, const Json *json, PointList *out) {
    SceneTree *tree = sn__reader_alloc(reader, 1, sizeof *tree);
    if (tree == NULL)
        return false;
    const Json *kind = sn__json_member(&reader->doc, json, "kind");
    const Json *leaves = sn__json_member(&reader->doc, json, "leaves");
    bool known = read_kind(reader, kind, tree);
    if (!sn__read_object(reader, json, &sn__table_tree, tree) || !known)
        return false;
    if (tree->sides == 1 || tree->sides == 2) {
        sn__reader_error(reader, sn__json_member(&reader->doc, json, "sides"),
                         "%d is neither 0 nor in [3, 64]", tree->sides);
        return false;
    }
    if (leaves && !sn__read_object(reader, leaves, &sn__table_leaves, tree))
        return false;
    const Json *colour = leaves ? sn__json_member(&reader->doc, leaves, "colour") : NULL;
    if (colour)
        sn__read_colours(reader, colour, &tree->leaf_colours);
    sn__default_colour(reader, &tree->leaf_colours, kinds[tree->def.kind].leaves);
    SnTreeModel model;
    SnResult result = sn_tree_model(&tree->def, NULL, &model);
    if (result.code != SN_OK) {
        sn__reader_error(reader, json, "%s", result.message);
        return false;
    }
    take_model(reader, &model, tree, out);
    sn_tree_model_destroy(&model);
    return !reader->out_of_memory;
}

SnRodMaterial sn__tree_material(void) {
    SnRodMaterial wood = sn_default_rod_material();
    wood.density = 1000;
    wood.young = 12.5e9f;
    wood.shear = 6.5e9f;
    wood.damping = 0.01f;
    return wood;
}

void sn__tree_defaults(Reader *reader, const Json *json, SceneRod *rod) {
    rod->body.rooted = true;
    rod->body.own_skin = rod->tree->sides > 0 ? rod->tree : NULL;
    if (sn__json_member(&reader->doc, json, "collide") == NULL)
        rod->body.collide = false;
    sn__default_colour(reader, &rod->body.colours, kinds[rod->tree->def.kind].bark);
    if (sn__json_member(&reader->doc, json, "attach"))
        return;
    rod->body.attachments = sn__reader_alloc(reader, 2, sizeof *rod->body.attachments);
    if (rod->body.attachments) {
        rod->body.attachments[0] = (SceneAttachment){.entry = -1,
                                                     .kind = SN_ATTACH_VERTEX,
                                                     .frame = -1,
                                                     .rotation = sn_quat_identity(),
                                                     .value = 1,
                                                     .release = 1e300};
        rod->body.attachments[1] = rod->body.attachments[0];
        rod->body.attachments[1].kind = SN_ATTACH_SEGMENT;
        rod->body.attachment_count = 2;
    }
}
