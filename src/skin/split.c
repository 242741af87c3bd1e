// Which cells of a split skin hold together, and what its vertices follow then.
//
// Two cells that an edge joins are apart when it is broken. Others that touch are apart when there is no way left
// between them along edges that is as short as it was.
//
// At a point where several cells meet, those of them that hold together have the same bones, so that the surface
// is closed there. A group of cells keeps another bone if one of its edges to the group holds, or, where it never
// had one, if it hangs on a bone that is kept. What the others had is shared out among those that are kept.
#include "skin/split.h"

#include <string.h>

#include "skin/split_cut.h"

static int other_end(const int edge[2], int end) { return edge[0] == end ? edge[1] : edge[0]; }

static int edge_of(const SkinSplit *s, int a, int b) {
    for (int i = s->begin[a]; i < s->begin[a + 1]; ++i)
        if (other_end(s->edges[s->edges_of[i]], a) == b)
            return s->edges_of[i];
    return -1;
}

// How many edges lead from one particle to another, `most` of them at most (−1: any number), or −1.
static int hops_between(const SkinSplit *s, SplitState *state, int from, int to, int most) {
    int count = 0, found = -1;
    state->queue[count++] = from;
    state->hops[from] = 1;
    for (int at = 0; at < count && found < 0; ++at) {
        int here = state->queue[at], hops = state->hops[here];
        if (most >= 0 && hops > most)
            break;
        for (int i = s->begin[here]; i < s->begin[here + 1] && found < 0; ++i) {
            int edge = s->edges_of[i], other = other_end(s->edges[edge], here);
            if (state->broken[edge] || state->hops[other] > 0)
                continue;
            state->hops[other] = hops + 1;
            state->queue[count++] = other;
            found = other == to ? hops : -1;
        }
    }
    for (int k = 0; k < count; ++k)
        state->hops[state->queue[k]] = 0;
    return found;
}

bool sn__split_state_create(const SkinSplit *s, SplitState *out) {
    const SnAllocator *a = &s->allocator;
    size_t cells = (size_t)s->cell_count;
    out->broken = sn__alloc_array(a, (size_t)s->edge_count, sizeof(bool));
    out->open = sn__alloc_array(a, (size_t)s->pair_count, sizeof(bool));
    out->apart = sn__alloc_array(a, (size_t)s->lead_count, sizeof(bool));
    out->queue = sn__alloc_array(a, cells, sizeof(int));
    out->hops = sn__alloc_array(a, cells, sizeof(int));
    if (out->broken && out->open && out->apart && out->queue && out->hops)
        return true;
    sn__split_state_destroy(s, out);
    return false;
}

void sn__split_state_destroy(const SkinSplit *s, SplitState *state) {
    size_t cells = (size_t)s->cell_count * sizeof(int);
    sn__free(&s->allocator, state->broken, (size_t)s->edge_count * sizeof(bool));
    sn__free(&s->allocator, state->open, (size_t)s->pair_count * sizeof(bool));
    sn__free(&s->allocator, state->apart, (size_t)s->lead_count * sizeof(bool));
    sn__free(&s->allocator, state->queue, cells);
    sn__free(&s->allocator, state->hops, cells);
    *state = (SplitState){0};
}

static bool is_open(const SkinSplit *s, SplitState *state, const SplitPair *pair) {
    if (pair->edge >= 0)
        return state->broken[pair->edge];
    return pair->hops >= 0 &&
           hops_between(s, state, pair->cells[0], pair->cells[1], pair->hops) < 0;
}

// The cells of a point that hold together with its own: a bit for each of them.
static unsigned group_of(const SkinSplit *s, const SplitState *state, const SplitVertex *v) {
    unsigned group = 0, before;
    for (int k = 0; k < SPLIT_MEETS; ++k)
        group |= v->meets[k] == v->cell ? 1u << k : 0u;
    do {
        before = group;
        for (int a = 0; a < SPLIT_MEETS; ++a)
            for (int b = 0; b < SPLIT_MEETS; ++b)
                if (group >> a & 1 && v->meets[b] >= 0 && !(group >> b & 1)) {
                    int pair = sn__split_pair_of(s, v->meets[a], v->meets[b]);
                    group |= pair >= 0 && !state->open[pair] ? 1u << b : 0u;
                }
    } while (group != before);
    return group;
}

// 1: it is kept, 0: it is not, −1: it hangs on no cell of the group.
static int holds_bone(const SkinSplit *s, const SplitState *state, const SplitVertex *v,
                      unsigned group, int bone) {
    int known = -1;
    for (int k = 0; k < SPLIT_MEETS; ++k) {
        if (v->meets[k] < 0)
            continue;
        bool own = group >> k & 1;
        if (v->meets[k] == bone)
            return own;
        int edge = own ? edge_of(s, v->meets[k], bone) : -1;
        if (edge >= 0)
            known = known == 1 || !state->broken[edge];
    }
    return known;
}

static unsigned bones_of(const SplitVertex *v) {
    unsigned bones = 0;
    for (int k = 0; k < SN_SKIN_BONES; ++k)
        bones |= v->weights[k] > 0.0f ? 1u << k : 0u;
    return bones;
}

