#include "rod/touch.h"

#include <assert.h>
#include <string.h>

#include "rod/graph.h"
#include "rod/wide.h"

static bool needs_knots(const RodSystem *rods, const RodPack *pack) {
    for (int i = 0; i < pack->lanes; ++i)
        if (pack->lane[i].body != 0 &&
            sn__body_needs_knots(sn__body_at(rods->bodies, pack->lane[i].body)))
            return true;
    return false;
}

bool sn__rods_number(void *system, KnotNumbers *numbers) {
    assert(numbers->knots > 0 && numbers->knots % KNOT_ROW == 0);
    RodSystem *rods = system;
    for (int k = 0; k < rods->pack_count; ++k) {
        RodPack *pack = rods->packs[k];
        pack->knots = 0;
        if (pack->lanes == 0 || !needs_knots(rods, pack))
            continue;
        // What touches stops in every sub-step for the contacts: its work must not be lent.
        if (!sn__pack_own_work(&rods->allocator, pack))
            return false;
        pack->knots = numbers->knots;
        numbers->knots += PACK_LANES * (pack->rows + 1);
    }
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__rod_kind, &k)) != NULL; ++k)
        if (body->self_collide && !sn__rod_find_neighbours(rods, rod_of(body)))
            return false;
    return true;
}

int sn__rod_knot(const Body *body, int vertex) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), vertex);
    assert(at.pack->knots != 0);
    return at.pack->knots + at.row * PACK_LANES + at.lane;
}

const double *sn__rod_knot_origin(const Body *body, int knot) {
    return rods_of(body)->packs[rod_of(body)->pack]->lane[knot % PACK_LANES].origin;
}

void sn__rod_touch(Body *body) {
    const Rod *rod = rod_of(body);
    RodPack *pack = rods_of(body)->packs[rod->pack];
    pack->touched = true;
    for (int p = 0; p < rod->pieces; ++p)
        pack->touched_lanes |= (uint16_t)(1u << (rod->lane + p));
}

static void untouch(RodPack *pack) {
    pack->touched = false;
    pack->touched_lanes = 0;
}

void sn__rods_untouch(void *system) {
    const RodSystem *rods = system;
    for (int k = 0; k < rods->pack_count; ++k)
        untouch(rods->packs[k]);
}

double sn__rod_stretch(const Body *body, int element) {
    const RodSystem *rods = rods_of(body);
    const Rod *rod = rod_of(body);
    RodAddress at = sn__rod_address(rods, rod, element);
    const RodRest *r = &rods->packs[rod->pack]->rest[at.row];
    return (double)r->stretch[at.lane] / (double)r->length[at.lane];
}

bool sn__rod_sectioned(const Body *body) {
    return rods_of(body)->packs[rod_of(body)->pack]->slice != NULL;
}

int sn__rod_tie(Body *body, int element, float t) {
    RodSystem *rods = rods_of(body);
    const Rod *rod = rod_of(body);
    RodPack *pack = rods->packs[rod->pack];
    if (pack->aim == NULL || !sn__reserve(&rods->allocator, (void **)&pack->ties,
                                          &pack->tie_capacity, pack->tie_count, sizeof(RodTie)))
        return -1;
    int edge[2], turn = 0;
    for (int k = 0; k < pack->tie_count; ++k)
        turn += pack->ties[k].lane == rod->lane;
    if (turn == TIES_OF_A_LANE)
        return -1;
    sn__rod_edge(rods, rod, element, edge);
    RodTie *tie = &pack->ties[pack->tie_count];
    pack->tied[rod->lane] = 1.0f;
    *tie = (RodTie){.weight = {1.0f - t, t}, .lane = rod->lane, .turn = turn};
    for (int v = 0; v < 2; ++v)
        tie->vertex[v] = sn__rod_address(rods, rod, edge[v]).row;
    return pack->tie_count++;
}

