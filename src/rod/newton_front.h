// The linear algebra of Newton's method: a rod's Hessian, station by station, and its elimination.
// Included by the rod_newton*_wide.c files only.
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

enum { X = 0, T = 3, S = 6, SS = 7, UNKNOWNS = 7, BEHIND = 8 };

// A loop that is unrolled, so that the numbers of a station can be in registers. Sanitizers would
// take minutes to look at all that.
#ifdef __SANITIZE_ADDRESS__
#define EACH(k, from, to) for (int k = (from); k < (to); ++k)
#else
#define EACH(k, from, to) _Pragma("GCC unroll 8") for (int k = (from); k < (to); ++k)
#endif

// One station in elimination: its rows of the matrix, and of U and U⁻ᵀB after it.
typedef struct Front {
    Wide A[UNKNOWNS][UNKNOWNS]; // upper part; the diagonal becomes that of D⁻¹
    Wide B[UNKNOWNS][BEHIND];
    Wide r[UNKNOWNS];           // −∇φ, and at last the step
    Wide C[UNKNOWNS][UNKNOWNS]; // the border
} Front;

// What eliminating one station leaves for the next one: for its unknowns and the s behind them.
typedef struct Rest {
    Wide A[BEHIND][BEHIND]; // upper part
    Wide r[BEHIND];
    Wide C[BEHIND][UNKNOWNS];
} Rest;

typedef struct Border {
    Wide A[UNKNOWNS][UNKNOWNS]; // upper part
    Wide r[UNKNOWNS];
} Border;

// What kind of rods: n unknowns, and whether there are closed ones among them.
typedef struct Kind {
    int n;
    bool ring;
} Kind;

// Which columns are empty: no x sees the next θ, and only s sees the s after the next one.
INLINE bool sees(int row, int column) {
    return column < T || column == S || (column < S && row >= T) || row == S;
}

INLINE int columns(Kind kind) { return kind.n == UNKNOWNS ? BEHIND : kind.n; }

INLINE int borders(Kind kind) { return kind.ring ? kind.n : 0; }

INLINE void clear_rest(Rest *rest, Kind kind) {
    EACH(k, 0, BEHIND) {
        rest->r[k] = splat(0.0);
        EACH(m, k, BEHIND) rest->A[k][m] = splat(0.0);
        EACH(m, 0, borders(kind)) rest->C[k][m] = splat(0.0);
    }
}

// What the stations before leave to this one, and to the scale behind it.
INLINE void begin_station(Front *f, Rest *next, const Rest *rest, Kind kind) {
    clear_rest(next, kind);
    EACH(k, 0, kind.n) {
        f->r[k] = rest->r[k];
        EACH(m, k, kind.n) f->A[k][m] = rest->A[k][m];
        EACH(m, 0, columns(kind)) if (sees(k, m)) f->B[k][m] = splat(0.0);
        if (kind.n == UNKNOWNS)
            f->B[k][S] = rest->A[k][SS];
        EACH(m, 0, borders(kind)) f->C[k][m] = rest->C[k][m];
    }
    if (kind.n < UNKNOWNS)
        return;
    next->A[S][S] = rest->A[SS][SS];
    next->r[S] = rest->r[SS];
    EACH(m, 0, borders(kind)) next->C[S][m] = rest->C[SS][m];
}

// What row k of the station would have in a column without the rows above it.
INLINE Wide less_above(Wide a, const Wide *l, const Wide *column, int stride, int rows) {
    EACH(i, 0, rows) a -= l[i] * column[i * stride];
    return a;
}

// LDLᵀ of the station, row by row.
INLINE void factor(Front *f, Kind kind) {
    EACH(k, 0, kind.n) {
        Wide l[UNKNOWNS];
        EACH(i, 0, k) l[i] = f->A[i][k] * f->A[i][i];
        EACH(m, k, kind.n) {
            Wide a = less_above(f->A[k][m], l, &f->A[0][m], UNKNOWNS, k);
            f->A[k][m] = m == k ? (Wide)(1.0 / a) : a;
        }
        EACH(m, 0, columns(kind)) {
            Wide b = f->B[k][m];
            EACH(i, 0, k) if (sees(i, m)) b -= l[i] * f->B[i][m];
            if (sees(k, m))
                f->B[k][m] = b;
        }
        EACH(m, 0, borders(kind))
        f->C[k][m] = less_above(f->C[k][m], l, &f->C[0][m], UNKNOWNS, k);
        f->r[k] = less_above(f->r[k], l, f->r, 1, k);
    }
}

// Takes the station out of the equations behind it.
INLINE void leave(const Front *f, Rest *next, Kind kind) {
    EACH(c, 0, columns(kind)) {
        Wide l[UNKNOWNS];
        EACH(k, 0, kind.n) if (sees(k, c)) l[k] = f->B[k][c] * f->A[k][k];
        Wide r = next->r[c];
        EACH(k, 0, kind.n) if (sees(k, c)) r -= l[k] * f->r[k];
        next->r[c] = r;
        EACH(m, c, columns(kind)) {
            Wide a = next->A[c][m];
            EACH(k, 0, kind.n) if (sees(k, c) && sees(k, m)) a -= l[k] * f->B[k][m];
            next->A[c][m] = a;
        }
        EACH(m, 0, borders(kind)) {
            Wide a = next->C[c][m];
            EACH(k, 0, kind.n) if (sees(k, c)) a -= l[k] * f->C[k][m];
            next->C[c][m] = a;
        }
    }
}

INLINE void leave_border(const Front *f, Border *border, Kind kind) {
    EACH(c, 0, kind.n) {
        Wide l[UNKNOWNS];
        EACH(k, 0, kind.n) l[k] = f->C[k][c] * f->A[k][k];
        border->r[c] = less_above(border->r[c], l, f->r, 1, kind.n);
        EACH(m, c, kind.n)
        border->A[c][m] = less_above(border->A[c][m], l, &f->C[0][m], UNKNOWNS, kind.n);
    }
}

// The step of a station from those of the two behind it, and of the border.
INLINE void substitute(Front *f, const Wide behind[BEHIND], const Wide border[UNKNOWNS],
                       Kind kind) {
    EACH(back, 0, kind.n) {
        int k = kind.n - 1 - back;
        Wide r = f->r[k];
        EACH(m, 0, columns(kind)) if (sees(k, m)) r -= f->B[k][m] * behind[m];
        EACH(m, 0, borders(kind)) r -= f->C[k][m] * border[m];
        EACH(m, k + 1, kind.n) r -= f->A[k][m] * f->r[m];
        f->r[k] = r * f->A[k][k];
    }
}
