#include "bench/joins.h"

#define WIDE 1
#include "implicit/muscle_wide.h"

// As src/implicit/field_wide.c has them.
#define FILLET 0.2
#define MOST_BULGE 0.6

static Distance lanes_of(JoinedField f) {
    return (Distance){
        splat((float)f.value),
        {splat((float)f.gradient[0]), splat((float)f.gradient[1]), splat((float)f.gradient[2])}};
}

JoinedField joined_field(JoinKind kind, JoinedField part, JoinedField muscle, double reach) {
    if (kind == JOIN_UNION)
        return part.value < muscle.value ? part : muscle;
    if (kind == JOIN_CLEAN_UNION) {
        // min(a, b) − (δ − |a − b|)²/4δ
        double width = FILLET * reach, apart = part.value - muscle.value;
        double u = 1.0 - (apart < 0.0 ? -apart : apart) / width;
        u = u > 0.0 ? u : 0.0;
        double by_part = apart < 0.0 ? 1.0 - 0.5 * u : 0.5 * u;
        JoinedField out = {apart < 0.0 ? part.value : muscle.value, {0.0}};
        out.value -= 0.25 * width * u * u;
        for (int c = 0; c < 3; ++c)
            out.gradient[c] = by_part * part.gradient[c] + (1.0 - by_part) * muscle.gradient[c];
        return out;
    }
    Distance both = join_muscle(lanes_of(part), lanes_of(muscle), (float)(FILLET * reach),
                                (float)(MOST_BULGE * reach));
    return (JoinedField){
        (double)both.value[0],
        {(double)both.gradient.x[0], (double)both.gradient.y[0], (double)both.gradient.z[0]}};
}
