#include "fit/pills.h"

#include <string.h>

// Weights against a mean squared distance of 1, each of them shared among all nodes.
#define COVER 0.5      // of points inside that no pill covers
#define LEAVE 0.5      // of points outside that a pill covers
#define STRAIGHT 0.004 // of second differences along a rod
#define EVEN 0.005     // of second differences of radii along a rod, and of radii from their start
#define STAY 0.001     // of distances from where the nodes started
#define HOLD 1e3       // of radii from their start, where these are held
#define DAMPING 0.02   // of steps, at first
#define CG_ITERATIONS 25

// Pills that a sample may be nearest to, looked up anew after so many iterations.
#define CANDIDATES 20
#define LOOK_EVERY 5

// One row of the Jacobian: how the distance of a sample changes with the two nodes of its pill. The
// distance is ‖x − c‖ − r with c and r at the t that minimises it, so that t itself may be held:
// ∂/∂c = −n, ∂/∂r = −1, shared by the nodes as 1 − t and t.
typedef struct Row {
    int edge, a, b;
    double t, weight; // weight 0: the sample does not count
    Vec3d normal;
    double distance;
} Row;

typedef struct Refine {
    FitPills *pills;
    const FitRules *rules;
    const FitSamples *samples;
    int sample_count;
    Row *rows;
    int (*candidates)[CANDIDATES]; // per sample, −1 behind the last one
    int size;                      // unknowns: three per node, then one per group
    double *x, *start;             // all unknowns
    double *step, *gradient;       // and of the same size
    double *r, *p, *q, *diagonal;
    double straight; // STRAIGHT, or less where points of rods are far apart
    double damping;
} Refine;

