// Boxes along the world's axes around what is drawn.
#pragma once

#include "view/vec.h"

#include <float.h>

typedef struct SnvBox {
    SnVec3 low, high; // low > high: empty
} SnvBox;

static inline SnvBox snv__box_empty(void) {
    SnvBox box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    return box;
}

static inline bool snv__box_is_empty(const SnvBox *box) { return !(box->low.x <= box->high.x); }

static inline SnVec3 snv__min(SnVec3 a, SnVec3 b) {
    return sn_vec3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}

static inline SnVec3 snv__max(SnVec3 a, SnVec3 b) {
    return sn_vec3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

static inline void snv__box_add(SnvBox *box, SnVec3 centre, float radius) {
    SnVec3 r = sn_vec3(radius, radius, radius);
    box->low = snv__min(box->low, snv__sub(centre, r));
    box->high = snv__max(box->high, snv__add(centre, r));
}

static inline void snv__box_join(SnvBox *box, const SnvBox *other) {
    box->low = snv__min(box->low, other->low);
    box->high = snv__max(box->high, other->high);
}

static inline SnVec3 snv__box_corner(const SnvBox *box, int i) {
    return sn_vec3(i & 1 ? box->high.x : box->low.x, i & 2 ? box->high.y : box->low.y,
                   i & 4 ? box->high.z : box->low.z);
}

static inline SnVec3 snv__box_middle(const SnvBox *box) {
    return snv__scale(snv__add(box->low, box->high), 0.5f);
}

// Of the sphere around it.
static inline float snv__box_radius(const SnvBox *box) {
    return 0.5f * snv__length(snv__sub(box->high, box->low));
}
