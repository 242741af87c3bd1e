// Segments of one stiff rod or tree that are too close to each other to touch.
#include <assert.h>
#include <math.h>

#include "body/touch.h"
#include "stiff/touch.h"

// A walk that is longer than this is in the thick of a net, among segments far shorter than they are wide.
#define WALK_STEPS 256
#define WALK_DEPTH 64

// Where a walk is: on a segment that it came to at a vertex, from another, so far along the tree.
typedef struct Stand {
    int segment, from, vertex;
    double arc;
} Stand;

static int common_vertex(const int a[2], const int b[2]) {
    return a[0] == b[0] || a[0] == b[1] ? a[0] : a[1] == b[0] || a[1] == b[1] ? a[1] : -1;
}

// Whether the way over the tree from segment i to segment j is shorter than `most`.
static bool within_arc(const StiffRod *t, int i, int j, double most) {
    Stand stack[WALK_DEPTH] = {{.segment = i, .from = -1, .vertex = -1}};
    int depth = 1;
    for (int step = 0; depth > 0; ++step) {
        if (step == WALK_STEPS)
            return true;
        Stand s = stack[--depth];
        for (int k = t->joints_begin[s.segment]; k < t->joints_begin[s.segment + 1]; ++k) {
            const StiffJoint *joint = &t->joint[t->joints_of[k]];
            int next = joint->a == s.segment ? joint->b : joint->a;
            int vertex = common_vertex(t->edge[s.segment], t->edge[next]);
            bool passed = s.vertex >= 0 && vertex != s.vertex;
            double arc = s.arc + (passed ? t->segment[s.segment].length : 0.0);
            if (next == s.from || arc >= most)
                continue;
            if (next == j || depth == WALK_DEPTH)
                return true;
            stack[depth++] = (Stand){next, s.segment, vertex, arc};
        }
    }
    return false;
}

static double widest(const StiffRod *t, int segment) {
    return (double)fmaxf(t->radius[t->edge[segment][0]], t->radius[t->edge[segment][1]]);
}

// Those that have a vertex in common, that touch at rest, or that are so close along the tree that they
// would when it bends. That no way is shorter than the straight one spares most walks.
bool sn__stiff_are_neighbours(const Body *body, int i, int j) {
    const StiffRod *t = stiff_of(body);
    assert(i >= 0 && i < t->segments && j >= 0 && j < t->segments);
    const int *a = t->edge[i], *b = t->edge[j];
    if (common_vertex(a, b) >= 0)
        return true;
    double gap = 1e30, straight = 1e30;
    for (int e = 0; e < 4; ++e) {
        int p = a[e / 2], q = b[e % 2];
        double apart = lengthd(subd(vec3d(t->rest_positions[p]), vec3d(t->rest_positions[q])));
        straight = fmin(straight, apart);
        gap = fmin(gap, apart - (double)t->radius[p] - (double)t->radius[q]);
    }
    double most = HAIRPIN * (widest(t, i) + widest(t, j));
    return gap < 0.0 || (straight < most && within_arc(t, i, j, most));
}