// The bones of a vertex that it keeps: a bit for each.
static unsigned kept_of(const SkinSplit *s, const SplitState *state, const SplitVertex *v,
                        unsigned group) {
    unsigned kept = v->free, asked = 0, before;
    for (int k = 0; k < SN_SKIN_BONES; ++k) {
        int holds = v->weights[k] > 0.0f ? holds_bone(s, state, v, group, v->bones[k]) : 0;
        kept |= holds == 1 ? 1u << k : 0u;
        asked |= holds < 0 ? 1u << k : 0u;
    }
    do {
        before = kept;
        for (int a = 0; a < SN_SKIN_BONES; ++a)
            for (int b = 0; b < SN_SKIN_BONES; ++b)
                if (kept >> a & 1 && asked >> b & 1 && !(kept >> b & 1)) {
                    int edge = edge_of(s, v->bones[a], v->bones[b]);
                    kept |= edge >= 0 && !state->broken[edge] ? 1u << b : 0u;
                }
    } while (kept != before);
    return kept;
}

// Weights w of what is kept become w / S, their slopes w' / S − w S' / S², with the sum S.
static void keep(const SplitVertex *v, unsigned group, unsigned kept, const SkinPoint *whole,
                 SkinPoint *out) {
    float sum = 0.0f, along_u = 0.0f, along_v = 0.0f;
    *out = *whole;
    for (int k = 0; k < SN_SKIN_BONES; ++k)
        if (kept >> k & 1) {
            sum += whole->weight[k];
            along_u += whole->along_u[k];
            along_v += whole->along_v[k];
        }
    for (int k = 0; k < SN_SKIN_BONES; ++k) {
        bool is = kept >> k & 1;
        float w = is ? whole->weight[k] / sum : 0.0f;
        out->weight[k] = w;
        out->along_u[k] = is ? (whole->along_u[k] - w * along_u) / sum : 0.0f;
        out->along_v[k] = is ? (whole->along_v[k] - w * along_v) / sum : 0.0f;
    }
    if (kept == 0) { // it was led by others alone: the first cell of the group takes all of it
        int first = 0;
        while (!(group >> first & 1))
            ++first;
        out->weight[0] = 1.0f;
        out->bone[0] = (uint32_t)v->meets[first];
    }
}

void sn__skin_split_apply(const SkinSplit *s, SplitState *state, const SkinPoint *whole,
                          SkinPoint *out) {
    for (int k = 0; k < s->pair_count; ++k)
        state->open[k] = is_open(s, state, &s->pairs[k]);
    memset(state->apart, 0, (size_t)s->lead_count * sizeof *state->apart);
    for (int i = 0; i < s->vertex_count; ++i) {
        const SplitVertex *v = &s->vertices[i];
        bool closed = v->pair >= 0 && !state->open[v->pair];
        if (closed && i > v->first) {
            out[i] = out[v->first]; // the cap has no size
            continue;
        }
        unsigned group = group_of(s, state, v), kept = kept_of(s, state, v, group);
        for (int k = 0; k < SN_SKIN_BONES; ++k)
            if (v->leads[k] >= 0 && !(kept >> k & 1))
                state->apart[v->leads[k]] = true;
        if (kept == bones_of(v))
            out[i] = whole[i];
        else
            keep(v, group, kept, &whole[i], &out[i]);
    }
}

// False: no memory.
static bool list_leads(SkinSplit *s) {
    KeyTable table = {.allocator = s->allocator};
    bool good = true;
    for (int i = 0; i < SN_SKIN_BONES * s->vertex_count && good; ++i) {
        SplitVertex *v = &s->vertices[i / SN_SKIN_BONES];
        int *lead = &v->leads[i % SN_SKIN_BONES], bone = v->bones[i % SN_SKIN_BONES];
        const int key[KEY_LENGTH] = {v->cell, bone};
        *lead = -1;
        if (!(v->weights[i % SN_SKIN_BONES] > 0.0f) || bone == v->cell)
            continue;
        *lead = sn__key_table_find(&table, key);
        good = *lead >= 0;
        if (*lead == s->lead_count) {
            good = sn__reserve(&s->allocator, (void **)&s->leads, &s->lead_capacity, s->lead_count,
                               sizeof *s->leads);
            if (good)
                memcpy(s->leads[s->lead_count++], key, sizeof *s->leads);
        }
    }
    sn__key_table_destroy(&table);
    return good;
}

bool sn__split_measure(SkinSplit *s) {
    SplitState state;
    if (!list_leads(s) || !sn__split_state_create(s, &state))
        return false;
    for (int k = 0; k < s->pair_count; ++k) {
        SplitPair *pair = &s->pairs[k];
        if (pair->edge < 0)
            pair->hops = hops_between(s, &state, pair->cells[0], pair->cells[1], -1);
    }
    for (int i = 0; i < s->vertex_count; ++i) {
        SplitVertex *v = &s->vertices[i];
        v->free = bones_of(v) & ~kept_of(s, &state, v, group_of(s, &state, v));
    }
    sn__split_state_destroy(s, &state);
    return true;
}
