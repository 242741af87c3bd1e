// Newton's method for bundles that are solved as a whole (slices.h), in double.
//
// The unknowns of a section are how its centre moves, c, how it turns, θ, in the world's axes, and how its
// scale changes, s. A vertex with the lever r = σ R c̄ and ρ = ∂x/∂s (r/s, or 0 where it does not
// spread) so moves by
//
//     δx = c + θ × r + ρ s.
//
// Forces of segments on their vertices are those of all rods (newton_forces.h). A force F on a vertex is F on
// the centre, r × F about it, and ρ·F on the scale. The frame of a segment is the mean of the turns of its
// sections a and b. With q_a conj(q_mean) = (v, w) and g = v/w, it turns by
//
//     θ_mean = ½ (θ_a + θ_b) + ½ (θ_a − θ_b) × g,
//
// exactly, so a torque τ on it is ½ (τ + g × τ) on a and ½ (τ − g × τ) on b: all of it is one gradient, and
// keeps both momenta.
//
// Bending and twist are between sections: with t the tangent of half the angle, along its axis, of
// conj(q_a) q_b, the energy is ½ Wᵀ H W, W = 2 s t, s the mean of both scales. That is a rod's potential for
// small angles, but it keeps sections from being folded onto each other, where the mean of their turns would
// be no turn at all. It turns b by −R_a s (F + t × F + t (t·F)), F = H W, and a by as much the other way.
//
// Volume is that of all segments between two sections together. Where a bundle bends, fibres on one side
// get longer and on the other side shorter, and as their scales are one, none could keep its own volume:
// a bundle would resist bending with k_v in place of E. Of flesh, what leaves the one side is on the other.
// It is that of frustums, whose cross-section grows as
//
//     A = (r_a² s_a² + r_a r_b s_a s_b + r_b² s_b²) / (r_a² + r_a r_b + r_b²),
//
// and with a = k_v l₀ of every segment (k_v as newton.h has it, of s² |d| − l₀),
//
//     E = ½ Σa l₀ φ²,   φ = Σ a (A |d| − l₀) / Σ a l₀.
//
// The Hessian of a segment of length d and direction n, at a first vertex with the lever r_a and a second
// with r_b, is that of Gauss and Newton for what is along n, with the change of d as its vector,
//
//     j = (−n, −r_a × n, −ρ_a·n;  n, r_b × n, ρ_b·n),
//
// and that of the volume is one more for all of them. Across n, shear k_s l/d and tension T/d hold the middle of the
// segment, to which levers are r + d n/2 and r − d n/2. What is held has the inertia of what is free, times
// 10⁶, and is where it is led.
#define NEWTON_DOUBLE 1
#include <string.h>

#include "rod/graph.h"
#include "rod/newton_forces.h"
#include "rod/newton_move.h"
#include "rod/sections.h"
#include "rod/slices.h"

#define HELD_WEIGHT 1e6
#define LEAST_PIVOT 1e-30

// A symmetric block of one section; the block of one section and the next; forces.
typedef struct Block {
    Number a[SLICE_UNKNOWNS][SLICE_UNKNOWNS]; // of a symmetric one, the upper part
} Block;

typedef struct Forces {
    Number3 c, t;
    Number s;
} Forces;

typedef struct Slices {
    NewtonLanes lanes;
    RodPack *pack;
    const RodGraph *graph;
    Number *pulls; // NULL, or the sum of the squares of what segments pull with
} Slices;

INLINE Number3 slice_load3(const SliceRow *rows, int i) {
    return (Number3){load(&rows[0][i]), load(&rows[1][i]), load(&rows[2][i])};
}

INLINE void slice_store3(SliceRow *rows, int i, Number3 v) {
    store(&rows[0][i], v.x);
    store(&rows[1][i], v.y);
    store(&rows[2][i], v.z);
}

INLINE Number4 slice_load4(const SliceRow *rows, int i) {
    return (Number4){load(&rows[0][i]), load(&rows[1][i]), load(&rows[2][i]), load(&rows[3][i])};
}

INLINE void slice_store4(SliceRow *rows, int i, Number4 q) {
    store(&rows[0][i], q.x);
    store(&rows[1][i], q.y);
    store(&rows[2][i], q.z);
    store(&rows[3][i], q.w);
}

typedef struct Axes {
    Number3 x, y, z;
} Axes;

INLINE Axes axes_of(Number4 q) { return (Axes){quat_axis_x(q), quat_axis_y(q), quat_axis_z(q)}; }

INLINE Number3 turned_by(const Axes *R, Number3 v) {
    return add3(add3(mul3(R->x, v.x), mul3(R->y, v.y)), mul3(R->z, v.z));
}

INLINE Number3 member_place(const Slices *c, int v) {
    const RodBundle *b = c->pack->bundle + v;
    const int i = c->lanes.i;
    return (Number3){load_row(&b->x[i]), load_row(&b->y[i]), load_row(&b->z[i])};
}

INLINE Number lever_scale(const RodSlice *slice, const SliceRow *s, int i) {
    Number spread = load_row(&slice->spread[i]);
    return 1.0 + spread * (load(&(*s)[i]) - 1.0);
}

INLINE Number3 zero3(void) { return (Number3){splat(0.0), splat(0.0), splat(0.0)}; }

