#include "rod/rods.h"

#include <assert.h>
#include <string.h>

#include "rod/chain.h"
#include "rod/choose_solver.h"
#include "rod/sections.h"
#include "rod/sweep_error.h"
#include "rod/symbolic.h"
#include "rod/touch.h"
#include "rod/wall.h"

// First segment of a piece; the last argument may be the number of pieces.
static int piece_begin(const Rod *rod, int piece) {
    assert(piece >= 0 && piece <= rod->pieces);
    int longer = piece < rod->longer_pieces ? piece : rod->longer_pieces;
    return piece * rod->piece_segments + longer;
}

RodAddress sn__rod_address(const RodSystem *rods, const Rod *rod, int i) {
    assert(i >= 0 && (i < rod->vertices || i < rod->segments));
    assert(rod->pack >= 0 && rod->pack < rods->pack_count);
    int n = rod->piece_segments, longer = rod->longer_pieces * (n + 1);
    int piece = i < longer ? i / (n + 1) : rod->longer_pieces + (i - longer) / n;
    if (piece >= rod->pieces)
        piece = rod->pieces - 1; // the last vertex of an open rod
    return (RodAddress){rods->packs[rod->pack], rod->lane + piece, i - piece_begin(rod, piece)};
}

void sn__rod_edge(const RodSystem *rods, const Rod *rod, int segment, int out[2]) {
    assert(segment >= 0 && segment < rod->segments);
    const RodGraph *graph = rods->packs[rod->pack]->graph;
    out[0] = graph ? graph->edge[segment][0] : segment;
    out[1] = graph ? graph->edge[segment][1] : (segment + 1 == rod->vertices ? 0 : segment + 1);
}

int sn__rod_joint_count(const RodSystem *rods, const Rod *rod) {
    const RodGraph *graph = rods->packs[rod->pack]->graph;
    return graph ? graph->joints : (rod->closed ? rod->segments : rod->segments - 1);
}

// Joint k of a chain is at vertex k, or k + 1 if it is open.
static RodJoint chain_joint(const RodSystem *rods, const Rod *rod, int k) {
    int i = rod->closed ? k : k + 1, before = i > 0 ? i - 1 : rod->segments - 1;
    RodAddress at = sn__rod_address(rods, rod, i);
    if (at.row == 0) {
        at = sn__rod_address(rods, rod, before);
        at.row += 1; // the ghost behind the last segment of the piece before
    }
    return (RodJoint){at, before, i, i, before, i + 1 == rod->vertices ? 0 : i + 1, 2};
}

RodJoint sn__rod_joint(const RodSystem *rods, const Rod *rod, int k) {
    assert(k >= 0 && k < sn__rod_joint_count(rods, rod));
    RodPack *pack = rods->packs[rod->pack];
    if (pack->graph == NULL)
        return chain_joint(rods, rod, k);
    GraphJoint j = pack->graph->joint[k];
    return (RodJoint){{pack, rod->lane, k}, j.p, j.a, j.vertex, j.far_p, j.far_a, j.branches};
}

// An index whose pack was freed, or a new one.
static int pack_add(RodSystem *rods, int rows, RodGraph *graph, RodPackKind kind) {
    if (rods->dead_pack != 0) {
        int index = rods->dead_pack - 1;
        int next = rods->packs[index]->next;
        if (!sn__pack_create(&rods->allocator, rows, graph, kind, rods->packs[index])) {
            rods->packs[index]->next = next;
            return -1;
        }
        rods->dead_pack = next;
        return index;
    }
    if (!sn__reserve(&rods->allocator, (void **)&rods->packs, &rods->pack_capacity,
                     rods->pack_count, sizeof rods->packs[0]))
        return -1;
    RodPack *pack = sn__alloc(&rods->allocator, sizeof *pack);
    if (pack == NULL)
        return -1;
    if (!sn__pack_create(&rods->allocator, rows, graph, kind, pack)) {
        sn__free(&rods->allocator, pack, sizeof *pack);
        return -1;
    }
    rods->packs[rods->pack_count] = pack;
    return rods->pack_count++;
}

