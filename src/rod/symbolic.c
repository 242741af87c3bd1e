#include "rod/symbolic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// While a plan is made, groups are known by their place in the order of elimination. X, S and T of
// the graph are numbered vertex by vertex, vertex by vertex and segment by segment.
typedef struct Maker {
    const SnAllocator *allocator;
    const RodGraph *graph;
    int groups, cliques, stations;
    int *order; // of a group of the graph
    int *size;  // unknowns of a group, and so on, by place
    int *unknown;
    int *station;
    int *begin;   // of the groups that it will be coupled with, all of them behind it
    int *child;   // the first group whose first coupling it is, + 1
    int *sibling; // the next one
    int *clique;  // the first set of groups that an element couples and that begins with it, + 1
    int *next;    // of a clique
    int *seen;    // the last group that had it, + 1
    int *list;    // what `begin` points into
    int count, capacity;
    size_t bytes;
    void *block;
} Maker;

enum { LARGEST_CLIQUE = 5 };
#define CHAIN_UPDATES 183.0 // multiplications per station

static int x_of(int vertex) { return vertex; }
static int s_of(const RodGraph *g, int vertex) { return g->vertices + vertex; }
static int t_of(const RodGraph *g, int segment) { return 2 * g->vertices + segment; }

// An element couples all unknowns of a segment, and of a joint the turns with one scale, and three
// scales with each other.
static int clique_of(const Maker *m, int k, int out[LARGEST_CLIQUE]) {
    const RodGraph *g = m->graph;
    int count = 0;
    if (k < g->segments) {
        for (int e = 0; e < 2; ++e) {
            out[count++] = m->order[x_of(g->edge[k][e])];
            out[count++] = m->order[s_of(g, g->edge[k][e])];
        }
        out[count++] = m->order[t_of(g, k)];
        return count;
    }
    const GraphJoint *joint = &g->joint[(k - g->segments) / 2];
    bool turns = (k - g->segments) % 2 == 0;
    out[count++] = m->order[s_of(g, joint->vertex)];
    out[count++] = m->order[turns ? t_of(g, joint->p) : s_of(g, joint->far_p)];
    out[count++] = m->order[turns ? t_of(g, joint->a) : s_of(g, joint->far_a)];
    return count;
}

static size_t lay_out_maker(Maker *m, void *block) {
    Layout layout = {block, 0};
    size_t n = (size_t)m->groups;
    m->order = sn__lay(&layout, n, sizeof(int));
    m->size = sn__lay(&layout, n, sizeof(int));
    m->unknown = sn__lay(&layout, n, sizeof(int));
    m->station = sn__lay(&layout, n, sizeof(int));
    m->begin = sn__lay(&layout, n + 1, sizeof(int));
    m->child = sn__lay(&layout, n, sizeof(int));
    m->sibling = sn__lay(&layout, n, sizeof(int));
    m->clique = sn__lay(&layout, n, sizeof(int));
    m->seen = sn__lay(&layout, n, sizeof(int));
    m->next = sn__lay(&layout, (size_t)m->cliques, sizeof(int));
    return layout.used;
}

static bool begin_maker(Maker *m) {
    m->bytes = lay_out_maker(m, NULL);
    m->block = sn__alloc(m->allocator, m->bytes);
    if (m->block == NULL)
        return false;
    lay_out_maker(m, m->block);
    return true;
}

static void end_maker(Maker *m) {
    sn__free(m->allocator, m->block, m->bytes);
    sn__free(m->allocator, m->list, (size_t)m->capacity * sizeof(int));
}

static int put(Maker *m, int place, int group, int size) {
    assert(place < m->groups && (size == 1 || size == 3));
    m->order[group] = place;
    m->size[place] = size;
    m->station[place] = m->stations;
    m->unknown[place] = place > 0 ? m->unknown[place - 1] + m->size[place - 1] : 0;
    return place + 1;
}

