// What the sweep needs and does not depend on the state: inverse masses, stiffnesses times h²,
// gains. Made anew when the step size, an attachment, an activation or a material has changed.
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "rod/choose_solver.h"
#include "rod/graph.h"
#include "rod/sections.h"
#include "rod/substep.h"
#include "rod/sweep_error.h"
#include "rod/wall.h"

// With k·G beyond this, a constraint is rigid as far as float can tell; the bound keeps absurd
// stiffnesses from overflowing.
#define RIGID 1e7
#define RIGID_DIRECT 1e16 // what is solved directly is solved in double
#define STIFFEST 1e25

static bool has(uint32_t lanes, int i) { return (lanes >> i) & 1; }

static float inverse(float a, bool held) { return held || !(a > 0.0f) ? 0.0f : 1.0f / a; }

// h²K(1 + κ), not stiffer than float can tell from rigid, and its gain.
static float stiffness(const RodPack *pack, float K, double factor, double G) {
    double k = (double)K * factor, rigid = pack->aim ? RIGID_DIRECT : RIGID;
    assert(factor >= 0.0 && !(G < 0.0));
    double most = rigid / (G + rigid / STIFFEST);
    return (float)(k < most ? k : most);
}

static float gain(float k, double G) { return (float)(1.0 / (1.0 + (double)k * G)); }

static void prepare_masses(RodPack *pack, int j, int i) {
    const RodRest *r = pack->rest + j;
    RodPrepared *p = pack->own_prepared + j;
    const uint8_t all = HELD_VERTEX | HELD_FRAME | HELD_SCALE;
    uint8_t held = pack->asleep[i] ? all : pack->held[j][i];
    if (!pack->asleep[i] && sn__is_walled(pack, i, j)) {
        held &= (uint8_t)~HELD_FRAME;
        pack->walled = true;
    }
    p->m[i] = inverse(r->mass[i], held & HELD_VERTEX);
    p->m_scale[i] = inverse(r->scale_inertia[i], held & HELD_SCALE);
    p->m_turn[i] = 0.5f * inverse(r->frame_inertia[i], held & HELD_FRAME);
    p->m_roll[i] = 0.5f * inverse(r->spin_inertia[i], held & HELD_FRAME);
    p->rho[i] = p->m_turn[i] / fmaxf(p->m_roll[i], 1e-30f);
}

static double inverse_square(float length) {
    return length > 0.0f ? 1.0 / ((double)length * (double)length) : 0.0;
}

typedef struct Factors {
    double undamped, damped;      // h², h²(1 + τ/h), as the scheme has it
    double rate;                  // h likewise, of a damper
    double along, across, volume; // the latter for stretch, shear and the volume
} Factors;

static Factors factors(const RodPack *pack, int i, float h) {
    double share = (double)pack->scheme.share[i] * (double)h;
    return (Factors){share * (double)h,
                     share * ((double)h + (double)pack->damping[i]),
                     share,
                     share * ((double)h + (double)pack->damping_along[i]),
                     share * ((double)h + (double)pack->damping_across[i]),
                     share * ((double)h + (double)pack->damping_volume[i])};
}

// Segment j from vertex a to vertex b.
static void prepare_segment(RodPack *pack, int j, int a, int b, int i, Factors f) {
    const RodRest *r = pack->rest + j;
    RodPrepared *p = pack->own_prepared + j;
    const RodPrepared *pa = pack->own_prepared + a, *pb = pack->own_prepared + b;
    float length = r->length[i], active = length * pack->state[j].length_scale[i];
    double m = (double)pa->m[i] + (double)pb->m[i];
    double m_scale = (double)pa->m_scale[i] + (double)pb->m_scale[i];
    double shear = 2.0 * (double)p->m_turn[i] * (double)active * (double)active;
    double by_length = f.damped * inverse_square(length);
    p->length[i] = length;
    p->active[i] = active;
    p->lever[i] = p->m_turn[i] * active;
    p->k_stretch[i] = stiffness(pack, r->stretch[i], f.along * inverse_square(active), m + shear);
    p->taut[i] = active;
    if (pack->state[j].pull[i] != 0.0f && p->k_stretch[i] > 0.0f)
        p->taut[i] -= (float)((double)pack->state[j].pull[i] * f.along / (double)p->k_stretch[i]);
    for (int n = 0; n < 2; ++n)
        p->k_viscous[n][i] =
            length > 0.0f ? (float)(f.rate * (double)pack->state[j].viscous[n][i]) / length : 0.0f;
    p->g_stretch[i] = gain(p->k_stretch[i], m);
    p->g_shear[i] = gain(p->k_stretch[i], m + shear);
    p->k_shear[i] = stiffness(pack, r->transverse[i], f.across * inverse_square(active), m + shear);
    p->loose[i] = 2.0f * p->k_shear[i] * p->lever[i] * p->active[i] < 1.0f ? 1.0f : 0.0f;
    double scale_part = m_scale * (double)length * (double)length;
    p->k_volume[i] =
        stiffness(pack, r->volume[i], f.volume * inverse_square(length), m + shear + scale_part);
    p->k_cross[i] = stiffness(pack, r->cross_section[i], 0.25 * f.damped, m_scale);
    p->k_gradient[i] = stiffness(pack, r->scale_gradient[i], by_length, m_scale);
    p->g_gradient[i] = gain(p->k_gradient[i], m_scale);
}

