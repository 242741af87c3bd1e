// What holds particles of solids.
#include "solid/solid.h"

static Vec3d origin_of(const Solid *s) { return (Vec3d){s->origin[0], s->origin[1], s->origin[2]}; }

// From the frame of the ellipsoid to the rotation since rest.
static Quatd since_rest(const Solid *s, int i, Quatd frame) {
    return normalisedq(mulqd(frame, conjugated(s->particles[i].frame)));
}

void sn__solid_led(Solid *s, double time) {
    for (int i = 0; i < s->count; ++i)
        s->work[i].held_x = s->work[i].held_q = false;
    for (int k = 0; k < s->lead_count; ++k) {
        const BodyLead *l = &s->leads[k];
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

static void obey(Solid *s, const BodyLead *l) {
    int i = l->index;
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

int sn__solid_hold(Body *body, int held, int index, uint32_t owner, const HeldPose *pose) {
    Solid *s = solid_of(body);
    if (!sn__reserve(&s->system->allocator, (void **)&s->leads, &s->lead_capacity, s->lead_count,
                     sizeof(BodyLead)))
        return -1;
    assert((held == HELD_VERTEX || held == HELD_FRAME) &&
           sn__find_lead(s->leads, s->lead_count, held, index) < 0);
    int number = s->lead_count++;
    s->leads[number] = (BodyLead){.index = index, .held = held, .owner = owner};
    sn__solid_jump(body, index, number, pose);
    s->own.h2 = 0.0;
    return number;
}

uint32_t sn__solid_release(Body *body, int held, int index, int lead) {
    (void)held;
    (void)index;
    Solid *s = solid_of(body);
    assert(lead >= 0 && lead < s->lead_count);
    const BodyLead *last = &s->leads[--s->lead_count];
    uint32_t owner = last->owner;
    s->leads[lead] = *last;
    s->own.h2 = 0.0;
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
    Vec3d x = addd(origin_of(s), s->x[i]);
    for (int k = 0; k < s->count; ++k) {
        s->work[k].x_start = s->x[k];
        s->work[k].u = (Vec3d){0};
        s->vector[k] = (SparseVector){{0}};
    }
    sn__solid_turn_all(s);
    sn__solid_add_gradient(s, sn__solid_kernels(SN_ISA_SCALAR), 1.0, 0.0);
    const double *g = s->vector[s->graph->plan.place[i]].x;
    if (question->held == HELD_VERTEX) {
        Vec3d pull = scaled(sn__held_pull(question, s->gravity_scale, x), s->particles[i].mass);
        out->force = subd((Vec3d){g[0], g[1], g[2]}, pull);
    } else {
        out->torque = scaled((Vec3d){g[3], g[4], g[5]}, s->size);
    }
    return true;
}
