// Places in float, near an origin that goes along with the rod.
#include "rod/substep.h"

#include <math.h>

// A rod whose first vertex is farther than this from its origin, and than it is long, gets a new one, on a
// lattice that float subtracts exactly.
#define FAR 4.0f
#define LATTICE 2.0f

static float length_of(const RodPack *pack, uint32_t rod) {
    float sum = 0.0f;
    for (int i = 0; i < pack->lanes; ++i)
        for (int j = 0; j < pack->rows && pack->lane[i].body == rod; ++j)
            sum += pack->rest[j].length[i];
    return sum;
}

void sn__pack_rebase(RodPack *pack) {
    for (int i = 0; i < pack->lanes; ++i) {
        const RodState *first = pack->state;
        float shift[3] = {first->x[i], first->y[i], first->z[i]};
        if (fabsf(shift[0]) <= FAR && fabsf(shift[1]) <= FAR && fabsf(shift[2]) <= FAR)
            continue;
        uint32_t rod = pack->lane[i].body;
        float length = length_of(pack, rod);
        if (fabsf(shift[0]) <= length && fabsf(shift[1]) <= length && fabsf(shift[2]) <= length)
            continue;
        for (int c = 0; c < 3; ++c)
            shift[c] = LATTICE * rintf(shift[c] / LATTICE);
        for (int k = 0; k < pack->lanes; ++k) {
            if (pack->lane[k].body != rod)
                continue;
            for (int c = 0; c < 3; ++c)
                pack->lane[k].origin[c] += (double)shift[c];
            for (int j = 0; j <= pack->rows; ++j) {
                pack->state[j].x[k] -= shift[0];
                pack->state[j].y[k] -= shift[1];
                pack->state[j].z[k] -= shift[2];
            }
        }
        for (int k = 0; k < pack->lead_count; ++k) {
            RodLead *l = &pack->leads[k];
            for (int c = 0; c < 3 && l->held == HELD_VERTEX; ++c) {
                if (pack->lane[l->lane].body != rod)
                    break;
                l->from[c] -= shift[c];
                l->to[c] -= shift[c];
            }
        }
    }
}
