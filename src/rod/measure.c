#include "rod/measure.h"

#include "rod/inside.h"
#include "rod/potentials.h"
#include "rod/slices.h"
#include "rod/wall.h"

static void measure_vertex(const RodPack *pack, const RodVertex *v, double gravity_scale,
                           SnVec3 gravity, BodySums *sums) {
    SnMeasures *m = &sums->m;
    Vec3d p = scaled(v->v, v->mass), turn = crossd(v->x, p);
    m->mass += v->mass;
    m->speed_max = fmax(m->speed_max, lengthd(v->v));
    m->energy_kinetic += 0.5 * v->mass * dotd(v->v, v->v);
    if (!pack->classic)
        m->energy_kinetic += 0.5 * v->scale_inertia * v->vs * v->vs;
    m->energy_gravity -= gravity_scale * v->mass * dotd(vec3d(gravity), v->x);
    m->momentum[0] += p.x;
    m->momentum[1] += p.y;
    m->momentum[2] += p.z;
    m->angular_momentum[0] += turn.x;
    m->angular_momentum[1] += turn.y;
    m->angular_momentum[2] += turn.z;
}

static void measure_spin(const RodSegment *g, BodySums *sums) {
    const RodRest *r = g->at.pack->rest + g->at.row;
    Vec3d axis = axis_z(g->q);
    double across = (double)r->frame_inertia[g->at.lane],
           along = (double)r->spin_inertia[g->at.lane];
    double about = dotd(axis, g->spin);
    Vec3d L = addd(scaled(g->spin, across), scaled(axis, (along - across) * about));
    sums->m.energy_kinetic += 0.5 * dotd(L, g->spin);
    sums->m.angular_momentum[0] += L.x;
    sums->m.angular_momentum[1] += L.y;
    sums->m.angular_momentum[2] += L.z;
}

static void measure_segment(const RodSegment *g, const RodVertex *a, const RodVertex *b,
                            BodySums *sums) {
    const RodPack *pack = g->at.pack;
    const RodRest *r = pack->rest + g->at.row;
    int k = g->at.lane;
    Vec3d d = subd(b->x, a->x), w = axis_z(g->q);
    double s = 0.5 * (a->s + b->s), l = g->length;
    double stretch = potential_stretch(d, g->active);
    SnMeasures *m = &sums->m;
    m->energy_stretch += 0.5 * (double)r->stretch[k] * stretch * stretch;
    m->energy_shear += sn__rod_shear_stiffness(g, s) * potential_shear(d, g->active, w);
    double against = pack->aim ? fmin(dotd(d, w), 0.0) : 0.0; // sweeps have none of that
    double back = (double)r->stretch[k] / (g->active * g->active);
    back += pack->classic ? 0.0 : (double)r->volume[k] / (l * l);
    m->energy_shear += 0.5 * back * against * against;
    if (!pack->classic) {
        double volume =
            pack->slice ? sn__slice_volume_error(pack, g->at.row, k) : potential_volume(d, l, s);
        double cross = potential_cross_section(s);
        double gradient = potential_scale_gradient(a->s, b->s, l);
        m->energy_volume += 0.5 * (double)r->volume[k] * volume * volume;
        m->energy_scale += 0.5 * (double)r->cross_section[k] * cross * cross +
                           0.5 * (double)r->scale_gradient[k] * gradient * gradient;
    }

    double length = lengthd(d);
    double stretched = fabs(length / l - 1.0);
    if (!pack->classic) {
        // The volume of the frustum between both discs, which no potential uses.
        double ra = a->s * a->radius, rb = b->s * b->radius;
        double now = length * (ra * ra + ra * rb + rb * rb);
        double rest = l * (a->radius * a->radius + a->radius * b->radius + b->radius * b->radius);
        double error =
            pack->slice ? fabs(sn__slice_volume_error(pack, g->at.row, k)) : fabs(now / rest - 1.0);
        sums->volume_error_sum += error;
        sums->segments += 1;
        m->volume_error_max = fmax(m->volume_error_max, error);
    }
    m->stretch_max = fmax(m->stretch_max, stretched);
}