// Where the vertices of a section are as its pose is now.
INLINE void place_members(const Slices *c, int k) {
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    const Axes now = axes_of(slice_load4(slice->q, i)), before = axes_of(slice_load4(slice->q0, i));
    const Number scale = lever_scale(slice, &slice->s, i),
                 scale0 = lever_scale(slice, &slice->s0, i);
    const Number3 u = slice_load3(slice->u, i);
    for (int e = c->graph->section_begin[k]; e < c->graph->section_begin[k + 1]; ++e) {
        int v = c->graph->section_vertex[e];
        Number3 at = member_place(c, v);
        Number3 lever = mul3(turned_by(&now, at), scale);
        Number3 old = mul3(turned_by(&before, at), scale0);
        slice_store3(c->pack->member[v].lever, i, lever);
        slice_store3(c->pack->member[v].u, i, add3(u, sub3(lever, old)));
    }
}

INLINE Number spread_of(const RodSlice *slice, int i) {
    return load_row(&slice->spread[i]) / load(&slice->s[i]);
}

INLINE NewtonVertex member_vertex(const Slices *c, int v, Number s) {
    return (NewtonVertex){slice_load3(c->pack->member[v].u, c->lanes.i), s};
}

// θ × r of all vertices of a block: −[r] θ, with [r] the matrix of r ×.
INLINE void add_lever(Number a[SLICE_UNKNOWNS][SLICE_UNKNOWNS], Number3 mr) {
    a[0][4] += mr.z;
    a[0][5] -= mr.y;
    a[1][3] -= mr.z;
    a[1][5] += mr.x;
    a[2][3] += mr.y;
    a[2][4] -= mr.x;
}

// m (r·r − r rᵀ), of the turns.
INLINE void add_spin(Number a[SLICE_UNKNOWNS][SLICE_UNKNOWNS], Number3 r, Number m) {
    Number3 mr = mul3(r, m);
    Number x = mr.x * r.x, y = mr.y * r.y, z = mr.z * r.z;
    a[3][3] += y + z;
    a[4][4] += x + z;
    a[5][5] += x + y;
    a[3][4] -= mr.x * r.y;
    a[3][5] -= mr.x * r.z;
    a[4][5] -= mr.y * r.z;
}

INLINE void pull_member(Forces *f, Number3 r, Number3 rho, Number3 force) {
    f->c = add3(f->c, force);
    f->t = add3(f->t, cross3(r, force));
    f->s += dot3(rho, force);
}

// Towards where the vertices would go alone.
INLINE void add_members(const Slices *c, int k, Block *D, Forces *f) {
    RodPack *pack = c->pack;
    RodSlice *slice = pack->slice + k;
    const int i = c->lanes.i;
    const Number by_scale = spread_of(slice, i), zero = splat(0.0), one = splat(1.0);
    const Number s = load(&slice->s[i]);
    for (int e = c->graph->section_begin[k]; e < c->graph->section_begin[k + 1]; ++e) {
        int v = c->graph->section_vertex[e];
        const RodPrepared *p = pack->prepared + v;
        const RodAim *aim = pack->aim + v;
        Number held = number_if_less(zero, load_row(&p->m[i]), one, splat(HELD_WEIGHT));
        Number m = load_row(&pack->rest[v].mass[i]) * held;
        Number3 r = slice_load3(pack->member[v].lever, i), rho = mul3(r, by_scale);
        Number3 to = {load_row(&aim->ux[i]), load_row(&aim->uy[i]), load_row(&aim->uz[i])};
        Number3 off = sub3(to, slice_load3(pack->member[v].u, i));
        pull_member(f, r, rho, mul3(off, m));
        D->a[0][0] += m;
        D->a[1][1] += m;
        D->a[2][2] += m;
        add_lever(D->a, mul3(r, m));
        add_spin(D->a, r, m);
        Number3 mrho = mul3(rho, m);
        D->a[0][6] += mrho.x;
        D->a[1][6] += mrho.y;
        D->a[2][6] += mrho.z;
        D->a[6][6] += dot3(rho, mrho);
        if (!c->lanes.volume)
            continue;
        held = number_if_less(zero, load_row(&p->m_scale[i]), one, splat(HELD_WEIGHT));
        Number swell = load_row(&pack->rest[v].scale_inertia[i]) * held;
        Number goal = load_row(&pack->work[v].ps[i]) + load_row(&aim->us[i]);
        f->s += swell * (goal - s);
        D->a[6][6] += swell;
    }
    if (!c->lanes.volume)
        D->a[6][6] += splat(1.0); // there is no scale to solve for
}

// Half of the inertia of a segment turns with each of its sections: J across it, and J about it.
INLINE void add_frame(const Slices *c, int j, Number3 axis, Number3 turn, Block *D, Forces *f) {
    const RodPack *pack = c->pack;
    const int i = c->lanes.i;
    const RodAim *aim = pack->aim + j;
    Number zero = splat(0.0), half = splat(0.5);
    Number held = number_if_less(zero, load_row(&pack->prepared[j].m_turn[i]), half,
                                 splat(0.5 * HELD_WEIGHT));
    Number across = held * load_row(&pack->rest[j].frame_inertia[i]);
    Number more = held * load_row(&pack->rest[j].spin_inertia[i]) - across;
    Number3 to = {load_row(&aim->tx[i]), load_row(&aim->ty[i]), load_row(&aim->tz[i])};
    Number3 off = sub3(to, turn), along = mul3(axis, more);
    f->t = add3(f->t, add3(mul3(off, across), mul3(along, dot3(axis, off))));
    D->a[3][3] += across + along.x * axis.x;
    D->a[4][4] += across + along.y * axis.y;
    D->a[5][5] += across + along.z * axis.z;
    D->a[3][4] += along.x * axis.y;
    D->a[3][5] += along.x * axis.z;
    D->a[4][5] += along.y * axis.z;
}

// How a section has turned in the sub-step, in the world's axes.
INLINE Number3 turn_of(RodSlice *slice, int i) {
    Number4 q = slice_load4(slice->q, i), q0 = slice_load4(slice->q0, i);
    Number3 own = newton_turn_since(q0, q);
    const Axes R = axes_of(q0);
    return turned_by(&R, own);
}

