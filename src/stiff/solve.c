#include "stiff/solve.h"

#include <assert.h>

#include "stiff/fronts.h"
#include "stiff/loops.h"

typedef struct PartTask {
    Grove *grove;
    const StiffKernels *kernels;
    double h;
    // Of sn__grove_solve_all:
    GroveWork work;
    int solved, solves;
} PartTask;

// Parts have their sums from the worker that is at them, but for the middle, which others bring to, and
// where props do.
static double part_up(const PartTask *t, int k, int worker) {
    Grove *g = t->grove;
    StiffPart *part = &g->parts[k];
    assert(part->begin <= part->exports && part->exports <= part->end &&
           part->end <= g->prop_begin);
    bool lent = k + 1 < g->part_count && g->prop_begin == g->still_begin;
    assert(!lent || g->lent);
    StiffSum *sums = lent ? g->lent[worker].sum : g->sum + part->begin;
    part->residual = t->kernels->up(g, sums, part->begin, part->exports, part->end, t->h);
    return part->residual;
}

static void parts_up(int begin, int end, int worker, void *context) {
    for (int k = begin; k < end; ++k)
        part_up(context, k, worker);
}

static void parts_down(int begin, int end, int worker, void *context) {
    (void)worker;
    const PartTask *t = context;
    for (int k = begin; k < end; ++k) {
        StiffPart *part = &t->grove->parts[k];
        part->turn = t->kernels->down(t->grove, part->begin, part->end);
    }
}

static void see_turns(Grove *g) {
    for (int k = 0; k < g->part_count; ++k)
        g->turn = g->parts[k].turn > g->turn ? g->parts[k].turn : g->turn;
}

static void for_parts(PartTask *task, int count, const SnTaskSystem *tasks, SnTask *function) {
    if (tasks && count > 1)
        tasks->parallel_for(count, 1, function, task, tasks->context);
    else
        function(0, count, 0, task);
}

// What the parts have brought, to the roots. Returns the residual of all.
static double ground(PartTask *task) {
    Grove *g = task->grove;
    int middle = g->part_count - 1;
    double worst = 0.0;
    for (int k = 0; k < middle; ++k) {
        const StiffPart *part = &g->parts[k];
        task->kernels->import(g, part->exports, part->end);
        worst = part->residual > worst ? part->residual : worst;
    }
    double last = part_up(task, middle, 0);
    task->kernels->ground(g);
    return last > worst ? last : worst;
}

static void do_rows(const PartTask *t, int k, int worker, SnTask *function) {
    const StiffPart *part = &t->grove->parts[k];
    if (function)
        function(part->begin, part->end, worker, t->work.context);
}

// All that can be done to a part between two solves of the middle, while its rows are in the cache: the
// way down of one solve and the way up of the next, or what is done before the first. In the other direction every time, so that what was touched last comes first.
static void parts_turn(int begin, int end, int worker, void *context) {
    const PartTask *t = context;
    for (int i = begin; i < end; ++i) {
        int k = t->solved % 2 == 0 ? i : t->grove->part_count - 2 - i;
        if (t->solved == 0)
            do_rows(t, k, worker, t->work.before);
        else
            parts_down(k, k + 1, worker, context);
        if (t->solved < t->solves)
            part_up(t, k, worker);
    }
}

double sn__grove_solve_all(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks,
                           double h, int count, GroveWork work) {
    assert(count > 0 && h > 0.0 && g->part_count > 0 && g->factor && g->sum);
    assert(g->loop_count == 0 && g->prop_begin == g->still_begin);
    PartTask task = {g, kernels, h, work, 0, count};
    int middle = g->part_count - 1;
    double residual = 0.0;
    g->correct = false;
    g->calm = true;
    do_rows(&task, middle, 0, work.before);
    for_parts(&task, middle, tasks, parts_turn);
    while (task.solved++ < count) {
        residual = ground(&task);
        parts_down(middle, middle + 1, 0, &task);
        g->correct = task.solved < count || g->correct;
        for_parts(&task, middle, tasks, parts_turn);
        see_turns(g);
    }
    return residual;
}

