// Writes an invented run with devices: device_run DIR [greedy | exact]

#include <iostream>

#include "tests/unit/report/device_run.hpp"

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: device_run DIR [greedy | exact]\n";
        return 2;
    }
    berth::test::write_device_run(argv[1], argc == 3 ? argv[2] : "greedy");
    return 0;
}
