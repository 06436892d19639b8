#include <iostream>
#include <string>
#include "experiments/place_requests.hpp"
int main() {
    std::ios::sync_with_stdio(false);
    std::string line;
    while (std::getline(std::cin, line)) std::cout << berth::experiments::answer_place_request(line) << '\n';
}
