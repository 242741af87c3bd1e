#include "skeleton/model_character.h"

#include "base/null.h"

const char *sn_character_name(SnCharacter character) {
    static const char *const names[SN_CHARACTER_COUNT] = {"arm", "leg", "figure"};
    return character >= 0 && character < SN_CHARACTER_COUNT ? names[character] : "";
}

SnResult sn_character_skeleton(SnCharacter character, const SnAllocator *allocator,
                               SnSkeleton **out_skeleton) {
    if (out_skeleton == NULL)
        return sn__null("character: out_skeleton");
    if (character < 0 || character >= SN_CHARACTER_COUNT)
        return sn_error(SN_ERROR_INVALID, "character: there is no character %d", (int)character);
    SnAllocator own = allocator ? *allocator : sn__default_allocator();
    return character == SN_CHARACTER_FIGURE ? sn__figure_skeleton(&own, out_skeleton)
                                            : sn__limb_skeleton(character, &own, out_skeleton);
}
