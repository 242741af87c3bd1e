// The sparse factorisation against a dense one, on random graphs, rows, grids and single nodes.
#include "support.h"

#include "base/isa.h"
#include "math/sparse.h"

#define NODES 60
#define SIZE (NODES * SPARSE_SIZE)
#define EDGES 400

typedef struct Graph {
    int nodes, edges;
    int edge[EDGES][2];
} Graph;

static void add_edge(Graph *g, int a, int b) {
    if (a != b && g->edges < EDGES) {
        g->edge[g->edges][0] = a;
        g->edge[g->edges++][1] = b;
    }
}

static Graph random_graph(Rng *rng, int nodes, int edges) {
    Graph g = {.nodes = nodes};
    for (int k = 0; k < edges; ++k)
        add_edge(&g, (int)rng_real(rng, 0.0, nodes), (int)rng_real(rng, 0.0, nodes));
    return g;
}

static Graph grid_graph(int width, int height) {
    Graph g = {.nodes = width * height};
    for (int k = 0; k < g.nodes; ++k) {
        if (k % width + 1 < width)
            add_edge(&g, k, k + 1);
        if (k + width < g.nodes)
            add_edge(&g, k, k + width);
    }
    return g;
}

static double dense[SIZE][SIZE], right[SIZE], solution[SIZE];

// A sum of squares of random rows, one for each edge and six for each node.
static void random_matrix(Rng *rng, const Graph *g) {
    memset(dense, 0, sizeof dense);
    for (int e = -SPARSE_SIZE * g->nodes; e < SPARSE_SIZE * g->edges; ++e) {
        double row[SIZE] = {0};
        int count = e < 0 ? 1 : 2;
        int ends[2] = {-(e + 1) / SPARSE_SIZE, 0};
        if (e >= 0)
            memcpy(ends, g->edge[e / SPARSE_SIZE], sizeof ends);
        for (int k = 0; k < count; ++k)
            for (int c = 0; c < SPARSE_SIZE; ++c)
                row[ends[k] * SPARSE_SIZE + c] += rng_real(rng, -1.0, 1.0);
        for (int k = 0; k < count; ++k)
            for (int r = ends[k] * SPARSE_SIZE; r < (ends[k] + 1) * SPARSE_SIZE; ++r)
                for (int c = 0; c < g->nodes * SPARSE_SIZE; ++c)
                    dense[r][c] += row[r] * row[c];
    }
    for (int r = 0; r < g->nodes * SPARSE_SIZE; ++r) {
        dense[r][r] += 0.1;
        right[r] = rng_real(rng, -1.0, 1.0);
    }
}

static void fill_block(SparseBlock *block, int row, int column) {
    for (int c = 0; c < SPARSE_SIZE; ++c)
        for (int r = 0; r < SPARSE_SIZE; ++r)
            block->column[c][r] = dense[row * SPARSE_SIZE + r][column * SPARSE_SIZE + c];
}

static SparseBlock diagonal[NODES], below[NODES * NODES / 2];
static SparseVector vector[NODES];

static void fill(const Graph *g, const SparsePlan *plan) {
    memset(below, 0, sizeof below);
    for (int k = 0; k < g->nodes; ++k) {
        fill_block(&diagonal[plan->place[k]], k, k);
        memset(&vector[plan->place[k]], 0, sizeof vector[0]);
        memcpy(vector[plan->place[k]].x, right + k * SPARSE_SIZE, SPARSE_SIZE * sizeof(double));
    }
    for (int e = 0; e < g->edges; ++e) {
        int a = g->edge[e][0], b = g->edge[e][1];
        bool swapped = plan->place[a] > plan->place[b];
        fill_block(&below[sn__sparse_find(plan, plan->place[a], plan->place[b])], swapped ? a : b,
                   swapped ? b : a);
    }
}

static void check_residual(const Graph *g, const SparsePlan *plan) {
    for (int k = 0; k < g->nodes; ++k)
        memcpy(solution + k * SPARSE_SIZE, vector[plan->place[k]].x, SPARSE_SIZE * sizeof(double));
    for (int r = 0; r < g->nodes * SPARSE_SIZE; ++r) {
        double sum = 0.0, size = 0.0;
        for (int c = 0; c < g->nodes * SPARSE_SIZE; ++c) {
            sum += dense[r][c] * solution[c];
            size += fabs(dense[r][c] * solution[c]);
        }
        assert_near(sum, right[r], 1e-12 * (size + 1.0));
    }
}

