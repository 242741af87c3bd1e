// Bones as the blend reads them: where they take a point of the rest pose.
#include "skin/model.h"

SkinBone sn__skin_bone(Vec3d position, SnQuat rotation, float scale, SnVec3 rest) {
    Quatd turn = quatd(rotation);
    double s = (double)scale;
    Vec3d columns[4] = {
        scaled(rotated(turn, (Vec3d){1.0, 0.0, 0.0}), s),
        scaled(rotated(turn, (Vec3d){0.0, 1.0, 0.0}), s),
        scaled(rotated(turn, (Vec3d){0.0, 0.0, 1.0}), s),
        subd(position, scaled(rotated(turn, vec3d(rest)), s)),
    };
    SkinBone bone;
    for (int c = 0; c < 4; ++c) {
        bone.column[c][0] = (float)columns[c].x;
        bone.column[c][1] = (float)columns[c].y;
        bone.column[c][2] = (float)columns[c].z;
        bone.column[c][3] = 0.0f;
    }
    return bone;
}
