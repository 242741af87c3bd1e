// Meshes of muscles and bones on their way to a scene.
#pragma once

#include <sinew/fit.h>

typedef struct LimbPart {
    const char *path;
    char name[64]; // the file's, without folder and ending
    bool is_bone;
    SnMesh mesh; // as it was read
    SnViper muscle;
    SnBonePills bone;
    double seconds; // that the conversion took
} LimbPart;

typedef struct Limb {
    LimbPart *parts;
    int count;
    double scale; // metres per unit of the meshes
    bool z_is_up; // in the meshes; in scenes, y is
} Limb;

SnFitQuality limb_quality(const LimbPart *part);
const SnFitReport *limb_report(const LimbPart *part);

// A scene with the muscles' rods, skins and ends, and the bones as pills that stand still. Beside it a
// mesh is written for every skin, SCENE.NAME.obj, in metres.
SnResult limb_write_scene(const Limb *limb, const char *path);

// One row of pictures per part: the mesh and what was made of it.
SnResult limb_write_picture(const Limb *limb, const char *path);
