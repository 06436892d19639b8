#!/bin/sh
# The binary that users run cannot be bent as easily as it could: it is loaded anywhere, its tables of
# functions are read-only before main(), a stack that was overrun is noticed, and so are copies that
# are longer than their target.
set -eu
berth=$1
headers=$(readelf --wide --file-header --program-headers --dynamic "$berth")
symbols=$(readelf --wide --dyn-syms "$berth")
status=0
expect() { # WHAT TEXT PATTERN
    if ! echo "$2" | grep -q "$3"; then
        echo "$berth: $1: expected $3"
        status=1
    fi
}
expect "position-independent" "$headers" 'Type:  *DYN'
expect "RELRO" "$headers" GNU_RELRO
expect "bound before main()" "$headers" 'BIND_NOW\|FLAGS.*NOW'
expect "stack protector" "$symbols" __stack_chk_fail
expect "_FORTIFY_SOURCE" "$symbols" '__[a-z]*_chk'
exit $status