// Right sides side by side, lane l with l + 1 times the first: each has its own solution, with the same bits everywhere.
static void check_lanes(const Graph *g, const SparsePlan *plan, const SparseKernels *kernels,
                        SparseBlock *first) {
    static SparseBlock lanes[NODES];
    for (int k = 0; k < g->nodes; ++k)
        for (int c = 0; c < SPARSE_SIZE; ++c)
            for (int l = 0; l < SPARSE_ROW; ++l)
                lanes[plan->place[k]].column[c][l] = (l + 1) * right[k * SPARSE_SIZE + c];
    kernels->solve_all(plan, diagonal, below, lanes);
    for (int l = 0; l < SPARSE_ROW; ++l) {
        for (int k = 0; k < g->nodes; ++k)
            for (int c = 0; c < SPARSE_SIZE; ++c)
                vector[k].x[c] = lanes[k].column[c][l] / (l + 1);
        check_residual(g, plan);
    }
    if (kernels == sn__sparse_kernels(SN_ISA_SCALAR))
        memcpy(first, lanes, sizeof lanes);
    assert_memory_equal(first, lanes, (size_t)g->nodes * sizeof *lanes);
}

static void check_graph(Rng *rng, const Graph *g) {
    SnAllocator allocator = sn__default_allocator();
    SparsePlan plan;
    bool crowded;
    assert_true(sn__sparse_plan(&allocator, g->nodes, g->edge, g->edges, 1 << 20, &plan, &crowded));
    random_matrix(rng, g);
    double first[SIZE];
    static SparseBlock first_lanes[NODES];
    for (int isa = SN_ISA_SCALAR; isa <= (int)sn__isa_best(); ++isa) {
        const SparseKernels *kernels = sn__sparse_kernels((SnIsa)isa);
        if (kernels == NULL)
            continue;
        fill(g, &plan);
        assert_true(kernels->factor(&plan, diagonal, below));
        kernels->solve(&plan, diagonal, below, vector);
        check_residual(g, &plan);
        if (isa == SN_ISA_SCALAR)
            memcpy(first, solution, sizeof first);
        assert_memory_equal(first, solution, (size_t)g->nodes * SPARSE_SIZE * sizeof(double));
        check_lanes(g, &plan, kernels, first_lanes);
    }
    sn__sparse_release(&allocator, &plan);
}

static void test_solves_what_a_dense_matrix_says(void **state) {
    (void)state;
    Rng rng = {7};
    for (int nodes = 1; nodes <= NODES; nodes += 1 + nodes / 3)
        for (int edges = 0; edges <= 4 * nodes; edges += 1 + nodes) {
            Graph g = random_graph(&rng, nodes, edges);
            check_graph(&rng, &g);
        }
    Graph grid = grid_graph(7, 8), row = grid_graph(NODES, 1);
    check_graph(&rng, &grid);
    check_graph(&rng, &row);
}

static void test_a_row_fills_nothing(void **state) {
    (void)state;
    SnAllocator allocator = sn__default_allocator();
    SparsePlan plan;
    bool crowded;
    Graph row = grid_graph(NODES, 1), grid = grid_graph(7, 8);
    assert_true(sn__sparse_plan(&allocator, row.nodes, row.edge, row.edges, 1000, &plan, &crowded));
    assert_int_equal(plan.blocks, NODES - 1);
    sn__sparse_release(&allocator, &plan);
    // The order of the file would fill 7 × 49 blocks.
    assert_true(
        sn__sparse_plan(&allocator, grid.nodes, grid.edge, grid.edges, 1000, &plan, &crowded));
    assert_true(plan.blocks < 260);
    sn__sparse_release(&allocator, &plan);
    assert_false(
        sn__sparse_plan(&allocator, grid.nodes, grid.edge, grid.edges, 100, &plan, &crowded));
    assert_true(crowded);
}

static void test_what_is_not_positive_is_told(void **state) {
    (void)state;
    SnAllocator allocator = sn__default_allocator();
    SparsePlan plan;
    bool crowded;
    Graph row = grid_graph(3, 1);
    Rng rng = {3};
    assert_true(sn__sparse_plan(&allocator, 3, row.edge, row.edges, 10, &plan, &crowded));
    random_matrix(&rng, &row);
    dense[8][8] = -1.0;
    fill(&row, &plan);
    assert_false(sn__sparse_kernels(SN_ISA_SCALAR)->factor(&plan, diagonal, below));
    sn__sparse_release(&allocator, &plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves_what_a_dense_matrix_says),
        cmocka_unit_test(test_a_row_fills_nothing),
        cmocka_unit_test(test_what_is_not_positive_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
