#include "stiff/ties.h"

#include <assert.h>
#include <string.h>

#include "stiff/solve.h"

int sn__stiff_tie(Body *body, int element, float t) {
    StiffRod *rod = stiff_of(body);
    StiffGrove *grove = &rod->system->groves[rod->grove];
    int turn = 0;
    for (int k = 0; k < grove->tie_count; ++k)
        turn += grove->ties[k].rod == rod;
    if (grove->g.response == NULL || turn == TIES_OF_A_TREE ||
        !sn__reserve(&rod->system->allocator, (void **)&grove->ties, &grove->tie_capacity,
                     grove->tie_count, sizeof(StiffTie)))
        return -1;
    double end = ((double)t - 0.5) * rod->segment[element].length;
    grove->ties[grove->tie_count] = (StiffTie){rod, element, end, turn, {{{0.0}}}};
    return grove->tie_count++;
}

void sn__stiff_answer(const Body *body, int pulled, int tie, double out[3][3]) {
    const StiffRod *rod = stiff_of(body);
    const StiffTie *ties = rod->system->groves[rod->grove].ties;
    memcpy(out, ties[tie].answer[ties[pulled].turn], sizeof(double[3][3]));
}

// From the point that a row's motion is that of to the tie.
static Vec3d arm_of(const StiffTie *tie) {
    const Grove *g = &tie->rod->system->groves[tie->rod->grove].g;
    int slot = tie->rod->slot[tie->segment], row = slot / STIFF_LANES, i = slot % STIFF_LANES;
    Quatd q = sn__stiff_pose(tie->rod, tie->segment).q;
    return scaled(axis_z(q), tie->end - g->rest[row].end[i]);
}

static void pull(const StiffGrove *grove, const StiffTie *tie, int axis) {
    int slot = tie->rod->slot[tie->segment];
    StiffLanes *to = grove->g.response[slot / STIFF_LANES].g;
    Vec3d p = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    Vec3d m = crossd(arm_of(tie), p);
    const double all[6] = {p.x, p.y, p.z, m.x, m.y, m.z};
    for (int k = 0; k < 6; ++k)
        to[k][slot % STIFF_LANES] += all[k];
}

static void read_answer(const StiffGrove *grove, StiffTie *tie, int turn, int axis) {
    int slot = tie->rod->slot[tie->segment], i = slot % STIFF_LANES;
    const StiffResponse *response = &grove->g.response[slot / STIFF_LANES];
    Vec3d by = {response->t[0][i], response->t[1][i], response->t[2][i]};
    Vec3d turned = {response->r[0][i], response->r[1][i], response->r[2][i]};
    by = addd(by, crossd(turned, arm_of(tie)));
    tie->answer[turn][0][axis] = by.x;
    tie->answer[turn][1][axis] = by.y;
    tie->answer[turn][2][axis] = by.z;
}

// Of trees that share a grove, one tie each is pulled at in the same solve: they do not feel each other.
void sn__grove_answer_ties(StiffGrove *grove, const StiffKernels *kernels,
                           const SnTaskSystem *tasks) {
    assert(grove->g.response);
    int turns = 0;
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
