// Who meets whom in a step: pairs of boxes, their gaps, and the contacts that may come of them.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "collide/surface.h"
#include "geom/pill.h"
#include "world/world.h"

// How far, as a part of its radius, a body moves that stays where it is as far as ends of segments are concerned.
#define REPEAT_REACH 0.5f
// Slopes below this, towards or away from an end, count as none. A touch is at an end if it is nearer to it than half
// of that, as seen from the other axis: so whoever leaves a touch to the segment beyond an end finds it is not left back.
#define LEVEL 1e-4
#define AT_END (0.5 * LEVEL)
// Who is nearer to a plane than this part of its radius has a contact with it, wherever it goes: in a crowd, others may
// knock it there within a step.
#define KNOCKED 1.0f
// Keys of contacts with planes come before all others.
#define PAIR_KEY ((uint64_t)1 << 63)

static Body *body_of(const SnWorld *world, int knot) {
    return sn__body_at(&world->bodies, world->contacts.owners[knot].body);
}

static uint32_t collider_slot(const ContactSystem *s, int knot) {
    assert(knot >= s->collider_knots && knot < s->knot_count);
    return (uint32_t)(knot - s->collider_knots) / 2 + 1;
}

static const double *origin_of(const SnWorld *world, int knot) {
    const ContactSystem *s = &world->contacts;
    if (knot >= s->collider_knots)
        return world->colliders.colliders[collider_slot(s, knot) - 1].base;
    const Body *body = body_of(world, knot);
    return body->kind->knot_origin(body, knot);
}

static void offset_between(const SnWorld *world, int a, int b, float offset[3]) {
    const double *from = origin_of(world, b), *to = origin_of(world, a);
    for (int c = 0; c < 3; ++c)
        offset[c] = (float)(to[c] - from[c]);
}

static ContactSides sides_of(const ContactSystem *s, int a, int b) {
    assert(a > 0 && a < b && a < s->collider_knots);
    const KnotOwner *oa = &s->owners[a], *ob = &s->owners[b];
    ContactSides sides = {a, oa->first, oa->second, b, ob->first, ob->second};
    if (b >= s->collider_knots) {
        sides.b1 = b;
        sides.b2 = b + 1;
    }
    return sides;
}

static SnSurface surface_of(const SnWorld *world, int a, int b) {
    const ContactSystem *s = &world->contacts;
    const SnSurface *other = b >= s->collider_knots
                                 ? &world->colliders.colliders[collider_slot(s, b) - 1].surface
                                 : &body_of(world, b)->surface;
    return sn__surface_combine(&body_of(world, a)->surface, other);
}

static bool is_general(const ContactSystem *s, const ContactSides *sides) {
    return s->owners[sides->a].turn != 0 || s->owners[sides->b].turn != 0;
}

// One side of a general contact: a body that turns as a whole, or a pill. What cannot move is a pill as
// well, its knots have no mobility.
static ContactSide side_of(const KnotOwner *owner, int element, int first, int second) {
    assert(owner->turn == 0 || owner->hub > 0);
    if (owner->turn != 0)
        return (ContactSide){
            .count = 1, .knot = {owner->hub}, .weight = {1.0f}, .turn = owner->turn};
    if (first == 0 && second == 0)
        return (ContactSide){0};
    return (ContactSide){
        .count = 2, .knot = {first, second}, .along = true, .roll = owner->body != 0 ? element : 0};
}

static bool add_seed(ContactSystem *s, ContactSeed *seed) {
    const ContactSides *sides = &seed->sides;
    seed->whole =
        s->owners[sides->a].whole && (seed->kind != CONTACT_PAIR || s->owners[sides->b].whole);
    if (!is_general(s, sides))
        return sn__contacts_add(&s->list, seed);
    ContactGeneral general = {
        .side = {side_of(&s->owners[sides->a], sides->a, sides->a1, sides->a2),
                 side_of(&s->owners[sides->b], sides->b, sides->b1, sides->b2)}};
    return sn__contacts_add_general(&s->list, seed, &general);
}

static ContactKind kind_of(const SnWorld *world, int b) {
    const ContactSystem *s = &world->contacts;
    if (b < s->collider_knots)
        return CONTACT_PAIR;
    return sn__collider_is_round(&world->colliders.colliders[collider_slot(s, b) - 1])
               ? CONTACT_FIXED
               : CONTACT_SOLID;
}

