// What a set of impulses would do to a tree: a solve with the factors of the last one, and with no
// constraint to settle. See tree_solve_wide.c for the letters; Zᵀ = bᵀX, and K X = 1 − Dᵀ with D = X d.
#include "tree/lanes.h"
#include "tree/wide.h"

static void hand_over(Grove *g, int r, const TreeLanes sum[6]) {
    const TreeRow *row = &g->row[r];
    for (int i = 0; i < row->count; ++i) {
        int at = row->parent[i];
        TreeLanes *to = g->reply[at / TREE_LANES].g;
        for (int k = 0; k < 6; ++k)
            to[k][at % TREE_LANES] += sum[k][i];
    }
}

void WIDE_FUNCTION(tree_reply_up)(Grove *g, int begin, int exports, int end) {
    for (int r = begin; r < end; ++r) {
        const TreeFactor *f = &g->factor[r];
        TreeReply *reply = &g->reply[r];
        TreeLanes sum[6];
        for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE) {
            Wide3 g_t = load3(reply->g, i), g_r = load3(reply->g + 3, i);
            store3(reply->r, i, sym_mul3(load_sym(f->give, i), g_r));
            Wide3 up_t = sub3(g_t, transposed_mul3(load_mat(f->t, i), g_r));
            Wide3 up_r = sub3(g_r, transposed_mul3(load_mat(f->r, i), g_r));
            store3(sum, i, up_t);
            store3(sum + 3, i, add3(up_r, cross3(load3(&f->run_x, i), up_t)));
            Wide3 zero = {splat(0.0), splat(0.0), splat(0.0)};
            store3(reply->g, i, zero);
            store3(reply->g + 3, i, zero);
        }
        if (r < exports)
            hand_over(g, r, sum);
        else
            for (int k = 0; k < 6; ++k)
                for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE)
                    store(&reply->g[k][i], load(&sum[k][i]));
    }
}

void WIDE_FUNCTION(tree_import_reply)(Grove *g, int begin, int end) {
    for (int r = begin; r < end; ++r) {
        TreeLanes sum[6];
        for (int k = 0; k < 6; ++k)
            for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE) {
                store(&sum[k][i], load(&g->reply[r].g[k][i]));
                store(&g->reply[r].g[k][i], splat(0.0));
            }
        hand_over(g, r, sum);
    }
}

void WIDE_FUNCTION(tree_ground_reply)(Grove *g) {
    for (int r = g->still_begin; r < g->rows; ++r) {
        TreeReply *reply = &g->reply[r];
        for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE) {
            Wide3 zero = {splat(0.0), splat(0.0), splat(0.0)}, t = zero;
            if (r >= g->loose_begin)
                t = sym_mul3(load_sym(reply->a, i), load3(reply->g, i));
            store3(reply->t, i, t);
            store3(reply->r, i, zero);
            store3(reply->g, i, zero);
            store3(reply->g + 3, i, zero);
        }
    }
}

void WIDE_FUNCTION(tree_reply_down)(Grove *g, int begin, int end) {
    for (int r = end; r-- > begin;) {
        const TreeFactor *f = &g->factor[r];
        TreeReply *reply = &g->reply[r];
        for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE) {
            Wide up[6];
            gather(g->reply, sizeof(TreeReply), &g->row[r], i, 6, up);
            Wide3 turn = {up[3], up[4], up[5]};
            Wide3 t = add3((Wide3){up[0], up[1], up[2]}, cross3(turn, load3(&f->run_x, i)));
            Wide3 give = sub3(sub3(load3(reply->r, i), mat_mul3(load_mat(f->t, i), t)),
                              mat_mul3(load_mat(f->r, i), turn));
            store3(reply->t, i, t);
            store3(reply->r, i, add3(turn, give));
        }
    }
}

// The way down that follows the last way up, without moving anything.
void WIDE_FUNCTION(tree_ground_peek)(Grove *g) {
    for (int r = g->still_begin; r < g->rows; ++r)
        for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE) {
            store3(g->reply[r].t, i, load3(&g->motion[r].tx, i));
            store3(g->reply[r].r, i, load3(&g->motion[r].rx, i));
        }
}

void WIDE_FUNCTION(tree_peek)(Grove *g, int begin, int end) {
    for (int r = end; r-- > begin;) {
        const TreeFactor *f = &g->factor[r];
        TreeReply *reply = &g->reply[r];
        for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE) {
            Wide up[6];
            gather(g->reply, sizeof(TreeReply), &g->row[r], i, 6, up);
            Wide3 turn = {up[3], up[4], up[5]};
            Wide3 t = add3((Wide3){up[0], up[1], up[2]}, cross3(turn, load3(&f->run_x, i)));
            Wide3 give = sub3(sub3(load3(&f->right_x, i), mat_mul3(load_mat(f->t, i), t)),
                              mat_mul3(load_mat(f->r, i), turn));
            store3(reply->t, i, add3(t, load3(&f->gap_x, i)));
            store3(reply->r, i, add3(sub3(turn, load3(&f->slack_x, i)), give));
        }
    }
}

// After a way up of impulses: they become part of the way down that follows the last way up.
void WIDE_FUNCTION(tree_ground_add)(Grove *g) {
    for (int r = g->still_begin; r < g->rows; ++r) {
        TreeReply *reply = &g->reply[r];
        TreeMotion *m = &g->motion[r];
        for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE) {
            Wide3 zero = {splat(0.0), splat(0.0), splat(0.0)};
            if (r >= g->loose_begin) {
                Wide3 by = sym_mul3(load_sym(reply->a, i), load3(reply->g, i));
                store3(&m->tx, i, add3(load3(&m->tx, i), by));
            }
            store3(reply->g, i, zero);
            store3(reply->g + 3, i, zero);
        }
    }
}

void WIDE_FUNCTION(tree_add)(Grove *g, int begin, int end) {
    for (int r = begin; r < end; ++r) {
        TreeFactor *f = &g->factor[r];
        for (int i = 0; i < TREE_LANES; i += WIDE_DOUBLE)
            store3(&f->right_x, i, add3(load3(&f->right_x, i), load3(g->reply[r].r, i)));
    }
}