// Of a section and the next one.
typedef struct Pair {
    int k;
    Number4 mean;
    Number3 g, turn_a, turn_b;
    Number sa, sb, by_a, by_b; // scales, and what makes ρ of a lever
} Pair;

INLINE Number4 nearer_turn(Number4 a, Number4 b) {
    Number dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    return (Number4){wide_flip_by(b.x, dot), wide_flip_by(b.y, dot), wide_flip_by(b.z, dot),
                     wide_flip_by(b.w, dot)};
}

INLINE Number4 mean_turn_of(Number4 a, Number4 b) {
    b = nearer_turn(a, b);
    return quat_normalise((Number4){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w});
}

INLINE Pair pair_of(const Slices *c, int k) {
    RodSlice *a = c->pack->slice + k, *b = a + 1;
    const int i = c->lanes.i;
    Number4 qa = slice_load4(a->q, i), mean = mean_turn_of(qa, slice_load4(b->q, i));
    Number4 off = quat_mul(qa, quat_conjugate(mean));
    Number by = 1.0 / off.w; // the two are at most half a turn apart, so it is at least √½
    return (Pair){.k = k,
                  .mean = mean,
                  .g = {off.x * by, off.y * by, off.z * by},
                  .turn_a = turn_of(a, i),
                  .turn_b = turn_of(b, i),
                  .sa = c->lanes.volume ? load(&a->s[i]) : splat(1.0),
                  .sb = c->lanes.volume ? load(&b->s[i]) : splat(1.0),
                  .by_a = spread_of(a, i),
                  .by_b = spread_of(b, i)};
}

INLINE Number4 segment_frame(const Slices *c, int j, Number4 mean) {
    const RodBundle *b = c->pack->bundle + j;
    const int i = c->lanes.i;
    Number4 rest = {load_row(&b->frame_x[i]), load_row(&b->frame_y[i]), load_row(&b->frame_z[i]),
                    load_row(&b->frame_w[i])};
    return quat_mul(mean, quat_conjugate(rest));
}

// Blocks that an element between two sections adds to.
typedef struct Corner {
    Block *A, *B, *AB;
} Corner;

// m × (what moves the one end against the other)², with levers ra and rb.
INLINE void hold_ends(Corner to, Number m, Number3 ra, Number3 rb, Number3 rho_a, Number3 rho_b) {
    Number(*A)[SLICE_UNKNOWNS] = to.A->a, (*B)[SLICE_UNKNOWNS] = to.B->a,
    (*M)[SLICE_UNKNOWNS] = to.AB->a;
    EACH(n, 0, 3) {
        A[n][n] += m;
        B[n][n] += m;
        M[n][n] -= m;
    }
    Number3 ma = mul3(ra, m), mb = mul3(rb, m);
    add_lever(A, ma);
    add_lever(B, mb);
    add_spin(A, ra, m);
    add_spin(B, rb, m);
    // Of c_a with θ_b: m [r_b], and of θ_a with c_b: −m [r_a].
    M[0][4] -= mb.z;
    M[0][5] += mb.y;
    M[1][3] += mb.z;
    M[1][5] -= mb.x;
    M[2][3] -= mb.y;
    M[2][4] += mb.x;
    M[3][1] += ma.z;
    M[3][2] -= ma.y;
    M[4][0] -= ma.z;
    M[4][2] += ma.x;
    M[5][0] += ma.y;
    M[5][1] -= ma.x;
    // Of the turns: m [r_a][r_b] = m (r_b r_aᵀ − r_a·r_b).
    Number both = dot3(ma, rb);
    const Number a[3] = {ma.x, ma.y, ma.z}, b[3] = {rb.x, rb.y, rb.z};
    EACH(r, 0, 3) {
        EACH(n, 0, 3) M[3 + r][3 + n] += b[r] * a[n];
        M[3 + r][3 + r] -= both;
    }
    Number3 pa = mul3(rho_a, m), pb = mul3(rho_b, m);
    Number3 own_a = cross3(ra, pa), own_b = cross3(rb, pb), far_a = cross3(ra, pb),
            far_b = cross3(rb, pa);
    const Number va[7] = {pa.x, pa.y, pa.z, own_a.x, own_a.y, own_a.z, dot3(pa, rho_a)};
    const Number vb[7] = {pb.x, pb.y, pb.z, own_b.x, own_b.y, own_b.z, dot3(pb, rho_b)};
    EACH(n, 0, 7) {
        A[n][6] += va[n];
        B[n][6] += vb[n];
    }
    const Number down[6] = {pb.x, pb.y, pb.z, far_a.x, far_a.y, far_a.z};
    const Number along[6] = {pa.x, pa.y, pa.z, far_b.x, far_b.y, far_b.z};
    EACH(n, 0, 6) {
        M[n][6] -= down[n];
        M[6][n] -= along[n];
    }
    M[6][6] -= dot3(pa, rho_b);
}

// m × j jᵀ.
INLINE void hold_along(Corner to, Number m, const Number ja[SLICE_UNKNOWNS],
                       const Number jb[SLICE_UNKNOWNS]) {
    EACH(r, 0, SLICE_UNKNOWNS) {
        Number ma = m * ja[r], mb = m * jb[r];
        EACH(n, 0, SLICE_UNKNOWNS) {
            if (n >= r) {
                to.A->a[r][n] += ma * ja[n];
                to.B->a[r][n] += mb * jb[n];
            }
            to.AB->a[r][n] += ma * jb[n];
        }
    }
}

