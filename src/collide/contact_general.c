// One pass over a batch of general contacts: the same constraints, multipliers and memory as in
// contact_wide.c, for sides of any number of knots and for bodies that turn as a whole.
//
// A side moves at the point that touches by u = Σ w_i u_i + θ × r + ρ l, with θ and r the turn of the
// body and the arm to the point, ρ and l the roll of a pill and its lever. An impulse × h, J, moves its
// knots by w_i/m_i J, turns it by I⁻¹ (r × J), and rolls it by l·J/i. For directions d and e the
// response of both sides is
//
//     G(d, e) = d·e Σ_k (Σ ±w)² / m_k + Σ (r × d)·I⁻¹ (r × e) + Σ (l·d)(l·e) / i,
//
// where the weights of knots that coincide are added up, b's with a minus. Such contacts are few
// against those of pills: they are solved one after the other, in double precision.
#include "collide/contact_general.h"

#include <assert.h>

#include "collide/contact_rules.h"
#include "collide/ellipsoid.h"
#include "math/vec.h"

static Vec3d vec(const float v[3]) { return (Vec3d){(double)v[0], (double)v[1], (double)v[2]}; }

static void store3(float out[3], Vec3d v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static void add3(float out[3], Vec3d v) {
    out[0] += (float)v.x;
    out[1] += (float)v.y;
    out[2] += (float)v.z;
}

// One contact, as both sides are now.
typedef struct Meeting {
    ContactSide *side[2]; // a, b
    Knot *knots;
    KnotTurn *turns;
    // All knots of both sides, each one once, with its weight: b's are negative.
    int count;
    int moved; // of these, by the contact: those of what stands still come last
    int knot[2 * SIDE_KNOTS];
    double weight[2 * SIDE_KNOTS];
    Vec3d n, t1, t2; // normal, towards a, and across it
    Vec3d slip;      // of a against b
    double gap, growth, radii, radial;
} Meeting;

static void add_knot(Meeting *m, int knot, double weight) {
    for (int k = 0; k < m->count; ++k)
        if (m->knot[k] == knot) {
            m->weight[k] += weight;
            return;
        }
    assert(m->count < 2 * SIDE_KNOTS);
    m->knot[m->count] = knot;
    m->weight[m->count++] = weight;
}

static Vec3d mixed(const float a[3], const float b[3], double t) {
    return addd(scaled(vec(a), 1.0 - t), scaled(vec(b), t));
}

// Where on its surface side s touches, and what that means for weights, arm and lever. `sign`: −1 for
// a, whose surface lies against the normal, 1 for b.
static void place_side(ContactSide *s, const Knot *knots, const float *shape, int first, int second,
                       double t, Vec3d n, double sign) {
    const Knot *a = &knots[first], *b = &knots[second];
    assert(s->count >= 0 && s->count <= SIDE_KNOTS);
    assert(!s->along || s->count == 2);
    assert(s->turn == 0 || s->count > 0);
    double radius = (1.0 - t) * (double)a->start[3] + t * (double)b->start[3];
    Vec3d out = scaled(n, sign * radius);
    if (shape) {
        sn__ellipsoid_reach(shape, n, &out);
        out = scaled(out, sign);
    }
    if (s->along) {
        s->weight[0] = (float)(1.0 - t);
        s->weight[1] = (float)t;
    }
    if (s->turn != 0)
        store3(s->arm, subd(addd(mixed(a->start, b->start, t), out), vec(knots[s->knot[0]].start)));
    Vec3d axis = subd(vec(b->start), vec(a->start));
    double length = lengthd(axis);
    if (s->roll != 0 && length > 0.0)
        store3(s->lever, crossd(scaled(axis, -radius / length), n));
}

static Vec3d motion_of(const ContactSide *s, const Knot *knots, const KnotTurn *turns) {
    Vec3d u = {0};
    for (int k = 0; k < s->count; ++k)
        u = addd(u, scaled(vec(knots[s->knot[k]].motion), (double)s->weight[k]));
    return s->turn != 0 ? addd(u, crossd(vec(turns[s->turn].turn), vec(s->arm))) : u;
}

static void measure_side(Meeting *m, int k) {
    const ContactSide *s = m->side[k];
    double sign = k == 0 ? 1.0 : -1.0;
    m->slip = addd(m->slip, scaled(motion_of(s, m->knots, m->turns), sign));
    if (s->roll != 0)
        m->slip = addd(m->slip, scaled(vec(s->lever), (double)m->knots[s->roll].roll));
    for (int i = 0; i < s->count; ++i) {
        const Knot *knot = &m->knots[s->knot[i]];
        double w = (double)s->weight[i];
        add_knot(m, s->knot[i], sign * w);
        m->growth += w * (double)knot->motion[3];
        m->radial += w * w * (double)knot->radial;
    }
}

static Meeting meet(const ContactBatch *batch, int i, ContactGeneral *g, const ContactRun *run) {
    Meeting m = {
        .side = {&g->side[0], &g->side[1]},
        .knots = run->knots,
        .turns = run->turns,
        .n = {(double)batch->normal_x[i], (double)batch->normal_y[i], (double)batch->normal_z[i]},
        .slip = {-(double)batch->drift_x[i], -(double)batch->drift_y[i],
                 -(double)batch->drift_z[i]},
        .gap = (double)batch->gap[i]};
    sn__general_across(m.n, &m.t1, &m.t2);
    measure_side(&m, 0);
    m.moved = m.count;
    measure_side(&m, 1);
    if (batch->kind == CONTACT_PAIR)
        m.moved = m.count;
    double t = (double)batch->t[i], u = (double)batch->u[i];
    const Knot *k = run->knots;
    m.radii = (1.0 - t) * (double)k[batch->a1[i]].start[3] + t * (double)k[batch->a2[i]].start[3] +
              (1.0 - u) * (double)k[batch->b1[i]].start[3] + u * (double)k[batch->b2[i]].start[3] +
              (double)batch->thickness[i];
    return m;
}

// Of the knots alone; 0 where both sides can do no more than turn about what holds them.
static double line_response(const Meeting *m) {
    double line = 0.0;
    for (int k = 0; k < m->count; ++k)
        line += m->weight[k] * m->weight[k] * (double)m->knots[m->knot[k]].mobility;
    return line;
}

static double response(const Meeting *m, Vec3d d, Vec3d e) {
    double line = line_response(m), turning = 0.0;
    const ContactSide *a = m->side[0], *b = m->side[1];
    bool same = a->turn != 0 && a->turn == b->turn; // two places on one body
    Vec3d arm = same ? subd(vec(a->arm), vec(b->arm)) : vec(a->arm);
    if (a->turn != 0)
        turning += dotd(crossd(arm, d), sn__turned_by(&m->turns[a->turn], crossd(arm, e)));
    if (b->turn != 0 && !same)
        turning +=
            dotd(crossd(vec(b->arm), d), sn__turned_by(&m->turns[b->turn], crossd(vec(b->arm), e)));
    for (int k = 0; k < 2; ++k)
        if (m->side[k]->roll != 0)
            turning += (double)m->knots[m->side[k]->roll].spin * dotd(vec(m->side[k]->lever), d) *
                       dotd(vec(m->side[k]->lever), e);
    return dotd(d, e) * line + turning;
}

// The most that any direction could have: |r|² tr I⁻¹ is no less than (r × d)·I⁻¹ (r × d).
static double most_response(const Meeting *m) {
    double most = line_response(m);
    for (int k = 0; k < 2; ++k) {
        const float *i = m->turns[m->side[k]->turn].inverse;
        Vec3d arm = vec(m->side[k]->arm);
        if (m->side[k]->turn != 0)
            most += dotd(arm, arm) * ((double)i[0] + (double)i[1] + (double)i[2]);
    }
    return most;
}

// Those of bodies that turn as a whole stay as they are within a sub-step; how a pill rolls may not.
static const ContactAnswers *answers_of(ContactGeneral *g, const Meeting *m) {
    if (g->answered)
        return &g->answers;
    g->answers = (ContactAnswers){.nn = response(m, m->n, m->n),
                                  .n1 = response(m, m->n, m->t1),
                                  .n2 = response(m, m->n, m->t2),
                                  .a11 = response(m, m->t1, m->t1),
                                  .a12 = response(m, m->t1, m->t2),
                                  .a22 = response(m, m->t2, m->t2),
                                  .most = most_response(m),
                                  .radii = m->radii};
    g->answered = g->side[0].roll == 0 && g->side[1].roll == 0;
    return &g->answers;
}

// Moves both sides by an impulse × h on a, and its opposite on b.
static void push(Meeting *m, Vec3d impulse) {
    for (int k = 0; k < m->count; ++k) {
        Knot *knot = &m->knots[m->knot[k]];
        add3(knot->motion, scaled(impulse, m->weight[k] * (double)knot->mobility));
    }
    for (int k = 0; k < 2; ++k) {
        const ContactSide *s = m->side[k];
        Vec3d by = scaled(impulse, k == 0 ? 1.0 : -1.0);
        if (s->turn != 0)
            add3(m->turns[s->turn].turn,
                 sn__turned_by(&m->turns[s->turn], crossd(vec(s->arm), by)));
        if (s->roll != 0)
            m->knots[s->roll].roll +=
                (float)((double)m->knots[s->roll].spin * dotd(vec(s->lever), impulse));
    }
}

static void squeeze(Meeting *m, double by) {
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < m->side[k]->count; ++i) {
            Knot *knot = &m->knots[m->side[k]->knot[i]];
            knot->motion[3] -= (float)((double)m->side[k]->weight[i] * (double)knot->radial * by);
        }
}