typedef struct Mobility {
    double bend, twist; // 1/inertia of both frames of a joint
} Mobility;

// The axes that bending is measured in are not those of the segments (RodTurn): that of p is along z = R(r̄)ᵀ e_z, or
// R(h)ᵀ e_z, and that of a along R(h) e_z. So their parts are m + (m_roll − m) z zᵀ. Split into its part t
// across the axis and c along it, z zᵀ ≤ (|t| + |c|) diag(|t|, |t|, |c|), a bound that is exact where the two segments
// are in line.
static void add_mobility(const RodPrepared *p, double c, int i, Mobility *sum) {
    double turn = (double)p->m_turn[i], roll = (double)p->m_roll[i];
    double t = sqrt(fmax(0.0, 1.0 - c * c)), more = fmax(0.0, roll - turn) * (t + c);
    sum->bend += 2.0 * (turn + more * t);
    sum->twist += 2.0 * (c == 1.0 ? roll : turn + more * c);
}

static Mobility joint_mobility(const RodPack *pack, int row, int segment_p, int segment_a, int i) {
    const RodTurn *h = pack->own_turn + row;
    double x = (double)h->x[i], y = (double)h->y[i], c = fabs(1.0 - 2.0 * (x * x + y * y));
    Mobility sum = {0.0, 0.0};
    add_mobility(pack->own_prepared + segment_p, c, i, &sum);
    add_mobility(pack->own_prepared + segment_a, pack->graph ? 1.0 : c, i, &sum);
    return sum;
}

static void prepare_joint(RodPack *pack, int row, GraphJoint joint, int i, Factors f) {
    const RodRest *r = pack->rest + row;
    RodPrepared *p = pack->own_prepared + row;
    float length = r->joint_length[i];
    double share = sn__joint_share(pack, row, joint, i);
    double by_length = f.damped * inverse_square(length), turning = share * by_length;
    Mobility G = joint_mobility(pack, row, joint.p, joint.a, i);
    p->G_bend[i] = (float)G.bend;
    p->G_twist[i] = (float)G.twist;
    p->k_bend[i] = stiffness(pack, r->bend[i], turning, G.bend);
    p->g_bend[i] = gain(p->k_bend[i], G.bend);
    p->k_twist[i] = stiffness(pack, r->twist[i], turning, G.twist);
    p->g_twist[i] = gain(p->k_twist[i], G.twist);
    p->k_volume_bend[i] =
        stiffness(pack, r->volume_bend[i], share * f.undamped * inverse_square(length), G.bend);

    // W × L l_next, so that the coefficients of the three scales are 1, −(1 + ratio) and ratio.
    const RodPrepared *base = pack->own_prepared;
    double next = (double)base[joint.a].length[i], prev = (double)base[joint.p].length[i];
    double ratio = prev > 0.0 ? next / prev : 0.0;
    double G_lap = (double)base[joint.far_a].m_scale[i] +
                   (1.0 + ratio) * (1.0 + ratio) * (double)base[joint.vertex].m_scale[i] +
                   ratio * ratio * (double)base[joint.far_p].m_scale[i];
    p->lap_ratio[i] = (float)ratio;
    p->k_lap[i] = stiffness(pack, r->scale_bend[i],
                            by_length * inverse_square(base[joint.a].length[i]), G_lap);
    p->g_lap[i] = gain(p->k_lap[i], G_lap);
}

