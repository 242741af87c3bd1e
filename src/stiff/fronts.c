#include "stiff/fronts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "stiff/fill_graph.h"

// Segments are those of trees with loops. A strand is a chain of them that are eliminated one after the other:
// all but the first have one child, and no loops.
typedef struct Plan {
    const Grove *g;
    int segments, strands;
    int *segment; // by slot, −1: none
    int *slot;    // by segment
    int *above;   // by segment: its parent, −1: a root
    int *strand;  // by segment
    int *number;  // by segment: pivot
    int *bottom;  // by strand: its first segment
    int *length;  // by strand: segments
    int *up;      // by strand: that of the parent of its last segment, −1: none
    int *waiting; // by strand: those that hang on it and are left
    int *order;   // strands
    int *step;    // by strand: when it is eliminated
    int *heir;    // by strand: the first to be eliminated of those that it is joined to, −1: none
    int *next;    // by strand: the one that follows it in its front, −1: none
    int *last;    // by strand: the last one of its front
    int *front;   // by strand
    int *child;   // by last strand of a front: the first of those that add to it, −1: none
    int *sibling; // by last strand of a front: the next of the same parent
    int *begin;   // by last strand of a front: its first
    int *by_front; // the last strand
    int fronts, rests;
    FillGraph fill;
    void *block;
    size_t bytes;
} Plan;

static size_t lay_out(Plan *p, void *block) {
    Layout layout = {block, 0};
    size_t n = (size_t)p->segments;
    int **arrays[] = {&p->slot, &p->above,   &p->strand, &p->number,  &p->bottom, &p->length,
                      &p->up,   &p->waiting, &p->order,  &p->step,    &p->heir,   &p->next,
                      &p->last, &p->front,   &p->child,  &p->sibling, &p->begin,  &p->by_front};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k)
        *arrays[k] = sn__lay(&layout, n, sizeof(int));
    return layout.used;
}

static int slots_of(const Grove *g) { return g->prop_begin * STIFF_LANES; }

static int parent_of(const Grove *g, int slot) {
    return g->row[slot / STIFF_LANES].parent[slot % STIFF_LANES];
}

// Parents lie behind their children. A tree is one with loops if its root is marked.
static void mark_trees(Plan *p) {
    const Grove *g = p->g;
    int slots = slots_of(g);
    for (int k = 0; k < slots; ++k)
        p->segment[k] = -1;
    for (int k = 0; k < g->loop_count; ++k)
        if (!g->loops[k].alone)
            p->segment[g->loops[k].slot[0]] = p->segment[g->loops[k].slot[1]] = 0;
    for (int k = 0; k < slots; ++k)
        if (p->segment[k] >= 0 && parent_of(g, k) < slots)
            p->segment[parent_of(g, k)] = 0;
    for (int k = slots; k-- > 0;) {
        bool used = k % STIFF_LANES < g->row[k / STIFF_LANES].count;
        if (used && parent_of(g, k) < slots)
            p->segment[k] = p->segment[parent_of(g, k)];
    }
    for (int k = 0; k < slots; ++k)
        if (p->segment[k] >= 0)
            p->segment[k] = p->segments++;
}

static bool is_whole(const Plan *p) {
    int segments = 0;
    for (int r = 0; r < p->g->prop_begin; ++r)
        segments += p->g->row[r].count;
    return segments == p->segments;
}

// Segments are numbered from the leaves to the roots.
static void find_strands(Plan *p) {
    const Grove *g = p->g;
    int *children = p->number, *loops = p->step;
    for (int k = 0; k < slots_of(g); ++k) {
        if (p->segment[k] < 0)
            continue;
        int n = p->segment[k], up = parent_of(g, k);
        p->slot[n] = k;
        p->above[n] = up < slots_of(g) ? p->segment[up] : -1;
        if (p->above[n] >= 0)
            children[p->above[n]] += 1;
        p->strand[n] = -1;
    }
    for (int k = 0; k < g->loop_count; ++k)
        for (int e = 0; e < 2 && !g->loops[k].alone; ++e)
            loops[p->segment[g->loops[k].slot[e]]] += 1;
    for (int n = 0; n < p->segments; ++n) {
        if (p->strand[n] >= 0)
            continue;
        int k = p->strands++, last = n;
        p->bottom[k] = n;
        p->strand[n] = k;
        p->length[k] = 1;
        for (int up = p->above[n]; up >= 0 && children[up] == 1 && loops[up] == 0;
             up = p->above[last]) {
            last = up;
            p->strand[last] = k;
            p->length[k] += 1;
        }
        p->up[k] = p->above[last]; // a segment so far
    }
    for (int k = 0; k < p->strands; ++k) {
        p->up[k] = p->up[k] < 0 ? -1 : p->strand[p->up[k]];
        if (p->up[k] >= 0)
            p->waiting[p->up[k]] += 1;
    }
}