// n·(push of a − push of b) that is there already.
static double pushed_apart(const Meeting *m) {
    Vec3d by = {0};
    for (int k = 0; k < m->count; ++k)
        by = addd(by, scaled(vec(m->knots[m->knot[k]].push), m->weight[k]));
    for (int k = 0; k < 2; ++k) {
        const ContactSide *s = m->side[k];
        if (s->turn != 0)
            by = addd(
                by, scaled(crossd(vec(m->turns[s->turn].push), vec(s->arm)), k == 0 ? 1.0 : -1.0));
    }
    return dotd(m->n, by);
}

// An overlap is taken out by a displacement that is no velocity.
static void push_out(Meeting *m, const ContactPass *pass, double overlap, double G) {
    double most = (double)PUSH_RATE * (double)pass->h * m->radii;
    double wanted = fmin((double)PUSH_SHARE * overlap, most) - pushed_apart(m);
    if (!(overlap > 0.0) || !(wanted > 0.0))
        return;
    double held = line_response(m) > 0.0 ? 0.0 : PUSH_LEVER * most_response(m);
    Vec3d by = scaled(m->n, wanted / (G + held + TINY));
    for (int k = 0; k < m->count; ++k) {
        Knot *knot = &m->knots[m->knot[k]];
        add3(knot->push, scaled(by, m->weight[k] * (double)knot->mobility));
    }
    for (int k = 0; k < 2; ++k) {
        const ContactSide *s = m->side[k];
        if (s->turn != 0)
            add3(m->turns[s->turn].push,
                 sn__turned_by(&m->turns[s->turn],
                               crossd(vec(s->arm), scaled(by, k == 0 ? 1.0 : -1.0))));
    }
}

