// Fields of parts at the points of packs, and steps of the points; kernels.h says what they compute.
#include "implicit/muscle_wide.h"
#include "implicit/operators.h"
#include "implicit/wide.h"

#define MOST_STEP 0.3f // over the reach
#define QUIET 1e-3f    // over the reach: a point that has less to go has arrived
#define WEAK 0.1f      // of a gradient, over 1/reach: it does not tell the way
#define LEAST 1e-12f   // of a squared length that is divided by
#define MARGIN                                                                                     \
    0.3f // over the reach: a part that is farther from all points than its field is left out
#define FILLET 0.2f     // between a muscle and its part, over the reach
#define MOST_BULGE 0.6f // of a muscle out of the lowered part, over the reach
#define NOT_FACING 4.0f // by how much the gap grows with the cosine, over the reach

INLINE Lanes row_at(const float row[4], Lanes3 x) {
    return row[0] * x.x + row[1] * x.y + row[2] * x.z + row[3];
}

// The cell of a coordinate, and how far in it.
INLINE Lanes find_cell(Lanes coordinate, int size, LaneBits *out_cell) {
    Lanes inside = lanes_clamp(coordinate, 0.0f, (float)(size - 1));
    LaneBits cell = __builtin_convertvector(inside, LaneBits);
    Lanes whole = __builtin_convertvector(cell, Lanes);
    // The last point of the grid belongs to the last cell.
    Lanes last = splat((float)(size - 2));
    whole = lanes_min(whole, last);
    *out_cell = __builtin_convertvector(whole, LaneBits);
    return inside - whole;
}

INLINE Lanes beyond(Lanes coordinate, int size) {
    return lanes_max(-coordinate, coordinate - (float)(size - 1));
}

// The distance to a part without muscles, and its gradient in the world.
INLINE Distance grid_distance(const FieldPart *part, Lanes3 x) {
    Lanes g[3], weight[3][2], sum[4];
    LaneBits cell[3];
    for (int c = 0; c < 3; ++c) {
        g[c] = row_at(part->to_grid[c], x);
        weight[c][1] = find_cell(g[c], part->size[c], &cell[c]);
        weight[c][0] = 1.0f - weight[c][1];
    }
    LaneBits index = cell[0] + part->size[0] * (cell[1] + part->size[1] * cell[2]);
    for (int c = 0; c < 4; ++c)
        sum[c] = splat(0.0f);
    for (int corner = 0; corner < 8; ++corner) {
        int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        LaneBits at = index + (i + part->size[0] * (j + part->size[1] * k));
        Lanes share = weight[0][i] * weight[1][j] * weight[2][k], sample[4];
        gather_fours(part->samples[0], 4, (const int32_t *)&at, sample);
        for (int c = 0; c < 4; ++c)
            sum[c] += share * sample[c];
    }
    Lanes out = lanes_max(beyond(g[0], part->size[0]),
                          lanes_max(beyond(g[1], part->size[1]), beyond(g[2], part->size[2])));
    const float(*row)[4] = part->to_grid;
    Lanes3 gradient = {row[0][0] * sum[0] + row[1][0] * sum[1] + row[2][0] * sum[2],
                       row[0][1] * sum[0] + row[1][1] * sum[1] + row[2][1] * sum[2],
                       row[0][2] * sum[0] + row[1][2] * sum[1] + row[2][2] * sum[2]};
    return (Distance){lanes_if_less(splat(0.0f), out, splat(FIELD_FAR), sum[3]),
                      mul3(gradient, splat(part->cell))};
}

// `muscles` gets a bit for each of the pack's that one of the points may yet get to.
INLINE Distance distance_to(const FieldScene *scene, const FieldPack *pack, int part, Lanes3 x,
                            uint32_t *muscles) {
    const FieldPart *field = &scene->parts[part];
    Distance d = grid_distance(field, x);
    Lanes out = splat(0.5f * FIELD_FAR);
    for (int i = 0; i < pack->muscle_count; ++i) {
        const NearMuscle *near = &pack->muscles[i];
        const FieldMuscle *muscle = &scene->muscles[near->muscle];
        if (muscle->part != part || !(pack->near_muscles >> i & 1))
            continue;
        // Beyond the fillet it changes nothing.
        LaneNearest nearest = find_nearest(muscle->nodes, near->begin, near->end, x);
        Lanes least = least_distance(muscle, &nearest) * muscle->unit;
        Lanes limit = lanes_min(d.value + FILLET * field->reach, out);
        Lanes margin = lanes_min(limit + MARGIN * field->reach, out);
        *muscles |= (uint32_t)lanes_any_less(least, margin) << i;
        if (!lanes_any_less(least, limit))
            continue;
        Distance m = muscle_distance(muscle, nearest.segment, x);
        m.value *= muscle->unit;
        m.gradient = mul3(m.gradient, splat(muscle->unit));
        Distance both = join_muscle(d, m, FILLET * field->reach, MOST_BULGE * field->reach);
        d.gradient = choose3(least, limit, both.gradient, d.gradient);
        d.value = lanes_if_less(least, limit, both.value, d.value);
    }
    return d;
}