static bool plan_create(const SnAllocator *a, Plan *p, const Grove *g) {
    *p = (Plan){.g = g};
    p->segment = sn__alloc_array(a, (size_t)slots_of(g), sizeof(int));
    if (p->segment == NULL)
        return false;
    mark_trees(p);
    p->bytes = lay_out(p, NULL);
    p->block = sn__alloc(a, p->bytes);
    if (p->block == NULL)
        return false;
    lay_out(p, p->block);
    find_strands(p);
    return sn__fill_create(a, &p->fill, p->strands);
}

static void plan_destroy(const SnAllocator *a, Plan *p) {
    sn__free(a, p->segment, (size_t)slots_of(p->g) * sizeof(int));
    sn__free(a, p->block, p->bytes);
    sn__fill_release(a, &p->fill);
}

static int strand_at(const Plan *p, int slot) { return p->strand[p->segment[slot]]; }

// Of those whose children are gone, always the one that is joined to the fewest others.
static bool order_strands(const SnAllocator *a, Plan *p) {
    bool done = true;
    int count = 0;
    for (int k = 0; k < p->strands && done; ++k)
        done = p->up[k] < 0 || sn__fill_join(a, &p->fill, k, p->up[k]);
    for (int k = 0; k < p->g->loop_count && done; ++k)
        done =
            p->g->loops[k].alone || sn__fill_join(a, &p->fill, strand_at(p, p->g->loops[k].slot[0]),
                                                  strand_at(p, p->g->loops[k].slot[1]));
    for (int k = 0; k < p->strands && done; ++k)
        done = p->waiting[k] > 0 || sn__fill_ask(a, &p->fill, k);
    for (int k; done && (k = sn__fill_next(&p->fill)) >= 0;) {
        if (p->waiting[k] > 0)
            continue;
        p->step[k] = count;
        p->order[count++] = k;
        done = sn__fill_eliminate(a, &p->fill, k);
        if (done && p->up[k] >= 0 && --p->waiting[p->up[k]] == 0)
            done = sn__fill_ask(a, &p->fill, p->up[k]);
    }
    assert(!done || count == p->strands);
    for (int k = 0; k < p->strands && done; ++k) {
        const FillNode *f = &p->fill.node[k];
        p->heir[k] = p->next[k] = -1;
        for (int i = 0; i < f->count; ++i)
            if (p->heir[k] < 0 || p->step[f->to[i]] < p->step[p->heir[k]])
                p->heir[k] = f->to[i];
    }
    return done;
}

// Cycles that eliminating a segment takes, of a front that has so many blocks left; and those that a front
// takes besides, which leaves so many.
static int pivot_cost(int blocks) { return 60 + 30 * blocks + 7 * blocks * blocks; }
static int front_cost(int rest) { return 250 + 10 * rest * rest; }

// Whether a front may end with its heir as well: what zeros cost, that then are worked on, against what
// another front would.
static bool is_worth_it(const Plan *p, int begin, int last) {
    int heir = p->heir[last], strands = 1;
    int old_rest = p->fill.node[last].count, rest = p->fill.node[heir].count, more = 0;
    for (int k = begin; k != last; k = p->next[k])
        ++strands;
    for (int k = begin, left = strands; left > 0; k = p->next[k], --left)
        more += p->length[k] * (pivot_cost(left + 1 + rest) - pivot_cost(left + old_rest));
    return more <= front_cost(old_rest);
}

