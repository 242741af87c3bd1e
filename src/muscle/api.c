// What can be asked of a muscle, and told to it.
#include "base/null.h"
#include "body/world.h"
#include "muscle/muscle.h"
#include "muscle/world.h"
#include "rod/inside.h"
#include "rod/potentials.h"
#include "rod/slices.h"

#define PI 3.14159265358979323846

Muscle *sn__muscle_of(const MuscleSystem *muscles, SnBodyId body) {
    for (int k = 0; k < muscles->count; ++k) {
        SnBodyId id = muscles->list[k]->body;
        if (id.index == body.index && id.generation == body.generation)
            return muscles->list[k];
    }
    return NULL;
}

static Muscle *find(const SnWorld *world, SnBodyId id) {
    return world ? sn__muscle_of(sn__world_muscles((SnWorld *)world), id) : NULL;
}

SnResult sn__muscle_missing(const SnWorld *world, SnBodyId id) {
    if (world == NULL)
        return sn__null("muscle: world");
    if (sn__world_body(world, id) == NULL)
        return sn_error(SN_ERROR_STALE, "muscle: id is stale");
    return sn_error(SN_ERROR_INVALID, "muscle: the body is none; sn_muscle_create makes muscles");
}

bool sn_body_is_muscle(const SnWorld *world, SnBodyId body) { return find(world, body) != NULL; }

static SnResult check_activation(float activation) {
    if (!(activation >= 0.0f && activation <= 1.0f))
        return sn_error(SN_ERROR_INVALID, "muscle: activation: %g is not in [0, 1]",
                        (double)activation);
    return sn_ok();
}

SnResult sn_muscle_activate(SnWorld *world, SnBodyId id, float activation) {
    Muscle *m = find(world, id);
    if (m == NULL)
        return sn__muscle_missing(world, id);
    SnResult result = check_activation(activation);
    if (result.code != SN_OK || m->asked == activation)
        return result;
    m->asked = activation;
    return sn_body_wake(world, id);
}

SnResult sn_muscle_activate_fibre(SnWorld *world, SnBodyId id, int rod, float activation) {
    Muscle *m = find(world, id);
    if (m == NULL)
        return sn__muscle_missing(world, id);
    if (rod < 0 || rod >= m->rods)
        return sn_error(SN_ERROR_INVALID, "muscle: rod: %d is not in [0, %d)", rod, m->rods);
    SnResult result = check_activation(activation);
    if (result.code != SN_OK || m->fibre[rod].asked == activation)
        return result;
    m->fibre[rod].asked = activation;
    m->applied = -1.0f;
    return sn_body_wake(world, id);
}

// The force along a segment, as its stretch and its volume have it (eqs 11 and 18): with the energies
// ½ A (t/l − 1)² and ½ V (s² t/l₀ − 1)², their derivatives by the length t, and what it pulls with beside.
static double tension_of(const RodSegment *g, double t, double rate, double s) {
    const RodRest *r = g->at.pack->rest + g->at.row;
    int k = g->at.lane;
    Vec3d along = {0.0, 0.0, t};
    double pull = (double)r->stretch[k] * potential_stretch(along, g->active) / g->active +
                  sn__rod_pull(g, rate);
    if (g->at.pack->classic)
        return pull;
    if (g->at.pack->slice)
        return pull + (double)r->volume[k] * sn__slice_area(g->at.pack, g->at.row, k) / g->length *
                          sn__slice_volume_error(g->at.pack, g->at.row, k);
    double squeeze = (double)r->volume[k] * potential_volume(along, g->length, s);
    return pull + squeeze * s * s / g->length;
}

// The torque about a point that 1 N of tension, shared by all fibres, has on the insertion.
static Vec3d moment_about(const SnWorld *world, const Muscle *m, Vec3d point) {
    const Body *body = sn__world_body(world, m->body);
    Vec3d torque = {0};
    for (int k = 0; k < m->rods; ++k) {
        int last = sn__muscle_point(m, k, m->slices - 1);
        Vec3d at = body->kind->point(body, last, NULL);
        Vec3d pull = subd(body->kind->point(body, last - 1, NULL), at);
        Vec3d arm = subd(at, point);
        if (lengthd(pull) > 0.0)
            torque = addd(torque, scaled(crossd(arm, pull), 1.0 / (lengthd(pull) * m->rods)));
    }
    return torque;
}

static SnVec3 moment_about_joint(const SnWorld *world, const Muscle *m) {
    SnPose joint = sn_pose_identity();
    if (!m->end[1].held ||
        (m->end[1].frame.index != 0 && sn_frame_pose(world, m->end[1].frame, &joint).code != SN_OK))
        return sn_vec3(0.0f, 0.0f, 0.0f);
    return vec3f(moment_about(world, m, vec3d(joint.position)));
}

SnResult sn_muscle_read(const SnWorld *world, SnBodyId id, SnMuscleState *out_state) {
    const Muscle *m = find(world, id);
    if (m == NULL)
        return sn__muscle_missing(world, id);
    if (out_state == NULL)
        return sn__null("muscle: out_state");
    const Body *body = sn__world_body(world, id);
    const RodSystem *rods = rods_of(body);
    const Rod *rod = rod_of(body);
    double length = 0.0, volume = 0.0, tension = 0.0;
    for (int k = 0; k < m->rods; ++k)
        for (int j = 0; j + 1 < m->slices; ++j) {
            int v = sn__muscle_point(m, k, j);
            RodVertex a = sn__rod_vertex_at(rods, rod, v), b = sn__rod_vertex_at(rods, rod, v + 1);
            RodSegment g = sn__rod_segment_at(rods, rod, sn__muscle_element(m, k, j));
            Vec3d d = subd(b.x, a.x);
            double t = lengthd(d), ra = a.s * a.radius, rb = b.s * b.radius;
            double rate = t > 0.0 ? dotd(subd(b.v, a.v), d) / t : 0.0;
            double s = 0.5 * (a.s + b.s);
            length += t;
            volume += PI / 3.0 * t * (ra * ra + ra * rb + rb * rb);
            if (m->along[j] <= 0.5f && m->along[j + 1] > 0.5f)
                tension += tension_of(&g, t, rate, s);
        }
    *out_state = (SnMuscleState){.activation = m->activation,
                                 .length = (float)(length / m->rods),
                                 .volume = (float)(volume * (double)m->packing),
                                 .tension = (float)tension,
                                 .moment_arm = moment_about_joint(world, m)};
    return sn_ok();
}

SnResult sn_muscle_moment_arm(const SnWorld *world, SnBodyId id, SnVec3 point, SnVec3 axis,
                              float *out_arm) {
    const Muscle *m = find(world, id);
    if (m == NULL)
        return sn__muscle_missing(world, id);
    if (out_arm == NULL)
        return sn__null("muscle: out_arm");
    double length = lengthd(vec3d(axis));
    if (!sn__finite3(point) || !(length > 0.0) || !sn__finite3(axis))
        return sn_error(SN_ERROR_INVALID, "muscle: the axis has no direction");
    *out_arm = (float)(dotd(moment_about(world, m, vec3d(point)), vec3d(axis)) / length);
    return sn_ok();
}

float sn_muscle_asked(const SnWorld *world, SnBodyId id) {
    const Muscle *m = GIVEN(world) ? find(world, id) : NULL;
    return m ? m->asked : 0.0f;
}

float sn_muscle_fibre_asked(const SnWorld *world, SnBodyId id, int rod) {
    const Muscle *m = GIVEN(world) ? find(world, id) : NULL;
    return m && rod >= 0 && rod < m->rods ? m->fibre[rod].asked : 0.0f;
}
