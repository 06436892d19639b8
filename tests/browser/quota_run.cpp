// Writes an invented run with quotas: quota_run DIR [patient | large]

#include <iostream>
#include <string>

#include "tests/unit/report/quota_run.hpp"

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: quota_run DIR [patient | large]\n";
        return 2;
    }
    const std::string kind = argc == 3 ? argv[2] : "";
    berth::test::QuotaRunShape shape;
    if (kind == "patient") {
        shape.experiment = "an hour of patience";
        shape.patience = 12;
    } else if (kind == "large") {
        shape.experiment = "a thousand quotas";
        shape.departments = 16;
        shape.teams = 20;
        shape.projects = 4;
    }
    berth::test::write_quota_run(argv[1], shape);
    return 0;
}
