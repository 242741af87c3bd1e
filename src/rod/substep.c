#include "rod/substep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "rod/chain.h"
#include "rod/push.h"
#include "rod/recover.h"
#include "rod/slices.h"
#include "rod/wall.h"
#include "sinew/world.h"

// What a sweep changes of vertex j; the frame is that of segment j.
static void copy_vertex(RodPack *pack, int to, int lane_to, int from, int lane_from) {
    RodWork *a = pack->work + to;
    const RodWork *b = pack->work + from;
    a->ux[lane_to] = b->ux[lane_from];
    a->uy[lane_to] = b->uy[lane_from];
    a->uz[lane_to] = b->uz[lane_from];
    a->us[lane_to] = b->us[lane_from];
    pack->state[to].s[lane_to] = pack->state[from].s[lane_from];
}

static void copy_frame(RodPack *pack, int to, int lane_to, int from, int lane_from) {
    RodState *a = pack->state + to;
    const RodState *b = pack->state + from;
    a->qx[lane_to] = b->qx[lane_from];
    a->qy[lane_to] = b->qy[lane_from];
    a->qz[lane_to] = b->qz[lane_from];
    a->qw[lane_to] = b->qw[lane_from];
}

static void seam_in(RodPack *pack, const RodSeam *seam) {
    assert(seam->row > 0 && seam->row < pack->rows);
    copy_vertex(pack, seam->row, seam->lane, 0, seam->next);
    copy_frame(pack, seam->row, seam->lane, 0, seam->next);
    copy_vertex(pack, seam->row + 1, seam->lane, 1, seam->next);
}

void sn__pack_seams_in(RodPack *pack) {
    for (int k = 0; k < pack->seam_count; ++k)
        seam_in(pack, &pack->seams[k]);
}

// Of vertex row + 1, only the scale is swept there.
static void seam_out(RodPack *pack, const RodSeam *seam) {
    copy_vertex(pack, 0, seam->next, seam->row, seam->lane);
    copy_frame(pack, 0, seam->next, seam->row, seam->lane);
    pack->state[1].s[seam->next] = pack->state[seam->row + 1].s[seam->lane];
}

// Ghosts start a sub-step with the whole state of what they repeat, velocities included.
static void seams_refresh(RodPack *pack) {
    for (int k = 0; k < pack->seam_count; ++k) {
        const RodSeam *seam = &pack->seams[k];
        for (int j = 0; j < 2; ++j) {
            PackRow *to = (PackRow *)(pack->state + seam->row + j);
            PackRow *from = (PackRow *)(pack->state + j);
            for (size_t f = 0; f < sizeof(RodState) / sizeof(PackRow); ++f)
                to[f][seam->lane] = from[f][seam->next];
        }
    }
}

// Ghost row r must be fresh when rows r − 1 and r are swept; it is copied in before and out after.
// Always in the same direction: where one sweep is not enough, up and down in turn would leave a
// different error every time, which shakes the rod.
static void sweep(RodPack *pack, const RodKernels *kernels, bool fresh) {
    for (int j = 0; j < pack->rows;) {
        int next = pack->rows;
        for (int k = 0; k < pack->seam_count; ++k) {
            int row = pack->seams[k].row;
            if (row - 1 == j)
                seam_in(pack, &pack->seams[k]);
            if (row - 1 > j && row - 1 < next)
                next = row - 1;
            if (row + 1 > j && row + 1 < next)
                next = row + 1;
        }
        assert(next > j);
        kernels->sweep(pack, j, next, fresh);
        for (int k = 0; k < pack->seam_count; ++k)
            if (pack->seams[k].row + 1 == next)
                seam_out(pack, &pack->seams[k]);
        j = next;
    }
}

// Where the start was so far off that a frame turned by more than this, an iteration may lead anywhere. Rods that
// are held start again from where they were, as far as nothing touches them; free ones may be far away by the
// end of the sub-step.
#define LOST 0.1f