bool sn__rod_answer(const Body *body, int pulled, int tie, double out[3][3]) {
    const RodPack *pack = rods_of(body)->packs[rod_of(body)->pack];
    memcpy(out, pack->ties[tie].answer[pack->ties[pulled].turn], sizeof(double[3][3]));
    return true;
}

void sn__rod_limit(Body *body, double most) {
    RodPack *pack = rods_of(body)->packs[rod_of(body)->pack];
    for (int i = 0; i < pack->lanes; ++i)
        if (pack->lane[i].body == pack->lane[rod_of(body)->lane].body)
            pack->fastest[i] = (float)most;
    pack->limited = true;
}

// A rod that is solved directly shares with all of itself what a contact does to a vertex, and the contact has to be
// told what came of it.
#define DIRECT_PASSES 3
#define BUNDLE_PASSES 2 // contacts know beforehand how they give way (slice_gives.h)

int sn__rods_passes(const void *system) {
    const RodSystem *rods = system;
    int passes = 0;
    for (int k = 0; k < rods->pack_count; ++k) {
        const RodPack *pack = rods->packs[k];
        int least = !pack->touched ? 0
                    : pack->slice  ? BUNDLE_PASSES
                    : pack->aim    ? DIRECT_PASSES
                                   : 1;
        passes = least > passes ? least : passes;
    }
    return passes;
}

// Single rods lie on two contacts close to each other, and what is left at these rocks them. Bundles do not: what is
// left at theirs is that much of a fibre, and learned from sub-step to sub-step. Where a vertex touches two segments
// that meet, the two contacts pass what presses on to each other for many passes, while nothing moves.
#define CALM 1e-5f
#define CALM_OF_BUNDLES 2e-4f

BodyCalm sn__rods_calm(const void *system) {
    const RodSystem *rods = system;
    BodyCalm calm = {.part = CALM_OF_BUNDLES, .stalls = true};
    for (int k = 0; k < rods->pack_count; ++k)
        if (rods->packs[k]->touched && rods->packs[k]->aim && rods->packs[k]->slice == NULL)
            calm = (BodyCalm){.part = CALM};
    return calm;
}

// A vertex that is n segments from where its rod is held, and pushed with all between them, bends away by less than
// half of what is asked for where n⁴ < 4 h² EI/(ρA L⁴).
#define UNBENDING 12.0f

void sn__pack_keep_held(const RodPack *pack, float h, Knot *knots) {
    assert(pack->aim && pack->knots != 0 && h > 0.0f);
    for (int k = 0; k < pack->lead_count && !pack->graph && pack->seam_count == 0; ++k) {
        const RodLead *lead = &pack->leads[k];
        Knot *column = knots + pack->knots + lead->lane;
        int last = pack->lane[lead->lane].segments;
        float limit = UNBENDING * pack->springy[lead->lane] * (h / (h + pack->damping[lead->lane]));
        if (lead->held != HELD_VERTEX)
            continue;
        for (int n = 1; n <= last && (float)n * (float)n * (float)n * (float)n < limit; ++n) {
            if (lead->row - n >= 0)
                memset(column[(lead->row - n) * PACK_LANES].push, 0, sizeof column->push);
            if (lead->row + n <= last)
                memset(column[(lead->row + n) * PACK_LANES].push, 0, sizeof column->push);
        }
    }
}

// Of the segments at a vertex, one answers for it: where it is the first vertex of a chain's
// segment, or the one that a graph names.
static uint8_t home_of(const RodPack *pack, const Rod *rod, int segment, const int edge[2]) {
    if (pack->graph)
        return (uint8_t)((sn__graph_segment_at(pack->graph, edge[0]) == segment ? 1 : 0) |
                         (sn__graph_segment_at(pack->graph, edge[1]) == segment ? 2 : 0));
    return !rod->closed && segment + 1 == rod->segments ? 3 : 1;
}

