#!/usr/bin/env bash
# A pod that asks for cpu: 0.1 in Jsonnet asks Kubernetes for 101 thousandths of a CPU, and ten do not fit into one.
#
# Seen with jsonnet 0.22.0 (C++) and gojsonnet 0.22.0 (Go), both from PyPI, and k8s.io/apimachinery v0.37.2 (Go):
# - Both write all numbers with seventeen digits, 0.1 as 0.10000000000000001. That is the same double, but Kubernetes
#   reads the digits as a decimal number and rounds up: the amount is 100000001n, and counted in thousandths, as by its
#   scheduler, 101. So it is for 0.2, 0.4, 0.8 and 1.1. The digits of 0.3 are a little below, and are right.
# - A text that Jsonnet made of a number, such as "" + 0.1, has the same digits, so quotes do not help.
# - std.manifestYamlDoc of the same manifest says 0.10000000000000001 in C++ and 0.1 in Go. So the same source asks for
#   other amounts, depending on which of the two wrote it, and in which format.
# 100m, or "0.1" that was a text from the beginning, are exact.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check jsonnet==0.22.0 gojsonnet==0.22.0
cd "$place"
cat > seen.py <<'PYTHON'
import json
import re

import _gojsonnet
import _jsonnet

for name, jsonnet in (("C++", _jsonnet), ("Go", _gojsonnet)):
    for cpu in ("0.1", "0.2", "0.3", "0.4", "0.8", "1.1", '"" + 0.1', '"0.1"'):
        written = jsonnet.evaluate_snippet("pod.jsonnet", "{cpu: " + cpu + "}")
        print(f"{name}|{cpu} in JSON|" + re.search(": (.*)", written)[1])
    written = json.loads(jsonnet.evaluate_snippet("pod.jsonnet", "std.manifestYamlDoc({cpu: 0.1})"))
    print(f"{name}|0.1 in YAML|" + re.search(": (.*)", written)[1])
PYTHON
venv/bin/python seen.py > written
export GOFLAGS=-modcacherw GOMODCACHE=$place/modules GOCACHE=$place/cache
cat > main.go <<'GO'
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

func main() {
	one := resource.MustParse("1")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		part := strings.SplitN(lines.Text(), "|", 3)
		var amount resource.Quantity
		if err := json.Unmarshal([]byte(part[2]), &amount); err != nil {
			panic(err)
		}
		var ten resource.Quantity
		for range 10 {
			ten.Add(amount)
		}
		fmt.Printf("%s, %s: %s, which is %s, or %dm", part[0], part[1], part[2], amount.String(), amount.MilliValue())
		if strings.Contains(part[1], "0.1") {
			fmt.Printf("; ten are more than 1: %t", ten.Cmp(one) > 0)
		}
		fmt.Println()
	}
}
GO
go mod init seen 2> /dev/null
go get k8s.io/apimachinery/pkg/api/resource@v0.37.2 2> /dev/null
go run . < written | tee seen
diff - seen <<'SEEN'
C++, 0.1 in JSON: 0.10000000000000001, which is 100000001n, or 101m; ten are more than 1: true
C++, 0.2 in JSON: 0.20000000000000001, which is 200000001n, or 201m
C++, 0.3 in JSON: 0.29999999999999999, which is 300m, or 300m
C++, 0.4 in JSON: 0.40000000000000002, which is 400000001n, or 401m
C++, 0.8 in JSON: 0.80000000000000004, which is 800000001n, or 801m
C++, 1.1 in JSON: 1.1000000000000001, which is 1100000001n, or 1101m
C++, "" + 0.1 in JSON: "0.10000000000000001", which is 100000001n, or 101m; ten are more than 1: true
C++, "0.1" in JSON: "0.1", which is 100m, or 100m; ten are more than 1: false
C++, 0.1 in YAML: 0.10000000000000001, which is 100000001n, or 101m; ten are more than 1: true
Go, 0.1 in JSON: 0.10000000000000001, which is 100000001n, or 101m; ten are more than 1: true
Go, 0.2 in JSON: 0.20000000000000001, which is 200000001n, or 201m
Go, 0.3 in JSON: 0.29999999999999999, which is 300m, or 300m
Go, 0.4 in JSON: 0.40000000000000002, which is 400000001n, or 401m
Go, 0.8 in JSON: 0.80000000000000004, which is 800000001n, or 801m
Go, 1.1 in JSON: 1.1000000000000001, which is 1100000001n, or 1101m
Go, "" + 0.1 in JSON: "0.10000000000000001", which is 100000001n, or 101m; ten are more than 1: true
Go, "0.1" in JSON: "0.1", which is 100m, or 100m; ten are more than 1: false
Go, 0.1 in YAML: 0.1, which is 100m, or 100m; ten are more than 1: false
SEEN
