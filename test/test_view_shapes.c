// Meshes, solids, creatures, flat rods, marks and axes in pictures.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "studio.h"
#include "view/overlay.h"
#include "view/pace.h"
#include "view/rods.h"
#include "view/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A cube of half a metre's half side, with eight shared vertices.
static const float cube_positions[] = {-0.5f, -0.5f, -0.5f, 0.5f,  -0.5f, -0.5f, 0.5f, 0.5f,
                                       -0.5f, -0.5f, 0.5f,  -0.5f, -0.5f, -0.5f, 0.5f, 0.5f,
                                       -0.5f, 0.5f,  0.5f,  0.5f,  0.5f,  -0.5f, 0.5f, 0.5f};
static const uint32_t cube_triangles[] = {4, 5, 6, 4, 6, 7, 1, 0, 3, 1, 3, 2, 0, 4, 7, 0, 7, 3,
                                          5, 1, 2, 5, 2, 6, 7, 6, 2, 7, 2, 3, 0, 1, 5, 0, 5, 4};

static ViewMesh cube(void) {
    return (ViewMesh){.vertex_count = 8,
                      .triangle_count = 12,
                      .positions = cube_positions,
                      .triangles = cube_triangles,
                      .pose = sn_pose_identity(),
                      .look = red};
}

static ViewImage render_mesh(Studio *studio, const ViewMesh *mesh) {
    ViewScene scene = empty_scene();
    scene.meshes = mesh;
    scene.mesh_count = 1;
    return render(studio, &scene, &front);
}

static void mesh_is_where_it_should_be(void **state) {
    ViewMesh mesh = cube();
    ViewImage image = render_mesh(*state, &mesh);
    // Its front is half a metre nearer than the origin: 51.9 pixels to a metre.
    double expected = 51.9 * 51.9;
    assert_in_range(red_count(&image), (int)(0.95 * expected), (int)(1.05 * expected));
    assert_true(is_red(pixel(&image, 160 - 24, 90 - 24)));
    assert_false(is_red(pixel(&image, 160 - 29, 90)));
    view_image_release(&image);
}

static void mesh_follows_its_pose(void **state) {
    ViewMesh mesh = cube();
    mesh.pose.position = sn_vec3(1.0f, 0.0f, 0.0f);
    ViewImage image = render_mesh(*state, &mesh);
    assert_true(is_red(pixel(&image, 160 + 50, 90)));
    assert_false(is_red(pixel(&image, 160, 90)));
    view_image_release(&image);
    // An eighth of a turn about the view's axis: a corner is at the top.
    mesh.pose = (SnPose){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.38268343f, 0.92387953f}};
    image = render_mesh(*state, &mesh);
    assert_true(is_red(pixel(&image, 160, 90 - 33)));
    assert_false(is_red(pixel(&image, 160 + 24, 90 + 24)));
    view_image_release(&image);
}

