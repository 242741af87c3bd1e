// How segments answer to forces on them: the blocks on the diagonal of the inverse of the system that
// was solved last, from the roots to the leaves.
//
// A force and moment (f, m) on a segment reach its parent as (f − Zᵀm, m − Dᵀm), with Z = X b and
// D = X d of the solver, and what the parent does in return adds to the segment's own answer:
//   t = t_parent,  θ = X m − Z t_parent + (1 − D) θ_parent.
// With P the parent's answer at the joint, [tt rtᵀ; rt rr], the segment's is
//   tt = P_tt,  rt = E P_rt − Z P_tt,  rr = X + Z P_tt Zᵀ − Z P_rtᵀ Eᵀ − E P_rt Zᵀ + E P_rr Eᵀ
// where E = 1 − D. Where the way to the joint gives way along u (StiffStretch), the segment answers as if
// the parent's answer were, with y = P_tt a + P_rtᵀ b and z = P_rt a + P_rr b of a and b there,
//   P_tt − y uᵀ − u yᵀ + (s + a·y + b·z) u uᵀ  and  P_rt − z uᵀ.
#include "stiff/lanes.h"
#include "stiff/wide.h"

INLINE WideMat mat_mul(WideMat a, WideMat b) {
    WideMat out;
    Wide3 *rows = &out.x;
    const Wide3 *of_a = &a.x;
    for (int k = 0; k < 3; ++k)
        rows[k] = add3(add3(mul3(b.x, of_a[k].x), mul3(b.y, of_a[k].y)), mul3(b.z, of_a[k].z));
    return out;
}

INLINE WideMat transposed(WideMat m) {
    return (WideMat){{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}

INLINE WideMat sub_mat(WideMat a, WideMat b) {
    return (WideMat){sub3(a.x, b.x), sub3(a.y, b.y), sub3(a.z, b.z)};
}

// m [r]×: its rows are cross products, −r × row.
INLINE WideMat mat_cross(WideMat m, Wide3 r) {
    return (WideMat){cross3(m.x, r), cross3(m.y, r), cross3(m.z, r)};
}

// a bᵀ, of which the result is known to be symmetric.
INLINE WideSym product(WideMat a, WideMat b) {
    return (WideSym){dot3(a.x, b.x), dot3(a.x, b.y), dot3(a.x, b.z),
                     dot3(a.y, b.y), dot3(a.y, b.z), dot3(a.z, b.z)};
}

typedef struct Answer {
    WideSym tt;
    WideMat rt;
    WideSym rr;
} Answer;

// At a point that is r away: t there is t + θ × r.
INLINE Answer moved(Answer p, Wide3 r) {
    // t' = t − [r] θ: tt' = tt − [r] rt − rtᵀ [r]ᵀ + [r] rr [r]ᵀ, rt' = rt − rr [r]ᵀ.
    WideMat rr_r = mat_cross(full(p.rr), r); // rr [r]×, and [r]×ᵀ = −[r]×
    WideMat rt = {add3(p.rt.x, rr_r.x), add3(p.rt.y, rr_r.y), add3(p.rt.z, rr_r.z)};
    // tt' = tt + (rtᵀ + rt'ᵀ … ) as columns: column j of [r] m is r × (column j of m).
    WideMat old = transposed(p.rt), new = transposed(rt);
    Wide3 ox = cross3(old.x, r), oy = cross3(old.y, r), oz = cross3(old.z, r);
    Wide3 nx = cross3(new.x, r), ny = cross3(new.y, r), nz = cross3(new.z, r);
    WideSym tt = {p.tt.xx + ox.x + nx.x, p.tt.xy + ox.y + ny.x, p.tt.xz + ox.z + nz.x,
                  p.tt.yy + oy.y + ny.y, p.tt.yz + oy.z + nz.y, p.tt.zz + oz.z + nz.z};
    return (Answer){tt, rt, p.rr};
}

INLINE Answer stretched(const StiffStretch *s, int i, Answer p) {
    Wide3 u = load3(s->u, i), a = load3(s->a, i), b = load3(s->b, i);
    Wide3 y = add3(sym_mul3(p.tt, a), transposed_mul3(p.rt, b));
    Wide3 z = add3(mat_mul3(p.rt, a), sym_mul3(p.rr, b));
    Wide q = load(&s->share[i]) + dot3(a, y) + dot3(b, z);
    // u (q u/2 − y)ᵀ and its transpose
    Wide3 w = sub3(mul3(u, 0.5 * q), y);
    p.tt = add_sym(p.tt, (WideSym){2.0 * u.x * w.x, u.x * w.y + u.y * w.x, u.x * w.z + u.z * w.x,
                                   2.0 * u.y * w.y, u.y * w.z + u.z * w.y, 2.0 * u.z * w.z});
    p.rt = (WideMat){sub3(p.rt.x, mul3(u, z.x)), sub3(p.rt.y, mul3(u, z.y)),
                     sub3(p.rt.z, mul3(u, z.z))};
    return p;
}

void WIDE_FUNCTION(stiff_ground_compliance)(Grove *g) {
    for (int r = g->still_begin; r < g->rows; ++r)
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
            for (int k = r < g->loose_begin ? 0 : 6; k < 21; ++k)
                store(&g->compliance[r].tt[0][i] + k * STIFF_LANES, splat(0.0));
}

void WIDE_FUNCTION(stiff_compliance)(Grove *g, int begin, int end) {
    for (int r = end; r-- > begin;) {
        const StiffFactor *f = &g->factor[r];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide up[21];
            gather(g->compliance, sizeof(StiffCompliance), &g->row[r], i, 21, up);
            Answer p = {{up[0], up[1], up[2], up[3], up[4], up[5]},
                        {{up[6], up[7], up[8]}, {up[9], up[10], up[11]}, {up[12], up[13], up[14]}},
                        {up[15], up[16], up[17], up[18], up[19], up[20]}};
            p = moved(p, load3(&f->run_x, i));
            if (g->stretch)
                p = stretched(&g->stretch[r], i, p);
            WideMat z = load_mat(f->t, i), d = load_mat(f->r, i);
            Wide one = splat(1.0);
            WideMat e = {{one - d.x.x, -d.x.y, -d.x.z},
                         {-d.y.x, one - d.y.y, -d.y.z},
                         {-d.z.x, -d.z.y, one - d.z.z}};
            WideMat z_tt = mat_mul(z, full(p.tt)), e_rt = mat_mul(e, p.rt);
            WideMat rt = sub_mat(e_rt, z_tt);
            // rr = X + (Z tt − E rt) Zᵀ + (E rr − Z rtᵀ) Eᵀ
            WideMat turn = sub_mat(mat_mul(e, full(p.rr)), mat_mul(z, transposed(p.rt)));
            WideMat shift = sub_mat(z_tt, e_rt);
            WideSym rr =
                add_sym(load_sym(f->compliance, i), add_sym(product(shift, z), product(turn, e)));
            store_sym(g->compliance[r].tt, i, p.tt);
            store_mat(g->compliance[r].rt, i, rt);
            store_sym(g->compliance[r].rr, i, rr);
        }
    }
}
