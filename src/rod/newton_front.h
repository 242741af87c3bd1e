// The linear algebra of Newton's method: a rod's Hessian, station by station, and its elimination.
// Included by the files of the method only.
//
// Station j has the unknowns x_j, θ_j (of segment j, in its own axes) and s_j. Segment j and the
// joint behind it couple it with station j + 1, and the second difference of the scale with s_j+2
// besides. So the Hessian is a band, and elimination from the first station to the last fills
// nothing but what is there already: every station is a dense block of 7 unknowns (6 for classic
// rods) and 8 columns behind it, x θ s of the next one and the s behind that.
//
// In a closed rod the last station meets the first one again. There, station 0 is kept as a border:
// every other station has 7 more columns for it, and it is solved for when all others are gone.
#pragma once

#include "rod/newton.h"

// One station in elimination: its rows of the matrix, which become those of DU, U⁻ᵀB and so on with
// H = UᵀDU. It never leaves the function that works on it.
typedef struct Station {
    Number A[UNKNOWNS][UNKNOWNS]; // upper part
    Number B[UNKNOWNS][BEHIND];
    Number C[UNKNOWNS][UNKNOWNS]; // the border
    Number r[UNKNOWNS];           // −∇φ
    Number pull[UNKNOWNS];        // of it, the forces that are made on the way (newton_chain.h)
    Number D[UNKNOWNS];           // D⁻¹
} Station;

// What the way back needs of a station: U − 1, D⁻¹B and D⁻¹C without what is known to be zero, in the
// order in which it is made. D⁻¹r goes where r was. D⁻¹ itself is kept for other right sides (newton_answer.h).
enum { KEPT_D = KEPT_OPEN - UNKNOWNS, KEPT_CLOSED = KEPT_OPEN + UNKNOWNS * UNKNOWNS };

// What eliminating one station leaves for the next one: for its unknowns and the s behind them.
typedef struct Rest {
    Number A[BEHIND][BEHIND]; // upper part
    Number r[BEHIND], pull[BEHIND];
    Number C[BEHIND][UNKNOWNS];
} Rest;

typedef struct Border {
    Number A[UNKNOWNS][UNKNOWNS]; // upper part
    Number r[UNKNOWNS];
} Border;

// What kind of rods: n unknowns, and whether there are closed ones among them, and such with prestress.
typedef struct Kind {
    int n;
    bool ring, bent;
} Kind;

// Which columns are empty: x sees the next x, but no θ; only s sees the s after the next one.
INLINE bool sees(int row, int column) {
    if (row < T)
        return column == S || column < T;
    return column < SS || row == S;
}

INLINE int columns(Kind kind) { return kind.n == UNKNOWNS ? BEHIND : kind.n; }

INLINE int borders(Kind kind) { return kind.ring ? kind.n : 0; }

INLINE int kept(Kind kind) { return kind.ring ? KEPT_CLOSED : KEPT_OPEN; }

INLINE void clear_rest(Rest *rest, Kind kind) {
    EACH(k, 0, columns(kind)) {
        rest->r[k] = rest->pull[k] = splat(0.0f);
        EACH(m, k, columns(kind)) rest->A[k][m] = splat(0.0f);
        EACH(m, 0, borders(kind)) rest->C[k][m] = splat(0.0f);
    }
}

// What the stations before leave to this one, and to the scale behind it.
INLINE void begin_station(Station *f, Rest *next, const Rest *rest, Kind kind) {
    clear_rest(next, kind);
    EACH(k, 0, kind.n) {
        f->r[k] = rest->r[k];
        f->pull[k] = rest->pull[k];
        EACH(m, k, kind.n) f->A[k][m] = rest->A[k][m];
        EACH(m, 0, columns(kind)) f->B[k][m] = splat(0.0f);
        if (kind.n == UNKNOWNS)
            f->B[k][S] = rest->A[k][SS];
        EACH(m, 0, borders(kind)) f->C[k][m] = rest->C[k][m];
    }
    if (kind.n < UNKNOWNS)
        return;
    next->A[S][S] = rest->A[SS][SS];
    next->r[S] = rest->r[SS];
    next->pull[S] = rest->pull[SS];
    EACH(m, 0, borders(kind)) next->C[S][m] = rest->C[SS][m];
}

