// The direct solver of stiff rods and trees: one Newton iteration of the system (18) of Deul et al.,
// exactly, in one pass up the tree and one down.
//
// A joint holds a point of a segment to a point of its parent, C_s = p_parent − p = 0, and resists
// turning: with the unit quaternion rel between the two frames, as they were at rest, the strain is
// C_b = 2 Im(rel), in radians for small ones. Its energy is ½ Σ k C_b², k = E I/l or G J/l (eq. 8
// with the length that it lacks). Strain per turn θ of the segment against its parent is A θ, with
// A = (w − [v]×) Rᵀ, rel = (v, w), and R the stem's rotation: the same for both, but for the sign.
//
// On the way up, a segment and all below it act on the segment's own joint as one inertia
//   N = [a bᵀ; b d] with the right side g,
// in terms of the point's displacement t and the turn θ. The joint is rigid in t, and gives way in θ
// with the stiffness K = h² Aᵀ k A, or a third of it (scheme.h). With θ = θ_parent − slack + φ and t = t_parent + gap, where slack
// and gap are what would settle the constraints C + α̃λ, and the residual forces that this leaves
//   ĝ = g − N·(gap, −slack),
// one finds φ = X (ĝ_θ − b t_parent − d θ_parent), X = (d + K)⁻¹, and what the parent feels is
//   a − bᵀXb,  K X b,  K X d,  and  ĝ_t − bᵀXĝ_θ,  K X ĝ_θ.
// None of it needs 1/k or 1/K: it holds from free hinges to rigid joints. The inverses are of 3×3
// matrices, where a general factorisation has two of 6×6.
//
// The multiplier of a joint is kept as the strain σ = −α̃λ that it stands for; a solve adds A φ.
#include <assert.h>

#include "stiff/fronts.h"
#include "stiff/lanes.h"
#include "stiff/sums.h"
#include "stiff/wide.h"

// A joint is bent by less than 2 arccos of this, as far as its gradient is concerned.
#define COSINE_MIN 0.3
// Strain that one solve settles at most, rad: beyond that, its gradient says little.
#define SETTLE_MAX 1.0
// For lanes that are not in use.
#define MASS_MIN 1e-300

// Geometry of the joint between a segment and its parent.
typedef struct Joint {
    Wide3 axis, up;   // of the segment, and of its parent
    Wide3 gap, slack; // what settles its constraints
    Wide3 run;        // from the parent's own joint to this one
    Wide4 rel;        // its rotation from rest; the real part × sign
    WideMat strain;   // A
    WideSym stiff;    // K
    Wide residual;
} Joint;

