// One pass over general contacts whose sides turn as a whole about one knot, or stand still: particles of solids,
// rigid bodies. The same as in contact_general.c, operation by operation, so with the same bits.
#include "collide/contact_general.h"
#include "collide/contact_rules.h"
#include "collide/wide.h"
#include "math/lines.h"

// One side of the contacts of all lanes.
typedef struct Side {
    Wide3 motion, turn, arm;
    Wide3 push, turn_push; // out of overlaps
    Wide mobility;
    WideSym inverse;
} Side;

typedef struct Answers {
    Wide nn, n1, n2, a11, a12, a22, most, radii;
} Answers;

_Static_assert(sizeof(ContactAnswers) == LINE * sizeof(double), "read and written as a line");

typedef struct Meeting {
    Side side[2];
    Wide3 n, t1, t2, slip;
    Wide gap, warm, mu, compliance, line;
    Answers G;
} Meeting;

// Of WIDE_DOUBLE lanes of a batch, from `at` on. Lanes beyond its contacts are those of the last one.
typedef struct Part {
    ContactBatch *batch;
    ContactGeneral *general[WIDE_DOUBLE];
    const ContactRun *run;
    int at, count;
} Part;

INLINE Wide row(const Part *p, const float *row) { return load_floats(&row[p->at]); }
INLINE Wide3 three_rows(const Part *p, const float *x, const float *y, const float *z) {
    return (Wide3){row(p, x), row(p, y), row(p, z)};
}
INLINE void set_row(const Part *p, float *row, Wide a) { store_floats(&row[p->at], a); }
INLINE Wide if_positive(Wide a, Wide x, Wide y) { return wide_if_less(splat(0.0), a, x, y); }
INLINE Wide3 negative(Wide3 a) { return mul3(a, splat(-1.0)); }

INLINE Side load_side(const Part *p, int k) {
    const float *start[WIDE_DOUBLE], *push[WIDE_DOUBLE], *turn[WIDE_DOUBLE], *more[WIDE_DOUBLE],
        *arm[WIDE_DOUBLE];
    for (int l = 0; l < WIDE_DOUBLE; ++l) {
        const ContactSide *s = &p->general[l]->side[k];
        int knot = s->count > 0 ? s->knot[0] : 0;
        start[l] = p->run->knots[knot].start;
        push[l] = p->run->knots[knot].push;
        turn[l] = p->run->turns[s->turn].inverse;
        more[l] = p->run->turns[s->turn].turn;
        arm[l] = s->arm;
    }
    Lines a = load_float_lines(start), b = load_float_lines(push), c = load_float_lines(turn);
    Lines d = load_float_lines(more), e = load_float_lines(arm);
    return (Side){.motion = three_at(&a, 4),
                  .push = three_at(&b, 0),
                  .mobility = b.v[4],
                  .inverse = sym_at(&c, 0),
                  .turn = three_at(&d, 0),
                  .turn_push = three_at(&d, 4),
                  .arm = three_at(&e, 0)};
}

// r × d
INLINE Wide3 lever(const Side *s, Wide3 d) { return cross3(s->arm, d); }

INLINE Wide response(const Meeting *m, Wide3 d, Wide3 e) {
    Wide turning = splat(0.0);
    for (int k = 0; k < 2; ++k) {
        const Side *s = &m->side[k];
        turning += dot3(lever(s, d), sym_mul3(s->inverse, lever(s, e)));
    }
    return dot3(d, e) * m->line + turning;
}

INLINE Wide most_response(const Meeting *m) {
    Wide most = m->line;
    for (int k = 0; k < 2; ++k) {
        WideSym i = m->side[k].inverse;
        most += dot3(m->side[k].arm, m->side[k].arm) * (i.xx + i.yy + i.zz);
    }
    return most;
}

// As sn__general_across.
INLINE void find_across(Meeting *m) {
    Wide none = splat(0.0), one = splat(1.0), half = splat(0.5), x = wide_abs(m->n.x);
    Wide3 other = {wide_if_less(x, half, one, none), wide_if_less(x, half, none, one), none};
    Wide3 t1 = cross3(m->n, other);
    m->t1 = mul3(t1, one / wide_sqrt(dot3(t1, t1)));
    m->t2 = cross3(m->n, m->t1);
}

