#include "stiff/step.h"

#include <assert.h>

#include "sinew/world.h"
#include "stiff/damage.h"
#include "stiff/holds.h"
#include "stiff/kernels.h"
#include "stiff/loops.h"
#include "stiff/scheme.h"
#include "stiff/solve.h"
#include "stiff/ties.h"
#include "stiff/touch.h"
#include "stiff/weather.h"

typedef struct GroveStep {
    const BodyStep *step;
    const StiffKernels *kernels;
    const SnTaskSystem *tasks; // NULL: all on this thread
    double h;
    bool last; // contacts of this pass may be the last ones of the sub-step
    bool touched;
} GroveStep;

typedef struct RowsTask {
    StiffGrove *grove;
    const StiffKernels *kernels;
    double h, density;
    double gravity[3];
    bool windy, finite;
    bool strained; // some joint is
} RowsTask;

static void strain_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const RowsTask *t = context;
    t->kernels->strain(&t->grove->g, begin, end, t->h);
}

static void predict_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const RowsTask *t = context;
    t->kernels->predict(&t->grove->g, begin, end, t->h, t->gravity);
    if (t->windy)
        t->kernels->blow(&t->grove->g, begin, end, t->h, t->density);
}

static void finish_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    RowsTask *t = context;
    if (!t->kernels->finish(&t->grove->g, begin, end, t->h, t->gravity))
        __atomic_store_n(&t->finite, false, __ATOMIC_RELAXED);
}

#define ROWS_AT_ONCE 128

static void for_rows(RowsTask *task, int end, const SnTaskSystem *tasks, SnTask *function) {
    if (tasks && end > ROWS_AT_ONCE)
        tasks->parallel_for(end, ROWS_AT_ONCE, function, task, tasks->context);
    else
        function(0, end, 0, task);
}

static RowsTask rows_task(StiffGrove *grove, const GroveStep *s) {
    SnVec3 g = s->step->gravity;
    return (RowsTask){grove,
                      s->kernels,
                      s->h,
                      (double)s->step->air->density,
                      {(double)g.x, (double)g.y, (double)g.z},
                      s->step->air->count > 0,
                      true,
                      false};
}

// Nothing but the trees' own joints holds them: their solves follow each other without a word from
// others.
static bool is_alone(const StiffGrove *grove, const BodyStep *step) {
    const Grove *g = &grove->g;
    return step->tolerance <= 0.0 && g->loop_count == 0 && g->prop_begin == g->still_begin;
}

// Fields look at what was predicted; without them, the solver can do that part by part.
static bool predicts_itself(const StiffGrove *grove, const BodyStep *step) {
    return is_alone(grove, step) && step->field_count == 0;
}

static void begin_substep(StiffGrove *grove, const GroveStep *s, int n) {
    assert(grove->ready && n >= 0 && n < s->step->substeps);
    Grove *g = &grove->g;
    RowsTask task = rows_task(grove, s);
    g->undamped = !grove->damped;
    g->still_air = !task.windy;
    sn__grove_choose_schemes(grove);
    if (n == 0)
        sn__grove_feel_air(grove, s->step->air, s->step->isa, s->tasks);
    if (grove->damped)
        for_rows(&task, g->still_begin, s->tasks, strain_rows);
    sn__loops_begin(g, s->h);
    sn__grove_begin_stretch(g, s->h);
    if (s->touched || !predicts_itself(grove, s->step))
        for_rows(&task, g->prop_begin, s->tasks, predict_rows);
    sn__grove_feel_fields(grove, s->step->fields, s->step->field_count, s->h);
    sn__grove_lead(grove, (double)(n + 1) / (double)s->step->substeps);
}

// `again`: not the first solve of the sub-step.
static double solve(StiffGrove *grove, const GroveStep *s, bool again) {
    grove->g.correct = again;
    grove->g.calm = !s->touched;
    return sn__grove_solve(&grove->g, s->kernels, s->tasks, s->h);
}