INLINE Joint joint_at(const Grove *g, int r, int i, double h) {
    const StiffRow *row = &g->row[r];
    const StiffRest *c = &g->rest[r];
    const StiffMotion *m = &g->motion[r];
    Pose own = pose_of(&g->state[r], i), up = parent_pose(g, row, i);
    Joint j;
    j.axis = quat_axis_z(own.q);
    j.up = quat_axis_z(up.q);
    Wide run = load(&c->run[i]), far = load(&c->far[i]);
    if (g->stretch) {
        run += longer_by(g, r, i);
        far += longer_by(g, r, i);
    }
    j.run = mul3(j.up, run);
    j.gap = sub3(add3(up.x, mul3(j.up, far)), add3(own.x, mul3(j.axis, load(&c->end[i]))));

    Wide sign = load(&c->sign[i]);
    Wide4 stem, rel = bent(c, i, own.q, up.q, &stem);
    Wide3 v = {rel.x, rel.y, rel.z};
    Wide w = rel.w;
    Wide3 left = sub3(mul3(v, splat(2.0)), load3(&m->sx, i));
    if (!g->undamped)
        left = sub3(left, load3(&m->dx, i));
    // A hinge has no strain to settle.
    Wide3 k = load3(&c->kx, i);
    Wide most = wide_sqrt(dot3(left, left)) * (1.0 / SETTLE_MAX);
    Wide share = 1.0 / wide_max(most, splat(1.0));
    left = mul3(left, wide_if_less(splat(0.0), k.x + k.y + k.z, share, splat(0.0)));

    // A⁻¹ = R (w + vvᵀ/w + [v]×), for a unit quaternion.
    Wide3 rx = quat_axis_x(stem), ry = quat_axis_y(stem), rz = quat_axis_z(stem);
    Wide3 back = add3(add3(mul3(left, w), cross3(v, left)),
                      mul3(v, dot3(v, left) / wide_max(w, splat(COSINE_MIN))));
    j.slack = mul3(add3(add3(mul3(rx, back.x), mul3(ry, back.y)), mul3(rz, back.z)), sign);

    Wide sw = sign * w;
    j.rel = (Wide4){v.x, v.y, v.z, sw};
    Wide3 sv = mul3(v, sign);
    j.strain.x = add3(mul3(rx, sw), sub3(mul3(ry, sv.z), mul3(rz, sv.y)));
    j.strain.y = add3(mul3(ry, sw), sub3(mul3(rz, sv.x), mul3(rx, sv.z)));
    j.strain.z = add3(mul3(rz, sw), sub3(mul3(rx, sv.y), mul3(ry, sv.x)));

    Wide gain = share_of(load(&c->second[i])) * (h * (h + load(&c->damping[i])));
    Wide3 kx = mul3(j.strain.x, gain * k.x);
    Wide3 ky = mul3(j.strain.y, gain * k.y);
    Wide3 kz = mul3(j.strain.z, gain * k.z);
    j.stiff.xx = kx.x * j.strain.x.x + ky.x * j.strain.y.x + kz.x * j.strain.z.x;
    j.stiff.xy = kx.x * j.strain.x.y + ky.x * j.strain.y.y + kz.x * j.strain.z.y;
    j.stiff.xz = kx.x * j.strain.x.z + ky.x * j.strain.y.z + kz.x * j.strain.z.z;
    j.stiff.yy = kx.y * j.strain.x.y + ky.y * j.strain.y.y + kz.y * j.strain.z.y;
    j.stiff.yz = kx.y * j.strain.x.z + ky.y * j.strain.y.z + kz.y * j.strain.z.z;
    j.stiff.zz = kx.z * j.strain.x.z + ky.z * j.strain.y.z + kz.z * j.strain.z.z;

    j.residual = wide_max(wide_max(wide_abs(left.x), wide_abs(left.y)), wide_abs(left.z));
    return j;
}

// [r]× m, and m [r]×ᵀ … as rows and columns of cross products.
INLINE WideMat cross_mat(Wide3 r, WideMat m) {
    return (WideMat){sub3(mul3(m.z, r.y), mul3(m.y, r.z)), sub3(mul3(m.x, r.z), mul3(m.z, r.x)),
                     sub3(mul3(m.y, r.x), mul3(m.x, r.y))};
}

// The same about a point that is `run` before: t there plus θ × run is t here.
INLINE Load moved(Load l, Wide3 r) {
    Load out = {.a = l.a, .g_t = l.g_t, .g_r = add3(l.g_r, cross3(r, l.g_t))};
    WideMat ra = cross_mat(r, full(l.a));
    out.b = (WideMat){add3(l.b.x, ra.x), add3(l.b.y, ra.y), add3(l.b.z, ra.z)};
    // d + [r] bᵀ − b₁ [r]; row i of −b₁[r] is r × (row i of b₁), and [r] bᵀ is its like with b.
    Wide3 x = cross3(r, out.b.x), y = cross3(r, out.b.y), z = cross3(r, out.b.z);
    Wide3 bx = cross3(r, l.b.x), by = cross3(r, l.b.y), bz = cross3(r, l.b.z);
    out.d = (WideSym){l.d.xx + x.x + bx.x, l.d.xy + x.y + by.x, l.d.xz + x.z + bz.x,
                      l.d.yy + y.y + by.y, l.d.yz + y.z + bz.y, l.d.zz + z.z + bz.z};
    return out;
}

