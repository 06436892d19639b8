#!/usr/bin/env bash
# Sends the worked examples of "Modeling with Provider Trees" to `berth candidates`: prints each query and berth's
# candidates, and says whether they are those of the document. documented.txt has both.
# usage: seeds.sh
set -euo pipefail
cd "$(dirname "$0")"
berth=${BERTH:-../../build/release/berth}
examples=0
others=0

check() {  # FILE QUERY DOCUMENTED
    local found
    found=$("$berth" candidates "$1" "$2" | sed -n 's/^ *[0-9][0-9]*\. //p')
    printf '== %s\n%s\n%s\n' "$1" "$2" "${found:-no candidates}"
    examples=$((examples + 1))
    if [ "$(sort <<< "$found")" = "$(sort <<< "$3")" ]; then
        printf 'as documented\n\n'
    else
        others=$((others + 1))
        printf 'NOT as documented, which is:\n%s\n\n' "$3"
    fi
}

file='' query='' documented=''
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
        '#'*) ;;
        '== '*) file=${line#== } ;;
        GET* | ' '*) query+=${query:+$'\n'}$line ;;
        '')
            [ -z "$query" ] || check "$file" "$query" "$documented"
            query='' documented=''
            ;;
        *) documented+=${documented:+$'\n'}$line ;;
    esac
done < documented.txt
[ -z "$query" ] || check "$file" "$query" "$documented"
echo "$((examples - others)) of $examples examples as documented"
[ "$others" -eq 0 ]