static GraphJoint chain_joint(const RodPack *pack, int j) {
    return (GraphJoint){
        .p = j - 1, .a = j, .vertex = j, .far_p = j - 1, .far_a = j < pack->rows ? j + 1 : j};
}

static void prepare_chains(RodPack *pack, float h, uint32_t lanes) {
    for (int j = 0; j <= pack->rows; ++j) {
        GraphJoint joint = chain_joint(pack, j);
        for (int i = 0; i < pack->lanes; ++i) {
            if (!has(lanes, i))
                continue;
            Factors f = factors(pack, i, h);
            if (j < pack->rows)
                prepare_segment(pack, j, j, j + 1, i, f);
            prepare_joint(pack, j, joint, i, f);
        }
    }
}

static void prepare_graph(RodPack *pack, float h, uint32_t lanes) {
    const RodGraph *graph = pack->graph;
    for (int i = 0; i < pack->lanes; ++i) {
        if (!has(lanes, i))
            continue;
        Factors f = factors(pack, i, h);
        for (int j = 0; j < graph->segments; ++j)
            prepare_segment(pack, j, graph->edge[j][0], graph->edge[j][1], i, f);
        for (int k = 0; k < graph->joints; ++k)
            prepare_joint(pack, k, graph->joint[k], i, f);
    }
}

// Rods with seams have a direct pass of their own (chain.c).
static void prepare_direct(RodPack *pack) {
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i)
            pack->own_prepared[j].direct[i] = 1.0f;
    for (int k = 0; k < pack->chain_count; ++k)
        for (int j = 0; j < pack->rows; ++j)
            for (int p = 0; p < pack->chains[k].pieces; ++p)
                pack->own_prepared[j].direct[pack->chains[k].lane + p] = 0.0f;
}

// How stiffly a segment holds the scale of one of its ends: cross-section, gradient, and volume as
// far as the segment cannot evade it by its length.
static double scale_stiffness(const RodPrepared *p, double pair, int i) {
    double l = (double)p->length[i], k = (double)p->k_volume[i];
    double lengthen = pair / (1.0 + (double)p->k_stretch[i] * pair);
    return (double)p->k_cross[i] + (double)p->k_gradient[i] + k * l * l / (1.0 + k * lengthen);
}

// The radius that a contact presses on is held by the rod, which answers in the next sub-step only.
// With the plain mobility it would give way by what the whole load does to a free radius within a
// sub-step, as if the rod were softer by the factor 1 + k/I. With the mobility that the implicit
// step has, r̄²/(I + k), contact and rod balance where they should.
//
// Sweeps pull at a scale by bending, twist and shear after its volume was looked at. In thin rods k is far more than I,
// and a scale that gave way as if it were free would be thrown back with more energy than there was. So it gives
// way to them by at most HELD_LESS/(I + k). What they do to it at rest is then too little, but in a rod that holds its
// volume so firmly there is next to nothing of that.
#define HELD_LESS 70.0f

static void prepare_radial(RodPack *pack) {
    int segments = pack->graph ? pack->graph->segments : pack->rows;
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i)
            pack->own_prepared[j].radial[i] = 0.0f;
    for (int j = 0; j < segments && !pack->classic; ++j) {
        RodPrepared *a = pack->own_prepared + (pack->graph ? pack->graph->edge[j][0] : j);
        RodPrepared *b = pack->own_prepared + (pack->graph ? pack->graph->edge[j][1] : j + 1);
        for (int i = 0; i < pack->lanes; ++i) {
            float k = (float)scale_stiffness(pack->own_prepared + j,
                                             (double)a->m[i] + (double)b->m[i], i);
            a->radial[i] += k;
            b->radial[i] += k;
        }
    }
    for (int j = 0; j <= pack->rows; ++j) {
        RodPrepared *p = pack->own_prepared + j;
        memcpy(p->radius, pack->rest[j].radius, sizeof p->radius); // padding has one, too
        for (int i = 0; i < pack->lanes; ++i) {
            float r = pack->rest[j].radius[i];
            float held = p->m_scale[i] / (1.0f + p->m_scale[i] * p->radial[i]);
            p->gives[i] = fminf(p->m_scale[i], HELD_LESS * held);
            p->radial[i] = r * r * held;
        }
    }
}