static void measure_joint(const RodSystem *rods, const Rod *rod, const RodJoint *joint,
                          BodySums *sums) {
    const RodAddress *at = &joint->at;
    const RodRest *r = at->pack->rest + at->row;
    int k = at->lane;
    RodSegment p = sn__rod_segment_at(rods, rod, joint->p),
               a = sn__rod_segment_at(rods, rod, joint->a);
    double s = sn__rod_vertex_at(rods, rod, joint->vertex).s;
    sn__rod_turn_to_rest(at, &p.q, &a.q);
    Vec3d omega = darboux(p.q, a.q, (double)r->joint_length[k]), rest = {0};
    Vec3d bend = potential_bend(omega, rest, s);
    SnMeasures *m = &sums->m;
    double half = 0.5 * sn__rod_joint_share(joint);
    m->energy_bend += half * (double)r->bend[k] * (bend.x * bend.x + bend.y * bend.y);
    m->energy_twist += half * (double)r->twist[k] * bend.z * bend.z;
    if (at->pack->classic)
        return;
    Vec3d volume = potential_volume_bend(omega, rest, s);
    double lap =
        potential_scale_bend(sn__rod_vertex_at(rods, rod, joint->far_p).s, s,
                             sn__rod_vertex_at(rods, rod, joint->far_a).s, p.length, a.length);
    m->energy_volume += half * (double)r->volume_bend[k] * dotd(volume, volume);
    m->energy_scale += 0.5 * (double)r->scale_bend[k] * lap * lap;
}

// What walls add to the ends of a rod (wall.h).
static void measure_wall(const RodSystem *rods, const Rod *rod, int end, BodySums *sums) {
    int j = end == 0 ? 0 : rod->segments - 1, i = end == 0 ? 0 : rod->vertices - 1;
    RodSegment g = sn__rod_segment_at(rods, rod, j);
    const RodPack *pack = g.at.pack;
    int k = g.at.lane, wall = sn__wall_row(pack, k, g.at.row);
    if (!sn__is_walled(pack, k, g.at.row) || (wall < 0) != (end == 0))
        return;
    const RodRest *r = pack->rest + sn__wall_joint(wall);
    Quatd held = sn__rod_frame_in(pack, wall, k);
    Quatd p = end == 0 ? held : g.q, a = end == 0 ? g.q : held;
    Vec3d omega = darboux(p, a, (double)r->joint_length[k]), straight = {0};
    double s = sn__rod_vertex_at(rods, rod, i).s;
    Vec3d bend = potential_bend(omega, straight, s);
    sums->m.energy_bend += 0.5 * (double)r->bend[k] * (bend.x * bend.x + bend.y * bend.y);
    sums->m.energy_twist += 0.5 * (double)r->twist[k] * bend.z * bend.z;
    Vec3d volume = potential_volume_bend(omega, straight, s);
    if (!pack->classic)
        sums->m.energy_volume += 0.5 * (double)r->volume_bend[k] * dotd(volume, volume);
}

void sn__rod_measure(const Body *body, SnVec3 gravity, BodySums *sums) {
    const RodSystem *rods = rods_of(body);
    const Rod *rod = rod_of(body);
    const RodPack *pack = rods->packs[rod->pack];
    double gravity_scale = (double)pack->gravity_scale[rod->lane];
    // Of the whole pack, shared out to its rods.
    for (int k = 0; k < 2; ++k)
        sums->residual[k] += pack->residual[k] * rod->pieces / pack->lanes;
    for (int i = 0; i < rod->vertices; ++i) {
        RodVertex v = sn__rod_vertex_at(rods, rod, i);
        measure_vertex(pack, &v, gravity_scale, gravity, sums);
    }
    for (int j = 0; j < rod->segments; ++j) {
        int edge[2];
        sn__rod_edge(rods, rod, j, edge);
        RodVertex a = sn__rod_vertex_at(rods, rod, edge[0]),
                  b = sn__rod_vertex_at(rods, rod, edge[1]);
        RodSegment g = sn__rod_segment_at(rods, rod, j);
        measure_spin(&g, sums);
        measure_segment(&g, &a, &b, sums);
    }
    for (int k = 0; k < sn__rod_joint_count(rods, rod); ++k) {
        RodJoint joint = sn__rod_joint(rods, rod, k);
        measure_joint(rods, rod, &joint, sums);
    }
    for (int end = 0; end < 2; ++end)
        measure_wall(rods, rod, end, sums);
}
