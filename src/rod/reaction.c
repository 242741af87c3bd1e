// What holds a rod bears what the rod's own forces do to the held element, and its weight.
//
// Strains of a stiff rod are as small as the rounding of its positions: its forces cannot be told from
// where it is. What they did to a vertex that is free can: m a, with the acceleration that the integrator
// remembers. The pull of a segment on the vertex that is asked for is that of any segment farther on,
// less what the vertices between took for themselves; and behind the last vertex of an open rod nothing
// pulls. Where the way ends at another held vertex, the pulls along it are averaged, in which rounding
// cancels: what moves a vertex lengthens one segment and shortens the next.
//
// What links and contacts did to a vertex is known, and taken off.
#include "rod/reaction.h"

#include "rod/inside.h"
#include "rod/potentials.h"
#include "rod/slices.h"
#include "rod/wall.h"

typedef struct Chain {
    const RodSystem *rods;
    const Rod *rod;
    const HeldQuestion *question;
} Chain;

// The force that a segment pulls its first vertex with, and its second one the other way.
typedef struct Pull {
    Vec3d force;
    double give; // m/N
} Pull;

static double damping_of(const RodAddress *at) { return (double)at->pack->damping[at->lane]; }

// A segment of which all is held is strained as it is held: by rounding, unless that is meant.
#define ROUNDING 1e-6

static bool is_unstrained(const RodSegment *g, const RodVertex *a, const RodVertex *b) {
    bool held = a->held && b->held && (g->at.pack->held[g->at.row][g->at.lane] & HELD_FRAME) != 0;
    const double *o = g->at.pack->lane[g->at.lane].origin;
    double reach = lengthd(subd(a->x, (Vec3d){o[0], o[1], o[2]}));
    Vec3d strain = subd(scaled(subd(b->x, a->x), 1.0 / g->active), axis_z(g->q));
    return held && lengthd(strain) < ROUNDING * (1.0 + reach / g->length);
}

static Pull segment_pull(const Chain *c, int j) {
    int edge[2];
    sn__rod_edge(c->rods, c->rod, j, edge);
    RodVertex a = sn__rod_vertex_at(c->rods, c->rod, edge[0]);
    RodVertex b = sn__rod_vertex_at(c->rods, c->rod, edge[1]);
    RodSegment g = sn__rod_segment_at(c->rods, c->rod, j);
    const RodRest *r = g.at.pack->rest + g.at.row;
    int k = g.at.lane;
    Vec3d d = subd(b.x, a.x), w = axis_z(g.q);
    Vec3d n = lengthd(d) > 0.0 ? scaled(d, 1.0 / lengthd(d)) : w; // squeezed to nothing
    Vec3d rate = scaled(subd(subd(b.v, a.v), crossd(g.spin, d)), 1.0 / g.active);
    double tau_along = (double)g.at.pack->damping_along[k];
    double tau_across = (double)g.at.pack->damping_across[k];
    double s = 0.5 * (a.s + b.s), along = dotd(rate, n);
    double stretch = (double)r->stretch[k] / g.active;
    double shear = sn__rod_shear_stiffness(&g, s) / g.active;
    double pull = stretch * (potential_stretch(d, g.active) + tau_along * along);
    pull += sn__rod_pull(&g, dotd(subd(b.v, a.v), n));
    double stiffness = stretch / g.active;
    if (g.at.pack->slice && !g.at.pack->classic) {
        double area = sn__slice_area(g.at.pack, g.at.row, k);
        pull +=
            (double)r->volume[k] * area / g.length * sn__slice_volume_error(g.at.pack, g.at.row, k);
    } else if (!g.at.pack->classic) {
        double volume = (double)r->volume[k] * s * s / g.length;
        double rate_of_volume = s * s * g.active * along + s * (a.vs + b.vs) * lengthd(d);
        pull += volume * (potential_volume(d, g.length, s) +
                          (double)g.at.pack->damping_volume[k] * rate_of_volume / g.length);
        stiffness += volume * s * s / g.length;
    }
    Vec3d across = addd(subd(n, w), scaled(subd(rate, scaled(n, along)), tau_across));
    Vec3d force = addd(scaled(n, pull), scaled(across, shear));
    if (is_unstrained(&g, &a, &b))
        force = (Vec3d){0};
    return (Pull){force, stiffness > 0.0 ? 1.0 / stiffness : 0.0};
}