static void end_substep(StiffGrove *grove, const GroveStep *s) {
    const double weightless[3] = {0};
    RowsTask task = rows_task(grove, s);
    if (!grove->g.correct)
        sn__grove_pull(&grove->g, s->kernels, s->tasks);
    else
        sn__grove_forget_pull(&grove->g);
    sn__grove_find_rough(grove);
    for_rows(&task, grove->g.prop_begin, s->tasks, finish_rows);
    sn__grove_leave_rough(grove);
    s->kernels->finish(&grove->g, grove->g.prop_begin, grove->g.rows, s->h, weightless);
    if (!task.finite)
        sn__grove_recover(grove, s->h);
    for (int k = 0; k < grove->rod_count; ++k) {
        StiffRod *rod = grove->rods[k];
        if (rod->asleep || (rod->fastest > 0.0 && !(sn__stiff_speed(rod) <= rod->fastest)))
            sn__stiff_stay(rod);
        rod->fastest = 0.0;
    }
    // Where contacts have moved single segments since the last solve, strains are not those of the
    // tree; pass_grove has looked.
    if (grove->yields && !s->touched)
        sn__grove_yield(grove);
}

static bool is_touched(const StiffGrove *grove) {
    for (int k = 0; k < grove->rod_count; ++k)
        if (grove->rods[k]->touched)
            return true;
    return false;
}

static bool all_asleep(const StiffGrove *grove) {
    for (int k = 0; k < grove->rod_count; ++k)
        if (!grove->rods[k]->asleep)
            return false;
    return true;
}

void sn__grove_clear_loads(StiffGrove *grove) {
    Grove *g = &grove->g;
    for (int r = 0; r < g->rows && grove->loaded > 0; ++r)
        g->loads[r] = (StiffLoads){0};
    grove->loaded = 0;
}

bool sn__stiff_rods_begin(void *system, const BodyStep *step) {
    (void)step;
    StiffSystem *rods = system;
    bool planted = sn__stiff_arrange_all(rods), lent = sn__stiff_rods_lend(rods, rods->workers);
    for (int k = 0; k < rods->grove_count; ++k) {
        StiffGrove *grove = &rods->groves[k];
        grove->step_bits = SN_STEP_OK;
        grove->breaks = 0;
        grove->tie_count = 0;
        grove->ready = !grove->dirty && grove->rod_count > 0 && lent;
        for (int i = 0; i < grove->rod_count; ++i)
            grove->rods[i]->touched = false;
    }
    return planted && lent;
}

static GroveStep grove_step(const BodyStep *step, const SnTaskSystem *tasks) {
    assert(step->dt > 0.0f && step->substeps > 0 && step->iterations > 0);
    assert(sn__stiff_kernels(step->isa));
    return (GroveStep){step,  sn__stiff_kernels(step->isa),
                       tasks, (double)step->dt / (double)step->substeps,
                       false, false};
}

// Solves do not know what the moments of bent and twisted joints do to turns: one leaves about half of that, and
// at times more than all of it. So there are this many for prestressed trees.
#define REPEATED 6

// And two where trees hang on nothing, which keep what a solve leaves over of their turns as angular momentum (10 % of
// what a torque gave to a rod of 3 GPa), and where joints have come to be strained as much. In a rod whose elastic
// curvature is κ, moments that turn with it are worth a frequency of σ² = E I κ⁴/(ρ A); of a joint with the moment M that
// is M⁴/(k³ m l²). A single solve takes them as they were, which is enough as long as h²σ² is less than this.
#define STRAINED 0.003
#define STRAINED_SOLVES 2
// What hangs between points turns freely about the line through them, and its bent joints turn with it: about the axis of
// a segment of spin inertia I, that is worth σ² = M²/(k I). With a single solve, such a tree whirls ever faster where
// h²σ² is more than this.
#define ROLLED 1e-4