static bool bounces(const ContactBatch *batch, int i) { return (batch->hits >> i & 1) != 0; }

// The normal; returns the change of its multiplier.
static double press(ContactBatch *batch, int i, Meeting *m, const ContactPass *pass, double G,
                    bool struck) {
    double mu = (double)(pass->first ? batch->warm_normal[i] : batch->mu_normal[i]);
    double soft = (double)batch->compliance[i] / ((double)pass->h * (double)pass->h);
    double closing = dotd(m->n, m->slip) - m->growth;
    double C = (soft > 0.0 ? m->gap : fmax(m->gap, 0.0)) + closing;
    double radial = struck ? 0.0 : m->radial;
    // Bodies leave by how they move, not by how they swell.
    if (struck) {
        double moved = dotd(m->n, m->slip), ahead = fmax(m->gap, 0.0) + moved;
        C = mu > 0.0 || ahead < 0.0 || bounces(batch, i) ? moved - (double)batch->bounce[i] : ahead;
    }
    // Of the force that is there, radii have seen nothing yet in the first pass.
    double squeezed = pass->first ? 0.0 : mu;
    C += radial * (mu - squeezed);
    double all = G + radial;
    double after = fmax(mu - (C + soft * mu) / (all + soft + TINY), 0.0);
    batch->mu_normal[i] = (float)after;
    float worst = (float)(fabs(after - mu) * all / m->radii);
    batch->worst = worst > batch->worst ? worst : batch->worst;
    squeeze(m, struck ? 0.0 : after - squeezed);
    return after - mu;
}

