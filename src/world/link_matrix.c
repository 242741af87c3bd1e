// LDLᵀ of the matrix of tied links, within its envelope.
#include "world/link_matrix.h"

// Answers are known to float: what two of them differ by less than that is taken for that much.
#define KNOWN_TO 3e-7

void sn__links_factor(const TiedLinks *m, int rows) {
    for (int r = 0; r < rows; ++r) {
        LinkRow *row = &m->row[r];
        double *l = m->number + row->at - row->first; // l[c] is column c
        double pivot = l[r] * (1.0 + KNOWN_TO);
        for (int c = row->first; c < r; ++c) {
            const LinkRow *above = &m->row[c];
            const double *u = m->number + above->at - above->first;
            for (int k = row->first > above->first ? row->first : above->first; k < c; ++k)
                l[c] -= l[k] * u[k];
        }
        for (int c = row->first; c < r; ++c) {
            double d = l[c];
            l[c] = d * m->row[c].over_pivot;
            pivot -= d * l[c];
        }
        row->over_pivot = pivot > 0.0 ? 1.0 / pivot : 0.0;
    }
}

void sn__links_substitute(const TiedLinks *m, int rows) {
    for (int r = 0; r < rows; ++r)
        for (int c = m->row[r].first; c < r; ++c)
            m->row[r].step -= *sn__link_place(m, r, c) * m->row[c].step;
    for (int r = 0; r < rows; ++r)
        m->row[r].step *= m->row[r].over_pivot;
    for (int r = rows; r-- > 0;)
        for (int c = m->row[r].first; c < r; ++c)
            m->row[c].step -= *sn__link_place(m, r, c) * m->row[r].step;
}
