// Names of the wide kernels: sn__field_track_avx2 and so on.
#pragma once

#include "base/wide.h"
#include "implicit/kernels.h"

FieldTrack PASTE(field_track, scalar);
FieldTrack PASTE(field_track, v128);
FieldTrack PASTE(field_track, avx2);
FieldTrack PASTE(field_track, avx512);
BoxesNear PASTE(boxes_near, scalar);
BoxesNear PASTE(boxes_near, v128);
BoxesNear PASTE(boxes_near, avx2);
BoxesNear PASTE(boxes_near, avx512);
FieldMeasure PASTE(field_measure, scalar);
FieldMeasure PASTE(field_measure, v128);
FieldMeasure PASTE(field_measure, avx2);
FieldMeasure PASTE(field_measure, avx512);
FieldProbe PASTE(field_probe, scalar);
FieldProbe PASTE(field_probe, v128);
FieldProbe PASTE(field_probe, avx2);
FieldProbe PASTE(field_probe, avx512);
RingsOffset PASTE(rings_offset, scalar);
RingsOffset PASTE(rings_offset, v128);
RingsOffset PASTE(rings_offset, avx2);
RingsOffset PASTE(rings_offset, avx512);
RingsRelax PASTE(rings_relax, scalar);
RingsRelax PASTE(rings_relax, v128);
RingsRelax PASTE(rings_relax, avx2);
RingsRelax PASTE(rings_relax, avx512);
RingsPublish PASTE(rings_publish, scalar);
RingsPublish PASTE(rings_publish, v128);
RingsPublish PASTE(rings_publish, avx2);
RingsPublish PASTE(rings_publish, avx512);
RingsAgree PASTE(rings_agree, scalar);
RingsAgree PASTE(rings_agree, v128);
RingsAgree PASTE(rings_agree, avx2);
RingsAgree PASTE(rings_agree, avx512);
RingsNormals PASTE(rings_normals, scalar);
RingsNormals PASTE(rings_normals, v128);
RingsNormals PASTE(rings_normals, avx2);
RingsNormals PASTE(rings_normals, avx512);
