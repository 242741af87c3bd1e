// From a net of segments to rows: what is solved when, and side by side with what.
//
// Segments go by their height over the leaves: all of one height are independent of each other, and
// a segment's children are lower. Subtrees of at most SUBTREE segments are gathered into parts of
// about PART; what is left in the middle is solved after them.
#include <assert.h>
#include <string.h>

#include "stiff/grove.h"

#define SUBTREE 384
#define PART 1024 // segments whose rows fit a core's second-level cache

typedef struct Plan {
    const StiffNet *net;
    int *order;              // nodes, parents before children
    int *height;             // over the lowest leaf, by node
    int *size;               // segments of the subtree, by node
    int *part;               // by node
    int *bucket;             // counters
    int *by_height, *sorted; // nodes by height, and by part, height and order
    int parts, tallest;
    int *block;
    size_t bytes;
} Plan;

static bool plan_create(const SnAllocator *allocator, Plan *p, const StiffNet *net) {
    size_t n = (size_t)net->nodes + 3;
    *p = (Plan){.net = net, .bytes = 7 * n * sizeof(int)};
    p->block = sn__alloc(allocator, p->bytes);
    if (p->block == NULL)
        return false;
    p->order = p->block;
    p->height = p->order + n;
    p->size = p->height + n;
    p->part = p->size + n;
    p->sorted = p->part + n;
    p->by_height = p->sorted + n;
    p->bucket = p->by_height + n;
    return true;
}

// Breadth first from the roots, by counting children.
static void order_nodes(Plan *p) {
    const StiffNode *node = p->net->node;
    int n = p->net->nodes, count = 0;
    int *begin = p->bucket, *child = p->sorted; // children of node i from begin[i]
    for (int i = 0; i < n; ++i)
        if (node[i].parent >= 0)
            begin[node[i].parent] += 1;
    for (int i = 0, sum = 0; i <= n; ++i) {
        int here = i < n ? begin[i] : 0;
        begin[i] = sum;
        sum += here;
    }
    int *fill = p->height;
    memcpy(fill, begin, (size_t)n * sizeof(int));
    for (int i = 0; i < n; ++i)
        if (node[i].parent >= 0)
            child[fill[node[i].parent]++] = i;
        else
            p->order[count++] = i;
    for (int k = 0; k < count; ++k)
        for (int c = begin[p->order[k]]; c < begin[p->order[k] + 1]; ++c)
            p->order[count++] = child[c];
    // No node is its own ancestor, and every one was reached.
    assert(count == n);
}

static void measure_subtrees(Plan *p) {
    const StiffNode *node = p->net->node;
    int n = p->net->nodes;
    for (int i = 0; i < n; ++i) {
        p->height[i] = 0;
        p->size[i] = 1;
    }
    for (int k = n; k-- > 0;) {
        int i = p->order[k], up = node[i].parent;
        if (p->tallest < p->height[i])
            p->tallest = p->height[i];
        if (up < 0)
            continue;
        p->size[up] += p->size[i];
        if (p->height[up] <= p->height[i])
            p->height[up] = p->height[i] + 1;
    }
}

// The root of a subtree that goes to a part of its own.
static bool is_cut(const Plan *p, int i) {
    int up = p->net->node[i].parent;
    return up >= 0 && p->size[i] <= SUBTREE && p->size[up] > SUBTREE;
}

// Parts take subtrees in order until they are full; −1 is the middle.
static void cut_into_parts(Plan *p) {
    const StiffNode *node = p->net->node;
    int n = p->net->nodes, filled = 0;
    bool whole = n <= 2 * PART;
    for (int k = 0; k < n; ++k) {
        int i = p->order[k], up = node[i].parent;
        if (whole || up < 0 || (p->part[up] < 0 && !is_cut(p, i))) {
            p->part[i] = -1;
        } else if (p->part[up] >= 0) {
            p->part[i] = p->part[up];
        } else {
            if (p->parts == 0 || filled >= PART) {
                p->parts += 1;
                filled = 0;
            }
            filled += p->size[i];
            p->part[i] = p->parts - 1;
        }
    }
    for (int i = 0; i < n; ++i)
        if (p->part[i] < 0)
            p->part[i] = p->parts;
    p->parts += 1;
}

