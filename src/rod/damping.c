// How hard the dampers of a pack may be, and what of its stiffnesses is not damping.
#include <math.h>

#include "rod/graph.h"
#include "rod/substep.h"

// Dampers that are harder than this, h(h + τ)E/(ρl²), hold the ends of a segment together as well as harder
// ones, and no better: what float rounds of a length and of a frame they keep for as long as τ, with a force
// that would spin rods up. So stretch and shear have the largest τ that is not above it. Those of shear turn a
// segment about its axis, too, where it has the less inertia the thinner it is: beyond l = SLENDER r the bound
// falls as (r/l)².
//
// The volume of what is swept has no damping (rod_damping_wide.c), nor has that of what may be touched: contacts
// press on a radius that gives way within a sub-step, and do not know what a damper remembers.
#define HARDEST 1e5
#define SLENDER 10.0

static void bound_damping_in_lane(RodPack *pack, int i, float h) {
    int segments = pack->graph ? pack->graph->segments : pack->rows;
    for (int j = 0; j < segments; ++j) {
        const RodRest *r = pack->rest + j;
        double l = (double)r->length[i], radius = (double)r->radius[i];
        if (!(l > 0.0))
            continue;
        // K = E π r² l, and the mass of the segment is ρ π r² l.
        double mass = (double)r->spin_inertia[i] / (0.5 * radius * radius);
        double tau = HARDEST * mass * l * l / (h * (double)r->stretch[i]);
        double thin = fmin(SLENDER * radius / l, 1.0);
        pack->damping_along[i] = fminf(pack->damping_along[i], (float)fmax(tau - h, 0.0));
        tau *= thin * thin;
        pack->damping_across[i] = fminf(pack->damping_across[i], (float)fmax(tau - h, 0.0));
        if (pack->classic || !(r->volume[i] > 0.0f))
            continue;
        tau = HARDEST * mass * l * l / (h * (double)r->volume[i]);
        pack->damping_volume[i] = fminf(pack->damping_volume[i], (float)fmax(tau - h, 0.0));
    }
}

// A rod has the same bounds in all its lanes.
void sn__pack_bound_damping(RodPack *pack, float h) {
    for (int i = 0; i < PACK_LANES; ++i) {
        pack->damping_along[i] = pack->damping_across[i] = pack->damping[i];
        pack->damping_volume[i] =
            pack->aim && !(pack->touched_lanes >> i & 1) ? pack->damping[i] : 0.0f;
    }
    for (int i = 0; i < pack->lanes; ++i)
        if (pack->damping[i] > 0.0f)
            bound_damping_in_lane(pack, i, h);
    for (int i = 0; i < pack->lanes; ++i)
        for (int k = 0; k < pack->lanes && pack->damping[i] > 0.0f; ++k)
            if (pack->lane[k].body == pack->lane[i].body) {
                pack->damping_along[i] = fminf(pack->damping_along[i], pack->damping_along[k]);
                pack->damping_across[i] = fminf(pack->damping_across[i], pack->damping_across[k]);
                pack->damping_volume[i] = fminf(pack->damping_volume[i], pack->damping_volume[k]);
            }
}

void sn__pack_share_damping(RodPack *pack, float h) {
    for (int i = 0; i < PACK_LANES; ++i) {
        bool late = pack->newton_late[i] > 0.5f;
        pack->undamped[i] = late ? 1.0f : h / (h + pack->damping[i]);
        pack->undamped_along[i] = late ? 1.0f : h / (h + pack->damping_along[i]);
        pack->undamped_across[i] = late ? 1.0f : h / (h + pack->damping_across[i]);
        pack->undamped_volume[i] = late ? 1.0f : h / (h + pack->damping_volume[i]);
    }
}
