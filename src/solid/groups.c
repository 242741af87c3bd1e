// Bodies that something touches, those that share factors beside each other: they are solved together.
#include "solid/solid.h"

static bool takes_part(const Solid *s) { return s->touched && !s->asleep; }

// Runs of bodies with the same factors are cut into groups of nearly the same size, an even number of them, for two
// threads.
static void cut(SolidSystem *solids, int count) {
    solids->group_count = 0;
    for (int begin = 0, end; begin < count; begin = end) {
        const SolidRest *rest = solids->order[begin]->rest;
        for (end = begin + 1; rest && end < count && solids->order[end]->rest == rest; ++end)
            ;
        int n = end - begin, groups = (n + SOLID_GROUP - 1) / SOLID_GROUP;
        groups += groups > 1 && groups % 2 != 0;
        for (int g = 0; g < groups; ++g)
            solids->groups[solids->group_count++] = begin + n * g / groups;
    }
    solids->grouped = count;
}

void sn__solids_group(SolidSystem *solids) {
    int next = 0;
    for (int k = 0; k < solids->count; ++k)
        if (solids->list[k]->rest)
            solids->list[k]->rest->members = solids->list[k]->rest->placed = 0;
    for (int k = 0; k < solids->count; ++k)
        if (solids->list[k]->rest && takes_part(solids->list[k]))
            ++solids->list[k]->rest->members;
    for (int k = 0; k < solids->count; ++k) {
        Solid *s = solids->list[k];
        if (!takes_part(s))
            continue;
        if (s->rest == NULL) {
            solids->order[next++] = s;
            continue;
        }
        if (s->rest->placed == 0) {
            s->rest->first = next;
            next += s->rest->members;
        }
        solids->order[s->rest->first + s->rest->placed++] = s;
    }
    cut(solids, next);
}
