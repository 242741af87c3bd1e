#include "rod/choose_solver.h"

#include <math.h>

#include "rod/symbolic.h"

#define SUBSTEP (1.0 / 600.0)
// Gauss-Seidel needs so many sweeps per h²EI/(ρA l⁴), measured on cantilevers whose deflection is to
// be right within 5 %.
#define SWEEPS_PER_STIFFNESS 12.0
// An iteration of the direct solver costs as much as ten sweeps; two are plenty. With many cycles,
// it costs more.
#define SWEEPS_MAX 20.0

static double derived(float value, float otherwise) {
    return value >= 0.0f ? (double)value : (double)otherwise;
}

double sn__rod_sweeps_needed(const SnRodDef *def, const RodShape *shape) {
    const SnRodMaterial *m = &def->material;
    double stiff = derived(m->bend, m->young) + derived(m->volume_bend, 0.0f), most = 0.0;
    for (int j = 0; j < shape->segments; ++j) {
        const int *edge = shape->graph ? shape->graph->edge[j] : NULL;
        int a = edge ? edge[0] : j, b = edge ? edge[1] : (j + 1) % shape->vertices;
        double l = shape->length[j], r = 0.5 * (shape->radius[a] + shape->radius[b]);
        most = fmax(most, 0.25 * stiff * r * r / ((double)m->density * l * l * l * l));
    }
    return SWEEPS_PER_STIFFNESS * SUBSTEP * SUBSTEP * most;
}

SnRodSolver sn__rod_choose_solver(const SnRodDef *def, const RodShape *shape) {
    const RodSymbolic *symbolic = shape->graph ? shape->graph->symbolic : NULL;
    bool able = shape->graph ? symbolic != NULL : shape->segments <= SN_MAX_DIRECT_SEGMENTS;
    if (!able || def->solver == SN_SOLVER_SWEEP)
        return SN_SOLVER_SWEEP;
    if (def->solver == SN_SOLVER_DIRECT)
        return SN_SOLVER_DIRECT;
    double cost = symbolic ? fmax(symbolic->cost, 1.0) : 1.0;
    return sn__rod_sweeps_needed(def, shape) > cost * SWEEPS_MAX ? SN_SOLVER_DIRECT
                                                                 : SN_SOLVER_SWEEP;
}
