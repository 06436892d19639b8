#!/usr/bin/env bash
# The official Kubernetes client for JavaScript cannot read an amount with a fraction and a suffix, such as 1.5Gi, and
# of what it reads the type of the number depends on the suffix.
#
# Seen with @kubernetes/client-node 1.4.0, whose quantityToScalar() also sums what topNodes() and topPods() show:
# - 1.5Gi, 0.5Gi and 2.5M end with "SyntaxError: Cannot convert 1.5 to a BigInt"; 0.5 and 1500m are read. Kubernetes
#   takes all of them, and writes the first as 1536Mi. So a manifest cannot be read that can be read once it was applied.
# - With a suffix from k on, the answer is a BigInt; without a suffix, or with m, u or n, it is a number. So 1Ki plus
#   1024, two amounts of one resource, is a TypeError.
# - 9007199254740993 is read as ...992, and 9007199254740993k without a loss.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @kubernetes/client-node@1.4.0
cat > seen.mjs <<'SCRIPT'
import {quantityToScalar} from "@kubernetes/client-node/dist/util.js";

const tried = (what) => {
    try {
        const answer = what();
        return `${typeof answer} ${answer}`;
    } catch (error) {
        return `${error.name}: ${error.message}`;
    }
};
for (const amount of ["0.5", "1500m", "1Gi", "1.5Gi", "0.5Gi", "2.5M", "1024", "1Ki", "9007199254740993", "9007199254740993k"]) {
    console.log(amount, "is", tried(() => quantityToScalar(amount)));
}
console.log("1Ki + 1024 is", tried(() => quantityToScalar("1Ki") + quantityToScalar("1024")));
SCRIPT
node seen.mjs | tee seen
diff - seen <<'SEEN'
0.5 is number 0.5
1500m is number 1.5
1Gi is bigint 1073741824
1.5Gi is SyntaxError: Cannot convert 1.5 to a BigInt
0.5Gi is SyntaxError: Cannot convert 0.5 to a BigInt
2.5M is SyntaxError: Cannot convert 2.5 to a BigInt
1024 is number 1024
1Ki is bigint 1024
9007199254740993 is number 9007199254740992
9007199254740993k is bigint 9007199254740993000
1Ki + 1024 is TypeError: Cannot mix BigInt and other types, use explicit conversions
SEEN
