// Sinew: a real-time physics engine for things that are long, soft and alive.
//
//     SnWorldDef def = sn_default_world_def();
//     SnWorld *world;
//     sn_world_create(&def, &world);
//     … sn_rod_create …
//     sn_world_step(world, 1.0f / 60.0f, 8, 1);
#pragma once

#include "base.h"
#include "body.h"
#include "character_model.h"
#include "collider.h"
#include "contact.h"
#include "draw.h"
#include "field.h"
#include "fit.h"
#include "flesh.h"
#include "frame.h"
#include "hinge.h"
#include "implicit.h"
#include "interpolate.h"
#include "link.h"
#include "math.h"
#include "model.h"
#include "muscle.h"
#include "muscle_field.h"
#include "muscle_model.h"
#include "particles.h"
#include "query.h"
#include "rig.h"
#include "rigid.h"
#include "rod.h"
#include "skeleton.h"
#include "skin.h"
#include "solid.h"
#include "solid_model.h"
#include "tree_model.h"
#include "world.h"
