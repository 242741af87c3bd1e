#include "rod/rods.h"

#include <string.h>

#include "base/result.h"
#include "rod/chain.h"

#define PI 3.14159265358979323846

// A segment is a rigid link of length l for the motion of its frame: beside the disc's inertia r²/4
// (eq. 68) its frame carries this part of m l². It vanishes with refinement, and without it the
// frames of thin rods are so light that they follow the segments and carry no bending from one
// sweep to the next (docs/physics.md).
#define LINK_INERTIA 0.25

static Rod *slot(const RodSystem *rods, uint32_t index) { return &rods->rods[index - 1]; }

Rod *sn__rods_find(const RodSystem *rods, SnRodId id) {
    return sn__ids_valid(&rods->ids, id.index, id.generation) ? slot(rods, id.index) : NULL;
}

// First segment of a piece; the last argument may be the number of pieces.
static int piece_begin(const Rod *rod, int piece) {
    int longer = piece < rod->longer_pieces ? piece : rod->longer_pieces;
    return piece * rod->piece_segments + longer;
}

RodPlace sn__rod_place(const RodSystem *rods, const Rod *rod, int i) {
    int n = rod->piece_segments, longer = rod->longer_pieces * (n + 1);
    int piece = i < longer ? i / (n + 1) : rod->longer_pieces + (i - longer) / n;
    if (piece >= rod->pieces)
        piece = rod->pieces - 1; // the last vertex of an open rod
    return (RodPlace){rods->packs[rod->pack], rod->lane + piece, i - piece_begin(rod, piece)};
}

RodPlace sn__rod_joint(const RodSystem *rods, const Rod *rod, int i) {
    RodPlace place = sn__rod_place(rods, rod, i);
    if (place.row > 0 && i < rod->segments)
        return place;
    int before = i > 0 ? i - 1 : rod->segments - 1;
    if (!rod->closed && (i == 0 || i >= rod->segments))
        return (RodPlace){0};
    place = sn__rod_place(rods, rod, before);
    place.row += 1; // the ghost behind the last segment of the piece before
    return place;
}

