// What rods are made of, by name: one table. The sources are beside the rows; what they leave open
// is said to be an estimate.
#include <stdio.h>
#include <string.h>

#include <sinew/rod.h>

#include "base/null.h"

typedef struct MaterialRow {
    const char *name;
    float density, young, shear, volume; // kg/m³ and Pa, as in SnRodMaterial
    float damping;                       // s
    float stretch;                       // Pa, where it is not Young's modulus
} MaterialRow;

// Steel and nylon have their bulk modulus for a volume, because they change it as readily as their
// shape; what is derived is for stuff that keeps it.
static const MaterialRow rows[] = {
    // Structural steel: J. M. Gere, B. J. Goodno, Mechanics of Materials, tables of properties (E 190
    // to 210 GPa, G 75 to 80 GPa, ν 0.27 to 0.30); K = E/(3(1 − 2ν)) with ν = 0.29.
    {"steel", 7850.0f, 200e9f, 79e9f, 160e9f, 0.0f, SN_DERIVED},
    // Northern red oak along the grain, 12 % moisture: Wood Handbook, USDA Forest Products
    // Laboratory, chapter 5: specific gravity 0.63 (without its water), E 12.5 GPa, G_LR/E 0.089,
    // G_LT/E 0.081.
    {"oak", 700.0f, 12.5e9f, 1.06e9f, SN_DERIVED, 0.0f, SN_DERIVED},
    // Nylon 6,6, dry: W. D. Callister, Materials Science and Engineering, appendix B (E 1.6 to
    // 3.8 GPa, ν 0.39); G = E/(2(1 + ν)), K = E/(3(1 − 2ν)).
    {"nylon", 1140.0f, 2.8e9f, 1.0e9f, 4.2e9f, 0.0f, SN_DERIVED},
    // Natural rubber of 40 IRHD, without filler: P. B. Lindley, Engineering Design with Natural
    // Rubber. Its bulk modulus is 1 GPa; the derived 75 MPa keep its volume as well as one can see.
    {"rubber", 930.0f, 1.5e6f, 0.45e6f, SN_DERIVED, 0.0f, SN_DERIVED},
    // Polydimethylsiloxane (Sylgard 184) cured at room temperature: I. D. Johnston et al., Journal of
    // Micromechanics and Microengineering 24 (2014) 035017.
    {"silicone", 1030.0f, 1.32e6f, SN_DERIVED, SN_DERIVED, 0.0f, SN_DERIVED},
    // Relaxed human calf: Y. B. Kang et al., Key Engineering Materials 342–343 (2007) 901: G 3.7 kPa
    // and 4.5 Pa·s at 100 Hz, whose ratio is the damping; E = 3 G. Density: J. Mendez, A. Keys,
    // Metabolism 9 (1960) 184.
    {"muscle", 1060.0f, 11.1e3f, 3.7e3f, SN_DERIVED, 1.2e-3f, SN_DERIVED},
    // E of a human tendon in the living: C. N. Maganaris, J. P. Paul, Journal of Physiology 521
    // (1999) 307. Density: R. F. Ker, Journal of Experimental Biology 93 (1981) 283.
    {"tendon", 1120.0f, 1.2e9f, SN_DERIVED, SN_DERIVED, 0.0f, SN_DERIVED},
    // Gelatine, 4 % in water: M. M. Nguyen et al., Ultrasound in Medicine and Biology 40 (2014) 168:
    // G 3.1 kPa, E = 3 G; the damping is that of 3 %, 0.60 Pa·s over 2.0 kPa.
    {"jelly", 1010.0f, 9.3e3f, 3.1e3f, SN_DERIVED, 0.3e-3f, SN_DERIVED},
    // Manila of three strands, as a round rod of its nominal diameter. By ropemakers' tables, half an
    // inch weighs 7.5 lb per 100 ft and breaks at 2380 lb or more; if it is an eighth longer then, that
    // is 0.7 GPa in stretch. Bent, its fibres slide along each other. Young's modulus is an estimate of
    // what is left then, a seventieth.
    {"rope", 880.0f, 10e6f, SN_DERIVED, SN_DERIVED, 0.0f, 0.7e9f},
    // Human hair, dry: C. R. Robbins, Chemical and Physical Behavior of Human Hair.
    {"hair", 1320.0f, 3.89e9f, 0.89e9f, SN_DERIVED, 0.0f, SN_DERIVED},
    // A green blade, an estimate: fibres bear 90 to 95 % of the load (J. F. V. Vincent, Journal of
    // Materials Science 17 (1982) 856), and 4 % of them at 20 GPa make 0.8 GPa. E/G is that of straw,
    // 13: M. J. O'Dogherty et al., Journal of Agricultural Engineering Research 62 (1995) 133.
    {"grass", 700.0f, 0.8e9f, 0.06e9f, SN_DERIVED, 0.0f, SN_DERIVED},
};

#define ROW_COUNT ((int)(sizeof rows / sizeof rows[0]))

const char *sn_rod_material_name(int index) {
    return index >= 0 && index < ROW_COUNT ? rows[index].name : NULL;
}

static SnResult unknown(const char *name) {
    char list[160] = "";
    size_t length = 0;
    for (int i = 0; i < ROW_COUNT && length < sizeof list; ++i)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "",
                                   rows[i].name);
    return sn_error(SN_ERROR_INVALID, "there is no material \"%.60s\"; there are: %s", name, list);
}

SnResult sn_rod_material_named(const char *name, SnRodMaterial *out_material) {
    if (name == NULL)
        return sn__null("material: name");
    if (out_material == NULL)
        return sn__null("material: out_material");
    for (int i = 0; i < ROW_COUNT; ++i) {
        const MaterialRow *row = &rows[i];
        if (strcmp(row->name, name) != 0)
            continue;
        SnRodMaterial material = sn_default_rod_material();
        material.density = row->density;
        material.young = row->young;
        material.shear = row->shear;
        material.volume = row->volume;
        material.damping = row->damping;
        material.stretch = row->stretch;
        *out_material = material;
        return sn_ok();
    }
    return unknown(name);
}
