#!/usr/bin/env bash
# An exbibyte has 24 bytes too many for both Kubernetes clients of Java, and sums of one of them depend on the order.
#
# Seen with kubernetes-model-core 8.0.0 of fabric8 and client-java-api 24.0.0, the official client:
# - Both have the powers of 1024 with sixteen digits, which do not suffice for the sixth. 1Ei is 1152921504606847000
#   bytes, so that it is not equal to 1024Pi, which is right, nor to 1152921504606846976. The official client cannot
#   write such an amount again, which is an error that is seen.
# - fabric8's add() writes a sum with the suffix of the first amount and sixteen digits. 1Gi and a byte are then
#   1.000000000931323Gi, a little more than a whole number of bytes, which Kubernetes counts as a byte more, since it
#   rounds up. 1Ti and a byte are a little less. A byte and 1Gi, in this order, are exact.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat > pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>seen</groupId>
  <artifactId>seen</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.fabric8</groupId>
      <artifactId>kubernetes-model-core</artifactId>
      <version>8.0.0</version>
    </dependency>
    <dependency>
      <groupId>io.kubernetes</groupId>
      <artifactId>client-java-api</artifactId>
      <version>24.0.0</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode -Dmaven.repo.local="$place/repository" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory=libraries > /dev/null
cat > Seen.java <<'JAVA'
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;

public class Seen {
    static BigDecimal official(String amount) {
        return io.kubernetes.client.custom.Quantity.fromString(amount).getNumber();
    }

    static String written(String amount) {
        try {
            return io.kubernetes.client.custom.Quantity.fromString(amount).toSuffixedString();
        } catch (IllegalArgumentException error) {
            return "refused: " + error.getMessage();
        }
    }

    public static void main(String[] arguments) {
        for (String amount : new String[] {"1Pi", "1023Pi", "1024Pi", "1Ei"}) {
            System.out.println(amount + " is for fabric8 " + Quantity.parse(amount).getNumericalAmount().toPlainString()
                + ", official " + official(amount).toPlainString() + ", written " + written(amount));
        }
        for (String amount : new String[] {"1024Pi", "1152921504606846976", "1152921504606847k"}) {
            System.out.println("1Ei is " + amount + ": fabric8 " + Quantity.parse("1Ei").equals(Quantity.parse(amount))
                + ", official " + (official("1Ei").compareTo(official(amount)) == 0));
        }
        for (String[] two : new String[][] {{"1Ti", "1"}, {"1", "1Ti"}, {"1Gi", "1"}, {"1", "1Gi"}}) {
            Quantity sum = Quantity.parse(two[0]).add(Quantity.parse(two[1]));
            System.out.println("fabric8: " + two[0] + " and " + two[1] + " are " + sum + ", or "
                + sum.getNumericalAmount().toPlainString() + " bytes");
        }
    }
}
JAVA
java -cp 'libraries/*' Seen.java | tee seen
diff - seen <<'SEEN'
1Pi is for fabric8 1125899906842624, official 1125899906842624, written 1Pi
1023Pi is for fabric8 1151795604700004352, official 1151795604700004352, written 1023Pi
1024Pi is for fabric8 1152921504606846976, official 1152921504606846976, written 1Ei
1Ei is for fabric8 1152921504606847000, official 1152921504606847000, written refused: No suffix for exponent3
1Ei is 1024Pi: fabric8 false, official false
1Ei is 1152921504606846976: fabric8 false, official false
1Ei is 1152921504606847k: fabric8 true, official true
fabric8: 1Ti and 1 are 1.000000000000909Ti, or 1099511627776.999456069648384 bytes
fabric8: 1 and 1Ti are 1099511627777, or 1099511627777 bytes
fabric8: 1Gi and 1 are 1.000000000931323Gi, or 1073741825.000000456753152 bytes
fabric8: 1 and 1Gi are 1073741825, or 1073741825 bytes
SEEN
