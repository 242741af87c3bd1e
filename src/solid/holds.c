// What holds particles of solids.
#include "solid/marks.h"
#include "solid/volume.h"

static Vec3d origin_of(const Solid *s) { return (Vec3d){s->origin[0], s->origin[1], s->origin[2]}; }

// From the frame of the ellipsoid to the rotation since rest.
static Quatd since_rest(const Solid *s, int i, Quatd frame) {
    return normalisedq(mulqd(frame, conjugated(s->particles[i].frame)));
}

static bool is_mark(const BodyLead *l) { return l->held == HELD_MARK || l->held == HELD_DIRECTION; }

static void aim_mark(const Solid *s, const BodyLead *l, double time) {
    SolidMark *m = &s->marks[l->index];
    if (l->held == HELD_MARK)
        m->target = subd(sn__led_point(l, time), origin_of(s));
    else
        m->facing = rotated(sn__led_turn(l, time), m->direction);
}

void sn__solid_led(Solid *s, double time) {
    for (int i = 0; i < s->count; ++i)
        s->work[i].held_x = s->work[i].held_q = false;
    for (int k = 0; k < s->lead_count; ++k) {
        const BodyLead *l = &s->leads[k];
        if (is_mark(l)) {
            aim_mark(s, l, time);
            continue;
        }
        SolidWork *w = &s->work[l->index];
        if (l->held == HELD_VERTEX) {
            w->held_x = true;
            w->u = w->aim = subd(subd(sn__led_point(l, time), origin_of(s)), w->x_start);
        } else {
            w->held_q = true;
            s->q[l->index] = since_rest(s, l->index, sn__led_turn(l, time));
        }
    }
}

// The scale of a particle is held by nature.
bool sn__solid_is_held(const Body *body, int held, int index) {
    const Solid *s = solid_of(body);
    return held == HELD_SCALE || sn__find_lead(s->leads, s->lead_count, held, index) >= 0;
}

HeldPose sn__solid_held_pose(const Body *body, int index) {
    const Solid *s = solid_of(body);
    return (HeldPose){.position = addd(origin_of(s), s->x[index]),
                      .rotation = sn__solid_frame(s, index),
                      .scale = 1.0f};
}

int sn__solid_mark_count(const Body *body) { return solid_of(body)->mark_count; }

// The shortest turn from one direction to another.
static Quatd turn_between(Vec3d from, Vec3d to) {
    Vec3d across = crossd(from, to);
    double along = 1.0 + dotd(from, to);
    if (along < 1e-9) { // a half turn, about any axis across
        across = fabs(from.x) < 0.6 ? (Vec3d){0.0, -from.z, from.y} : (Vec3d){-from.y, from.x, 0.0};
        along = 0.0;
    }
    return normalisedq((Quatd){across.x, across.y, across.z, along});
}

HeldPose sn__solid_mark_pose(const Body *body, int mark) {
    Solid *s = solid_of(body);
    const SolidMark *m = &s->marks[mark];
    sn__solid_stand_still(s);
    return (HeldPose){.position = addd(origin_of(s), sn__solid_mark_at(s, m)),
                      .rotation = turn_between(m->direction, sn__solid_mark_direction(s, m)),
                      .scale = 1.0f};
}

// Marks are drawn to where they are held.
static void obey(Solid *s, const BodyLead *l) {
    int i = l->index;
    if (is_mark(l))
        return;
    if (l->held == HELD_VERTEX) {
        s->x[i] = subd(l->x_from, origin_of(s));
        s->v[i] = s->a[i] = (Vec3d){0};
    } else {
        s->q[i] = since_rest(s, i, l->q_from);
        s->l[i] = s->t[i] = (Vec3d){0};
    }
}

void sn__solid_obey_holds(Solid *s) {
    for (int k = 0; k < s->lead_count; ++k)
        obey(s, &s->leads[k]);
}