// An index whose pack was freed, or a new one.
static int pack_add(RodSystem *rods, int rows, bool classic) {
    if (rods->dead_pack != 0) {
        int index = rods->dead_pack - 1;
        int next = rods->packs[index]->next;
        if (!sn__pack_create(&rods->allocator, rows, classic, rods->packs[index])) {
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
    if (!sn__pack_create(&rods->allocator, rows, classic, pack)) {
        sn__free(&rods->allocator, pack, sizeof *pack);
        return -1;
    }
    rods->packs[rods->pack_count] = pack;
    return rods->pack_count++;
}

static int free_lane(const RodPack *pack) {
    for (int i = 0; i < SN_PACK; ++i)
        if (pack->lane[i].rod == 0)
            return i;
    return -1;
}

static int pack_class(int rows, bool classic) { return 2 * rows + (classic ? 1 : 0); }

// Chooses pack, lanes and pieces.
static bool place_rod(RodSystem *rods, Rod *rod, bool classic) {
    int n = rod->segments;
    if (n > SN_CUT_SEGMENTS) {
        rod->pieces = SN_PACK;
        rod->piece_segments = n / SN_PACK;
        rod->longer_pieces = n % SN_PACK;
        rod->lane = 0;
        rod->pack = pack_add(rods, rod->piece_segments + 2, classic);
        return rod->pack >= 0;
    }
    // A closed rod needs one more row, for its ghost.
    int rows = sn__pack_rows(rod->closed ? n + 1 : n);
    if (rows > SN_CUT_SEGMENTS + 1)
        rows = SN_CUT_SEGMENTS + 1;
    int *open = &rods->open[pack_class(rows, classic)];
    while (*open != 0 && free_lane(rods->packs[*open - 1]) < 0) {
        RodPack *full = rods->packs[*open - 1];
        *open = full->next;
        full->open = false;
    }
    if (*open == 0) {
        int pack = pack_add(rods, rows, classic);
        if (pack < 0)
            return false;
        rods->packs[pack]->open = true;
        *open = pack + 1;
    }
    rod->pack = *open - 1;
    rod->lane = free_lane(rods->packs[rod->pack]);
    rod->pieces = 1;
    rod->piece_segments = n;
    return true;
}

static void add_seams(RodSystem *rods, const Rod *rod) {
    RodPack *pack = rods->packs[rod->pack];
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

// Ghost rows have the rest values of the rows they repeat, but for what belongs to the joint.
static void fill_ghosts(RodPack *pack, const Rod *rod) {
    for (int k = 0; k < pack->seam_count; ++k) {
        const RodSeam *seam = &pack->seams[k];
        if (seam->lane < rod->lane || seam->lane >= rod->lane + rod->pieces)
            continue;
        for (int j = 0; j < 2; ++j) {
            RodRest *to = pack->rest + seam->row + j;
            const RodRest *from = pack->rest + j;
            int a = seam->lane, b = seam->next;
            to->mass[a] = from->mass[b];
            to->scale_inertia[a] = from->scale_inertia[b];
            to->frame_inertia[a] = from->frame_inertia[b];
            to->spin_inertia[a] = from->spin_inertia[b];
            to->radius[a] = from->radius[b];
            if (j == 0)
                to->length[a] = from->length[b];
        }
    }
}

static void fill_geometry(RodSystem *rods, const Rod *rod, const RodShape *shape) {
    for (int j = 0; j < shape->segments; ++j) {
        RodPlace at = sn__rod_place(rods, rod, j);
        at.pack->rest[at.row].length[at.lane] = (float)shape->length[j];
    }
    for (int i = 0; i < shape->vertices; ++i) {
        RodPlace at = sn__rod_place(rods, rod, i);
        at.pack->rest[at.row].radius[at.lane] = (float)shape->radius[i];
        at = sn__rod_joint(rods, rod, i);
        if (at.pack == NULL)
            continue;
        int before = sn__shape_before(shape, i);
        double length = 0.5 * (shape->length[before] + shape->length[i]);
        Quatd b = mulqd(conjugated(shape->frame[before]), shape->frame[i]);
        double c = (b.w < 0.0 ? -2.0 : 2.0) / length;
        RodRest *r = at.pack->rest + at.row;
        r->joint_length[at.lane] = (float)length;
        r->rest_u[at.lane] = (float)(c * b.x);
        r->rest_v[at.lane] = (float)(c * b.y);
        r->rest_w[at.lane] = (float)(c * b.z);
    }
}

static double derived(float value, float otherwise) {
    return value >= 0.0f ? (double)value : (double)otherwise;
}

static void zero_vertex_masses(RodSystem *rods, const Rod *rod) {
    for (int i = 0; i < rod->vertices; ++i) {
        RodPlace at = sn__rod_place(rods, rod, i);
        at.pack->rest[at.row].mass[at.lane] = 0.0f;
        at.pack->rest[at.row].scale_inertia[at.lane] = 0.0f;
    }
}

// Mass and stiffness of every element, by the midpoint rule (eq. 9); every vertex has half of the
// elements beside it.
static void apply_to_segments(RodSystem *rods, const Rod *rod, const SnRodMaterial *m) {
    for (int j = 0; j < rod->segments; ++j) {
        RodPlace a = sn__rod_place(rods, rod, j);
        RodPlace b = sn__rod_place(rods, rod, j + 1 == rod->vertices ? 0 : j + 1);
        RodRest *ra = a.pack->rest + a.row, *rb = b.pack->rest + b.row;
        double l = (double)ra->length[a.lane];
        double r = 0.5 * ((double)ra->radius[a.lane] + (double)rb->radius[b.lane]);
        double area = PI * r * r, second = 0.25 * PI * r * r * r * r;
        double mass = (double)m->density * area * l;
        ra->mass[a.lane] += (float)(0.5 * mass);
        rb->mass[b.lane] += (float)(0.5 * mass);
        ra->scale_inertia[a.lane] += (float)(0.25 * mass * r * r);
        rb->scale_inertia[b.lane] += (float)(0.25 * mass * r * r);
        ra->frame_inertia[a.lane] = (float)(mass * (0.25 * r * r + LINK_INERTIA * l * l));
        ra->spin_inertia[a.lane] = (float)(0.5 * mass * r * r);
        ra->stretch[a.lane] = (float)(area * l * derived(m->stretch, m->young));
        ra->volume[a.lane] = (float)(area * l * (double)m->volume);
        ra->cross_section[a.lane] = (float)(2.0 * area * l * derived(m->cross_section, m->shear));
        ra->scale_gradient[a.lane] =
            (float)(2.0 * second * l * derived(m->scale_gradient, m->shear));
    }
}

static void apply_to_joints(RodSystem *rods, const Rod *rod, const SnRodMaterial *m) {
    for (int i = 0; i < rod->vertices; ++i) {
        RodPlace at = sn__rod_joint(rods, rod, i);
        if (at.pack == NULL)
            continue;
        RodPlace vertex = sn__rod_place(rods, rod, i);
        RodRest *rest = at.pack->rest + at.row;
        double l = (double)rest->joint_length[at.lane];
        double r = (double)vertex.pack->rest[vertex.row].radius[vertex.lane];
        double second = 0.25 * PI * r * r * r * r;
        double surface =
            m->scale_bend >= 0.0f ? (double)m->scale_bend : (double)m->shear * r * r / 16.0;
        rest->bend[at.lane] = (float)(second * l * derived(m->bend, m->young));
        rest->twist[at.lane] = (float)(2.0 * second * l * derived(m->twist, m->shear));
        rest->volume_bend[at.lane] = (float)(second * l * derived(m->volume_bend, 0.0f));
        rest->scale_bend[at.lane] = (float)(2.0 * second * l * surface);
    }
}

void sn__rod_apply_material(RodSystem *rods, Rod *rod, const SnRodMaterial *material) {
    RodPack *pack = rods->packs[rod->pack];
    rod->material = *material;
    zero_vertex_masses(rods, rod);
    apply_to_segments(rods, rod, material);
    apply_to_joints(rods, rod, material);
    fill_ghosts(pack, rod);
    for (int p = 0; p < rod->pieces; ++p) {
        pack->damping[rod->lane + p] = material->damping;
        pack->drag[rod->lane + p] = material->drag;
        pack->density[rod->lane + p] = material->density;
    }
    pack->dirty = true;
}

static void fill_start(RodSystem *rods, const Rod *rod, const SnRodDef *def,
                       const RodShape *shape) {
    RodPack *pack = rods->packs[rod->pack];
    const SnVec3 *x = def->start_positions ? def->start_positions : def->positions;
    Vec3d centre = {0}, spin = vec3d(def->angular_velocity);
    double mass = 0.0;
    for (int i = 0; i < rod->vertices; ++i) {
        RodPlace at = sn__rod_place(rods, rod, i);
        double m = (double)pack->rest[at.row].mass[at.lane];
        centre = addd(centre, scaled(vec3d(x[i]), m));
        mass += m;
    }
    centre = scaled(centre, 1.0 / mass);
    for (int i = 0; i < rod->vertices; ++i) {
        RodPlace at = sn__rod_place(rods, rod, i);
        RodState *s = pack->state + at.row;
        Vec3d v = addd(vec3d(def->velocity), crossd(spin, subd(vec3d(x[i]), centre)));
        s->x[at.lane] = x[i].x;
        s->y[at.lane] = x[i].y;
        s->z[at.lane] = x[i].z;
        s->s[at.lane] = def->start_scales && !def->classic ? def->start_scales[i] : 1.0f;
        s->vx[at.lane] = (float)v.x;
        s->vy[at.lane] = (float)v.y;
        s->vz[at.lane] = (float)v.z;
        pack->held[at.row][at.lane] &=
            (uint8_t) ~(SN_HELD_VERTEX | (def->classic ? 0 : SN_HELD_SCALE));
    }
    for (int j = 0; j < rod->segments; ++j) {
        RodPlace at = sn__rod_place(rods, rod, j);
        RodState *s = pack->state + at.row;
        SnQuat q = quatf(shape->start_frame[j]);
        s->qx[at.lane] = q.x;
        s->qy[at.lane] = q.y;
        s->qz[at.lane] = q.z;
        s->qw[at.lane] = q.w;
        s->wx[at.lane] = def->angular_velocity.x;
        s->wy[at.lane] = def->angular_velocity.y;
        s->wz[at.lane] = def->angular_velocity.z;
        pack->held[at.row][at.lane] &= (uint8_t)~SN_HELD_FRAME;
    }
}

static void claim_lanes(RodSystem *rods, const Rod *rod, uint32_t index, const SnRodDef *def) {
    RodPack *pack = rods->packs[rod->pack];
    for (int p = 0; p < rod->pieces; ++p) {
        RodLane *lane = &pack->lane[rod->lane + p];
        lane->rod = index;
        lane->segments = piece_begin(rod, p + 1) - piece_begin(rod, p);
        memcpy(lane->origin, def->origin, sizeof lane->origin);
        pack->gravity_scale[rod->lane + p] = def->gravity_scale;
    }
    if (pack->lanes < rod->lane + rod->pieces)
        pack->lanes = rod->lane + rod->pieces;
    add_seams(rods, rod);
}

static bool reserve_slots(RodSystem *rods) {
    int capacity = (int)rods->rod_capacity;
    if (!sn__reserve(&rods->allocator, (void **)&rods->rods, &capacity, (int)rods->ids.slot_count,
                     sizeof(Rod)))
        return false;
    rods->rod_capacity = (uint32_t)capacity;
    if (rods->order_count == rods->order_capacity)
        sn__rods_compact(rods);
    return sn__reserve(&rods->allocator, (void **)&rods->order, &rods->order_capacity,
                       rods->order_count, sizeof rods->order[0]);
}

static bool reserve_chain(RodSystem *rods, const Rod *rod) {
    return (rod->pieces == 1 && !rod->closed) ||
           sn__chain_reserve(&rods->allocator, rods->packs[rod->pack], rod->segments);
}

SnResult sn__rods_create(RodSystem *rods, const SnRodDef *def, SnRodId *out_rod) {
    SnResult result = sn__rod_def_check(def);
    RodShape shape = {0};
    if (result.code == SN_OK)
        result = sn__rod_shape_create(&rods->allocator, def, &shape);
    if (result.code != SN_OK)
        return result;

    Rod rod = {.vertices = shape.vertices,
               .segments = shape.segments,
               .closed = shape.closed,
               .user_data = def->user_data};
    SnRodId id;
    if (!reserve_slots(rods) || !place_rod(rods, &rod, def->classic) ||
        !reserve_chain(rods, &rod) ||
        !sn__ids_acquire(&rods->ids, &rods->allocator, &id.index, &id.generation)) {
        sn__rod_shape_destroy(&rods->allocator, &shape);
        return sn__error(SN_ERROR_MEMORY, "rod: no memory for %d vertices", def->vertex_count);
    }
    rod.order = rods->order_count;
    *slot(rods, id.index) = rod;
    rods->order[rods->order_count++] = id.index;
    claim_lanes(rods, &rod, id.index, def);
    fill_geometry(rods, &rod, &shape);
    sn__rod_apply_material(rods, slot(rods, id.index), &def->material);
    fill_start(rods, &rod, def, &shape);
    sn__pack_rebase(rods->packs[rod.pack]);
    sn__rod_shape_destroy(&rods->allocator, &shape);
    *out_rod = id;
    return result;
}

void sn__rods_remove(RodSystem *rods, SnRodId id) {
    Rod *rod = sn__rods_find(rods, id);
    RodPack *pack = rods->packs[rod->pack];
    for (int p = 0; p < rod->pieces; ++p)
        sn__pack_clear_lane(pack, rod->lane + p);
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
    while (pack->lanes > 0 && pack->lane[pack->lanes - 1].rod == 0)
        pack->lanes -= 1;
    if (rod->segments > SN_CUT_SEGMENTS) { // had the pack to itself
        sn__pack_destroy(&rods->allocator, pack);
        pack->next = rods->dead_pack;
        rods->dead_pack = rod->pack + 1;
    } else if (!pack->open) {
        int *open = &rods->open[pack_class(pack->rows, pack->classic)];
        pack->open = true;
        pack->next = *open;
        *open = rod->pack + 1;
    }
    rods->order[rod->order] = 0;
    rod->pack = -1;
    sn__ids_release(&rods->ids, id.index, id.generation);
}

void sn__rods_compact(RodSystem *rods) {
    int kept = 0;
    for (int k = 0; k < rods->order_count; ++k) {
        if (rods->order[k] == 0)
            continue;
        slot(rods, rods->order[k])->order = kept;
        rods->order[kept++] = rods->order[k];
    }
    rods->order_count = kept;
}

void sn__rods_destroy(RodSystem *rods) {
    const SnAllocator *a = &rods->allocator;
    for (int k = 0; k < rods->pack_count; ++k) {
        sn__pack_destroy(a, rods->packs[k]);
        sn__free(a, rods->packs[k], sizeof *rods->packs[k]);
    }
    sn__free(a, rods->packs, (size_t)rods->pack_capacity * sizeof rods->packs[0]);
    sn__free(a, rods->rods, rods->rod_capacity * sizeof(Rod));
    sn__free(a, rods->order, (size_t)rods->order_capacity * sizeof rods->order[0]);
    sn__ids_destroy(&rods->ids, a);
}
