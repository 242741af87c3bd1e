// What the sweep needs and does not depend on the state: inverse masses, stiffnesses times h²,
// gains. Made anew when the step size, an attachment, an activation or a material has changed.
#include "rod/solve.h"

// With k·G beyond this, a constraint is rigid as far as float can tell; the bound keeps absurd
// stiffnesses from overflowing.
#define RIGID 1e7
#define STIFFEST 1e25

static float inverse(float a, bool held) { return held || !(a > 0.0f) ? 0.0f : 1.0f / a; }

// h²K(1 + κ), not stiffer than float can tell from rigid, and its gain.
static float stiffness(float K, double factor, double G) {
    double k = (double)K * factor;
    double most = RIGID / (G + RIGID / STIFFEST);
    return (float)(k < most ? k : most);
}

static float gain(float k, double G) { return (float)(1.0 / (1.0 + (double)k * G)); }

static void prepare_masses(RodPack *pack, int j, int i) {
    const RodRest *r = pack->rest + j;
    RodPrepared *p = pack->prepared + j;
    uint8_t held = pack->held[j][i];
    p->m[i] = inverse(r->mass[i], held & SN_HELD_VERTEX);
    p->m_scale[i] = inverse(r->scale_inertia[i], held & SN_HELD_SCALE);
    p->m_turn[i] = 0.5f * inverse(r->frame_inertia[i], held & SN_HELD_FRAME);
    p->m_roll[i] = 0.5f * inverse(r->spin_inertia[i], held & SN_HELD_FRAME);
}

static double inverse_square(float length) {
    return length > 0.0f ? 1.0 / ((double)length * (double)length) : 0.0;
}

static void prepare_segment(RodPack *pack, int j, int i, double undamped, double factor) {
    const RodRest *r = pack->rest + j;
    RodPrepared *p = pack->prepared + j;
    float length = r->length[i], active = length * pack->state[j].length_scale[i];
    double m = (double)p->m[i] + (double)p[1].m[i];
    double m_scale = (double)p->m_scale[i] + (double)p[1].m_scale[i];
    double shear = 2.0 * (double)p->m_turn[i] * (double)active * (double)active;
    double by_length = factor * inverse_square(length);
    p->length[i] = length;
    p->active[i] = active;
    p->lever[i] = p->m_turn[i] * active;
    p->k_stretch[i] = stiffness(r->stretch[i], factor * inverse_square(active), m + shear);
    p->g_stretch[i] = gain(p->k_stretch[i], m);
    p->g_shear[i] = gain(p->k_stretch[i], m + shear);
    double scale_part = m_scale * (double)length * (double)length;
    p->k_volume[i] =
        stiffness(r->volume[i], undamped * inverse_square(length), m + shear + scale_part);
    p->k_cross[i] = stiffness(r->cross_section[i], 0.25 * factor, m_scale);
    p->k_gradient[i] = stiffness(r->scale_gradient[i], by_length, m_scale);
    p->g_gradient[i] = gain(p->k_gradient[i], m_scale);
}

static void prepare_joint(RodPack *pack, int j, int i, double undamped, double factor) {
    const RodRest *r = pack->rest + j;
    RodPrepared *p = pack->prepared + j;
    float length = r->joint_length[i];
    double by_length = factor * inverse_square(length);
    double G_bend = 2.0 * ((double)p[-1].m_turn[i] + (double)p->m_turn[i]);
    double G_twist = 2.0 * ((double)p[-1].m_roll[i] + (double)p->m_roll[i]);
    p->rest_u[i] = r->rest_u[i] * length;
    p->rest_v[i] = r->rest_v[i] * length;
    p->rest_w[i] = r->rest_w[i] * length;
    p->G_bend[i] = (float)G_bend;
    p->G_twist[i] = (float)G_twist;
    p->k_bend[i] = stiffness(r->bend[i], by_length, G_bend);
    p->g_bend[i] = gain(p->k_bend[i], G_bend);
    p->k_twist[i] = stiffness(r->twist[i], by_length, G_twist);
    p->g_twist[i] = gain(p->k_twist[i], G_twist);
    p->k_volume_bend[i] = stiffness(r->volume_bend[i], undamped * inverse_square(length), G_bend);

    // W × L l_next, so that the coefficients of the three scales are 1, −(1 + ratio) and ratio.
    double next = (double)p->length[i], prev = (double)p[-1].length[i];
    double ratio = prev > 0.0 ? next / prev : 0.0;
    double G = (double)p[1].m_scale[i] + (1.0 + ratio) * (1.0 + ratio) * (double)p->m_scale[i] +
               ratio * ratio * (double)p[-1].m_scale[i];
    p->lap_ratio[i] = (float)ratio;
    p->k_lap[i] = stiffness(r->scale_bend[i], by_length * inverse_square(p->length[i]), G);
    p->g_lap[i] = gain(p->k_lap[i], G);
}

// Rods with seams have a direct pass of their own (chain.c).
static void prepare_direct(RodPack *pack) {
    for (int j = 0; j < pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i)
            pack->prepared[j].direct[i] = 1.0f;
    for (int k = 0; k < pack->chain_count; ++k)
        for (int j = 0; j < pack->rows; ++j)
            for (int p = 0; p < pack->chains[k].pieces; ++p)
                pack->prepared[j].direct[pack->chains[k].lane + p] = 0.0f;
}

void sn__pack_prepare(RodPack *pack, float h) {
    if (!pack->dirty && pack->prepared_h == h)
        return;
    for (int k = 0; k < pack->seam_count; ++k) {
        const RodSeam *seam = &pack->seams[k];
        pack->held[seam->row][seam->lane] = pack->held[0][seam->next];
        pack->held[seam->row + 1][seam->lane] = pack->held[1][seam->next];
    }
    pack->damped = false;
    for (int i = 0; i < pack->lanes; ++i)
        pack->damped |= pack->damping[i] > 0.0f;
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i)
            prepare_masses(pack, j, i);
    for (int j = 0; j < pack->rows; ++j) {
        for (int i = 0; i < pack->lanes; ++i) {
            double undamped = (double)h * (double)h;
            double factor = (double)h * ((double)h + (double)pack->damping[i]); // h²(1 + τ/h)
            prepare_segment(pack, j, i, undamped, factor);
            prepare_joint(pack, j, i, undamped, factor);
        }
    }
    prepare_direct(pack);
    pack->prepared_h = h;
    pack->dirty = false;
}
