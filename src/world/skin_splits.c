// Skins that split: what they learn of the edges of their solid.
#include <assert.h>
#include <string.h>

#include "base/null.h"
#include "sinew/solid.h"
#include "world/skins.h"
#include "world/world.h"

bool sn__skin_take_graph(const SnWorld *world, const SnSkinDef *def, SkinGraph *out) {
    *out = (SkinGraph){0};
    if (!def->split)
        return true;
    out->edge_count = sn_solid_edge_count(world, def->bodies[0]);
    out->edges = sn__alloc_array(&world->allocator, (size_t)out->edge_count, sizeof *out->edges);
    return out->edges && sn_solid_edges(world, def->bodies[0], out->edges, NULL).code == SN_OK;
}

void sn__skin_drop_graph(const SnAllocator *a, SkinGraph *graph) {
    sn__free(a, graph->edges, (size_t)graph->edge_count * sizeof *graph->edges);
    *graph = (SkinGraph){0};
}

bool sn__skin_start_split(const SnAllocator *a, Skin *skin) {
    const SkinSplit *split = skin->model->split;
    if (split == NULL)
        return true;
    size_t vertices = (size_t)split->vertex_count, edges = (size_t)split->edge_count;
    bool made = sn__split_state_create(split, &skin->state);
    skin->points = sn__alloc_array(a, vertices, sizeof *skin->points);
    skin->strains = sn__alloc_array(a, edges, sizeof *skin->strains);
    if (!made || !skin->points || !skin->strains)
        return false;
    sn__skin_split_apply(split, &skin->state, skin->model->points, skin->points);
    return true;
}

void sn__skin_end_split(const SnAllocator *a, const Skin *skin) {
    const SkinSplit *split = skin->model->split;
    if (split == NULL)
        return;
    SplitState state = skin->state;
    sn__split_state_destroy(split, &state);
    sn__free(a, skin->points, (size_t)split->vertex_count * sizeof *skin->points);
    sn__free(a, skin->strains, (size_t)split->edge_count * sizeof *skin->strains);
}

void sn__skin_look_at_breaks(const SnWorld *world, Skin *skin) {
    const SkinSplit *split = skin->model->split;
    bool changed = false;
    SnResult result = sn_solid_edges(world, skin->bodies[0], NULL, skin->strains);
    assert(result.code == SN_OK);
    (void)result;
    for (int k = 0; k < split->edge_count; ++k) {
        bool broken = skin->strains[k] <= -1.0f;
        changed = changed || broken != skin->state.broken[k];
        skin->state.broken[k] = broken;
    }
    if (changed)
        sn__skin_split_apply(split, &skin->state, skin->model->points, skin->points);
}

SnResult sn_skin_apart(SnWorld *world, SnSkinId id, bool *out_apart) {
    if (world == NULL)
        return sn__null("skin: world");
    if (out_apart == NULL)
        return sn__null("skin: out_apart");
    Skin *skin = sn__skins_find(world, id);
    if (skin == NULL)
        return sn_error(SN_ERROR_STALE, "skin: id is stale");
    if (skin->model->split == NULL)
        return sn_error(SN_ERROR_INVALID, "skin: does not split; set SnSkinDef.split");
    sn__skin_look_at_breaks(world, skin);
    memcpy(out_apart, skin->state.apart,
           (size_t)skin->model->split->lead_count * sizeof *out_apart);
    return sn_ok();
}