// How the cross-section of a frustum has grown, and how it does with both scales.
typedef struct Grown {
    Number area, by_a, by_b;
} Grown;

INLINE Grown grown_by(const Slices *c, int j, Number sa, Number sb) {
    const int *edge = c->graph->edge[j];
    const int i = c->lanes.i;
    Number ra = load_row(&c->pack->rest[edge[0]].radius[i]);
    Number rb = load_row(&c->pack->rest[edge[1]].radius[i]);
    Number p = ra * ra, q = ra * rb, r = rb * rb, by = 1.0 / (p + q + r);
    p *= by;
    q *= by;
    r *= by;
    return (Grown){(p * sa + q * sb) * sa + r * sb * sb, 2.0 * p * sa + q * sb,
                   q * sa + 2.0 * r * sb};
}

// How the volume between two sections changes with their unknowns.
typedef struct Volume {
    Number error; // φ, less what damping starts from
    Number over;  // 1/Σ a l₀
    Number ja[SLICE_UNKNOWNS], jb[SLICE_UNKNOWNS];
} Volume;

INLINE void hold_scales(Corner to, const NewtonSegment *e) {
    to.A->a[6][6] += e->kc + e->kd;
    to.B->a[6][6] += e->kc + e->kd;
    to.AB->a[6][6] += e->kc - e->kd;
}

INLINE void add_segment_hessian(Corner to, const Pair *pair, const NewtonSegment *e, Number3 ra,
                                Number3 rb, Volume *volume, const Grown *grown) {
    Number zero = splat(0.0), pull = e->f;
    if (volume)
        pull += e->fv * grown->area;
    Number across = (e->shear + number_max(pull, zero)) * e->over_length;
    Number3 n = e->n, half = mul3(e->d, splat(0.5));
    Number3 rho_a = mul3(ra, pair->by_a), rho_b = mul3(rb, pair->by_b);
    Number3 ta = cross3(ra, n), tb = cross3(rb, n);
    const Number ja[7] = {-n.x, -n.y, -n.z, -ta.x, -ta.y, -ta.z, -dot3(rho_a, n)};
    const Number jb[7] = {n.x, n.y, n.z, tb.x, tb.y, tb.z, dot3(rho_b, n)};
    hold_ends(to, across, add3(ra, half), sub3(rb, half), rho_a, rho_b);
    hold_along(to, e->k - across, ja, jb);
    if (volume == NULL)
        return;
    hold_scales(to, e);
    Number a = e->kv * e->l0, along = a * grown->area, swell = a * e->length;
    EACH(k, 0, SLICE_UNKNOWNS) {
        volume->ja[k] += along * ja[k];
        volume->jb[k] += along * jb[k];
    }
    volume->ja[6] += swell * grown->by_a;
    volume->jb[6] += swell * grown->by_b;
}

// The volume between two sections as it is, and as damping remembers it.
INLINE Volume volume_of(const Slices *c, const Pair *pair) {
    const RodPack *pack = c->pack;
    const int i = c->lanes.i;
    Number sum = splat(0.0), all = splat(LEAST_PIVOT), before = sum;
    for (int e = c->graph->slice_begin[pair->k]; e < c->graph->slice_begin[pair->k + 1]; ++e) {
        int j = c->graph->slice_segment[e];
        const int *edge = c->graph->edge[j];
        const RodPrepared *p = pack->prepared + j;
        const RodWork *g = pack->work + j;
        Number l0 = load_row(&p->length[i]), a = load_row(&p->k_volume[i]) * l0;
        Number3 was = {load_row(&g->ex[i]), load_row(&g->ey[i]), load_row(&g->ez[i])};
        Number3 d = add3(was, sub3(slice_load3(pack->member[edge[1]].u, i),
                                   slice_load3(pack->member[edge[0]].u, i)));
        sum += a * (grown_by(c, j, pair->sa, pair->sb).area * number_sqrt(dot3(d, d)) - l0);
        all += a * l0;
        if (!c->lanes.damped)
            continue;
        Grown old = grown_by(c, j, load_row(&pack->work[edge[0]].ps[i]),
                             load_row(&pack->work[edge[1]].ps[i]));
        before += a * (old.area * number_sqrt(dot3(was, was)) - l0);
    }
    Volume v = {.over = 1.0 / all};
    EACH(k, 0, SLICE_UNKNOWNS) v.ja[k] = v.jb[k] = splat(0.0);
    v.error = (sum - (1.0 - load_row(&pack->undamped_volume[i])) * before) * v.over;
    return v;
}

typedef struct Sides {
    Forces *a, *b;
} Sides;

INLINE void add_segment(const Slices *c, const Pair *pair, Volume *volume, int j, Corner to,
                        Sides f) {
    RodPack *pack = c->pack;
    const int i = c->lanes.i, va = c->graph->edge[j][0], vb = c->graph->edge[j][1];
    const NewtonVertex a = member_vertex(c, va, pair->sa), b = member_vertex(c, vb, pair->sb);
    NewtonSegment e = newton_segment(c->lanes, j, a, b, segment_frame(c, j, pair->mean));
    Number on_a[UNKNOWNS] = {0}, on_b[BEHIND] = {0};
    pull_by_segment(on_a, on_b, &e, false, c->lanes.damped);
    Number3 force = {on_a[X], on_a[X + 1], on_a[X + 2]};
    Grown grown;
    if (volume) {
        grown = grown_by(c, j, pair->sa, pair->sb);
        e.fv = e.kv * e.l0 * volume->error;
        force = add3(force, mul3(e.n, e.fv * grown.area));
        f.a->s -= e.length * e.fv * grown.by_a + (e.fc - e.fd);
        f.b->s -= e.length * e.fv * grown.by_b + (e.fc + e.fd);
    }
    Number3 torque =
        add3(add3(mul3(e.a1, on_a[T]), mul3(e.a2, on_a[T + 1])), mul3(e.w, on_a[T + 2]));
    Number3 ra = slice_load3(pack->member[va].lever, i),
            rb = slice_load3(pack->member[vb].lever, i);
    if (c->pulls)
        *c->pulls += dot3(force, force);
    pull_member(f.a, ra, mul3(ra, pair->by_a), force);
    pull_member(f.b, rb, mul3(rb, pair->by_b), mul3(force, splat(-1.0)));
    Number3 straight = mul3(torque, splat(0.5)), askew = mul3(cross3(pair->g, torque), splat(0.5));
    f.a->t = add3(f.a->t, add3(straight, askew));
    f.b->t = add3(f.b->t, sub3(straight, askew));
    add_frame(c, j, e.w, pair->turn_a, to.A, f.a);
    add_frame(c, j, e.w, pair->turn_b, to.B, f.b);
    add_segment_hessian(to, pair, &e, ra, rb, volume, &grown);
}

