#include "stiff/holds.h"

#include <assert.h>

// Where a held element is when this part of the step is over.
static Vec3d lead_position(const StiffLead *l, double time) {
    if (time >= 1.0)
        return l->x_to;
    Vec3d straight = addd(l->x_from, scaled(subd(l->x_to, l->x_from), time));
    return l->curved ? addd(straight, bend_point(&l->x_bend, time)) : straight;
}

static Quatd lead_rotation(const StiffLead *l, double time) {
    double keep = 1.0 - time;
    Quatd q = {keep * l->q_from.x + time * l->q_to.x, keep * l->q_from.y + time * l->q_to.y,
               keep * l->q_from.z + time * l->q_to.z, keep * l->q_from.w + time * l->q_to.w};
    return normalisedq(l->curved ? bend_turn(&l->q_bend, q, time) : q);
}

static StiffPose held_pose(const StiffHold *hold, double time) {
    const StiffRod *t = hold->rod;
    StiffPose pose = {.q = {0.0, 0.0, 0.0, 1.0}};
    assert(hold->kind == HOLD_VERTEX ? t->vertex_lead[hold->index] >= 0
                                     : t->frame_lead[hold->index] >= 0);
    if (hold->kind == HOLD_VERTEX)
        pose.x = lead_position(&t->leads[t->vertex_lead[hold->index]], time);
    else
        pose.q = lead_rotation(&t->leads[t->frame_lead[hold->index]], time);
    if (hold->kind == HOLD_CLAMP) {
        int vertex = sn__stiff_clamped_at(t, hold->index);
        assert(vertex >= 0);
        pose.x = lead_position(&t->leads[t->vertex_lead[vertex]], time);
    }
    if (hold->kind == HOLD_SEGMENT) {
        const int *edge = t->edge[hold->index];
        int vertex = t->vertex_lead[edge[0]] >= 0 ? edge[0] : edge[1];
        assert(t->vertex_lead[vertex] >= 0);
        Vec3d at = lead_position(&t->leads[t->vertex_lead[vertex]], time);
        pose.x = subd(at, scaled(axis_z(pose.q), sn__stiff_end(t, hold->index, vertex)));
    }
    return pose;
}

static void slot(Grove *g, const StiffHold *hold, const StiffPose *p) {
    // What is led stands behind all that is solved.
    assert(hold->slot / STIFF_LANES >= g->prop_begin && hold->slot / STIFF_LANES < g->rows);
    StiffState *s = &g->state[hold->slot / STIFF_LANES];
    int i = hold->slot % STIFF_LANES;
    s->x[i] = p->x.x;
    s->y[i] = p->x.y;
    s->z[i] = p->x.z;
    s->qx[i] = p->q.x;
    s->qy[i] = p->q.y;
    s->qz[i] = p->q.z;
    s->qw[i] = p->q.w;
}

// Where a still lane was when the sub-step began, for contacts and for its velocity.
static void remember(Grove *g) {
    for (int r = g->prop_begin; r < g->rows; ++r) {
        const StiffState *s = &g->state[r];
        StiffMotion *m = &g->motion[r];
        for (int i = 0; i < STIFF_LANES; ++i) {
            m->bx[i] = s->x[i];
            m->by[i] = s->y[i];
            m->bz[i] = s->z[i];
            m->qx[i] = s->qx[i];
            m->qy[i] = s->qy[i];
            m->qz[i] = s->qz[i];
            m->qw[i] = s->qw[i];
            m->sx[i] = m->sy[i] = m->sz[i] = 0.0;
            m->ox[i] = m->oy[i] = m->oz[i] = 0.0;
        }
    }
}

void sn__grove_lead(StiffGrove *grove, double time) {
    assert(time >= 0.0 && time <= 1.0);
    remember(&grove->g);
    for (int k = 0; k < grove->hold_count; ++k) {
        StiffPose pose = held_pose(&grove->holds[k], time);
        slot(&grove->g, &grove->holds[k], &pose);
    }
}

// Over the radius, and over the length: who is farther from where it is held than both is not held there.
// Hairs in a storm may be off by their radius until the next solve.
#define APART 0.5
#define APART_ALONG 0.1

static Vec3d point_of(const Grove *g, int slot, double end) {
    const StiffState *s = &g->state[slot / STIFF_LANES];
    int i = slot % STIFF_LANES;
    Quatd q = {s->qx[i], s->qy[i], s->qz[i], s->qw[i]};
    return addd((Vec3d){s->x[i], s->y[i], s->z[i]}, scaled(axis_z(q), end));
}

bool sn__grove_is_apart(const StiffGrove *grove) {
    const Grove *g = &grove->g;
    for (int k = 0; k < grove->hold_count; ++k) {
        int slot = grove->holds[k].slot, row = slot / STIFF_LANES, i = slot % STIFF_LANES;
        if (row >= g->still_begin || !(g->rest[row].hold[i] > 0.0))
            continue;
        int up = g->row[row].parent[i];
        const StiffRest *held = &g->rest[up / STIFF_LANES];
        double radius = fmin(held->wide_x[up % STIFF_LANES], held->wide_y[up % STIFF_LANES]);
        double most = fmax(APART * radius, APART_ALONG * held->length[up % STIFF_LANES]);
        Vec3d from = point_of(g, up, g->rest[row].far[i]),
              to = point_of(g, slot, g->rest[row].end[i]);
        if (lengthd(subd(from, to)) > most)
            return true;
    }
    return false;
}