// The segment and all below it, l, about its own joint.
INLINE Load inertia_at(Grove *g, int r, int i, Wide3 axis, Load l) {
    const StiffRest *c = &g->rest[r];
    const StiffState *s = &g->state[r];
    StiffMotion *motion = &g->motion[r];
    Wide m = load(&c->mass[i]), end = load(&c->end[i]);
    Wide4 q = pose_of(s, i).q;
    Wide3 p = {splat(0.0), splat(0.0), splat(0.0)}, turn = p, about = p;
    if (!g->correct) {
        p = load3(&motion->kx, i);
        about = load3(&motion->ux, i);
        turn = sub3(about, cross3(mul3(axis, end), p));
    }
    if (!g->calm) {
        Wide3 none = {splat(0.0), splat(0.0), splat(0.0)};
        Wide3 push = load3(&motion->px, i), lever = load3(&motion->ex, i);
        Wide3 besides = load3(&motion->mx, i);
        p = add3(p, push);
        about = add3(about, besides);
        turn = add3(turn, add3(besides, cross3(axis, lever)));
        store3(&motion->px, i, none);
        store3(&motion->ex, i, none);
        store3(&motion->mx, i, none);
        // Where it acts turns with the segment in the solves that follow.
        lever = add3(lever, mul3(push, end));
        store3(&motion->lx, i, sub3(load3(&motion->lx, i), lever));
    }
    if (!g->correct || !g->calm) {
        Wide3 by = mul3(p, 1.0 / wide_max(m, splat(MASS_MIN)));
        l.g_t = add3(l.g_t, p);
        l.g_r = add3(l.g_r, turn);
        store3(&motion->fx, i, add3(load3(&motion->fx, i), by));
        store3(&motion->nx, i, add3(load3(&motion->nx, i), about));
    }
    l.a.xx += m;
    l.a.yy += m;
    l.a.zz += m;
    Inertia own = own_inertia(g, r, i, axis, quat_axis_x(q));
    Wide3 s_m = own.arm;
    l.b.x.y -= s_m.z;
    l.b.x.z += s_m.y;
    l.b.y.x += s_m.z;
    l.b.y.z -= s_m.x;
    l.b.z.x -= s_m.y;
    l.b.z.y += s_m.x;
    Wide3 along = mul3(axis, own.along), flat = mul3(own.side, own.flat);
    l.d.xx += own.round + along.x * axis.x + flat.x * own.side.x;
    l.d.xy += along.x * axis.y + flat.x * own.side.y;
    l.d.xz += along.x * axis.z + flat.x * own.side.z;
    l.d.yy += own.round + along.y * axis.y + flat.y * own.side.y;
    l.d.yz += along.y * axis.z + flat.y * own.side.z;
    l.d.zz += own.round + along.z * axis.z + flat.z * own.side.z;
    return l;
}

INLINE void keep_joint(StiffFactor *f, int i, const Joint *j, bool tight) {
    store3(&f->vx, i, (Wide3){j->rel.x, j->rel.y, j->rel.z});
    store(&f->vw[i], j->rel.w);
    if (!tight)
        store3(&f->gap_x, i, j->gap);
    store3(&f->slack_x, i, j->slack);
    store3(&f->run_x, i, j->run);
}

// The moment of a joint on its segment: −Aᵀ k σ.
INLINE Wide3 moment_of(const Grove *g, int r, int i, const Joint *j, double h) {
    const StiffRest *c = &g->rest[r];
    Wide gain = -share_of(load(&c->second[i])) * (h * (h + load(&c->damping[i])));
    Wide3 k = load3(&c->kx, i), strain = load3(&g->motion[r].sx, i);
    Wide3 stress = {gain * k.x * strain.x, gain * k.y * strain.y, gain * k.z * strain.z};
    return transposed_mul3(j->strain, stress);
}

