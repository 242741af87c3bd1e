#include "rod/wall.h"

void sn__hold_ghosts(RodPack *pack) {
    for (int k = 0; k < pack->seam_count; ++k) {
        const RodSeam *seam = &pack->seams[k];
        pack->held[seam->row][seam->lane] = pack->held[0][seam->next];
        pack->held[seam->row + 1][seam->lane] = pack->held[1][seam->next];
    }
}

static bool is_held_whole(const RodPack *pack, int segment, int i) {
    return (pack->held[segment][i] & HELD_FRAME) && sn__both_ends_held(pack, i, segment);
}

static int degree(const RodGraph *graph, int vertex) {
    int n = 0;
    for (int j = 0; j < graph->segments; ++j)
        n += graph->edge[j][0] == vertex || graph->edge[j][1] == vertex;
    return n;
}

// How much of a segment bends at a joint, over the half that does if nothing is held: nothing where it is
// held as a whole, and all of it where it is clamped at the tip of a creature, which has no wall.
static double bending_part(const RodPack *pack, int segment, int far, int i) {
    if (!(pack->held[segment][i] & HELD_FRAME))
        return 1.0;
    if (is_held_whole(pack, segment, i))
        return 0.0;
    bool tip = pack->graph && (pack->held[far][i] & HELD_VERTEX) && degree(pack->graph, far) == 1;
    return tip ? 2.0 : 1.0;
}

double sn__joint_share(const RodPack *pack, int row, GraphJoint joint, int i) {
    int segments = pack->lane[i].segments;
    if (row == 0 && pack->graph == NULL)
        return sn__is_walled(pack, i, 0) ? 1.0 : 0.0;
    if (row == segments && sn__lane_ends(pack, i))
        return segments > 0 && sn__is_walled(pack, i, segments - 1) ? 1.0 : 0.0;
    double p = (double)pack->rest[joint.p].length[i], a = (double)pack->rest[joint.a].length[i];
    double bends = p * bending_part(pack, joint.p, joint.far_p, i) +
                   a * bending_part(pack, joint.a, joint.far_a, i);
    return bends > 0.0 ? (p + a) / bends : 1.0;
}
