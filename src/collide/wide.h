// The wide kernels of contacts, one set per instruction set.
#pragma once

#include "base/wide.h"
#include "collide/contacts.h"

#define DECLARE_CONTACT_KERNELS(isa)                                                               \
    void PASTE(contact_solve, isa)(ContactBatch * batch, Knot * knots, const ContactPass *pass);   \
    void PASTE(contact_accelerate, isa)(ContactBatch * batch, Knot * knots, float part);           \
    void PASTE(contact_learn, isa)(ContactBatch * batch, float h, bool told);                      \
    void PASTE(contact_rebound, isa)(ContactBatch * batch, const Knot *knots,                      \
                                     const ContactPass *pass);                                     \
    void PASTE(contact_find, isa)(ContactBatch * batch, const Knot *knots);                        \
    void PASTE(contact_nearest, isa)(const ContactSides *sides, const float(*offsets)[3],          \
                                     int count, const Knot *knots, ContactNearest *out_nearest);   \
    void PASTE(contact_turning, isa)(const struct ContactList *list, ContactBatch *batch,          \
                                     const struct ContactRun *run, const ContactPass *pass);       \
    void PASTE(contact_turning_on, isa)(const struct ContactList *list, ContactBatch *batch,       \
                                        const struct ContactRun *run, float part);

DECLARE_CONTACT_KERNELS(scalar)
DECLARE_CONTACT_KERNELS(v128)
DECLARE_CONTACT_KERNELS(avx2)
DECLARE_CONTACT_KERNELS(avx512)
