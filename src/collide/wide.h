// The wide kernels of contacts, one set per instruction set.
#pragma once

#include "base/wide.h"
#include "collide/contacts.h"

#define SN_DECLARE_CONTACT_KERNELS(isa)                                                            \
    void SN_PASTE(contact_solve, isa)(ContactBatch * batch, Knot * knots,                          \
                                      const ContactPass *pass);                                    \
    void SN_PASTE(contact_nearest, isa)(const ContactSides *sides, const float(*offsets)[3],       \
                                        int count, const Knot *knots,                              \
                                        ContactNearest *out_nearest);

SN_DECLARE_CONTACT_KERNELS(scalar)
SN_DECLARE_CONTACT_KERNELS(v128)
SN_DECLARE_CONTACT_KERNELS(avx2)
SN_DECLARE_CONTACT_KERNELS(avx512)
