#include "stiff/ties.h"

#include <assert.h>
#include <string.h>

#include "stiff/solve.h"

// A tie of a tree, to be filled in. NULL: it has as many as there may be, or there is no memory.
static StiffTie *add_tie(StiffGrove *grove, const StiffRod *rod) {
    int turn = 0;
    for (int k = 0; k < grove->tie_count; ++k)
        turn += grove->ties[k].rod == rod;
    if (grove->g.response == NULL || turn == TIES_OF_A_TREE ||
        !sn__reserve(&rod->system->allocator, (void **)&grove->ties, &grove->tie_capacity,
                     grove->tie_count, sizeof(StiffTie)))
        return NULL;
    StiffTie *tie = &grove->ties[grove->tie_count++];
    tie->rod = rod;
    tie->turn = turn;
    tie->drift = (Vec3d){0};
    return tie;
}

int sn__stiff_tie(Body *body, int element, float t) {
    StiffRod *rod = stiff_of(body);
    StiffGrove *grove = &rod->system->groves[rod->grove];
    StiffTie *tie = add_tie(grove, rod);
    if (tie == NULL)
        return -1;
    tie->point[0] = rod->ends[element][0];
    tie->point[1] = rod->ends[element][1];
    tie->weight[0] = 1.0 - (double)t;
    tie->weight[1] = (double)t;
    tie->segment = -1;
    return grove->tie_count - 1;
}

int sn__stiff_tie_turn(Body *body, int element) {
    StiffRod *rod = stiff_of(body);
    StiffGrove *grove = &rod->system->groves[rod->grove];
    StiffTie *tie = add_tie(grove, rod);
    if (tie == NULL)
        return -1;
    tie->segment = element;
    return grove->tie_count - 1;
}

bool sn__stiff_answer(const Body *body, int pulled, int tie, double out[3][3]) {
    const StiffRod *rod = stiff_of(body);
    const StiffGrove *grove = &rod->system->groves[rod->grove];
    const StiffTie *ties = grove->ties;
    memcpy(out, ties[tie].answer[ties[pulled].turn], sizeof(double[3][3]));
    return grove->breaks == 0;
}

Vec3d sn__stiff_drift(const Body *body, int tie) {
    const StiffRod *rod = stiff_of(body);
    return rod->system->groves[rod->grove].ties[tie].drift;
}

// A point of the tree in the lane of its segment, and the way there from the point that a lane's motion is that of.
typedef struct Lane {
    StiffResponse *response;
    int i;
    Vec3d arm;
} Lane;

static Lane lane_of(const StiffGrove *grove, const StiffTie *tie, int v) {
    int segment;
    double end = sn__stiff_point(tie->rod, tie->point[v], &segment);
    int slot = tie->rod->slot[segment], row = slot / STIFF_LANES, i = slot % STIFF_LANES;
    Vec3d axis = axis_z(sn__stiff_pose(tie->rod, segment).q);
    return (Lane){&grove->g.response[row], i, scaled(axis, end - grove->g.rest[row].end[i])};
}

// The lane of the segment that a hinge turns.
static Lane segment_of(const StiffGrove *grove, const StiffTie *tie) {
    int slot = tie->rod->slot[tie->segment];
    return (Lane){&grove->g.response[slot / STIFF_LANES], slot % STIFF_LANES, {0.0, 0.0, 0.0}};
}

static void pull(const StiffGrove *grove, const StiffTie *tie, int axis) {
    if (tie->segment >= 0) {
        Lane l = segment_of(grove, tie);
        l.response->g[3 + axis][l.i] += 1.0;
        return;
    }
    for (int v = 0; v < 2; ++v) {
        Lane l = lane_of(grove, tie, v);
        double w = tie->weight[v];
        Vec3d p = {axis == 0 ? w : 0.0, axis == 1 ? w : 0.0, axis == 2 ? w : 0.0};
        Vec3d m = crossd(l.arm, p);
        const double all[6] = {p.x, p.y, p.z, m.x, m.y, m.z};
        for (int k = 0; k < 6; ++k)
            l.response->g[k][l.i] += all[k];
    }
}

// How far the point goes in the response that was found last, or how far the segment turns.
static Vec3d motion_of(const StiffGrove *grove, const StiffTie *tie) {
    Vec3d sum = {0};
    if (tie->segment >= 0) {
        Lane l = segment_of(grove, tie);
        const StiffLanes *r = l.response->r;
        return (Vec3d){r[0][l.i], r[1][l.i], r[2][l.i]};
    }
    for (int v = 0; v < 2; ++v) {
        Lane l = lane_of(grove, tie, v);
        const StiffLanes *t = l.response->t, *r = l.response->r;
        Vec3d by = {t[0][l.i], t[1][l.i], t[2][l.i]}, turned = {r[0][l.i], r[1][l.i], r[2][l.i]};
        sum = addd(sum, scaled(addd(by, crossd(turned, l.arm)), tie->weight[v]));
    }
    return sum;
}

static void read_answer(const StiffGrove *grove, StiffTie *tie, int turn, int axis) {
    Vec3d by = motion_of(grove, tie);
    tie->answer[turn][0][axis] = by.x;
    tie->answer[turn][1][axis] = by.y;
    tie->answer[turn][2][axis] = by.z;
}

// Where what is out of balance moves the points in the solve that follows. Loops would have a say in it: without them, it
// is not known.
static void find_drifts(StiffGrove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    if (grove->g.loop_count > 0)
        return;
    sn__grove_peek(&grove->g, kernels, tasks);
    for (int k = 0; k < grove->tie_count; ++k)
        grove->ties[k].drift = motion_of(grove, &grove->ties[k]);
}

// Of trees that share a grove, one tie each is pulled at in the same solve: they do not feel each other.
void sn__grove_answer_ties(StiffGrove *grove, const StiffKernels *kernels,
                           const SnTaskSystem *tasks, double h) {
    assert(grove->g.response);
    int turns = 0;
    sn__grove_factor(&grove->g, kernels, tasks, h);
    find_drifts(grove, kernels, tasks);
    for (int k = 0; k < grove->tie_count; ++k)
        turns = grove->ties[k].turn >= turns ? grove->ties[k].turn + 1 : turns;
    for (int turn = 0; turn < turns; ++turn)
        for (int axis = 0; axis < 3; ++axis) {
            for (int k = 0; k < grove->tie_count; ++k)
                if (grove->ties[k].turn == turn)
                    pull(grove, &grove->ties[k], axis);
            sn__grove_response(&grove->g, kernels, tasks);
            for (int k = 0; k < grove->tie_count; ++k)
                read_answer(grove, &grove->ties[k], turn, axis);
        }
}
