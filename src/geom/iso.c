#include "geom/iso.h"
#include "base/null.h"

#include <string.h>

#include "sinew/model.h"

#define ISO_COOKIE 0x534e4953u
#define MIN_TRIANGLES 100
#define MAX_TRIANGLES 10000000
#define MAX_ROUNDS 20000 // of smoothing
#define MAX_EDGES (1 << 22)
// Of a first, coarse mesh, which tells how large the surface is.
#define TRIAL_TRIANGLES 20000
#define TRIALS 8
// The surface may be so far from the number of triangles that was asked for.
#define TOLERANCE 0.06

SnIsoDef sn_default_iso_def(void) {
    SnIsoDef def = {0};
    def.cookie = ISO_COOKIE;
    def.triangles = 12000;
    def.blend = SN_DERIVED;
    return def;
}

static SnResult check_graph(const SnIsoDef *def) {
    if (def->edges == NULL || def->edge_count < 1 || def->edge_count > MAX_EDGES)
        return sn_error(SN_ERROR_INVALID, "iso mesh: edge_count: %d is not in [1, %d]",
                        def->edges ? def->edge_count : 0, MAX_EDGES);
    if (def->positions == NULL || def->radii == NULL || def->vertex_count < 1)
        return sn_error(SN_ERROR_INVALID,
                        "iso mesh: vertex_count: %d vertices with positions and radii are needed",
                        def->vertex_count);
    for (int i = 0; i < def->vertex_count; ++i) {
        if (!sn__within3(def->positions[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "iso mesh: positions[%d] is not within %g m", i,
                            (double)SN_MAX_POSITION);
        if (!(def->radii[i] > 0.0f && def->radii[i] <= SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "iso mesh: radii[%d]: %g m is not in (0, %g]", i,
                            (double)def->radii[i], (double)SN_MAX_POSITION);
    }
    for (int i = 0; i < 2 * def->edge_count; ++i)
        if (def->edges[i] < 0 || def->edges[i] >= def->vertex_count)
            return sn_error(SN_ERROR_INVALID, "iso mesh: edges[%d]: vertex %d is not in [0, %d)", i,
                            def->edges[i], def->vertex_count);
    return sn_ok();
}

static SnResult check_def(const SnIsoDef *def) {
    if (def == NULL || def->cookie != ISO_COOKIE)
        return sn__no_def(def, "iso mesh", "sn_default_iso_def");
    if (def->triangles < MIN_TRIANGLES || def->triangles > MAX_TRIANGLES)
        return sn_error(SN_ERROR_INVALID, "iso mesh: triangles: %d is not in [%d, %d]",
                        def->triangles, MIN_TRIANGLES, MAX_TRIANGLES);
    if (!(def->blend <= SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "iso mesh: blend: %g m is not a length",
                        (double)def->blend);
    if (!(def->grow >= 0.0f && def->grow <= SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "iso mesh: grow: %g m is not in [0, %g]",
                        (double)def->grow, (double)SN_MAX_POSITION);
    if (!(def->close >= 0.0f && def->close <= SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "iso mesh: close: %g m is not in [0, %g]",
                        (double)def->close, (double)SN_MAX_POSITION);
    if (!(def->smooth >= 0.0f && def->smooth <= SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "iso mesh: smooth: %g m is not in [0, %g]",
                        (double)def->smooth, (double)SN_MAX_POSITION);
    return check_graph(def);
}

// What the pills tell before the surface is known.
typedef struct Outline {
    Vec3d low, high;
    double area;     // of all pills, overlaps and all
    double thinnest; // radius that must not be lost between the points of a grid
    double smallest; // radius of all
} Outline;

static Pill pill_of(const SnIsoDef *def, int edge, Vec3d centre) {
    int a = def->edges[2 * edge], b = def->edges[2 * edge + 1];
    return (Pill){subd(vec3d(def->positions[a]), centre), subd(vec3d(def->positions[b]), centre),
                  (double)def->radii[a], (double)def->radii[b]};
}

static void include(Outline *o, Vec3d x, double reach) {
    o->low = (Vec3d){fmin(o->low.x, x.x - reach), fmin(o->low.y, x.y - reach),
                     fmin(o->low.z, x.z - reach)};
    o->high = (Vec3d){fmax(o->high.x, x.x + reach), fmax(o->high.y, x.y + reach),
                      fmax(o->high.z, x.z + reach)};
}

// Edges that meet at a vertex where no others do are a chain, with the number of its first edge.
typedef struct Chains {
    int *degree; // of every vertex, its edges
    int *last;   // of every vertex, the last of them that was seen, from 1 on
    int *number; // of every edge
    int *place;  // of chains, where their pills lie
} Chains;

static int chain_of(const Chains *c, int edge) {
    while (c->number[edge] != edge)
        edge = c->number[edge] = c->number[c->number[edge]];
    return edge;
}

static void find_chains(const SnIsoDef *def, const Chains *c) {
    for (int i = 0; i < 2 * def->edge_count; ++i)
        ++c->degree[def->edges[i]];
    for (int i = 0; i < def->edge_count; ++i) {
        c->number[i] = i;
        for (int end = 0; end < 2; ++end) {
            int vertex = def->edges[2 * i + end];
            if (c->degree[vertex] == 2 && c->last[vertex] > 0) {
                int a = chain_of(c, i), b = chain_of(c, c->last[vertex] - 1);
                c->number[a > b ? a : b] = a > b ? b : a;
            }
            c->last[vertex] = i + 1;
        }
    }
}

// Chain after chain.
static void place_pills(const SnIsoDef *def, const Chains *c, Vec3d centre, BlendPill *pills) {
    for (int i = 0; i < def->edge_count; ++i)
        ++c->place[chain_of(c, i)];
    for (int i = 0, sum = 0; i < def->edge_count; ++i) {
        int count = c->place[i];
        c->place[i] = sum;
        sum += count;
    }
    for (int i = 0; i < def->edge_count; ++i) {
        int chain = chain_of(c, i);
        Pill pill = pill_of(def, i, centre);
        BlendPill *placed = &pills[c->place[chain]++];
        *placed = sn__blend_pill(&pill);
        placed->chain = chain;
    }
}

// `degree` has the number of edges of every vertex. A thin end may be cut off, a thin waist may not.
static Outline outline_of(const SnIsoDef *def, const int *degree, Vec3d centre) {
    Outline o = {
        {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0.0, INFINITY, INFINITY};
    double grow = (double)def->grow + (double)def->close;
    for (int i = 0; i < def->edge_count; ++i) {
        Pill p = pill_of(def, i, centre);
        include(&o, p.a, p.radius_a);
        include(&o, p.b, p.radius_b);
        double large = fmax(p.radius_a, p.radius_b), small = fmin(p.radius_a, p.radius_b);
        double length = lengthd(subd(p.b, p.a));
        o.area += 3.14 * (p.radius_a + p.radius_b + 2.0 * grow) * (length + large + grow);
        o.smallest = fmin(o.smallest, small);
        o.thinnest = fmin(o.thinnest, large + grow);
        for (int end = 0; end < 2; ++end)
            if (degree[def->edges[2 * i + end]] > 1)
                o.thinnest = fmin(o.thinnest, (end ? p.radius_b : p.radius_a) + grow);
    }
    return o;
}

static SnResult no_memory(int triangles) {
    return sn_error(SN_ERROR_MEMORY, "iso mesh: no memory for %d triangles", triangles);
}

// Cells of the size that makes as many triangles as were asked for, or more where the pills are so
// thin that larger cells would tear them.
static SnResult choose_cells(const SnIsoDef *def, const Outline *o, IsoCells *cells) {
    double reach = cells->grow + cells->blend.width;
    Vec3d around = {reach, reach, reach}, low = subd(o->low, around), high = addd(o->high, around);
    Vec3d size = subd(high, low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    double goal = fmin(def->triangles, TRIAL_TRIANGLES);
    // A surface of area A crosses about 1.5 A / cell² edges of the grid.
    double cell = fmin(sqrt(3.0 * o->area / goal), o->thinnest);
    for (int trial = 0; trial < TRIALS; ++trial) {
        if (longest / cell > 0.9 * ISO_MAX_CELLS)
            return sn_error(SN_ERROR_LIMIT,
                            "iso mesh: triangles: %d need cells of %g m, too small for %g m",
                            def->triangles, cell, longest);
        if (!sn__iso_find_cells(cells, low, high, cell))
            return no_memory(def->triangles);
        double ratio = 2.0 * cells->edge_count / def->triangles;
        bool done = fabs(ratio - 1.0) < TOLERANCE || (ratio > 1.0 && cell >= o->thinnest);
        if (done)
            break;
        cell = fmin(cell * fmax(sqrt(ratio), 0.01), o->thinnest);
    }
    return sn_ok();
}

static void write_triangle(SnMesh *mesh, int a, int b, int c) {
    uint32_t *t = mesh->triangles + 3 * mesh->triangle_count++;
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

static double span(const IsoQuads *q, int a, int b) {
    return lengthd(subd(q->positions[a], q->positions[b]));
}

// Quads are cut along the shorter diagonal.
static SnResult write_mesh(const IsoQuads *q, Vec3d centre, SnMesh *out) {
    SnMesh m = {.vertex_count = q->vertex_count, .allocator = q->allocator};
    size_t vertices = (size_t)q->vertex_count, triangles = 2 * (size_t)q->quad_count;
    m.size = vertices * 2 * sizeof(SnVec3) + triangles * 3 * sizeof(uint32_t);
    m.positions = sn__alloc(&m.allocator, m.size);
    if (m.positions == NULL)
        return no_memory(2 * q->quad_count);
    m.normals = m.positions + vertices;
    m.triangles = (uint32_t *)(m.normals + vertices);
    for (int i = 0; i < q->quad_count; ++i) {
        const int *v = q->quads[i];
        int turn = span(q, v[1], v[3]) < span(q, v[0], v[2]);
        write_triangle(&m, v[turn], v[1 + turn], v[2 + turn]);
        write_triangle(&m, v[turn], v[2 + turn], v[(3 + turn) % 4]);
    }
    for (int i = 0; i < q->vertex_count; ++i) {
        Vec3d x = addd(q->positions[i], centre), n = q->normals[i];
        m.positions[i] = sn_vec3((float)x.x, (float)x.y, (float)x.z);
        m.normals[i] = sn_vec3((float)n.x, (float)n.y, (float)n.z);
    }
    *out = m;
    return sn_ok();
}

static void take_back(IsoQuads *q, double way) {
    for (int i = 0; i < q->vertex_count; ++i)
        q->positions[i] = subd(q->positions[i], scaled(q->normals[i], way));
}

static SnResult finish(const SnIsoDef *def, Vec3d centre, IsoQuads *quads, SnMesh *out_mesh) {
    double rounds = sn__iso_rounds(quads, (double)def->smooth);
    if (rounds > MAX_ROUNDS)
        return sn_error(SN_ERROR_LIMIT,
                        "iso mesh: smooth: %g m is too much for triangles so small; with fewer of "
                        "them, or for less, it can be done",
                        (double)def->smooth);
    if (!sn__iso_smooth(quads, (int)rounds))
        return no_memory(2 * quads->quad_count);
    if (def->close > 0.0f)
        take_back(quads, (double)def->close);
    return write_mesh(quads, centre, out_mesh);
}

static SnResult mesh_cells(const SnIsoDef *def, IsoCells *cells, Vec3d centre, SnMesh *out_mesh) {
    IsoQuads quads;
    bool complete = sn__iso_make_quads(cells, &quads) && sn__iso_relax(cells, &quads);
    SnResult result =
        complete ? finish(def, centre, &quads, out_mesh) : no_memory(2 * cells->edge_count);
    sn__iso_free_quads(&quads);
    return result;
}

SnResult sn_iso_mesh(const SnIsoDef *def, const SnAllocator *allocator, SnMesh *out_mesh) {
    if (out_mesh == NULL)
        return sn__null("iso mesh: out_mesh");
    memset(out_mesh, 0, sizeof *out_mesh);
    SnResult result = check_def(def);
    if (result.code != SN_OK)
        return result;
    SnAllocator a = allocator ? *allocator : sn__default_allocator();
    // Relative to one of its points, so that far away costs no digits.
    Vec3d centre = vec3d(def->positions[def->edges[0]]);
    size_t vertices = (size_t)def->vertex_count, edges = (size_t)def->edge_count;
    int *numbers = sn__alloc_array(&a, 2 * (vertices + edges), sizeof *numbers);
    BlendPill *pills = sn__alloc_array(&a, edges, sizeof *pills);
    if (numbers && pills) {
        Chains chains = {numbers, numbers + vertices, numbers + 2 * vertices,
                         numbers + 2 * vertices + edges};
        find_chains(def, &chains);
        place_pills(def, &chains, centre, pills);
        Outline outline = outline_of(def, chains.degree, centre);
        double blend = def->blend < 0.0f ? 0.5 * outline.smallest : (double)def->blend;
        // In a crease at a right angle the union is a quarter of the width outside the pills.
        IsoCells cells = {.allocator = a,
                          .blend = {pills, 4.0 * blend},
                          .pill_count = def->edge_count,
                          .grow = (double)def->grow + (double)def->close};
        result = choose_cells(def, &outline, &cells);
        if (result.code == SN_OK)
            result = mesh_cells(def, &cells, centre, out_mesh);
        sn__iso_free_cells(&cells);
    } else {
        result = no_memory(def->triangles);
    }
    sn__free(&a, numbers, 2 * (vertices + edges) * sizeof *numbers);
    sn__free(&a, pills, edges * sizeof *pills);
    return result;
}

void sn_mesh_destroy(SnMesh *mesh) {
    if (mesh == NULL)
        return;
    sn__free(&mesh->allocator, mesh->positions, mesh->size);
    memset(mesh, 0, sizeof *mesh);
}
