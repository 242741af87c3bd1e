#include "app/limb_touch.h"

#include "app/limb_read.h"
#include "app/terminal.h"

#include <math.h>
#include <string.h>

// What overlaps by less than this part of the smaller radius may touch.
#define GRAZE 0.1

typedef struct Segment {
    SnVec3 a, b;
    float radius_a, radius_b;
} Segment;

// How far apart the surfaces of two tapered segments are, about: the least over some of their spheres.
static float gap(const Segment *p, const Segment *q) {
    enum { STEPS = 8 };
    float least = HUGE_VALF;
    for (int i = 0; i <= STEPS; ++i)
        for (int k = 0; k <= STEPS; ++k) {
            float s = (float)i / STEPS, t = (float)k / STEPS;
            SnVec3 x = sn_vec3_add(sn_vec3_scale(p->a, 1.0f - s), sn_vec3_scale(p->b, s));
            SnVec3 y = sn_vec3_add(sn_vec3_scale(q->a, 1.0f - t), sn_vec3_scale(q->b, t));
            float radii = p->radius_a + s * (p->radius_b - p->radius_a) + q->radius_a +
                          t * (q->radius_b - q->radius_a);
            least = fminf(least, sn_vec3_length(sn_vec3_sub(x, y)) - radii);
        }
    return least;
}

static Segment rod_segment(const SnViper *m, int rod, int j) {
    int i = rod * m->slice_count + j;
    return (Segment){m->positions[i], m->positions[i + 1], m->radii[i], m->radii[i + 1]};
}

static Segment bone_segment(const SnBonePills *bone, int pill) {
    int a = bone->edges[2 * pill], b = bone->edges[2 * pill + 1];
    return (Segment){bone->positions[a], bone->positions[b], bone->radii[a], bone->radii[b]};
}

static bool overlap(const Segment *p, const Segment *q) {
    float radius = fminf(fminf(p->radius_a, p->radius_b), fminf(q->radius_a, q->radius_b));
    return gap(p, q) < -(float)GRAZE * radius;
}

// Whether a part is a bone that may hold sources, or sinks.
static bool may_hold(const Limb *limb, int part, bool last) {
    const char *at = limb->holders[last], *name;
    if (!limb->parts[part].is_bone || at == NULL)
        return limb->parts[part].is_bone;
    int length;
    while ((name = limb_next_name(&at, &length)) != NULL)
        if (limb_find_bone(limb, last ? "--sink" : "--source", name, length) == part)
            return true;
    return false;
}

int limb_nearest_bone(const Limb *limb, const SnViper *m, bool last, double *out_gap) {
    int best = -1;
    float least = HUGE_VALF;
    for (int i = 0; i < limb->count; ++i) {
        const SnBonePills *bone = &limb->parts[i].bone;
        for (int p = 0; may_hold(limb, i, last) && p < bone->pill_count; ++p) {
            Segment segment = bone_segment(bone, p);
            for (int k = 0; k < m->rod_count; ++k) {
                int at = k * m->slice_count + (last ? m->slice_count - 1 : 0);
                Segment end = {m->positions[at], m->positions[at], m->radii[at], m->radii[at]};
                float distance = gap(&end, &segment);
                if (distance < least) {
                    least = distance;
                    best = i;
                }
            }
        }
    }
    if (out_gap)
        *out_gap = (double)least;
    return best;
}

void limb_note_holders(const Limb *limb) {
    for (int i = 0; i < limb->count; ++i) {
        const LimbPart *part = &limb->parts[i];
        int bone[2] = {-1, -1};
        for (int last = 0; last < 2 && !part->is_bone; ++last) {
            double away = 0.0, thick = part->muscle.quality.thickness;
            bone[last] = limb_nearest_bone(limb, &part->muscle, last, &away);
            if (bone[last] >= 0 && away > thick)
                say_note("%s: its %s is %.3g away from %s, the nearest bone, and is held by it",
                         part->name, last ? "sink" : "source", away, limb->parts[bone[last]].name);
        }
        if (bone[0] >= 0 && bone[0] == bone[1])
            say_note("%s: both ends are held by %s, and nothing moves it; add the other bone, or "
                     "name it by --source or --sink bones:NAME",
                     part->name, limb->parts[bone[0]].name);
    }
}

static bool overlaps(const SnViper *m, const Segment *other) {
    for (int k = 0; k < m->rod_count; ++k)
        for (int j = 0; j + 1 < m->slice_count; ++j) {
            Segment segment = rod_segment(m, k, j);
            if (overlap(&segment, other))
                return true;
        }
    return false;
}

bool limb_muscle_meets_pill(const SnViper *muscle, const SnBonePills *bone, int pill) {
    Segment segment = bone_segment(bone, pill);
    return overlaps(muscle, &segment);
}

bool limb_muscles_meet(const SnViper *muscle, const SnViper *other) {
    for (int k = 0; k < other->rod_count; ++k)
        for (int j = 0; j + 1 < other->slice_count; ++j) {
            Segment segment = rod_segment(other, k, j);
            if (overlaps(muscle, &segment))
                return true;
        }
    return false;
}