// How a joint and a segment compare with what sweeps can find, as if nothing were held. Beyond 1, what they
// miss would excite a rod that is second order in time.
static double joint_coarseness(const RodPack *pack, int row, int p, int a, int i, double factor) {
    const RodRest *r = pack->rest + row;
    double G = (double)inverse(pack->rest[p].frame_inertia[i], false) +
               (double)inverse(pack->rest[a].frame_inertia[i], false);
    double spin = (double)inverse(pack->rest[p].spin_inertia[i], false) +
                  (double)inverse(pack->rest[a].spin_inertia[i], false);
    double K = (double)r->bend[i] + (pack->classic ? 0.0 : (double)r->volume_bend[i]);
    double most = fmax(K * G, (double)r->twist[i] * spin);
    return factor * most * inverse_square(r->joint_length[i]) / SWEPT_BEND;
}

static double segment_coarseness(const RodPack *pack, int row, int a, int b, int i, double factor) {
    const RodRest *r = pack->rest + row;
    double l = (double)r->length[i];
    double G = (double)inverse(pack->rest[a].mass[i], false) +
               (double)inverse(pack->rest[b].mass[i], false) +
               l * l * (double)inverse(r->frame_inertia[i], false);
    double K = (double)r->stretch[i] + (pack->classic ? 0.0 : (double)r->volume[i]);
    double along = factor * K * inverse_square(r->length[i]) * G / SWEPT_SHEAR;
    if (pack->classic)
        return along;
    double scales = (double)inverse(pack->rest[a].scale_inertia[i], false) +
                    (double)inverse(pack->rest[b].scale_inertia[i], false);
    return fmax(along, factor * (double)r->volume[i] * scales / SWEPT_SCALE);
}

static double coarseness(const RodPack *pack, int i, double factor) {
    const RodGraph *graph = pack->graph;
    double most = 0.0;
    for (int j = 0; graph == NULL && j < pack->rows; ++j) {
        most = fmax(most, segment_coarseness(pack, j, j, j + 1, i, factor));
        if (j > 0)
            most = fmax(most, joint_coarseness(pack, j, j - 1, j, i, factor));
    }
    for (int j = 0; graph && j < graph->segments; ++j)
        most = fmax(most,
                    segment_coarseness(pack, j, graph->edge[j][0], graph->edge[j][1], i, factor));
    for (int k = 0; graph && k < graph->joints; ++k)
        most =
            fmax(most, joint_coarseness(pack, k, graph->joint[k].p, graph->joint[k].a, i, factor));
    return most;
}

// Lanes that are made first order in time because sweeps do not find their forces, or round too much, a bit each.
static uint16_t coarse_lanes(const RodPack *pack, float h) {
    uint16_t coarse = 0;
    for (int i = 0; i < pack->lanes && pack->aim == NULL; ++i) {
        double factor = (double)h * ((double)h + (double)pack->damping[i]);
        bool is_coarse =
            pack->bundle || coarseness(pack, i, factor) > 1.0 || sn__lane_is_shaken(pack, i, h);
        for (int k = 0; is_coarse && k < pack->lanes; ++k)
            if (pack->lane[k].body == pack->lane[i].body)
                coarse |= (uint16_t)(1u << k);
    }
    return coarse;
}

// What sweeps leave over of the volume grows with how far frames turn within a sub-step, and radii are light:
// extrapolated, it would throw thin rods of few segments about. So volume rods that are swept and turn by more than
// this are made first order in time, for a step.
#define SWEPT_TURN 0.015f

static uint16_t turning_lanes(const RodPack *pack, float h) {
    PackRow fastest = {0};
    if (pack->aim || pack->classic)
        return 0;
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j;
        for (int i = 0; i < PACK_LANES; ++i) {
            float square = s->wx[i] * s->wx[i] + s->wy[i] * s->wy[i] + s->wz[i] * s->wz[i];
            fastest[i] = square > fastest[i] ? square : fastest[i];
        }
    }
    uint16_t turning = 0;
    for (int i = 0; i < pack->lanes; ++i)
        for (int k = 0; h * h * fastest[i] > SWEPT_TURN * SWEPT_TURN && k < pack->lanes; ++k)
            if (pack->lane[k].body == pack->lane[i].body)
                turning |= (uint16_t)(1u << k);
    return turning;
}

// Elimination in float rounds stiffnesses of neighbours, whose difference is their inertia: what it
// takes for the inertia of a rod is off by a few 10⁻⁸ of the largest k/m there is. With this much the
// motion of cantilevers is off by 10⁻³ of the deflection after a period and more
// (test_direct_precision).
#define STIFFEST_IN_FLOAT 3e4

