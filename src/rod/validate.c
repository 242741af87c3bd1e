// Whether the packs and the rods in them fit together.
#include "rod/validate.h"

#include "base/require.h"
#include "rod/graph.h"
#include "rod/rods.h"

static SnResult check_lane(const RodSystem *rods, const RodPack *pack, int index, int i) {
    uint32_t slot = pack->lane[i].body;
    if (slot == 0)
        return sn_ok();
    REQUIRE(slot <= rods->bodies->ids.slot_count, "pack %d: lane %d: there is no body %u", index, i,
            slot);
    const Body *body = sn__body_at(rods->bodies, slot);
    REQUIRE(body->kind == &sn__rod_kind, "pack %d: lane %d: body %u is no rod", index, i, slot);
    const Rod *rod = rod_of(body);
    REQUIRE(rod->pack == index && i >= rod->lane && i < rod->lane + rod->pieces,
            "pack %d: lane %d: body %u lies elsewhere", index, i, slot);
    REQUIRE(i < pack->lanes, "pack %d: lane %d is not among its %d lanes", index, i, pack->lanes);
    int segments = pack->graph ? pack->graph->segments : pack->lane[i].segments;
    REQUIRE(segments >= 1 && segments <= pack->rows + (pack->graph != NULL),
            "pack %d: lane %d: %d segments in %d rows", index, i, segments, pack->rows);
    REQUIRE(pack->asleep[i] == body->sleep.asleep, "pack %d: lane %d sleeps alone", index, i);
    return sn_ok();
}

static bool is_lane(const RodPack *pack, int lane) {
    return lane >= 0 && lane < pack->lanes && pack->lane[lane].body != 0;
}

static SnResult check_leads(const RodPack *pack, int index) {
    REQUIRE(pack->lead_count <= pack->lead_capacity, "pack %d: too many leads", index);
    for (int k = 0; k < pack->lead_count; ++k) {
        const RodLead *l = &pack->leads[k];
        REQUIRE(is_lane(pack, l->lane) && l->row >= 0 && l->row <= pack->rows,
                "pack %d: lead %d: row %d of lane %d", index, k, l->row, l->lane);
        REQUIRE(l->held == HELD_VERTEX || l->held == HELD_FRAME || l->held == HELD_SCALE,
                "pack %d: lead %d: it holds %d", index, k, l->held);
        REQUIRE(pack->held[l->row][l->lane] & l->held, "pack %d: lead %d: nothing is held", index,
                k);
        REQUIRE(l->owner != 0, "pack %d: lead %d: it serves nobody", index, k);
    }
    return sn_ok();
}

static SnResult check_seams(const RodPack *pack, int index) {
    REQUIRE(pack->seam_count <= PACK_LANES && pack->chain_count <= PACK_LANES,
            "pack %d: too many seams", index);
    for (int k = 0; k < pack->seam_count; ++k) {
        const RodSeam *s = &pack->seams[k];
        REQUIRE(is_lane(pack, s->lane) && is_lane(pack, s->next) && s->row <= pack->rows &&
                    pack->lane[s->lane].body == pack->lane[s->next].body,
                "pack %d: seam %d: from lane %d to lane %d", index, k, s->lane, s->next);
    }
    return sn_ok();
}

static SnResult check_pack(const RodSystem *rods, int index) {
    const RodPack *pack = rods->packs[index];
    REQUIRE(pack->lanes >= 0 && pack->lanes <= PACK_LANES, "pack %d: %d lanes", index, pack->lanes);
    REQUIRE(pack->state != NULL || pack->lanes == 0, "pack %d: freed, with lanes", index);
    SnResult result = sn_ok();
    for (int i = 0; i < PACK_LANES && result.code == SN_OK; ++i)
        result = check_lane(rods, pack, index, i);
    if (result.code == SN_OK)
        result = check_leads(pack, index);
    return result.code == SN_OK ? check_seams(pack, index) : result;
}

// Counts the packs of a list, all of which are to be open or freed.
static SnResult check_list(const RodSystem *rods, int first, bool open, int *count) {
    for (int at = first; at != 0; at = rods->packs[at - 1]->next) {
        REQUIRE(at > 0 && at <= rods->pack_count, "packs: there is no pack %d", at - 1);
        REQUIRE(++*count <= rods->pack_count, "packs: a list has no end");
        const RodPack *pack = rods->packs[at - 1];
        REQUIRE(pack->open == open && (pack->state != NULL) == open,
                "pack %d: in a list that it does not belong to", at - 1);
    }
    return sn_ok();
}

static SnResult check_lists(const RodSystem *rods) {
    int open = 0, dead = 0, flagged = 0, freed = 0;
    SnResult result = check_list(rods, rods->dead_pack, false, &dead);
    for (int k = 0; k < PACK_CLASSES && result.code == SN_OK; ++k)
        result = check_list(rods, rods->open[k], true, &open);
    for (int g = 0; g < rods->graph_count; ++g)
        for (int k = 0; k < 4 && result.code == SN_OK; ++k)
            result = check_list(rods, rods->graphs[g]->open[k], true, &open);
    if (result.code != SN_OK)
        return result;
    for (int k = 0; k < rods->pack_count; ++k) {
        flagged += rods->packs[k]->open;
        freed += rods->packs[k]->state == NULL;
    }
    REQUIRE(open == flagged, "packs: %d are open, %d are listed", flagged, open);
    REQUIRE(dead == freed, "packs: %d are freed, %d are listed", freed, dead);
    return sn_ok();
}

static SnResult check_rod(const RodSystem *rods, const Body *body) {
    const Rod *rod = rod_of(body);
    REQUIRE(body->system == rods, "body %u: of another system", body->slot);
    REQUIRE(rod->pack >= 0 && rod->pack < rods->pack_count, "body %u: pack %d", body->slot,
            rod->pack);
    REQUIRE(rod->vertices == body->points && rod->segments == body->elements,
            "body %u: %d vertices and %d segments", body->slot, rod->vertices, rod->segments);
    REQUIRE(rod->lane >= 0 && rod->pieces >= 1 && rod->lane + rod->pieces <= PACK_LANES,
            "body %u: lanes [%d, %d + %d)", body->slot, rod->lane, rod->lane, rod->pieces);
    const RodPack *pack = rods->packs[rod->pack];
    int segments = 0;
    for (int i = rod->lane; i < rod->lane + rod->pieces; ++i) {
        REQUIRE(pack->lane[i].body == body->slot, "body %u: its lane %d is that of body %u",
                body->slot, i, pack->lane[i].body);
        segments += pack->lane[i].segments;
    }
    REQUIRE(segments == rod->segments, "body %u: %d segments in its lanes, not %d", body->slot,
            segments, rod->segments);
    return sn_ok();
}

SnResult sn__rods_validate(const void *system) {
    const RodSystem *rods = system;
    SnResult result = sn_ok();
    const Body *body;
    for (int k = 0;
         result.code == SN_OK && (body = sn__bodies_next(rods->bodies, &sn__rod_kind, &k)) != NULL;
         ++k)
        result = check_rod(rods, body);
    for (int k = 0; k < rods->pack_count && result.code == SN_OK; ++k)
        result = check_pack(rods, k);
    return result.code == SN_OK ? check_lists(rods) : result;
}
