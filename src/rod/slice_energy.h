// What a sub-step of slices minimises, φ × η h² (slice_terms.h has its forces and its Hessian), as it is with the poses
// that sections have now. Included by the files of their solver only.
#pragma once

#include "rod/slice_terms.h"

// ½ × mass × what is left of the way, of vertices and scales.
INLINE Number energy_of_members(const Slices *c, int k) {
    const RodPack *pack = c->pack;
    const RodSlice *slice = pack->slice + k;
    const int i = c->lanes.i;
    const Number half = splat(0.5), s = load(&slice->s[i]);
    const Number weight = held_weight(slice, i);
    Number sum = splat(0.0);
    for (int e = c->graph->section_begin[k]; e < c->graph->section_begin[k + 1]; ++e) {
        int v = c->graph->section_vertex[e];
        Number3 off = member_off(c, v);
        sum += half * member_mass(c, v, weight) * dot3(off, off);
        if (!c->lanes.volume)
            continue;
        Number grows = member_goal(c, v) - s;
        sum += half * member_swell(c, v) * grows * grows;
    }
    return sum;
}

INLINE Number energy_of_frame(const Slices *c, int j, Number3 axis, Number3 turn) {
    const FrameInertia n = frame_inertia(c, j);
    Number3 off = frame_off(c, j, turn);
    Number along = dot3(axis, off);
    return 0.5 * (n.across * dot3(off, off) + n.more * along * along);
}

// Stretch, shear and the scales, less what dampers start from.
INLINE Number energy_of_segment(const Slices *c, const Pair *pair, int j) {
    const int *edge = c->graph->edge[j];
    const Number half = splat(0.5);
    NewtonSegment e =
        newton_segment(c->lanes, j, member_vertex(c, edge[0], pair->sa),
                       member_vertex(c, edge[1], pair->sb), segment_frame(c, j, pair->mean));
    const Number stretch = e.length - e.taut, along = dot3(e.w, e.d);
    const Rate rate = rate_of(c, j, &e);
    Number sum = half * (e.k * stretch * stretch + rate.k * rate.longer * rate.longer +
                         e.back * along * along) +
                 e.shear * (e.length - along);
    if (c->lanes.damped) {
        sum -= (e.k * stretch - e.f) * e.length;
        sum -= e.mu.x * dot3(e.a1, e.d) + e.mu.y * dot3(e.a2, e.d) + e.mu.z * along;
    }
    if (c->lanes.volume) {
        // Forces are k C − μ₀, so that the energy is ½ k C² − μ₀ C.
        Number C = pair->sa + pair->sb - 2.0, D = pair->sb - pair->sa;
        sum += C * (e.fc - half * e.kc * C) + D * (e.fd - half * e.kd * D);
    }
    return sum + energy_of_frame(c, j, e.w, pair->turn_a) +
           energy_of_frame(c, j, e.w, pair->turn_b);
}

INLINE Number energy_of_bend(const Slices *c, const Pair *pair) {
    const BendStrain b = bend_strain(c, pair);
    return 0.5 * dot3(b.W, bend_times(b.H, b.W));
}

// With vertices where sections have them (place_members).
static Number slice_energy(const Slices *c) {
    Number sum = splat(0.0);
    for (int k = 0; k < c->graph->sections; ++k) {
        sum += energy_of_members(c, k);
        if (k + 1 == c->graph->sections)
            break;
        const Pair pair = pair_of(c, k);
        for (int e = c->graph->slice_begin[k]; e < c->graph->slice_begin[k + 1]; ++e)
            sum += energy_of_segment(c, &pair, c->graph->slice_segment[e]);
        sum += energy_of_bend(c, &pair);
        if (!c->lanes.volume)
            continue;
        const Volume volume = volume_of(c, &pair);
        sum += 0.5 * volume.error * volume.error / volume.over;
    }
    return sum;
}