// The moment that is out of balance, with all forces as they are now:
//   I Δθ = Σ r × F + moments,  F from m Δx = Σ F for the segment and all below it.
// Newton's equations (16) are met by the displacements of each solve with the gradients of before
// it; without this, forces that turn are explicit, and bent rods never rest.
typedef struct Balance {
    Wide3 left;   // of the segment, but for what its children have handed over
    Wide3 moment; // that the joint's pull and moment leave to the parent
    Wide3 pull;   // of the joint, and all of the segment's children
    Wide tension; // how it resists the parent's turning
} Balance;

INLINE Balance balance_at(Grove *g, int r, int i, const Joint *j, double h,
                          const StiffLanes *below) {
    const StiffRest *c = &g->rest[r];
    StiffState *s = &g->state[r];
    const StiffMotion *m = &g->motion[r];
    Pose own = pose_of(s, i);
    Balance out;
    Wide3 by = mul3(sub3(own.x, load3(&m->fx, i)), load(&c->mass[i]));
    out.pull = below ? add3(by, load3(&below[SUM_PULL], i)) : by;
    Wide3 lever = mul3(out.pull, load(&c->end[i]));
    if (g->still_begin > g->prop_begin || g->loop_count > 0 || !g->calm)
        lever = sub3(lever, load3(&m->lx, i));
    Wide tension = dot3(lever, j->axis);
    if (below)
        tension -= load(&below[SUM_TENSION][i]);
    store(&s->tension[i], per_share(load(&c->second[i])) * wide_max(tension, splat(0.0)));
    Wide3 moment = moment_of(g, r, i, j, h);
    Wide reach = load(&c->far[i]);
    if (g->stretch)
        reach += longer_by(g, r, i);
    Wide3 far = mul3(out.pull, reach);
    out.tension = dot3(far, j->up);
    out.moment = sub3(cross3(far, j->up), moment);

    Wide4 old = {load(&m->gx[i]), load(&m->gy[i]), load(&m->gz[i]), load(&m->gw[i])};
    Wide4 rel = quat_mul(own.q, quat_conjugate(old));
    Wide per_w = 2.0 / wide_max(wide_abs(rel.w), splat(0.1));
    Wide3 turn = {wide_flip_by(rel.x * per_w, rel.w), wide_flip_by(rel.y * per_w, rel.w),
                  wide_flip_by(rel.z * per_w, rel.w)};
    Wide i1 = load(&c->i1[i]), i2 = load(&c->i2[i]), i3 = load(&c->i3[i]);
    Wide3 side = quat_axis_x(own.q);
    Wide3 spin = add3(mul3(turn, i2), add3(mul3(side, (i1 - i2) * dot3(side, turn)),
                                           mul3(j->axis, (i3 - i2) * dot3(j->axis, turn))));
    Wide3 forces = add3(cross3(j->axis, lever), load3(&m->nx, i));
    out.left = sub3(add3(forces, moment), spin);
    return out;
}

// The gap as far as it is to be settled: ways down close the joints of trees that stand on something, but
// for rounding.
INLINE Wide3 closed(const Grove *g, int r, int i, Wide3 gap) {
    Wide zero = splat(0.0);
    if (g->row[r].tight)
        return (Wide3){zero, zero, zero};
    gap = mul3(gap, load(&g->rest[r].hold[i]));
    if (!g->correct)
        return gap;
    Wide rooted = load(&g->rest[r].rooted[i]);
    return (Wide3){wide_if_less(zero, rooted, zero, gap.x), wide_if_less(zero, rooted, zero, gap.y),
                   wide_if_less(zero, rooted, zero, gap.z)};
}