INLINE Number3 tangent_between(Number4 a, Number4 b) {
    Number4 t = quat_between(a, b);
    Number by = 1.0 / number_max(t.w, splat(COSINE_MIN));
    return (Number3){t.x * by, t.y * by, t.z * by};
}

INLINE Number3 bend_times(const Number H[6], Number3 v) {
    return (Number3){H[0] * v.x + H[1] * v.y + H[2] * v.z, H[1] * v.x + H[3] * v.y + H[4] * v.z,
                     H[2] * v.x + H[4] * v.y + H[5] * v.z};
}

// Bending and twist between two sections.
INLINE void add_bend(const Slices *c, const Pair *pair, Corner to, Sides f) {
    RodSlice *a = c->pack->slice + pair->k, *b = a + 1;
    const int i = c->lanes.i;
    Number H[6];
    EACH(n, 0, 6) H[n] = load_row(&a->bend[n][i]);
    Number4 qa = slice_load4(a->q, i);
    Number3 t = tangent_between(qa, slice_load4(b->q, i));
    Number s = 0.5 * (pair->sa + pair->sb), steep = 1.0 + dot3(t, t);
    Number3 W = mul3(t, 2.0 * s);
    if (c->lanes.damped) {
        Number3 before = tangent_between(slice_load4(a->q0, i), slice_load4(b->q0, i));
        Number s0 = c->lanes.volume ? (Number)(0.5 * (load(&a->s0[i]) + load(&b->s0[i]))) : s;
        Number damped = 1.0 - load_row(&c->pack->undamped[i]);
        W = sub3(W, mul3(before, 2.0 * s0 * damped));
    }
    Number3 F = bend_times(H, W);
    const Axes R = axes_of(qa);
    Number3 own = mul3(add3(add3(F, cross3(t, F)), mul3(t, dot3(t, F))), s);
    Number3 torque = turned_by(&R, own);
    f.a->t = add3(f.a->t, torque);
    f.b->t = sub3(f.b->t, torque);
    if (c->lanes.volume) {
        Number squeeze = dot3(t, F);
        f.a->s -= squeeze;
        f.b->s -= squeeze;
    }
    // s² R H Rᵀ, and at most (1 + t²)² of it where the angle is large.
    Number3 columns[3],
        rows[3] = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
    EACH(n, 0, 3) columns[n] = mul3(bend_times(H, rows[n]), s * s * steep * steep);
    EACH(r, 0, 3) {
        EACH(n, 0, 3) {
            Number h = dot3(rows[r], columns[n]);
            if (n >= r) {
                to.A->a[3 + r][3 + n] += h;
                to.B->a[3 + r][3 + n] += h;
            }
            to.AB->a[3 + r][3 + n] -= h;
        }
    }
}

INLINE void clear_block(Block *b) {
    EACH(r, 0, SLICE_UNKNOWNS) EACH(n, 0, SLICE_UNKNOWNS) b->a[r][n] = splat(0.0);
}

// Blocks and forces of a section and the next, in turn.
typedef struct Front {
    Block own[2], beside;
    Forces f[2];
} Front;

INLINE void begin_front(const Slices *c, Front *front) {
    for (int n = 0; n < 2; ++n) {
        clear_block(&front->own[n]);
        front->f[n] = (Forces){zero3(), zero3(), splat(0.0)};
    }
    place_members(c, 0);
}

// All that belongs to section k, and what is between it and the next one.
INLINE void assemble_slice(const Slices *c, int k, Front *front) {
    Block *A = &front->own[k & 1], *B = &front->own[~k & 1];
    const Sides sides = {&front->f[k & 1], &front->f[~k & 1]};
    add_members(c, k, A, sides.a);
    clear_block(&front->beside);
    if (k + 1 == c->graph->sections)
        return;
    place_members(c, k + 1);
    const Pair pair = pair_of(c, k);
    const Corner to = {A, B, &front->beside};
    Volume volume;
    if (c->lanes.volume)
        volume = volume_of(c, &pair);
    for (int e = c->graph->slice_begin[k]; e < c->graph->slice_begin[k + 1]; ++e)
        add_segment(c, &pair, c->lanes.volume ? &volume : NULL, c->graph->slice_segment[e], to,
                    sides);
    if (c->lanes.volume)
        hold_along(to, volume.over, volume.ja, volume.jb);
    add_bend(c, &pair, to, sides);
}

INLINE void leave_slice(int k, Front *front) {
    clear_block(&front->own[k & 1]);
    front->f[k & 1] = (Forces){zero3(), zero3(), splat(0.0)};
}

