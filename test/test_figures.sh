#!/usr/bin/env bash
# Figures pass and leave a picture, and a figure can fail: with another material in its scenes,
# it does.
# usage: test_figures.sh PROGRAM SOURCE_DIR
set -euo pipefail
program=$1
scenes=$2/scenes/figures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "test_figures: $*" >&2
    exit 1
}

# expect STATUS LAST_LINE ARGUMENTS…: LAST_LINE is a pattern.
expect() {
    local status=$1 last=$2 found=0
    shift 2
    "$program" figure "$@" >"$work/output" 2>"$work/errors" || found=$?
    local line
    line=$(tail -n 1 "$work/output")
    if [ "$found" != "$status" ] || [[ ! $line == $last ]]; then
        cat "$work/output" "$work/errors" >&2
        fail "figure $*: status $found, '$line'; expected $status, '$last'"
    fi
}

# A scene folder in which VALUE of KEY is another one.
other_scenes() {
    rm -rf "$work/scenes"
    cp -r "$scenes" "$work/scenes"
    sed -i "s/\"$1\": $2\b/\"$1\": $3/" "$work/scenes"/*.json
    cmp -s "$scenes/$4.json" "$work/scenes/$4.json" && fail "$4.json has no \"$1\": $2"
    return 0
}

figures="volume-direct friction rods-cantilever"
# Ten times as long under the sanitizers.
if [ -z "${SN_SLOW_BUILD:-}" ]; then
    figures+=" viper-fig2 viper-fig11 viper-fig12 viper-fig5 twist arap-fig1 arap-fig2 arap-fig3 arap-fig4 viper-fig8 viper-fig9 viper-fig10 capstan squeeze viper-fig6 cantilever independence drift viper-fig7 rope-pile knot rods-fig5 rods-slinky rods-fig6 rods-fig8 rods-fig9 rods-fig10 rods-table1"
    figures+=" carry arap-fig5 implicit-bends implicit-curl implicit-fig2 implicit-fig4 implicit-fig5 implicit-fig6 implicit-fig9 implicit-fig14 viper-fig1 defaults damping"
fi
for figure in $figures; do
    expect 0 "$figure: pass" "$figure" --scenes "$scenes" -o "$work/out/new"
    [ "$(head -c 4 "$work/out/new/$figure.png" | tail -c 3)" = PNG ] || fail "$figure: no picture"
done

if [ -z "${SN_SLOW_BUILD:-}" ]; then
    other_scenes volume 10000000 1000000 viper-fig5-stretch
    expect 1 "viper-fig5: fail (volume error*)" viper-fig5 --scenes "$work/scenes" -o "$work/out"
    other_scenes density 1000 1100 viper-fig6-small
    expect 1 "viper-fig6: fail (speed*)" viper-fig6 --scenes "$work/scenes" -o "$work/out"
    other_scenes shear 100000 102000 twist
    expect 1 "twist: fail (*)" twist --scenes "$work/scenes" -o "$work/out"
    other_scenes friction 0.9 1.1 friction-push
    expect 1 "friction: fail (mu = 0.6)" friction --scenes "$work/scenes" -o "$work/out"
    expect 1 "capstan: fail (mu = 0.3*)" capstan --scenes "$work/scenes" -o "$work/out"
    other_scenes carry 0 1 carry
    expect 1 "carry: fail (carried, 1 *)" carry --scenes "$work/scenes" -o "$work/out"
    other_scenes volume 5000000 500000 squeeze
    expect 1 "squeeze: fail (length*)" squeeze --scenes "$work/scenes" -o "$work/out"
fi

other_scenes young 1e9 1.01e9 rods-cantilever-50
expect 1 "rods-cantilever: fail (*)" rods-cantilever --scenes "$work/scenes" -o "$work/out"

expect 1 "twist: fail (*nowhere/twist.json*)" twist --scenes "$work/nowhere" -o "$work/out"
expect 0 "implicit-table3 *" --list
expect 2 "" twits
grep -q "did you mean twist" "$work/errors" || fail "no suggestion for twits"
expect 2 "" twist --all
touch "$work/file"
expect 4 "" twist --scenes "$scenes" -o "$work/file/out"
