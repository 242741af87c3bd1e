// Boxes along the world's axes around what is drawn.
#pragma once

#include "view/vec.h"

#include <float.h>

typedef struct ViewBox {
    SnVec3 low, high; // low > high: empty
} ViewBox;

static inline ViewBox view_box_empty(void) {
    ViewBox box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    return box;
}

static inline bool view_box_is_empty(const ViewBox *box) { return !(box->low.x <= box->high.x); }

static inline SnVec3 view_min(SnVec3 a, SnVec3 b) {
    return sn_vec3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}

static inline SnVec3 view_max(SnVec3 a, SnVec3 b) {
    return sn_vec3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

static inline void view_box_add(ViewBox *box, SnVec3 centre, float radius) {
    SnVec3 r = sn_vec3(radius, radius, radius);
    box->low = view_min(box->low, sn_vec3_sub(centre, r));
    box->high = view_max(box->high, sn_vec3_add(centre, r));
}

static inline void view_box_join(ViewBox *box, const ViewBox *other) {
    box->low = view_min(box->low, other->low);
    box->high = view_max(box->high, other->high);
}

static inline SnVec3 view_box_corner(const ViewBox *box, int i) {
    return sn_vec3(i & 1 ? box->high.x : box->low.x, i & 2 ? box->high.y : box->low.y,
                   i & 4 ? box->high.z : box->low.z);
}

static inline SnVec3 view_box_middle(const ViewBox *box) {
    return sn_vec3_scale(sn_vec3_add(box->low, box->high), 0.5f);
}

// Of the sphere around it.
static inline float view_box_radius(const ViewBox *box) {
    return 0.5f * sn_vec3_length(sn_vec3_sub(box->high, box->low));
}
