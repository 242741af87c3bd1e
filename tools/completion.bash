# Completion of sinew's commands and options in bash, by asking the program itself. Source it, or put
# it into share/bash-completion/completions/sinew.
_sinew() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$(sinew --list-commands 2>/dev/null)
    elif [[ $word == -* ]]; then
        words=$(sinew "$command" --list-options 2>/dev/null)
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _sinew sinew
