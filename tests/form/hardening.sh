#!/bin/sh
# Checks that the binary that users run is hardened: it can be loaded at any address, its function tables are read-only
# before main(), stack overruns are detected, and so are copies that exceed their target.
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