// What the multiplier stands for so far, instead of how long the way to the joint is.
INLINE Wide3 unstretched(const Grove *g, int r, int i, Wide3 gap, Wide3 along) {
    const StiffStretch *s = &g->stretch[r];
    Wide more = load(&s->held[i]) + load(&s->strain[i]) - load(&s->longer[i]);
    return if_stretching(s, i, add3(gap, mul3(along, more)), gap);
}

// What the parent feels of a joint that gives way along u.
INLINE Load stretched(Grove *g, int r, int i, double h, Load whole, Wide3 u) {
    const StiffRest *c = &g->rest[r];
    StiffStretch *s = &g->stretch[r];
    Wide gain = share_of(load(&c->second[i])) * (h * (h + load(&c->damping[i])));
    Wide give = load(&s->give[i]) / gain;
    Load l = whole;
    Wide3 a = sym_mul3(l.a, u), b = mat_mul3(l.b, u);
    Wide share = give / (1.0 + give * dot3(u, a)), g_u = dot3(u, l.g_t);
    Wide3 sa = mul3(a, share), sb = mul3(b, share);
    store3(s->u, i, u);
    store3(s->a, i, sa);
    store3(s->b, i, sb);
    store(&s->share[i], share);
    store(&s->right[i], share * g_u);
    l.a = (WideSym){l.a.xx - sa.x * a.x, l.a.xy - sa.x * a.y, l.a.xz - sa.x * a.z,
                    l.a.yy - sa.y * a.y, l.a.yz - sa.y * a.z, l.a.zz - sa.z * a.z};
    l.b = (WideMat){sub3(l.b.x, mul3(sa, b.x)), sub3(l.b.y, mul3(sa, b.y)),
                    sub3(l.b.z, mul3(sa, b.z))};
    l.d = (WideSym){l.d.xx - sb.x * b.x, l.d.xy - sb.x * b.y, l.d.xz - sb.x * b.z,
                    l.d.yy - sb.y * b.y, l.d.yz - sb.y * b.z, l.d.zz - sb.z * b.z};
    l.g_t = sub3(l.g_t, mul3(sa, g_u));
    l.g_r = sub3(l.g_r, mul3(sb, g_u));
    return choose_load(give, l, whole);
}

// For the fronts of trees with loops: the segment alone, and its joint.
INLINE void keep_pivot(const Grove *g, int r, int i, const Joint *j, double h) {
    const StiffRest *c = &g->rest[r];
    StiffPivotRow *p = &g->fronts->row[r];
    Inertia own = own_inertia(g, r, i, j->axis, quat_axis_x(pose_of(&g->state[r], i).q));
    Wide3 along = mul3(j->axis, own.along), flat = mul3(own.side, own.flat);
    store3(p->arm, i, own.arm);
    store_sym(p->stiff, i, j->stiff);
    store_sym(p->d, i,
              (WideSym){own.round + along.x * j->axis.x + flat.x * own.side.x,
                        along.x * j->axis.y + flat.x * own.side.y,
                        along.x * j->axis.z + flat.x * own.side.z,
                        own.round + along.y * j->axis.y + flat.y * own.side.y,
                        along.y * j->axis.z + flat.y * own.side.z,
                        own.round + along.z * j->axis.z + flat.z * own.side.z});
    if (g->stretch)
        store(&p->give[i], load(&g->stretch[r].give[i]) /
                               (share_of(load(&c->second[i])) * (h * (h + load(&c->damping[i])))));
}