INLINE void answer(const Part *p, Meeting *m) {
    Lines all = no_lines();
    double radii[WIDE_DOUBLE] __attribute__((aligned(64)));
    const Knot *k = p->run->knots;
    const ContactBatch *b = p->batch;
    for (int l = 0; l < WIDE_DOUBLE; ++l) {
        int i = p->at + (l < p->count ? l : p->count - 1);
        double t = (double)b->t[i], u = (double)b->u[i];
        radii[l] = (1.0 - t) * (double)k[b->a1[i]].start[3] + t * (double)k[b->a2[i]].start[3] +
                   (1.0 - u) * (double)k[b->b1[i]].start[3] + u * (double)k[b->b2[i]].start[3] +
                   (double)b->thickness[i];
    }
    m->G = (Answers){.nn = response(m, m->n, m->n),
                     .n1 = response(m, m->n, m->t1),
                     .n2 = response(m, m->n, m->t2),
                     .a11 = response(m, m->t1, m->t1),
                     .a12 = response(m, m->t1, m->t2),
                     .a22 = response(m, m->t2, m->t2),
                     .most = most_response(m),
                     .radii = load(radii)};
    memcpy(all.v, &m->G, sizeof all.v);
    all = lines_back(all);
    for (int l = 0; l < p->count && l < WIDE_DOUBLE; ++l) {
        put_line(&all, l, &p->general[l]->answers, LINE);
        p->general[l]->answered = true;
    }
}

INLINE void find_answers(const Part *p, Meeting *m) {
    bool all = true;
    for (int l = 0; l < WIDE_DOUBLE; ++l)
        all = all && p->general[l]->answered;
    if (!all) {
        answer(p, m);
        return;
    }
    Lines got;
    for (int part = 0; part < LINE_PARTS; ++part) {
        for (int l = 0; l < WIDE_DOUBLE; ++l)
            got.v[part * WIDE_DOUBLE + l] =
                *(const WideLoose *)((const double *)&p->general[l]->answers + part * WIDE_DOUBLE);
        wide_transpose(&got.v[part * WIDE_DOUBLE]);
    }
    memcpy(&m->G, got.v, sizeof got.v);
}

INLINE Wide way_of(const Side *s) {
    return wide_sqrt(dot3(s->motion, s->motion)) +
           wide_sqrt(dot3(s->turn, s->turn)) * wide_sqrt(dot3(s->arm, s->arm));
}

// 1 where it presses on something or may have closed.
INLINE Wide is_near(const Part *p, const Meeting *m) {
    const ContactBatch *b = p->batch;
    Wide3 drift = three_rows(p, b->drift_x, b->drift_y, b->drift_z);
    Wide none = splat(0.0), one = splat(1.0);
    Wide way = way_of(&m->side[0]) + way_of(&m->side[1]) + wide_sqrt(dot3(drift, drift));
    Wide apart = if_positive(m->gap, wide_if_less(way, m->gap, one, none), none);
    Wide pressed =
        wide_max(if_positive(m->warm, one, none), if_positive(row(p, b->mu_normal), one, none));
    return wide_max(one - apart, pressed);
}

// The normal; returns the change of its multiplier.
INLINE Wide press(const ContactPass *pass, Meeting *m, Wide *out_worst) {
    double h = (double)pass->h;
    Wide none = splat(0.0), mu = pass->first ? m->warm : m->mu;
    Wide soft = m->compliance / splat(h * h), closing = dot3(m->n, m->slip);
    Wide C = if_positive(soft, m->gap, wide_max(m->gap, none)) + closing;
    Wide after = wide_max(mu - (C + soft * mu) / (m->G.nn + soft + splat(TINY)), none);
    *out_worst = wide_abs(after - mu) * m->G.nn / m->G.radii;
    m->mu = rounded(after);
    return after - mu;
}