static int free_lane(const RodPack *pack) {
    for (int i = 0; i < PACK_LANES; ++i)
        if (pack->lane[i].body == 0)
            return i;
    return -1;
}

// The list of packs with a free lane that a rod of so many segments goes to, and their height.
static int *open_list(RodSystem *rods, RodGraph *graph, int rows, RodPackKind kind) {
    assert(graph || (rows > 0 && rows <= CUT_SEGMENTS + 1));
    int k = (kind.direct ? 2 : 0) + (kind.classic ? 1 : 0);
    return graph ? &graph->open[k] : &rods->open[4 * rows + k];
}

// A lane to itself, in a pack that has one free or in a new one.
static bool place_in_lane(RodSystem *rods, Rod *rod, RodGraph *graph, int rows, RodPackKind kind) {
    int *open = open_list(rods, graph, rows, kind);
    while (*open != 0 && free_lane(rods->packs[*open - 1]) < 0) {
        RodPack *full = rods->packs[*open - 1];
        *open = full->next;
        full->open = false;
    }
    if (*open == 0) {
        int pack = pack_add(rods, rows, graph, kind);
        if (pack < 0)
            return false;
        rods->packs[pack]->open = true;
        *open = pack + 1;
        if (graph)
            graph->pack_count += 1;
    }
    rod->pack = *open - 1;
    rod->lane = free_lane(rods->packs[rod->pack]);
    assert(rod->lane >= 0);
    rod->pieces = 1;
    rod->piece_segments = rod->segments;
    return true;
}

// Chooses pack, lanes and pieces.
static bool place_rod(RodSystem *rods, Rod *rod, RodGraph *graph, RodPackKind kind) {
    int n = rod->segments;
    if (graph)
        return place_in_lane(rods, rod, graph, 0, kind);
    if (n > CUT_SEGMENTS && kind.direct) {
        rod->pieces = 1;
        rod->piece_segments = n;
        rod->pack = pack_add(rods, rod->closed ? n + 1 : n, NULL, kind);
        return rod->pack >= 0;
    }
    if (n > CUT_SEGMENTS) {
        rod->pieces = PACK_LANES;
        rod->piece_segments = n / PACK_LANES;
        rod->longer_pieces = n % PACK_LANES;
        rod->lane = 0;
        rod->pack = pack_add(rods, rod->piece_segments + 2, NULL, kind);
        return rod->pack >= 0;
    }
    // A closed rod needs one more row, for its ghost.
    int rows = sn__pack_rows(rod->closed ? n + 1 : n);
    if (rows > CUT_SEGMENTS + 1)
        rows = CUT_SEGMENTS + 1;
    return place_in_lane(rods, rod, NULL, rows, kind);
}

// The graph of the definition's edges, new if no rod has it so far; NULL without memory.
static RodGraph *find_graph(RodSystem *rods, const SnRodDef *def) {
    uint64_t hash = sn__graph_hash(def);
    for (int k = 0; k < rods->graph_count; ++k)
        if (sn__graph_fits(rods->graphs[k], def, hash))
            return rods->graphs[k];
    if (!sn__reserve(&rods->allocator, (void **)&rods->graphs, &rods->graph_capacity,
                     rods->graph_count, sizeof rods->graphs[0]))
        return NULL;
    RodGraph *graph = sn__graph_create(&rods->allocator, def);
    if (graph)
        rods->graphs[rods->graph_count++] = graph;
    return graph;
}

static void drop_graph_if_unused(RodSystem *rods, RodGraph *graph) {
    if (graph == NULL || graph->pack_count > 0)
        return;
    for (int k = 0; k < rods->graph_count; ++k)
        if (rods->graphs[k] == graph)
            rods->graphs[k] = rods->graphs[--rods->graph_count];
    sn__graph_destroy(&rods->allocator, graph);
}

