# Completion of berth in fish. The program itself says what may come next, so this is never out of date.

function __berth_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    # A quote that is still open cannot be taken away as a pair.
    set -l plain (string unescape -- $begun; or string replace -r '^[\'"]' '' -- $begun)
    $words[1] complete fish $words[2..-1] "$plain" 2>/dev/null
end

complete -c berth -f -a '(__berth_complete)'
