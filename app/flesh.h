// A character on its way to a scene in which its skin is an implicit one.
#pragma once

#include <sinew/flesh.h>

typedef struct Flesh {
    const char *path;
    const char *model; // NULL: it is from a file
    SnSkeleton *skeleton;
    SnImplicit *skin;
    int clip;       // −1: none
    double seconds; // that fitting took
    bool humanoid;
    int joints[SN_HUMAN_JOINT_COUNT]; // of a humanoid
    SnVec3 *places;                   // of all joints at rest, where there are muscles; else NULL
    SnFleshMuscle *muscles;
    int muscle_count;
} Flesh;

// flesh_muscles.c: places muscles as the option says: "humanoid", or "along:JOINT,JOINT…". False after a
// complaint.
bool flesh_place_muscles(Flesh *flesh, const char *preset);
// flesh_scene.c
SnResult flesh_write_scene(const Flesh *flesh, const char *path);