static void write_pills(Refine *f, const double *x) {
    FitPills *pills = f->pills;
    int first = 3 * pills->node_count;
    for (int i = 0; i < pills->node_count; ++i) {
        pills->points[i] = (Vec3d){x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        pills->radii[i] = x[first + f->rules->groups[i]];
    }
    sn__fit_enclose(pills);
}

static void read_pills(Refine *f) {
    const FitPills *pills = f->pills;
    int first = 3 * pills->node_count;
    for (int i = 0; i < pills->node_count; ++i) {
        f->x[3 * i] = pills->points[i].x;
        f->x[3 * i + 1] = pills->points[i].y;
        f->x[3 * i + 2] = pills->points[i].z;
        f->x[first + f->rules->groups[i]] = pills->radii[i];
    }
}

// Second differences along rods, of coordinate c of a node, or of its radius for c = 3.
static double bend(const Refine *f, const double *x, int node, int c) {
    const int *groups = f->rules->groups;
    int first = 3 * f->pills->node_count;
    double before = c < 3 ? x[3 * (node - 1) + c] : x[first + groups[node - 1]];
    double here = c < 3 ? x[3 * node + c] : x[first + groups[node]];
    double after = c < 3 ? x[3 * (node + 1) + c] : x[first + groups[node + 1]];
    return before - 2.0 * here + after;
}

static void add_bend(const Refine *f, double value, int node, int c, double *out) {
    const int *groups = f->rules->groups;
    int first = 3 * f->pills->node_count;
    out[c < 3 ? 3 * (node - 1) + c : first + groups[node - 1]] += value;
    out[c < 3 ? 3 * node + c : first + groups[node]] -= 2.0 * value;
    out[c < 3 ? 3 * (node + 1) + c : first + groups[node + 1]] += value;
}

// Second differences grow with the distance of the points. Where that is more than the thickness of the
// mesh, what counts is the bend's angle times the thickness.
static double straightness(const Refine *f) {
    const FitPills *pills = f->pills;
    double sum = 0.0;
    for (int i = 0; i < pills->edge_count; ++i) {
        Vec3d d = subd(pills->points[pills->edges[i][0]], pills->points[pills->edges[i][1]]);
        sum += lengthd(d) / pills->edge_count;
    }
    double ratio = sum > f->rules->scale ? f->rules->scale / sum : 1.0;
    return STRAIGHT * ratio * ratio;
}

// What counts of the square of how far an unknown is from its start.
static double stay_weight(const Refine *f, int unknown) {
    if (unknown < 3 * f->pills->node_count)
        return STAY;
    return f->rules->holds_radii ? HOLD : EVEN;
}

static bool is_inner(const Refine *f, int node) {
    int chain = f->rules->chain;
    return chain > 2 && node % chain != 0 && node % chain != chain - 1;
}

// The pills whose balls are nearest to each sample, and not so far away that they could not become the
// nearest within some iterations.
static void look_up(Refine *f) {
    const FitPills *pills = f->pills;
    for (int i = 0; i < f->sample_count; ++i) {
        Vec3d x = f->samples->points[i];
        double nearness[CANDIDATES], limit = f->rows[i].distance + 0.5 * f->rules->scale;
        int count = 0, *list = f->candidates[i];
        for (int e = 0; e < pills->edge_count; ++e) {
            Vec3d d = subd(x, pills->balls[e].centre);
            double reach = limit + pills->balls[e].radius, square = dotd(d, d);
            if (reach <= 0.0 || square > reach * reach)
                continue;
            double distance = sqrt(square) - pills->balls[e].radius;
            int at = count < CANDIDATES ? count++ : CANDIDATES - 1;
            if (at == CANDIDATES - 1 && count == CANDIDATES && nearness[at] <= distance &&
                list[at] >= 0)
                continue;
            for (; at > 0 && nearness[at - 1] > distance; --at) {
                nearness[at] = nearness[at - 1];
                list[at] = list[at - 1];
            }
            nearness[at] = distance;
            list[at] = e;
        }
        if (count < CANDIDATES)
            list[count] = -1;
    }
}

static FitTouch touch_candidates(const FitPills *pills, const int *list, Vec3d x, int guess) {
    Pill pill = sn__fit_pill(pills, guess);
    FitTouch best = {.edge = guess};
    best.distance = sn__pill_distance(&pill, x, &best.t);
    for (int i = 0; i < CANDIDATES && list[i] >= 0; ++i) {
        const FitBall *ball = pills->balls + list[i];
        Vec3d d = subd(x, ball->centre);
        double reach = best.distance + ball->radius;
        if (reach <= 0.0 || dotd(d, d) >= reach * reach || list[i] == guess)
            continue;
        pill = sn__fit_pill(pills, list[i]);
        double t, distance = sn__pill_distance(&pill, x, &t);
        if (distance < best.distance)
            best = (FitTouch){distance, list[i], t};
    }
    return best;
}

// Finds the nearest pill of every sample among all of them, and the candidates for what follows.
static void look_everywhere(Refine *f, const double *x) {
    write_pills(f, x);
    for (int i = 0; i < f->sample_count; ++i) {
        FitTouch touch = sn__fit_touch(f->pills, f->samples->points[i], f->rows[i].edge);
        f->rows[i].edge = touch.edge;
        f->rows[i].distance = touch.distance;
    }
    look_up(f);
}

// What a sample counts: points of the mesh always, others where they are on the wrong side.
static double weight_of(const FitSamples *s, int i, double distance) {
    if (i < s->surface_count)
        return 1.0 / s->surface_count;
    if (i < s->surface_count + s->inside_count)
        return distance > 0.0 ? COVER / s->inside_count : 0.0;
    return distance < 0.0 ? LEAVE / s->outside_count : 0.0;
}

// Measures all samples at x; the sum of all that is to be small.
static double evaluate(Refine *f, const double *x) {
    write_pills(f, x);
    const FitPills *pills = f->pills;
    int nodes = pills->node_count;
    double sum = 0.0;
    for (int i = 0; i < f->sample_count; ++i) {
        Vec3d at = f->samples->points[i];
        Row *row = f->rows + i;
        FitTouch touch = touch_candidates(pills, f->candidates[i], at, row->edge);
        row->edge = touch.edge;
        row->a = pills->edges[touch.edge][0];
        row->b = pills->edges[touch.edge][1];
        row->t = touch.t;
        row->distance = touch.distance;
        row->weight = weight_of(f->samples, i, touch.distance);
        Vec3d centre = addd(scaled(pills->points[row->a], 1.0 - touch.t),
                            scaled(pills->points[row->b], touch.t));
        Vec3d d = subd(at, centre);
        double length = lengthd(d);
        row->normal = length > 0.0 ? scaled(d, 1.0 / length) : (Vec3d){0.0, 0.0, 0.0};
        sum += row->weight * touch.distance * touch.distance;
    }
    for (int i = 0; i < f->size; ++i) {
        double d = x[i] - f->start[i];
        sum += stay_weight(f, i) / nodes * d * d;
    }
    for (int i = 0; i < nodes; ++i)
        for (int c = 0; c < 4 && is_inner(f, i); ++c) {
            double d = bend(f, x, i, c);
            sum += (c < 3 ? f->straight : EVEN) / nodes * d * d;
        }
    return sum;
}

static double row_times(const Refine *f, const Row *row, const double *v) {
    const int *groups = f->rules->groups;
    int first = 3 * f->pills->node_count;
    const double *a = v + 3 * row->a, *b = v + 3 * row->b;
    Vec3d n = row->normal;
    double at_a = n.x * a[0] + n.y * a[1] + n.z * a[2] + v[first + groups[row->a]];
    double at_b = n.x * b[0] + n.y * b[1] + n.z * b[2] + v[first + groups[row->b]];
    return -((1.0 - row->t) * at_a + row->t * at_b);
}

static void add_row(const Refine *f, const Row *row, double value, double *out) {
    const int *groups = f->rules->groups;
    int first = 3 * f->pills->node_count;
    double *a = out + 3 * row->a, *b = out + 3 * row->b;
    double at_a = -(1.0 - row->t) * value, at_b = -row->t * value;
    a[0] += at_a * row->normal.x;
    a[1] += at_a * row->normal.y;
    a[2] += at_a * row->normal.z;
    b[0] += at_b * row->normal.x;
    b[1] += at_b * row->normal.y;
    b[2] += at_b * row->normal.z;
    out[first + groups[row->a]] += at_a;
    out[first + groups[row->b]] += at_b;
}

// Half the second derivative of what is to be small, as Gauss and Newton take it, times v.
static void apply(const Refine *f, const double *v, double *out) {
    int nodes = f->pills->node_count;
    for (int i = 0; i < f->size; ++i)
        out[i] = (stay_weight(f, i) + f->damping) / nodes * v[i];
    for (int i = 0; i < f->sample_count; ++i)
        if (f->rows[i].weight > 0.0)
            add_row(f, f->rows + i, f->rows[i].weight * row_times(f, f->rows + i, v), out);
    for (int i = 0; i < nodes; ++i)
        for (int c = 0; c < 4 && is_inner(f, i); ++c)
            add_bend(f, (c < 3 ? f->straight : EVEN) / nodes * bend(f, v, i, c), i, c, out);
}

// Half the gradient at x, where the rows were made, and the diagonal of the second derivative.
static void differentiate(Refine *f) {
    int nodes = f->pills->node_count;
    for (int i = 0; i < f->size; ++i) {
        double weight = stay_weight(f, i) / nodes;
        f->gradient[i] = weight * (f->x[i] - f->start[i]);
        f->diagonal[i] = weight;
    }
    const int *groups = f->rules->groups;
    for (int i = 0; i < f->sample_count; ++i) {
        const Row *row = f->rows + i;
        if (!(row->weight > 0.0))
            continue;
        add_row(f, row, row->weight * row->distance, f->gradient);
        Vec3d n = row->normal;
        double n2[3] = {n.x * n.x, n.y * n.y, n.z * n.z};
        double a = row->weight * (1.0 - row->t) * (1.0 - row->t);
        double b = row->weight * row->t * row->t;
        for (int c = 0; c < 3; ++c) {
            f->diagonal[3 * row->a + c] += a * n2[c];
            f->diagonal[3 * row->b + c] += b * n2[c];
        }
        f->diagonal[3 * nodes + groups[row->a]] += a;
        f->diagonal[3 * nodes + groups[row->b]] += b;
    }
    for (int i = 0; i < nodes; ++i)
        for (int c = 0; c < 4 && is_inner(f, i); ++c) {
            double weight = (c < 3 ? f->straight : EVEN) / nodes;
            add_bend(f, weight * bend(f, f->x, i, c), i, c, f->gradient);
            for (int k = -1; k <= 1; ++k) {
                int at = c < 3 ? 3 * (i + k) + c : 3 * nodes + groups[i + k];
                f->diagonal[at] += weight * (k == 0 ? 4.0 : 1.0);
            }
        }
}

// Conjugate gradients with the diagonal as preconditioner.
static void solve(Refine *f) {
    int size = f->size, nodes = f->pills->node_count;
    double rho = 0.0, first = 0.0;
    memset(f->step, 0, (size_t)size * sizeof *f->step);
    for (int i = 0; i < size; ++i) {
        f->r[i] = -f->gradient[i];
        f->p[i] = f->r[i] / (f->diagonal[i] + f->damping / nodes);
        rho += f->r[i] * f->p[i];
    }
    first = rho;
    for (int k = 0; k < CG_ITERATIONS && rho > 1e-6 * first; ++k) {
        apply(f, f->p, f->q);
        double curvature = 0.0, next = 0.0;
        for (int i = 0; i < size; ++i)
            curvature += f->p[i] * f->q[i];
        if (!(curvature > 0.0))
            return;
        double alpha = rho / curvature;
        for (int i = 0; i < size; ++i) {
            f->step[i] += alpha * f->p[i];
            f->r[i] -= alpha * f->q[i];
            next += f->r[i] * f->r[i] / (f->diagonal[i] + f->damping / nodes);
        }
        for (int i = 0; i < size; ++i)
            f->p[i] = f->r[i] / (f->diagonal[i] + f->damping / nodes) + next / rho * f->p[i];
        rho = next;
    }
}

// x + step, with radii that stay positive.
static void try_step(const Refine *f, double *out) {
    int first = 3 * f->pills->node_count;
    double least = 0.01 * f->rules->scale;
    for (int i = 0; i < f->size; ++i) {
        out[i] = f->x[i] + f->step[i];
        if (i >= first)
            out[i] = f->rules->holds_radii ? f->x[i] : fmax(out[i], fmin(least, f->x[i]));
    }
}

static bool make_room(FitMemory *memory, Refine *f) {
    size_t size = (size_t)f->size;
    f->rows = sn__fit_alloc(memory, (size_t)f->sample_count, sizeof *f->rows);
    f->candidates = sn__fit_alloc(memory, (size_t)f->sample_count, sizeof *f->candidates);
    double **arrays[] = {&f->x, &f->start, &f->step, &f->gradient,
                         &f->r, &f->p,     &f->q,    &f->diagonal};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = sn__fit_alloc(memory, size, sizeof **arrays[i]);
        if (*arrays[i] == NULL)
            return false;
    }
    return f->rows != NULL && f->candidates != NULL;
}

