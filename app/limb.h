// Meshes of muscles and bones on their way to a scene.
#pragma once

#include "io/painted_mesh.h"

#include <sinew/fit.h>

typedef struct LimbPart {
    char label[256]; // where it comes from, for messages: "arm.glb: biceps"
    char name[64];   // the file's without folder and ending, or the node's; each is there only once
    bool is_bone;
    PaintedMesh from; // as it was read
    SnViper muscle;
    SnBonePills bone;
    double seconds; // that the conversion took
} LimbPart;

typedef struct Limb {
    LimbPart *parts;
    int count;
    double scale;           // metres per unit of the meshes
    bool z_is_up;           // in the meshes; in scenes, y is
    const char *holders[2]; // bones that hold sources and sinks, with commas; NULL: the nearest
} Limb;

void limb_release(Limb *limb);

SnFitQuality limb_quality(const LimbPart *part);
const SnFitReport *limb_report(const LimbPart *part);

// Metres per unit: what is asked for or, for 0, a guess from the size of all meshes, which is said.
double limb_scale(const Limb *limb, double wanted, bool quiet);

// A scene with the muscles' rods, skins and ends, and the bones as pills that stand still. Beside it a
// mesh is written for every skin, SCENE.NAME.obj, in metres.
SnResult limb_write_scene(const Limb *limb, const char *path);

// One row of pictures per part: the mesh and what was made of it.
SnResult limb_write_picture(const Limb *limb, const char *path);

// What was done, in words or as JSON, on stdout.
void limb_print(const LimbPart *part);
void limb_print_json(const Limb *limb);
