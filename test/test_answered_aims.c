// In the passes of a sub-step, rods that are solved directly answer to aims that contacts have moved by the factors of the
// first iteration (newton_answer_aims.h): that is what a whole iteration would find, to first order.
#include "alone.h"

#include <stdlib.h>
#include <string.h>

#include <sinew/model.h>

#define H (1.0f / 600.0f)

// What an iteration reads and writes.
typedef struct Kept {
    RodState *state;
    RodWork *work;
    RodAim *aim;
    size_t rows;
} Kept;

static void *copy_of(const void *row0, size_t row_size, size_t rows) {
    void *copy = malloc(rows * row_size);
    assert_non_null(copy);
    return memcpy(copy, (const char *)row0 - row_size, rows * row_size);
}

static Kept keep(const RodPack *pack) {
    size_t rows = (size_t)pack->rows + 2;
    return (Kept){.state = copy_of(pack->state, sizeof(RodState), rows),
                  .work = copy_of(pack->work, sizeof(RodWork), rows),
                  .aim = copy_of(pack->aim, sizeof(RodAim), rows),
                  .rows = rows};
}

static void restore(RodPack *pack, const Kept *kept) {
    memcpy(pack->state - 1, kept->state, kept->rows * sizeof(RodState));
    memcpy(pack->work - 1, kept->work, kept->rows * sizeof(RodWork));
    memcpy(pack->aim - 1, kept->aim, kept->rows * sizeof(RodAim));
}

static void forget(Kept *kept) {
    free(kept->state);
    free(kept->work);
    free(kept->aim);
}

// Something may touch it.
static void make_touched(Alone *a, const SnRodDef *def, bool held, SnIsa isa) {
    alone_create(a, def);
    RodPack *pack = a->pack;
    pack->touched = true;
    pack->touched_lanes = 1;
    if (held)
        pack->held[0][0] |= HELD_VERTEX;
    assert_true(sn__pack_own_work(&a->rods.allocator, pack));
    assert_non_null(pack->factors);
    alone_lend(a);
    a->step = (RodStep){.kernels = sn__rod_kernels(isa),
                        .substeps = 1,
                        .iterations = 1,
                        .motion = {.h = H, .gravity = {0.0f, -9.81f, 0.0f}}};
    alone_prepare(a);
    assert_int_equal(pack->rough_lanes, 1);
}

// Contacts at some vertices move what they would be without the rod by up to a tenth of a millimetre and a milliradian.
static void move_aims(RodPack *pack, Rng *rng) {
    for (int j = 0; j <= pack->rows; ++j) {
        RodAim *aim = pack->aim + j;
        float by = rng_int(rng, 0, 2) == 0 ? 1e-4f : 0.0f;
        aim->ux[0] += aim->more_x[0] = by * rng_float(rng, -1.0, 1.0);
        aim->uy[0] += aim->more_y[0] = by * rng_float(rng, -1.0, 1.0);
        aim->uz[0] += aim->more_z[0] = by * rng_float(rng, -1.0, 1.0);
        aim->us[0] += aim->more_s[0] = by * rng_float(rng, -1.0, 1.0);
        aim->tx[0] += aim->more_tx[0] = 10.0f * by * rng_float(rng, -1.0, 1.0);
        aim->ty[0] += aim->more_ty[0] = 10.0f * by * rng_float(rng, -1.0, 1.0);
        aim->tz[0] += aim->more_tz[0] = 10.0f * by * rng_float(rng, -1.0, 1.0);
    }
}

static void iterate(Alone *a, DirectSolve solve) {
    memset(a->pack->newton_moves, 0, sizeof a->pack->newton_moves);
    a->pack->newton_moves[0] = 1.0f;
    a->pack->newton_again = true;
    a->step.kernels->newton(a->pack, solve);
}

static double difference(const RodPack *pack, const Kept *other) {
    double most = 0.0;
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j, *t = other->state + 1 + j;
        const RodWork *u = pack->work + j, *w = other->work + 1 + j;
        most = fmax(most, fabs((double)u->ux[0] - (double)w->ux[0]));
        most = fmax(most, fabs((double)u->uy[0] - (double)w->uy[0]));
        most = fmax(most, fabs((double)u->uz[0] - (double)w->uz[0]));
        most = fmax(most, 1e-2 * fabs((double)u->us[0] - (double)w->us[0]));
        most = fmax(most, 1e-2 * fabs((double)s->qx[0] - (double)t->qx[0]));
        most = fmax(most, 1e-2 * fabs((double)s->qy[0] - (double)t->qy[0]));
        most = fmax(most, 1e-2 * fabs((double)s->qz[0] - (double)t->qz[0]));
    }
    return most;
}

static void check_answer(const SnRodDef *def, bool held, uint64_t seed, SnIsa isa) {
    Rng rng = {seed};
    Alone a;
    make_touched(&a, def, held, isa);
    sn__pack_begin(a.pack, &a.step, 0, NULL);
    sn__pack_sweep(a.pack, &a.step, 0);
    assert_int_equal(a.pack->factors_missing & 1, 0);
    for (int k = 0; k < 3; ++k)
        iterate(&a, SOLVE_AGAIN);
    Kept before = keep(a.pack);
    move_aims(a.pack, &rng);
    Kept asked = keep(a.pack);
    iterate(&a, SOLVE_ANSWER);
    Kept answered = keep(a.pack);
    restore(a.pack, &asked);
    iterate(&a, SOLVE_AGAIN);
    double moved = difference(a.pack, &before), off = difference(a.pack, &answered);
    assert_true(moved > 1e-7);
    if (!(off < 0.004 * moved))
        fail_msg("%s, seed %d: %g of %g off", sn_isa_name(isa), (int)seed, off, moved);
    forget(&before);
    forget(&asked);
    forget(&answered);
    alone_destroy(&a);
}

static void check_all(const SnRodDef *def) {
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        for (uint64_t seed = 0; seed < 8; ++seed)
            if (sn_isa_available((SnIsa)isa))
                check_answer(def, seed % 2 == 1, seed, (SnIsa)isa);
}

static SnRodDef soft_rod(void) {
    SnRodDef def = sn_default_rod_def();
    def.radius = 0.02f;
    def.material.young = 2e5f;
    return def;
}

static void chains_answer(void **state) {
    (void)state;
    SnVec3 x[12];
    for (int i = 0; i < 12; ++i)
        x[i] = sn_vec3(0.05f * (float)i, 0.02f * (float)sin(0.7 * i), 0.0f);
    for (int classic = 0; classic < 2; ++classic)
        for (int straight = 0; straight < 2; ++straight) {
            SnRodDef def = soft_rod();
            def.vertex_count = 12;
            def.positions = x;
            def.classic = classic;
            def.straight = straight;
            def.material.damping = straight ? 0.01f : 0.0f;
            check_all(&def);
        }
}

static void creatures_answer(void **state) {
    (void)state;
    SnModel model;
    assert_ok(sn_octopus(0.5f, NULL, &model));
    for (int classic = 0; classic < 2; ++classic) {
        SnRodDef def = soft_rod();
        def.vertex_count = model.vertex_count;
        def.positions = model.positions;
        def.radii = model.radii;
        def.edges = model.edges;
        def.edge_count = model.edge_count;
        def.classic = classic;
        def.material.density = 200.0f;
        def.material.damping = classic ? 0.01f : 0.0f;
        check_all(&def);
    }
    sn_model_destroy(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_answer),
        cmocka_unit_test(creatures_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