// All that a step needs to know of one pack.
typedef struct View {
    Distance own;
    Lanes value; // O
    Lanes3 gradient;
    Distance gap;    // G
    Distance second; // and the least of the others
    // A bit for each of the other parts, and of the muscles, that one of the points may yet get to.
    uint32_t near, muscles;
} View;

// Of the surfaces of the own part and of one that has bent away from it.
#define INNER 0.6f
INLINE Lanes cosine(const FieldBend *bend, const FieldPack *pack, int lane) {
    Lanes q = bend->way[0] * load(pack->rest_x + lane) + bend->way[1] * load(pack->rest_y + lane) +
              bend->way[2] * load(pack->rest_z + lane);
    Lanes t = lanes_clamp(q / INNER, 0.0f, 1.0f);
    return 1.0f - bend->most * t * t * (3.0f - 2.0f * t);
}

// Keeps the least two.
INLINE void take_gap(View *view, Distance gap) {
    Lanes a = gap.value, least = view->gap.value, second = view->second.value;
    Lanes3 along = choose3(a, second, gap.gradient, view->second.gradient);
    view->second.gradient = choose3(a, least, view->gap.gradient, along);
    view->second.value = lanes_if_less(a, least, least, lanes_min(a, second));
    view->gap.gradient = choose3(a, least, gap.gradient, view->gap.gradient);
    view->gap.value = lanes_min(a, least);
}

INLINE View look(const FieldScene *scene, const FieldPack *pack, int lane) {
    Lanes3 x = {load(pack->x + lane), load(pack->y + lane), load(pack->z + lane)};
    const FieldPart *own = &scene->parts[pack->own];
    View view = {.gap = {.value = splat(FIELD_FAR)}};
    view.second = view.gap;
    view.own = distance_to(scene, pack, pack->own, x, &view.muscles);
    Lanes slope, mix = load(pack->mix + lane);
    view.value = transfer(view.own.value / own->reach, &slope);
    view.gradient = mul3(view.own.gradient, slope / own->reach);
    for (int i = 0; i < pack->count; ++i) {
        int number = scene->others[pack->first + i];
        const FieldPart *other = &scene->parts[number];
        if (other->samples == NULL || !(pack->near >> i & 1))
            continue;
        Distance d = distance_to(scene, pack, number, x, &view.muscles);
        Lanes c = cosine(&scene->bends[pack->first + i], pack, lane);
        bool blended = i < pack->blended;
        Lanes gap = d.value - view.own.value;
        Lanes margin = lanes_min(d.value - other->reach, gap - own->reach);
        view.near |= (uint32_t)lanes_any_less(margin, splat(MARGIN * own->reach)) << i;
        if (blended)
            gap += NOT_FACING * own->reach * lanes_max(c - FACING, splat(0.0f));
        take_gap(&view, (Distance){gap, sub3(d.gradient, view.own.gradient)});
        if (!blended)
            continue;
        Lanes field = transfer(d.value / other->reach, &slope);
        Combined both = combine(view.value, field, c, mix, scene->bulge);
        view.gradient = add3(mul3(view.gradient, both.by_a),
                             mul3(d.gradient, both.by_b * slope / other->reach));
        view.value = both.value;
    }
    return view;
}

// How far it is, and the unit vector that leads there.
typedef struct Way {
    Lanes far;
    Lanes3 out;
} Way;

INLINE Way way_to(const Distance *gap, Lanes wanted) {
    Lanes length = lanes_sqrt(lanes_max(dot3(gap->gradient, gap->gradient), splat(LEAST)));
    return (Way){(gap->value - wanted) / length, mul3(gap->gradient, -1.0f / length)};
}

INLINE Way shorter(const Way *a, const Way *b) {
    return (Way){lanes_min(a->far, b->far), choose3(a->far, b->far, a->out, b->out)};
}

INLINE Way longer(const Way *a, const Way *b) {
    return (Way){lanes_if_less(a->far, b->far, b->far, a->far),
                 choose3(a->far, b->far, b->out, a->out)};
}