// A front goes on with its heir if it is the largest of those that add to it.
static void gather_fronts(Plan *p) {
    int *best = p->by_front; // by strand: the largest that add to it
    for (int k = 0; k < p->strands; ++k)
        best[k] = -1;
    for (int i = 0; i < p->strands; ++i) {
        int k = p->order[i], heir = p->heir[k];
        if (heir >= 0 &&
            (best[heir] < 0 || p->fill.node[k].count >= p->fill.node[best[heir]].count))
            best[heir] = k;
    }
    for (int i = 0; i < p->strands; ++i) {
        int k = p->order[i], before = best[k];
        p->begin[k] = k;
        if (before >= 0 && is_worth_it(p, p->begin[before], before)) {
            p->next[before] = k;
            p->begin[k] = p->begin[before];
        }
    }
    for (int i = p->strands; i-- > 0;) {
        int k = p->order[i];
        p->last[k] = p->next[k] < 0 ? k : p->last[p->next[k]];
    }
}

static int first_leaf(const Plan *p, int k) {
    while (p->child[k] >= 0)
        k = p->child[k];
    return k;
}

// Numbers of fronts, children before those that they add to.
static void number_fronts(Plan *p) {
    for (int k = 0; k < p->strands; ++k)
        p->child[k] = p->sibling[k] = -1;
    for (int i = p->strands; i-- > 0;) {
        int k = p->order[i];
        if (p->next[k] >= 0 || p->heir[k] < 0)
            continue;
        p->sibling[k] = p->child[p->last[p->heir[k]]];
        p->child[p->last[p->heir[k]]] = k;
    }
    for (int i = 0; i < p->strands; ++i) {
        int root = p->order[i];
        if (p->next[root] >= 0 || p->heir[root] >= 0)
            continue;
        for (int k = first_leaf(p, root);;) {
            p->by_front[p->fronts++] = k;
            p->rests += p->fill.node[k].count;
            if (k == root)
                break;
            k = p->sibling[k] >= 0 ? first_leaf(p, p->sibling[k]) : p->last[p->heir[k]];
        }
    }
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// Of a segment that is the first of a strand of the front, or in its rest.
static int block_of(const Fronts *f, const Front *front, int number) {
    if (number < front->first + front->pivots) {
        assert(number >= front->first);
        return f->pivot[number].block;
    }
    const int *rest = f->rest + front->rest_begin;
    int low = 0, high = front->rest;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        *(rest[mid] <= number ? &low : &high) = mid;
    }
    assert(low < front->rest && rest[low] == number);
    return front->blocks - front->rest + low;
}

// Pivots: front by front, strand by strand, and along them.
static void number_pivots(Plan *p, Fronts *f) {
    for (int i = 0, count = 0; i < f->front_count; ++i) {
        Front *front = &f->front[i];
        front->first = count;
        for (int k = p->begin[p->by_front[i]]; k >= 0; k = p->next[k]) {
            p->front[k] = i;
            for (int n = p->bottom[k], left = p->length[k]; left > 0; n = p->above[n], --left) {
                p->number[n] = count;
                f->pivot[count++] = (FrontPivot){.slot = p->slot[n], .block = front->blocks};
            }
            front->blocks += 1;
        }
        front->pivots = count - front->first;
    }
}

static void fill_fronts(Plan *p, Fronts *f) {
    for (int i = 0, count = 0; i < f->front_count; ++i) {
        Front *front = &f->front[i];
        int last = p->by_front[i];
        const FillNode *n = &p->fill.node[last];
        front->rest_begin = count;
        front->rest = n->count;
        front->blocks += n->count;
        for (int k = 0; k < n->count; ++k)
            f->rest[count++] = p->number[p->bottom[n->to[k]]];
        qsort(f->rest + front->rest_begin, (size_t)front->rest, sizeof(int), compare_ints);
        front->width = (6 * front->blocks + STIFF_LANES - 1) / STIFF_LANES * STIFF_LANES;
        front->parent = p->heir[last] < 0 ? -1 : p->front[p->heir[last]];
        front->leaf = true;
    }
}

static size_t size_of(const Front *f) { return (size_t)(6 * f->blocks) * (size_t)f->width; }

