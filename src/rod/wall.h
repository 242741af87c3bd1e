// Clamps: what holds the frame of an end segment of a chain.
//
// A clamp holds the tangent of a rod where it begins, at a vertex, and a frame is the tangent in the
// middle of a segment. A rod whose first frame does not move begins to bend half a segment too late,
// an error of first order. So the frame of an end segment stays free, and a joint of half a segment's
// length ties it to the frame that it is held at, the wall, which lies in the row before the first
// segment or behind the last one.
//
// A segment of which both vertices are held as well is held as a whole, and so is one within a rod.
#pragma once

#include "rod/graph.h"
#include "rod/pack.h"

// Whether a rod begins or ends in this lane; a closed one does nowhere.
static inline bool sn__lane_begins(const RodPack *pack, int lane) {
    for (int k = 0; k < pack->seam_count; ++k)
        if (pack->seams[k].next == lane)
            return false;
    return pack->graph == NULL;
}

static inline bool sn__lane_ends(const RodPack *pack, int lane) {
    for (int k = 0; k < pack->seam_count; ++k)
        if (pack->seams[k].lane == lane)
            return false;
    return pack->graph == NULL;
}

// The row of the wall that holds the segment in this row; the same row if it has none.
static inline int sn__wall_row(const RodPack *pack, int lane, int row) {
    if (row == 0 && sn__lane_begins(pack, lane))
        return -1;
    int segments = pack->lane[lane].segments;
    return row + 1 == segments && sn__lane_ends(pack, lane) ? segments : row;
}

// The row of the joint with that wall.
static inline int sn__wall_joint(int wall) { return wall < 0 ? 0 : wall; }

static inline bool sn__both_ends_held(const RodPack *pack, int lane, int row) {
    if (pack->graph == NULL && row >= pack->rows)
        return false; // no segment is there
    int a = pack->graph ? pack->graph->edge[row][0] : row;
    int b = pack->graph ? pack->graph->edge[row][1] : row + 1;
    return (pack->held[a][lane] & pack->held[b][lane] & HELD_VERTEX) != 0;
}

// Whether a wall holds the frame of the segment in this row.
static inline bool sn__is_walled(const RodPack *pack, int lane, int row) {
    return (pack->held[row][lane] & HELD_FRAME) && sn__wall_row(pack, lane, row) != row &&
           !sn__both_ends_held(pack, lane, row);
}

// What is held of a rod is held of its ghosts (pack.h).
void sn__hold_ghosts(RodPack *pack);

// The stiffness against turning of the joint in a row over that of one between free segments: what is held
// as a whole does not bend, and a wall may not be there.
double sn__joint_share(const RodPack *pack, int row, GraphJoint joint, int lane);
