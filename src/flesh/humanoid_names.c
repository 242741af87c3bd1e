// Joints of humanoids by their names: "mixamorig:LeftForeArm", "J_Bip_L_LowerArm", "lowerarm01.L",
// "lradius", "DEF-forearm.L" and "forearm left" are the same one.
#include "flesh/humanoid.h"

#include <ctype.h>
#include <string.h>

#define MOST_NAME 96
#define MOST_WORDS 12

// A name in words: which side it tells, and what is left, in small letters without numbers.
typedef struct JointWords {
    int side; // 0: left, 1: right, −1: none
    char text[MOST_NAME];
} JointWords;

static bool is_any(const char *word, const char *const *list, int count) {
    for (int i = 0; i < count; ++i)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

// Words that rigs put around what a joint is.
static bool says_nothing(const char *word) {
    static const char *const words[] = {"mixamorig", "def",      "org",      "mch",  "bip",
                                        "j",         "c",        "cc",       "base", "bone",
                                        "jnt",       "joint",    "skeleton", "sk",   "bn",
                                        "b",         "armature", "char",     "rig",  "valvebiped"};
    return is_any(word, words, COUNT(words));
}

static void add_word(JointWords *out, const char *word) {
    static const char *const left[] = {"l", "left", "lf", "lft"};
    static const char *const right[] = {"r", "right", "rt", "rgt"};
    if (is_any(word, left, COUNT(left)))
        out->side = 0;
    else if (is_any(word, right, COUNT(right)))
        out->side = 1;
    else if (!says_nothing(word) && strlen(out->text) + strlen(word) < sizeof out->text)
        strcat(out->text, word);
}

// Words end where letters do, and where a small letter is followed by a capital one.
static JointWords split(const char *name) {
    JointWords out = {.side = -1};
    char word[MOST_NAME];
    size_t length = 0;
    const char *colon = strrchr(name, ':');
    for (const char *c = colon ? colon + 1 : name;; ++c) {
        bool capital = *c >= 'A' && *c <= 'Z';
        bool ends = !isalpha((unsigned char)*c) ||
                    (capital && length > 0 && !isupper((unsigned char)c[-1]));
        if (ends && length > 0) {
            word[length] = '\0';
            add_word(&out, word);
            length = 0;
        }
        if (*c == '\0')
            return out;
        if (isalpha((unsigned char)*c) && length < sizeof word - 1)
            word[length++] = (char)tolower((unsigned char)*c);
    }
}

// What each joint may be called, the surest first.
typedef struct Names {
    SnHumanJoint joint; // the left one
    const char *names[10];
} Names;

static const Names LIMBS[] = {
    {SN_HUMAN_UPPER_ARM_LEFT, {"upperarm", "uparm", "humerus", "armupper", "arm", "shoulder"}},
    {SN_HUMAN_FOREARM_LEFT, {"forearm", "lowerarm", "lowarm", "radius", "armlower", "elbow"}},
    {SN_HUMAN_HAND_LEFT, {"hand", "wrist", "palm"}},
    {SN_HUMAN_THIGH_LEFT, {"thigh", "upleg", "upperleg", "femur", "legupper", "hip"}},
    {SN_HUMAN_SHIN_LEFT,
     {"shin", "calf", "lowerleg", "lowleg", "tibia", "leglower", "knee", "leg"}},
    {SN_HUMAN_FOOT_LEFT, {"foot", "ankle"}},
};

// CMU has the side as a letter in front of the word.
static bool is_called(const JointWords *words, const char *name, int side) {
    if (words->side >= 0)
        return words->side == side && strcmp(words->text, name) == 0;
    return words->text[0] == (side == 0 ? 'l' : 'r') && strcmp(words->text + 1, name) == 0;
}

// Below a joint, if that is known: rigs have targets of the same names elsewhere.
static int find_limb(const SnSkeleton *skeleton, const char *name, int side, int above) {
    for (int i = 0; i < sn_skeleton_joint_count(skeleton); ++i) {
        JointWords words = split(sn_skeleton_joint(skeleton, i).name);
        if (is_called(&words, name, side) && (above < 0 || sn__is_below(skeleton, i, above)))
            return i;
    }
    return -1;
}

static int find_middle(const SnSkeleton *skeleton, const char *name) {
    for (int i = 0; i < sn_skeleton_joint_count(skeleton); ++i) {
        JointWords words = split(sn_skeleton_joint(skeleton, i).name);
        if (words.side < 0 && strcmp(words.text, name) == 0)
            return i;
    }
    return -1;
}

void sn__humanoid_by_names(const SnSkeleton *skeleton, int out[SN_HUMAN_JOINT_COUNT]) {
    for (int i = 0; i < SN_HUMAN_JOINT_COUNT; ++i)
        out[i] = -1;
    for (int k = 0; k < COUNT(LIMBS); ++k)
        for (int side = 0; side < 2; ++side) {
            int *joint = &out[(int)LIMBS[k].joint + side];
            int above = k % 3 > 0 ? joint[-2] : -1;
            for (int n = 0; *joint < 0 && LIMBS[k].names[n]; ++n)
                *joint = find_limb(skeleton, LIMBS[k].names[n], side, above);
        }
    static const char *const heads[] = {"neck", "lowerneck", "head"};
    for (int n = 0; n < COUNT(heads) && out[SN_HUMAN_HEAD] < 0; ++n)
        out[SN_HUMAN_HEAD] = find_middle(skeleton, heads[n]);
}