static void add_seams(RodSystem *rods, const Rod *rod) {
    RodPack *pack = rods->packs[rod->pack];
    assert(pack->chain_count < PACK_LANES && pack->seam_count + rod->pieces <= PACK_LANES);
    if (rod->pieces > 1 || rod->closed)
        pack->chains[pack->chain_count++] = (RodChain){.lane = (int16_t)rod->lane,
                                                       .pieces = (int16_t)rod->pieces,
                                                       .closed = rod->closed,
                                                       .segments = rod->segments};
    for (int p = 0; p < rod->pieces; ++p) {
        bool last = p + 1 == rod->pieces;
        if (last && !rod->closed)
            break;
        RodSeam *seam = &pack->seams[pack->seam_count++];
        seam->row = piece_begin(rod, p + 1) - piece_begin(rod, p);
        seam->lane = (int16_t)(rod->lane + p);
        seam->next = (int16_t)(last ? rod->lane : rod->lane + p + 1);
    }
}

static void fill_start(RodSystem *rods, const Rod *rod, const SnRodDef *def,
                       const RodShape *shape) {
    RodPack *pack = rods->packs[rod->pack];
    const SnVec3 *x = def->start_positions ? def->start_positions : def->positions;
    Vec3d centre = {0}, spin = vec3d(def->angular_velocity);
    double mass = 0.0;
    for (int i = 0; i < rod->vertices; ++i) {
        RodAddress at = sn__rod_address(rods, rod, i);
        double m = (double)pack->rest[at.row].mass[at.lane];
        centre = addd(centre, scaled(vec3d(x[i]), m));
        mass += m;
    }
    assert(mass > 0.0);
    centre = scaled(centre, 1.0 / mass);
    for (int i = 0; i < rod->vertices; ++i) {
        RodAddress at = sn__rod_address(rods, rod, i);
        RodState *s = pack->state + at.row;
        Vec3d turn = crossd(spin, subd(vec3d(x[i]), centre));
        Vec3d v = addd(vec3d(def->velocity), turn);
        if (!sn__within3(vec3f(v), SN_MAX_SPEED))
            v = shortened(v, (double)SN_MAX_SPEED);
        s->x[at.lane] = x[i].x;
        s->y[at.lane] = x[i].y;
        s->z[at.lane] = x[i].z;
        s->s[at.lane] = def->start_scales && !def->classic ? def->start_scales[i] : 1.0f;
        s->vx[at.lane] = (float)v.x;
        s->vy[at.lane] = (float)v.y;
        s->vz[at.lane] = (float)v.z;
        pack->held[at.row][at.lane] &= (uint8_t) ~(HELD_VERTEX | (def->classic ? 0 : HELD_SCALE));
    }
    for (int j = 0; j < rod->segments; ++j) {
        RodAddress at = sn__rod_address(rods, rod, j);
        RodState *s = pack->state + at.row;
        SnQuat q = quatf(shape->start_frame[j]);
        s->qx[at.lane] = q.x;
        s->qy[at.lane] = q.y;
        s->qz[at.lane] = q.z;
        s->qw[at.lane] = q.w;
        s->wx[at.lane] = def->angular_velocity.x;
        s->wy[at.lane] = def->angular_velocity.y;
        s->wz[at.lane] = def->angular_velocity.z;
        pack->held[at.row][at.lane] &= (uint8_t)~HELD_FRAME;
    }
}

static void claim_lanes(RodSystem *rods, const Rod *rod, uint32_t index, const SnRodDef *def) {
    RodPack *pack = rods->packs[rod->pack];
    for (int p = 0; p < rod->pieces; ++p) {
        RodLane *lane = &pack->lane[rod->lane + p];
        assert(rod->lane + p < PACK_LANES && lane->body == 0);
        lane->body = index;
        lane->segments = piece_begin(rod, p + 1) - piece_begin(rod, p);
        memcpy(lane->origin, def->origin, sizeof lane->origin);
        pack->gravity_scale[rod->lane + p] = def->gravity_scale;
    }
    if (pack->lanes < rod->lane + rod->pieces)
        pack->lanes = rod->lane + rod->pieces;
    add_seams(rods, rod);
}

