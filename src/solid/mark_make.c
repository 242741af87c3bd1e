// Marks of a body: which particles they follow, and their place in its graph.
#include <string.h>

#include "base/null.h"
#include "body/world.h"
#include "solid/marks.h"

#define COOKIE 0x534e534du
// A mark that was given no stiffness is held so many times as stiffly as the edges at it hold their particles, and at
// least with this rate, 1/s².
#define FIRM 100.0
#define LEAST_RATE 1e5
#define FIRMEST                                                                                    \
    1e6 // times as stiffly as the edges at most: beyond, forces of edges are lost in rounding

SnSolidMark sn_default_solid_mark(void) {
    return (SnSolidMark){.cookie = COOKIE, .direction = {0.0f, 1.0f, 0.0f}};
}

// Particles near a point, the nearest first: those that it follows, and the next one.
typedef struct Near {
    int count;
    int particle[SN_MARK_PARTICLES + 1];
    double distance[SN_MARK_PARTICLES + 1];
} Near;

static void add_near(const Solid *s, Near *near, Vec3d at, int i) {
    double distance = lengthd(subd(s->particles[i].rest, at));
    int to = 0;
    for (int k = 0; k < near->count; ++k)
        if (near->particle[k] == i)
            return;
    while (to < near->count && near->distance[to] <= distance)
        ++to;
    if (to > SN_MARK_PARTICLES)
        return;
    near->count += near->count <= SN_MARK_PARTICLES;
    for (int k = near->count - 1; k > to; --k) {
        near->particle[k] = near->particle[k - 1];
        near->distance[k] = near->distance[k - 1];
    }
    near->particle[to] = i;
    near->distance[to] = distance;
}

static int nearest_of_all(const Solid *s, Vec3d at) {
    int best = 0;
    double least = 1e300;
    for (int i = 0; i < s->count; ++i) {
        Vec3d off = subd(s->particles[i].rest, at);
        double distance = dotd(off, off);
        best = distance < least ? i : best;
        least = fmin(distance, least);
    }
    return best;
}

static int other_end(const Solid *s, int k, int from) {
    const SolidEdge *e = &s->edges[s->edges_of[k]];
    return e->i == from ? e->j : e->i;
}

// The nearest, its neighbours and theirs: what lies across a gap is not asked. Weights are those of skins
// (fit/particle_skin.c).
static void find_particles(const Solid *s, Vec3d at, SolidMark *m) {
    Near near = {0};
    int home = nearest_of_all(s, at);
    add_near(s, &near, at, home);
    for (int k = s->first_edge[home]; k < s->first_edge[home + 1]; ++k) {
        int first = other_end(s, k, home);
        add_near(s, &near, at, first);
        for (int n = s->first_edge[first]; n < s->first_edge[first + 1]; ++n)
            add_near(s, &near, at, other_end(s, n, first));
    }
    m->count = near.count < SN_MARK_PARTICLES ? near.count : SN_MARK_PARTICLES;
    double beyond = near.count > SN_MARK_PARTICLES ? near.distance[SN_MARK_PARTICLES]
                                                   : 1.5 * near.distance[near.count - 1];
    for (int k = 0; k < m->count; ++k) {
        double part = beyond > 0.0 ? 1.0 - near.distance[k] / beyond : 1.0;
        m->particle[k] = near.particle[k];
        m->weight[k] = part * part;
    }
}

static double weights_of(const SolidMark *m) {
    double sum = 0.0;
    for (int k = 0; k < m->count; ++k)
        sum += m->weight[k];
    return sum;
}

// A mark that is farther from the body than so many times its extent is not meant to be a point of it.
#define FARTHEST 10.0

static bool is_far(const Solid *s, Vec3d at) {
    double extent = s->size * (1.0 + sqrt(s->slender)), reach = 0.0;
    for (int i = 0; i < s->count; ++i)
        reach = fmax(reach, s->particles[i].reach);
    Vec3d off = subd(at, s->particles[nearest_of_all(s, at)].rest);
    return lengthd(off) > FARTHEST * fmax(s->count > 1 ? extent : 0.0, reach);
}

