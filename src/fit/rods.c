#include "fit/rods.h"

#include <string.h>

#define PI 3.14159265358979323846
#define MOST_COMBINGS 2

// Circles that fill a slice overlap a little.
#define OVERLAP 1.1

static bool make_room(FitMemory *memory, FitRods *rods) {
    size_t nodes = (size_t)rods->rod_count * (size_t)rods->slice_count;
    rods->parts = sn__fit_alloc(memory, nodes, sizeof *rods->parts);
    rods->combed = sn__fit_alloc(memory, nodes, sizeof *rods->combed);
    return rods->parts && rods->combed &&
           sn__fit_create_pills(memory, (int)nodes, rods->rod_count * (rods->slice_count - 1),
                                &rods->pills);
}

SnResult sn__fit_lay_rods(FitMemory *memory, const FitGround *ground, int rods, int slices,
                          const double *places, FitRods *out) {
    *out = (FitRods){.rod_count = rods, .slice_count = slices};
    SnResult result = sn__fit_slice(memory, ground->cells, ground->ends, ground->field, rods,
                                    slices, places, &out->slices);
    if (result.code != SN_OK)
        return result;
    FitPills *p = &out->pills;
    if (!make_room(memory, out) || !sn__fit_comb(memory, &out->slices, rods, p->points, out->parts))
        return sn_error(SN_ERROR_MEMORY, "viperize: no memory");
    memcpy(out->combed, p->points, (size_t)p->node_count * sizeof *out->combed);
    for (int j = 0; j < slices; ++j) {
        double area = 0.0;
        for (int i = out->slices.begin[j]; i < out->slices.begin[j + 1]; ++i)
            area += out->slices.areas[i];
        for (int k = 0; k < rods; ++k)
            p->radii[k * slices + j] = OVERLAP * sqrt(area / (PI * rods));
    }
    for (int i = 0; i < p->edge_count; ++i) {
        p->edges[i][0] = i / (slices - 1) * slices + i % (slices - 1);
        p->edges[i][1] = p->edges[i][0] + 1;
    }
    return result;
}

bool sn__fit_fit_rods(FitMemory *memory, FitRods *rods, const FitSamples *samples, bool own,
                      const FitRules *rules) {
    FitPills *p = &rods->pills;
    int *groups = sn__fit_alloc(memory, (size_t)p->node_count, sizeof *groups);
    if (groups == NULL)
        return false;
    for (int i = 0; i < p->node_count; ++i)
        groups[i] = i % rods->slice_count;
    FitRules r = *rules;
    double step = (rules->to - rules->from) / (MOST_COMBINGS + 2);
    r.groups = groups;
    r.group_count = r.chain = rods->slice_count;
    // Combing and fitting in turn, as long as combing finds something: all radii of a slice are equal,
    // so that points may change their rods.
    bool changed = true;
    for (int i = 0; changed && i <= MOST_COMBINGS; ++i) {
        r.from = rules->from + step * i;
        r.to = r.from + step;
        if (!sn__fit_refine(memory, p, &r, samples))
            return false;
        changed = false;
        if (i < MOST_COMBINGS && !sn__fit_comb_again(memory, &rods->slices, rods->rod_count,
                                                     p->points, rods->parts, &changed))
            return false;
    }
    if (!own)
        return true;
    for (int i = 0; i < p->node_count; ++i)
        groups[i] = i;
    r.group_count = p->node_count;
    r.from = rules->to - step;
    r.to = rules->to;
    return sn__fit_refine(memory, p, &r, samples);
}

bool sn__fit_settle_rods(FitMemory *memory, FitRods *rods, const FitSamples *samples,
                         const FitRules *rules) {
    FitBlock *mark = memory->last;
    int nodes = rods->pills.node_count;
    int *groups = sn__fit_alloc(memory, (size_t)nodes, sizeof *groups);
    if (groups == NULL)
        return false;
    for (int i = 0; i < nodes; ++i)
        groups[i] = i;
    FitRules r = *rules;
    r.groups = groups;
    r.group_count = nodes;
    r.chain = rods->slice_count;
    r.holds_radii = true;
    bool good = sn__fit_refine(memory, &rods->pills, &r, samples);
    sn__fit_release(memory, mark);
    return good;
}