static void find_order(Maker *m) {
    const RodGraph *g = m->graph;
    int place = 0;
    for (int k = g->segments; k-- > 0; ++m->stations) {
        const GraphStep *step = &g->walk[k];
        if (!step->closes)
            place = put(m, place, x_of(step->to), 3);
        place = put(m, place, t_of(g, step->segment), 3);
        if (!step->closes)
            place = put(m, place, s_of(g, step->to), 1);
    }
    place = put(m, place, x_of(g->walk[0].from), 3);
    place = put(m, place, s_of(g, g->walk[0].from), 1);
    m->stations += 1;
    assert(place == m->groups);
}

static void find_cliques(Maker *m) {
    for (int k = 0; k < m->cliques; ++k) {
        int group[LARGEST_CLIQUE], count = clique_of(m, k, group), first = group[0];
        for (int i = 1; i < count; ++i)
            first = group[i] < first ? group[i] : first;
        m->next[k] = m->clique[first];
        m->clique[first] = k + 1;
    }
}

static bool see(Maker *m, int place, int other) {
    assert(other >= place && other < m->groups);
    if (other == place || m->seen[other] == place + 1)
        return true;
    m->seen[other] = place + 1;
    if (!sn__reserve(m->allocator, (void **)&m->list, &m->capacity, m->count, sizeof(int)))
        return false;
    m->list[m->count++] = other;
    return true;
}

static int by_place(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// What a group is coupled with when its turn comes: by its elements, and by what those that are gone
// have left behind.
static bool find_couplings(Maker *m, int place) {
    bool ok = true;
    m->begin[place] = m->count;
    for (int k = m->clique[place]; k != 0; k = m->next[k - 1]) {
        int group[LARGEST_CLIQUE], count = clique_of(m, k - 1, group);
        for (int i = 0; i < count && ok; ++i)
            ok = see(m, place, group[i]);
    }
    for (int c = m->child[place]; c != 0 && ok; c = m->sibling[c - 1])
        for (int i = m->begin[c - 1]; i < m->begin[c] && ok; ++i)
            ok = see(m, place, m->list[i]);
    int count = m->count - m->begin[place];
    m->begin[place + 1] = m->count;
    if (!ok || count == 0)
        return ok;
    int *list = m->list + m->begin[place];
    qsort(list, (size_t)count, sizeof(int), by_place);
    m->sibling[place] = m->child[list[0]];
    m->child[list[0]] = place + 1;
    return true;
}

static bool is_last_of_station(const Maker *m, int place) {
    return place + 1 == m->groups || m->station[place + 1] != m->station[place];
}

// Its unknowns and those behind it, the sum of which is the width of its rows.
static int width_at(const Maker *m, int last, int *own) {
    int width = 0;
    for (int p = last; p >= 0 && m->station[p] == m->station[last]; --p)
        width += m->size[p];
    *own = width;
    for (int i = m->begin[last]; i < m->begin[last + 1]; ++i)
        width += m->size[m->list[i]];
    return width;
}

static size_t lay_out(RodSymbolic *p, const RodGraph *g, void *block) {
    Layout layout = {block, 0};
    size_t v = (size_t)g->vertices, n = (size_t)g->segments, k = (size_t)g->joints;
    p->station = sn__lay(&layout, (size_t)p->stations, sizeof(SymbolicStation));
    p->behind = sn__lay(&layout, (size_t)p->behinds, sizeof(SymbolicGroup));
    p->target = sn__lay(&layout, (size_t)p->targets, sizeof(int));
    p->x = sn__lay(&layout, v, sizeof(int));
    p->s = sn__lay(&layout, v, sizeof(int));
    p->t = sn__lay(&layout, n, sizeof(int));
    p->clear_order = sn__lay(&layout, (size_t)p->stations, sizeof(int));
    p->segment_order = sn__lay(&layout, n, sizeof(int));
    p->joint_order = sn__lay(&layout, k, sizeof(int));
    p->segment = sn__lay(&layout, n, sizeof p->segment[0]);
    p->joint = sn__lay(&layout, k, sizeof p->joint[0]);
    return layout.used;
}

static bool reserve(const SnAllocator *allocator, RodSymbolic *p, const RodGraph *g) {
    p->bytes = lay_out(p, g, NULL);
    p->block = sn__alloc(allocator, p->bytes);
    if (p->block == NULL)
        return false;
    lay_out(p, g, p->block);
    return true;
}

// What belongs to a station, whose last group is `last`.
static void fill_station(const Maker *m, RodSymbolic *p, int last) {
    SymbolicStation *s = &p->station[m->station[last]], *before = s - 1;
    bool first = m->station[last] == 0;
    s->width = width_at(m, last, &s->count);
    s->first = m->unknown[last] + m->size[last] - s->count;
    s->at = first ? 0 : before->at + before->count * before->width;
    s->behind = first ? 0 : before->behind + before->behind_count;
    s->behind_count = m->begin[last + 1] - m->begin[last];
    s->targets =
        first ? 0 : before->targets + before->behind_count * (before->behind_count + 1) / 2;
    int column = s->count;
    for (int i = 0; i < s->behind_count; ++i) {
        int place = m->list[m->begin[last] + i];
        p->behind[s->behind + i] =
            (SymbolicGroup){.unknown = m->unknown[place], .size = m->size[place], .column = column};
        column += m->size[place];
    }
    // X, T and S of a station see ever more of what is behind it.
    for (int own = last; own >= 0 && m->station[own] == m->station[last]; --own) {
        int i = 0;
        for (int k = m->begin[own]; k < m->begin[own + 1]; ++k) {
            while (i < s->behind_count && p->behind[s->behind + i].unknown < m->unknown[m->list[k]])
                ++i;
            if (i < s->behind_count && p->behind[s->behind + i].unknown == m->unknown[m->list[k]])
                p->behind[s->behind + i].from = m->unknown[own] - s->first;
        }
    }
}

static int column_of(const RodSymbolic *p, const SymbolicStation *s, int unknown) {
    assert(unknown >= s->first && unknown < p->unknowns);
    if (unknown < s->first + s->count)
        return unknown - s->first;
    int low = s->behind, high = s->behind + s->behind_count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->behind[middle].unknown < unknown)
            low = middle + 1;
        else
            high = middle;
    }
    assert(s->behind_count > 0 && p->behind[low].unknown == unknown);
    return p->behind[low].column;
}