// Friction within the cone: the multipliers, and the change of the impulse.
INLINE Wide3 rub(const Part *p, const ContactPass *pass, const Meeting *m, Wide change,
                 Wide out[2]) {
    const ContactBatch *b = p->batch;
    const Answers *G = &m->G;
    Wide one = splat(1.0), half = splat(0.5), tiny = splat(TINY);
    Wide mu_1 = row(p, pass->first ? b->warm_1 : b->mu_1);
    Wide mu_2 = row(p, pass->first ? b->warm_2 : b->mu_2);
    Wide slip_1 = dot3(m->slip, m->t1) + change * G->n1;
    Wide slip_2 = dot3(m->slip, m->t2) + change * G->n2;
    Wide apart = half * (G->a11 - G->a22);
    Wide most = half * (G->a11 + G->a22) + wide_sqrt(apart * apart + G->a12 * G->a12);
    Wide det = G->a11 * G->a22 - G->a12 * G->a12, least = splat(NO_RESPONSE) * most * most;
    Wide inv = one / (wide_if_less(least, det, det, most * most) + tiny);
    Wide I11 = inv * wide_if_less(least, det, G->a22, G->a11);
    Wide I22 = inv * wide_if_less(least, det, G->a11, G->a22);
    Wide I12 = inv * wide_if_less(least, det, splat(0.0) - G->a12, G->a12);
    Wide trial_1 = mu_1 - (I11 * slip_1 + I12 * slip_2);
    Wide trial_2 = mu_2 - (I12 * slip_1 + I22 * slip_2);
    Wide size = wide_sqrt(trial_1 * trial_1 + trial_2 * trial_2);
    Wide bound = row(p, b->static_friction) * m->mu;
    Wide slid_1 = mu_1 - slip_1 / (most + tiny), slid_2 = mu_2 - slip_2 / (most + tiny);
    Wide slid = wide_sqrt(slid_1 * slid_1 + slid_2 * slid_2);
    Wide keep = wide_min(row(p, b->friction) * m->mu / wide_max(slid, tiny), one);
    out[0] = wide_if_less(bound, size, keep * slid_1, trial_1);
    out[1] = wide_if_less(bound, size, keep * slid_2, trial_2);
    return add3(mul3(m->t1, out[0] - mu_1), mul3(m->t2, out[1] - mu_2));
}

// What the next sub-step starts from: force and the line of next_normal, next_1 and next_2, as floats have it.
INLINE Wide3 learn(const Part *p, const ContactPass *pass, const Meeting *m, const Wide mu[2],
                   Lines *out_next) {
    const ContactBatch *b = p->batch;
    Wide gain = splat((double)(pass->told ? WARM_GAIN_TOLD : WARM_GAIN)), before = m->warm;
    Wide across = splat((double)(pass->told ? WARM_FRICTION_GAIN_TOLD : WARM_FRICTION_GAIN));
    Wide warm = rounded(before + rounded(gain * rounded(m->mu - before)));
    warm = wide_min(warm, m->mu);
    Wide was_1 = row(p, b->warm_1), was_2 = row(p, b->warm_2);
    Wide w1 = rounded(was_1 + rounded(across * rounded(rounded(mu[0]) - was_1)));
    Wide w2 = rounded(was_2 + rounded(across * rounded(rounded(mu[1]) - was_2)));
    Wide most = rounded(row(p, b->static_friction) * warm);
    Wide size = rounded(wide_sqrt(rounded(rounded(w1 * w1) + rounded(w2 * w2))));
    Wide within = wide_if_less(most, size, rounded(most / size), splat(1.0));
    w1 = rounded(within * w1);
    w2 = rounded(within * w2);
    out_next->v[0] = warm;
    out_next->v[1] = w1;
    out_next->v[2] = w2;
    return add3(mul3(m->n, warm), add3(mul3(m->t1, w1), mul3(m->t2, w2)));
}

INLINE void add_rounded(Wide3 *to, Wide3 by) {
    to->x = rounded(to->x + rounded(by.x));
    to->y = rounded(to->y + rounded(by.y));
    to->z = rounded(to->z + rounded(by.z));
}

// An impulse × h on side k.
INLINE void push(Meeting *m, int k, Wide3 impulse) {
    Side *s = &m->side[k];
    Wide3 by = k == 0 ? impulse : negative(impulse);
    add_rounded(&s->motion, mul3(by, s->mobility));
    add_rounded(&s->turn, sym_mul3(s->inverse, lever(s, by)));
}

