#include "closed_form.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "csv_rows.hpp"

namespace berth::tests {

double standard_errors_off(const std::vector<double>& values, double exact) {
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        const double off = value - exact;
        sum += off;
        squares += off * off;
    }
    const auto count = static_cast<double>(values.size());
    const double mean = sum / count;
    const double variance = (squares - count * mean * mean) / (count - 1);
    return mean / std::sqrt(variance / count);
}

double errors_off(const Folder& folder,
                  const std::string& experiment,
                  const std::string& metric,
                  double exact) {
    folder.write("closed.yaml", experiment);
    (void)done(folder, {"run", "closed.yaml", "-q", "-o", "out"});
    std::vector<double> values;
    for (const CsvRow& row : csv_rows(folder.read("out/replications.csv"))) {
        values.push_back(std::stod(row.at(metric)));
    }
    return standard_errors_off(values, exact);
}

}  // namespace berth::tests
