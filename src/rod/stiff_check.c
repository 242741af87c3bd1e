// What is wrong with the definition of a stiff rod, beyond what all rods must be.
#include "rod/shape.h"

static SnResult check_segment(const SnSegmentDef *s, const char *name, int j) {
    const struct {
        const char *field;
        float value, least, most;
    } numbers[] = {{"young", s->young, 0.0f, MAX_STIFFNESS},
                   {"shear", s->shear, 0.0f, MAX_STIFFNESS},
                   {"density", s->density, MIN_DENSITY, MAX_DENSITY},
                   {"radius_x", s->radius_x, MIN_SECTION, MAX_RADIUS},
                   {"radius_y", s->radius_y, MIN_SECTION, MAX_RADIUS}};
    for (int k = 0; k < 5; ++k) {
        float v = numbers[k].value;
        if (v != 0.0f && !(v >= numbers[k].least && v <= numbers[k].most))
            return sn_error(
                SN_ERROR_INVALID, "%s: segments[%d].%s: %g is neither 0 nor in [%g, %g]", name, j,
                numbers[k].field, (double)v, (double)numbers[k].least, (double)numbers[k].most);
    }
    return sn_ok();
}

SnResult sn__stiff_def_check(const SnRodDef *def, const char *name) {
    int n = sn__def_segments(def);
    if (def->classic)
        return sn_error(SN_ERROR_INVALID, "%s: classic: is true, which a stiff rod cannot be",
                        name);
    if (def->start_scales)
        return sn_error(SN_ERROR_INVALID, "%s: start_scales: is given, but a stiff rod has none",
                        name);
    if (def->sections)
        return sn_error(SN_ERROR_INVALID, "%s: sections: are given, but a stiff rod has none",
                        name);
    if (def->edges == NULL && def->edge_count != 0)
        return sn_error(SN_ERROR_INVALID, "%s: edges: is NULL, but edge_count is %d", name,
                        def->edge_count);
    if (def->edges && def->straight)
        return sn_error(SN_ERROR_INVALID, "%s: straight: is true, which a rod with edges cannot be",
                        name);
    if (def->edges && def->closed)
        return sn_error(SN_ERROR_INVALID, "%s: closed: is true, which a rod with edges cannot be",
                        name);
    if (def->edges && (n < 1 || n > SN_MAX_ROD_VERTICES))
        return sn_error(SN_ERROR_INVALID, "%s: edge_count: %d is not in [1, %d]", name, n,
                        SN_MAX_ROD_VERTICES);
    for (int j = 0; j < n; ++j) {
        RodEnds ends = sn__def_ends(def, j);
        int e[2] = {ends.a, ends.b};
        for (int k = 0; k < 2; ++k)
            if (e[k] < 0 || e[k] >= def->vertex_count)
                return sn_error(SN_ERROR_INVALID, "%s: edges[%d]: vertex %d is not in [0, %d)",
                                name, j, e[k], def->vertex_count);
        if (e[0] == e[1])
            return sn_error(SN_ERROR_INVALID, "%s: edges[%d]: goes from vertex %d to itself", name,
                            j, e[0]);
        SnResult result = def->segments ? check_segment(&def->segments[j], name, j) : sn_ok();
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}