INLINE Wide3 where_positive(Wide a, Wide3 v) {
    Wide none = splat(0.0);
    return (Wide3){if_positive(a, v.x, none), if_positive(a, v.y, none), if_positive(a, v.z, none)};
}

INLINE Wide3 torques_of(const Part *p, int k) {
    const float *torque[WIDE_DOUBLE];
    for (int l = 0; l < WIDE_DOUBLE; ++l)
        torque[l] = p->general[l]->side[k].torque; // and what follows it
    Lines of = load_float_lines(torque);
    return three_at(&of, 0);
}

// In the first pass, as sn__general_bring_along: from what the sub-step has started with to where that acts now.
INLINE void bring_along(const Part *p, Meeting *m, Wide live) {
    const ContactBatch *b = p->batch;
    Wide pressed = wide_min(live, if_positive(m->warm, splat(1.0), splat(0.0)));
    Wide3 old = three_rows(p, b->load_x, b->load_y, b->load_z), now = mul3(m->n, m->warm);
    now = add3(now, mul3(m->t1, row(p, b->warm_1)));
    now = add3(now, mul3(m->t2, row(p, b->warm_2)));
    for (int k = 0; k < 2; ++k) {
        Side *s = &m->side[k];
        Wide3 own = k == 0 ? now : negative(now), by = sub3(now, old);
        Wide3 force = mul3(k == 0 ? by : negative(by), s->mobility);
        Wide3 torque = sym_mul3(s->inverse, sub3(lever(s, own), torques_of(p, k)));
        add_rounded(&s->motion, where_positive(pressed, force));
        add_rounded(&s->turn, where_positive(pressed, torque));
    }
}

// An overlap is taken out by a displacement that is no velocity.
INLINE void push_out(Meeting *m, const ContactPass *pass, Wide overlap, Wide live) {
    Wide none = splat(0.0), most = splat((double)PUSH_RATE * (double)pass->h) * m->G.radii;
    Wide3 there = sub3(m->side[0].push, m->side[1].push);
    for (int k = 0; k < 2; ++k) {
        Wide3 by = cross3(m->side[k].turn_push, m->side[k].arm);
        there = add3(there, k == 0 ? by : negative(by));
    }
    Wide wanted = wide_min(splat((double)PUSH_SHARE) * overlap, most) - dot3(m->n, there);
    Wide held = if_positive(m->line, none, splat(PUSH_LEVER) * most_response(m));
    Wide size = wanted / (m->G.nn + held + splat(TINY));
    size = if_positive(live, if_positive(overlap, if_positive(wanted, size, none), none), none);
    Wide3 by = mul3(m->n, size);
    for (int k = 0; k < 2; ++k) {
        Side *s = &m->side[k];
        Wide3 own = k == 0 ? by : negative(by);
        add_rounded(&s->push, mul3(own, s->mobility));
        add_rounded(&s->turn_push, sym_mul3(s->inverse, lever(s, own)));
    }
}

INLINE void store_side(const Part *p, const Meeting *m, int k, const bool *live, bool with_pushes) {
    const Side *s = &m->side[k];
    Lines moved = no_lines(), pushed = no_lines();
    set_three(&moved, 0, s->motion);
    set_three(&moved, 4, s->turn);
    set_three(&pushed, 0, s->push);
    set_three(&pushed, 4, s->turn_push);
    moved = lines_back(moved);
    pushed = lines_back(pushed);
    for (int l = 0; l < p->count && l < WIDE_DOUBLE; ++l) {
        const ContactSide *side = &p->general[l]->side[k];
        Knot *knot = &p->run->knots[side->knot[0]];
        KnotTurn *turn = &p->run->turns[side->turn];
        if (!live[l] || side->count == 0)
            continue;
        // Its radius does not change, and it has no roll.
        put_halves(&moved, l, knot->motion, turn->turn);
        if (with_pushes)
            put_halves(&pushed, l, knot->push, turn->push);
    }
}