typedef struct JudgeTask {
    const SnWorld *world;
    const GridPair *pairs;
    int count;
    PairFate *fates;
} JudgeTask;

// One side of a pair as the other sees it: a segment, and from the other's origin to its own.
typedef struct PairSide {
    int segment, first, second; // the latter two are knots
    float offset[3];
} PairSide;

static Vec3d place_of(const ContactSystem *s, const PairSide *side, int knot) {
    const float *x = s->knots[knot].start, *offset = side->offset;
    return (Vec3d){x[0] + offset[0], x[1] + offset[1], x[2] + offset[2]};
}

static float radius_on(const ContactSystem *s, const PairSide *side, float t) {
    return (1.0f - t) * s->knots[side->first].start[3] + t * s->knots[side->second].start[3];
}

// How far beyond an end of the other segment, as a part of it, a point may be that lies beside it.
#define BESIDE 0.25

// Whether an end of a segment is nearer than this to the other side of the pair, and beside it.
static bool is_near(const ContactSystem *s, const PairSide *side, const PairSide *other, int knot,
                    float distance) {
    const float *a = s->knots[other->first].start, *b = s->knots[other->second].start;
    Pill pill = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}, (double)a[3], (double)b[3]};
    Vec3d at = place_of(s, side, knot), edge = subd(pill.b, pill.a);
    double t, gap = sn__pill_distance(&pill, at, &t);
    double along = dotd(subd(at, pill.a), edge), length = dotd(edge, edge);
    return gap - (double)s->knots[knot].start[3] < (double)distance && along > -BESIDE * length &&
           along < (1.0 + BESIDE) * length;
}

// Whether the surface of the segment from `end` to `next` rises in the direction `out`, so that the segment is nearer
// than its end to what touches there.
static bool rises(const ContactSystem *s, int end, int next, Vec3d out, double steep) {
    const float *a = s->knots[end].start, *b = s->knots[next].start;
    Vec3d along = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return dotd(out, along) + (double)(b[3] - a[3]) > steep * lengthd(along);
}

// Whether the segment beyond an end is nearer to what touches there. The surface of a body is that of the nearest
// segment: the end alone would push what lies beside it farther away, and it would roll off.
static bool is_covered(const ContactSystem *s, int end, int other_end, Vec3d out) {
    const int32_t *beside = s->owners[end].beside;
    int next = beside[0] == other_end ? beside[1] : beside[0];
    return next != 0 && !rises(s, end, other_end, out, -LEVEL) && rises(s, end, next, out, LEVEL);
}

// A vertex is the end of several segments, and touches with all of them alike. The contact belongs
// to the one that answers for it; the others would only repeat it. The axes are `apart` there. But segments that lie
// along each other, hardly askew, are nearest at an end of each: only if the other end is out of reach has the
// segment no touch of its own. What moves fast may be anywhere on it before the step is over.
static bool is_repeated(const ContactSystem *s, const PairSide *side, const PairSide *other,
                        float t, Vec3d out, double apart, float reach) {
    const KnotOwner *owner = &s->owners[side->segment];
    if (owner->body == 0 || owner->first == owner->second ||
        reach > REPEAT_REACH * s->knots[owner->first].start[3])
        return false;
    Vec3d along = subd(place_of(s, side, side->second), place_of(s, side, side->first));
    double end = AT_END * apart / fmax(lengthd(along), 1e-30);
    double from_first = (double)t, from_second = 1.0 - (double)t;
    if ((from_first <= end && !(owner->home & 1)) ||
        (from_first == 0.0 && is_covered(s, side->first, side->second, out)))
        return !is_near(s, side, other, side->second, reach);
    if ((from_second <= end && !(owner->home & 2)) ||
        (from_second == 0.0 && is_covered(s, side->second, side->first, out)))
        return !is_near(s, side, other, side->first, reach);
    return false;
}

// Of an element, without shocks.
static float usual_reach(const ContactSystem *s, int element) {
    int32_t shock = s->shocks.of[element];
    return shock ? s->shocks.shocks[shock - 1].reach : s->reach[element];
}