// Where groups of the graph are coupled.
static SymbolicBlock place_of(const Maker *m, const RodSymbolic *p, int a, int b) {
    int row = m->order[a], column = m->order[b];
    bool turned = row > column;
    if (turned) {
        row = m->order[b];
        column = m->order[a];
    }
    const SymbolicStation *s = &p->station[m->station[row]];
    int at = s->at + (m->unknown[row] - s->first) * s->width + column_of(p, s, m->unknown[column]);
    return (SymbolicBlock){at, turned ? 1 : s->width, turned ? s->width : 1};
}

static void fill_targets(const Maker *m, RodSymbolic *p, int last) {
    SymbolicStation *s = &p->station[m->station[last]];
    const int *place = m->list + m->begin[last];
    int *target = p->target + s->targets;
    for (int i = 0; i < s->behind_count; ++i) {
        const SymbolicStation *to = &p->station[m->station[place[i]]];
        int row = to->at + (m->unknown[place[i]] - to->first) * to->width;
        p->behind[s->behind + i].width = to->width;
        for (int j = i; j < s->behind_count; ++j)
            *target++ = row + column_of(p, to, m->unknown[place[j]]);
    }
}

static double updates_at(const RodSymbolic *p, const SymbolicStation *s) {
    double sum = 0.0;
    for (int i = s->behind; i < s->behind + s->behind_count; ++i)
        for (int j = i; j < s->behind + s->behind_count; ++j) {
            const SymbolicGroup *a = &p->behind[i], *b = &p->behind[j];
            int rows = s->count - (a->from > b->from ? a->from : b->from);
            sum += (double)rows * a->size * b->size;
        }
    return sum;
}