INLINE void step(const View *view, float reach, FieldPack *pack, int lane) {
    Lanes weak = splat(WEAK / reach * (WEAK / reach));
    Lanes square = dot3(view->gradient, view->gradient);
    Lanes length = lanes_sqrt(lanes_max(square, splat(LEAST)));
    Lanes own_square = dot3(view->own.gradient, view->own.gradient);
    Lanes own_length = lanes_sqrt(lanes_max(own_square, splat(LEAST)));
    Lanes inside = (view->value - load(pack->iso + lane)) / length;
    Lanes deep = (load(pack->depth + lane) - view->own.value) / own_length;
    Lanes way = lanes_if_less(square, weak, deep, inside);
    Lanes3 out = choose3(square, weak, mul3(view->own.gradient, 1.0f / own_length),
                         mul3(view->gradient, -1.0f / length));
    Way field = {way, out}, touch = way_to(&view->gap, load(pack->gap + lane));
    Way second = way_to(&view->second, load(pack->gap + lane));
    store(pack->touch + lane, lanes_if_less(touch.far, field.far, splat(1.0f), splat(0.0f)));
    Way first = shorter(&touch, &field), other = longer(&touch, &field);
    other = shorter(&second, &other);
    way = first.far;
    out = first.out;
    store(pack->next_x + lane, other.out.x);
    store(pack->next_y + lane, other.out.y);
    store(pack->next_z + lane, other.out.z);
    store(pack->next + lane, other.far - way * dot3(out, other.out));
    // Who is outside the grid of its own part stays, and is told.
    Lanes lost = splat(0.5f * FIELD_FAR), far = view->own.value;
    Lanes go = lanes_if_less(lost, far, splat(0.0f),
                             lanes_clamp(way, -MOST_STEP * reach, MOST_STEP * reach));
    store(pack->way + lane, lanes_if_less(lost, far, splat(FIELD_FAR), way));
    store(pack->out_x + lane, out.x);
    store(pack->out_y + lane, out.y);
    store(pack->out_z + lane, out.z);
    store(pack->x + lane, load(pack->x + lane) + go * out.x);
    store(pack->y + lane, load(pack->y + lane) + go * out.y);
    store(pack->z + lane, load(pack->z + lane) + go * out.z);
}

// Whether all points of a pack had less to go than the limit, and whether all of them are somewhere.
INLINE void tell(FieldPack *pack, float limit) {
    pack->arrived = true;
    pack->lost = false;
    for (int lane = 0; lane < FIELD_LANES; lane += WIDE) {
        Lanes way = lanes_abs(load(pack->way + lane));
        pack->arrived = pack->arrived && lanes_all_less(way, splat(limit));
        Lanes nowhere = load(pack->x + lane) + load(pack->y + lane) + load(pack->z + lane);
        // What is not finite is not less than anything.
        pack->lost = pack->lost || !lanes_all_less(way, splat(FIELD_FAR)) ||
                     !lanes_all_less(lanes_abs(nowhere), splat(3e38f));
    }
}

void WIDE_FUNCTION(field_track)(const FieldScene *scene, FieldPack *packs, int count) {
    for (int i = 0; i < count; ++i) {
        FieldPack *pack = &packs[i];
        const FieldPart *own = &scene->parts[pack->own];
        if (pack->rigid || pack->quiet || own->samples == NULL)
            continue;
        uint32_t near = 0, muscles = 0;
        for (int lane = 0; lane < FIELD_LANES; lane += WIDE) {
            View view = look(scene, pack, lane);
            step(&view, own->reach_now, pack, lane);
            near |= view.near;
            muscles |= view.muscles;
        }
        pack->near = near;
        pack->near_muscles = muscles;
        tell(pack, QUIET * own->reach_now);
    }
}

void WIDE_FUNCTION(field_measure)(const FieldScene *scene, FieldPack *packs, int count) {
    for (int i = 0; i < count; ++i)
        for (int lane = 0; lane < FIELD_LANES && scene->parts[packs[i].own].samples; lane += WIDE) {
            View view = look(scene, &packs[i], lane);
            store(packs[i].iso + lane, view.value);
            store(packs[i].depth + lane, view.own.value);
            store(packs[i].gap + lane, view.gap.value);
        }
}

void WIDE_FUNCTION(field_probe)(const FieldMuscle *muscle, FieldPack *packs, int count) {
    for (int i = 0; i < count; ++i)
        for (int lane = 0; lane < FIELD_LANES; lane += WIDE) {
            FieldPack *p = &packs[i];
            Lanes3 x = {load(p->x + lane), load(p->y + lane), load(p->z + lane)};
            LaneNearest nearest = find_nearest(muscle->nodes, 0, muscle->count - 1, x);
            Distance d = muscle_distance(muscle, nearest.segment, x);
            store(p->depth + lane, d.value);
            store(p->out_x + lane, d.gradient.x);
            store(p->out_y + lane, d.gradient.y);
            store(p->out_z + lane, d.gradient.z);
        }
}
