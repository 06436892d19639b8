#!/usr/bin/env bash
# kubernetes-resource-parser, which reads Kubernetes' amounts in JavaScript, takes a CPU that is used to a third of a
# per cent for more than three million CPUs, and one and a half gibibytes for a byte.
#
# Seen with kubernetes-resource-parser 0.1.0 (npm) beside k8s-resource-parser 0.2.2 (npm), which is made of it, and
# k8s.io/apimachinery v0.37.2 (Go), which has Kubernetes' own Quantity:
# - The API of metrics writes CPUs as billionths, such as 3500000n, and as millionths. cpuParser() knows the suffix m
#   only, and of all else takes the digits at the begin: 3500000 CPUs. 2k are two CPUs. 0.5m is half a CPU.
# - memoryParser() has suffixes for whole numbers only. Of 1.5Gi, 0.5Gi and 1.5G it takes what stands before the point:
#   1 byte, 0 and 1. Of 128e6 it takes 128, and 1E3 is one byte. 128974848000m, which Kubernetes' documentation has as
#   an example, is NaN, with which all comparisons are false.
# - All of these are valid, and nothing is refused. The package is documented to have no handling of errors, and to be
#   used for correct texts only, those that come "directly from the K8s API": 3500000n and 128974848000m are such.
# - The other package reads the fractions and exponents, and refuses u and n, which is an error that is seen.
# A sum of requests, or a share of use, is off by a factor of a billion or is nearly nothing, depending on how users
# wrote what they mean.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts kubernetes-resource-parser@0.1.0 k8s-resource-parser@0.2.2
cat > written <<'WRITTEN'
cpu 1500m
cpu 0.5
cpu 3500000n
cpu 1500u
cpu 2k
cpu 0.5m
memory 1Gi
memory 1.5Gi
memory 0.5Gi
memory 1.5G
memory 128e6
memory 1E3
memory 128974848000m
WRITTEN
export GOFLAGS=-modcacherw GOMODCACHE=$place/modules GOCACHE=$place/cache
cat > main.go <<'GO'
package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

func main() {
	var kind, text string
	for {
		if _, err := fmt.Scan(&kind, &text); err != nil {
			return
		}
		amount := resource.MustParse(text)
		fmt.Println(kind, text, amount.AsDec())
	}
}
GO
go mod init seen 2> /dev/null
go get k8s.io/apimachinery/pkg/api/resource@v0.37.2 2> /dev/null
go run . < written > kubernetes
cat > seen.js <<'SCRIPT'
const {cpuParser, memoryParser} = require("kubernetes-resource-parser");
const other = require("k8s-resource-parser").parseQuantity;

const tried = (what) => {
    try {
        return what();
    } catch (error) {
        return "an error";
    }
};
for (const line of require("fs").readFileSync("kubernetes", "utf8").trim().split("\n")) {
    const [kind, text, right] = line.split(" ");
    const read = kind === "cpu" ? cpuParser(text) : memoryParser(text);
    console.log(`${kind} ${text} is ${right}; read as ${read}, and as ${tried(() => other(text))} by the other`);
}
SCRIPT
node seen.js | tee seen
diff - seen <<'SEEN'
cpu 1500m is 1.500; read as 1.5, and as 1.5 by the other
cpu 0.5 is 0.5; read as 0.5, and as 0.5 by the other
cpu 3500000n is 0.003500000; read as 3500000, and as an error by the other
cpu 1500u is 0.001500; read as 1500, and as an error by the other
cpu 2k is 2000; read as 2, and as 2000 by the other
cpu 0.5m is 0.0005; read as 0.5, and as 0.0005 by the other
memory 1Gi is 1073741824; read as 1073741824, and as 1073741824 by the other
memory 1.5Gi is 1610612736.000000000; read as 1, and as 1610612736 by the other
memory 0.5Gi is 536870912.000000000; read as 0, and as 536870912 by the other
memory 1.5G is 1500000000; read as 1, and as 1500000000 by the other
memory 128e6 is 128000000; read as 128, and as 128000000 by the other
memory 1E3 is 1000; read as 1, and as 1000 by the other
memory 128974848000m is 128974848.000; read as NaN, and as 128974848 by the other
SEEN