// The block of a section to L D Lᵀ, and what it leaves to the next one.
INLINE void eliminate(const Slices *c, int k, Front *front) {
    Block *D = &front->own[k & 1], *D_next = &front->own[~k & 1];
    const Block *M = &front->beside;
    const Forces *f = &front->f[k & 1];
    Forces *f_next = &front->f[~k & 1];
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    Number L[SLICE_UNKNOWNS][SLICE_UNKNOWNS], over[SLICE_UNKNOWNS];
    Number r[SLICE_UNKNOWNS] = {f->c.x, f->c.y, f->c.z, f->t.x, f->t.y, f->t.z, f->s};
    int below = 0;
    EACH(n, 0, SLICE_UNKNOWNS) {
        EACH(m, 0, n) {
            Number sum = D->a[m][n];
            EACH(l, 0, m) sum -= L[n][l] * L[m][l] * D->a[l][l];
            L[n][m] = sum * over[m];
        }
        EACH(l, 0, n) D->a[n][n] -= L[n][l] * L[n][l] * D->a[l][l];
        D->a[n][n] = number_max(D->a[n][n], splat(LEAST_PIVOT));
        over[n] = 1.0 / D->a[n][n];
        EACH(m, 0, n) r[n] -= L[n][m] * r[m];
        EACH(m, 0, n) store(&slice->lower[below + m][i], L[n][m]);
        below += n;
        store(&slice->pivot[n][i], over[n]);
        store(&slice->step[n][i], r[n]);
    }
    if (k + 1 == c->graph->sections)
        return;
    Number next[SLICE_UNKNOWNS];
    EACH(m, 0, SLICE_UNKNOWNS) next[m] = splat(0.0);
    EACH(m, 0, SLICE_UNKNOWNS) {
        Number w[SLICE_UNKNOWNS];
        EACH(n, 0, SLICE_UNKNOWNS) {
            w[n] = M->a[n][m];
            EACH(l, 0, n) w[n] -= L[n][l] * w[l];
            store(&slice->next[m * SLICE_UNKNOWNS + n][i], w[n]);
            next[m] -= w[n] * over[n] * r[n];
        }
        EACH(p, 0, m + 1) {
            Number sum = splat(0.0);
            EACH(n, 0, SLICE_UNKNOWNS)
            sum += w[n] * (over[n] * load(&slice->next[p * SLICE_UNKNOWNS + n][i]));
            D_next->a[p][m] -= sum;
        }
    }
    f_next->c = add3(f_next->c, (Number3){next[0], next[1], next[2]});
    f_next->t = add3(f_next->t, (Number3){next[3], next[4], next[5]});
    f_next->s += next[6];
}

// From the last section back to the first.
INLINE void substitute_slices(const Slices *c) {
    const int i = c->lanes.i;
    Number x[SLICE_UNKNOWNS];
    EACH(n, 0, SLICE_UNKNOWNS) x[n] = splat(0.0);
    for (int k = c->graph->sections - 1; k >= 0; --k) {
        RodSlice *slice = c->pack->slice + k;
        Number r[SLICE_UNKNOWNS];
        EACH(n, 0, SLICE_UNKNOWNS) {
            r[n] = load(&slice->step[n][i]);
            if (k + 1 < c->graph->sections)
                EACH(m, 0, SLICE_UNKNOWNS)
            r[n] -= load(&slice->next[m * SLICE_UNKNOWNS + n][i]) * x[m];
            r[n] *= load(&slice->pivot[n][i]);
        }
        int below = SLICE_BELOW;
        for (int n = SLICE_UNKNOWNS - 1; n >= 0; --n) {
            below -= n;
            EACH(m, 0, n) r[m] -= load(&slice->lower[below + m][i]) * r[n];
        }
        EACH(n, 0, SLICE_UNKNOWNS) {
            x[n] = r[n];
            store(&slice->step[n][i], r[n]);
        }
    }
}

APART assemble_and_eliminate(const Slices *c) {
    Front front;
    begin_front(c, &front);
    for (int k = 0; k < c->graph->sections; ++k) {
        assemble_slice(c, k, &front);
        eliminate(c, k, &front);
        leave_slice(k, &front);
    }
}

// How much of the step is taken: no section turns by more than half a radian in an iteration, and no scale
// changes by more than half.
INLINE Number part_of_step(const Slices *c, Number *own) {
    const int i = c->lanes.i;
    Number turn = splat(0.0), swell = turn, one = splat(1.0);
    *own = load_row(&c->pack->newton_moves[i]);
    for (int k = 0; k < c->graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        Number3 by = slice_load3(&slice->step[3], i);
        Number grown = load(&slice->step[6][i]) / load(&slice->s[i]);
        turn = number_max(turn, dot3(by, by));
        swell = number_max(swell, grown * grown);
    }
    Number far = number_sqrt(number_max(turn, swell));
    store_row(&c->pack->newton_reach[i], chosen(*own, far, load_row(&c->pack->newton_reach[i])));
    Number over = number_max(turn / (TURN_MAX * TURN_MAX), swell / (SWELL_MAX * SWELL_MAX));
    return one / number_sqrt(number_max(over, one));
}

INLINE void move_slice(const Slices *c, int k, Number part, Number own) {
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    Number take = chosen(own, part, splat(0.0));
    Number3 by = mul3(slice_load3(slice->step, i), take);
    Number3 turn = mul3(slice_load3(&slice->step[3], i), take);
    Number4 q = slice_load4(slice->q, i), to = quat_turned(q, turn);
    slice_store3(slice->u, i, add3(slice_load3(slice->u, i), by));
    slice_store4(slice->q, i,
                 (Number4){chosen(own, to.x, q.x), chosen(own, to.y, q.y), chosen(own, to.z, q.z),
                           chosen(own, to.w, q.w)});
    if (!c->lanes.volume)
        return;
    Number s = load(&slice->s[i]), grown = s + take * load(&slice->step[6][i]);
    grown = number_max(number_min(grown, splat(SCALE_MAX)), splat(SCALE_MIN));
    store(&slice->s[i], chosen(own, grown, s));
}

