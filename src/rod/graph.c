#include "rod/graph.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "rod/sections.h"
#include "rod/symbolic.h"

// Every vertex has an edge.
#define MAX_VERTICES (2 * SN_MAX_CREATURE_EDGES)

static SnResult check_counts(const SnRodDef *def, const char *name) {
    if (def->edges == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: edges: is NULL, but edge_count is %d", name,
                        def->edge_count);
    if (def->straight)
        return sn_error(SN_ERROR_INVALID, "%s: straight: is true, which a rod with edges cannot be",
                        name);
    if (def->closed)
        return sn_error(SN_ERROR_INVALID, "%s: closed: is true, which a rod with edges cannot be",
                        name);
    if (def->edge_count > SN_MAX_CREATURE_EDGES)
        return sn_error(SN_ERROR_LIMIT,
                        "%s: edge_count: %d segments are more than the %d that one rod takes", name,
                        def->edge_count, SN_MAX_CREATURE_EDGES);
    if (def->edge_count < def->vertex_count - 1 && def->sections == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: edge_count: %d cannot connect %d vertices", name,
                        def->edge_count, def->vertex_count);
    if (2 * def->edge_count < def->vertex_count && def->sections)
        return sn_error(SN_ERROR_INVALID, "%s: edge_count: %d edges do not reach %d vertices", name,
                        def->edge_count, def->vertex_count);
    return sn_ok();
}

// Edges by vertex, as lists through their two ends: end 2j is edges[j][0].
typedef struct Ends {
    int first[MAX_VERTICES], count[MAX_VERTICES]; // end + 1, 0: none
    int next[2 * SN_MAX_CREATURE_EDGES];
} Ends;

static SnResult add_edge(Ends *ends, const SnRodDef *def, const char *name, int j) {
    const int *edge = def->edges + 2 * j;
    for (int e = 0; e < 2; ++e)
        if (edge[e] < 0 || edge[e] >= def->vertex_count)
            return sn_error(SN_ERROR_INVALID, "%s: edges[%d]: vertex %d is not in [0, %d)", name, j,
                            edge[e], def->vertex_count);
    if (edge[0] == edge[1])
        return sn_error(SN_ERROR_INVALID, "%s: edges[%d]: goes from vertex %d to itself", name, j,
                        edge[0]);
    for (int at = ends->first[edge[0]]; at != 0; at = ends->next[at - 1])
        if (def->edges[(at - 1) ^ 1] == edge[1])
            return sn_error(SN_ERROR_INVALID, "%s: edges[%d]: joins the same vertices as edges[%d]",
                            name, j, (at - 1) / 2);
    for (int e = 0; e < 2; ++e) {
        int v = edge[e];
        if (++ends->count[v] > SN_MAX_BRANCHES)
            return sn_error(SN_ERROR_LIMIT, "%s: edges[%d]: vertex %d has more than %d edges", name,
                            j, v, SN_MAX_BRANCHES);
        ends->next[2 * j + e] = ends->first[v];
        ends->first[v] = 2 * j + e + 1;
    }
    return sn_ok();
}

// What the search for connected vertices goes on from.
typedef struct Reached {
    bool vertex[MAX_VERTICES], section[MAX_VERTICES];
    int list[MAX_VERTICES], count;
} Reached;

static void reach(Reached *reached, int vertex) {
    if (!reached->vertex[vertex])
        reached->list[reached->count++] = vertex;
    reached->vertex[vertex] = true;
}

// Edges connect vertices, and so do sections.
static SnResult check_connected(const Ends *ends, const SnRodDef *def, const char *name) {
    Reached reached;
    memset(&reached, 0, sizeof reached);
    reach(&reached, 0);
    for (int k = 0; k < reached.count; ++k) {
        for (int at = ends->first[reached.list[k]]; at != 0; at = ends->next[at - 1])
            reach(&reached, def->edges[(at - 1) ^ 1]);
        int section = def->sections ? def->sections[reached.list[k]] : -1;
        if (section < 0 || reached.section[section])
            continue;
        reached.section[section] = true;
        for (int i = 0; i < def->vertex_count; ++i)
            if (def->sections[i] == section)
                reach(&reached, i);
    }
    for (int i = 0; i < def->vertex_count; ++i)
        if (!reached.vertex[i])
            return sn_error(SN_ERROR_INVALID, "%s: edges: vertex %d is not connected to vertex 0",
                            name, i);
    return sn_ok();
}

