// "marks" of a solid: points of its surface that can be held.
#pragma once

#include "io/scene_parts.h"
#include "io/tables.h"

// Sets mark_count of the body, whose shape and flesh are known. NULL if there are none, or after a complaint.
SceneMark *sn__read_marks(Reader *reader, const Json *list, SceneBody *body);
