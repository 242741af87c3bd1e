#include "tree/step.h"

#include <string.h>

#include "sinew/world.h"
#include "tree/solve.h"
#include "tree/touch.h"
#include "tree/weather.h"

// Where a held element is when this part of the step is over.
static Vec3d lead_position(const TreeLead *l, double time) {
    return addd(l->x_from, scaled(subd(l->x_to, l->x_from), time));
}

static Quatd lead_rotation(const TreeLead *l, double time) {
    double keep = 1.0 - time;
    return normalisedq(
        (Quatd){keep * l->q_from.x + time * l->q_to.x, keep * l->q_from.y + time * l->q_to.y,
                keep * l->q_from.z + time * l->q_to.z, keep * l->q_from.w + time * l->q_to.w});
}

static TreePose held_pose(const TreeHold *hold, double time) {
    const Tree *t = hold->tree;
    TreePose pose = {.q = {0.0, 0.0, 0.0, 1.0}};
    if (hold->kind == HOLD_LOOP) {
        pose = sn__tree_pose(t, hold->index);
    } else if (hold->kind == HOLD_VERTEX) {
        pose.x = lead_position(&t->leads[t->vertex_lead[hold->index]], time);
    } else {
        pose.q = lead_rotation(&t->leads[t->frame_lead[hold->index]], time);
    }
    if (hold->kind == HOLD_SEGMENT) {
        const int *edge = t->edge[hold->index];
        int vertex = t->vertex_lead[edge[0]] >= 0 ? edge[0] : edge[1];
        Vec3d at = lead_position(&t->leads[t->vertex_lead[vertex]], time);
        pose.x = subd(at, scaled(axis_z(pose.q), sn__tree_end(t, hold->index, vertex)));
    }
    return pose;
}

static void place(Grove *g, const TreeHold *hold, const TreePose *p) {
    TreeState *s = &g->state[hold->place / SN_TREE_LANES];
    int i = hold->place % SN_TREE_LANES;
    s->x[i] = p->x.x;
    s->y[i] = p->x.y;
    s->z[i] = p->x.z;
    s->qx[i] = p->q.x;
    s->qy[i] = p->q.y;
    s->qz[i] = p->q.z;
    s->qw[i] = p->q.w;
}

// Where a still lane was when the sub-step began, for contacts and for its velocity.
static void remember(Grove *g, int begin, int end) {
    for (int r = begin; r < end; ++r) {
        const TreeState *s = &g->state[r];
        TreeMotion *m = &g->motion[r];
        for (int i = 0; i < SN_TREE_LANES; ++i) {
            m->bx[i] = s->x[i];
            m->by[i] = s->y[i];
            m->bz[i] = s->z[i];
            m->qx[i] = s->qx[i];
            m->qy[i] = s->qy[i];
            m->qz[i] = s->qz[i];
            m->qw[i] = s->qw[i];
            m->sx[i] = m->sy[i] = m->sz[i] = 0.0;
            m->ox[i] = m->oy[i] = m->oz[i] = 0.0;
        }
    }
}

typedef struct GroveStep {
    const TreesStep *step;
    const TreeKernels *kernels;
    const SnTaskSystem *tasks; // NULL: all on this thread
    double h;
    bool last; // contacts of this pass may be the last ones of the sub-step
    bool touched;
} GroveStep;

typedef struct RowsTask {
    TreeGrove *grove;
    const TreeKernels *kernels;
    double h, density;
    double gravity[3];
    bool finite;
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
}

static void finish_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    RowsTask *t = context;
    if (!t->kernels->finish(&t->grove->g, begin, end, t->h))
        t->finite = false;
}

#define ROWS_AT_ONCE 128

static void for_rows(RowsTask *task, int end, const SnTaskSystem *tasks, SnTask *function) {
    if (tasks && end > ROWS_AT_ONCE)
        tasks->parallel_for(end, ROWS_AT_ONCE, function, task, tasks->context);
    else
        function(0, end, 0, task);
}

static void blow_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const RowsTask *t = context;
    t->kernels->blow(&t->grove->g, begin, end, t->h, t->density);
}

static RowsTask rows_task(TreeGrove *grove, const GroveStep *s) {
    SnVec3 g = s->step->gravity;
    return (RowsTask){grove,
                      s->kernels,
                      s->h,
                      (double)s->step->air->density,
                      {(double)g.x, (double)g.y, (double)g.z},
                      true};
}

