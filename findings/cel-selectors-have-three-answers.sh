#!/usr/bin/env bash
# Selectors of devices, which Kubernetes has in CEL, are true for other devices where they are tried beforehand in Python
# or JavaScript.
#
# Seen with cel-go v0.26.0, by which Kubernetes evaluates them, cel-python 0.5.0 and cel-js 0.8.2 (npm), whose answers
# stand in this order below:
# - cel-js has no integers: 7 / 2 is 3.5, so that "half of the GPUs" is another number; 9007199254740993 and ...992 are
#   equal, which two serial numbers or two amounts of bytes then are; and whole numbers are compared with fractions,
#   which CEL refuses.
# - cel-python keeps whole microseconds of a duration, so a nanosecond is nothing, and writes whole seconds, so that
#   half a second is lost as a text; a number that is none (NaN) equals itself; and a true attribute is, as a text, True.
# cel-js refuses a division by zero, and has neither of the functions; that is an error, which is seen. The others are not.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat > expressions <<'TEXT'
7 / 2 == 3
9007199254740993 == 9007199254740992
8 == 8.0
0.0 / 0.0 == 0.0 / 0.0
duration('1ns') == duration('0s')
string(duration('1500ms')) == '1.5s'
string(true) == 'true'
TEXT
export GOFLAGS=-modcacherw GOMODCACHE=$place/modules GOCACHE=$place/cache
cat > main.go <<'GO'
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/google/cel-go/cel"
)

func main() {
	environment, _ := cel.NewEnv()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		tree, issues := environment.Compile(lines.Text())
		if issues.Err() != nil {
			fmt.Println("refused")
			continue
		}
		program, _ := environment.Program(tree)
		value, _, err := program.Eval(map[string]any{})
		if err != nil {
			fmt.Println("refused")
			continue
		}
		fmt.Println(value.Value())
	}
}
GO
go mod init seen 2> /dev/null
go get github.com/google/cel-go/cel@v0.26.0 2> /dev/null
go run . < expressions > go-answers

python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check cel-python==0.5.0
cat > seen.py <<'PYTHON'
import sys

import celpy

environment = celpy.Environment()
for line in sys.stdin:
    try:
        value = environment.program(environment.compile(line.strip())).evaluate({})
        print("true" if value else "false")
    except (celpy.CELEvalError, celpy.CELParseError):
        print("refused")
PYTHON
venv/bin/python seen.py < expressions > python-answers

npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cel-js@0.8.2
cat > seen.mjs <<'SCRIPT'
import {readFileSync} from "node:fs";

import {evaluate} from "cel-js";

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
    try {
        console.log(evaluate(line));
    } catch {
        console.log("refused");
    }
}
SCRIPT
node seen.mjs < expressions > javascript-answers
paste -d '|' expressions go-answers python-answers javascript-answers | tee seen
diff - seen <<'SEEN'
7 / 2 == 3|true|true|false
9007199254740993 == 9007199254740992|false|false|true
8 == 8.0|refused|refused|true
0.0 / 0.0 == 0.0 / 0.0|false|true|refused
duration('1ns') == duration('0s')|false|true|refused
string(duration('1500ms')) == '1.5s'|true|false|refused
string(true) == 'true'|true|false|refused
SEEN