// Returns the residual of all but loops.
static double way_up(PartTask *task, const SnTaskSystem *tasks) {
    Grove *g = task->grove;
    double props = task->kernels->up(g, g->sum + g->prop_begin, g->prop_begin, g->still_begin,
                                     g->still_begin, task->h);
    for_parts(task, g->part_count - 1, tasks, parts_up);
    double worst = ground(task);
    return props > worst ? props : worst;
}

double sn__grove_solve(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks, double h) {
    assert(h > 0.0 && g->part_count > 0 && g->factor && g->sum);
    PartTask task = {.grove = g, .kernels = kernels, .h = h};
    int middle = g->part_count - 1;
    double loops = sn__loops_measure(g, h), worst = way_up(&task, tasks);
    if (g->loop_count > 0)
        sn__loops_solve(g, kernels, tasks);
    parts_down(middle, middle + 1, 0, &task);
    for_parts(&task, middle, tasks, parts_down);
    kernels->down(g, g->prop_begin, g->still_begin);
    see_turns(g);
    return loops > worst ? loops : worst;
}

void sn__grove_factor(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks, double h) {
    assert(h > 0.0 && g->part_count > 0 && g->factor && g->sum);
    PartTask task = {.grove = g, .kernels = kernels, .h = h};
    g->correct = true;
    sn__loops_measure(g, h);
    way_up(&task, tasks);
    if (g->fronts)
        kernels->fronts_factor(g);
}

static void parts_pull(int begin, int end, int worker, void *context) {
    (void)worker;
    const PartTask *t = context;
    for (int k = begin; k < end; ++k) {
        const StiffPart *part = &t->grove->parts[k];
        t->kernels->pull(t->grove, part->begin, part->exports, part->end);
    }
}

void sn__grove_pull(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    PartTask task = {.grove = g, .kernels = kernels};
    int middle = g->part_count - 1;
    for_parts(&task, middle, tasks, parts_pull);
    for (int k = 0; k < middle; ++k)
        kernels->import_pull(g, g->parts[k].exports, g->parts[k].end);
    parts_pull(middle, middle + 1, 0, &task);
}

static void parts_compliance(int begin, int end, int worker, void *context) {
    (void)worker;
    const PartTask *t = context;
    for (int k = begin; k < end; ++k)
        t->kernels->compliance(t->grove, t->grove->parts[k].begin, t->grove->parts[k].end);
}

void sn__grove_compliance_of_trees(Grove *g, const StiffKernels *kernels,
                                   const SnTaskSystem *tasks) {
    assert(g->compliance);
    PartTask task = {.grove = g, .kernels = kernels};
    int middle = g->part_count - 1;
    kernels->ground_compliance(g);
    parts_compliance(middle, middle + 1, 0, &task);
    for_parts(&task, middle, tasks, parts_compliance);
}

void sn__grove_compliance(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    if (!g->fronts || !g->fronts->whole)
        sn__grove_compliance_of_trees(g, kernels, tasks);
    if (g->fronts)
        kernels->fronts_inverse(g);
}

// Props and loops have left their forces in the levers, and so have contacts and links.
void sn__grove_forget_pull(Grove *g) {
    sn__loops_end(g);
    for (int r = 0; r < g->prop_begin && !g->calm; ++r) {
        StiffMotion *m = &g->motion[r];
        for (int i = 0; i < STIFF_LANES; ++i)
            m->lx[i] = m->ly[i] = m->lz[i] = 0.0;
    }
    for (int r = g->prop_begin; r < g->still_begin; ++r)
        for (int i = 0; i < g->row[r].count; ++i) {
            int at = g->row[r].parent[i];
            StiffMotion *m = &g->motion[at / STIFF_LANES];
            m->lx[at % STIFF_LANES] = m->ly[at % STIFF_LANES] = m->lz[at % STIFF_LANES] = 0.0;
        }
}

static void parts_response_up(int begin, int end, int worker, void *context) {
    (void)worker;
    const PartTask *t = context;
    for (int k = begin; k < end; ++k) {
        const StiffPart *part = &t->grove->parts[k];
        t->kernels->response_up(t->grove, part->begin, part->exports, part->end);
    }
}

