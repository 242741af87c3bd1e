// Characters made by code: skeletons with a skin and a clip, to try skins on.
#pragma once

#include "skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnCharacter {
    SN_CHARACTER_ARM, // along x: "upper arm", "forearm", "hand"; 2,172 vertices
    SN_CHARACTER_LEG, // down from the origin: "thigh", "shin", "foot"; 2,172 vertices
    // A person with arms half raised, y up, looking along z: "pelvis", "abdomen", "chest", "head", and
    // "upper arm", "forearm", "thigh" and "shin", each with " left" and " right"; about 19,300 vertices.
    SN_CHARACTER_FIGURE,
    SN_CHARACTER_COUNT,
} SnCharacter;

// "arm", "leg", "figure".
SN_API const char *sn_character_name(SnCharacter character);

// The clip "bend" of an arm or leg bends elbow or knee by 150° within a second, holds it for half a
// second and takes it back in another one; "shake" swings all of it by 25° at 2.5 Hz for two seconds. "jump"
// of a figure takes 1.6 s; "run" is a cycle of 0.7 s, on the spot. Lengths are those of a grown person, m.
// `allocator` may be NULL: malloc.
SN_API SnResult sn_character_skeleton(SnCharacter character, const SnAllocator *allocator,
                                      SnSkeleton **out_skeleton);

#ifdef __cplusplus
}
#endif
