// What a picture of a scene shows: bodies in their colours, what holds them and what they touch.
#pragma once

#include "app/actors.h"
#include "app/holders.h"
#include "app/moment.h"
#include "app/torn.h"
#include "view/renderer.h"

// Which skins are shown, in place of the rods below them, with the meshes of skeletons.
typedef enum StageSkins {
    STAGE_NO_SKINS,
    STAGE_ALL_SKINS,
    STAGE_INNER_SKINS, // without those that lie over others
} StageSkins;

// What to show of it.
typedef struct StageShow {
    StageSkins skins;
    bool pills;    // in place of skins and tubes: what the engine collides
    bool frames;   // of segments
    bool contacts; // of the last step
} StageShow;

typedef struct Stage {
    const SnScene *scene; // not owned
    ViewScene view;       // what the renderer draws
    ViewLook *looks;      // one per rod
    Holders holders;
    Actors actors;
    ViewSolid *solids;
    ViewMesh *meshes;
    Torn torn;
    ViewContact *contacts;
    int contact_capacity;
} Stage;

// `bounds` hold the whole motion, or are empty. Fine to end after a failure, too.
SnResult stage_begin(const SnScene *scene, const ViewBounds *bounds, Stage *out_stage);
void stage_end(Stage *stage);
// Sets the view to a moment, which must live until it is drawn.
SnResult stage_set(Stage *stage, const Moment *moment, const StageShow *show);

// What the scene says about its camera, and for the rest the framed one.
ViewCamera stage_camera(const SnScene *scene, const ViewCamera *framed, double time);

// A collider as the renderer draws it; false for a mesh, of which only pose and look are set.
bool stage_solid(const SnSceneCollider *collider, SnPose pose, ViewSolid *out_solid);

// Scenes keep linear light; the renderer takes sRGB.
void stage_srgb(SnColour colour, float out[3]);