static double larger(float a, float b) { return (double)(a > b ? a : b); }

// Turns that shear a segment are left out: they are stiff whatever the others do. So is what the cross-section has of the
// gradient (elements.c), a third of what it has of the mean: it is the smaller part of a stiffness that each scale has.
static double segment_stiffness(const RodPack *pack, int j, int a, int b, int i) {
    const RodPrepared *base = pack->own_prepared, *p = base + j;
    double k = (double)p->k_stretch[i] + (pack->classic ? 0.0 : (double)p->k_volume[i]);
    double swell = pack->classic ? 0.0 : (double)p->k_gradient[i] - (double)p->k_cross[i] / 3.0;
    return fmax(k * larger(base[a].m[i], base[b].m[i]),
                swell * larger(base[a].m_scale[i], base[b].m_scale[i]));
}

static double joint_stiffness(const RodPack *pack, int row, GraphJoint joint, int i) {
    const RodPrepared *base = pack->own_prepared, *p = base + row;
    double k = (double)p->k_bend[i] + (pack->classic ? 0.0 : (double)p->k_volume_bend[i]);
    double lap = pack->classic ? 0.0 : (double)p->k_lap[i] * (double)base[joint.vertex].m_scale[i];
    double bend =
        k * (double)base[joint.vertex].m[i] * inverse_square(pack->rest[row].joint_length[i]);
    return fmax(fmax(bend, lap), (double)p->k_twist[i] * (double)p->G_twist[i]);
}

static double largest_stiffness(const RodPack *pack, int i) {
    const RodGraph *graph = pack->graph;
    double most = 0.0;
    for (int j = 0; j < (graph ? graph->segments : pack->rows); ++j)
        most = fmax(most, segment_stiffness(pack, j, graph ? graph->edge[j][0] : j,
                                            graph ? graph->edge[j][1] : j + 1, i));
    for (int k = 0; k < (graph ? graph->joints : pack->rows); ++k)
        most =
            fmax(most, joint_stiffness(pack, k, graph ? graph->joint[k] : chain_joint(pack, k), i));
    return most;
}

static float shortest_segment(const RodPack *pack, int i) {
    float least = FLT_MAX;
    for (int j = 0; j < (pack->graph ? pack->graph->segments : pack->rows); ++j)
        if (pack->own_prepared[j].active[i] > 0.0f)
            least = fminf(least, pack->own_prepared[j].active[i]);
    return least;
}

static float springiest_joint(const RodPack *pack, int i) {
    double most = 0.0;
    for (int k = 0; k < (pack->graph ? pack->graph->joints : pack->rows); ++k) {
        const RodPrepared *p = pack->own_prepared + k;
        int vertex = pack->graph ? pack->graph->joint[k].vertex : k;
        double mass = (double)pack->rest[vertex].mass[i], stiff = (double)p->k_bend[i];
        if (mass > 0.0)
            most = fmax(most, stiff / mass * inverse_square(pack->rest[k].joint_length[i]));
    }
    return (float)fmin(most, 1e30);
}

static float most_yielding_joint(const RodPack *pack, int i) {
    double most = 0.0;
    for (int k = 0; k < (pack->graph ? pack->graph->joints : pack->rows); ++k) {
        int vertex = pack->graph ? pack->graph->joint[k].vertex : k;
        double stiff = (double)pack->own_prepared[k].k_bend[i];
        double mass = (double)pack->rest[vertex].mass[i];
        if (mass * stiff > 0.0)
            most = fmax(most, 1.0 / (mass * stiff));
    }
    return (float)fmin(most, 1e30);
}

static float most_rolling_joint(const RodPack *pack, int i) {
    double most = 0.0;
    for (int k = 0; k < (pack->graph ? pack->graph->joints : pack->rows); ++k) {
        const RodPrepared *base = pack->own_prepared;
        int frame = pack->graph ? pack->graph->joint[k].a : k;
        most = fmax(most, 2.0 * (double)base[k].k_bend[i] * (double)base[frame].m_roll[i]);
    }
    return (float)fmin(most, 1e30);
}

// rad: by how much the rod turns its way in a joint, at rest.
static double sharpest_joint(const RodPack *pack, int i) {
    double most = 0.0, halves = pack->graph ? 1.0 : 2.0; // (RodTurn)
    for (int k = 0; pack->own_turn && k < (pack->graph ? pack->graph->joints : pack->rows); ++k) {
        const RodTurn *t = pack->own_turn + k;
        double x = (double)t->x[i], y = (double)t->y[i];
        most = fmax(most, 2.0 * halves * sqrt(x * x + y * y));
    }
    return most;
}

