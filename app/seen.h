// What a camera that nobody placed has to show beside the points of bodies: what holds them, their skins,
// the colliders near them, and the ground that they may fall on.
#pragma once

#include <sinew/scene.h>

#include "view/bounds.h"
#include "view/scene.h"

// The points of all bodies with their radii, wider where they are not round.
void seen_add_bodies(const SnScene *scene, const SnPoses *poses, ViewBounds *bounds);
// What holds them, where it is placed.
void seen_add_pegs(const ViewPeg *pegs, int count, ViewBounds *bounds);
// Vertices of skins, x y z each; of many, some.
void seen_add_surface(const float *positions, int count, ViewBounds *bounds);
// All skins as they are now.
SnResult seen_add_skins(SnWorld *world, ViewBounds *bounds);
// Visible colliders, as far as they are near what the bounds already hold, and the ground below it.
void seen_add_scenery(const SnScene *scene, const SnWorld *world, ViewBounds *bounds);