// LDLᵀ of the station, row by row. The least pivot so far is negative where the matrix is not positive
// definite.
INLINE void factor(Station *f, Number *keep, Kind kind, Number *least) {
    EACH(k, 0, kind.n) {
        Number l[UNKNOWNS];
        EACH(i, 0, k) l[i] = *keep++ = f->A[i][k] * f->D[i];
        EACH(m, k, kind.n) {
            Number a = f->A[k][m];
            EACH(i, 0, k) a -= l[i] * f->A[i][m];
            f->A[k][m] = a;
        }
        f->D[k] = 1.0f / f->A[k][k];
        if (kind.bent)
            *least = number_min(*least, f->A[k][k]);
        EACH(m, 0, columns(kind)) {
            Number b = f->B[k][m];
            EACH(i, 0, k) if (sees(i, m)) b -= l[i] * f->B[i][m];
            f->B[k][m] = b;
        }
        EACH(m, 0, borders(kind)) {
            Number c = f->C[k][m];
            EACH(i, 0, k) c -= l[i] * f->C[i][m];
            f->C[k][m] = c;
        }
        Number r = f->r[k];
        EACH(i, 0, k) r -= l[i] * f->r[i];
        f->r[k] = r;
    }
}

INLINE int kept_own(Kind kind) { return kind.n * (kind.n - 1) / 2; }

// Takes the station out of the equations behind it.
INLINE void leave(const Station *f, Rest *next, Number *keep, Kind kind) {
    keep += kept_own(kind);
    EACH(c, 0, columns(kind)) {
        Number l[UNKNOWNS];
        EACH(k, 0, kind.n) if (sees(k, c)) l[k] = *keep++ = f->B[k][c] * f->D[k];
        Number r = next->r[c];
        EACH(k, 0, kind.n) if (sees(k, c)) r -= l[k] * f->r[k];
        next->r[c] = r;
        EACH(m, c, columns(kind)) {
            Number a = next->A[c][m];
            EACH(k, 0, kind.n) if (sees(k, c) && sees(k, m)) a -= l[k] * f->B[k][m];
            next->A[c][m] = a;
        }
        EACH(m, 0, borders(kind)) {
            Number a = next->C[c][m];
            EACH(k, 0, kind.n) if (sees(k, c)) a -= l[k] * f->C[k][m];
            next->C[c][m] = a;
        }
    }
}

INLINE void leave_border(const Station *f, Border *border, Number *keep, Kind kind) {
    EACH(c, 0, kind.n) {
        Number l[UNKNOWNS];
        EACH(k, 0, kind.n) l[k] = *keep++ = f->C[k][c] * f->D[k];
        EACH(k, 0, kind.n) border->r[c] -= l[k] * f->r[k];
        EACH(m, c, kind.n) { EACH(k, 0, kind.n) border->A[c][m] -= l[k] * f->C[k][m]; }
    }
}

// The step of a station, D⁻¹r before, from those of the two behind it, and of the border.
INLINE void substitute(Number r[UNKNOWNS], const Number *keep, const Number behind[BEHIND],
                       const Number border[UNKNOWNS], Kind kind) {
    const Number *own = keep;
    keep += kept_own(kind);
    EACH(m, 0, columns(kind)) { EACH(k, 0, kind.n) if (sees(k, m)) r[k] -= *keep++ * behind[m]; }
    keep = own + KEPT_OPEN;
    EACH(m, 0, borders(kind)) { EACH(k, 0, kind.n) r[k] -= *keep++ * border[m]; }
    EACH(back, 1, kind.n) {
        const int k = kind.n - back;
        EACH(i, 0, k) r[i] -= own[k * (k - 1) / 2 + i] * r[k];
    }
}
