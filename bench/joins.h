// How a muscle is joined to the surface that it lies under, for figures.
#pragma once

// A distance (m) and its gradient.
typedef struct JoinedField {
    double value, gradient[3];
} JoinedField;

typedef enum JoinKind {
    JOIN_UNION,       // the smaller one
    JOIN_CLEAN_UNION, // with a smooth gradient
    JOIN_DETAIL,      // as implicit skins do
    JOIN_COUNT,
} JoinKind;

// `reach` (m) is that of the part.
JoinedField joined_field(JoinKind kind, JoinedField part, JoinedField muscle, double reach);