// Of the lanes of a row, as bits; `rolls`: also those whose segments roll.
static unsigned strained_in(const Grove *g, int row, double h, bool rolls) {
    const StiffRest *c = &g->rest[row];
    const StiffMotion *m = &g->motion[row];
    unsigned lanes = 0;
    for (int i = 0; i < STIFF_LANES; ++i) {
        double firm = 1.0 + c->damping[i] / h, k = 0.5 * (c->kx[i] + c->ky[i]);
        double x = firm * c->kx[i] * m->sx[i], y = firm * c->ky[i] * m->sy[i];
        double z = firm * c->kz[i] * m->sz[i], square = x * x + y * y + z * z;
        double inertia = c->mass[i] * c->length[i] * c->length[i];
        bool strained = h * h * square * square > STRAINED * k * k * k * inertia;
        strained |= rolls && h * h * (x * x + y * y) > ROLLED * k * c->i3[i];
        lanes |= (unsigned)strained << i;
    }
    return lanes;
}

static void strained_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    RowsTask *t = context;
    for (int r = begin; r < end; ++r)
        if (strained_in(&t->grove->g, r, t->h, false) != 0)
            __atomic_store_n(&t->strained, true, __ATOMIC_RELAXED);
}

static bool is_strained(const StiffRod *rod, const Grove *g, double h, bool rolls) {
    for (int j = 0; j < rod->segments; ++j) {
        int row = rod->slot[j] / STIFF_LANES;
        if (row < g->prop_begin && strained_in(g, row, h, rolls) >> rod->slot[j] % STIFF_LANES & 1)
            return true;
    }
    return false;
}

// Held at several points, but by no frame.
static bool is_free_to_roll(const StiffGrove *grove, const StiffRod *rod) {
    int points = 0;
    for (int k = 0; k < grove->hold_count; ++k) {
        const StiffHold *hold = &grove->holds[k];
        if (hold->rod == rod && hold->kind != HOLD_VERTEX)
            return false;
        points += hold->rod == rod;
    }
    return points > 1;
}

// Which trees bear so much: after a step, for the next one, and after its first sub-step, for those that are new, were
// written or are led.
static void find_strained(StiffGrove *grove, const GroveStep *s) {
    RowsTask task = rows_task(grove, s);
    for_rows(&task, grove->g.prop_begin, s->tasks, strained_rows);
    for (int k = 0; k < grove->rod_count; ++k) {
        StiffRod *rod = grove->rods[k];
        bool rolls = grove->hold_count > 1 && is_free_to_roll(grove, rod);
        rod->strained = (task.strained || rolls) && is_strained(rod, &grove->g, s->h, rolls);
    }
}

static bool any_strained(const StiffGrove *grove) {
    for (int k = 0; k < grove->rod_count; ++k)
        if (grove->rods[k]->strained)
            return true;
    return false;
}

static int solves_of(const StiffGrove *grove, const GroveStep *s) {
    bool free = grove->g.loose_begin < grove->g.rows; // what some tree hangs on
    int count = s->step->iterations, least = free || any_strained(grove) ? STRAINED_SOLVES : 1;
    least = least < grove->loaded ? grove->loaded : least;
    least = grove->rods[0]->prestressed ? REPEATED : least;
    return count < least ? least : count;
}

// From prediction to velocities.
static int step_alone(StiffGrove *grove, const GroveStep *s) {
    Grove *g = &grove->g;
    RowsTask task = rows_task(grove, s);
    int count = solves_of(grove, s);
    GroveWork work = {predicts_itself(grove, s->step) ? predict_rows : NULL, &task};
    grove->residual = sn__grove_solve_all(g, s->kernels, s->tasks, s->h, count, work);
    end_substep(grove, s);
    return count;
}

static int solve_and_end(StiffGrove *grove, const GroveStep *s) {
    int k = 0, most = solves_of(grove, s);
    do
        grove->residual = solve(grove, s, k > 0);
    while (++k < most && (k < 2 || grove->residual > s->step->tolerance));
    end_substep(grove, s);
    return k;
}

static void step_grove(StiffGrove *grove, const GroveStep *s) {
    bool alone = is_alone(grove, s->step);
    grove->iterations = 0;
    for (int n = 0; n < s->step->substeps; ++n) {
        begin_substep(grove, s, n);
        int k = alone ? step_alone(grove, s) : solve_and_end(grove, s);
        grove->iterations = k > grove->iterations ? k : grove->iterations;
        if (n == 0 || n + 1 == s->step->substeps)
            find_strained(grove, s);
    }
    sn__grove_clear_loads(grove);
}