// Vertices and frames go where their sections are. What is held stays where it is led.
INLINE void move_member(const Slices *c, int v, Number s, Number own) {
    RodPack *pack = c->pack;
    const int i = c->lanes.i;
    RodWork *w = pack->work + v;
    Number zero = splat(0.0), free = load_row(&pack->prepared[v].m[i]);
    Number3 u = slice_load3(pack->member[v].u, i);
    Number moves = number_if_less(zero, free, own, zero);
    store_row(&w->ux[i], chosen(moves, u.x, load_row(&w->ux[i])));
    store_row(&w->uy[i], chosen(moves, u.y, load_row(&w->uy[i])));
    store_row(&w->uz[i], chosen(moves, u.z, load_row(&w->uz[i])));
    if (!c->lanes.volume)
        return;
    moves = number_if_less(zero, load_row(&pack->prepared[v].m_scale[i]), own, zero);
    Number before = load_row(&w->ps[i]);
    store_row(&w->us[i], chosen(moves, s - before, load_row(&w->us[i])));
    store_row(&pack->state[v].s[i], chosen(moves, s, load_row(&pack->state[v].s[i])));
}

INLINE void move_all(const Slices *c) {
    const RodGraph *graph = c->graph;
    const int i = c->lanes.i;
    Number own;
    const Number part = part_of_step(c, &own);
    for (int k = 0; k < graph->sections; ++k) {
        move_slice(c, k, part, own);
        place_members(c, k);
        Number s = load(&c->pack->slice[k].s[i]);
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e)
            move_member(c, graph->section_vertex[e], s, own);
    }
    for (int k = 0; k + 1 < graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        Number4 mean = mean_turn_of(slice_load4(slice->q, i), slice_load4(slice[1].q, i));
        for (int e = graph->slice_begin[k]; e < graph->slice_begin[k + 1]; ++e) {
            int j = graph->slice_segment[e];
            Number4 old = newton_frame(c->pack->state + j, i);
            Number4 q = nearer_turn(old, segment_frame(c, j, mean));
            Number moves = number_if_less(splat(0.0), load_row(&c->pack->prepared[j].m_turn[i]),
                                          own, splat(0.0));
            turn_to(c->lanes, j,
                    (Number4){chosen(moves, q.x, old.x), chosen(moves, q.y, old.y),
                              chosen(moves, q.z, old.z), chosen(moves, q.w, old.w)});
        }
    }
}

// Contacts move where vertices would go alone. What comes of it is found with the factors of the last
// iteration: potentials are not looked at again.
INLINE Number moved_since(const float *aim, const float *seen, int i) {
    return load_row(aim + i) - load_row(seen + i);
}

INLINE void answer_members(const Slices *c, int k, Forces *f) {
    const RodPack *pack = c->pack;
    const RodSlice *slice = pack->slice + k;
    const int i = c->lanes.i;
    const Number by_scale = spread_of(slice, i), zero = splat(0.0);
    for (int e = c->graph->section_begin[k]; e < c->graph->section_begin[k + 1]; ++e) {
        int v = c->graph->section_vertex[e];
        const RodAim *aim = pack->aim + v;
        const SliceMember *member = pack->member + v;
        Number free = load_row(&pack->prepared[v].m[i]);
        Number m = number_if_less(zero, free, load_row(&pack->rest[v].mass[i]), zero);
        Number3 off = {moved_since(aim->ux, member->aim[0], i),
                       moved_since(aim->uy, member->aim[1], i),
                       moved_since(aim->uz, member->aim[2], i)};
        Number3 r = slice_load3(member->lever, i);
        pull_member(f, r, mul3(r, by_scale), mul3(off, m));
        if (!c->lanes.volume)
            continue;
        free = load_row(&pack->prepared[v].m_scale[i]);
        Number swell = number_if_less(zero, free, load_row(&pack->rest[v].scale_inertia[i]), zero);
        f->s += swell * moved_since(aim->us, member->aim[3], i);
    }
}

INLINE void answer_frames(const Slices *c, int k, Sides f) {
    const RodPack *pack = c->pack;
    const int i = c->lanes.i;
    for (int e = c->graph->slice_begin[k]; e < c->graph->slice_begin[k + 1]; ++e) {
        int j = c->graph->slice_segment[e];
        const RodAim *aim = pack->aim + j;
        const SliceMember *member = pack->member + j;
        Number free = load_row(&pack->prepared[j].m_turn[i]), zero = splat(0.0);
        Number half = number_if_less(zero, free, splat(0.5), zero);
        Number across = half * load_row(&pack->rest[j].frame_inertia[i]);
        Number more = half * load_row(&pack->rest[j].spin_inertia[i]) - across;
        Number3 off = {moved_since(aim->tx, member->turn[0], i),
                       moved_since(aim->ty, member->turn[1], i),
                       moved_since(aim->tz, member->turn[2], i)};
        Number3 axis = quat_axis_z(newton_frame(pack->state + j, i));
        Number3 torque = add3(mul3(off, across), mul3(axis, more * dot3(axis, off)));
        f.a->t = add3(f.a->t, torque);
        f.b->t = add3(f.b->t, torque);
    }
}

