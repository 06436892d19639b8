#!/usr/bin/env bash
# Amounts that Kubernetes takes, and writes as they were, are 0 or negative where its programs count with them.
#
# Seen with k8s.io/apimachinery v0.37.2 (Go), whose Quantity reads amounts of all of Kubernetes' objects:
# - MilliValue(), by which CPUs are counted, is 0 for 100P and for 1E, and negative for 5Ei; for 9P it is right.
# - Value(), by which memory and all other resources are counted, is 0 for 10E, and negative for
#   9223372036854775808, though 9223372036854775807 is right and 16Ei is cut to that.
# - Two amounts of 9E are 18E as a text, and 0 as a Value(). Of 16Ei and 20Ei neither is the greater, and both together
#   are 18446744073709551614 as a text, and -2 as a Value().
# String() and Cmp() know the right amounts, so neither the object nor a comparison with 0 shows anything. The
# documentation says of MilliValue() that it could overflow, and of Value() only that it rounds up.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export GOFLAGS=-modcacherw GOMODCACHE=$place/modules GOCACHE=$place/cache
cat > main.go <<'GO'
package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

func sum(a, b string) resource.Quantity {
	total := resource.MustParse(a)
	total.Add(resource.MustParse(b))
	return total
}

func main() {
	zero := resource.MustParse("0")
	for _, text := range []string{"9P", "100P", "1E", "5Ei"} {
		amount := resource.MustParse(text)
		fmt.Println(text, "is", amount.MilliValue(), "thousandths; against 0:", amount.Cmp(zero))
	}
	for _, text := range []string{"9E", "10E", "9223372036854775807", "9223372036854775808", "16Ei"} {
		amount := resource.MustParse(text)
		fmt.Println(text, "is", amount.Value(), "and written", amount.String())
	}
	more, less := resource.MustParse("20Ei"), resource.MustParse("16Ei")
	fmt.Println("20Ei against 16Ei:", more.Cmp(less))
	for _, of := range [][2]string{{"9E", "9E"}, {"16Ei", "20Ei"}} {
		total := sum(of[0], of[1])
		fmt.Println(of[0], "and", of[1], "are", total.String(), "and counted as", total.Value())
	}
}
GO
go mod init seen 2> /dev/null
go get k8s.io/apimachinery/pkg/api/resource@v0.37.2 2> /dev/null
go run . | tee seen
diff - seen <<'SEEN'
9P is 9000000000000000000 thousandths; against 0: 1
100P is 0 thousandths; against 0: 1
1E is 0 thousandths; against 0: 1
5Ei is -9223372036854775808 thousandths; against 0: 1
9E is 9000000000000000000 and written 9E
10E is 0 and written 10E
9223372036854775807 is 9223372036854775807 and written 9223372036854775807
9223372036854775808 is -9223372036854775808 and written 9223372036854775808
16Ei is 9223372036854775807 and written 9223372036854775807
20Ei against 16Ei: 0
9E and 9E are 18E and counted as 0
16Ei and 20Ei are 18446744073709551614 and counted as -2
SEEN
