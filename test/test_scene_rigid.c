// Scene files with rigid bodies: what is said about those that cannot be.
#include "scene_kit.h"

#define BALL(rest) "{'name':'ball','parts':[{'centre':[0,0,0],'radius':0.1}]" rest "}"
#define PILL(rest) "{'name':'pill','parts':[{'from':[0,0,0],'to':[1,0,0],'radius':0.1}]" rest "}"
#define RIGID(body) "{'version':1,'rigid':[" body "]}"
#define WITH(body, rest) "{'version':1,'rigid':[" body "]," rest "}"
#define PART(rest) RIGID("{'parts':[{" rest "}]}")

static void errors_name_path_and_value(void **state) {
    (void)state;
    static const Bad cases[] = {
        {RIGID("{'parts':[]}"), "/rigid/0/parts: 0 parts are not in [1, 4096]"},
        {PART("'centre':[0,0,0],'radius':2e4"),
         "/rigid/0/parts/0/radius: 20000 is not in [0.00001, 10000]"},
        {PART("'centre':[0,0,0],'radius':1e-6"), "/radius: 1e-6 is not in [0.00001, 10000]"},
        {PART("'from':[0,0,0],'to':[1,0,0],'radius':{'from':1,'to':2e4}"),
         "/rigid/0/parts/0/radius/to: 20000 is not in [0.00001, 10000]"},
        {PART("'from':[1,0,0],'to':[1,0,0],'radius':1"),
         "/rigid/0/parts/0: both ends are the same point; a sphere has a \"centre\""},
        {PART("'box':[1,1,1],'radius':1"),
         "unknown key \"box\"; there are: centre, from, to, radius, density"},
        {RIGID(BALL(",'attach':[{'vertex':1}]")),
         "/vertex: there is no vertex 1: the rigid body has 1, counted from 0"},
        {PART("'centre':[0,2e4,0],'radius':1"), "/parts/0/centre/1: 20000 is not in [-10000, "},
        {RIGID(BALL(",'velocity':[0,0,2e4]")), "/rigid/0/velocity/2: 20000 is not in [-10000, "},
        {RIGID(BALL(",'angular_velocity':[2e5,0,0]")),
         "/rigid/0/angular_velocity/0: 200000 is not in [-100000, 100000]"},
        {RIGID(PILL(",'attach':[{'clamp':'first'}]")),
         "/rigid/0/attach/0/clamp: this rigid body is no chain and has no first end to clamp; "
         "use vertex and segment"},
        {RIGID(BALL(",'attach':[{'scale':0}]")), "/scale: a rigid body has no scale to hold"},
        {RIGID(BALL(",'stiff':true")),
         "/rigid/0/stiff: unknown key \"stiff\"; there are: parts, mass, name, material, position, "
         "rotation, origin, copies, velocity, angular_velocity, burst, gravity_scale, surface, "
         "filter, collide, colour, …"},
        {WITH(BALL(""), "'ignore':[['ball','ball']]"),
         "/ignore/0: a rigid body does not touch itself anyway"},
        {WITH(BALL(",'copies':{'count':[2,1,1],'spacing':[1,1,1]}"), "'ignore':[['ball','ball']]"),
         "/ignore/0: copies of one entry that pass through each other have a \"filter\""},
        {WITH(BALL(""), "'animation':[{'target':'/rigid/bull/gravity_scale','keys':[[0,1]]}]"),
         "/animation/0/target: there is no rigid body \"bull\"; there is one"},
        {WITH(BALL(""), "'links':[{'a':{'rod':'bull','vertex':0}}]"),
         "/links/0/a/rod: unknown body \"bull\"; did you mean \"ball\"?"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

// However long the name of the file is, a list of keys ends with a whole one and "…".
static void lists_are_cut_between_names(void **state) {
    (void)state;
    char *text = quoted(RIGID(BALL(",'stiff':true")));
    for (int length = 1; length < 230; ++length) {
        char name[256];
        memset(name, 'f', sizeof name);
        name[length] = '\0';
        SnScene *scene;
        SnResult result = sn_scene_load_text(name, text, strlen(text), &scene, NULL);
        const char *list = strstr(result.message, "there are: "), *end = result.message;
        end += strlen(end);
        if (list == NULL || strlen(list) < strlen("there are: …"))
            continue; // no room for a list
        assert_string_equal(end - strlen("…"), "…");
        if (end - strlen("…") == list + strlen("there are: "))
            continue; // no room for a name
        const char *last = end - strlen(", …"), *first = last;
        assert_memory_equal(last, ", ", 2);
        while (first[-1] != ' ')
            --first;
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)(last - first), first);
        assert_non_null(sn__key_find(&sn__kind_rigid.table, key));
    }
    free(text);
}

// Scenes that load, and what is said when they are built.
static void the_engine_says_where(void **state) {
    (void)state;
    static const Bad cases[] = {
        {WITH(PILL(""), "'links':[{'a':{'rod':'pill','vertex':0},'b':{'rod':'pill','vertex':1}}]"),
         "t.json:1: /links/0: link: a and b are points of the same rigid body"},
        {"{'version':1,'rods':[{" LINE ",'classic':true,'attach':[{'scale':1}]}]}",
         "t.json:1: /rods/0: attachment: this rod has no scale to hold"},
        {WITH(BALL(",'position':[2e9,0,0]"), "'world':{}"), "t.json:1: /rigid/0: ball: pose: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        SnScene *scene = load_quoted(cases[i].text);
        SnWorldDef def = sn_default_world_def();
        SnWorld *world;
        SnResult result = sn_scene_build(scene, &def, &world);
        assert_null(world);
        if (strstr(result.message, cases[i].message) == NULL)
            fail_msg("%s\ngave \"%s\", not \"%s\"", cases[i].text, result.message,
                     cases[i].message);
        sn_scene_destroy(scene);
    }
}

static void animation_says_where(void **state) {
    (void)state;
    SnScene *scene = load_quoted(WITH(BALL(",'attach':[{'vertex':0,'position':[0,0,0]}]"),
                                      "'animation':[{'target':'/rigid/0/attach/0/position/0',"
                                      "'keys':[[0,0],[1,2e9]]}]"));
    SnWorld *world = build(scene);
    SnResult result = sn_scene_animate(scene, world, 1, 0.1);
    assert_int_equal(result.code, SN_ERROR_INVALID);
    assert_non_null(strstr(result.message, "t.json:1: /rigid/0: attachment: its position"));
    destroy(scene, world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_path_and_value),
        cmocka_unit_test(lists_are_cut_between_names),
        cmocka_unit_test(the_engine_says_where),
        cmocka_unit_test(animation_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