// Within one body, the segment that answers for an end may be too close to touch.
static bool repeats(const ContactSystem *s, const ContactSides *sides, const float offset[3],
                    const ContactNearest *nearest, float reach) {
    if (s->owners[sides->a].body == s->owners[sides->b].body)
        return false;
    PairSide a = {sides->a, sides->a1, sides->a2, {offset[0], offset[1], offset[2]}};
    PairSide b = {sides->b, sides->b1, sides->b2, {-offset[0], -offset[1], -offset[2]}};
    Vec3d n = {nearest->normal[0], nearest->normal[1], nearest->normal[2]};
    double apart =
        (double)(nearest->gap + radius_on(s, &a, nearest->t) + radius_on(s, &b, nearest->u));
    return is_repeated(s, &a, &b, nearest->t, scaled(n, -1.0), apart, reach) ||
           is_repeated(s, &b, &a, nearest->u, n, apart, reach);
}

// How far a pair may come before it could touch, or 0 if it may do so in this step as it moves now.
static float room_of(const SnWorld *world, GridPair p, const ContactNearest *nearest) {
    assert(p.a < world->contacts.collider_knots && p.b < world->contacts.collider_knots);
    const ContactSystem *s = &world->contacts;
    float gap = nearest->gap - body_of(world, p.a)->surface.thickness -
                body_of(world, p.b)->surface.thickness;
    float room =
        sn__contact_room(gap, &s->knots[s->owners[p.a].first], &s->knots[s->owners[p.b].first]);
    return room > nearest->approach ? room : 0.0f;
}

// How hard a segment hits a solid: the harder of its two ends.
static void strike_solid(const SnWorld *world, GridPair p, PairFate *fate) {
    const ContactSystem *s = &world->contacts;
    const Collider *c = &world->colliders.colliders[collider_slot(s, p.b) - 1];
    const int ends[2] = {s->owners[p.a].first, s->owners[p.a].second};
    float offset[3];
    offset_between(world, p.a, p.b, offset);
    fate->blow = -1.0f;
    for (int v = 0; v < 2; ++v) {
        const Knot *knot = &s->knots[ends[v]];
        Vec3d motion = {knot->motion[0], knot->motion[1], knot->motion[2]}, normal;
        Vec3d at = {knot->start[0] + offset[0], knot->start[1] + offset[1],
                    knot->start[2] + offset[2]};
        // What hardly moves need not ask for its distance.
        if (lengthd(motion) + (double)sn__collider_travel(c) < (double)s->reach[p.a])
            continue;
        double gap = sn__collider_gap(c, at, (double)knot->start[3], &normal);
        float blow = (float)(-dotd(normal, motion) + dotd(normal, c->to.position) - gap);
        if (!(blow > fate->blow))
            continue;
        *fate = (PairFate){fate->room, blow, {(float)normal.x, (float)normal.y, (float)normal.z}};
    }
}

static float restitution_of(const SnWorld *world, int knot) {
    const ContactSystem *s = &world->contacts;
    return knot >= s->collider_knots
               ? world->colliders.colliders[collider_slot(s, knot) - 1].surface.restitution
               : body_of(world, knot)->surface.restitution;
}

// Pairs that cannot come together within the step are dropped. Solids are asked in every sub-step.
static PairFate fate_of(const SnWorld *world, GridPair p, const ContactSides *sides,
                        const float offset[3], const ContactNearest *nearest) {
    const ContactSystem *s = &world->contacts;
    PairFate fate = {.room = -1.0f, .blow = nearest->closing - nearest->gap};
    memcpy(fate.normal, nearest->normal, sizeof fate.normal);
    ContactKind kind = kind_of(world, p.b);
    if (kind == CONTACT_SOLID) {
        fate.room = 0.0f;
        strike_solid(world, p, &fate);
        return fate;
    }
    float reach = s->reach[p.a] + s->reach[p.b];
    if (!(nearest->gap < reach + nearest->approach))
        return fate;
    // Where a blow throws an element, it may touch anywhere; but contacts that repeat each other would share a
    // bounce unevenly.
    if (restitution_of(world, p.a) > 0.0f || restitution_of(world, p.b) > 0.0f)
        reach = usual_reach(s, p.a) + usual_reach(s, p.b);
    if (repeats(s, sides, offset, nearest, reach + nearest->approach))
        return fate;
    fate.room = kind == CONTACT_PAIR && !is_general(s, sides) ? room_of(world, p, nearest) : 0.0f;
    return fate;
}

