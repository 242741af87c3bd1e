#include "rod/choose_solver.h"

#include <math.h>

#include "rod/symbolic.h"

#define SUBSTEP (1.0 / 600.0)
// What the elimination of a net costs at least, over that of a chain: an octopus takes 2.5 times, a net of 8 × 8
// meshes 70 times as much.
#define NET 10.0
// How much too stiff for sweeps a net may be, over what its elimination costs.
#define NETS 130.0
// How much too stiff in bending or twist a chain may be that asks for sweeps. Beyond, it would give way by more
// than 500 times what it should, and gains energy from what its sweeps miss as often as not.
#define SWEEPS_END 1e4

// Nor is a rod swept that has a longer segment than this, m: frames that are turned in float shake it (sweep_error.c).
#define LONGEST_SWEPT 0.5

static bool has_long_segments(const RodShape *shape) {
    for (int j = 0; j < shape->segments; ++j)
        if (shape->length[j] > LONGEST_SWEPT)
            return true;
    return false;
}

// Nor is one with more internal damping than this, s: what sweeps leave over is kept by the dampers, and throws it about.
#define LONGEST_SWEPT_DAMPING 0.1f

static double derived(float value, float otherwise) {
    return value >= 0.0f ? (double)value : (double)otherwise;
}

// k·G of bending: K = E π r⁴/4, over the length squared, against the inertia of two frames.
static double bend_coarseness(double modulus, double density, double r, double l) {
    return 2.0 * modulus * r * r / (density * l * l * (r * r + l * l)) / SWEPT_BEND;
}

// k·G of stretch, shear and volume: K = E π r² l against two vertices and a frame.
static double shear_coarseness(double modulus, double density, double r, double l) {
    return modulus / (density * l * l) * (2.0 + 4.0 * l * l / (r * r + l * l)) / SWEPT_SHEAR;
}

// k·G of twist: K = G π r⁴/2, over the length squared, against the spin of two frames.
static double twist_coarseness(double modulus, double density, double l) {
    return 2.0 * modulus / (density * l * l) / SWEPT_BEND;
}

// Of bending and twist alone, or of stretch, shear and volume as well.
static double coarseness(const SnRodDef *def, const RodShape *shape, bool all_parts) {
    const SnRodMaterial all = sn_rod_material_derived(def->material), *m = &all;
    double bend = derived(m->bend, m->young), shear = derived(m->stretch, m->young);
    double twist = derived(m->twist, m->shear);
    if (!def->classic) {
        bend += derived(m->volume_bend, 0.0f);
        shear += (double)m->volume;
    }
    if (!all_parts)
        shear = 0.0;
    double most = 0.0;
    for (int j = 0; j < shape->segments; ++j) {
        const int *edge = shape->graph ? shape->graph->edge[j] : NULL;
        int a = edge ? edge[0] : j, b = edge ? edge[1] : (j + 1) % shape->vertices;
        double l = shape->length[j], r = 0.5 * (shape->radius[a] + shape->radius[b]);
        most = fmax(most, fmax(bend_coarseness(bend, (double)m->density, r, l),
                               shear_coarseness(shear, (double)m->density, r, l)));
        most = fmax(most, twist_coarseness(twist, (double)m->density, l));
    }
    return SUBSTEP * (SUBSTEP + (double)m->damping) * most;
}

double sn__rod_coarseness(const SnRodDef *def, const RodShape *shape) {
    return coarseness(def, shape, true);
}

int sn__rod_most_numbers(const SnRodDef *def) {
    if (def->solver == SN_SOLVER_DIRECT)
        return MOST_NUMBERS;
    return SYMBOLIC_NUMBERS * def->edge_count;
}

// Whether somebody else of the same graph had more numbers allowed does not matter.
static bool can_be_direct(const SnRodDef *def, const RodGraph *graph) {
    if (def->sections)
        return graph->sliced && def->section_compliance == 0.0f;
    if (graph == NULL)
        return sn__def_segments(def) <= SN_MAX_DIRECT_SEGMENTS;
    return graph->symbolic && graph->symbolic->numbers <= sn__rod_most_numbers(def);
}

SnResult sn__rod_check_solver(const SnRodDef *def, const RodGraph *graph) {
    if (def->solver != SN_SOLVER_DIRECT || can_be_direct(def, graph))
        return sn_ok();
    const char *name = def->name ? def->name : "rod";
    if (def->sections && def->section_compliance > 0.0f)
        return sn_error(SN_ERROR_INVALID,
                        "%s: solver: is direct, but sections with a compliance, %g 1/Pa, are swept",
                        name, (double)def->section_compliance);
    if (def->sections)
        return sn_error(
            SN_ERROR_INVALID,
            "%s: solver: is direct, but not every segment leads from one section to the "
            "next: such bundles are swept",
            name);
    if (graph)
        return sn_error(SN_ERROR_LIMIT, "%s: solver: this net is too wide to be solved directly",
                        name);
    return sn_error(SN_ERROR_LIMIT,
                    "%s: solver: %d segments are too many to be solved directly, %d", name,
                    sn__def_segments(def), SN_MAX_DIRECT_SEGMENTS);
}

SnRodSolver sn__rod_choose_solver(const SnRodDef *def, const RodShape *shape) {
    const RodSymbolic *symbolic = shape->graph ? shape->graph->symbolic : NULL;
    if (!can_be_direct(def, shape->graph))
        return SN_SOLVER_SWEEP;
    if (def->solver == SN_SOLVER_SWEEP) {
        bool swept = shape->graph ||
                     !(coarseness(def, shape, false) > SWEEPS_END || has_long_segments(shape) ||
                       def->material.damping > LONGEST_SWEPT_DAMPING);
        return swept ? SN_SOLVER_SWEEP : SN_SOLVER_DIRECT;
    }
    if (def->solver == SN_SOLVER_DIRECT || def->sections)
        return SN_SOLVER_DIRECT;
    bool net = symbolic && symbolic->cost > NET;
    if (net && sn__rod_coarseness(def, shape) <= NETS * symbolic->cost)
        return SN_SOLVER_SWEEP;
    return SN_SOLVER_DIRECT;
}