bool sn__fit_refine(FitMemory *memory, FitPills *pills, const FitRules *rules,
                    const FitSamples *samples) {
    FitBlock *mark = memory->last;
    Refine f = {.pills = pills,
                .rules = rules,
                .samples = samples,
                .sample_count =
                    samples->surface_count + samples->inside_count + samples->outside_count,
                .size = 3 * pills->node_count + rules->group_count,
                .damping = DAMPING};
    if (!make_room(memory, &f)) {
        sn__fit_release(memory, mark);
        return false;
    }
    f.straight = straightness(&f);
    read_pills(&f);
    memcpy(f.start, f.x, (size_t)f.size * sizeof *f.x);
    look_everywhere(&f, f.x);
    double value = evaluate(&f, f.x);
    for (int i = 0; i < rules->iterations; ++i) {
        double done = rules->from + (rules->to - rules->from) * i / rules->iterations;
        if (!sn__fit_go_on(rules->told, "fit", done))
            break;
        if (i % LOOK_EVERY == LOOK_EVERY - 1) {
            look_everywhere(&f, f.x);
            value = evaluate(&f, f.x);
        }
        differentiate(&f);
        solve(&f);
        try_step(&f, f.q);
        double next = evaluate(&f, f.q);
        if (next < value) {
            bool settled = next > (1.0 - 3e-4) * value;
            value = next;
            memcpy(f.x, f.q, (size_t)f.size * sizeof *f.x);
            f.damping = fmax(0.4 * f.damping, 1e-4);
            if (settled)
                break;
        } else {
            f.damping *= 5.0;
            evaluate(&f, f.x); // the rows of where it stays
            if (f.damping > 1e3)
                break;
        }
    }
    write_pills(&f, f.x);
    sn__fit_release(memory, mark);
    return true;
}