// Both ends of a joint that closes a ring see the other one stand still. Each goes a part of the way:
// it is held as by a share of the mass that the tree has there, and no more firmly than by its inertia
// against turning. Larger shares overshoot, because the ends move each other through the ring.
#define LOOP_SHARE 0.3
static void follow_loop(TreeGrove *grove, const TreeHold *hold, double h) {
    Grove *g = &grove->g;
    const Tree *t = hold->tree;
    const TreeJoint *joint = &t->joint[hold->joint];
    TreePose other = sn__tree_pose(t, hold->index);
    place(g, hold, &other);
    TreeRest *r = &g->rest[hold->place / SN_TREE_LANES];
    int lane = hold->place % SN_TREE_LANES;
    double give = 0.0, turn = sn__tree_turn_answer(t, hold->held);
    for (int c = 0; c < 3; ++c) {
        Vec3d n = {c == 0, c == 1, c == 2};
        give += sn__tree_answer(t, hold->held, r->far[lane], n) / 3.0;
    }
    // Before the first solve of a step, nothing is known but the segment itself.
    const TreeSegment *segment = &t->segment[hold->held];
    r->mass[lane] = grove->answers ? LOOP_SHARE / give : 0.25 * segment->mass;
    double most = (grove->answers ? 1.0 / turn : segment->inertia[0]) / (h * h);
    r->kx[lane] = fmin(joint->k[0], most);
    r->ky[lane] = fmin(joint->k[1], most);
    r->kz[lane] = fmin(joint->k[2], most);
}

static void follow_loops(TreeGrove *grove, double h) {
    for (int k = 0; k < grove->hold_count && grove->loops; ++k)
        if (grove->holds[k].kind == HOLD_LOOP)
            follow_loop(grove, &grove->holds[k], h);
}

static void begin_substep(TreeGrove *grove, const GroveStep *s, int n) {
    Grove *g = &grove->g;
    RowsTask task = rows_task(grove, s);
    if (grove->loops && g->give == NULL)
        sn__grove_reserve_give(&grove->trees[0]->system->allocator, g);
    if (n == 0)
        sn__grove_feel_air(grove, s->step->air, s->step->isa, s->tasks);
    if (grove->damped)
        for_rows(&task, g->prop_begin, s->tasks, strain_rows);
    for_rows(&task, g->prop_begin, s->tasks, predict_rows);
    if (s->step->air->count > 0)
        for_rows(&task, g->prop_begin, s->tasks, blow_rows);
    sn__grove_feel_fields(grove, s->step->fields, s->step->field_count, s->h);
    remember(g, g->prop_begin, g->rows);
    double time = (double)(n + 1) / (double)s->step->substeps;
    for (int k = 0; k < grove->hold_count; ++k) {
        TreePose pose = held_pose(&grove->holds[k], time);
        place(g, &grove->holds[k], &pose);
    }
}

// `again`: not the first solve of the sub-step.
static double solve(TreeGrove *grove, const GroveStep *s, bool again) {
    follow_loops(grove, s->h);
    grove->g.correct = again;
    grove->g.calm = again && !s->touched;
    grove->g.undamped = !grove->damped;
    grove->g.still_air = s->step->air->count == 0;
    double residual = sn__grove_solve(&grove->g, s->kernels, s->tasks, s->h);
    if (grove->loops && grove->g.give) {
        sn__grove_give(&grove->g, s->kernels, s->tasks);
        grove->answers = true;
    }
    return residual;
}

// In the row of whichever of its segments was solved first.
static void set_rest(Grove *g, const Tree *t, const TreeJoint *j) {
    int places[2] = {t->place[j->a], t->place[j->b]};
    for (int k = 0; k < 2; ++k) {
        int row = places[k] / SN_TREE_LANES, i = places[k] % SN_TREE_LANES;
        if (row >= g->prop_begin || g->row[row].parent[i] != places[1 - k])
            continue;
        g->rest[row].ux[i] = j->rest.x;
        g->rest[row].uy[i] = j->rest.y;
        g->rest[row].uz[i] = j->rest.z;
        g->rest[row].uw[i] = j->rest.w;
    }
}

