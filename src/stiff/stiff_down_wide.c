// The way down of the direct solver: from factors to motions and new poses. See stiff_solve_wide.c for
// the letters.
#include <assert.h>

#include "stiff/lanes.h"
#include "stiff/wide.h"

// The segment turns, and goes where its joint is: that of a tree that stands on something never gapes,
// however far it turns. A free tree goes as the linear solution says, which keeps its momentum.
INLINE void move_segment(Grove *g, int r, int i, Wide3 t, Wide3 turn) {
    StiffState *s = &g->state[r];
    const StiffRest *c = &g->rest[r];
    Pose own = pose_of(s, i), up = parent_pose(g, &g->row[r], i);
    Wide end = load(&c->end[i]), rooted = load(&c->rooted[i]), half = splat(0.5);
    Wide3 free = add3(own.x, sub3(t, cross3(turn, mul3(quat_axis_z(own.q), end))));
    Wide4 q = quat_turned(own.q, turn);
    Wide far = load(&c->far[i]);
    if (g->stretch)
        far += longer_by(g, r, i);
    Wide3 joint = add3(up.x, mul3(quat_axis_z(up.q), far));
    Wide3 held = sub3(joint, mul3(quat_axis_z(q), end));
    store3(&s->x, i,
           (Wide3){wide_if_less(half, rooted, held.x, free.x),
                   wide_if_less(half, rooted, held.y, free.y),
                   wide_if_less(half, rooted, held.z, free.z)});
    store(&s->qx[i], q.x);
    store(&s->qy[i], q.y);
    store(&s->qz[i], q.z);
    store(&s->qw[i], q.w);
}

// Z t + D θ_parent of a segment that has nothing but its own inertia.
INLINE Wide3 held_by_own(const Grove *g, int r, int i, Wide3 t, Wide3 turn) {
    Wide4 q = pose_of(&g->state[r], i).q;
    Wide3 axis = quat_axis_z(q);
    Inertia own = own_inertia(g, r, i, axis, quat_axis_x(q));
    Wide3 moment = add3(cross3(own.arm, t), mul3(turn, own.round));
    moment = add3(moment, add3(mul3(axis, own.along * dot3(axis, turn)),
                               mul3(own.side, own.flat * dot3(own.side, turn))));
    return sym_mul3(load_sym(g->factor[r].compliance, i), moment);
}

// Z t + D θ_parent, lane by lane the one way or the other.
INLINE Wide3 held_back(const Grove *g, int r, int i, Wide3 t, Wide3 turn) {
    const StiffRow *row = &g->row[r];
    const StiffFactor *f = &g->factor[r];
    if (row->laden == 0)
        return held_by_own(g, r, i, t, turn);
    Wide3 all = add3(mat_mul3(load_mat(f->t, i), t), mat_mul3(load_mat(f->r, i), turn));
    if (!any_bare(row))
        return all;
    Wide3 own = held_by_own(g, r, i, t, turn);
    StiffLanes laden;
    for (int k = 0; k < WIDE_DOUBLE; ++k)
        laden[k] = (double)(row->laden >> (i + k) & 1);
    Wide zero = splat(0.0), pick = load(laden);
    return (Wide3){wide_if_less(zero, pick, all.x, own.x), wide_if_less(zero, pick, all.y, own.y),
                   wide_if_less(zero, pick, all.z, own.z)};
}

// A φ. From the segment's frame instead of its stem's, A is w + [v]×.
INLINE Wide3 strain_by(const Grove *g, int r, int i, Wide3 turn) {
    const StiffFactor *f = &g->factor[r];
    const StiffRest *c = &g->rest[r];
    Wide4 q = pose_of(&g->state[r], i).q;
    if (!g->row[r].forward) {
        Wide4 rest = {load(&c->ux[i]), load(&c->uy[i]), load(&c->uz[i]), load(&c->uw[i])};
        q = choose(load(&c->sign[i]), q, quat_mul(q, rest));
    }
    Wide3 by = {dot3(quat_axis_x(q), turn), dot3(quat_axis_y(q), turn), dot3(quat_axis_z(q), turn)};
    return add3(mul3(by, load(&f->vw[i])), cross3(load3(&f->vx, i), by));
}

