#include "closed_form.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <cstddef>
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

std::vector<double> values_of(const Folder& folder,
                              const std::string& experiment,
                              const std::string& metric) {
    folder.write("closed.yaml", experiment);
    (void)done(folder, {"run", "closed.yaml", "-q", "-o", "out"});
    std::vector<double> values;
    for (const CsvRow& row : csv_rows(folder.read("out/replications.csv"))) {
        values.push_back(std::stod(row.at(metric)));
    }
    return values;
}

double errors_off(const Folder& folder,
                  const std::string& experiment,
                  const std::string& metric,
                  double exact) {
    return standard_errors_off(values_of(folder, experiment, metric), exact);
}

double expected_time(const Checkpoints& of, double work) {
    const double segments = work / of.every;
    return segments * of.between * std::exp(of.restart / of.between) *
           std::expm1((of.every + of.takes) / of.between);
}

double least_of_fit(const std::vector<double>& x, const std::vector<double>& y) {
    Eigen::MatrixXd powers(static_cast<Eigen::Index>(x.size()), 4);
    Eigen::VectorXd values(powers.rows());
    for (Eigen::Index row = 0; row < powers.rows(); ++row) {
        const double at = x[static_cast<std::size_t>(row)];
        powers.row(row) << 1, at, at * at, at * at * at;
        values(row) = y[static_cast<std::size_t>(row)];
    }
    const Eigen::VectorXd cubic = powers.colPivHouseholderQr().solve(values);
    return -cubic(1) / (cubic(2) + std::sqrt(cubic(2) * cubic(2) - 3 * cubic(1) * cubic(3)));
}

}  // namespace berth::tests