// A joint under more stress than it bears stays bent, or breaks: its rest shape follows until the
// stress is what it can bear.
static void yield_joint(TreeGrove *grove, Tree *t, TreeJoint *j) {
    Quatd a = sn__tree_pose(t, j->a).q, b = sn__tree_pose(t, j->b).q;
    Quatd rel = mulqd(conjugated(mulqd(a, j->rest)), b);
    double side = rel.w < 0.0 ? -1.0 : 1.0;
    Vec3d strain = {2.0 * side * rel.x, 2.0 * side * rel.y, 2.0 * side * rel.z};
    Vec3d fibre = {j->stress[0] * strain.x, j->stress[1] * strain.y, j->stress[2] * strain.z};
    // Von Mises.
    double stress = sqrt(fibre.x * fibre.x + fibre.y * fibre.y + 3.0 * fibre.z * fibre.z);
    double yield = (double)t->material.yield, strength = (double)t->material.strength;
    if (strength > 0.0 && stress > strength) {
        j->broken = true;
        grove->dirty = true;
        t->system->breaks += 1;
    } else if (yield > 0.0 && stress > yield) {
        double share = 0.5 * (1.0 - yield / stress);
        Quatd by = {share * strain.x, share * strain.y, share * strain.z, 1.0};
        j->rest = normalisedq(mulqd(j->rest, normalisedq(by)));
        set_rest(&grove->g, t, j);
    }
}

static void yield_joints(TreeGrove *grove) {
    for (int k = 0; k < grove->tree_count; ++k) {
        Tree *t = grove->trees[k];
        for (int i = 0; i < t->joints; ++i)
            if (!t->joint[i].broken && !t->joint[i].loop)
                yield_joint(grove, t, &t->joint[i]);
    }
}

static bool is_lost(const TreeState *s, const TreeMotion *m, int i, double most) {
    Vec3d by = {s->x[i] - m->bx[i], s->y[i] - m->by[i], s->z[i] - m->bz[i]};
    Vec3d w = {s->wx[i], s->wy[i], s->wz[i]};
    return !(dotd(by, by) <= most * most) || !(dotd(w, w) <= (double)SN_MAX_SPIN * SN_MAX_SPIN);
}

// Back to where the sub-step began, at rest.
static void put_back(Grove *g, const Tree *t) {
    for (int j = 0; j < t->segments; ++j) {
        int row = t->place[j] / SN_TREE_LANES, i = t->place[j] % SN_TREE_LANES;
        TreeState *s = &g->state[row];
        TreeMotion *m = &g->motion[row];
        s->x[i] = m->bx[i];
        s->y[i] = m->by[i];
        s->z[i] = m->bz[i];
        s->qx[i] = m->qx[i];
        s->qy[i] = m->qy[i];
        s->qz[i] = m->qz[i];
        s->qw[i] = m->qw[i];
        s->vx[i] = s->vy[i] = s->vz[i] = s->wx[i] = s->wy[i] = s->wz[i] = s->tension[i] = 0.0;
        for (int k = 0; k < SUM_FIELDS; ++k)
            g->sum[row].f[k][i] = 0.0;
        TreeLanes *impulse = &m->px;
        for (int k = 0; k < 6; ++k)
            impulse[k][i] = 0.0;
        TreeLanes *pull = &m->cx;
        for (int k = 0; k < 6; ++k)
            pull[k][i] = 0.0;
    }
}

// Trees with a segment that went farther than any may.
static void recover(TreeGrove *grove, double h) {
    Grove *g = &grove->g;
    for (int k = 0; k < grove->tree_count; ++k) {
        const Tree *t = grove->trees[k];
        bool lost = false;
        for (int j = 0; j < t->segments && !lost; ++j) {
            int row = t->place[j] / SN_TREE_LANES;
            lost = is_lost(&g->state[row], &g->motion[row], t->place[j] % SN_TREE_LANES,
                           h * (double)SN_MAX_SPEED);
        }
        if (lost) {
            put_back(g, t);
            grove->step_bits |= SN_STEP_RECOVERED;
        }
    }
    // What a tree that is lost hung on.
    memset(&g->sum[g->still_begin], 0, (size_t)(g->rows - g->still_begin) * sizeof(TreeSum));
}