// `below`: what its children have brought, NULL: it has none.
INLINE Wide segment_up(Grove *g, int r, int i, double h, const StiffLanes *below, StiffLanes *out) {
    StiffFactor *f = &g->factor[r];
    Joint j = joint_at(g, r, i, h);
    j.gap = closed(g, r, i, j.gap);
    if (g->stretch)
        j.gap = unstretched(g, r, i, j.gap, j.up);
    Wide zero = splat(0.0);
    Wide3 none = {zero, zero, zero};
    Load n = below ? load_of(below, i) : no_load();
    Balance balance = {none, none, none, zero};
    if (g->correct)
        balance = balance_at(g, r, i, &j, h, below);
    n = inertia_at(g, r, i, j.axis, n);
    n.g_r = add3(n.g_r, balance.left);
    Wide3 g_t = add3(n.g_t, transposed_mul3(n.b, j.slack));
    Wide3 g_r = add3(n.g_r, sym_mul3(n.d, j.slack));
    if (!g->row[r].tight) {
        g_t = if_gaping(g, r, i, sub3(g_t, sym_mul3(n.a, j.gap)), g_t);
        g_r = if_gaping(g, r, i, sub3(g_r, mat_mul3(n.b, j.gap)), g_r);
    }

    WideSym x = sym_inverse(add_sym(n.d, j.stiff));
    WideMat z = sym_mul(x, n.b), y = sym_mul(x, full(n.d));
    Wide3 right = sym_mul3(x, g_r);
    if (any_bare(&g->row[r]) || asked(g))
        store_sym(f->compliance, i, x);
    if (below || asked(g)) {
        store_mat(f->t, i, z);
        store_mat(f->r, i, y);
    }
    store3(&f->right_x, i, right);
    keep_joint(f, i, &j, g->row[r].tight);
    if (g->fronts)
        keep_pivot(g, r, i, &j, h);

    Load up;
    // a − bᵀ z
    WideMat b = n.b;
    up.a.xx = n.a.xx - (b.x.x * z.x.x + b.y.x * z.y.x + b.z.x * z.z.x);
    up.a.xy = n.a.xy - (b.x.x * z.x.y + b.y.x * z.y.y + b.z.x * z.z.y);
    up.a.xz = n.a.xz - (b.x.x * z.x.z + b.y.x * z.y.z + b.z.x * z.z.z);
    up.a.yy = n.a.yy - (b.x.y * z.x.y + b.y.y * z.y.y + b.z.y * z.z.y);
    up.a.yz = n.a.yz - (b.x.y * z.x.z + b.y.y * z.y.z + b.z.y * z.z.z);
    up.a.zz = n.a.zz - (b.x.z * z.x.z + b.y.z * z.y.z + b.z.z * z.z.z);
    up.b = sym_mul(j.stiff, z);
    WideMat d = sym_mul(j.stiff, y);
    up.d = (WideSym){d.x.x, d.x.y, d.x.z, d.y.y, d.y.z, d.z.z};
    up.g_t = sub3(g_t, transposed_mul3(n.b, right));
    up.g_r = sym_mul3(j.stiff, right);
    if (g->stretch)
        up = stretched(g, r, i, h, up, j.up);
    up = moved(up, j.run);
    up.g_r = add3(up.g_r, balance.moment);
    keep_load(out, i, up);
    keep_pull(out, i, balance.pull, balance.tension);
    Wide stretch = wide_max(wide_max(wide_abs(j.gap.x), wide_abs(j.gap.y)), wide_abs(j.gap.z));
    return wide_max(j.residual, stretch);
}

// A child that cannot move: the parent feels the stiffness of the joint, and that of its point.
INLINE Wide prop_up(Grove *g, int r, int i, double h, StiffLanes *out) {
    Joint j = joint_at(g, r, i, h);
    Wide zero = splat(0.0), hold = load(&g->rest[r].hold[i]);
    Wide firm = hold * share_of(load(&g->rest[r].second[i])) * (h * h);
    Wide k = wide_if_less(zero, hold, wide_max(firm, load(&g->rest[r].mass[i])), zero);
    keep_joint(&g->factor[r], i, &j, false);
    if (g->fronts)
        store_sym(g->fronts->row[r].stiff, i, j.stiff);
    store(&g->factor[r].right_x[i], k);
    Load up = {.a = {k, zero, zero, k, zero, k},
               .b = {{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}},
               .d = j.stiff,
               .g_t = sub3(mul3(j.gap, -k), load3(&g->motion[r].ox, i)),
               .g_r = sym_mul3(j.stiff, j.slack)};
    up = moved(up, j.run);
    if (g->correct)
        up.g_r = sub3(up.g_r, moment_of(g, r, i, &j, h));
    keep_load(out, i, up);
    keep_pull(out, i, (Wide3){zero, zero, zero}, zero);
    Wide3 left = add3(j.gap, mul3(load3(&g->motion[r].ox, i), 1.0 / wide_max(k, splat(MASS_MIN))));
    Wide stretch = wide_max(wide_max(wide_abs(left.x), wide_abs(left.y)), wide_abs(left.z));
    return wide_max(j.residual, wide_if_less(zero, k, stretch, zero));
}