// Matrices lie on top of those that wait for them.
static void place_fronts(Fronts *f) {
    for (int k = f->front_count; k-- > 0;) {
        Front *front = &f->front[k];
        const Front *up = front->parent < 0 ? NULL : &f->front[front->parent];
        front->at = up ? up->at + size_of(up) : 0;
        size_t end = front->at + size_of(front);
        f->work_size = end > f->work_size ? end : f->work_size;
        size_t width = (size_t)front->width;
        f->local_size = width > f->local_size ? width : f->local_size;
        for (int i = 0; i < front->rest; ++i)
            f->place[front->rest_begin + i] = block_of(f, up, f->rest[front->rest_begin + i]);
    }
    for (int k = 0; k < f->front_count; ++k)
        if (f->front[k].parent >= 0) {
            Front *up = &f->front[f->front[k].parent];
            f->front[k].first_child = up->leaf;
            up->leaf = false;
        }
}

static void place_pivots(const Plan *p, Fronts *f) {
    const Grove *g = p->g;
    for (int k = 0; k < f->front_count; ++k) {
        const Front *front = &f->front[k];
        for (int i = front->first; i < front->first + front->pivots; ++i) {
            FrontPivot *pivot = &f->pivot[i];
            int slot = pivot->slot, row = slot / STIFF_LANES, n = p->segment[slot];
            int up = p->above[n];
            bool loose = parent_of(g, slot) >= g->loose_begin * STIFF_LANES;
            pivot->goes_on = up >= 0 && p->strand[up] == p->strand[n];
            pivot->parent = up < 0           ? (loose ? -2 : -1)
                            : pivot->goes_on ? pivot->block
                                             : block_of(f, front, p->number[up]);
            pivot->from = 6 * pivot->block / STIFF_LANES * STIFF_LANES;
            pivot->stretches = g->stretch && g->stretch[row].give[slot % STIFF_LANES] > 0.0;
            pivot->at = f->factor_size;
            size_t rows = pivot->stretches ? 4 : pivot->parent == -2 ? 6 : 3;
            f->factor_size += PIVOT_HEAD + (size_t)(front->width - pivot->from) * rows;
        }
    }
}

// Where the first of its segments is eliminated; front by front, in order.
static void place_loops(const Plan *p, Fronts *f) {
    const Grove *g = p->g;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < g->loop_count; ++k) {
            if (g->loops[k].alone)
                continue;
            int a = p->segment[g->loops[k].slot[0]], b = p->segment[g->loops[k].slot[1]];
            int first = p->number[a] < p->number[b] ? a : b;
            Front *front = &f->front[p->front[p->strand[first]]];
            if (pass == 1)
                f->loop[front->loop_begin + front->loops] = (FrontLoop){
                    k, {block_of(f, front, p->number[a]), block_of(f, front, p->number[b])}};
            front->loops += 1;
        }
        for (int k = 0, sum = 0; k < f->front_count && pass == 0; ++k) {
            f->front[k].loop_begin = sum;
            sum += f->front[k].loops;
            f->front[k].loops = 0;
        }
    }
}

// By pivot, in order.
static void place_props(const Plan *p, Fronts *f) {
    const Grove *g = p->g;
    for (int pass = 0; pass < 2; ++pass) {
        for (int r = g->prop_begin; r < g->still_begin; ++r)
            for (int i = 0; i < g->row[r].count; ++i) {
                int n = p->segment[g->row[r].parent[i]];
                if (n < 0)
                    continue;
                FrontPivot *pivot = &f->pivot[p->number[n]];
                if (pass == 1)
                    f->prop[pivot->prop_begin + pivot->props] = r * STIFF_LANES + i;
                pivot->props += 1;
            }
        for (int k = 0, sum = 0; k < f->pivot_count && pass == 0; ++k) {
            f->pivot[k].prop_begin = sum;
            sum += f->pivot[k].props;
            f->pivot[k].props = 0;
        }
    }
}