static void start_again(RodPack *pack, int i) {
    for (int j = 0; j <= pack->rows; ++j) {
        const RodPrepared *p = pack->prepared + j;
        RodState *s = pack->state + j;
        RodWork *u = pack->work + j;
        if (p->m[i] > 0.0f)
            u->ux[i] = u->uy[i] = u->uz[i] = 0.0f;
        if (!pack->classic && p->m_scale[i] > 0.0f) {
            s->s[i] = u->ps[i];
            u->us[i] = s->s_rounded[i];
        }
        if (p->m_turn[i] > 0.0f) {
            s->qx[i] = u->pqx[i];
            s->qy[i] = u->pqy[i];
            s->qz[i] = u->pqz[i];
            s->qw[i] = u->pqw[i];
        }
    }
}

// All lanes of the rods that these are of.
static uint16_t whole_rods(const RodPack *pack, uint16_t some) {
    uint16_t lanes = 0;
    for (int i = 0; i < pack->lanes; ++i)
        for (int k = 0; k < pack->lanes && (some >> i & 1); ++k)
            if (pack->lane[k].body == pack->lane[i].body)
                lanes |= (uint16_t)(1u << k);
    return lanes;
}

// A bit for each lane of a rod in which a frame has turned, or a scale has changed, by more than these limits.
static uint16_t lanes_beyond_own(const RodPack *pack, const float *limits) {
    uint16_t lanes = 0;
    for (int i = 0; i < pack->lanes; ++i)
        lanes |= (uint16_t)((pack->newton_reach[i] > limits[i]) << i);
    return whole_rods(pack, lanes);
}

static uint16_t lanes_beyond(const RodPack *pack, float limit) {
    PackRow limits;
    for (int i = 0; i < PACK_LANES; ++i)
        limits[i] = limit;
    return lanes_beyond_own(pack, limits);
}

#define ALL_LANES 0xffff

static void choose_moves(RodPack *pack, uint16_t lanes) {
    for (int i = 0; i < PACK_LANES; ++i) {
        pack->newton_moves[i] = lanes >> i & 1 ? 1.0f : 0.0f;
        pack->newton_reach[i] = 0.0f;
    }
}

// Newton's method turns frames along their tangents. Where that was farther than a rod's own limit (RodPack.far_turn), it
// is repeated; more often by those who have started again. A rod goes on as a whole, and whatever the others do.
#define REPEATS 3
#define REPEATS_WHERE_LOST 24

// What is free has next to no inertia about its axis, and what one iteration leaves over of turns, the product
// of two of them, would spin it up about that in a minute; and of a torque or a blow, it keeps what is left over as
// momentum. So it is repeated as long as it turned something by more than this, in rad. A ring that hangs on a
// vertex is as free about its axis; and what is held as a bow turns that into motion.
#define FREE_TURN 1e-6f

static uint16_t free_lanes(const RodPack *pack) {
    uint16_t lanes = 0;
    for (int i = 0; i < pack->lanes; ++i)
        lanes |= (uint16_t)((pack->rolls[i] > 0.5f && pack->lane[i].body != 0) << i);
    return lanes;
}

// Where iterations go farther instead of less far, a rod rolls about its axis by more than its Hessian knows of
// (newton_terms.h): its frames are held back for the rest of the step.
static void hold_rolls(RodPack *pack, uint16_t lanes) {
    for (int i = 0; i < pack->lanes; ++i)
        if (lanes >> i & 1)
            pack->newton_steady[i] = 1.0f;
    pack->newton_bent |= lanes != 0;
}

static void newton(RodPack *pack, const RodKernels *kernels, bool first, uint16_t moves) {
    const uint16_t twice = free_lanes(pack) | whole_rods(pack, pack->newton_bowed);
    uint16_t lost = 0, late = 0;
    PackRow before = {0};
    for (int k = 0; moves != 0; ++k) {
        memcpy(before, pack->newton_reach, sizeof before);
        choose_moves(pack, moves);
        sn__pack_seams_in(pack);
        pack->newton_again = !first || k > 0;
        kernels->newton(pack, pack->newton_again ? SOLVE_AGAIN : SOLVE_FIRST);
        if (k == 0 && first)
            lost = lanes_beyond(pack, LOST) & (uint16_t) ~(pack->touched_lanes | free_lanes(pack));
        for (int i = 0; k == 0 && i < pack->lanes; ++i)
            if (lost >> i & 1)
                start_again(pack, i);
        moves = lanes_beyond_own(pack, pack->far_turn);
        if (k > 0)
            hold_rolls(pack, moves & lanes_beyond_own(pack, before));
        if (first)
            moves |= lanes_beyond(pack, FREE_TURN) & twice & (uint16_t)~pack->touched_lanes;
        uint16_t enough = k < REPEATS ? 0 : k < REPEATS_WHERE_LOST ? (uint16_t)~lost : ALL_LANES;
        late |= lanes_beyond(pack, FAR_TURN) & moves & enough;
        moves &= (uint16_t)~enough;
    }
    choose_moves(pack, late);
}

