// Random worlds of mixed bodies for 20 s: whatever is in them, nothing gets faster than what it fell from allows,
// what is seen of energy only falls, links stay closed, and what rests does not overlap.
//
// As a test it runs a few worlds of up to two groups of bodies. In the environment, SN_WORLDS, SN_FIRST and SN_MOST say
// how many worlds there are, the seed of the first one and how many groups a world has at most (30), and SN_GROUPS which
// of them, as bits of a hexadecimal number: what is left of a world when others are taken away. SN_ALL tells of worlds
// that are as they should be, too, SN_TELL of every body, and SN_TRACE=n of every nth step.
#include "random_world.h"

#define FIRST 1000
#ifdef __SANITIZE_ADDRESS__
#define WORLDS 2
#else
#define WORLDS 16
#endif
#define SECONDS 20.0
#define TORN_STEPS 5
#define LAST 2.0 // s at the end, in which what should rest rests

typedef struct Findings {
    char text[600];
    double energy_start, energy_least, energy_growth; // J
    double energies[3];                               // of the last steps
    double growth_time;
    double speed_max, speed_time, speed_last;
    const char *speed_kind, *last_kind;
    int last_member;
    uint32_t bits;
    double bits_time;
    int torn; // steps in a row in which a link was open
    double overlap, gap;
    char overlap_kinds[64];
} Findings;

static void add_text(Findings *f, const char *format, ...) {
    size_t used = strlen(f->text);
    va_list list;
    va_start(list, format);
    vsnprintf(f->text + used, sizeof f->text - used, format, list);
    va_end(list);
}

static double point_speed(SnVec3 v) { return (double)sn_vec3_length(v); }

static double body_speed(const SnWorld *world, SnBodyId id) {
    SnVec3 v[MAX_POINTS];
    assert_ok(sn_body_read(world, id, &(SnBodyState){.velocities = v}));
    double most = 0.0;
    for (int i = 0; i < sn_body_point_count(world, id); ++i)
        most = fmax(most, point_speed(v[i]));
    return most;
}

static const Member *member_of(const RandomWorld *w, SnBodyId id) {
    for (int k = 0; k < w->member_count; ++k)
        if (w->members[k].id.index == id.index)
            return &w->members[k];
    return NULL;
}

static void look(RandomWorld *w, Findings *f, double time) {
    SnMeasures m = sn_world_measure(w->world);
    double energy = m.energy_kinetic + m.energy_gravity + m.energy_elastic;
    // Contacts bend stiff bodies for a moment by more than they should; what counts is what becomes motion.
    double seen = m.energy_kinetic + m.energy_gravity;
    if (time == 0.0)
        f->energy_start = f->energy_least = f->energies[0] = f->energies[1] = energy;
    f->energies[2] = f->energies[1];
    f->energies[1] = f->energies[0];
    f->energies[0] = seen;
    seen = fmin(seen, fmin(f->energies[1], f->energies[2]));
    if (!isfinite(energy))
        f->energy_growth = energy;
    if (seen - f->energy_least > f->energy_growth) {
        f->energy_growth = seen - f->energy_least;
        f->growth_time = time;
    }
    f->energy_least = fmin(f->energy_least, energy);
    for (int k = 0; k < w->member_count; ++k) {
        double speed = body_speed(w->world, w->members[k].id);
        if (speed > f->speed_max) {
            f->speed_max = speed;
            f->speed_time = time;
            f->speed_kind = w->members[k].kind;
        }
        if (time > SECONDS - LAST && speed > f->speed_last) {
            f->speed_last = speed;
            f->last_kind = w->members[k].kind;
            f->last_member = k;
        }
    }
}

// Of what hardly moves.
static void look_for_overlaps(RandomWorld *w, Findings *f) {
    SnContactEvents events = sn_world_contact_events(w->world);
    for (int k = 0; k < events.contact_count; ++k) {
        const SnContact *c = &events.contacts[k];
        const Member *a = member_of(w, c->a), *b = member_of(w, c->b);
        if (a->in_floor || (b != NULL && b->in_floor))
            continue;
        double radius = b != NULL ? fmin(a->radius, b->radius) : a->radius;
        if (body_speed(w->world, a->id) > 0.05 || (b != NULL && body_speed(w->world, b->id) > 0.05))
            continue;
        if (-(double)c->gap / radius > f->overlap) {
            f->overlap = -(double)c->gap / radius;
            snprintf(f->overlap_kinds, sizeof f->overlap_kinds, "%s g%d on %s g%d", a->kind,
                     a->group, b != NULL ? b->kind : "collider", b != NULL ? b->group : -1);
        }
    }
    for (int k = 0; k < w->link_count; ++k) {
        float gap;
        assert_ok(sn_link_gap(w->world, w->links[k], &gap));
        f->gap = fmax(f->gap, fabs((double)gap));
    }
}