// Friction within the cone; returns the change of the impulse across the normal.
static Vec3d rub(ContactBatch *batch, int i, const Meeting *m, const ContactAnswers *answers,
                 const ContactPass *pass, double pressed_by) {
    double mu_1 = (double)(pass->first ? batch->warm_1[i] : batch->mu_1[i]);
    double mu_2 = (double)(pass->first ? batch->warm_2[i] : batch->mu_2[i]);
    // What the change of the normal has done to the slip counts already.
    double slip_1 = dotd(m->slip, m->t1) + pressed_by * answers->n1;
    double slip_2 = dotd(m->slip, m->t2) + pressed_by * answers->n2;
    double G11 = answers->a11, G22 = answers->a22, G12 = answers->a12;
    double apart = 0.5 * (G11 - G22), most = 0.5 * (G11 + G22) + sqrt(apart * apart + G12 * G12);
    double det = G11 * G22 - G12 * G12;
    // The inverse of G. What turns about an axis answers in one direction only: G of rank 1 has G/λ² in its place.
    bool one = !(det > NO_RESPONSE * most * most);
    double inv = 1.0 / ((one ? most * most : det) + TINY);
    double I11 = inv * (one ? G11 : G22), I22 = inv * (one ? G22 : G11),
           I12 = inv * (one ? G12 : -G12);
    double trial_1 = mu_1 - (I11 * slip_1 + I12 * slip_2);
    double trial_2 = mu_2 - (I12 * slip_1 + I22 * slip_2);
    double pressed = (double)batch->mu_normal[i], keep = 1.0;
    if (sqrt(trial_1 * trial_1 + trial_2 * trial_2) > (double)batch->static_friction[i] * pressed) {
        // It slides: what would stop it points elsewhere where the bodies answer in some directions
        // more than in others; friction is against the slip.
        trial_1 = mu_1 - slip_1 / (most + TINY);
        trial_2 = mu_2 - slip_2 / (most + TINY);
        double size = sqrt(trial_1 * trial_1 + trial_2 * trial_2);
        keep = fmin((double)batch->friction[i] * pressed / fmax(size, TINY), 1.0);
    }
    batch->mu_1[i] = (float)(keep * trial_1);
    batch->mu_2[i] = (float)(keep * trial_2);
    return addd(scaled(m->t1, keep * trial_1 - mu_1), scaled(m->t2, keep * trial_2 - mu_2));
}

// What the next sub-step starts from.
static void learn(ContactBatch *batch, int i, ContactGeneral *g, const Meeting *m, bool told,
                  bool struck) {
    float before = batch->warm_normal[i], pressed = batch->mu_normal[i];
    // A blow that is given back is over when the sub-step is.
    float gain = struck ? 0.0f : told ? WARM_GAIN_TOLD : WARM_GAIN;
    float gain_across = struck ? 0.0f : told ? WARM_FRICTION_GAIN_TOLD : WARM_FRICTION_GAIN;
    float warm = before + gain * (pressed - before);
    warm = warm < pressed ? warm : pressed;
    float w1 = batch->warm_1[i] + gain_across * (batch->mu_1[i] - batch->warm_1[i]);
    float w2 = batch->warm_2[i] + gain_across * (batch->mu_2[i] - batch->warm_2[i]);
    float most = batch->static_friction[i] * warm, size = sqrtf(w1 * w1 + w2 * w2);
    float within = size > most ? most / size : 1.0f;
    g->next_normal = warm;
    g->next_1 = within * w1;
    g->next_2 = within * w2;
    Vec3d across = addd(scaled(m->t1, (double)g->next_1), scaled(m->t2, (double)g->next_2));
    Vec3d load = addd(scaled(m->n, (double)warm), across);
    batch->load_t[i] = batch->t[i];
    batch->load_u[i] = batch->u[i];
    batch->load_x[i] = (float)load.x;
    batch->load_y[i] = (float)load.y;
    batch->load_z[i] = (float)load.z;
    batch->load_roll_a[i] = (float)dotd(vec(m->side[0]->lever), load);
    batch->load_roll_b[i] = (float)dotd(vec(m->side[1]->lever), load);
    for (int k = 0; k < 2; ++k)
        store3(m->side[k]->torque, crossd(vec(m->side[k]->arm), scaled(load, k == 0 ? 1.0 : -1.0)));
}