static SnResult check(const Solid *s, const SnSolidMark *mark) {
    double sum = 0.0;
    if (mark == NULL || mark->cookie != COOKIE)
        return sn__no_def(mark, "mark", "sn_default_solid_mark");
    if (!sn__within3(mark->position, SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "mark: position: is not within %g m",
                        (double)SN_MAX_POSITION);
    if (is_far(s, vec3d(mark->position)))
        return sn_error(SN_ERROR_INVALID,
                        "mark: position: (%g, %g, %g) is farther from the body than %g times its "
                        "size; it is a point of the body at rest, before it is placed",
                        (double)mark->position.x, (double)mark->position.y,
                        (double)mark->position.z, FARTHEST);
    double length = lengthd(vec3d(mark->direction));
    if (!(length > 1e-9 && length < 1e9))
        return sn_error(SN_ERROR_INVALID, "mark: direction: its length %g is not in [1e-9, 1e9]",
                        length);
    if (!(mark->stiffness >= 0.0f && mark->stiffness <= 1e15f))
        return sn_error(SN_ERROR_INVALID, "mark: stiffness: %g is not in [0, 1e15] N/m",
                        (double)mark->stiffness);
    for (int k = 0; k < SN_MARK_PARTICLES; ++k) {
        if (!(mark->weights[k] >= 0.0f && mark->weights[k] <= 1.0f))
            return sn_error(SN_ERROR_INVALID, "mark: weights[%d]: %g is not in [0, 1]", k,
                            (double)mark->weights[k]);
        if (mark->weights[k] > 0.0f && (mark->particles[k] < 0 || mark->particles[k] >= s->count))
            return sn_error(SN_ERROR_INVALID, "mark: particles[%d]: %d is not in [0, %d)", k,
                            mark->particles[k], s->count);
        for (int n = 0; n < k; ++n)
            if (mark->weights[k] > 0.0f && mark->weights[n] > 0.0f &&
                mark->particles[n] == mark->particles[k])
                return sn_error(SN_ERROR_INVALID, "mark: particles: %d is there twice",
                                mark->particles[k]);
        sum += (double)mark->weights[k];
    }
    if (!(sum == 0.0 || fabs(sum - 1.0) < 1e-3))
        return sn_error(SN_ERROR_INVALID, "mark: weights: their sum %g is neither 1 nor 0", sum);
    return sn_ok();
}

static SolidMark mark_of(const Solid *s, const SnSolidMark *mark) {
    SolidMark m = {.given = (double)mark->stiffness};
    Vec3d at = vec3d(mark->position), direction = vec3d(mark->direction);
    m.direction = m.facing = scaled(direction, 1.0 / lengthd(direction));
    for (int k = 0; k < SN_MARK_PARTICLES; ++k)
        if (mark->weights[k] > 0.0f) {
            m.particle[m.count] = mark->particles[k];
            m.weight[m.count++] = (double)mark->weights[k];
        }
    if (m.count == 0)
        find_particles(s, at, &m);
    double sum = weights_of(&m);
    for (int k = 0; k < m.count; ++k) {
        m.weight[k] = sum > 0.0 ? m.weight[k] / sum : 1.0 / m.count;
        m.arm[k] = subd(at, s->particles[m.particle[k]].rest);
    }
    return m;
}

static bool is_pair(const SolidGraph *g, int i, int j) {
    for (int k = 0; k < g->pair_count; ++k)
        if ((g->pairs[k][0] == i && g->pairs[k][1] == j) ||
            (g->pairs[k][0] == j && g->pairs[k][1] == i))
            return true;
    return false;
}

// Gives the body a graph in which the particles of the mark are joined; false without memory.
static bool join(Solid *s, const SolidMark *m, bool *out_crowded) {
    int more[SN_MARK_PARTICLES * SN_MARK_PARTICLES][2], count = 0;
    const SolidGraph *old = s->graph;
    for (int a = 0; a < m->count; ++a)
        for (int b = a + 1; b < m->count; ++b)
            if (!is_pair(old, m->particle[a], m->particle[b])) {
                more[count][0] = m->particle[a];
                more[count++][1] = m->particle[b];
            }
    if (count == 0)
        return true;
    SnAllocator *a = &s->system->allocator;
    size_t size = (size_t)(old->pair_count + count) * sizeof *old->pairs;
    int(*pairs)[2] = sn__alloc(a, size);
    if (pairs == NULL)
        return false;
    memcpy(pairs, old->pairs, (size_t)old->pair_count * sizeof *old->pairs);
    memcpy(pairs + old->pair_count, more, (size_t)count * sizeof *more);
    SolidGraph *graph = sn__solid_find_graph(s->system, s->count, (const int(*)[2])pairs,
                                             old->pair_count + count, out_crowded);
    sn__free(a, pairs, size);
    if (graph && sn__solid_take_graph(s, graph))
        return true;
    sn__solid_release_graph(s->system, graph);
    return false;
}

SnResult sn__solid_add_mark(Solid *s, const SnSolidMark *mark) {
    bool crowded = false;
    SnResult result = check(s, mark);
    if (result.code != SN_OK)
        return result;
    if (s->mark_count >= SN_MAX_SOLID_MARKS)
        return sn_error(SN_ERROR_LIMIT, "mark: a solid has at most %d marks", SN_MAX_SOLID_MARKS);
    SolidMark m = mark_of(s, mark);
    if (!sn__reserve(&s->system->allocator, (void **)&s->marks, &s->mark_capacity, s->mark_count,
                     sizeof *s->marks) ||
        !join(s, &m, &crowded))
        return crowded ? sn_error(SN_ERROR_LIMIT, "mark: with it, the body would take more than "
                                                  "1 GB to solve; follow nearer particles")
                       : sn_error(SN_ERROR_MEMORY, "mark: no memory");
    s->marks[s->mark_count++] = m;
    sn__solid_find_blocks(s);
    sn__solid_set_stiffness(s);
    sn__solid_share(s); // without memory it shares nothing
    return result;
}

void sn__solid_weigh_marks(Solid *s) {
    for (int n = 0; n < s->mark_count; ++n) {
        SolidMark *m = &s->marks[n];
        double sum = 0.0;
        for (int k = 0; k < m->count; ++k) {
            int i = m->particle[k];
            double own = 0.0;
            for (int e = s->first_edge[i]; e < s->first_edge[i + 1]; ++e)
                own += s->edges[s->edges_of[e]].stretch;
            sum += m->weight[k] * fmax(FIRM * own, LEAST_RATE * s->particles[i].mass);
        }
        m->stiffness = m->given > 0.0 ? fmin(m->given, FIRMEST / FIRM * sum) : sum;
        m->turning = m->stiffness * s->size * s->size;
        for (int k = 0; k < m->count && (m->held_x || m->held_n); ++k)
            s->stiff = fmax(s->stiff, m->stiffness * m->weight[k] * m->weight[k] /
                                          s->particles[m->particle[k]].mass);
    }
}

void sn__solid_free_marks(Solid *s) {
    sn__free(&s->system->allocator, s->marks, (size_t)s->mark_capacity * sizeof *s->marks);
}