static void judge(const RandomWorld *w, Findings *f) {
    SnMeasures m = sn_world_measure(w->world);
    double fall =
        m.mass * GRAVITY * w->start_height + 0.5 * m.mass * w->start_speed * w->start_speed;
    double stake = fmax(f->energy_start - f->energy_least, 0.02 * fall) + 50.0 * w->lift;
    if (f->bits != SN_STEP_OK)
        add_text(f, " BITS %x at %.2f s", f->bits, f->bits_time);
    if (!(f->energy_growth <= (w->restitution > 0.0f ? 0.1 : 0.02) * stake))
        add_text(f, " ENERGY +%.3g of %.3g J at %.2f s", f->energy_growth, stake, f->growth_time);
    double allowed = 3.0 * sqrt(2.0 * GRAVITY * w->start_height + w->start_speed * w->start_speed);
    if (!(f->speed_max <= allowed))
        add_text(f, " SPEED %.3g of %.3g m/s at %.2f s: %s", f->speed_max, allowed, f->speed_time,
                 f->speed_kind);
    if (f->overlap > 0.05)
        add_text(f, " OVERLAP %.3g: %s", f->overlap, f->overlap_kinds);
    if (f->gap > 1e-3)
        add_text(f, " GAP %.3g m", f->gap);
    if (w->drag > 0.0f && !(w->restitution > 0.0f) && f->speed_last > 0.02)
        add_text(f, " REST %.3g m/s: %s g%d", f->speed_last, f->last_kind,
                 w->members[f->last_member].group);
}

static void tell(const RandomWorld *w) {
    for (int k = 0; k < w->member_count; ++k) {
        const Member *m = &w->members[k];
        SnMeasures n;
        assert_ok(sn_body_measure(w->world, m->id, &n));
        print_message(
            "  g%d %s %d el r %.3g E %.2g m %.3g%s%s v %.3g%s kin %.4g grav %.5g el %.4g\n",
            m->group, m->kind, sn_body_element_count(w->world, m->id), m->radius, m->young, n.mass,
            m->held ? " held" : "", m->in_floor ? " in floor" : "", body_speed(w->world, m->id),
            sn_body_is_asleep(w->world, m->id) ? " asleep" : "", n.energy_kinetic, n.energy_gravity,
            n.energy_elastic);
    }
}

static void run_world(RandomWorld *w, Findings *f) {
    *f = (Findings){.speed_kind = "", .last_kind = ""};
    const char *trace = getenv("SN_TRACE");
    look(w, f, 0.0);
    int steps = (int)(SECONDS / (double)w->dt + 0.5);
    for (int n = 1; n <= steps; ++n) {
        uint32_t bits = sn_world_step(w->world, w->dt, w->substeps, 1);
        // A blow may open a link for a moment.
        f->torn = bits & SN_STEP_TORN ? f->torn + 1 : 0;
        if (f->torn < TORN_STEPS)
            bits &= ~(uint32_t)SN_STEP_TORN;
        if (bits & ~f->bits)
            f->bits_time = n * (double)w->dt;
        f->bits |= bits;
        look(w, f, n * (double)w->dt);
        if (!(f->energy_growth < 100.0 * fmax(1.0, f->energy_start)) && trace == NULL)
            break;
        if (trace != NULL && n % atoi(trace) == 0) {
            SnMeasures m = sn_world_measure(w->world);
            print_message("%.3f s: E %.6g (kin %.4g grav %.5g el %.4g) v %.4g pen %.3g bits %x\n",
                          n * (double)w->dt, m.energy_kinetic + m.energy_gravity + m.energy_elastic,
                          m.energy_kinetic, m.energy_gravity, m.energy_elastic, m.speed_max,
                          m.penetration_max, bits);
            if (getenv("SN_TELL"))
                tell(w);
        }
    }
    look_for_overlaps(w, f);
    judge(w, f);
    if (getenv("SN_TELL"))
        tell(w);
}

static int number_of(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : otherwise;
}

static void worlds_keep_within_what_they_have(void **state) {
    (void)state;
    const char *groups = getenv("SN_GROUPS");
    int first = number_of("SN_FIRST", FIRST), end = first + number_of("SN_WORLDS", WORLDS);
    int most = number_of("SN_MOST", 2), wrong = 0;
    static RandomWorld w;
    static Findings f;
    for (int seed = first; seed < end; ++seed) {
        random_world(&w, (uint64_t)seed, most, groups ? strtoull(groups, NULL, 16) : UINT64_MAX);
        run_world(&w, &f);
        if (f.text[0] != '\0' || getenv("SN_ALL"))
            print_message("seed %d (%d bodies, %d links, ratio %.0f%s%s%s, %d sub-steps):%s\n",
                          seed, w.member_count, w.link_count, w.ratio,
                          w.restitution > 0.0f ? ", bouncy" : "", w.drag > 0.0f ? ", drag" : "",
                          w.sleep_speed > 0.0f ? ", sleep" : "", w.substeps, f.text);
        wrong += f.text[0] != '\0';
        sn_world_destroy(w.world);
    }
    if (wrong > 0)
        fail_msg("%d of %d worlds", wrong, end - first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_keep_within_what_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