static void end_substep(TreeGrove *grove, const GroveStep *s) {
    RowsTask task = rows_task(grove, s);
    if (!grove->g.correct)
        sn__grove_pull(&grove->g, s->kernels, s->tasks, s->h);
    else
        sn__grove_forget_pull(&grove->g);
    for_rows(&task, grove->g.prop_begin, s->tasks, finish_rows);
    s->kernels->finish(&grove->g, grove->g.prop_begin, grove->g.rows, s->h);
    if (!task.finite)
        recover(grove, s->h);
    // Where contacts have moved single segments since the last solve, strains are not those of the
    // tree; pass_grove has looked.
    if (grove->yields && !s->touched)
        yield_joints(grove);
}

static bool is_touched(const TreeGrove *grove) {
    for (int k = 0; k < grove->tree_count; ++k)
        if (grove->trees[k]->touched)
            return true;
    return false;
}

static bool all_asleep(const TreeGrove *grove) {
    for (int k = 0; k < grove->tree_count; ++k)
        if (!grove->trees[k]->rest.asleep)
            return false;
    return true;
}

static void clear_loads(TreeGrove *grove) {
    Grove *g = &grove->g;
    for (int r = 0; r < g->prop_begin && grove->loaded; ++r)
        g->loads[r] = (TreeLoads){0};
    grove->loaded = false;
}

bool sn__trees_begin(TreeSystem *trees) {
    bool planted = sn__trees_plant(trees);
    for (int k = 0; k < trees->grove_count; ++k) {
        TreeGrove *grove = &trees->groves[k];
        grove->step_bits = SN_STEP_OK;
        grove->answers = false;
        grove->ready = !grove->dirty && grove->tree_count > 0;
        for (int i = 0; i < grove->tree_count; ++i)
            grove->trees[i]->touched = false;
    }
    return planted;
}

static GroveStep grove_step(const TreesStep *step, const SnTaskSystem *tasks) {
    return (GroveStep){step,  sn__tree_kernels(step->isa),
                       tasks, (double)step->dt / (double)step->substeps,
                       false, false};
}

// Returns how many solves it took.
static int solve_substep(TreeGrove *grove, const GroveStep *s) {
    Grove *g = &grove->g;
    int k = 0, most = s->step->iterations;
    if (s->step->tolerance <= 0.0 && !grove->loops && g->prop_begin == g->still_begin) {
        g->undamped = !grove->damped;
        g->still_air = s->step->air->count == 0;
        grove->residual = sn__grove_solve_all(g, s->kernels, s->tasks, s->h, most);
        return most;
    }
    do
        grove->residual = solve(grove, s, k > 0);
    while (++k < most && (k < 2 || grove->residual > s->step->tolerance));
    return k;
}

static void step_grove(TreeGrove *grove, const GroveStep *s) {
    grove->iterations = 0;
    for (int n = 0; n < s->step->substeps; ++n) {
        begin_substep(grove, s, n);
        int k = solve_substep(grove, s);
        grove->iterations = k > grove->iterations ? k : grove->iterations;
        end_substep(grove, s);
    }
    clear_loads(grove);
}

typedef struct GrovesTask {
    TreeSystem *trees;
    const TreesStep *step;
    int substep, iteration;
    bool last;
} GrovesTask;

static bool is_large(const TreeGrove *grove) { return grove->g.part_count > 1; }

static void small_groves(int begin, int end, int worker, void *context) {
    (void)worker;
    const GrovesTask *task = context;
    GroveStep s = grove_step(task->step, NULL);
    for (int k = begin; k < end; ++k) {
        TreeGrove *grove = &task->trees->groves[k];
        if (grove->ready && !is_large(grove) && !is_touched(grove) && !all_asleep(grove))
            step_grove(grove, &s);
    }
}

// Small groves side by side, and large ones one after the other, each over all workers.
void sn__trees_step_free(TreeSystem *trees, const TreesStep *step) {
    GrovesTask task = {trees, step, 0, 0, false};
    if (trees->grove_count > 0)
        step->tasks->parallel_for(trees->grove_count, 1, small_groves, &task, step->tasks->context);
    GroveStep s = grove_step(step, step->tasks);
    for (int k = 0; k < trees->grove_count; ++k) {
        TreeGrove *grove = &trees->groves[k];
        if (grove->ready && is_large(grove) && !is_touched(grove) && !all_asleep(grove))
            step_grove(grove, &s);
    }
}

static void from_knots(TreeGrove *grove, const TreesStep *step) {
    for (int i = 0; i < grove->tree_count; ++i)
        if (grove->trees[i]->knots != 0)
            sn__tree_from_knots(grove->trees[i], step->knots);
}