static bool exports(const Plan *p, int i) {
    int up = p->net->node[i].parent;
    return up >= 0 && p->part[up] != p->part[i];
}

// Stable counting sorts: by height, and then by part. What is exported comes after all heights.
static void sort_nodes(Plan *p) {
    int n = p->net->nodes, levels = p->tallest + 2;
    for (int i = 0; i < n; ++i)
        if (exports(p, i))
            p->height[i] = p->tallest + 1;
    for (int pass = 0; pass < 2; ++pass) {
        int *count = p->bucket, keys = pass == 0 ? levels : p->parts;
        assert(keys <= n + 2);
        const int *from = pass == 0 ? p->order : p->by_height,
                  *key = pass == 0 ? p->height : p->part;
        int *to = pass == 0 ? p->by_height : p->sorted;
        memset(count, 0, (size_t)(keys + 1) * sizeof(int));
        for (int i = 0; i < n; ++i)
            count[key[i] + 1] += 1;
        for (int k = 0; k < keys; ++k)
            count[k + 1] += count[k];
        for (int k = 0; k < n; ++k)
            to[count[key[from[k]]]++] = from[k];
    }
}

static int rows_for(int count) { return (count + STIFF_LANES - 1) / STIFF_LANES; }

// A new row begins where part or height change, or the lanes are full.
static bool begins_row(const Plan *p, int k, int lane) {
    if (k == 0 || lane == STIFF_LANES)
        return true;
    int i = p->sorted[k], before = p->sorted[k - 1];
    return p->part[i] != p->part[before] || p->height[i] != p->height[before];
}

static int count_rows(const Plan *p) {
    int rows = 0, lane = 0;
    for (int k = 0; k < p->net->nodes; ++k, ++lane)
        if (begins_row(p, k, lane)) {
            rows += 1;
            lane = 0;
        }
    return rows;
}

static int put(Grove *g, int row, int lane, StiffRowKind kind) {
    assert(row >= 0 && row < g->rows && lane >= 0 && lane < STIFF_LANES);
    assert(g->row[row].count == lane);
    g->row[row].kind = (uint8_t)kind;
    g->row[row].count = (uint8_t)(lane + 1);
    return row * STIFF_LANES + lane;
}

static void place_nodes(const Plan *p, Grove *g, const StiffSlots *slots) {
    int row = -1, lane = 0, part = -1;
    for (int k = 0; k < p->net->nodes; ++k, ++lane) {
        int i = p->sorted[k];
        if (begins_row(p, k, lane)) {
            row += 1;
            lane = 0;
        }
        while (part < p->part[i]) {
            if (part >= 0)
                g->parts[part].end = row;
            part += 1;
            g->parts[part].begin = g->parts[part].exports = row;
        }
        if (!exports(p, i))
            g->parts[part].exports = row + 1;
        slots->node[i] = put(g, row, lane, ROW_JOINT);
        if (slots->order)
            slots->order[k] = i;
    }
    if (part >= 0)
        g->parts[part].end = g->parts[part].exports = row + 1;
    assert(row + 1 == g->prop_begin);
}

static void place_others(Grove *g, int first, int count, StiffRowKind kind, int *slots) {
    for (int k = 0; k < count; ++k)
        slots[k] = put(g, first + k / STIFF_LANES, k % STIFF_LANES, kind);
}

static void set_parents(const Plan *p, Grove *g, const StiffSlots *slots) {
    const StiffNet *net = p->net;
    for (int i = 0; i < net->nodes; ++i) {
        const StiffNode *node = &net->node[i];
        int at = slots->node[i], up;
        if (node->parent >= 0)
            up = slots->node[node->parent];
        else
            up = node->root >= 0 ? slots->still[node->root] : slots->loose[~node->root];
        g->row[at / STIFF_LANES].parent[at % STIFF_LANES] = up;
    }
    for (int k = 0; k < net->props; ++k) {
        int at = slots->prop[k];
        g->row[at / STIFF_LANES].parent[at % STIFF_LANES] = slots->node[net->prop_parent[k]];
    }
}