static bool reserve_chain(RodSystem *rods, const Rod *rod) {
    return (rod->pieces == 1 && !rod->closed) ||
           sn__chain_reserve(&rods->allocator, rods->packs[rod->pack], rod->segments);
}

static void free_rod(RodSystem *rods, Rod *rod) {
    if (rod)
        sn__rod_forget_neighbours(rods, rod);
    sn__free(&rods->allocator, rod, sizeof(Rod));
}

// The register's part of a rod; false without memory.
static bool add_body(RodSystem *rods, Rod *rod, const SnRodDef *def, const RodShape *shape,
                     SnBodyId *out_id) {
    size_t size = (size_t)shape->segments * sizeof(SnQuat);
    SnQuat *frames = sn__alloc(&rods->allocator, size);
    if (frames == NULL)
        return false;
    for (int j = 0; j < shape->segments; ++j)
        frames[j] = quatf(shape->frame[j]);
    BodyDef body = sn__rod_body_def(def, shape->segments, frames);
    body.kind = &sn__rod_kind;
    body.system = rods;
    body.item = rod;
    bool added = sn__bodies_add(rods->bodies, &body, out_id);
    sn__free(&rods->allocator, frames, size);
    return added;
}

// Memory for every worker to solve rods in directly; false without memory.
static bool reserve_fronts(RodSystem *rods) {
    for (int i = 0; i < rods->workers; ++i) {
        RodScratch *scratch = &rods->scratch[i];
        if (scratch->front == NULL)
            scratch->front = sn__front_create(&rods->allocator);
        if (scratch->front == NULL)
            return false;
    }
    return true;
}

static SnResult create_placed(RodSystem *rods, const SnRodDef *def, const RodShape *shape,
                              RodGraph *graph, SnBodyId *out_rod) {
    RodPackKind kind = {def->classic, sn__rod_choose_solver(def, shape) == SN_SOLVER_DIRECT};
    if (kind.direct && !reserve_fronts(rods))
        return sn_error(SN_ERROR_MEMORY, "rod: no memory to solve it directly");
    Rod *rod = sn__alloc(&rods->allocator, sizeof(Rod));
    if (rod)
        *rod = (Rod){
            .vertices = shape->vertices, .segments = shape->segments, .closed = shape->closed};
    if (rod == NULL || !place_rod(rods, rod, graph, kind) || !reserve_chain(rods, rod) ||
        !add_body(rods, rod, def, shape, out_rod)) {
        free_rod(rods, rod);
        return sn_error(SN_ERROR_MEMORY, "rod: no memory for %d vertices", def->vertex_count);
    }
    claim_lanes(rods, rod, out_rod->index, def);
    sn__rod_fill_geometry(rods, rod, shape);
    sn__rod_apply_material(rods, rod, &def->material);
    sn__sections_shape(rods->packs[rod->pack], rod->lane, def, shape);
    sn__rod_note_sweeps(rods, rod);
    fill_start(rods, rod, def, shape);
    sn__hold_ghosts(rods->packs[rod->pack]);
    sn__pack_rebase(rods->packs[rod->pack]);
    return sn_ok();
}

SnResult sn__rods_create(RodSystem *rods, const SnRodDef *def, SnBodyId *out_rod) {
    SnResult result = sn__rod_def_check(def);
    if (result.code != SN_OK)
        return result;
    RodGraph *graph = def->edges ? find_graph(rods, def) : NULL;
    bool analysed =
        graph && (def->solver == SN_SOLVER_SWEEP || def->sections ||
                  sn__graph_analyse(&rods->allocator, graph, sn__rod_most_numbers(def)));
    if (def->edges && !analysed) {
        drop_graph_if_unused(rods, graph);
        return sn_error(SN_ERROR_MEMORY, "rod: no memory for %d edges", def->edge_count);
    }
    result = sn__rod_check_solver(def, graph);
    if (result.code != SN_OK) {
        drop_graph_if_unused(rods, graph);
        return result;
    }
    RodShape shape = {0};
    result = sn__rod_shape_create(&rods->allocator, def, graph, &shape);
    if (result.code == SN_OK)
        result = create_placed(rods, def, &shape, graph, out_rod);
    sn__rod_shape_destroy(&rods->allocator, &shape);
    drop_graph_if_unused(rods, graph);
    return result;
}