// As `eliminate` has it, with another right side.
INLINE void carry_down(const Slices *c, int k, const Forces *f, Forces *f_next) {
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    Number r[SLICE_UNKNOWNS] = {f->c.x, f->c.y, f->c.z, f->t.x, f->t.y, f->t.z, f->s};
    Number over[SLICE_UNKNOWNS], next[SLICE_UNKNOWNS];
    int below = 0;
    EACH(n, 0, SLICE_UNKNOWNS) {
        EACH(m, 0, n) r[n] -= load(&slice->lower[below + m][i]) * r[m];
        below += n;
        store(&slice->step[n][i], r[n]);
        over[n] = r[n] * load(&slice->pivot[n][i]);
    }
    EACH(m, 0, SLICE_UNKNOWNS) {
        next[m] = splat(0.0);
        EACH(n, 0, SLICE_UNKNOWNS)
        next[m] -= load(&slice->next[m * SLICE_UNKNOWNS + n][i]) * over[n];
    }
    f_next->c = add3(f_next->c, (Number3){next[0], next[1], next[2]});
    f_next->t = add3(f_next->t, (Number3){next[3], next[4], next[5]});
    f_next->s += next[6];
}

APART answer_aims(const Slices *c) {
    const int sections = c->graph->sections;
    const Forces none = {zero3(), zero3(), splat(0.0)};
    Forces f[2] = {none, none};
    for (int k = 0; k < sections; ++k) {
        const Sides sides = {&f[k & 1], &f[~k & 1]};
        answer_members(c, k, sides.a);
        if (k + 1 < sections)
            answer_frames(c, k, sides);
        carry_down(c, k, sides.a, sides.b);
        *sides.a = none;
    }
}

// What the next answer starts from.
static void remember_aims(const RodPack *pack) {
    for (int j = 0; j < pack->graph->vertices; ++j) {
        const RodAim *aim = pack->aim + j;
        SliceMember *member = pack->member + j;
        const PackRow *from[7] = {&aim->ux, &aim->uy, &aim->uz, &aim->us,
                                  &aim->tx, &aim->ty, &aim->tz};
        for (int n = 0; n < 7; ++n)
            memcpy(n < 4 ? member->aim[n] : member->turn[n - 4], *from[n], sizeof(PackRow));
    }
}

INLINE Slices slices_of(RodPack *pack, int i) {
    return (Slices){.lanes = newton_lanes(pack, i), .pack = pack, .graph = pack->graph};
}

// Sections start from where their vertices would (rod_newton_start_wide.c), with the turns and changes of
// scale that there were.
static void guess_motion(const Slices *c) {
    const RodPack *pack = c->pack;
    const RodGraph *graph = c->graph;
    const int i = c->lanes.i;
    const double h = (double)pack->prepared_h;
    for (int k = 0; k < graph->sections; ++k) {
        RodSlice *slice = pack->slice + k;
        Number3 way = zero3(), w = zero3();
        Number mass = splat(LEAST_PIVOT), swell = splat(0.0);
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e) {
            int j = graph->section_vertex[e], first = sn__graph_segment_at(graph, j);
            const RodState *s = pack->state + j, *g = pack->state + first;
            const RodWork *u = pack->work + j;
            Number m = load_row(&pack->rest[j].mass[i]);
            way = add3(
                way,
                mul3((Number3){load_row(&u->ux[i]), load_row(&u->uy[i]), load_row(&u->uz[i])}, m));
            w = add3(
                w,
                mul3((Number3){load_row(&g->wx[i]), load_row(&g->wy[i]), load_row(&g->wz[i])}, m));
            swell += m * load_row(&s->vs[i]);
            mass += m;
        }
        Number by = h / mass;
        slice_store3(slice->u, i, mul3(way, 1.0 / mass));
        Number4 q = slice_load4(slice->q, i);
        slice_store4(slice->q, i, quat_turned(q, mul3(w, by)));
        if (!c->lanes.volume)
            continue;
        Number s = load(&slice->s[i]) + swell * by;
        store(&slice->s[i], number_max(number_min(s, splat(SCALE_MAX)), splat(SCALE_MIN)));
    }
}

// Squares of forces over masses: what is left of those on the centres of sections that are free, and what
// segments pull with.
static void weigh_slices(RodPack *pack, int i) {
    Slices c = slices_of(pack, i);
    Number left = splat(0.0), pulls = left, zero = left;
    c.pulls = &pulls;
    Front front;
    begin_front(&c, &front);
    for (int k = 0; k < c.graph->sections; ++k) {
        assemble_slice(&c, k, &front);
        Number3 f = front.f[k & 1].c;
        Number spread = load_row(&pack->slice[k].spread[i]);
        left += number_if_less(zero, spread, dot3(f, f), zero);
        leave_slice(k, &front);
    }
    Number by = load_row(&pack->section[0].mass[i]);
    for (int lane = 0; lane < WIDE_DOUBLE && i + lane < pack->lanes; ++lane) {
        pack->residual[0] += left[lane] * by[lane];
        pack->residual[1] += pulls[lane] * by[lane];
    }
}

void WIDE_FUNCTION(rod_slices_residual)(RodPack *pack) {
    pack->residual[0] = pack->residual[1] = 0.0;
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE)
        weigh_slices(pack, i);
}

void WIDE_FUNCTION(rod_slices)(RodPack *pack, SliceSolve solve) {
    if (solve == SLICES_FIRST)
        WIDE_FUNCTION(rod_newton_start)(pack);
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE) {
        const Slices c = slices_of(pack, i);
        if (solve == SLICES_FIRST)
            guess_motion(&c);
        if (solve == SLICES_ANSWER)
            answer_aims(&c);
        else
            assemble_and_eliminate(&c);
        substitute_slices(&c);
        move_all(&c);
    }
    if (pack->touched)
        remember_aims(pack);
}