static void fill_places(const Maker *m, RodSymbolic *p) {
    const RodGraph *g = m->graph;
    for (int j = 0; j < g->segments; ++j) {
        int a = g->edge[j][0], b = g->edge[j][1], T = t_of(g, j);
        int XA = x_of(a), SA = s_of(g, a), XB = x_of(b), SB = s_of(g, b);
        const int pairs[SEGMENT_PLACES][2] = {
            [XA_XA] = {XA, XA}, [XA_T] = {XA, T},   [XA_SA] = {XA, SA}, [XA_XB] = {XA, XB},
            [XA_SB] = {XA, SB}, [T_T] = {T, T},     [T_SA] = {T, SA},   [T_XB] = {T, XB},
            [T_SB] = {T, SB},   [SA_SA] = {SA, SA}, [SA_XB] = {SA, XB}, [SA_SB] = {SA, SB},
            [XB_XB] = {XB, XB}, [XB_SB] = {XB, SB}, [SB_SB] = {SB, SB}};
        for (int k = 0; k < SEGMENT_PLACES; ++k)
            p->segment[j][k] = place_of(m, p, pairs[k][0], pairs[k][1]);
        p->t[j] = m->unknown[m->order[T]];
    }
    for (int j = 0; j < g->joints; ++j) {
        const GraphJoint *joint = &g->joint[j];
        int TP = t_of(g, joint->p), TA = t_of(g, joint->a), SV = s_of(g, joint->vertex);
        int SP = s_of(g, joint->far_p), SA = s_of(g, joint->far_a);
        const int pairs[JOINT_PLACES][2] = {
            [TP_TP] = {TP, TP}, [TP_TA] = {TP, TA}, [TA_TA] = {TA, TA}, [TP_SV] = {TP, SV},
            [TA_SV] = {TA, SV}, [SP_SP] = {SP, SP}, [SP_SV] = {SP, SV}, [SP_SF] = {SP, SA},
            [SV_SV] = {SV, SV}, [SV_SF] = {SV, SA}, [SF_SF] = {SA, SA}};
        for (int k = 0; k < JOINT_PLACES; ++k)
            p->joint[j][k] = place_of(m, p, pairs[k][0], pairs[k][1]);
    }
    for (int i = 0; i < g->vertices; ++i) {
        p->x[i] = m->unknown[m->order[x_of(i)]];
        p->s[i] = m->unknown[m->order[s_of(g, i)]];
    }
}

// Elements are numbered as cliques are; of a joint, the first of its two.
static int first_station(const Maker *m, int element) {
    int first = m->groups;
    for (int k = 0; k < (element < m->graph->segments ? 1 : 2); ++k) {
        int group[LARGEST_CLIQUE], count = clique_of(m, element + k, group);
        for (int i = 0; i < count; ++i)
            first = group[i] < first ? group[i] : first;
    }
    return m->station[first];
}

// Sorts segments or joints by their first station. Leaves in m->child where those of a station end.
static void sort_elements(const Maker *m, int count, int first, int stride, int *order) {
    int *end = m->child;
    memset(end, 0, (size_t)m->groups * sizeof *end);
    for (int k = 0; k < count; ++k)
        end[first_station(m, first + stride * k)] += 1;
    for (int k = 0, sum = 0; k < m->stations; ++k) {
        int own = end[k];
        end[k] = sum;
        sum += own;
    }
    for (int k = 0; k < count; ++k)
        order[end[first_station(m, first + stride * k)]++] = k;
}

static int clear_once(const Maker *m, RodSymbolic *p, int clears, int station) {
    if (m->seen[station] == 0)
        p->clear_order[clears++] = station;
    m->seen[station] = 1;
    return clears;
}

static int clear_for_element(const Maker *m, RodSymbolic *p, int clears, int element) {
    for (int k = 0; k < (element < m->graph->segments ? 1 : 2); ++k) {
        int group[LARGEST_CLIQUE], count = clique_of(m, element + k, group);
        for (int i = 0; i < count; ++i)
            clears = clear_once(m, p, clears, m->station[group[i]]);
    }
    return clears;
}

