// Bones: how every vertex of a rod has turned, grown and moved since the rest pose.
#include "skin/model.h"

static double rest_length(const SkinRest *rest, int segment) {
    int a = rest->edges[2 * segment], b = rest->edges[2 * segment + 1];
    return lengthd(subd(vec3d(rest->positions[b]), vec3d(rest->positions[a])));
}

// q and −q are the same turn: all are taken on the side of the first.
static Quatd mean_turn(const SkinModel *m, const SnQuat *frames, int bone) {
    Quatd first = {0.0, 0.0, 0.0, 1.0}, sum = {0.0, 0.0, 0.0, 0.0};
    for (int i = m->incident_begin[bone]; i < m->incident_begin[bone + 1]; ++i) {
        int s = m->incident[i];
        Quatd turn = mulqd(quatd(frames[s]), conjugated(quatd(m->rest.frames[s])));
        if (i == m->incident_begin[bone])
            first = turn;
        double dot = turn.x * first.x + turn.y * first.y + turn.z * first.z + turn.w * first.w;
        double w = rest_length(&m->rest, s) * (dot < 0.0 ? -1.0 : 1.0);
        sum =
            (Quatd){sum.x + w * turn.x, sum.y + w * turn.y, sum.z + w * turn.z, sum.w + w * turn.w};
    }
    double square = sum.x * sum.x + sum.y * sum.y + sum.z * sum.z + sum.w * sum.w;
    return normalisedq(square > 1e-30 ? sum : first);
}

void sn__skin_bones(const SkinModel *m, const SkinPose *pose, SkinBone *out_bones) {
    for (int b = 0; b < m->rest.bone_count; ++b) {
        Quatd turn = mean_turn(m, pose->frames, b);
        double scale = (double)pose->scales[b];
        Vec3d rest = vec3d(m->rest.positions[b]);
        Vec3d columns[4] = {
            scaled(rotated(turn, (Vec3d){1.0, 0.0, 0.0}), scale),
            scaled(rotated(turn, (Vec3d){0.0, 1.0, 0.0}), scale),
            scaled(rotated(turn, (Vec3d){0.0, 0.0, 1.0}), scale),
            subd(vec3d(pose->positions[b]), scaled(rotated(turn, rest), scale)),
        };
        for (int c = 0; c < 4; ++c) {
            out_bones[b].column[c][0] = (float)columns[c].x;
            out_bones[b].column[c][1] = (float)columns[c].y;
            out_bones[b].column[c][2] = (float)columns[c].z;
            out_bones[b].column[c][3] = 0.0f;
        }
    }
}