// Sections of a bundle that is thrown about, and folded where it is held, take more than those of rods.
#define SLICE_REPEATS 24

static void solve_slices(RodPack *pack, const RodKernels *kernels, bool first, uint16_t moves) {
    bool factored = false;
    for (int k = 0; moves != 0; ++k) {
        choose_moves(pack, moves);
        DirectSolve later = k == 0 && pack->touched ? SOLVE_ANSWER : SOLVE_AGAIN;
        DirectSolve solve = first && k == 0 ? SOLVE_FIRST : later;
        kernels->slices(pack, solve);
        factored |= solve != SOLVE_ANSWER;
        moves = lanes_beyond(pack, FAR_TURN);
        if (k == 0 && first)
            moves |= lanes_beyond(pack, FREE_TURN) & free_lanes(pack);
        if (k == SLICE_REPEATS)
            break;
    }
    if (factored && pack->tie_count > 0)
        kernels->slices_ties(pack);
    choose_moves(pack, moves);
}

static void solve_whole(RodPack *pack, const RodKernels *kernels, bool first, uint16_t moves) {
    if (pack->slice)
        solve_slices(pack, kernels, first, moves);
    else
        newton(pack, kernels, first, moves);
}

// Of these lanes, those that answer to what contacts have added to the aim with the factors of the first iteration, until
// that has turned them as far as an iteration may. Returns the others. What links tie is solved anew: links are told
// how it answers by the last iteration that it had.
static uint16_t answer(RodPack *pack, const RodKernels *kernels, uint16_t moves) {
    uint16_t lanes = moves & (uint16_t)~pack->factors_missing;
    for (int i = 0; i < pack->lanes; ++i)
        if (pack->precise[i] > 0.5f || pack->tied[i] > 0.5f ||
            pack->answered[i] > pack->far_turn[i])
            lanes &= (uint16_t) ~(1u << i);
    if (lanes == 0)
        return moves;
    PackRow late;
    memcpy(late, pack->newton_moves, sizeof late);
    choose_moves(pack, lanes);
    pack->newton_again = true;
    kernels->newton(pack, SOLVE_ANSWER);
    memcpy(pack->newton_moves, late, sizeof late);
    for (int i = 0; i < pack->lanes; ++i) {
        pack->answered[i] += pack->newton_reach[i];
        if (pack->answered[i] > pack->far_turn[i])
            lanes &= (uint16_t) ~(1u << i);
    }
    return moves & (uint16_t)~lanes;
}

static void answer_or_solve(RodPack *pack, const RodKernels *kernels, uint16_t moves) {
    if (pack->slice == NULL && pack->factors)
        moves = answer(pack, kernels, moves);
    if (moves != 0)
        solve_whole(pack, kernels, false, moves);
}

// The direct pass: in lanes for rods that are in one, apart for those with seams.
static void axial(RodPack *pack, const RodKernels *kernels, bool fresh) {
    int in_chains = 0;
    for (int k = 0; k < pack->chain_count; ++k)
        in_chains += pack->chains[k].pieces;
    if (in_chains < PACK_LANES)
        kernels->axial(pack, fresh);
    sn__chains_solve(pack, fresh);
}

// The wall, and the segment itself where it is held as a whole.
static void lead_frame(RodPack *pack, const RodLead *l, const float v[4]) {
    float n = 1.0f / sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    int rows[2] = {l->wall, l->row};
    for (int k = 0; k < (sn__both_ends_held(pack, l->lane, l->row) ? 2 : 1); ++k) {
        RodState *s = pack->state + rows[k];
        s->qx[l->lane] = v[0] * n;
        s->qy[l->lane] = v[1] * n;
        s->qz[l->lane] = v[2] * n;
        s->qw[l->lane] = v[3] * n;
    }
}