// Whether it has restitution and bounces, or is struck through bodies that do.
static bool is_struck(const ContactBatch *batch, int i, const Meeting *m, const ContactPass *pass) {
    bool struck = bounces(batch, i);
    for (int k = 0; k < m->moved; ++k)
        struck |= pass->struck[m->knot[k]] != 0;
    return struck && batch->restitution[i] > 0.0f;
}

// It does nothing, and nothing is learned of it.
static void forget(ContactBatch *batch, int i, ContactGeneral *g) {
    batch->mu_normal[i] = batch->mu_1[i] = batch->mu_2[i] = 0.0f;
    g->next_normal = g->next_1 = g->next_2 = 0.0f;
}

// How far the surface of a side can have come at most.
static double way_of(const ContactSide *s, const ContactRun *run) {
    double way = 0.0;
    for (int k = 0; k < s->count; ++k) {
        const Knot *knot = &run->knots[s->knot[k]];
        way += fabs((double)s->weight[k]) *
               (lengthd(vec(knot->motion)) + fabs((double)knot->motion[3]));
    }
    if (s->turn != 0)
        way += lengthd(vec(run->turns[s->turn].turn)) * lengthd(vec(s->arm));
    return way;
}

// Whether it presses on nothing and cannot have closed: most contacts of ellipsoids, whose spheres touch before
// they do.
static bool is_apart(const ContactBatch *batch, int i, const ContactGeneral *g,
                     const ContactRun *run) {
    double gap = (double)batch->gap[i];
    if (!(gap > 0.0) || batch->warm_normal[i] > 0.0f || batch->mu_normal[i] > 0.0f)
        return false;
    Vec3d drift = {(double)batch->drift_x[i], (double)batch->drift_y[i], (double)batch->drift_z[i]};
    return gap > way_of(&g->side[0], run) + way_of(&g->side[1], run) + lengthd(drift);
}

static void solve(ContactBatch *batch, int i, ContactGeneral *g, const ContactRun *run,
                  const ContactPass *pass) {
    if (is_apart(batch, i, g, run)) {
        forget(batch, i, g);
        return;
    }
    Meeting m = meet(batch, i, g, run);
    const ContactAnswers *answers = answers_of(g, &m);
    double G = answers->nn, before = m.gap;
    if (!(G + m.radial > NO_RESPONSE * answers->most)) {
        forget(batch, i, g);
        return;
    }
    bool idle = !((double)batch->warm_normal[i] > 0.0 || (double)batch->mu_normal[i] > 0.0);
    bool struck = batch->bouncy && is_struck(batch, i, &m, pass);
    if (pass->first && batch->warm_normal[i] > 0.0f)
        sn__general_bring_along(batch, i, g, run);
    double change = press(batch, i, &m, pass, G, struck);
    double overlap = batch->compliance[i] > 0.0f ? 0.0 : -before - (double)PUSH_SLOP * m.radii;
    if (idle && !(batch->mu_normal[i] > 0.0f) && !(overlap > 0.0)) {
        forget(batch, i, g);
        return;
    }
    Vec3d across = rub(batch, i, &m, answers, pass, change);
    learn(batch, i, g, &m, pass->told, struck);
    for (int k = 0; struck && k < m.moved; ++k)
        pass->struck[m.knot[k]] |= batch->mu_normal[i] > 0.0f;
    push(&m, addd(scaled(m.n, change), across));
    push_out(&m, pass, overlap, G);
}

