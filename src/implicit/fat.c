// Fat: what is shown of the skin hangs elastically on where fields and muscles put it, and swings after it.
//
// A point x of mass m, in kg, hangs on its place y, in m, with the energy E = ½ m ω² |x − y|² and the force
// −∂E/∂x = −m ω² (x − y), with ω = 2πf; damping adds −2 ζ ω m (x' − y'). Over a step, y goes on evenly, so that
// e = x − y follows e" = −ω² e − 2 ζ ω e', which is solved exactly: with d = ω √(1 − ζ²) and D = exp(−ζωh),
//   e(h) = D (cos dh + ζω/d sin dh) e + D/d sin dh · e',
//   e'(h) = −D ω²/d sin dh · e + D (cos dh − ζω/d sin dh) e'.
// So fat gains no energy, whatever the step, and neither frequency nor damping depend on it. Only so much
// of e is shown as the fat is thick: u = e t/√(t² + |e|²) is shorter than t.
#include "implicit/implicit.h"

#define TAU 6.283185307179586
#define MOST_FAT 0.3f // over the reach of a part
#define SMOOTHINGS 12 // of the thickness, from neighbour to neighbour
#define GRAIN 16      // packs

static float own_thickness(const SnImplicit *skin, int slot) {
    int own = skin->packs[slot / FIELD_LANES].own;
    float most = own >= 0 ? MOST_FAT * (float)skin->parts[own].grid.reach : 0.0f;
    return fminf(skin->fat.thickness, most);
}

// The mean of the neighbours; `shown[0]` is free before the first frame, and holds those of the pass before.
static void smooth_thickness(SnImplicit *skin) {
    int slots = sn__slot_count(skin);
    for (int pass = 0; pass < SMOOTHINGS; ++pass) {
        for (int i = 0; i < slots; ++i)
            skin->shown[0][i].spare = skin->fat_points[i].thickness;
        for (int i = 0; i < slots; ++i) {
            float mean = 0.0f, sum = 0.0f;
            for (int row = skin->ring_begin[i / FIELD_LANES];
                 row < skin->ring_begin[i / FIELD_LANES + 1]; ++row) {
                float share = skin->rings[row].share[i % FIELD_LANES];
                mean += share * skin->shown[0][skin->rings[row].slot[i % FIELD_LANES]].spare;
                sum += share;
            }
            skin->fat_points[i].thickness = sum > 0.0f ? mean / sum : 0.0f;
        }
    }
    for (int i = 0; i < slots; ++i)
        skin->shown[0][i].spare = 0.0f;
}

bool sn__implicit_make_fat(SnImplicit *skin) {
    if (!(skin->fat.thickness > 0.0f))
        return true;
    size_t slots = (size_t)skin->pack_room * FIELD_LANES;
    skin->fat_points = sn__alloc_array(&skin->allocator, slots, sizeof *skin->fat_points);
    skin->fat_away =
        sn__alloc_array(&skin->allocator, (size_t)skin->pack_room, sizeof *skin->fat_away);
    if (skin->fat_points == NULL || skin->fat_away == NULL)
        return false;
    for (int i = 0; i < sn__slot_count(skin); ++i)
        skin->fat_points[i].thickness = own_thickness(skin, i);
    smooth_thickness(skin);
    return true;
}

void sn__implicit_free_fat(SnImplicit *skin) {
    size_t packs = (size_t)skin->pack_room;
    sn__free(&skin->allocator, skin->fat_points, packs * FIELD_LANES * sizeof *skin->fat_points);
    sn__free(&skin->allocator, skin->fat_away, packs * sizeof *skin->fat_away);
}

// What a step makes of e and e'.
typedef struct FatStep {
    SnImplicit *skin;
    float seconds;
    float away[2], speed[2]; // of e(h) and of e'(h): by e and by e'
} FatStep;

static FatStep find_step(SnImplicit *skin, float seconds) {
    double f = TAU * (double)skin->fat.frequency, z = (double)skin->fat.damping;
    double h = (double)seconds, d = f * sqrt(1.0 - z * z), decay = exp(-z * f * h);
    double c = decay * cos(d * h), s = decay * sin(d * h) / d;
    return (FatStep){.skin = skin,
                     .seconds = seconds,
                     .away = {(float)(c + z * f * s), (float)s},
                     .speed = {(float)(-f * f * s), (float)(c - z * f * s)}};
}

// What of it is shown.
static SnVec3 shown(const SnImplicit *skin, int slot) {
    SnVec3 e = skin->fat_points[slot].away;
    float t = skin->fat_points[slot].thickness * fabsf(skin->scales[slot]);
    float size = sqrtf(t * t + sn_vec3_dot(e, e));
    return sn_vec3_scale(e, size > 0.0f ? t / size : 0.0f);
}

// Returns |e| + |e'|/ω, which is small only where a swing is.
static float swing_point(const FatStep *step, int slot) {
    SnImplicit *skin = step->skin;
    FatPoint *p = &skin->fat_points[slot];
    SnVec3 y = skin->places[0][slot].at;
    SnVec3 v = sn_vec3_scale(sn_vec3_sub(y, p->anchor), 1.0f / step->seconds);
    SnVec3 e = p->away, g = sn_vec3_sub(skin->fat_age > 1 ? p->velocity : v, v);
    p->away = sn_vec3_add_scaled(sn_vec3_scale(e, step->away[0]), g, step->away[1]);
    SnVec3 rate = sn_vec3_add_scaled(sn_vec3_scale(e, step->speed[0]), g, step->speed[1]);
    p->velocity = sn_vec3_add(v, rate);
    p->anchor = y;
    return sn_vec3_length(p->away) + sn_vec3_length(rate) / ((float)TAU * skin->fat.frequency);
}

static void swing_packs(int begin, int end, int worker, void *context) {
    const FatStep *step = context;
    SnImplicit *skin = step->skin;
    (void)worker;
    for (int i = FIELD_LANES * begin; i < FIELD_LANES * end; ++i) {
        FatPoint *p = &skin->fat_points[i];
        float size = 0.0f;
        if (skin->fat_age > 0 && step->seconds > 0.0f) {
            size = swing_point(step, i);
        } else {
            p->anchor = skin->places[0][i].at;
            p->away = sn_vec3(0.0f, 0.0f, 0.0f);
        }
        skin->places[0][i].at = sn_vec3_add(skin->places[0][i].at, shown(skin, i));
        float away = skin->edges[i] > 0.0f ? size / skin->edges[i] : 0.0f;
        float *most = &skin->fat_away[i / FIELD_LANES];
        *most = fmaxf(i % FIELD_LANES > 0 ? *most : 0.0f, away);
    }
}

void sn__implicit_swing(SnImplicit *skin, float seconds) {
    if (skin->fat_points == NULL)
        return;
    if (!skin->has_added)
        skin->fat_age = 0;
    FatStep step = find_step(skin, seconds);
    skin->tasks.parallel_for(skin->pack_count, GRAIN, swing_packs, &step, skin->tasks.context);
    skin->fat_age = seconds > 0.0f && skin->fat_age > 0 ? 2 : 1;
}
