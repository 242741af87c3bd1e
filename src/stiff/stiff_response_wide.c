// What a set of impulses would do to a tree: a solve with the factors of the last one, and with no
// constraint to settle. See stiff_solve_wide.c for the letters; Zᵀ = bᵀX, and K X = 1 − Dᵀ with D = X d.
#include "stiff/lanes.h"
#include "stiff/wide.h"

static void hand_over(Grove *g, int r, const StiffLanes sum[6]) {
    const StiffRow *row = &g->row[r];
    for (int i = 0; i < row->count; ++i) {
        int at = row->parent[i];
        StiffLanes *to = g->response[at / STIFF_LANES].g;
        for (int k = 0; k < 6; ++k)
            to[k][at % STIFF_LANES] += sum[k][i];
    }
}

void WIDE_FUNCTION(stiff_response_up)(Grove *g, int begin, int exports, int end) {
    for (int r = begin; r < end; ++r) {
        const StiffFactor *f = &g->factor[r];
        StiffResponse *response = &g->response[r];
        StiffLanes sum[6];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide3 g_t = load3(response->g, i), g_r = load3(response->g + 3, i);
            store3(response->r, i, sym_mul3(load_sym(f->compliance, i), g_r));
            Wide3 up_t = sub3(g_t, transposed_mul3(load_mat(f->t, i), g_r));
            Wide3 up_r = sub3(g_r, transposed_mul3(load_mat(f->r, i), g_r));
            if (g->stretch) {
                StiffStretch *s = &g->stretch[r];
                Wide along = dot3(load3(s->u, i), up_t);
                store(&s->answer[i], load(&s->share[i]) * along);
                up_t = if_stretching(s, i, sub3(up_t, mul3(load3(s->a, i), along)), up_t);
                up_r = if_stretching(s, i, sub3(up_r, mul3(load3(s->b, i), along)), up_r);
            }
            store3(sum, i, up_t);
            store3(sum + 3, i, add3(up_r, cross3(load3(&f->run_x, i), up_t)));
            Wide3 zero = {splat(0.0), splat(0.0), splat(0.0)};
            store3(response->g, i, zero);
            store3(response->g + 3, i, zero);
        }
        if (r < exports)
            hand_over(g, r, sum);
        else
            for (int k = 0; k < 6; ++k)
                for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
                    store(&response->g[k][i], load(&sum[k][i]));
    }
}

void WIDE_FUNCTION(stiff_import_response)(Grove *g, int begin, int end) {
    for (int r = begin; r < end; ++r) {
        StiffLanes sum[6];
        for (int k = 0; k < 6; ++k)
            for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
                store(&sum[k][i], load(&g->response[r].g[k][i]));
                store(&g->response[r].g[k][i], splat(0.0));
            }
        hand_over(g, r, sum);
    }
}

void WIDE_FUNCTION(stiff_ground_response)(Grove *g) {
    for (int r = g->still_begin; r < g->rows; ++r) {
        StiffResponse *response = &g->response[r];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide3 zero = {splat(0.0), splat(0.0), splat(0.0)}, t = zero;
            if (r >= g->loose_begin)
                t = sym_mul3(load_sym(response->a, i), load3(response->g, i));
            store3(response->t, i, t);
            store3(response->r, i, zero);
            store3(response->g, i, zero);
            store3(response->g + 3, i, zero);
        }
    }
}

INLINE Wide3 stretch(const StiffStretch *s, int i, const StiffLanes right, Wide3 t, Wide3 turn) {
    return along_stretch(s, i, t, stretched_by(s, i, load(&right[i]), t, turn));
}

void WIDE_FUNCTION(stiff_response_down)(Grove *g, int begin, int end) {
    for (int r = end; r-- > begin;) {
        const StiffFactor *f = &g->factor[r];
        StiffResponse *response = &g->response[r];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide up[6];
            gather(g->response, sizeof(StiffResponse), &g->row[r], i, 6, up);
            Wide3 turn = {up[3], up[4], up[5]};
            Wide3 t = add3((Wide3){up[0], up[1], up[2]}, cross3(turn, load3(&f->run_x, i)));
            if (g->stretch)
                t = stretch(&g->stretch[r], i, g->stretch[r].answer, t, turn);
            Wide3 compliance = sub3(sub3(load3(response->r, i), mat_mul3(load_mat(f->t, i), t)),
                                    mat_mul3(load_mat(f->r, i), turn));
            store3(response->t, i, t);
            store3(response->r, i, add3(turn, compliance));
        }
    }
}

// The way down that follows the last way up, without moving anything.
void WIDE_FUNCTION(stiff_ground_peek)(Grove *g) {
    for (int r = g->still_begin; r < g->rows; ++r)
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            store3(g->response[r].t, i, load3(&g->motion[r].tx, i));
            store3(g->response[r].r, i, load3(&g->motion[r].rx, i));
        }
}

void WIDE_FUNCTION(stiff_peek)(Grove *g, int begin, int end) {
    for (int r = end; r-- > begin;) {
        const StiffFactor *f = &g->factor[r];
        StiffResponse *response = &g->response[r];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide up[6];
            gather(g->response, sizeof(StiffResponse), &g->row[r], i, 6, up);
            Wide3 turn = {up[3], up[4], up[5]};
            Wide3 t = add3((Wide3){up[0], up[1], up[2]}, cross3(turn, load3(&f->run_x, i)));
            if (g->stretch)
                t = stretch(&g->stretch[r], i, g->stretch[r].right, t, turn);
            Wide3 compliance = sub3(sub3(load3(&f->right_x, i), mat_mul3(load_mat(f->t, i), t)),
                                    mat_mul3(load_mat(f->r, i), turn));
            store3(response->t, i, add3(t, load3(&f->gap_x, i)));
            store3(response->r, i, add3(sub3(turn, load3(&f->slack_x, i)), compliance));
        }
    }
}

// After a way up of impulses: they become part of the way down that follows the last way up.
void WIDE_FUNCTION(stiff_ground_add)(Grove *g) {
    for (int r = g->still_begin; r < g->rows; ++r) {
        StiffResponse *response = &g->response[r];
        StiffMotion *m = &g->motion[r];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide3 zero = {splat(0.0), splat(0.0), splat(0.0)};
            if (r >= g->loose_begin) {
                Wide3 by = sym_mul3(load_sym(response->a, i), load3(response->g, i));
                store3(&m->tx, i, add3(load3(&m->tx, i), by));
            }
            store3(response->g, i, zero);
            store3(response->g + 3, i, zero);
        }
    }
}

void WIDE_FUNCTION(stiff_add)(Grove *g, int begin, int end) {
    for (int r = begin; r < end; ++r) {
        StiffFactor *f = &g->factor[r];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            store3(&f->right_x, i, add3(load3(&f->right_x, i), load3(g->response[r].r, i)));
            if (g->stretch) {
                StiffStretch *s = &g->stretch[r];
                store(&s->right[i], load(&s->right[i]) + load(&s->answer[i]));
            }
        }
    }
}