// What the rod's own forces did to a vertex that is free.
static Vec3d own_force(const Chain *c, int i, const RodVertex *v) {
    return subd(scaled(v->a, v->mass), c->question->loads[i]);
}

// The next vertex along a chain, or −1 behind its end.
static int next_vertex(const Rod *rod, int i, int way) {
    int n = i + way;
    if (n >= 0 && n < rod->vertices)
        return n;
    return rod->closed ? (n < 0 ? rod->vertices - 1 : 0) : -1;
}

static int segment_between(const Rod *rod, int i, int way) {
    return way > 0 ? i : (i > 0 ? i - 1 : rod->segments - 1);
}

// The force on vertex i of a chain of the segment that leads away from it; *out_known: it follows from
// accelerations alone.
static Vec3d pull_on(const Chain *c, int i, int way, bool *out_known) {
    Vec3d taken = {0}, sum = {0};
    double weight = 0.0;
    *out_known = false;
    for (int at = i;;) {
        Pull pull = segment_pull(c, segment_between(c->rod, at, way));
        Vec3d here = subd(scaled(pull.force, way), taken);
        sum = addd(sum, scaled(here, pull.give));
        weight += pull.give;
        at = next_vertex(c->rod, at, way);
        RodVertex v = sn__rod_vertex_at(c->rods, c->rod, at);
        if (at == i || v.held)
            return weight > 0.0 ? scaled(sum, 1.0 / weight) : (Vec3d){0};
        taken = addd(taken, own_force(c, at, &v));
        if (next_vertex(c->rod, at, way) < 0) {
            *out_known = true;
            return scaled(taken, -1.0);
        }
    }
}

static Vec3d chain_force(const Chain *c, int i) {
    Vec3d force = {0};
    bool known;
    for (int way = -1; way <= 1; way += 2)
        if (next_vertex(c->rod, i, way) >= 0)
            force = addd(force, pull_on(c, i, way, &known));
    return force;
}

static Vec3d strained_force(const Chain *c, int i) {
    const RodGraph *graph = c->rods->packs[c->rod->pack]->graph;
    Vec3d force = {0};
    for (int n = graph->incident_begin[i]; n < graph->incident_begin[i + 1]; ++n) {
        int j = graph->incident[n];
        Vec3d pull = segment_pull(c, j).force;
        force = graph->edge[j][0] == i ? addd(force, pull) : subd(force, pull);
    }
    return force;
}

// All own forces of a creature are 0 together, so what its strains miss is known as a whole; all held
// vertices get an equal share of it.
static Vec3d creature_force(const Chain *c, int i) {
    Vec3d missing = {0};
    int held = 0;
    for (int v = 0; v < c->rod->vertices; ++v) {
        RodVertex at = sn__rod_vertex_at(c->rods, c->rod, v);
        missing = subd(missing, at.held ? strained_force(c, v) : own_force(c, v, &at));
        held += at.held;
    }
    return addd(strained_force(c, i), scaled(missing, held > 0 ? 1.0 / held : 0.0));
}

// The torque of the joint in a row on its frame p, and on a the other way, in the world's axes.
static Vec3d torque_between(const RodAddress *at, RodSegment p, RodSegment a, RodVertex v) {
    const RodRest *r = at->pack->rest + at->row;
    int k = at->lane;
    double L = (double)r->joint_length[k], s = v.s;
    sn__rod_turn_to_rest(at, &p.q, &a.q);
    Vec3d rest = {0}, omega = darboux(p.q, a.q, L);
    Quatd b = mulqd(conjugated(p.q), a.q);
    double sign = b.w < 0.0 ? -1.0 : 1.0, real = sign * b.w;
    Vec3d axis = scaled((Vec3d){b.x, b.y, b.z}, sign);

    // dΩ/dt = (1/L) (b₀ (ω_a − ω_p) + b × (ω_a + ω_p)), each in its own axes.
    Vec3d wp = rotated(conjugated(p.q), p.spin), wa = rotated(conjugated(a.q), a.spin);
    Vec3d turn = addd(scaled(subd(wa, wp), real), crossd(axis, addd(wa, wp)));
    Vec3d rate = addd(scaled(turn, s / L), scaled(omega, v.vs));
    Vec3d W = addd(potential_bend(omega, rest, s), scaled(rate, damping_of(at)));
    double bend = (double)r->bend[k], twist = (double)r->twist[k];
    Vec3d torque = {s * bend * W.x, s * bend * W.y, s * twist * W.z};
    if (!at->pack->classic)
        torque = addd(torque, scaled(potential_volume_bend(omega, rest, s),
                                     s * s * s * (double)r->volume_bend[k]));
    Vec3d back = addd(scaled(torque, real), crossd(axis, torque));
    return rotated(p.q, scaled(back, 1.0 / L));
}