typedef struct GrovesTask {
    StiffSystem *rods;
    const BodyStep *step;
    int substep, iteration;
    bool last;
} GrovesTask;

static bool is_large(const StiffGrove *grove) { return grove->g.part_count > 1; }

static void small_groves(int begin, int end, int worker, void *context) {
    const GrovesTask *task = context;
    GroveStep s = grove_step(task->step, NULL);
    for (int k = begin; k < end; ++k) {
        StiffGrove *grove = &task->rods->groves[k];
        if (!grove->ready || is_large(grove) || is_touched(grove) || all_asleep(grove))
            continue;
        assert(worker >= 0 && worker < task->rods->lent_count);
        sn__grove_borrow(&grove->g, &task->rods->lent[worker]);
        step_grove(grove, &s);
    }
}

// Small groves side by side, and large ones one after the other, each over all workers.
void sn__stiff_rods_step_alone(void *system, const BodyStep *step) {
    StiffSystem *rods = system;
    GrovesTask task = {rods, step, 0, 0, false};
    if (rods->grove_count > 0)
        step->tasks->parallel_for(rods->grove_count, 1, small_groves, &task, step->tasks->context);
    GroveStep s = grove_step(step, step->tasks);
    for (int k = 0; k < rods->grove_count; ++k) {
        StiffGrove *grove = &rods->groves[k];
        if (!grove->ready || !is_large(grove) || is_touched(grove) || all_asleep(grove))
            continue;
        sn__grove_borrow(&grove->g, rods->lent);
        step_grove(grove, &s);
    }
}

static void from_knots(StiffGrove *grove, const BodyStep *step) {
    for (int i = 0; i < grove->rod_count; ++i)
        if (grove->rods[i]->knots != 0)
            sn__stiff_from_knots(grove->rods[i], step->touch.knots);
}

// Trees that are tied to others find out once more how all of them answers: a vertex that followed a link alone would
// tear at its neighbours.
static void leave_knots(StiffGrove *grove, const GroveStep *s) {
    const TouchArrays *touch = &s->step->touch;
    for (int i = 0; i < grove->rod_count; ++i)
        if (grove->rods[i]->knots != 0 && grove->tie_count > 0)
            sn__stiff_count_ways(grove->rods[i], touch->knots, touch->ways);
        else if (grove->rods[i]->knots != 0)
            sn__stiff_follow_knots(grove->rods[i], touch->knots, touch->ways);
    if (grove->tie_count > 0) {
        from_knots(grove, s->step);
        grove->residual = solve(grove, s, true);
    }
    end_substep(grove, s);
    for (int i = 0; i < grove->rod_count; ++i)
        if (grove->rods[i]->knots != 0)
            sn__stiff_push(grove->rods[i], s->step->touch.knots);
    for (int i = 0; i < grove->rod_count && s->step->touch.paces; ++i)
        if (grove->rods[i]->knots != 0)
            sn__stiff_forget_blows(grove->rods[i], s->step->touch.struck);
}

// How the trees would answer to what contacts did in the last pass.
static void ask(StiffGrove *grove, const GroveStep *s) {
    for (int i = 0; i < grove->rod_count; ++i)
        if (grove->rods[i]->knots != 0)
            sn__stiff_load_response(grove->rods[i]);
    sn__grove_response(&grove->g, s->kernels, s->tasks);
    if (grove->g.compliance)
        sn__grove_compliance(&grove->g, s->kernels, s->tasks);
}

// Which way out of overlaps the trees have.
static void see_pushes(StiffGrove *grove, const GroveStep *s) {
    bool any = false;
    for (int i = 0; i < grove->rod_count && grove->g.response; ++i)
        if (grove->rods[i]->knots != 0)
            any = sn__stiff_load_pushes(grove->rods[i]) || any;
    if (any)
        sn__grove_response(&grove->g, s->kernels, s->tasks);
    for (int i = 0; i < grove->rod_count; ++i)
        if (grove->rods[i]->knots != 0)
            sn__stiff_see_pushes(grove->rods[i], any);
}

