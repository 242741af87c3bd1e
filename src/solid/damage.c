// Edges that yield and break, by the stress along them: E times how much longer or shorter they are than at
// rest. What bends or shears them counts as far as it stretches them.
#include "solid/volume.h"

// The part of its rest length that an edge is longer by.
static double strain_of(const Solid *s, const SolidEdge *e) {
    return lengthd(subd(s->x[e->j], s->x[e->i])) / lengthd(e->rest) - 1.0;
}

// An edge does not get shorter than this part of the mean length of all: it would have no direction.
#define SHORTEST 1e-3

// It stays so much longer or shorter that only the strain at which it yields is left.
static void yield(SolidEdge *e, double strain, double most, double shortest) {
    double left = strain < 0.0 ? -most : most, length = lengthd(e->rest);
    e->rest = scaled(e->rest, fmax(length * (1.0 + strain) / (1.0 + left), shortest) / length);
}

void sn__solid_wear(Solid *s) {
    double yields = (double)s->material.yield, breaks = (double)s->material.strength;
    bool changed = false;
    if (!(yields > 0.0) && !(breaks > 0.0))
        return;
    for (int k = 0; k < s->edge_count; ++k) {
        SolidEdge *e = &s->edges[k];
        double young = (double)s->material.young * e->factor;
        if (e->broken || !(young > 0.0))
            continue;
        double strain = strain_of(s, e), most = fmin(yields / young, 0.5);
        if (breaks > 0.0 && young * strain > breaks) {
            e->broken = changed = true;
            ++s->breaks;
        } else if (yields > 0.0 && fabs(strain) > most) {
            yield(e, strain, most, SHORTEST * s->size);
            changed = true;
        }
    }
    if (changed)
        sn__solid_look_at_wear(s);
}

void sn__solid_look_at_wear(Solid *s) {
    s->worn = false;
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        Vec3d by = subd(e->rest, subd(s->particles[e->j].rest, s->particles[e->i].rest));
        s->worn = s->worn || e->broken || dotd(by, by) > 0.0;
    }
    s->own.h2 = 0.0;
    sn__solid_set_pieces(s);
    sn__solid_fill_rows(s);
}
