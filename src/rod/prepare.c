// What the sweep needs and does not depend on the state: inverse masses, stiffnesses times h²,
// gains. Made anew when the step size, an attachment, an activation or a material has changed.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "rod/graph.h"
#include "rod/substep.h"

// With k·G beyond this, a constraint is rigid as far as float can tell; the bound keeps absurd
// stiffnesses from overflowing.
#define RIGID 1e7
#define RIGID_DIRECT 1e10 // what is solved directly is solved in double
#define STIFFEST 1e25

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
    p->m[i] = inverse(r->mass[i], held & HELD_VERTEX);
    p->m_scale[i] = inverse(r->scale_inertia[i], held & HELD_SCALE);
    p->m_turn[i] = 0.5f * inverse(r->frame_inertia[i], held & HELD_FRAME);
    p->m_roll[i] = 0.5f * inverse(r->spin_inertia[i], held & HELD_FRAME);
}

static double inverse_square(float length) {
    return length > 0.0f ? 1.0 / ((double)length * (double)length) : 0.0;
}

// Segment j from vertex a to vertex b.
static void prepare_segment(RodPack *pack, int j, int a, int b, int i, double undamped,
                            double factor) {
    const RodRest *r = pack->rest + j;
    RodPrepared *p = pack->own_prepared + j;
    const RodPrepared *pa = pack->own_prepared + a, *pb = pack->own_prepared + b;
    float length = r->length[i], active = length * pack->state[j].length_scale[i];
    double m = (double)pa->m[i] + (double)pb->m[i];
    double m_scale = (double)pa->m_scale[i] + (double)pb->m_scale[i];
    double shear = 2.0 * (double)p->m_turn[i] * (double)active * (double)active;
    double by_length = factor * inverse_square(length);
    p->length[i] = length;
    p->active[i] = active;
    p->lever[i] = p->m_turn[i] * active;
    p->k_stretch[i] = stiffness(pack, r->stretch[i], factor * inverse_square(active), m + shear);
    p->g_stretch[i] = gain(p->k_stretch[i], m);
    p->g_shear[i] = gain(p->k_stretch[i], m + shear);
    double scale_part = m_scale * (double)length * (double)length;
    p->k_volume[i] =
        stiffness(pack, r->volume[i], undamped * inverse_square(length), m + shear + scale_part);
    p->k_cross[i] = stiffness(pack, r->cross_section[i], 0.25 * factor, m_scale);
    p->k_gradient[i] = stiffness(pack, r->scale_gradient[i], by_length, m_scale);
    p->g_gradient[i] = gain(p->k_gradient[i], m_scale);
}

typedef struct Mobility {
    double bend, twist; // 1/inertia of both frames of a joint
} Mobility;

// In a creature, bending is measured in the axes of a. Those of p lie otherwise, with the axis of
// its segment along z = R(r̄)ᵀ e_z, so its part is m + (m_roll − m) z zᵀ. Split into its part t across
// a's axis and c along it, z zᵀ ≤ (|t| + |c|) diag(|t|, |t|, |c|), a bound that is exact where the
// two segments are in line.
static Mobility joint_mobility(const RodPack *pack, int row, int segment_p, int segment_a, int i) {
    const RodPrepared *p = pack->own_prepared + segment_p, *a = pack->own_prepared + segment_a;
    double turn = (double)p->m_turn[i], roll = (double)p->m_roll[i];
    if (pack->graph == NULL)
        return (Mobility){2.0 * (turn + (double)a->m_turn[i]), 2.0 * (roll + (double)a->m_roll[i])};
    const RodTurn *r = pack->own_turn + row;
    double x = (double)r->x[i], y = (double)r->y[i];
    double c = fabs(1.0 - 2.0 * (x * x + y * y));
    double t = sqrt(fmax(0.0, 1.0 - c * c)), more = fmax(0.0, roll - turn) * (t + c);
    return (Mobility){2.0 * (turn + more * t + (double)a->m_turn[i]),
                      2.0 * (turn + more * c + (double)a->m_roll[i])};
}

static void prepare_joint(RodPack *pack, int row, GraphJoint joint, int i, double undamped,
                          double factor) {
    const RodRest *r = pack->rest + row;
    RodPrepared *p = pack->own_prepared + row;
    float length = r->joint_length[i];
    double by_length = factor * inverse_square(length);
    Mobility G = joint_mobility(pack, row, joint.p, joint.a, i);
    p->rest_u[i] = r->rest_u[i] * length;
    p->rest_v[i] = r->rest_v[i] * length;
    p->rest_w[i] = r->rest_w[i] * length;
    p->G_bend[i] = (float)G.bend;
    p->G_twist[i] = (float)G.twist;
    p->k_bend[i] = stiffness(pack, r->bend[i], by_length, G.bend);
    p->g_bend[i] = gain(p->k_bend[i], G.bend);
    p->k_twist[i] = stiffness(pack, r->twist[i], by_length, G.twist);
    p->g_twist[i] = gain(p->k_twist[i], G.twist);
    p->k_volume_bend[i] =
        stiffness(pack, r->volume_bend[i], undamped * inverse_square(length), G.bend);

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

typedef struct Factors {
    double undamped, damped; // h², h²(1 + τ/h)
} Factors;

static Factors factors(const RodPack *pack, int i, float h) {
    return (Factors){(double)h * (double)h, (double)h * ((double)h + (double)pack->damping[i])};
}

static void prepare_chains(RodPack *pack, float h) {
    for (int j = 0; j < pack->rows; ++j) {
        GraphJoint joint = {.p = j - 1, .a = j, .vertex = j, .far_p = j - 1, .far_a = j + 1};
        for (int i = 0; i < pack->lanes; ++i) {
            Factors f = factors(pack, i, h);
            prepare_segment(pack, j, j, j + 1, i, f.undamped, f.damped);
            prepare_joint(pack, j, joint, i, f.undamped, f.damped);
        }
    }
}

static void prepare_graph(RodPack *pack, float h) {
    const RodGraph *graph = pack->graph;
    for (int i = 0; i < pack->lanes; ++i) {
        Factors f = factors(pack, i, h);
        for (int j = 0; j < graph->segments; ++j)
            prepare_segment(pack, j, graph->edge[j][0], graph->edge[j][1], i, f.undamped, f.damped);
        for (int k = 0; k < graph->joints; ++k)
            prepare_joint(pack, k, graph->joint[k], i, f.undamped, f.damped);
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
            p->radial[i] = r * r * p->m_scale[i] / (1.0f + p->m_scale[i] * p->radial[i]);
        }
    }
}

void sn__pack_prepare(RodPack *pack, float h) {
    assert(h > 0.0f && isfinite(h));
    assert(pack->state && pack->lanes <= PACK_LANES);
    if (!pack->dirty && pack->prepared_h == h)
        return;
    for (int k = 0; k < pack->seam_count; ++k) {
        const RodSeam *seam = &pack->seams[k];
        assert(seam->row > 0 && seam->row < pack->rows);
        pack->held[seam->row][seam->lane] = pack->held[0][seam->next];
        pack->held[seam->row + 1][seam->lane] = pack->held[1][seam->next];
    }
    pack->damped = false;
    for (int i = 0; i < pack->lanes; ++i)
        pack->damped |= pack->damping[i] > 0.0f;
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i)
            prepare_masses(pack, j, i);
    if (pack->graph)
        prepare_graph(pack, h);
    else
        prepare_chains(pack, h);
    prepare_direct(pack);
    prepare_radial(pack);
    pack->prepared_h = h;
    pack->dirty = false;
    pack->renewed = true;
}