// A frame that turns by θ along its tangent leaves its segment strained by θ²/2. With k/m of the stretch, all × h², that
// is k/m θ²/4 times the energy of the motion that turned it. Along a straight rod it is gone with the next sub-step;
// where joints turn by φ at rest, that part of it shakes the rod across, for good (a coil of three turns, steel of
// 2 mm, φ = 0.3: at 5 m/s). So such a rod may leave the less, the stiffer it is.
#define SHARP 0.3
static float far_turn(double stiffness, double angle) {
    return fminf(FAR_TURN, (float)(SHARP / (angle * sqrt(fmax(stiffness, 1.0)) + 1e-6)));
}

// In which numbers the rod of every lane is solved directly. It depends on nothing but the rod and
// the length of the sub-step.
static void prepare_numbers(RodPack *pack) {
    pack->precise_lanes = pack->rough_lanes = pack->exact_lanes = 0;
    for (int i = 0; i < pack->lanes; ++i) {
        float mass = 0.0f;
        bool turns = true;
        int holds = 0;
        for (int j = 0; j <= pack->rows; ++j) {
            float own = pack->rest[j].mass[i];
            mass = fmaxf(mass, own);
            holds += own > 0.0f && pack->own_prepared[j].m[i] == 0.0f;
            float inertia = pack->rest[j].frame_inertia[i];
            turns &= !(inertia > 0.0f && pack->own_prepared[j].m_turn[i] == 0.0f);
        }
        pack->shortest[i] = shortest_segment(pack, i);
        pack->springy[i] = springiest_joint(pack, i);
        pack->rolling[i] = most_rolling_joint(pack, i);
        pack->yielding[i] = most_yielding_joint(pack, i);
        double stiffness = largest_stiffness(pack, i);
        bool precise = pack->slice || !(stiffness <= STIFFEST_IN_FLOAT);
        pack->far_turn[i] = far_turn(stiffness, sharpest_joint(pack, i));
        pack->unit[i] = mass > 0.0f ? ldexpf(1.0f, -ilogbf(mass)) : 1.0f;
        bool exact = precise || pack->damping[i] > 0.0f || sn__lane_has_seams(pack, i);
        pack->precise[i] = (float)precise;
        pack->exact[i] = (float)exact;
        pack->loose[i] = holds == 0 ? 1.0f : 0.0f;
        pack->braced[i] = holds > 1 ? 1.0f : 0.0f;
        pack->rolls[i] = holds == 0 || (turns && sn__lane_has_seams(pack, i)) ? 1.0f : 0.0f;
        if (pack->lane[i].body == 0)
            continue;
        *(precise ? &pack->precise_lanes : &pack->rough_lanes) += 1;
        pack->exact_lanes += exact;
    }
}

void sn__pack_prepare(RodPack *pack, float h) {
    assert(h > 0.0f && isfinite(h));
    assert(pack->state && pack->lanes <= PACK_LANES);
    bool all = pack->dirty || pack->prepared_h != h;
    const uint16_t slow = pack->touched_lanes | turning_lanes(pack, h);
    if (!all && pack->euler == (pack->coarse | slow))
        return;
    pack->damped = pack->walled = false;
    for (int i = 0; i < pack->lanes; ++i)
        pack->damped |= pack->damping[i] > 0.0f;
    sn__pack_bound_damping(pack, h);
    sn__pack_share_damping(pack, h);
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i)
            prepare_masses(pack, j, i);
    if (all)
        pack->coarse = coarse_lanes(pack, h);
    uint16_t euler = pack->coarse | slow;
    uint32_t stale = all ? 0xffff : (uint32_t)(pack->euler ^ euler);
    for (int i = 0; i < PACK_LANES; ++i)
        sn__scheme_set(&pack->scheme, i, has(euler, i) || (euler && pack->lane[i].body == 0));
    if (pack->graph)
        prepare_graph(pack, h, stale);
    else
        prepare_chains(pack, h, stale);
    prepare_direct(pack);
    prepare_radial(pack);
    sn__sections_prepare(pack, h);
    if (pack->aim)
        prepare_numbers(pack);
    pack->euler = euler;
    pack->prepared_h = h;
    pack->dirty = false;
    pack->renewed = true;
}