void sn__rods_own(const void *system, KnotOwner *owners) {
    const RodSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__rod_kind, &k)) != NULL; ++k) {
        const Rod *rod = rod_of(body);
        const RodPack *pack = rods->packs[rod->pack];
        for (int j = 0; pack->knots != 0 && sn__body_may_touch(body) && j < rod->segments; ++j) {
            RodAddress at = sn__rod_address(rods, rod, j);
            int edge[2];
            sn__rod_edge(rods, rod, j, edge);
            owners[pack->knots + at.row * PACK_LANES + at.lane] =
                (KnotOwner){.body = body->slot,
                            .element = j,
                            .first = sn__rod_knot(body, edge[0]),
                            .second = sn__rod_knot(body, edge[1]),
                            .home = home_of(pack, rod, j, edge),
                            .whole = pack->aim != NULL};
        }
    }
}

void sn__pack_paces(const RodPack *pack, float h, KnotPace *paces) {
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i) {
            const RodState *s = pack->state + j;
            bool first_order = (pack->coarse >> i & 1) != 0;
            paces[pack->knots + j * PACK_LANES + i] =
                (KnotPace){{h * s->vx[i], h * s->vy[i], h * s->vz[i]}, first_order ? 1.0f : 2.0f};
        }
}

void sn__pack_forget_blows(RodPack *pack, const uint8_t *struck) {
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i)
            if (struck[pack->knots + j * PACK_LANES + i])
                sn__row_forget(pack->state + j, i);
}

static void add_pack_velocity(const RodPack *pack, double sum[4]) {
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j;
        for (int i = 0; i < pack->lanes; ++i) {
            sum[0] += (double)s->vx[i];
            sum[1] += (double)s->vy[i];
            sum[2] += (double)s->vz[i];
            sum[3] += 1.0;
        }
    }
}

void sn__rods_add_velocity(const void *system, double sum[4]) {
    const RodSystem *rods = system;
    for (int k = 0; k < rods->pack_count; ++k)
        if (rods->packs[k]->knots != 0)
            add_pack_velocity(rods->packs[k], sum);
}

static void place_knots(const RodPack *pack, float dt, Knot *knots) {
    assert(pack->knots % KNOT_ROW == 0);
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j;
        for (int i = 0; i < pack->lanes; ++i)
            knots[pack->knots + j * PACK_LANES + i] =
                (Knot){.start = {s->x[i], s->y[i], s->z[i], s->s[i] * pack->rest[j].radius[i]},
                       .motion = {dt * s->vx[i], dt * s->vy[i], dt * s->vz[i]}};
    }
}

typedef struct BoundsTask {
    const RodSystem *rods;
    const TouchBounds *bounds;
} BoundsTask;

static void bound_packs(int begin, int end, int worker, void *context) {
    (void)worker;
    const BoundsTask *task = context;
    const TouchBounds *bounds = task->bounds;
    for (int p = begin; p < end; ++p) {
        const RodPack *pack = task->rods->packs[p];
        if (pack->knots == 0)
            continue;
        place_knots(pack, bounds->dt, bounds->knots);
        for (int k = pack->knots; k < pack->knots + PACK_LANES * (pack->rows + 1); ++k) {
            uint32_t slot = bounds->owners[k].body;
            float thickness =
                slot ? sn__body_at(task->rods->bodies, slot)->surface.thickness : 0.0f;
            sn__touch_bound(bounds, k, pack->lane[k % PACK_LANES].origin, thickness);
            if (pack->buried && pack->buried[(k - pack->knots) / PACK_LANES][k % PACK_LANES])
                bounds->boxes[k] = EMPTY_BOX;
        }
    }
}

void sn__rods_bounds(void *system, const TouchBounds *bounds) {
    BoundsTask task = {system, bounds};
    bounds->tasks->parallel_for(task.rods->pack_count, 1, bound_packs, &task,
                                bounds->tasks->context);
}