// Light comes from above and the left: what looks there is the brightest, from whichever side it is
// seen, and whether or not normals are given.
static void mesh_is_lit_from_outside_and_inside(void **state) {
    // One triangle that looks at the camera, and the same from behind.
    const float slope[] = {-1.0f, -1.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    const float towards[] = {0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f};
    const uint32_t facing[] = {0, 1, 2};
    const float away[] = {0.0f, 0.0f, -1.0f, 0.0f, 0.0f, -1.0f, 0.0f, 0.0f, -1.0f};
    const uint32_t turned[] = {0, 2, 1};
    ViewMesh mesh = {.vertex_count = 3,
                     .triangle_count = 1,
                     .positions = slope,
                     .normals = towards,
                     .triangles = facing,
                     .pose = sn_pose_identity(),
                     .look = red};
    ViewImage front_side = render_mesh(*state, &mesh);
    mesh.normals = away;
    mesh.triangles = turned;
    ViewImage back_side = render_mesh(*state, &mesh);
    mesh.normals = NULL;
    ViewImage computed = render_mesh(*state, &mesh);
    int bright = pixel(&front_side, 160, 100)[0];
    assert_true(bright > 120);
    assert_true(abs(pixel(&back_side, 160, 100)[0] - bright) <= 3);
    assert_true(abs(pixel(&computed, 160, 100)[0] - bright) <= 3);
    view_image_release(&front_side);
    view_image_release(&back_side);
    view_image_release(&computed);
}

// Triangles are kept on the card from picture to picture; other ones must still be seen.
// A green cube in front of a red one: the clearer it is, the more red and the less green is seen.
static void clear_meshes_show_what_is_behind(void **state) {
    ViewMesh meshes[2] = {cube(), cube()};
    meshes[0].pose.position = sn_vec3(0.0f, 0.0f, 1.2f);
    meshes[0].look = (ViewLook){.colour = {0.05f, 0.9f, 0.05f}};
    ViewScene scene = empty_scene();
    scene.meshes = meshes;
    scene.mesh_count = 2;
    int red_before = 0, green_before = 255;
    for (int quarters = 0; quarters < 4; ++quarters) {
        meshes[0].look.clear = 0.25f * (float)quarters;
        ViewImage image = render(*state, &scene, &front);
        const uint8_t *p = pixel(&image, 160, 90);
        assert_true(p[0] > red_before && p[1] < green_before);
        red_before = p[0] + (quarters > 0 ? 10 : 0);
        green_before = p[1] - (quarters > 0 ? 10 : 0);
        view_image_release(&image);
    }
    assert_true(red_before > green_before);
}

static void changed_triangles_are_seen(void **state) {
    uint32_t triangles[6];
    memcpy(triangles, cube_triangles, sizeof triangles); // the front
    ViewMesh mesh = cube();
    mesh.triangles = triangles;
    mesh.triangle_count = 2;
    ViewImage whole = render_mesh(*state, &mesh);
    memcpy(triangles, triangles + 3, 3 * sizeof triangles[0]); // the upper left half, twice
    ViewImage half = render_mesh(*state, &mesh);
    assert_true(is_red(pixel(&whole, 160 + 15, 90 + 15)));
    assert_false(is_red(pixel(&half, 160 + 15, 90 + 15)));
    assert_true(is_red(pixel(&half, 160 - 15, 90 - 15)));
    view_image_release(&whole);
    view_image_release(&half);
}

static void bad_meshes_are_left_out(void **state) {
    Studio *studio = *state;
    float broken[24];
    memcpy(broken, cube_positions, sizeof broken);
    broken[7] = NAN;
    uint32_t far_triangles[36];
    memcpy(far_triangles, cube_triangles, sizeof far_triangles);
    far_triangles[20] = 8;
    ViewMesh meshes[4] = {cube(), cube(), cube(), cube()};
    meshes[0].positions = broken;
    meshes[1].triangles = far_triangles;
    meshes[2].pose.rotation = (SnQuat){0.0f, 0.0f, 0.0f, 0.0f};
    meshes[3].triangle_count = 0;
    ViewScene scene = empty_scene();
    scene.meshes = meshes;
    scene.mesh_count = 4;
    ViewImage image = render(studio, &scene, &front);
    assert_int_equal(red_count(&image), 0);
    assert_int_equal(view_renderer_stats(studio->renderer).skipped_meshes, 4);
    view_image_release(&image);
    // A good one among them is drawn.
    meshes[1] = cube();
    image = render(studio, &scene, &front);
    assert_true(red_count(&image) > 2000);
    assert_int_equal(view_renderer_stats(studio->renderer).skipped_meshes, 3);
    view_image_release(&image);
}

static ViewImage render_solid(Studio *studio, ViewSolid solid) {
    ViewScene scene = empty_scene();
    solid.look = red;
    scene.solids = &solid;
    scene.solid_count = 1;
    return render(studio, &scene, &front);
}

static void solids_have_their_sizes(void **state) {
    const SnPose here = sn_pose_identity();
    ViewImage image = render_solid(
        *state, (ViewSolid){.kind = VIEW_SOLID_BOX, .pose = here, .half_size = {1.0f, 0.5f, 0.1f}});
    double expected = 2.0 * 1.0 * 48.4 * 48.4;
    assert_in_range(red_count(&image), (int)(0.95 * expected), (int)(1.05 * expected));
    view_image_release(&image);

    image = render_solid(
        *state,
        (ViewSolid){.kind = VIEW_SOLID_PILL, .pose = here, .radius_a = 0.5f, .radius_b = 0.5f});
    expected = 3.14159 * 0.25 * 47.6 * 47.6;
    assert_in_range(red_count(&image), (int)(0.92 * expected), (int)(1.05 * expected));
    view_image_release(&image);

    // Spheres of 0.5 and 0.25 m, 1 m apart, meet their common tangents at the latitude θ with
    // sin θ = 1/4. The outline holds two sectors and, on each side, a trapezium of radii and a
    // tangent of length cos θ.
    image = render_solid(*state, (ViewSolid){.kind = VIEW_SOLID_PILL,
                                             .pose = here,
                                             .a = {-0.5f, 0.0f, 0.0f},
                                             .b = {0.5f, 0.0f, 0.0f},
                                             .radius_a = 0.5f,
                                             .radius_b = 0.25f});
    double theta = asin(0.25), pi = 3.14159265;
    double area = (pi / 2 + theta) * 0.25 + (pi / 2 - theta) * 0.0625 + 0.75 * cos(theta);
    expected = area * 47.6 * 47.6;
    assert_in_range(red_count(&image), (int)(0.95 * expected), (int)(1.05 * expected));
    view_image_release(&image);

    // A sphere inside the other is not seen.
    image = render_solid(*state, (ViewSolid){.kind = VIEW_SOLID_PILL,
                                             .pose = here,
                                             .b = {0.1f, 0.0f, 0.0f},
                                             .radius_a = 0.1f,
                                             .radius_b = 0.5f});
    expected = 3.14159 * 0.25 * 47.6 * 47.6;
    assert_in_range(red_count(&image), (int)(0.92 * expected), (int)(1.05 * expected));
    assert_true(is_red(pixel(&image, 160 + 27, 90)));
    view_image_release(&image);
}

// From above one sees a plane; from below what is on it.
static void planes_are_seen_from_above(void **state) {
    // Its normal leans towards the camera.
    ViewSolid plane = {.kind = VIEW_SOLID_PLANE,
                       .pose = {{0.0f, -0.5f, 0.0f}, {0.25881905f, 0.0f, 0.0f, 0.96592583f}}};
    ViewImage image = render_solid(*state, plane);
    assert_true(red_count(&image) > 1000);
    view_image_release(&image);
    plane.pose.rotation.x = -plane.pose.rotation.x;
    plane.pose.rotation.w = -plane.pose.rotation.w;
    ViewCamera below = {{0.0f, -6.0f, 0.1f}, {0.0f, 0.0f, 0.0f}, 35.0f};
    ViewScene scene = empty_scene();
    plane.look = red;
    scene.solids = &plane;
    scene.solid_count = 1;
    image = render(*state, &scene, &below);
    assert_int_equal(red_count(&image), 0);
    view_image_release(&image);
}

static void bad_solids_are_left_out(void **state) {
    const SnPose here = sn_pose_identity(), nowhere = {{NAN, 0.0f, 0.0f}, {0, 0, 0, 1.0f}};
    const ViewSolid bad[] = {
        {.kind = VIEW_SOLID_BOX, .pose = nowhere, .half_size = {1.0f, 1.0f, 1.0f}},
        {.kind = VIEW_SOLID_BOX, .pose = here, .half_size = {1.0f, -1.0f, 1.0f}},
        {.kind = VIEW_SOLID_PILL, .pose = here, .radius_a = NAN, .radius_b = 1.0f},
        {.kind = VIEW_SOLID_PILL, .pose = here, .radius_a = 1.0f, .radius_b = 0.0f},
        {.kind = VIEW_SOLID_PLANE, .pose = {{0, 0, 0}, {0, 0, 0, 0}}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        ViewImage image = render_solid(*state, bad[i]);
        assert_int_equal(red_count(&image), 0);
        view_image_release(&image);
    }
}

static void creatures_are_pills(void **state) {
    ViewScene scene = star();
    ViewImage image = render(*state, &scene, &front);
    assert_true(is_red(pixel(&image, 160 + 45, 90)));
    assert_true(is_red(pixel(&image, 160 - 45, 90)));
    assert_true(is_red(pixel(&image, 160, 90 - 45)));
    assert_false(is_red(pixel(&image, 160, 90 + 20)));
    view_image_release(&image);
    // Under a skin it is not seen.
    const bool hidden[] = {true};
    scene.rods.hidden = hidden;
    image = render(*state, &scene, &front);
    assert_int_equal(red_count(&image), 0);
    view_image_release(&image);
    // A vertex that is not there.
    Studio *studio = *state;
    const int wrong[] = {0, 1, 0, 2, 0, 4};
    scene = star();
    scene.rods.edges = wrong;
    image = render(studio, &scene, &front);
    assert_int_equal(red_count(&image), 0);
    assert_int_equal(view_renderer_stats(studio->renderer).skipped_rods, 1);
    view_image_release(&image);
}

// A chain that says so is a tube like any other.
static void chains_with_edges_are_tubes(void **state) {
    const int chain[] = {0, 1, 1, 2, 2, 3};
    ViewScene scene = star();
    scene.rods.edges = NULL;
    ViewImage plain = render(*state, &scene, &front);
    scene.rods.edges = chain;
    ViewImage told = render(*state, &scene, &front);
    assert_memory_equal(plain.pixels, told.pixels, 3 * WIDTH * HEIGHT);
    scene.rods.as_pills = true;
    ViewImage pills = render(*state, &scene, &front);
    assert_memory_not_equal(plain.pixels, pills.pixels, 3 * WIDTH * HEIGHT);
    view_image_release(&plain);
    view_image_release(&told);
    view_image_release(&pills);
}

// The second half of a list of vertices, with triangles that count from its start.
static void parts_of_meshes_are_drawn(void **state) {
    float positions[48];
    uint32_t triangles[36];
    for (int i = 0; i < 24; ++i) {
        positions[i] = 7.0f;
        positions[24 + i] = cube_positions[i];
    }
    for (int i = 0; i < 36; ++i)
        triangles[i] = 8 + cube_triangles[i];
    ViewMesh whole = cube(), part = cube();
    part.positions = positions + 24;
    part.triangles = triangles;
    part.first_vertex = 8;
    ViewImage a = render_mesh(*state, &whole), b = render_mesh(*state, &part);
    assert_memory_equal(a.pixels, b.pixels, 3 * WIDTH * HEIGHT);
    view_image_release(&a);
    view_image_release(&b);
    part.first_vertex = 9; // now the first index is before the part
    Studio *studio = *state;
    b = render_mesh(studio, &part);
    assert_int_equal(red_count(&b), 0);
    view_image_release(&b);
}

// A rod along x whose frames have their first axis along y.
static const float flat_positions[] = {-1.0f, 0, 0, 0, 0, 0, 1.0f, 0, 0};
static const float flat_frames[] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
static const int flat_vertices[] = {0, 3}, flat_segments[] = {0, 2};

static ViewScene flat_rod(const ViewLook *look) {
    ViewScene scene = empty_scene();
    scene.rods = (ViewRods){.count = 1,
                            .vertex_begin = flat_vertices,
                            .segment_begin = flat_segments,
                            .positions = flat_positions,
                            .radii = star_radii,
                            .frames = flat_frames,
                            .looks = look};
    return scene;
}

static void flat_rods_are_flat(void **state) {
    ViewLook wide = red, thin = red;
    wide.section[0] = thin.section[1] = 2.0f;
    wide.section[1] = thin.section[0] = 0.25f;
    ViewScene scene = flat_rod(&wide);
    ViewImage image = render(*state, &scene, &front);
    assert_true(is_red(pixel(&image, 160, 90 - 16))); // 0.4 m are 19 pixels
    assert_false(is_red(pixel(&image, 160, 90 - 22)));
    view_image_release(&image);
    scene = flat_rod(&thin);
    image = render(*state, &scene, &front);
    assert_true(is_red(pixel(&image, 160, 90)));
    assert_false(is_red(pixel(&image, 160, 90 - 5)));
    view_image_release(&image);
}

// The second segment broke off: it is a quarter of a metre long.
// A fork of one segment to each side, whose branches are as flat as a chain's.
static void flat_forks_are_flat(void **state) {
    (void)state;
    static const float positions[] = {0, 0, 0, -1, 0, 0, 1, 0, 0}, radii[] = {0.1f, 0.1f, 0.1f};
    static const int vertices[] = {0, 3}, segments[] = {0, 2}, edges[] = {0, 1, 0, 2};
    const float half = 0.70710678f; // the third axis along x, the first one down or up
    const float frames[] = {0, -half, 0, half, 0, half, 0, half};
    ViewTriangles triangles = {0};
    ViewDetail detail = {sn_vec3(0, 0, 5), 500.0f, 1.0f};
    for (int flat = 0; flat < 2; ++flat) {
        ViewLook look = view_palette(0);
        look.section[0] = flat ? 3.0f : 0.0f;
        look.section[1] = flat ? 0.5f : 0.0f;
        ViewRods rods = {.count = 1,
                         .vertex_begin = vertices,
                         .segment_begin = segments,
                         .positions = positions,
                         .radii = radii,
                         .frames = frames,
                         .looks = &look,
                         .edges = edges};
        ViewRodsDrawn drawn;
        view_triangles_clear(&triangles, sn_vec3(0, 0, 0));
        assert_int_equal(view_rods_add(&triangles, &rods, detail, &drawn).code, SN_OK);
        float across[3] = {0, 0, 0};
        for (size_t i = 0; i < triangles.vertex_count; ++i)
            for (int c = 1; c < 3; ++c)
                across[c] = fmaxf(across[c], fabsf(triangles.vertices[i].position[c]));
        assert_true(fabsf(across[1] - (flat ? 0.05f : 0.1f)) < 0.01f);
        assert_true(fabsf(across[2] - (flat ? 0.3f : 0.1f)) < 0.01f);
    }
    view_triangles_release(&triangles);
}

static void torn_segments_keep_their_length(void **state) {
    ViewScene scene = flat_rod(&red);
    SnVec3 tip = view_load(scene.rods.positions + 6);
    const SnTornEnd torn = {0, 1, 0, {tip.x - 0.25f, tip.y, tip.z}, scene.rods.radii[1]};
    scene.rods.torn = &torn;
    scene.rods.torn_count = 1;
    ViewImage image = render(*state, &scene, &front);
    assert_true(is_red(pixel(&image, 160 - 24, 90)));
    assert_true(is_red(pixel(&image, 160 + 42, 90)));
    assert_false(is_red(pixel(&image, 160 + 18, 90)));
    view_image_release(&image);
}

static bool is_yellow(const uint8_t *p) { return p[0] > 110 && p[1] > 80 && p[2] < 60; }

// How far up from the middle of the picture there is yellow around a column.
static int yellow_height(const ViewImage *image, int column) {
    for (int y = 20; y < 90; ++y)
        for (int x = column - 2; x <= column + 2; ++x)
            if (is_yellow(pixel(image, x, y)))
                return 90 - y;
    return 0;
}

// A contact behind a box is seen through it, and a larger impulse has a longer arrow.
static void marks_are_seen_through_everything(void **state) {
    ViewScene scene = star();
    ViewSolid box = {.kind = VIEW_SOLID_BOX,
                     .pose = {{0.0f, 0.0f, 2.0f}, {0, 0, 0, 1.0f}},
                     .half_size = {2.0f, 1.0f, 0.1f},
                     .look = red};
    scene.solids = &box;
    scene.solid_count = 1;
    ViewContact contacts[2] = {{{-0.6f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, 4.0f},
                               {{0.6f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, 0.25f}};
    scene.contacts = contacts;
    scene.contact_count = 2;
    ViewImage image = render(*state, &scene, &front);
    int strong = yellow_height(&image, 160 - 29), weak = yellow_height(&image, 160 + 29);
    assert_true(weak >= 3);
    assert_in_range(strong, weak + 8, 40);
    view_image_release(&image);
    contacts[0].position.x = NAN;
    contacts[1].normal = sn_vec3(0.0f, 0.0f, 0.0f);
    image = render(*state, &scene, &front);
    assert_int_equal(yellow_height(&image, 160 + 29), 0);
    view_image_release(&image);
}

static void frames_point_along_their_axes(void **state) {
    const float h = 0.70710678f;
    // Third axes along the segments: +x, −x and +y.
    const float frames[] = {0, h, 0, h, 0, -h, 0, h, -h, 0, 0, h};
    ViewScene scene = star();
    ViewLook white = {.colour = {0.9f, 0.9f, 0.9f}};
    scene.rods.looks = &white;
    scene.rods.frames = frames;
    scene.rods.show_frames = true;
    ViewImage image = render(*state, &scene, &front);
    int blue = 0; // the third axis of the first segment starts at x = 0.5 m and goes on for 0.45 m
    for (int x = 160 + 26; x < 160 + 40; ++x)
        for (int y = 87; y <= 93; ++y) {
            const uint8_t *p = pixel(&image, x, y);
            blue += p[2] > 100 && p[2] > p[0] + 50;
        }
    assert_true(blue > 10);
    view_image_release(&image);
}

// Things far away neither darken the picture nor blur its shadows.
static void scenery_does_not_spoil_shadows(void **state) {
    ViewScene scene = star();
    scene.has_ground = true;
    scene.ground_height = -0.5f;
    ViewCamera above = {{0.0f, 5.0f, 4.0f}, {0.0f, 0.0f, 0.0f}, 35.0f};
    ViewImage near_only = render(*state, &scene, &above);
    ViewSolid ball = {.kind = VIEW_SOLID_PILL,
                      .pose = {{0.0f, 0.0f, -5000.0f}, {0, 0, 0, 1.0f}},
                      .radius_a = 100.0f,
                      .radius_b = 100.0f,
                      .look = red};
    scene.solids = &ball;
    scene.solid_count = 1;
    ViewImage with_ball = render(*state, &scene, &above);
    int different = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; ++i)
        different += abs(near_only.pixels[i] - with_ball.pixels[i]) > 25;
    assert_true(different < 3 * WIDTH * HEIGHT / 100);
    view_image_release(&near_only);
    view_image_release(&with_ball);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_is_where_it_should_be),
        cmocka_unit_test(mesh_follows_its_pose),
        cmocka_unit_test(mesh_is_lit_from_outside_and_inside),
        cmocka_unit_test(clear_meshes_show_what_is_behind),
        cmocka_unit_test(changed_triangles_are_seen),
        cmocka_unit_test(bad_meshes_are_left_out),
        cmocka_unit_test(solids_have_their_sizes),
        cmocka_unit_test(planes_are_seen_from_above),
        cmocka_unit_test(bad_solids_are_left_out),
        cmocka_unit_test(creatures_are_pills),
        cmocka_unit_test(chains_with_edges_are_tubes),
        cmocka_unit_test(parts_of_meshes_are_drawn),
        cmocka_unit_test(flat_rods_are_flat),
        cmocka_unit_test(flat_forks_are_flat),
        cmocka_unit_test(torn_segments_keep_their_length),
        cmocka_unit_test(marks_are_seen_through_everything),
        cmocka_unit_test(frames_point_along_their_axes),
        cmocka_unit_test(scenery_does_not_spoil_shadows),
    };
    return cmocka_run_group_tests(tests, open_studio, close_studio);
}