static void judge_pairs(int begin, int end, int worker, void *context) {
    (void)worker;
    const JudgeTask *task = context;
    const ContactSystem *s = &task->world->contacts;
    const ContactKernels *kernels = sn__contact_kernels(task->world->isa);
    for (int first = begin * KNOT_ROW; first < end * KNOT_ROW && first < task->count;
         first += KNOT_ROW) {
        int n = task->count - first < KNOT_ROW ? task->count - first : KNOT_ROW;
        ContactSides sides[KNOT_ROW];
        float offsets[KNOT_ROW][3];
        ContactNearest nearest[KNOT_ROW];
        for (int i = 0; i < n; ++i) {
            GridPair p = task->pairs[first + i];
            sides[i] = sides_of(s, p.a, p.b);
            offset_between(task->world, p.a, p.b, offsets[i]);
        }
        kernels->nearest(sides, offsets, n, s->knots, nearest);
        for (int i = 0; i < n; ++i)
            task->fates[first + i] =
                fate_of(task->world, task->pairs[first + i], &sides[i], offsets[i], &nearest[i]);
    }
}

static void mark_touched(SnWorld *world, int knot) {
    if (knot >= world->contacts.collider_knots)
        return;
    Body *body = body_of(world, knot);
    body->kind->touch(body);
}

static bool add_pair(SnWorld *world, GridPair p, float room) {
    ContactSystem *s = &world->contacts;
    ContactSeed seed = {.sides = sides_of(s, p.a, p.b),
                        .kind = kind_of(world, p.b),
                        .room = room,
                        .surface = surface_of(world, p.a, p.b)};
    seed.key = PAIR_KEY | (uint64_t)p.a << 32 | (uint64_t)p.b << 2;
    offset_between(world, p.a, p.b, seed.offset);
    mark_touched(world, p.a);
    mark_touched(world, p.b);
    if (p.b >= s->collider_knots)
        seed.other = (int)collider_slot(s, p.b);
    if (seed.kind != CONTACT_SOLID)
        return add_seed(s, &seed);
    seed.sides.b = seed.sides.b1 = seed.sides.b2 = 0;
    uint8_t home = s->owners[p.a].home;
    bool added = true, sphere = seed.sides.a1 == seed.sides.a2;
    const SolidPart parts[] = {SOLID_BETWEEN, SOLID_FIRST, SOLID_SECOND};
    for (int k = 0; k < 3; ++k) {
        if ((k > 0 && !(home & (1 << (k - 1)))) || (sphere && k != 1) ||
            sn__is_rooted(world, &s->owners[p.a], (uint32_t)seed.other, parts[k]))
            continue;
        seed.part = parts[k];
        seed.key = (seed.key & ~(uint64_t)3) | (uint64_t)k;
        added = added && add_seed(s, &seed);
    }
    return added;
}

