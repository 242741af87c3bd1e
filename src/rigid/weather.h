#pragma once

#include "rigid/rigid.h"

// Adds the drag of the air to the loads of the step.
void sn__rigid_feel_air(Rigid *rigid, const BodyStep *step);