INLINE void store_learned(const Part *p, const Meeting *m, const Lines *next, Wide3 load,
                          const bool *live) {
    Lines learned = lines_back(*next), torques = no_lines();
    set_three(&torques, 0, lever(&m->side[0], load));
    set_three(&torques, 3, lever(&m->side[1], negative(load)));
    torques = lines_back(torques);
    for (int l = 0; l < p->count && l < WIDE_DOUBLE; ++l) {
        ContactGeneral *g = p->general[l];
        float line[6] = {0.0f};
        if (live[l]) {
            put_floats(&torques, l, line, 6);
            memcpy(g->side[0].torque, line, 3 * sizeof(float));
            memcpy(g->side[1].torque, line + 3, 3 * sizeof(float));
            put_floats(&learned, l, line, 3);
        }
        g->next_normal = line[0];
        g->next_1 = line[1];
        g->next_2 = line[2];
    }
}

// They do nothing, and nothing is learned of them.
INLINE void forget_all(const Part *p) {
    for (int l = 0; l < p->count && l < WIDE_DOUBLE; ++l)
        p->general[l]->next_normal = p->general[l]->next_1 = p->general[l]->next_2 = 0.0f;
    set_row(p, p->batch->mu_normal, splat(0.0));
    set_row(p, p->batch->mu_1, splat(0.0));
    set_row(p, p->batch->mu_2, splat(0.0));
}

INLINE void keep_where(const Part *p, float *row, Wide live, Wide a) {
    set_row(p, row, if_positive(live, a, load_floats(&row[p->at])));
}

// Bits of lanes, and the largest correction.
INLINE bool find_live(const Part *p, Wide live, Wide worst, bool *out) {
    bool any = false;
    for (int l = 0; l < WIDE_DOUBLE; ++l) {
        float part = (float)worst[l];
        out[l] = l < p->count && live[l] > 0.0;
        any = any || out[l];
        if (out[l] && part > p->batch->worst)
            p->batch->worst = part;
    }
    return any;
}

static void solve_part(const Part *p, const ContactPass *pass) {
    ContactBatch *b = p->batch;
    Wide none = splat(0.0), one = splat(1.0), worst;
    Meeting m = {.side = {load_side(p, 0), load_side(p, 1)},
                 .n = three_rows(p, b->normal_x, b->normal_y, b->normal_z),
                 .gap = row(p, b->gap),
                 .warm = row(p, b->warm_normal),
                 .mu = row(p, b->mu_normal),
                 .compliance = row(p, b->compliance)};
    Wide near = is_near(p, &m);
    if (!wide_any_less(none, near)) {
        forget_all(p);
        return;
    }
    m.line = m.side[0].mobility + m.side[1].mobility;
    find_across(&m);
    find_answers(p, &m);
    m.slip = negative(three_rows(p, b->drift_x, b->drift_y, b->drift_z));
    for (int k = 0; k < 2; ++k) {
        const Side *s = &m.side[k];
        Wide3 by = add3(s->motion, cross3(s->turn, s->arm));
        m.slip = add3(m.slip, k == 0 ? by : negative(by));
    }
    Wide idle = wide_max(if_positive(m.warm, one, none), if_positive(m.mu, one, none));
    Wide answers = wide_if_less(splat(NO_RESPONSE) * m.G.most, m.G.nn, one, none);
    Wide change = press(pass, &m, &worst);
    Wide overlap =
        if_positive(m.compliance, none, none - m.gap - splat((double)PUSH_SLOP) * m.G.radii);
    // What neither presses nor overlaps does nothing.
    Wide busy =
        wide_max(idle, wide_max(if_positive(m.mu, one, none), if_positive(overlap, one, none)));
    Wide live = wide_min(wide_min(near, answers), busy), mu[2];
    bool lanes[WIDE_DOUBLE];
    if (!find_live(p, live, worst, lanes)) {
        forget_all(p);
        return;
    }
    Lines next = no_lines();
    Wide3 across = rub(p, pass, &m, change, mu), load = learn(p, pass, &m, mu, &next);
    Wide3 impulse = add3(mul3(m.n, change), across);
    if (pass->first)
        bring_along(p, &m, live);
    push(&m, 0, impulse);
    push(&m, 1, impulse);
    if (wide_any_less(none, overlap))
        push_out(&m, pass, overlap, live);
    bool pushes = wide_any_less(none, overlap);
    store_side(p, &m, 0, lanes, pushes);
    store_side(p, &m, 1, lanes, pushes);
    store_learned(p, &m, &next, load, lanes);
    set_row(p, b->mu_normal, if_positive(live, m.mu, none));
    set_row(p, b->mu_1, if_positive(live, mu[0], none));
    set_row(p, b->mu_2, if_positive(live, mu[1], none));
    keep_where(p, b->load_x, live, load.x);
    keep_where(p, b->load_y, live, load.y);
    keep_where(p, b->load_z, live, load.z);
}