// The vertices with knots [first, end) that may reach a plane. Its normal and height are relative to
// the base.
static bool add_plane_contacts(SnWorld *world, int first, int end, uint32_t slot) {
    ContactSystem *s = &world->contacts;
    const Collider *c = &world->colliders.colliders[slot - 1];
    Vec3d normal = rotated(c->from.rotation, (Vec3d){0.0, 1.0, 0.0});
    float n[3] = {(float)normal.x, (float)normal.y, (float)normal.z};
    // A plane that turns sweeps over anything; its contacts are all kept.
    bool turns = sn__collider_travel(c) > (float)lengthd(c->to.position) * 1.001f + 1e-6f;
    float travel = (float)lengthd(c->to.position), ahead = (float)dotd(normal, c->to.position);
    for (int k = first; k < end; ++k) {
        const KnotOwner *owner = &s->owners[k];
        if (owner->body == 0 || !sn__contacts_meet_collider(world, owner, slot))
            continue;
        const double *origin = origin_of(world, k);
        float offset[3];
        for (int d = 0; d < 3; ++d)
            offset[d] = (float)(origin[d] - c->base[d]);
        for (int v = 0; v < 2; ++v) {
            if (!(owner->home & (1 << v)) || (v == 1 && owner->second == owner->first))
                continue;
            const Knot *knot = &s->knots[v == 0 ? owner->first : owner->second];
            float height = -knot->start[3];
            for (int d = 0; d < 3; ++d)
                height += n[d] * (knot->start[d] + offset[d]);
            float approach = 0.0f;
            for (int d = 0; d < 3; ++d)
                approach -= n[d] * knot->motion[d];
            float reach = s->reach[k] + KNOCKED * knot->start[3];
            if (!turns && height > fmaxf(approach, 0.0f) + reach + travel + c->surface.thickness)
                continue;
            ContactSeed seed = {.sides = {.a = k, .a1 = owner->first, .a2 = owner->second},
                                .kind = CONTACT_SOLID,
                                .part = v == 0 ? SOLID_FIRST : SOLID_SECOND,
                                .other = (int)slot,
                                .key = (uint64_t)slot << 32 | (uint64_t)k << 2 | (uint64_t)v};
            seed.surface = sn__surface_combine(&body_of(world, k)->surface, &c->surface);
            memcpy(seed.offset, offset, sizeof offset);
            mark_touched(world, k);
            if (!add_seed(s, &seed) || !sn__shocks_strike(world, k, n, approach + ahead - height))
                return false;
        }
    }
    return true;
}

bool sn__contacts_add_planes(SnWorld *world) {
    bool added = true;
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count && added; ++slot) {
        if (!sn__collider_in_use(&world->colliders, slot) ||
            world->colliders.colliders[slot - 1].kind != SN_COLLIDER_PLANE)
            continue;
        added = add_plane_contacts(world, KNOT_ROW, world->contacts.collider_knots, slot);
    }
    return added;
}

void sn__contacts_judge(SnWorld *world, const GridPair *pairs, int count, PairFate *out_fates) {
    JudgeTask task = {world, pairs, count, out_fates};
    world->tasks.parallel_for((count + KNOT_ROW - 1) / KNOT_ROW, 8, judge_pairs, &task,
                              world->tasks.context);
}

static bool reserve_fates(SnWorld *world, int count) {
    ContactSystem *s = &world->contacts;
    if (count <= s->fate_capacity)
        return true;
    int grown = count + count / 2;
    PairFate *fates = sn__alloc_array(&world->allocator, (size_t)grown, sizeof(PairFate));
    if (fates == NULL)
        return false;
    sn__free(&world->allocator, s->fates, (size_t)s->fate_capacity * sizeof(PairFate));
    s->fates = fates;
    s->fate_capacity = grown;
    return true;
}

static bool spread_shocks(SnWorld *world, const GridPair *pairs, int count) {
    const ContactSystem *s = &world->contacts;
    for (int k = 0; k < count; ++k)
        if (s->fates[k].blow > 0.0f && !sn__shocks_strike_pair(world, pairs[k], &s->fates[k]))
            return false;
    return sn__shocks_spread(world);
}

static bool comes_before(GridPair p, GridPair q) { return p.a < q.a || (p.a == q.a && p.b < q.b); }

// The pairs of the search and those that shocks bring together, as one list.
bool sn__contacts_add_pairs(SnWorld *world) {
    ContactSystem *s = &world->contacts;
    const GridPair *pairs;
    int count;
    if (!sn__grid_pairs(s->grid, &world->tasks, s->boxes, s->knot_count, sn__contacts_may_meet,
                        world, &pairs, &count) ||
        !reserve_fates(world, count))
        return false;
    sn__contacts_judge(world, pairs, count, s->fates);
    if (!spread_shocks(world, pairs, count))
        return false;
    const ShockSystem *shocks = &s->shocks;
    for (int k = 0, m = 0; k < count || m < shocks->pair_count;) {
        bool struck =
            m < shocks->pair_count && (k == count || !comes_before(pairs[k], shocks->pairs[m]));
        bool both = struck && k < count && !comes_before(shocks->pairs[m], pairs[k]);
        GridPair pair = struck ? shocks->pairs[m] : pairs[k];
        float room = struck ? shocks->fates[m].room : s->fates[k].room;
        m += struck;
        k += both || !struck;
        if (room >= 0.0f && !add_pair(world, pair, room))
            return false;
    }
    return true;
}