// When rows are cleared and elements added to them. What m has found before is overwritten.
static void fill_assembly(const Maker *m, RodSymbolic *p) {
    const RodGraph *g = m->graph;
    sort_elements(m, g->segments, 0, 1, p->segment_order);
    for (int k = 0; k < p->stations; ++k)
        p->station[k].segments = m->child[k];
    sort_elements(m, g->joints, g->segments, 2, p->joint_order);
    for (int k = 0; k < p->stations; ++k)
        p->station[k].joints = m->child[k];
    memset(m->seen, 0, (size_t)m->groups * sizeof *m->seen);
    int last = -1;
    for (int k = 0, clears = 0, segment = 0, joint = 0; k < p->stations; ++k) {
        SymbolicStation *s = &p->station[k];
        clears = clear_once(m, p, clears, k);
        for (; segment < s->segments; ++segment)
            clears = clear_for_element(m, p, clears, p->segment_order[segment]);
        for (; joint < s->joints; ++joint)
            clears = clear_for_element(m, p, clears, g->segments + 2 * p->joint_order[joint]);
        while (!is_last_of_station(m, ++last)) {
        }
        for (int i = m->begin[last]; i < m->begin[last + 1]; ++i)
            clears = clear_once(m, p, clears, m->station[m->list[i]]);
        s->clears = clears;
    }
}

// Stations come in the order of the walk backwards.
static void fill_owners(const Maker *m, RodSymbolic *p) {
    const RodGraph *g = m->graph;
    for (int k = 0; k < g->segments; ++k) {
        const GraphStep *step = &g->walk[g->segments - 1 - k];
        p->station[k].vertex = step->closes ? -1 : step->to;
        p->station[k].segment = step->segment;
    }
    p->station[g->segments].vertex = g->walk[0].from;
    p->station[g->segments].segment = -1;
}

static void fill(const Maker *m, RodSymbolic *p) {
    for (int place = 0; place < m->groups; ++place)
        if (is_last_of_station(m, place))
            fill_station(m, p, place);
    for (int place = 0; place < m->groups; ++place)
        if (is_last_of_station(m, place))
            fill_targets(m, p, place);
    assert(p->station[p->stations - 1].first + p->station[p->stations - 1].count == p->unknowns);
    fill_places(m, p);
    fill_owners(m, p);
    fill_assembly(m, p);
    for (int k = 0; k < p->stations; ++k)
        p->cost += updates_at(p, &p->station[k]) / (CHAIN_UPDATES * m->graph->segments);
}

// Counts as far as the limits.
static bool measure(Maker *m, RodSymbolic *out, int most, bool *out_too_many) {
    for (int place = 0; place < m->groups; ++place) {
        if (!find_couplings(m, place))
            return false;
        if (!is_last_of_station(m, place))
            continue;
        int own, width = width_at(m, place, &own);
        int behind = m->begin[place + 1] - m->begin[place];
        long long targets = (long long)behind * (behind + 1) / 2;
        *out_too_many =
            out->numbers + (long long)own * width > most || out->targets + targets > MOST_TARGETS;
        if (*out_too_many)
            return true;
        out->numbers += own * width;
        out->unknowns += own;
        out->behinds += behind;
        out->targets += (int)targets;
    }
    out->stations = m->stations;
    return true;
}

bool sn__graph_analyse(const SnAllocator *allocator, RodGraph *graph, int most) {
    assert(most > 0 && most <= MOST_NUMBERS);
    if (graph->symbolic || graph->analysed >= most)
        return true;
    Maker m = {.allocator = allocator,
               .graph = graph,
               .groups = 2 * graph->vertices + graph->segments,
               .cliques = graph->segments + 2 * graph->joints};
    RodSymbolic symbolic = {0}, *kept = sn__alloc(allocator, sizeof symbolic);
    bool ok = kept && begin_maker(&m), too_many = false;
    if (ok) {
        find_order(&m);
        find_cliques(&m);
        ok = measure(&m, &symbolic, most, &too_many);
    }
    if (ok && !too_many && (ok = reserve(allocator, &symbolic, graph))) {
        fill(&m, &symbolic);
        *kept = symbolic;
        graph->symbolic = kept;
    }
    if (graph->symbolic == NULL)
        sn__free(allocator, kept, sizeof symbolic);
    graph->analysed = ok ? most : graph->analysed;
    end_maker(&m);
    return ok;
}

void sn__symbolic_destroy(const SnAllocator *allocator, RodSymbolic *symbolic) {
    if (symbolic == NULL)
        return;
    sn__free(allocator, symbolic->block, symbolic->bytes);
    sn__free(allocator, symbolic, sizeof *symbolic);
}