INLINE void fetch_up(const Grove *g, int r) {
    fetch(&g->state[r].x, &g->state[r].vx);
    fetch(&g->rest[r].mass, &g->rest[r].rooted);
    fetch(&g->motion[r].sx, &g->motion[r].ox);
    fetch_factor(g, r);
}

double WIDE_FUNCTION(stiff_up)(Grove *g, StiffSum *sums, int begin, int exports, int end,
                               double h) {
    assert(begin <= exports && exports <= end && end <= g->still_begin && h > 0.0);
    Wide worst = splat(0.0);
    for (int r = begin; r < end; ++r) {
        if (r + AHEAD < end)
            fetch_up(g, r + AHEAD);
        StiffSum brought, out, turned, *sum = &out;
        StiffRow *row = &g->row[r];
        const StiffLanes *below = NULL;
        if (row->laden != 0) {
            below = row->straight ? sums[r - begin].f : brought.f;
            if (!row->straight)
                by_field(&sums[r - begin], &brought);
        }
        row->tight = g->correct && row->standing && !asked(g) && !g->stretch;
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide left = row->kind == ROW_PROP ? prop_up(g, r, i, h, out.f)
                                              : segment_up(g, r, i, h, below, out.f);
            worst = wide_max(worst, left);
            if (below && row->straight)
                clear_sum(sums[r - begin].f, i);
        }
        if (!goes_straight(g, r))
            by_segment(&out, sum = &turned);
        if (r < exports)
            hand_over(g, r, sum, sums, begin);
        else
            g->sum[r] = *sum;
    }
    double most = 0.0;
    for (int k = 0; k < WIDE_DOUBLE; ++k)
        most = worst[k] > most ? worst[k] : most;
    return most;
}

void WIDE_FUNCTION(stiff_import)(Grove *g, int begin, int end) {
    for (int r = begin; r < end; ++r) {
        StiffSum sum = g->sum[r];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
            clear_sum(g->sum[r].f, i);
        hand_over(g, r, &sum, g->sum, 0);
    }
}

// Only the place of a free tree is left to solve for: nothing resists its turning, so its root has
// already been solved for the turn.
void WIDE_FUNCTION(stiff_ground)(Grove *g) {
    for (int r = g->still_begin; r < g->rows; ++r) {
        StiffSum sum = g->sum[r];
        if (!g->row[r].straight)
            by_field(&g->sum[r], &sum);
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            if (r >= g->loose_begin) {
                WideSym a = load_sym(&sum.f[SUM_A], i);
                // Lanes that are not in use.
                Wide idle = wide_if_less(splat(0.0), a.xx, splat(0.0), splat(1.0));
                a.xx += idle;
                a.yy += idle;
                a.zz += idle;
                WideSym compliance = sym_inverse(a);
                store3(&g->motion[r].tx, i, sym_mul3(compliance, load3(&sum.f[SUM_G], i)));
                if (g->compliance)
                    store_sym(g->compliance[r].tt, i, compliance);
                if (g->response)
                    store_sym(g->response[r].a, i, compliance);
            }
            clear_sum(g->sum[r].f, i);
        }
    }
}