void sn__solid_jump(Body *body, int index, int lead, const HeldPose *pose) {
    (void)index;
    Solid *s = solid_of(body);
    BodyLead *l = &s->leads[lead];
    assert(lead >= 0 && lead < s->lead_count);
    l->x_from = l->x_to = pose->position;
    l->q_from = l->q_to = normalisedq(pose->rotation);
    l->curved = false;
    obey(s, l);
}

// What is held is in the matrix.
static void let_hold(Solid *s, int held, int index, bool holds) {
    s->own.h2 = 0.0;
    if (held == HELD_MARK)
        s->marks[index].held_x = holds;
    if (held == HELD_DIRECTION)
        s->marks[index].held_n = holds;
    if (held == HELD_MARK || held == HELD_DIRECTION)
        sn__solid_set_stiffness(s);
}

int sn__solid_hold(Body *body, int held, int index, uint32_t owner, const HeldPose *pose) {
    Solid *s = solid_of(body);
    if (!sn__reserve(&s->system->allocator, (void **)&s->leads, &s->lead_capacity, s->lead_count,
                     sizeof(BodyLead)))
        return -1;
    assert(sn__find_lead(s->leads, s->lead_count, held, index) < 0);
    int number = s->lead_count++;
    s->leads[number] = (BodyLead){.index = index, .held = held, .owner = owner};
    sn__solid_jump(body, index, number, pose);
    let_hold(s, held, index, true);
    return number;
}

uint32_t sn__solid_release(Body *body, int held, int index, int lead) {
    Solid *s = solid_of(body);
    assert(lead >= 0 && lead < s->lead_count);
    const BodyLead *last = &s->leads[--s->lead_count];
    uint32_t owner = last->owner;
    s->leads[lead] = *last;
    let_hold(s, held, index, false);
    return owner;
}

void sn__solid_lead(Body *body, int index, int lead, const HeldPath *path) {
    assert(lead >= 0 && lead < solid_of(body)->lead_count);
    (void)index;
    sn__lead_along(&solid_of(body)->leads[lead], path);
}

void sn__solid_settle(Body *body, int lead) {
    assert(lead >= 0 && lead < solid_of(body)->lead_count);
    sn__lead_settle(&solid_of(body)->leads[lead]);
}

uint32_t sn__solid_lead_owner(const Body *body, int lead) {
    const Solid *s = solid_of(body);
    return lead < s->lead_count ? s->leads[lead].owner : 0;
}

// What the edges and what pulls from outside do to the particle is what its support withstands.
bool sn__solid_reaction(const Body *body, const HeldQuestion *question, HeldReaction *out) {
    Solid *s = solid_of(body);
    int i = question->index;
    sn__solid_stand_still(s);
    for (int k = 0; k < s->lead_count; ++k)
        if (is_mark(&s->leads[k]))
            aim_mark(s, &s->leads[k], 0.0);
    if (question->held == HELD_MARK || question->held == HELD_DIRECTION) {
        const SolidMark *m = &s->marks[i];
        if (question->held == HELD_MARK)
            out->force = sn__solid_mark_force(s, m);
        else
            out->torque = sn__solid_mark_torque(s, m);
        return true;
    }
    Vec3d x = addd(origin_of(s), s->x[i]);
    for (int k = 0; k < s->count; ++k)
        s->vector[k] = (SparseVector){{0}};
    sn__solid_add_gradient(s, sn__solid_kernels(SN_ISA_SCALAR), 1.0, 0.0);
    sn__solid_marks_add_gradient(s, 1.0);
    for (int k = 0; k < s->count; ++k)
        s->work[k].held_x = s->work[k].held_q = false;
    sn__solid_add_volume_gradient(s, 1.0);
    const double *g = s->vector[s->graph->plan.place[i]].x;
    if (question->held == HELD_VERTEX) {
        Vec3d pull = scaled(sn__held_pull(question, s->gravity_scale, x), s->particles[i].mass);
        out->force = subd((Vec3d){g[0], g[1], g[2]}, pull);
    } else {
        out->torque = scaled((Vec3d){g[3], g[4], g[5]}, s->size);
    }
    return true;
}
