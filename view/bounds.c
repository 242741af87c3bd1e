#include "view/bounds.h"

#include "view/vec.h"

#include <float.h>
#include <stdlib.h>

#define STEPS VIEW_BOUNDS_STEPS

// Beyond this a coordinate is taken for the remains of an explosion.
#define FARTHEST 1.0e9f

ViewBounds view_bounds_empty(void) {
    ViewBounds bounds = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}, {0.0f}};
    for (int i = 0; i < VIEW_BOUNDS_REACHES; ++i)
        bounds.reach[i] = -FLT_MAX;
    return bounds;
}

bool view_bounds_is_empty(const ViewBounds *bounds) { return !(bounds->low.x <= bounds->high.x); }

// The directions in order: by x, then by y, then z < 0 before z > 0.
typedef struct Directions {
    SnVec3 vector[VIEW_BOUNDS_REACHES];
    float length[VIEW_BOUNDS_REACHES];
} Directions;

static Directions list_directions(void) {
    Directions list;
    int count = 0;
    for (int x = -STEPS; x <= STEPS; ++x) {
        int most_y = STEPS - abs(x);
        for (int y = -most_y; y <= most_y; ++y) {
            int z = most_y - abs(y);
            for (int side = z ? -1 : 1; side <= 1; side += 2) {
                SnVec3 v = sn_vec3((float)x, (float)y, (float)(side * z));
                list.vector[count] = v;
                list.length[count++] = sn_vec3_length(v);
            }
        }
    }
    return list;
}

// The place of a direction in that order. Row x has 4·most_y directions (1 at the poles).
static int direction_index(int x, int y, int z) {
    int index = 0;
    for (int row = -STEPS; row < x; ++row) {
        int most_y = STEPS - abs(row);
        index += most_y ? 4 * most_y : 1;
    }
    int most_y = STEPS - abs(x);
    // Within a row the first and last y have one direction, the others two.
    int before = y + most_y;
    index += before ? 2 * before - 1 : 0;
    return index + (z > 0);
}

void view_bounds_add(ViewBounds *bounds, const float *positions, const float *radii, int count) {
    const Directions list = list_directions();
    SnVec3 *low = &bounds->low, *high = &bounds->high;
    for (int i = 0; i < count; ++i) {
        SnVec3 p = view_load(positions + 3 * i);
        float r = radii ? radii[i] : 0.0f;
        // Written so that NaN fails it.
        if (!(fabsf(p.x) + fabsf(p.y) + fabsf(p.z) + fabsf(r) < FARTHEST))
            continue;
        *low = sn_vec3(fminf(low->x, p.x - r), fminf(low->y, p.y - r), fminf(low->z, p.z - r));
        *high = sn_vec3(fmaxf(high->x, p.x + r), fmaxf(high->y, p.y + r), fmaxf(high->z, p.z + r));
        for (int k = 0; k < VIEW_BOUNDS_REACHES; ++k) {
            float reach = sn_vec3_dot(p, list.vector[k]) + r * list.length[k];
            bounds->reach[k] = reach > bounds->reach[k] ? reach : bounds->reach[k];
        }
    }
}

// The directions are the corners of a triangulated octahedron. A direction within a triangle is a
// sum of its corners with weights ≥ 0, and the reach of a sum is at most the sum of the reaches.
float view_bounds_reach(const ViewBounds *bounds, SnVec3 direction) {
    float size = fabsf(direction.x) + fabsf(direction.y) + fabsf(direction.z);
    if (!(size > 0.0f))
        return 0.0f;
    float components[3] = {direction.x, direction.y, direction.z}, part[3];
    int whole[3], sign[3], total = 0;
    for (int i = 0; i < 3; ++i) {
        float steps = fabsf(components[i]) / size * (float)STEPS;
        sign[i] = components[i] < 0.0f ? -1 : 1;
        whole[i] = (int)steps;
        part[i] = steps - (float)whole[i];
        total += whole[i];
    }
    // The parts sum to the steps that are missing: 1 in a triangle that points outwards, 2 in one
    // that points inwards, where corners are counted from the far side. 0 is a corner itself.
    int missing = STEPS - total;
    float reach = 0.0f;
    for (int i = 0; i < 3; ++i) {
        int at[3];
        for (int k = 0; k < 3; ++k)
            at[k] = sign[k] * (whole[k] + (missing == 0 ? 0 : missing == 1 ? k == i : k != i));
        float weight = missing == 0 ? 1.0f / 3.0f : missing == 1 ? part[i] : 1.0f - part[i];
        reach += weight * bounds->reach[direction_index(at[0], at[1], at[2])];
    }
    return reach * size / (float)STEPS;
}