INLINE Part part_of(const ContactList *list, ContactBatch *batch, const ContactRun *run, int at) {
    Part p = {.batch = batch, .run = run, .at = at, .count = batch->count - at};
    for (int l = 0; l < WIDE_DOUBLE; ++l)
        p.general[l] = sn__general_of(list, batch->origin[at + (l < p.count ? l : p.count - 1)]);
    return p;
}

void WIDE_FUNCTION(contact_turning)(const ContactList *list, ContactBatch *batch,
                                    const ContactRun *run, const ContactPass *pass) {
    for (int at = 0; at < batch->count; at += WIDE_DOUBLE) {
        Part p = part_of(list, batch, run, at);
        solve_part(&p, pass);
    }
}

// What still presses goes on by a part of what the last pass has changed, as in contact_general_momentum.c.
static void go_on(const Part *p, float by) {
    const ContactBatch *b = p->batch;
    Wide none = splat(0.0), one = splat(1.0), part = splat((double)by);
    Meeting m = {.side = {load_side(p, 0), load_side(p, 1)},
                 .n = three_rows(p, b->normal_x, b->normal_y, b->normal_z)};
    Wide mu = row(p, b->mu_normal), mu_1 = row(p, b->mu_1), mu_2 = row(p, b->mu_2);
    Wide to = rounded(mu + rounded(part * rounded(mu - row(p, b->was_normal))));
    Wide to_1 = rounded(mu_1 + rounded(part * rounded(mu_1 - row(p, b->was_1))));
    Wide to_2 = rounded(mu_2 + rounded(part * rounded(mu_2 - row(p, b->was_2))));
    to = wide_max(to, none);
    Wide most = rounded(row(p, b->static_friction) * to);
    Wide size = rounded(wide_sqrt(rounded(rounded(to_1 * to_1) + rounded(to_2 * to_2))));
    Wide within = wide_if_less(most, size, rounded(most / size), one);
    to_1 = rounded(within * to_1);
    to_2 = rounded(within * to_2);
    find_across(&m);
    Wide3 impulse = mul3(m.n, rounded(to - mu));
    impulse = add3(impulse, mul3(m.t1, rounded(to_1 - mu_1)));
    impulse = add3(impulse, mul3(m.t2, rounded(to_2 - mu_2)));
    push(&m, 0, impulse);
    push(&m, 1, impulse);
    Wide live = if_positive(row(p, b->whole), if_positive(mu, one, none), none);
    bool lanes[WIDE_DOUBLE];
    for (int l = 0; l < WIDE_DOUBLE; ++l)
        lanes[l] = l < p->count && live[l] > 0.0;
    store_side(p, &m, 0, lanes, false);
    store_side(p, &m, 1, lanes, false);
    set_row(p, p->batch->mu_normal, if_positive(live, to, mu));
    set_row(p, p->batch->mu_1, if_positive(live, to_1, mu_1));
    set_row(p, p->batch->mu_2, if_positive(live, to_2, mu_2));
}

void WIDE_FUNCTION(contact_turning_on)(const ContactList *list, ContactBatch *batch,
                                       const ContactRun *run, float part) {
    for (int at = 0; at < batch->count; at += WIDE_DOUBLE) {
        Part p = part_of(list, batch, run, at);
        Wide live = if_positive(row(&p, batch->mu_normal), row(&p, batch->whole), splat(0.0));
        if (part > 0.0f && wide_any_less(splat(0.0), live))
            go_on(&p, part);
    }
    memcpy(batch->was_normal, batch->mu_normal, sizeof(ContactRow));
    memcpy(batch->was_1, batch->mu_1, sizeof(ContactRow));
    memcpy(batch->was_2, batch->mu_2, sizeof(ContactRow));
}
