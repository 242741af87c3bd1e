#include "fit/comb.h"

// Shortest augmenting paths with potentials: after row r, the first r rows are matched at least cost,
// and no reduced cost, cost − row potential − column potential, is negative. Rows and columns are
// counted from 1, so that column 0 can stand for the row that is about to be matched.
typedef struct Matching {
    int count;
    const double *costs;
    double *row_potential, *column_potential, *slack;
    int *row_of, *way;
    bool *done;
} Matching;

// Finds the column that ends the shortest way from `row`, and moves the potentials along.
static int find_way(Matching *m, int row) {
    m->row_of[0] = row;
    int column = 0;
    for (int c = 0; c <= m->count; ++c) {
        m->slack[c] = HUGE_VAL;
        m->done[c] = false;
    }
    do {
        m->done[column] = true;
        int r = m->row_of[column], next = 0;
        double least = HUGE_VAL;
        for (int c = 1; c <= m->count; ++c) {
            if (m->done[c])
                continue;
            double reduced = m->costs[(size_t)(r - 1) * (size_t)m->count + (size_t)(c - 1)] -
                             m->row_potential[r] - m->column_potential[c];
            if (reduced < m->slack[c]) {
                m->slack[c] = reduced;
                m->way[c] = column;
            }
            if (m->slack[c] < least) {
                least = m->slack[c];
                next = c;
            }
        }
        for (int c = 0; c <= m->count; ++c)
            if (m->done[c]) {
                m->row_potential[m->row_of[c]] += least;
                m->column_potential[c] -= least;
            } else {
                m->slack[c] -= least;
            }
        column = next;
    } while (m->row_of[column] != 0);
    return column;
}

bool sn__fit_match(FitMemory *memory, const double *costs, int count, int *out_columns) {
    FitBlock *mark = memory->last;
    size_t size = (size_t)count + 1;
    Matching m = {.count = count, .costs = costs};
    m.row_potential = sn__fit_alloc(memory, size, sizeof *m.row_potential);
    m.column_potential = sn__fit_alloc(memory, size, sizeof *m.column_potential);
    m.slack = sn__fit_alloc(memory, size, sizeof *m.slack);
    m.row_of = sn__fit_alloc(memory, size, sizeof *m.row_of);
    m.way = sn__fit_alloc(memory, size, sizeof *m.way);
    m.done = sn__fit_alloc(memory, size, sizeof *m.done);
    bool good = m.row_potential && m.column_potential && m.slack && m.row_of && m.way && m.done;
    for (int row = 1; good && row <= count; ++row)
        for (int column = find_way(&m, row); column != 0;) {
            int before = m.way[column];
            m.row_of[column] = m.row_of[before];
            column = before;
        }
    for (int c = 1; good && c <= count; ++c)
        out_columns[m.row_of[c] - 1] = c - 1;
    sn__fit_release(memory, mark);
    return good;
}