static Vec3d joint_torque(const Chain *c, const RodJoint *joint) {
    Vec3d torque = torque_between(&joint->at, sn__rod_segment_at(c->rods, c->rod, joint->p),
                                  sn__rod_segment_at(c->rods, c->rod, joint->a),
                                  sn__rod_vertex_at(c->rods, c->rod, joint->vertex));
    return scaled(torque, sn__rod_joint_share(joint));
}

// Of the wall (wall.h) on the frame of an end segment.
static Vec3d wall_torque(const Chain *c, int j) {
    RodSegment own = sn__rod_segment_at(c->rods, c->rod, j), wall = own;
    int row = sn__wall_row(own.at.pack, own.at.lane, own.at.row);
    RodAddress joint = {own.at.pack, own.at.lane, sn__wall_joint(row)};
    RodVertex v = sn__rod_vertex_at(c->rods, c->rod, row < 0 ? 0 : c->rod->vertices - 1);
    wall.q = sn__rod_frame_in(own.at.pack, row, own.at.lane);
    wall.spin = sn__rod_spin_in(own.at.pack, row, own.at.lane);
    return row < 0 ? scaled(torque_between(&joint, wall, own, v), -1.0)
                   : torque_between(&joint, own, wall, v);
}

// What a segment does to its own frame: d × its pull. Pulls that accelerations tell come first.
static Vec3d lever_torque(const Chain *c, int j) {
    int edge[2];
    sn__rod_edge(c->rods, c->rod, j, edge);
    Vec3d d = subd(sn__rod_vertex_at(c->rods, c->rod, edge[1]).x,
                   sn__rod_vertex_at(c->rods, c->rod, edge[0]).x);
    Vec3d pull = segment_pull(c, j).force;
    if (c->rods->packs[c->rod->pack]->graph == NULL) {
        bool known, known_back;
        Vec3d back = scaled(pull_on(c, edge[1], -1, &known_back), -1.0);
        pull = pull_on(c, edge[0], 1, &known);
        pull = known_back && !known ? back : pull;
    }
    return crossd(d, pull);
}

static Vec3d frame_torque(const Chain *c, int j) {
    Vec3d torque = lever_torque(c, j);
    for (int k = 0; k < sn__rod_joint_count(c->rods, c->rod); ++k) {
        RodJoint joint = sn__rod_joint(c->rods, c->rod, k);
        if (joint.p == j)
            torque = addd(torque, joint_torque(c, &joint));
        if (joint.a == j)
            torque = subd(torque, joint_torque(c, &joint));
    }
    return torque;
}

bool sn__rod_reaction(const Body *body, const HeldQuestion *question, HeldReaction *out) {
    const Rod *rod = rod_of(body);
    const RodPack *pack = rods_of(body)->packs[rod->pack];
    Chain c = {rods_of(body), rod, question};
    if (question->held == HELD_VERTEX) {
        RodVertex v = sn__rod_vertex_at(c.rods, rod, question->index);
        Vec3d force =
            pack->graph ? creature_force(&c, question->index) : chain_force(&c, question->index);
        Vec3d pull = sn__held_pull(question, (double)pack->gravity_scale[rod->lane], v.x);
        out->force = scaled(addd(force, scaled(pull, v.mass)), -1.0);
    } else if (question->held == HELD_FRAME) {
        RodAddress at = sn__rod_address(c.rods, rod, question->index);
        out->torque = sn__is_walled(pack, at.lane, at.row)
                          ? wall_torque(&c, question->index)
                          : scaled(frame_torque(&c, question->index), -1.0);
    }
    return true;
}
