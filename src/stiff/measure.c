// What stiff rods have of energy, momentum and stretch.
#include <math.h>

#include "stiff/stiff.h"

static Vec3d spin_momentum(const StiffSegment *s, const StiffPose *p) {
    Vec3d local = rotated(conjugated(p->q), p->w);
    return rotated(
        p->q, (Vec3d){local.x * s->inertia[0], local.y * s->inertia[1], local.z * s->inertia[2]});
}

static void add_bent(const double k[3], Quatd rel, SnMeasures *m) {
    m->energy_bend += 2.0 * (k[0] * rel.x * rel.x + k[1] * rel.y * rel.y);
    m->energy_twist += 2.0 * k[2] * rel.z * rel.z;
}

// Of an end segment that is clamped, against the wall.
static void measure_wall(const StiffRod *t, const StiffLead *l, SnMeasures *m) {
    if (l->held != HELD_FRAME || sn__stiff_clamped_at(t, l->index) < 0)
        return;
    double k[3];
    sn__stiff_wall_stiffness(t, l->index, k);
    add_bent(k, mulqd(conjugated(l->q_to), sn__stiff_pose(t, l->index).q), m);
}

// How the way to a segment gives way at its joint with a parent, m/N.
static double give_between(const StiffRod *t, int parent, int segment) {
    const Grove *g = &t->system->groves[t->grove].g;
    int slot = t->slot[segment];
    if (g->stretch == NULL || t->fresh ||
        g->row[slot / STIFF_LANES].parent[slot % STIFF_LANES] != t->slot[parent])
        return 0.0;
    return g->stretch[slot / STIFF_LANES].give[slot % STIFF_LANES];
}

static void measure_joint(const StiffRod *t, const StiffJoint *j, SnMeasures *m) {
    StiffPose a = sn__stiff_pose(t, j->a), b = sn__stiff_pose(t, j->b);
    Quatd rel = mulqd(conjugated(mulqd(a.q, j->rest)), b.q);
    double k[3];
    sn__stiff_joint_stiffness(t, j, k);
    add_bent(k, rel, m);
    Vec3d gap =
        subd(addd(a.x, scaled(axis_z(a.q), j->end_a)), addd(b.x, scaled(axis_z(b.q), j->end_b)));
    if (!(give_between(t, j->a, j->b) > 0.0 || give_between(t, j->b, j->a) > 0.0))
        m->stretch_max = fmax(m->stretch_max, lengthd(gap) / t->segment[j->b].length);
}

// Of the way to the segment's own joint, where the rod is held twice.
static void measure_stretch(const StiffRod *t, int segment, SnMeasures *m) {
    const StiffStretch *stretch = t->system->groves[t->grove].g.stretch;
    if (stretch == NULL || t->fresh)
        return;
    const StiffStretch *s = &stretch[t->slot[segment] / STIFF_LANES];
    int i = t->slot[segment] % STIFF_LANES;
    if (!(s->give[i] > 0.0))
        return;
    double force = s->longer[i] / s->give[i];
    double stretched = fabs(force) / sn__stiff_axial_stiffness(&t->segment[segment]);
    m->energy_stretch += 0.5 * force * s->longer[i];
    m->stretch_max = fmax(m->stretch_max, stretched);
}

double sn__stiff_speed(const StiffRod *rod) {
    double most = 0.0;
    for (int j = 0; j < rod->segments; ++j) {
        StiffPose p = sn__stiff_pose(rod, j);
        double turning = 0.5 * rod->segment[j].length * lengthd(p.w);
        most = fmax(most, lengthd(p.v) + turning);
    }
    return most;
}

void sn__stiff_measure(const Body *body, SnVec3 gravity, BodySums *sums) {
    const StiffRod *t = stiff_of(body);
    SnMeasures *m = &sums->m;
    for (int j = 0; j < t->segments; ++j) {
        const StiffSegment *s = &t->segment[j];
        StiffPose p = sn__stiff_pose(t, j);
        Vec3d x = addd((Vec3d){t->origin[0], t->origin[1], t->origin[2]}, p.x),
              momentum = scaled(p.v, s->mass);
        Vec3d spin = spin_momentum(s, &p), turn = addd(crossd(x, momentum), spin);
        m->mass += s->mass;
        m->energy_kinetic += 0.5 * dotd(p.v, momentum) + 0.5 * dotd(p.w, spin);
        m->energy_gravity -= t->gravity_scale * s->mass * dotd(vec3d(gravity), x);
        m->momentum[0] += momentum.x;
        m->momentum[1] += momentum.y;
        m->momentum[2] += momentum.z;
        m->angular_momentum[0] += turn.x;
        m->angular_momentum[1] += turn.y;
        m->angular_momentum[2] += turn.z;
        sums->segments += 1;
        measure_stretch(t, j, m);
    }
    for (int i = 0; i < t->vertices; ++i) {
        Vec3d v;
        sn__stiff_vertex(t, i, &v);
        m->speed_max = fmax(m->speed_max, lengthd(v));
    }
    for (int k = 0; k < t->joints; ++k)
        if (!t->joint[k].broken)
            measure_joint(t, &t->joint[k], m);
    for (int k = 0; k < t->lead_count; ++k)
        measure_wall(t, &t->leads[k], m);
}