static void lead(RodPack *pack, float t) {
    for (int k = 0; k < pack->lead_count; ++k) {
        const RodLead *l = &pack->leads[k];
        RodState *s = pack->state + l->row;
        assert(l->row >= 0 && l->row <= pack->rows && l->lane >= 0 && l->lane < pack->lanes);
        float v[4];
        for (int c = 0; c < 4; ++c)
            v[c] = l->from[c] + t * (l->to[c] - l->from[c]);
        for (int c = 0; c < 4 && l->curved; ++c)
            v[c] += t * (1.0f - t) * (l->bend[0][c] + t * l->bend[1][c]);
        if (l->held == HELD_VERTEX) {
            RodWork *u = pack->work + l->row;
            u->ux[l->lane] = v[0] - s->x[l->lane];
            u->uy[l->lane] = v[1] - s->y[l->lane];
            u->uz[l->lane] = v[2] - s->z[l->lane];
        } else if (l->held == HELD_FRAME) {
            lead_frame(pack, l, v);
        } else {
            assert(l->held == HELD_SCALE);
            s->s[l->lane] = v[0];
            pack->work[l->row].us[l->lane] = v[0] - pack->work[l->row].ps[l->lane];
        }
    }
}

// Where walls were at the start of the sub-step, in the row that is not predicted.
static void keep_walls(RodPack *pack) {
    const RodState *wall = pack->state - 1;
    RodWork *w = pack->work - 1;
    memcpy(w->pqx, wall->qx, sizeof(PackRow));
    memcpy(w->pqy, wall->qy, sizeof(PackRow));
    memcpy(w->pqz, wall->qz, sizeof(PackRow));
    memcpy(w->pqw, wall->qw, sizeof(PackRow));
}

// How fast the walls in that row have turned in the sub-step, for those who ask what they bear. Those behind the last
// segment are finished as frames are.
static void note_wall_spins(RodPack *pack, float h) {
    RodState *wall = pack->state - 1;
    const RodWork *w = pack->work - 1;
    for (int i = 0; i < pack->lanes; ++i) {
        Quatd q = {(double)wall->qx[i], (double)wall->qy[i], (double)wall->qz[i],
                   (double)wall->qw[i]};
        Quatd before = {(double)w->pqx[i], (double)w->pqy[i], (double)w->pqz[i], (double)w->pqw[i]};
        Quatd turn = mulqd(q, conjugated(before));
        double rate = (turn.w < 0.0 ? -2.0 : 2.0) / (double)h;
        wall->wx[i] = (float)(rate * turn.x);
        wall->wy[i] = (float)(rate * turn.y);
        wall->wz[i] = (float)(rate * turn.z);
    }
}

void sn__pack_begin(RodPack *pack, const RodStep *step, int substep, ContactLoad *loads) {
    assert(pack->work && pack->prepared && step->motion.h > 0.0f);
    assert(substep >= 0 && substep < step->substeps);
    assert(loads == NULL || pack->knots != 0);
    const RodKernels *kernels = step->kernels;
    double start = step->timed ? sn_now_ms() : 0.0;
    seams_refresh(pack);
    if (pack->slice && substep == 0)
        sn__slices_spread(pack);
    if (pack->slice && (substep == 0 || pack->slices_lost))
        kernels->slices_start(pack);
    if (pack->slice)
        sn__slices_begin(pack);
    kernels->predict(pack, &step->motion);
    if (loads)
        kernels->load(pack, loads);
    if (pack->damped) {
        keep_walls(pack);
        sn__pack_share_damping(pack, step->motion.h);
        kernels->warm(pack);
    }
    lead(pack, (float)(substep + 1) / (float)step->substeps);
    if (pack->aim && pack->slice == NULL)
        kernels->outset(pack, step->motion.h, substep == 0);
    if (pack->bundle && pack->slice == NULL)
        kernels->bundle(pack, true);
    if (pack->aim == NULL)
        axial(pack, kernels, !pack->damped);
    if (step->timed)
        pack->stage_ms[0] += (float)(sn_now_ms() - start);
}