static bool fronts_reserve(const SnAllocator *a, const Plan *p, Fronts *f) {
    const Grove *g = p->g;
    f->pivot_count = p->segments;
    f->whole = is_whole(p);
    f->front_count = p->fronts;
    f->rest_count = p->rests;
    f->loop_count = g->loop_count;
    f->prop_count = (g->still_begin - g->prop_begin) * STIFF_LANES;
    f->row_count = g->still_begin;
    f->pivot = sn__alloc_array(a, (size_t)f->pivot_count, sizeof(FrontPivot));
    f->front = sn__alloc_array(a, (size_t)f->front_count, sizeof(Front));
    f->rest = sn__alloc_array(a, (size_t)f->rest_count, sizeof(int));
    f->place = sn__alloc_array(a, (size_t)f->rest_count, sizeof(int));
    f->loop = sn__alloc_array(a, (size_t)f->loop_count, sizeof(FrontLoop));
    f->prop = sn__alloc_array(a, (size_t)f->prop_count, sizeof(int));
    f->row = sn__alloc_array(a, (size_t)f->row_count, sizeof(StiffPivotRow));
    return f->pivot && f->front && f->loop && f->row && (f->rest || f->rest_count == 0) &&
           (f->place || f->rest_count == 0) && (f->prop || f->prop_count == 0);
}

static bool numbers_reserve(const SnAllocator *a, Fronts *f) {
    f->factor = sn__alloc_array(a, f->factor_size, sizeof(double));
    f->work = sn__alloc_array(a, f->work_size, sizeof(double));
    f->local = sn__alloc_array(a, f->local_size, sizeof(double));
    f->vector = sn__alloc_array(a, (size_t)f->pivot_count, sizeof(double[6]));
    return f->factor && f->work && f->local && f->vector;
}

Fronts *sn__fronts_create(const SnAllocator *a, const Grove *g) {
    assert(g->loop_count > 0);
    Plan p;
    Fronts *f = sn__alloc_array(a, 1, sizeof(Fronts));
    bool done = f != NULL && plan_create(a, &p, g) && order_strands(a, &p);
    if (done) {
        gather_fronts(&p);
        number_fronts(&p);
        done = fronts_reserve(a, &p, f);
    }
    if (done) {
        number_pivots(&p, f);
        fill_fronts(&p, f);
        place_fronts(f);
        place_pivots(&p, f);
        place_loops(&p, f);
        place_props(&p, f);
        done = numbers_reserve(a, f);
    }
    if (f != NULL)
        plan_destroy(a, &p);
    if (done)
        return f;
    sn__fronts_destroy(a, f);
    return NULL;
}

void sn__fronts_destroy(const SnAllocator *a, Fronts *f) {
    if (f == NULL)
        return;
    sn__free(a, f->pivot, (size_t)f->pivot_count * sizeof(FrontPivot));
    sn__free(a, f->front, (size_t)f->front_count * sizeof(Front));
    sn__free(a, f->rest, (size_t)f->rest_count * sizeof(int));
    sn__free(a, f->place, (size_t)f->rest_count * sizeof(int));
    sn__free(a, f->loop, (size_t)f->loop_count * sizeof(FrontLoop));
    sn__free(a, f->prop, (size_t)f->prop_count * sizeof(int));
    sn__free(a, f->row, (size_t)f->row_count * sizeof(StiffPivotRow));
    sn__free(a, f->factor, f->factor_size * sizeof(double));
    sn__free(a, f->work, f->work_size * sizeof(double));
    sn__free(a, f->local, f->local_size * sizeof(double));
    sn__free(a, f->vector, (size_t)f->pivot_count * sizeof(double[6]));
    sn__free(a, f, sizeof(Fronts));
}

void sn__fronts_take_impulses(Grove *g) {
    const Fronts *f = g->fronts;
    for (int k = 0; k < f->pivot_count; ++k) {
        StiffResponse *r = &g->response[f->pivot[k].slot / STIFF_LANES];
        int i = f->pivot[k].slot % STIFF_LANES;
        for (int c = 0; c < 6; ++c) {
            f->vector[6 * k + c] = r->g[c][i];
            r->g[c][i] = 0.0;
        }
    }
}

void sn__fronts_give_motions(Grove *g) {
    const Fronts *f = g->fronts;
    for (int k = 0; k < f->pivot_count; ++k) {
        StiffResponse *r = &g->response[f->pivot[k].slot / STIFF_LANES];
        int i = f->pivot[k].slot % STIFF_LANES;
        for (int c = 0; c < 3; ++c) {
            r->t[c][i] = f->vector[6 * k + c];
            r->r[c][i] = f->vector[6 * k + 3 + c];
        }
    }
}
