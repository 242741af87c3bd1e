// Elements of rods that are held and led: part of the row of rods, as body/kind.h has it.
#pragma once

#include "rod/rods.h"

bool sn__rod_is_held(const Body *body, int held, int index);
HeldPose sn__rod_held_pose(const Body *body, int index);
int sn__rod_hold(Body *body, int held, int index, uint32_t owner, const HeldPose *pose);
uint32_t sn__rod_release(Body *body, int held, int index, int lead);
void sn__rod_lead(Body *body, int index, int lead, const HeldPath *path);
void sn__rod_settle(Body *body, int lead);
void sn__rod_jump(Body *body, int index, int lead, const HeldPose *pose);
uint32_t sn__rod_lead_owner(const Body *body, int lead);
