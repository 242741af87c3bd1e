// Meshes of other formats, as the program reads them; the files are made here.
#include "support.h"

#include "app/mesh_import.h"
#include "folder.h"
#include "math/vec.h"

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"a.obj", "a.OBJ", "a.stl", "a.ply", "a.xyz"};
    for (int i = 0; i < 5; ++i)
        remove(path_of(names[i]));
    return rmdir(folder);
}

// A tetrahedron of volume 1/6, as files say it.
static const float CORNERS[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int FACES[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

// A closed tetrahedron of 4 vertices that faces out.
static void assert_tetrahedron(const char *name) {
    SnMesh mesh;
    assert_ok(mesh_import(path_of(name), &mesh));
    assert_int_equal(mesh.triangle_count, 4);
    assert_int_equal(mesh.vertex_count, 4);
    double volume = 0.0;
    for (int t = 0; t < 4; ++t) {
        const uint32_t *c = mesh.triangles + 3 * t;
        Vec3d a = vec3d(mesh.positions[c[0]]);
        volume += dotd(a, crossd(vec3d(mesh.positions[c[1]]), vec3d(mesh.positions[c[2]]))) / 6.0;
    }
    assert_near(volume, 1.0 / 6.0, 1e-6);
    // At the origin the three faces there push the normal out along the diagonal.
    for (int i = 0; i < mesh.vertex_count; ++i)
        if (mesh.positions[i].x == 0.0f && mesh.positions[i].y == 0.0f &&
            mesh.positions[i].z == 0.0f)
            assert_near(mesh.normals[i].x, -0.57735, 1e-4);
    sn_mesh_destroy(&mesh);
    assert_null(mesh.positions);
}

static void reads_obj(void **state) {
    (void)state;
    char text[1024] = "# with normals that differ from face to face\n";
    for (int i = 0; i < 4; ++i)
        sprintf(text + strlen(text), "v %g %g %g\nvn %d 0 1\n", (double)CORNERS[i][0],
                (double)CORNERS[i][1], (double)CORNERS[i][2], i);
    for (int f = 0; f < 4; ++f)
        sprintf(text + strlen(text), "f %d//%d %d//%d %d//%d\n", FACES[f][0] + 1, f + 1,
                FACES[f][1] + 1, f + 1, FACES[f][2] + 1, f + 1);
    write_file("a.obj", text, strlen(text));
    assert_tetrahedron("a.obj");
    write_file("a.OBJ", text, strlen(text));
    assert_tetrahedron("a.OBJ");
}

static void reads_stl(void **state) {
    (void)state;
    unsigned char bytes[84 + 4 * 50] = {0};
    bytes[80] = 4;
    for (int f = 0; f < 4; ++f)
        for (int c = 0; c < 3; ++c)
            memcpy(bytes + 84 + 50 * f + 12 + 12 * c, CORNERS[FACES[f][c]], 12);
    write_file("a.stl", bytes, sizeof bytes);
    assert_tetrahedron("a.stl");
}

static void reads_ply(void **state) {
    (void)state;
    char text[1024] = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n"
                      "property float y\nproperty float z\nelement face 4\n"
                      "property list uchar int vertex_indices\nend_header\n";
    for (int i = 0; i < 4; ++i)
        sprintf(text + strlen(text), "%g %g %g\n", (double)CORNERS[i][0], (double)CORNERS[i][1],
                (double)CORNERS[i][2]);
    for (int f = 0; f < 4; ++f)
        sprintf(text + strlen(text), "3 %d %d %d\n", FACES[f][0], FACES[f][1], FACES[f][2]);
    write_file("a.ply", text, strlen(text));
    assert_tetrahedron("a.ply");
}

static void bad_files_are_refused(void **state) {
    (void)state;
    SnMesh mesh;
    static const char *const texts[] = {"", "v 0 0 0\n", "v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n",
                                        "v 0 0 0\nv 1e30 0 0\nv 0 1 0\nf 1 2 3\n",
                                        "v 0 0 0\nv 1 0 0\nl 1 2\n"};
    for (int i = 0; i < 5; ++i) {
        write_file("a.obj", texts[i], strlen(texts[i]));
        assert_error(mesh_import(path_of("a.obj"), &mesh), SN_ERROR_FORMAT, "a.obj");
        assert_null(mesh.positions);
    }
    write_file("a.xyz", "hello", 5);
    assert_error(mesh_import(path_of("a.xyz"), &mesh), SN_ERROR_FORMAT, "a.xyz");
    assert_error(mesh_import(path_of("none.obj"), &mesh), SN_ERROR_FILE, "none.obj");
    assert_error(mesh_import(path_of("none.glb"), &mesh), SN_ERROR_FILE, "none.glb");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_obj),
        cmocka_unit_test(reads_stl),
        cmocka_unit_test(reads_ply),
        cmocka_unit_test(bad_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
