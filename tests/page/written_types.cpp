// Prints the types of what is written into the report's page, for TypeScript: written_types FILE.
#include <fstream>

#include "experiments/program/support/typed_json.hpp"

int main(int /*count*/, char** arguments) {
    std::ofstream out(arguments[1]);
    out << "/* Made of the sources by the build: see data.d.ts. */\n\n"
           "import type {Cluster, Folded, Lender, Packed, PackedNumbers, Value} from "
           "\"./data.d.ts\";\n\n";
    berth::report::write_types(out);
    return out ? 0 : 1;
}
