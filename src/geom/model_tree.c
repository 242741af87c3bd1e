#include "geom/model_tree.h"

#include <string.h>

#include "base/memory.h"
#include "base/null.h"

#define TREE_COOKIE 0x534e5452u
#define MIN_HEIGHT 0.1f
#define MAX_HEIGHT 200.0f

SnTreeDef sn_default_tree_def(SnTreeKind kind) {
    SnTreeDef def = {.cookie = TREE_COOKIE, .kind = kind, .height = SN_DERIVED, .seed = 7};
    const TreeSpecies *species = sn__plant_species(kind);
    if (species != NULL)
        def.segments = species->segments;
    return def;
}

static SnResult check_def(const SnTreeDef *def) {
    if (def == NULL || def->cookie != TREE_COOKIE)
        return sn__no_def(def, "tree", "sn_default_tree_def");
    const TreeSpecies *species = sn__plant_species(def->kind);
    if (species == NULL)
        return sn_error(SN_ERROR_INVALID,
                        "tree: kind: %d is not birch (%d), willow (%d), pine (%d)", (int)def->kind,
                        SN_TREE_BIRCH, SN_TREE_WILLOW, SN_TREE_PINE);
    if (def->segments < SN_MIN_TREE_SEGMENTS || def->segments > SN_MAX_TREE_SEGMENTS)
        return sn_error(SN_ERROR_INVALID, "%s: segments: %d is not in [%d, %d]", species->name,
                        def->segments, SN_MIN_TREE_SEGMENTS, SN_MAX_TREE_SEGMENTS);
    if (!(def->height < 0.0f || (def->height >= MIN_HEIGHT && def->height <= MAX_HEIGHT)))
        return sn_error(SN_ERROR_INVALID,
                        "%s: height: %g m is not in [%g, %g], nor negative for a derived one",
                        species->name, (double)def->height, (double)MIN_HEIGHT, (double)MAX_HEIGHT);
    return sn_ok();
}

static bool allocate(SnTreeModel *model, int segments) {
    size_t edges = (size_t)segments, vertices = edges + 1;
    model->vertex_count = (int)vertices;
    model->edge_count = (int)edges;
    model->size =
        vertices *
            (sizeof *model->positions + sizeof *model->radii + 2 * sizeof *model->bone_segments) +
        edges * (sizeof *model->frames + sizeof *model->base_radii + 2 * sizeof *model->edges +
                 sizeof *model->leaf_widths + sizeof *model->leaf);
    model->frames = sn__alloc(&model->allocator, model->size);
    if (model->frames == NULL)
        return false;
    model->positions = (SnVec3 *)(model->frames + edges);
    model->radii = (float *)(model->positions + vertices);
    model->base_radii = model->radii + vertices;
    model->leaf_widths = model->base_radii + edges;
    model->edges = (int *)(model->leaf_widths + edges);
    model->bone_segments = model->edges + 2 * edges;
    model->leaf = (uint8_t *)(model->bone_segments + 2 * vertices);
    return true;
}

// The edge that leads to a vertex, and the one that continues its stem.
static void list_bone_segments(SnTreeModel *model) {
    for (int i = 0; i < model->vertex_count; ++i) {
        bool goes_on = i > 0 && i < model->edge_count && sn__plant_continues(model, i);
        model->bone_segments[2 * i] = i > 0 ? i - 1 : 0;
        model->bone_segments[2 * i + 1] = goes_on ? i : -1;
    }
}

SnResult sn_tree_model(const SnTreeDef *def, const SnAllocator *allocator, SnTreeModel *out_model) {
    if (out_model == NULL)
        return sn__null("tree: out_model");
    memset(out_model, 0, sizeof *out_model);
    SnResult result = check_def(def);
    if (result.code != SN_OK)
        return result;
    SnTreeModel model = {.allocator = allocator ? *allocator : sn__default_allocator()};
    TreeGrowth growth = {.species = sn__plant_species(def->kind), .model = &model};
    // A crown of twice the size has eight times the leaves.
    double size = (double)def->segments / growth.species->segments;
    growth.height = def->height < 0.0f ? growth.species->height * cbrt(size) : (double)def->height;
    // The twigs of a large tree are hardly longer than those of others.
    growth.fineness = pow(fmax(1.0, size), -0.13);
    growth.random = (uint64_t)def->seed << 8 | (uint64_t)def->kind;
    sn__plant_plan(&growth, def->segments);
    size_t stem_count = (size_t)growth.level_begin[TREE_LEVELS];
    size_t stem_size = stem_count * sizeof(TreeStem);
    size_t flow_size = (size_t)(def->segments + 1) * sizeof(double);
    growth.stems = sn__alloc(&model.allocator, stem_size);
    double *flow = sn__alloc(&model.allocator, flow_size);
    if (growth.stems && flow && allocate(&model, def->segments)) {
        sn__plant_grow_wood(&growth);
        sn__plant_grow_leaves(&growth);
        sn__plant_radii(&growth, flow);
        list_bone_segments(&model);
        *out_model = model;
    } else {
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory for %d segments", growth.species->name,
                          def->segments);
    }
    sn__free(&model.allocator, growth.stems, stem_size);
    sn__free(&model.allocator, flow, flow_size);
    return result;
}

void sn_tree_model_destroy(SnTreeModel *model) {
    if (model == NULL)
        return;
    sn__free(&model->allocator, model->frames, model->size);
    memset(model, 0, sizeof *model);
}