SnResult sn__graph_check(const SnRodDef *def, const char *name) {
    SnResult result = check_counts(def, name);
    if (result.code == SN_OK)
        result = sn__sections_check(def, name);
    if (result.code != SN_OK)
        return result;
    Ends ends;
    memset(&ends, 0, sizeof ends);
    for (int j = 0; j < def->edge_count && result.code == SN_OK; ++j)
        result = add_edge(&ends, def, name, j);
    for (int i = 0; def->sections && i < def->vertex_count && result.code == SN_OK; ++i)
        if (ends.count[i] == 0)
            result = sn_error(SN_ERROR_INVALID, "%s: edges: vertex %d has none", name, i);
    return result.code == SN_OK ? check_connected(&ends, def, name) : result;
}

static int joint_count(const SnRodDef *def, int *branches) {
    for (int e = 0; e < 2 * def->edge_count; ++e)
        branches[def->edges[e]] += 1;
    int count = 0;
    for (int i = 0; i < def->vertex_count; ++i)
        count += branches[i] * (branches[i] - 1) / 2;
    return count;
}

static size_t lay_out(RodGraph *g, void *block) {
    Layout layout = {block, 0};
    size_t n = (size_t)g->segments, v = (size_t)g->vertices, k = (size_t)g->joints;
    g->edge = sn__lay(&layout, n, sizeof g->edge[0]);
    g->walk = sn__lay(&layout, n, sizeof(GraphStep));
    g->joint = sn__lay(&layout, k, sizeof(GraphJoint));
    g->incident_begin = sn__lay(&layout, v + 1, sizeof(int));
    g->incident = sn__lay(&layout, 2 * n, sizeof(int));
    g->joint_begin = sn__lay(&layout, v + 1, sizeof(int));
    g->section_begin = sn__lay(&layout, (size_t)g->sections + 1, sizeof(int));
    g->section_vertex = sn__lay(&layout, (size_t)g->section_members, sizeof(int));
    g->section_of = sn__lay(&layout, g->sections > 0 ? v : 0, sizeof(int));
    g->slice_begin = sn__lay(&layout, (size_t)g->sections + 1, sizeof(int));
    g->slice_segment = sn__lay(&layout, g->sections > 0 ? n : 0, sizeof(int));
    return layout.used;
}

static bool reserve(const SnAllocator *allocator, RodGraph *g) {
    g->bytes = lay_out(g, NULL);
    g->block = sn__alloc(allocator, g->bytes);
    if (g->block == NULL)
        return false;
    lay_out(g, g->block);
    return true;
}

static void fill_incident(RodGraph *g) {
    int *begin = g->incident_begin;
    for (int j = 0; j < g->segments; ++j)
        for (int e = 0; e < 2; ++e)
            begin[g->edge[j][e]] += 1;
    for (int i = 0, sum = 0; i <= g->vertices; ++i) {
        sum += begin[i];
        begin[i] = sum; // the end of the vertex's list, which is filled from there
    }
    for (int j = g->segments; j-- > 0;)
        for (int e = 0; e < 2; ++e)
            g->incident[--begin[g->edge[j][e]]] = j;
}

static int other_end(const RodGraph *g, int segment, int vertex) {
    const int *edge = g->edge[segment];
    assert(edge[0] == vertex || edge[1] == vertex);
    return edge[0] == vertex ? edge[1] : edge[0];
}

// The walk from the first vertex of a segment to all that edges connect it with.
typedef struct Walker {
    bool seen[MAX_VERTICES], taken[SN_MAX_CREATURE_EDGES];
    int steps, at; // `at`: the step from whose end the walk goes on
} Walker;