static void close_substep(TreeGrove *grove, const GroveStep *s) {
    for (int i = 0; i < grove->tree_count; ++i)
        if (grove->trees[i]->knots != 0)
            sn__tree_follow_knots(grove->trees[i], s->step->knots, s->step->ways);
    end_substep(grove, s);
    for (int i = 0; i < grove->tree_count; ++i)
        if (grove->trees[i]->knots != 0)
            sn__tree_push(grove->trees[i], s->step->knots);
}

// How the trees would answer to what contacts did in the last pass.
static void ask(TreeGrove *grove, const GroveStep *s) {
    for (int i = 0; i < grove->tree_count; ++i)
        if (grove->trees[i]->knots != 0)
            sn__tree_ask(grove->trees[i]);
    sn__grove_reply(&grove->g, s->kernels, s->tasks);
    if (grove->g.give && !grove->loops)
        sn__grove_give(&grove->g, s->kernels, s->tasks);
}

static void pass_grove(TreeGrove *grove, const GroveStep *s, int substep, int iteration) {
    const TreesStep *step = s->step;
    bool first = iteration == 0;
    if (first && substep > 0)
        close_substep(grove, s);
    else if (!first)
        from_knots(grove, step);
    if (first) {
        begin_substep(grove, s, substep);
        for (int i = 0; i < grove->tree_count; ++i)
            if (grove->trees[i]->knots != 0)
                sn__tree_take_loads(grove->trees[i], step->loads);
    }
    grove->residual = solve(grove, s, !first);
    if (grove->yields && s->last)
        yield_joints(grove);
    grove->iterations = iteration + 1;
    if (grove->g.reply && !s->last)
        ask(grove, s);
    for (int i = 0; i < grove->tree_count; ++i)
        if (grove->trees[i]->knots != 0)
            sn__tree_to_knots(grove->trees[i], step->knots, step->ways, first, s->last);
}

static void pass_groves(int begin, int end, int worker, void *context) {
    (void)worker;
    const GrovesTask *task = context;
    GroveStep s = grove_step(task->step, NULL);
    s.last = task->last;
    s.touched = true;
    for (int k = begin; k < end; ++k) {
        TreeGrove *grove = &task->trees->groves[k];
        if (grove->ready && is_touched(grove) && !all_asleep(grove))
            pass_grove(grove, &s, task->substep, task->iteration);
    }
}

void sn__trees_pass(TreeSystem *trees, const TreesStep *step, int substep, int iteration,
                    bool last) {
    GrovesTask task = {trees, step, substep, iteration, last};
    if (trees->grove_count > 0)
        step->tasks->parallel_for(trees->grove_count, 1, pass_groves, &task, step->tasks->context);
}

void sn__trees_end(TreeSystem *trees, const TreesStep *step) {
    GroveStep s = grove_step(step, step->tasks);
    s.touched = true;
    for (int k = 0; k < trees->grove_count; ++k) {
        TreeGrove *grove = &trees->groves[k];
        if (!grove->ready || !is_touched(grove) || all_asleep(grove))
            continue;
        close_substep(grove, &s);
        clear_loads(grove);
    }
}

bool sn__trees_any_touched(const TreeSystem *trees) {
    for (int k = 0; k < trees->grove_count; ++k)
        if (is_touched(&trees->groves[k]))
            return true;
    return false;
}

void sn__trees_restored(TreeSystem *trees) {
    for (int k = 0; k < trees->grove_count; ++k) {
        TreeGrove *grove = &trees->groves[k];
        grove->loaded = true;
        clear_loads(grove);
        for (int i = 0; i < grove->tree_count && grove->yields; ++i)
            for (int j = 0; j < grove->trees[i]->joints; ++j)
                set_rest(&grove->g, grove->trees[i], &grove->trees[i]->joint[j]);
    }
}

TreesReport sn__trees_report(const TreeSystem *trees) {
    TreesReport report = {.bits = SN_STEP_OK};
    for (int k = 0; k < trees->grove_count; ++k) {
        const TreeGrove *grove = &trees->groves[k];
        report.bits |= grove->step_bits;
        report.residual = grove->residual > report.residual ? grove->residual : report.residual;
        report.iterations =
            grove->iterations > report.iterations ? grove->iterations : report.iterations;
    }
    return report;
}