static void parts_response_down(int begin, int end, int worker, void *context) {
    (void)worker;
    const PartTask *t = context;
    for (int k = begin; k < end; ++k)
        t->kernels->response_down(t->grove, t->grove->parts[k].begin, t->grove->parts[k].end);
}

static void response_up(PartTask *task, const SnTaskSystem *tasks) {
    Grove *g = task->grove;
    int middle = g->part_count - 1;
    for_parts(task, middle, tasks, parts_response_up);
    for (int k = 0; k < middle; ++k)
        task->kernels->import_response(g, g->parts[k].exports, g->parts[k].end);
    parts_response_up(middle, middle + 1, 0, task);
}

void sn__grove_response_of_trees(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    assert(g->response);
    PartTask task = {.grove = g, .kernels = kernels};
    int middle = g->part_count - 1;
    response_up(&task, tasks);
    kernels->ground_response(g);
    parts_response_down(middle, middle + 1, 0, &task);
    for_parts(&task, middle, tasks, parts_response_down);
}

void sn__grove_response(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    if (g->fronts)
        sn__fronts_take_impulses(g);
    if (!g->fronts || !g->fronts->whole)
        sn__grove_response_of_trees(g, kernels, tasks);
    if (g->fronts) {
        kernels->fronts_solve(g);
        sn__fronts_give_motions(g);
    }
}

static void parts_peek(int begin, int end, int worker, void *context) {
    (void)worker;
    const PartTask *t = context;
    for (int k = begin; k < end; ++k)
        t->kernels->peek(t->grove, t->grove->parts[k].begin, t->grove->parts[k].end);
}

void sn__grove_peek(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    assert(g->response);
    PartTask task = {.grove = g, .kernels = kernels};
    int middle = g->part_count - 1;
    kernels->ground_peek(g);
    parts_peek(middle, middle + 1, 0, &task);
    for_parts(&task, middle, tasks, parts_peek);
}

static void parts_add(int begin, int end, int worker, void *context) {
    (void)worker;
    const PartTask *t = context;
    for (int k = begin; k < end; ++k)
        t->kernels->add(t->grove, t->grove->parts[k].begin, t->grove->parts[k].end);
}

void sn__grove_add_impulses(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    assert(g->response);
    PartTask task = {.grove = g, .kernels = kernels};
    response_up(&task, tasks);
    kernels->ground_add(g);
    for_parts(&task, g->part_count, tasks, parts_add);
}

static Vec3d sym_times(const StiffLanes *m, int i, Vec3d v) {
    return (Vec3d){m[0][i] * v.x + m[1][i] * v.y + m[2][i] * v.z,
                   m[1][i] * v.x + m[3][i] * v.y + m[4][i] * v.z,
                   m[2][i] * v.x + m[4][i] * v.y + m[5][i] * v.z};
}

static Vec3d mat_times(const StiffLanes *m, int i, Vec3d v) {
    return (Vec3d){m[0][i] * v.x + m[1][i] * v.y + m[2][i] * v.z,
                   m[3][i] * v.x + m[4][i] * v.y + m[5][i] * v.z,
                   m[6][i] * v.x + m[7][i] * v.y + m[8][i] * v.z};
}

static Vec3d transposed_times(const StiffLanes *m, int i, Vec3d v) {
    return (Vec3d){m[0][i] * v.x + m[3][i] * v.y + m[6][i] * v.z,
                   m[1][i] * v.x + m[4][i] * v.y + m[7][i] * v.z,
                   m[2][i] * v.x + m[5][i] * v.y + m[8][i] * v.z};
}

void sn__grove_answer(const Grove *g, int slot, Vec3d arm, Vec3d force, Vec3d moment, Vec3d *out_by,
                      Vec3d *out_turn) {
    const StiffCompliance *compliance = &g->compliance[slot / STIFF_LANES];
    assert(slot >= 0 && slot / STIFF_LANES < g->rows);
    int i = slot % STIFF_LANES;
    moment = addd(moment, crossd(arm, force));
    Vec3d by =
        addd(sym_times(compliance->tt, i, force), transposed_times(compliance->rt, i, moment));
    *out_turn = addd(mat_times(compliance->rt, i, force), sym_times(compliance->rr, i, moment));
    *out_by = addd(by, crossd(*out_turn, arm));
}
