// How a solid answers where links tie it: blocks of the inverse of its matrix, found with the factors it has.
#include <string.h>

#include "solid/volume.h"

int sn__solid_tie(Body *body, int element, float t) {
    (void)t; // a particle has one point
    Solid *s = solid_of(body);
    for (int k = 0; k < s->tie_count; ++k)
        if (s->ties[k].particle == element)
            return k;
    if (s->tie_count == SOLID_TIES || !sn__reserve(&s->system->allocator, (void **)&s->ties,
                                                   &s->tie_capacity, s->tie_count, sizeof *s->ties))
        return -1;
    s->ties[s->tie_count].particle = element;
    return s->tie_count++;
}

bool sn__solid_answer(const Body *body, int pulled, int tie, double out[3][3]) {
    const Solid *s = solid_of(body);
    assert(pulled < s->tie_count && tie < s->tie_count);
    memcpy(out, s->ties[tie].answer[pulled].m, sizeof(double[3][3]));
    return s->breaks == 0;
}

// Without factors, particles answer for themselves.
static void answer_alone(Solid *s) {
    for (int k = 0; k < s->tie_count; ++k) {
        int i = s->ties[k].particle;
        double easy = s->work[i].held_x ? 0.0 : 1.0 / s->particles[i].mass;
        for (int n = 0; n < s->tie_count; ++n)
            s->ties[k].answer[n] = (Mat3){0};
        for (int c = 0; c < 3; ++c)
            s->ties[k].answer[k].m[c][c] = easy;
    }
}

// Column `axis` of what all ties do if tie `pulled` is pulled at, as the factors lie.
static void read_lane(Solid *s, int lane, int pulled, int axis) {
    for (int k = 0; k < s->tie_count; ++k) {
        const SparseBlock *x = &s->lanes[s->graph->plan.place[s->ties[k].particle]];
        for (int c = 0; c < 3; ++c)
            s->ties[k].answer[pulled].m[c][axis] = x->column[c][lane];
    }
}

// Eight right sides at a time: every axis of every tie is one.
static void solve_columns(Solid *s, const SolidStep *step) {
    int columns = 3 * s->tie_count;
    for (int first = 0; first < columns; first += SPARSE_ROW) {
        int count = columns - first < SPARSE_ROW ? columns - first : SPARSE_ROW;
        memset(s->lanes, 0, (size_t)s->count * sizeof *s->lanes);
        for (int l = 0; l < count; ++l) {
            int particle = s->ties[(first + l) / 3].particle;
            s->lanes[s->graph->plan.place[particle]].column[(first + l) % 3][l] = 1.0;
        }
        step->kernels->solve_all(&s->graph->plan, s->factors->diagonal, s->factors->below,
                                 s->lanes);
        for (int l = 0; l < count; ++l)
            read_lane(s, l, (first + l) / 3, (first + l) % 3);
    }
}

// The inverse of a matrix that keeps the volume differs by a square (volume.c).
static void keep_volume(Solid *s, const SolidStep *step) {
    double share = sn__solid_volume_share(s, step);
    for (int k = 0; k < s->tie_count; ++k)
        for (int n = 0; n < s->tie_count; ++n) {
            const double *a = s->swell[s->graph->plan.place[s->ties[k].particle]].x;
            const double *b = s->swell[s->graph->plan.place[s->ties[n].particle]].x;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    s->ties[k].answer[n].m[r][c] -= share * a[r] * b[c];
        }
}

void sn__solid_answer_ties(Solid *s, const SolidStep *step) {
    if (s->tie_count == 0)
        return;
    if (s->factors == NULL || !(s->factors->h2 > 0.0)) {
        answer_alone(s);
        return;
    }
    solve_columns(s, step);
    Mat3 R = mat_of(s->turn);
    for (int k = 0; k < s->tie_count; ++k)
        for (int n = 0; n < s->tie_count; ++n) {
            Mat3 turned = mat_mul(&R, &s->ties[k].answer[n]);
            s->ties[k].answer[n] = mat_mul_transposed(&turned, &R);
        }
    if (s->material.volume > 0.0f)
        keep_volume(s, step);
}
