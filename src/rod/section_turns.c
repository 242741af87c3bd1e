// The turns of sections, for what follows the bones of a bundle (VIPER, section 7.4, last sentence): one
// at a time and in double precision. The method is that of math/match_lanes.h.
#include <math.h>

#include "rod/rods.h"
#include "rod/sections.h"

#define STEPS 12
#define REACHED 1e-9 // of |A|
#define LEVEL 1e-2   // of |A|: what K has at least where it is trusted
#define FARTHEST 0.4 // half of the farthest turn of one step

typedef struct Sums {
    double a[3][3]; // Σ m c c̄ᵀ and Σ J R
} Sums;

static void add_outer(Sums *s, double weight, Vec3d now, Vec3d rest) {
    const double x[3] = {now.x, now.y, now.z}, y[3] = {rest.x, rest.y, rest.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            s->a[i][j] += weight * x[i] * y[j];
}

static Vec3d column(const Sums *s, int j) { return (Vec3d){s->a[0][j], s->a[1][j], s->a[2][j]}; }

static Vec3d axis(Quatd q, int j) {
    return rotated(q, (Vec3d){j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0});
}

// K⁻¹ β with the symmetric K, by its adjugate; false where K is not safely positive.
static bool solve(const double k[3][3], Vec3d beta, double size, Vec3d *out) {
    double xx = k[1][1] * k[2][2] - k[1][2] * k[1][2], xy = k[0][2] * k[1][2] - k[0][1] * k[2][2];
    double xz = k[0][1] * k[1][2] - k[0][2] * k[1][1], yy = k[0][0] * k[2][2] - k[0][2] * k[0][2];
    double yz = k[0][1] * k[0][2] - k[0][0] * k[1][2], zz = k[0][0] * k[1][1] - k[0][1] * k[0][1];
    double det = k[0][0] * xx + k[0][1] * xy + k[0][2] * xz, level = LEVEL * size;
    if (!(k[0][0] > level && zz > level * level && det > level * level * level))
        return false;
    *out = scaled((Vec3d){xx * beta.x + xy * beta.y + xz * beta.z,
                          xy * beta.x + yy * beta.y + yz * beta.z,
                          xz * beta.x + yz * beta.y + zz * beta.z},
                  1.0 / det);
    return true;
}

static Quatd match(const Sums *s, Quatd q) {
    for (int n = 0; n < STEPS; ++n) {
        double b[3][3], k[3][3]; // B = Rᵀ A, K = tr B − sym B
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                b[i][j] = dotd(axis(q, i), column(s, j));
        double trace = b[0][0] + b[1][1] + b[2][2], size = 0.0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                k[i][j] = (i == j ? trace : 0.0) - 0.5 * (b[i][j] + b[j][i]);
                size += fabs(b[i][j]);
            }
        Vec3d beta = {b[2][1] - b[1][2], b[0][2] - b[2][0], b[1][0] - b[0][1]}, turn;
        if (lengthd(beta) <= REACHED * size)
            break;
        if (!solve(k, beta, size, &turn))
            turn = scaled(beta, 1.0 / (fabs(trace) + LEVEL * size));
        turn = shortened(scaled(turn, 0.5), FARTHEST);
        q = normalisedq(mulqd(q, (Quatd){turn.x, turn.y, turn.z, 1.0}));
    }
    return q;
}

static void match_section(const RodPack *pack, int lane, int section, const SnVec3 *offsets,
                          SnQuat *rotations) {
    const RodGraph *graph = pack->graph;
    Sums sums = {0};
    Quatd guess = {0};
    for (int e = graph->section_begin[section]; e < graph->section_begin[section + 1]; ++e) {
        int v = graph->section_vertex[e];
        const RodBundle *b = pack->bundle + v;
        Quatd q = quatd(rotations[v]);
        Vec3d rest = {(double)b->x[lane], (double)b->y[lane], (double)b->z[lane]};
        Vec3d z = {(double)b->along_x[lane], (double)b->along_y[lane], (double)b->along_z[lane]};
        add_outer(&sums, (double)pack->rest[v].mass[lane], vec3d(offsets[v]), rest);
        for (int j = 0; j < 3; ++j)
            add_outer(&sums, (double)b->turn[lane], axis(q, j),
                      axis((Quatd){0.0, 0.0, 0.0, 1.0}, j));
        add_outer(&sums, (double)b->turn_more[lane], rotated(q, z), z);
        double side = guess.x * q.x + guess.y * q.y + guess.z * q.z + guess.w * q.w;
        double sign = side < 0.0 ? -1.0 : 1.0;
        guess = (Quatd){guess.x + sign * q.x, guess.y + sign * q.y, guess.z + sign * q.z,
                        guess.w + sign * q.w};
    }
    SnQuat turn = quatf(match(&sums, normalisedq(guess)));
    for (int e = graph->section_begin[section]; e < graph->section_begin[section + 1]; ++e)
        rotations[graph->section_vertex[e]] = turn;
}

void sn__rod_match_turns(const Body *body, const SnVec3 *offsets, SnQuat *rotations) {
    const Rod *rod = rod_of(body);
    const RodPack *pack = rods_of(body)->packs[rod->pack];
    for (int k = 0; pack->bundle && k < pack->graph->sections; ++k)
        match_section(pack, rod->lane, k, offsets, rotations);
}