static void pass_grove(StiffGrove *grove, const GroveStep *s, int substep, int iteration) {
    const BodyStep *step = s->step;
    bool first = iteration == 0;
    if (first && substep > 0)
        leave_knots(grove, s);
    else if (!first)
        from_knots(grove, step);
    for (int i = 0; first && step->touch.paces && i < grove->rod_count; ++i)
        if (grove->rods[i]->knots != 0)
            sn__stiff_paces(grove->rods[i], s->h, step->touch.paces);
    if (first) {
        begin_substep(grove, s, substep);
        for (int i = 0; i < grove->rod_count; ++i)
            if (grove->rods[i]->knots != 0)
                sn__stiff_take_loads(grove->rods[i], step->touch.loads);
    }
    grove->residual = solve(grove, s, !first);
    if (grove->yields && s->last)
        sn__grove_yield(grove);
    grove->iterations = iteration + 1;
    if (grove->tie_count > 0)
        sn__grove_answer_ties(grove, s->kernels, s->tasks, s->h);
    bool alone = s->last && grove->tie_count == 0;
    if (grove->g.response && !alone)
        ask(grove, s);
    if (s->last)
        see_pushes(grove, s);
    for (int i = 0; i < grove->rod_count; ++i)
        if (grove->rods[i]->knots != 0)
            sn__stiff_to_knots(grove->rods[i], step->touch.knots, step->touch.ways, first, alone);
}

static void pass_groves(int begin, int end, int worker, void *context) {
    const GrovesTask *task = context;
    GroveStep s = grove_step(task->step, NULL);
    s.last = task->last;
    s.touched = true;
    for (int k = begin; k < end; ++k) {
        StiffGrove *grove = &task->rods->groves[k];
        if (!grove->ready || !is_touched(grove) || all_asleep(grove))
            continue;
        assert(worker >= 0 && worker < task->rods->lent_count);
        sn__grove_borrow(&grove->g, &task->rods->lent[worker]);
        pass_grove(grove, &s, task->substep, task->iteration);
    }
}

void sn__stiff_rods_pass(void *system, const BodyStep *step, const BodyPass *pass) {
    StiffSystem *rods = system;
    GrovesTask task = {rods, step, pass->substep, pass->iteration, pass->last};
    if (rods->grove_count > 0)
        step->tasks->parallel_for(rods->grove_count, 1, pass_groves, &task, step->tasks->context);
}

void sn__stiff_rods_end(void *system, const BodyStep *step) {
    StiffSystem *rods = system;
    GroveStep s = grove_step(step, step->tasks);
    s.touched = true;
    for (int k = 0; k < rods->grove_count; ++k) {
        StiffGrove *grove = &rods->groves[k];
        if (!grove->ready || !is_touched(grove) || all_asleep(grove))
            continue;
        leave_knots(grove, &s);
        sn__grove_clear_loads(grove);
    }
}

// With all of the rod behind the contacts, and at last for every segment alone.
#define LEAST_PASSES 2
// And two iterations of Newton's method on rods and links together, as the first solve does not know what is out of
// balance.
#define TIED_PASSES 3

int sn__stiff_rods_passes(const void *system) {
    const StiffSystem *rods = system;
    int passes = 0;
    for (int k = 0; k < rods->grove_count; ++k)
        if (is_touched(&rods->groves[k]) && passes < TIED_PASSES)
            passes = rods->groves[k].tie_count > 0 ? TIED_PASSES : LEAST_PASSES;
    return passes;
}

void sn__stiff_rods_report(const void *system, BodyReport *report) {
    const StiffSystem *rods = system;
    for (int k = 0; k < rods->grove_count; ++k) {
        const StiffGrove *grove = &rods->groves[k];
        report->bits |= grove->step_bits;
        if (grove->ready && sn__grove_is_apart(grove))
            report->bits |= SN_STEP_APART;
        report->breaks += grove->breaks;
        report->residual = grove->residual > report->residual ? grove->residual : report->residual;
        report->iterations =
            grove->iterations > report->iterations ? grove->iterations : report->iterations;
    }
}