static void walk_from(RodGraph *g, Walker *w, int first) {
    int vertex = g->edge[first][0], before = -1;
    w->seen[vertex] = true;
    for (;;) {
        for (int e = g->incident_begin[vertex]; e < g->incident_begin[vertex + 1]; ++e) {
            int segment = g->incident[e], to = other_end(g, segment, vertex);
            if (w->taken[segment])
                continue;
            g->walk[w->steps++] = (GraphStep){.segment = segment,
                                              .from = vertex,
                                              .to = to,
                                              .before = before,
                                              .closes = w->seen[to]};
            if (before < 0)
                before = segment;
            w->seen[to] = w->taken[segment] = true;
        }
        do
            ++w->at;
        while (w->at < w->steps && g->walk[w->at].closes);
        if (w->at >= w->steps)
            break;
        vertex = g->walk[w->at].to;
        before = g->walk[w->at].segment;
    }
    w->at = w->steps - 1;
}

static void fill_walk(RodGraph *g) {
    Walker walker;
    memset(&walker, 0, sizeof walker);
    walker.at = -1;
    for (int j = 0; j < g->segments; ++j)
        if (!walker.taken[j])
            walk_from(g, &walker, j);
    assert(walker.steps == g->segments);
}

static void mark_ends(RodGraph *g) {
    bool left[MAX_VERTICES] = {false};
    for (int k = g->segments; k-- > 0;) {
        GraphStep *step = &g->walk[k];
        if (step->closes)
            continue;
        step->last = !left[step->from];
        left[step->from] = true;
        step->leaf = !left[step->to];
    }
}

// All pairs of the n segments at a vertex, in rounds of pairs that have no segment in common (the
// circle method for tournaments): the processor can then work on several at once.
static int fill_joints_at(RodGraph *g, int vertex, int joints) {
    const int *segment = g->incident + g->incident_begin[vertex];
    int n = g->incident_begin[vertex + 1] - g->incident_begin[vertex];
    int even = n + n % 2; // with an odd number, one sits out
    for (int round = 0; round < even - 1; ++round)
        for (int k = 0; k < even / 2; ++k) {
            int i = k == 0 ? even - 1 : (round + k) % (even - 1);
            int j = (round + even - 1 - k) % (even - 1);
            if (i >= n || j >= n)
                continue;
            assert(i != j && joints < g->joints);
            int p = segment[i < j ? i : j], a = segment[i < j ? j : i];
            g->joint[joints++] =
                (GraphJoint){p, a, vertex, other_end(g, p, vertex), other_end(g, a, vertex), n};
        }
    return joints;
}

RodGraph *sn__graph_create(const SnAllocator *allocator, const SnRodDef *def) {
    int branches[MAX_VERTICES] = {0};
    RodGraph *g = sn__alloc(allocator, sizeof *g);
    if (g == NULL)
        return NULL;
    g->vertices = def->vertex_count;
    g->segments = def->edge_count;
    g->joints = joint_count(def, branches);
    g->hash = sn__graph_hash(def);
    sn__sections_count(g, def);
    if (!reserve(allocator, g)) {
        sn__free(allocator, g, sizeof *g);
        return NULL;
    }
    memcpy(g->edge, def->edges, (size_t)g->segments * sizeof g->edge[0]);
    fill_incident(g);
    fill_walk(g);
    mark_ends(g);
    sn__sections_fill(g, def);
    int joints = 0;
    for (int i = 0; i < g->vertices; ++i)
        g->joint_begin[i + 1] = joints = fill_joints_at(g, i, joints);
    assert(joints == g->joints);
    return g;
}

void sn__graph_destroy(const SnAllocator *allocator, RodGraph *graph) {
    sn__symbolic_destroy(allocator, graph->symbolic);
    sn__free(allocator, graph->block, graph->bytes);
    sn__free(allocator, graph, sizeof *graph);
}

uint64_t sn__graph_hash(const SnRodDef *def) {
    uint64_t hash = sn__hash_bytes((uint64_t)def->vertex_count, def->edges,
                                   2 * (size_t)def->edge_count * sizeof(int));
    if (def->sections)
        hash = sn__hash_bytes(hash, def->sections, (size_t)def->vertex_count * sizeof(int));
    return hash;
}

bool sn__graph_fits(const RodGraph *graph, const SnRodDef *def, uint64_t hash) {
    return graph->hash == hash && graph->vertices == def->vertex_count &&
           graph->segments == def->edge_count &&
           memcmp(graph->edge, def->edges, 2 * (size_t)def->edge_count * sizeof(int)) == 0 &&
           sn__sections_fit(graph, def);
}