static void place(const ContactList *list, ContactBatch *batch, const ContactRun *run) {
    if (batch->kind != CONTACT_SOLID)
        run->kernels->find(batch, run->knots);
    batch->turning = !batch->bouncy;
    for (int i = 0; i < batch->count; ++i) {
        ContactGeneral *g = sn__general_of(list, batch->origin[i]);
        batch->turning = batch->turning && sn__general_turns(g, run->knots);
        const float *a = sn__side_shape(&g->side[0], run->turns),
                    *b = sn__side_shape(&g->side[1], run->turns);
        if (batch->kind != CONTACT_SOLID && (a || b))
            sn__general_refine(batch, i, g, run);
        Vec3d n = {(double)batch->normal_x[i], (double)batch->normal_y[i],
                   (double)batch->normal_z[i]};
        place_side(&g->side[0], run->knots, a, batch->a1[i], batch->a2[i], (double)batch->t[i], n,
                   -1.0);
        place_side(&g->side[1], run->knots, b, batch->b1[i], batch->b2[i], (double)batch->u[i], n,
                   1.0);
        batch->mu_normal[i] = 0.0f;
        g->answered = false;
    }
}

void sn__general_solve(const ContactList *list, ContactBatch *batch, const ContactRun *run,
                       const ContactPass *pass) {
    assert(batch->general && batch->count <= KNOT_ROW && pass->h > 0.0f);
    batch->worst = 0.0f;
    if (pass->first && !batch->met)
        place(list, batch, run);
    if (batch->turning) {
        run->kernels->turning(list, batch, run, pass);
        return;
    }
    for (int i = 0; i < batch->count; ++i)
        solve(batch, i, sn__general_of(list, batch->origin[i]), run, pass);
}

// How far side k would come at the point that touches, if nothing acted on it.
static Vec3d pace_of(const ContactBatch *batch, int i, const Meeting *m, int k,
                     const KnotPace *paces) {
    const ContactSide *s = m->side[k];
    double mobility = 0.0, t = (double)(k == 0 ? batch->t[i] : batch->u[i]);
    for (int j = 0; j < s->count; ++j)
        mobility += (double)m->knots[s->knot[j]].mobility;
    if (!(mobility > 0.0) && s->turn == 0)
        return motion_of(s, m->knots, m->turns);
    const KnotPace *first = &paces[k == 0 ? batch->a1[i] : batch->b1[i]];
    return mixed(first->by, paces[k == 0 ? batch->a2[i] : batch->b2[i]].by, t);
}

// How far the two sides leave each other, see contact_rebound_wide.c.
static double leaving(const ContactBatch *batch, int i, const Meeting *m, const ContactPass *pass,
                      double approach) {
    Vec3d a = pace_of(batch, i, m, 0, pass->paces), b = pace_of(batch, i, m, 1, pass->paces);
    Vec3d drift = {(double)batch->drift_x[i], (double)batch->drift_y[i], (double)batch->drift_z[i]};
    double before = -dotd(m->n, subd(subd(a, b), drift)), gained = fmax(approach - before, 0.0);
    double e = (double)batch->restitution[i];
    const KnotPace *first = &pass->paces[batch->a1[i]], *second = &pass->paces[batch->b1[i]];
    double gains = (double)(first->gains > second->gains ? first->gains : second->gains);
    double back = e * fmax(approach - gains * gained, 0.0);
    double lost = 2.0 * (1.0 - e * e) * gained * fmax(m->gap, 0.0);
    return sqrt(fmax(back * back - lost, 0.0));
}

void sn__general_rebound(const ContactList *list, ContactBatch *batch, const ContactRun *run,
                         const ContactPass *pass) {
    assert(batch->general && batch->bouncy && batch->count <= KNOT_ROW && pass->h > 0.0f);
    place(list, batch, run);
    batch->rebound = 0.0f;
    batch->hits = 0;
    for (int i = 0; i < batch->count; ++i) {
        Meeting m = meet(batch, i, sn__general_of(list, batch->origin[i]), run);
        double e = (double)batch->restitution[i], approach = -dotd(m.n, m.slip);
        double meets = fmax(m.gap, 0.0) - approach - m.growth;
        bool fast = approach > (double)pass->h * (double)pass->bounce_speed;
        bool strikes = fast && !(batch->warm_normal[i] > 0.0f);
        double bounce = strikes ? leaving(batch, i, &m, pass, approach) : 0.0;
        if (approach < 0.0)
            bounce = fmax(e * approach, -(double)PART_MOST * m.radii);
        batch->bounce[i] = (float)bounce;
        if (!(bounce > 0.0) || !(meets < 0.0))
            continue;
        batch->hits |= (uint16_t)(1u << i);
        float part = (float)(bounce / m.radii);
        batch->rebound = part > batch->rebound ? part : batch->rebound;
    }
}