static void remove_seams(RodPack *pack, const Rod *rod) {
    int kept = 0;
    for (int k = 0; k < pack->seam_count; ++k)
        if (pack->seams[k].lane < rod->lane || pack->seams[k].lane >= rod->lane + rod->pieces)
            pack->seams[kept++] = pack->seams[k];
    pack->seam_count = kept;
    kept = 0;
    for (int k = 0; k < pack->chain_count; ++k)
        if (pack->chains[k].lane != rod->lane)
            pack->chains[kept++] = pack->chains[k];
    pack->chain_count = kept;
}

static void pack_drop(RodSystem *rods, int index) {
    RodPack *pack = rods->packs[index];
    RodGraph *graph = pack->graph;
    assert(pack->lanes == 0 && (graph == NULL || graph->pack_count > 0));
    if (graph && pack->open) {
        int *at = open_list(rods, graph, 0, sn__pack_kind(pack));
        while (*at != index + 1) {
            assert(*at != 0);
            at = &rods->packs[*at - 1]->next;
        }
        *at = pack->next;
    }
    sn__pack_destroy(&rods->allocator, pack);
    pack->next = rods->dead_pack;
    rods->dead_pack = index + 1;
    if (graph) {
        graph->pack_count -= 1;
        drop_graph_if_unused(rods, graph);
    }
}

void sn__rod_destroy(Body *body) {
    RodSystem *rods = rods_of(body);
    Rod *rod = rod_of(body);
    RodPack *pack = rods->packs[rod->pack];
    for (int p = 0; p < rod->pieces; ++p)
        sn__pack_clear_lane(pack, rod->lane + p);
    remove_seams(pack, rod);
    while (pack->lanes > 0 && pack->lane[pack->lanes - 1].body == 0)
        pack->lanes -= 1;
    // Long rods have a pack to themselves; packs of creatures are of no use for others.
    if (pack->graph ? pack->lanes == 0 : rod->segments > CUT_SEGMENTS) {
        pack_drop(rods, rod->pack);
    } else if (!pack->open) {
        int *open = open_list(rods, pack->graph, pack->rows, sn__pack_kind(pack));
        pack->open = true;
        pack->next = *open;
        *open = rod->pack + 1;
    }
    free_rod(rods, rod);
}

bool sn__rods_init(RodSystem *rods, const SnAllocator *allocator, BodyRegister *bodies,
                   int workers) {
    assert(workers >= 1);
    *rods = (RodSystem){.allocator = *allocator, .bodies = bodies};
    rods->scratch = sn__alloc_array(allocator, (size_t)workers, sizeof(RodScratch));
    bool complete = rods->scratch != NULL;
    rods->workers = complete ? workers : 0;
    for (int i = 0; i < workers && complete; ++i)
        complete = sn__lent_create(allocator, &rods->scratch[i].lent);
    return complete;
}

void sn__rods_release(RodSystem *rods) {
    const SnAllocator *a = &rods->allocator;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__rod_kind, &k)) != NULL; ++k)
        free_rod(rods, rod_of(body));
    for (int k = 0; k < rods->pack_count; ++k) {
        sn__pack_destroy(a, rods->packs[k]);
        sn__free(a, rods->packs[k], sizeof *rods->packs[k]);
    }
    for (int k = 0; k < rods->graph_count; ++k)
        sn__graph_destroy(a, rods->graphs[k]);
    sn__free(a, rods->graphs, (size_t)rods->graph_capacity * sizeof rods->graphs[0]);
    sn__free(a, rods->packs, (size_t)rods->pack_capacity * sizeof rods->packs[0]);
    for (int i = 0; i < rods->workers; ++i) {
        sn__lent_destroy(a, &rods->scratch[i].lent);
        sn__front_destroy(a, rods->scratch[i].front);
    }
    sn__free(a, rods->scratch, (size_t)rods->workers * sizeof(RodScratch));
}
