// Meshes of OBJ, STL, PLY and OFF files, which are made here; those of glTF are in test_mesh.c.
#include "support.h"

#include <sinew/mesh_file.h>

#include "folder.h"
#include "io/mesh_build.h"
#include "math/vec.h"

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"a.obj", "a.OBJ", "a.stl", "a.ply", "a.off", "a.xyz"};
    for (int i = 0; i < 6; ++i)
        remove(path_of(names[i]));
    return rmdir(folder);
}

// A tetrahedron of volume 1/6, as files say it.
static const float CORNERS[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int FACES[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

// A closed tetrahedron of 4 vertices that faces out.
static void assert_tetrahedron(const char *name) {
    SnMesh mesh;
    assert_ok(sn_mesh_read(path_of(name), NULL, &mesh));
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

// As text, with numbers in every form that C reads, and lines that end as on Windows.
static void reads_stl_text(void **state) {
    (void)state;
    char text[2048] = "solid t\r\n";
    for (int f = 0; f < 4; ++f) {
        strcat(text, "facet normal 0 0 0\r\n outer loop\r\n");
        for (int c = 0; c < 3; ++c) {
            const float *x = CORNERS[FACES[f][c]];
            const char *const forms[2] = {"-.0", "+1.e0"};
            sprintf(text + strlen(text), "  vertex %s %s %s\r\n", forms[x[0] > 0.0f],
                    forms[x[1] > 0.0f], forms[x[2] > 0.0f]);
        }
        strcat(text, " endloop\r\nendfacet\r\n");
    }
    strcat(text, "endsolid\r\n");
    write_file("a.stl", text, strlen(text));
    assert_tetrahedron("a.stl");
}

static void reads_off(void **state) {
    (void)state;
    static const char text[] = "OFF # a comment\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
                               "3 0 2 1 255 0 0\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
    write_file("a.off", text, sizeof text - 1);
    assert_tetrahedron("a.off");
}

// In either order of bytes, with properties and elements that are of no use, and colours.
static void reads_ply_binary(void **state) {
    (void)state;
    for (int big = 0; big < 2; ++big) {
        unsigned char bytes[2048];
        int size = sprintf((char *)bytes,
                           "ply\nformat binary_%s_endian 1.0\ncomment made here\n"
                           "element vertex 4\nproperty double x\nproperty float y\n"
                           "property float z\nproperty uchar red\nproperty uchar green\n"
                           "property uchar blue\nelement odd 1\nproperty list uchar short n\n"
                           "element face 4\nproperty uchar flag\n"
                           "property list uchar ushort vertex_index\nend_header\n",
                           big ? "big" : "little");
#define PUT(value)                                                                                 \
    do {                                                                                           \
        unsigned char put[sizeof(value)];                                                          \
        memcpy(put, &(value), sizeof put);                                                         \
        for (size_t b = 0; b < sizeof put; ++b)                                                    \
            bytes[size++] = put[big ? sizeof put - 1 - b : b];                                     \
    } while (0)
        for (int i = 0; i < 4; ++i) {
            double x = (double)CORNERS[i][0];
            PUT(x);
            PUT(CORNERS[i][1]);
            PUT(CORNERS[i][2]);
            for (int c = 0; c < 3; ++c)
                bytes[size++] = (unsigned char)(i == 0 ? 51 : 255);
        }
        bytes[size++] = 2; // the odd element
        for (int c = 0; c < 4; ++c)
            bytes[size++] = 7;
        for (int f = 0; f < 4; ++f) {
            bytes[size++] = 1;
            bytes[size++] = 3;
            for (int c = 0; c < 3; ++c) {
                unsigned short corner = (unsigned short)FACES[f][c];
                PUT(corner);
            }
        }
#undef PUT
        write_file("a.ply", bytes, (size_t)size);
        assert_tetrahedron("a.ply");
        PaintedMeshes painted;
        assert_ok(sn__painted_meshes_read(path_of("a.ply"), &painted));
        assert_near(painted.meshes[0].colours[0][1], 0.2, 1e-6);
        assert_near(painted.meshes[0].colours[1][1], 1.0, 1e-6);
        sn__painted_meshes_destroy(&painted);
        // Cut anywhere, it is refused.
        for (int cut = 0; cut < size; cut += 7) {
            write_file("a.ply", bytes, (size_t)cut);
            SnMesh mesh;
            assert_error(sn_mesh_read(path_of("a.ply"), NULL, &mesh), SN_ERROR_FORMAT, "a.ply");
        }
    }
}

// Faces of four corners, numbers from the end, lines that go on, colours and materials.
static void reads_what_obj_has(void **state) {
    (void)state;
    static const char text[] = "mtllib a.mtl\no thing\nv 0 0 0 1 0 0\nv 1 0 0 1 0 0\n"
                               "v 1 1 0 0 0.5 0\nv 0 1 0 0 0.5 0\nusemtl bone\n"
                               "f -4/1 -3/2 \\\n -2/3 -1/4\nusemtl skin\nf 1 3 4\n";
    write_file("a.obj", text, sizeof text - 1);
    PaintedMeshes painted;
    assert_ok(sn__painted_meshes_read(path_of("a.obj"), &painted));
    const PaintedMesh *p = &painted.meshes[0];
    assert_int_equal(p->mesh.vertex_count, 4);
    assert_int_equal(p->mesh.triangle_count, 3);
    assert_int_equal(p->material_count, 2);
    assert_string_equal(p->material_names[p->materials[0]], "bone");
    assert_string_equal(p->material_names[p->materials[2]], "skin");
    assert_near(p->colours[2][1], 0.5, 1e-6);
    sn__painted_meshes_destroy(&painted);
}

static void bad_files_are_refused(void **state) {
    (void)state;
    SnMesh mesh;
    static const char *const texts[] = {"", "v 0 0 0\n", "v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n",
                                        "v 0 0 0\nv 1e30 0 0\nv 0 1 0\nf 1 2 3\n",
                                        "v 0 0 0\nv 1 0 0\nl 1 2\n"};
    for (int i = 0; i < 5; ++i) {
        write_file("a.obj", texts[i], strlen(texts[i]));
        assert_error(sn_mesh_read(path_of("a.obj"), NULL, &mesh), SN_ERROR_FORMAT, "a.obj");
        assert_null(mesh.positions);
    }
    static const char *const beyond = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n";
    write_file("a.obj", beyond, strlen(beyond));
    assert_error(sn_mesh_read(path_of("a.obj"), NULL, &mesh), SN_ERROR_FORMAT, "a.obj:4: a face");
    write_file("a.stl", "hello", 5);
    assert_error(sn_mesh_read(path_of("a.stl"), NULL, &mesh), SN_ERROR_FORMAT, "is no STL");
    static const char many[] = "ply\nformat ascii 1.0\nelement vertex 9e15\nend_header\n";
    write_file("a.ply", many, sizeof many - 1);
    assert_error(sn_mesh_read(path_of("a.ply"), NULL, &mesh), SN_ERROR_FORMAT, "no triangles");
    write_file("a.xyz", "hello", 5);
    assert_error(sn_mesh_read(path_of("a.xyz"), NULL, &mesh), SN_ERROR_FORMAT, "a.xyz");
    assert_error(sn_mesh_read(path_of("none.obj"), NULL, &mesh), SN_ERROR_FILE, "none.obj");
    assert_error(sn_mesh_read(path_of("none.glb"), NULL, &mesh), SN_ERROR_FILE, "none.glb");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_obj),          cmocka_unit_test(reads_stl),
        cmocka_unit_test(reads_ply),          cmocka_unit_test(reads_stl_text),
        cmocka_unit_test(reads_off),          cmocka_unit_test(reads_ply_binary),
        cmocka_unit_test(reads_what_obj_has), cmocka_unit_test(bad_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
