# Completion of berth in bash. The program itself says what may come next, so this is never out of date.

_berth() {
    # What begins with a variable or with somebody's home is bash's to read.
    if [[ ${COMP_WORDS[COMP_CWORD]} == [~$]* ]]; then
        compopt -o default
        return
    fi
    mapfile -t COMPREPLY < <("${1/#\~/$HOME}" complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
    local IFS=  # joins the answers with nothing between them
    if [[ ${COMPREPLY[*]} == *[!a-zA-Z0-9_.,:/=+%@-]* ]]; then
        compopt -o filenames  # blanks, brackets and the like are quoted
    fi
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:,/] ]]; then
        compopt -o nospace
    fi
}

complete -F _berth berth
