# What the tests of the program share. Source it with the program as $1: it makes an empty folder, goes
# there, and removes it at the end.
sinew=$1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# expect STATUS "what it is about" COMMAND…: runs it; its words are in out and err afterwards.
expect() {
    local wanted=$1 about=$2 got
    shift 2
    timeout -k 1 180 "$@" >out 2>err </dev/null
    got=$?
    if [ $got -ne "$wanted" ]; then
        fail "$about: exit status $got, not $wanted: $*"
    fi
    echo "ok: $about"
}

fail() {
    echo "FAILED: $1"
    sed 's/^/  out: /' out
    sed 's/^/  err: /' err
    exit 1
}

says() { # out|err TEXT: the last command said so
    grep -qF -- "$2" "$1" || fail "nothing in $1 says: $2"
}

has() { # FILE HEX_OF_FIRST_BYTES, and nothing half done beside it
    [ "$(head -c $((${#2} / 2)) "$1" | od -An -tx1 | tr -d ' \n')" = "$2" ] ||
        fail "$1 is not what its name says"
    [ ! -e "$1.part" ] || fail "$1.part was left behind"
}

json() { # FILE EXPRESSION: true of the document d
    if command -v python3 >/dev/null; then
        python3 -c "import json; d = json.load(open('$1')); assert $2, d" || fail "$1: not $2"
    else
        node -e "JSON.parse(require('fs').readFileSync('$1'))" || fail "$1 is not JSON"
    fi
}

glb=676c5446 png=89504e47 # first bytes of such files