// The impulse × h of a prop in this solve, with the point of the segment that it holds at t.
INLINE void pull_held(Grove *g, int r, int i, Wide3 t) {
    const StiffFactor *f = &g->factor[r];
    StiffMotion *m = &g->motion[r];
    Wide3 all = mul3(add3(load3(&f->gap_x, i), t), -load(&f->right_x[i]));
    store3(&m->tx, i, sub3(all, load3(&m->ox, i)));
    store3(&m->ox, i, all);
}

// As an impulse × h on the segment.
static void push_held(Grove *g, int r) {
    const StiffRow *row = &g->row[r];
    const StiffMotion *by = &g->motion[r];
    for (int i = 0; i < row->count; ++i) {
        StiffMotion *m = &g->motion[row->parent[i] / STIFF_LANES];
        int lane = row->parent[i] % STIFF_LANES;
        double far = g->rest[r].far[i];
        double mass = g->rest[row->parent[i] / STIFF_LANES].mass[lane];
        m->fx[lane] += by->tx[i] / mass;
        m->fy[lane] += by->ty[i] / mass;
        m->fz[lane] += by->tz[i] / mass;
        m->lx[lane] -= far * by->tx[i];
        m->ly[lane] -= far * by->ty[i];
        m->lz[lane] -= far * by->tz[i];
    }
}

// The way to the joint gets longer, at most twice as long.
INLINE Wide3 stretch(StiffStretch *s, int i, Wide3 t, Wide3 turn) {
    Wide by = stretched_by(s, i, load(&s->right[i]), t, turn), most = load(&s->most[i]);
    Wide strain = load(&s->strain[i]) + by, longer = load(&s->held[i]) + strain;
    store(&s->strain[i], strain);
    store(&s->longer[i], wide_max(wide_min(longer, most), -most));
    return along_stretch(s, i, t, by);
}

INLINE void fetch_down(const Grove *g, int r) {
    fetch_factor(g, r);
    fetch(&g->motion[r].tx, &g->motion[r].fx);
    fetch(&g->state[r].x, &g->state[r].tension);
}

double WIDE_FUNCTION(stiff_down)(Grove *g, int begin, int end) {
    assert(begin >= 0 && end <= g->still_begin);
    Wide farthest = splat(0.0);
    for (int r = end; r-- > begin;) {
        if (r - AHEAD >= begin)
            fetch_down(g, r - AHEAD);
        const StiffRow *row = &g->row[r];
        const StiffFactor *f = &g->factor[r];
        StiffMotion *m = &g->motion[r];
        bool prop = row->kind == ROW_PROP, stretches = g->stretch && !prop;
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide up[6];
            gather(g->motion, sizeof(StiffMotion), row, i, 6, up);
            Wide3 up_turn = {up[3], up[4], up[5]};
            Wide3 t = add3((Wide3){up[0], up[1], up[2]}, cross3(up_turn, load3(&f->run_x, i)));
            if (stretches)
                t = stretch(&g->stretch[r], i, t, up_turn);
            Wide3 slack = load3(&f->slack_x, i);
            Wide3 compliance = sub3(slack, up_turn);
            if (!prop)
                compliance = sub3(load3(&f->right_x, i), held_back(g, r, i, t, up_turn));
            store3(&m->sx, i, add3(load3(&m->sx, i), strain_by(g, r, i, compliance)));
            if (prop) {
                pull_held(g, r, i, t);
                continue;
            }
            Wide3 turn = add3(sub3(up_turn, slack), compliance);
            if (!row->tight)
                t = if_gaping(g, r, i, add3(t, load3(&f->gap_x, i)), t);
            store3(&m->tx, i, t);
            store3(&m->rx, i, turn);
            farthest = wide_max(farthest, dot3(turn, turn));
            move_segment(g, r, i, t, turn);
        }
        if (prop)
            push_held(g, r);
    }
    double most = 0.0;
    for (int k = 0; k < WIDE_DOUBLE; ++k)
        most = farthest[k] > most ? farthest[k] : most;
    return most;
}