// Segments that somebody hangs on, or that a prop holds.
static void mark_laden(Grove *g) {
    for (int r = 0; r < g->rows; ++r)
        g->row[r].laden = 0;
    for (int r = 0; r < g->still_begin; ++r)
        for (int i = 0; i < g->row[r].count; ++i) {
            int up = g->row[r].parent[i];
            g->row[up / STIFF_LANES].laden |= (uint8_t)(1 << up % STIFF_LANES);
        }
}

// Lanes that are not in use have the parents that would keep the row aligned.
static void align_rows(Grove *g) {
    for (int r = 0; r < g->still_begin; ++r) {
        StiffRow *row = &g->row[r];
        int up = row->parent[0] / STIFF_LANES;
        bool aligned = true;
        for (int i = 0; i < row->count; ++i)
            aligned = aligned && row->parent[i] == up * STIFF_LANES + i;
        for (int i = row->count; i < STIFF_LANES; ++i)
            row->parent[i] = up * STIFF_LANES + i;
        row->aligned = aligned ? up : -1;
    }
    for (int r = 0; r < g->rows; ++r)
        g->row[r].straight = true;
    for (int r = 0; r < g->still_begin; ++r)
        for (int i = 0; i < g->row[r].count && g->row[r].aligned < 0; ++i)
            g->row[g->row[r].parent[i] / STIFF_LANES].straight = false;
}

// Nothing moves them, and they add nothing to their parents.
static void clear_rows(Grove *g, bool fresh) {
    size_t n = fresh ? 0 : (size_t)g->rows; // fresh memory is 0
    memset(g->row, 0, n * sizeof(StiffRow));
    memset(g->state, 0, n * sizeof(StiffState));
    memset(g->rest, 0, n * sizeof(StiffRest));
    memset(g->motion, 0, n * sizeof(StiffMotion));
    memset(g->loads, 0, n * sizeof(StiffLoads));
    for (int r = 0; r < g->rows; ++r)
        for (int i = 0; i < STIFF_LANES; ++i) {
            g->state[r].qw[i] = g->motion[r].qw[i] = 1.0;
            g->rest[r].i1[i] = g->rest[r].i2[i] = g->rest[r].i3[i] = 1.0;
            g->rest[r].uw[i] = g->rest[r].sign[i] = 1.0;
        }
}

bool sn__grove_schedule(const SnAllocator *allocator, Grove *g, const StiffNet *net,
                        const StiffSlots *slots) {
    Plan p;
    if (!plan_create(allocator, &p, net))
        return false;
    order_nodes(&p);
    measure_subtrees(&p);
    cut_into_parts(&p);
    sort_nodes(&p);
    int joints = count_rows(&p), props = rows_for(net->props);
    int rows = joints + props + rows_for(net->stills) + rows_for(net->looses);
    bool fresh = rows > g->row_capacity;
    bool reserved = sn__grove_reserve(allocator, g, rows > 0 ? rows : 1, p.parts);
    if (reserved) {
        g->rows = rows;
        g->part_count = p.parts;
        g->prop_begin = joints;
        g->still_begin = joints + props;
        g->loose_begin = g->still_begin + rows_for(net->stills);
        clear_rows(g, fresh);
        memset(g->parts, 0, (size_t)p.parts * sizeof(StiffPart));
        place_nodes(&p, g, slots);
        place_others(g, joints, net->props, ROW_PROP, slots->prop);
        place_others(g, g->still_begin, net->stills, ROW_STILL, slots->still);
        place_others(g, g->loose_begin, net->looses, ROW_LOOSE, slots->loose);
        set_parents(&p, g, slots);
        mark_laden(g);
        align_rows(g);
    }
    sn__free(allocator, p.block, p.bytes);
    return reserved;
}