void sn__pack_sweep(RodPack *pack, const RodStep *step, int iteration) {
    double start = step->timed ? sn_now_ms() : 0.0;
    // Rods have the last word: they keep their volume, and sections follow.
    if (pack->bundle && pack->slice == NULL && iteration > 0) {
        step->kernels->bundle(pack, false);
        axial(pack, step->kernels, false);
    }
    if (pack->aim && iteration == 0)
        memset(pack->answered, 0, sizeof pack->answered);
    if (pack->aim && iteration < step->iterations)
        solve_whole(pack, step->kernels, iteration == 0, ALL_LANES);
    else if (pack->aim)
        answer_or_solve(pack, step->kernels, ALL_LANES);
    else
        sweep(pack, step->kernels, iteration == 0 && !pack->damped);
    if (step->timed)
        pack->stage_ms[1] += (float)(sn_now_ms() - start);
}

void sn__pack_settle(RodPack *pack, const RodStep *step) {
    assert(pack->aim);
    double start = step->timed ? sn_now_ms() : 0.0;
    solve_whole(pack, step->kernels, false, ALL_LANES);
    if (step->timed)
        pack->stage_ms[1] += (float)(sn_now_ms() - start);
}

void sn__pack_push(RodPack *pack, const RodStep *step, const Knot *knots) {
    uint16_t lanes = sn__push_aim(pack, knots);
    if (lanes == 0)
        return;
    pack->pushing = true;
    answer_or_solve(pack, step->kernels, lanes);
    uint16_t less = pack->slice ? sn__push_less(pack, knots, lanes) : 0;
    if (less != 0)
        solve_whole(pack, step->kernels, false, less);
    pack->pushing = false;
    sn__keep_velocities(pack, lanes);
}

// Segments that turn by more than this in a sub-step are beyond what Newton's method and a scheme of second order can
// follow: their rods count as those where it has not arrived. About their own axes they may spin.
#define FAST_TURN 0.5f

static void note_fast_lanes(RodPack *pack, float h) {
    PackRow fastest = {0};
    for (int j = 0; j < pack->rows; ++j) {
        const RodState *s = pack->state + j;
        for (int i = 0; i < PACK_LANES; ++i) {
            float x = s->wx[i], y = s->wy[i], z = s->wz[i], square = x * x + y * y + z * z;
            float about = 2.0f * x * (s->qx[i] * s->qz[i] + s->qy[i] * s->qw[i]) +
                          2.0f * y * (s->qy[i] * s->qz[i] - s->qx[i] * s->qw[i]) +
                          z * (1.0f - 2.0f * (s->qx[i] * s->qx[i] + s->qy[i] * s->qy[i]));
            float across = square - about * about;
            fastest[i] = across > fastest[i] ? across : fastest[i];
        }
    }
    for (int i = 0; i < PACK_LANES; ++i)
        if (h * h * fastest[i] > FAST_TURN * FAST_TURN)
            pack->newton_moves[i] = 1.0f;
}

void sn__pack_end(RodPack *pack, const RodStep *step, int substep) {
    assert(substep >= 0 && substep < step->substeps);
    double start = step->timed ? sn_now_ms() : 0.0;
    const bool last = substep + 1 == step->substeps;
    if (last)
        step->kernels->residual(pack);
    if (pack->aim)
        note_fast_lanes(pack, step->motion.h);
    uint32_t bits = step->kernels->finish(pack, step->motion.h, last);
    sn__pack_hold_back(pack, step->motion.h);
    if ((bits & SN_STEP_CLAMPED) && !sn__pack_limit_speeds(pack, step->motion.h))
        bits &= ~(uint32_t)SN_STEP_CLAMPED;
    if (bits & SN_STEP_RECOVERED)
        sn__pack_recover(pack);
    if (pack->damped)
        note_wall_spins(pack, step->motion.h);
    if (pack->aim)
        memcpy(pack->newton_late, pack->newton_moves, sizeof(PackRow));
    pack->slices_lost |= bits != SN_STEP_OK;
    pack->step_bits |= bits;
    if (step->timed)
        pack->stage_ms[2] += (float)(sn_now_ms() - start);
}
