#include "schedulers/kube/decide/change.hpp"

namespace berth::core::kube {

std::string in_path(const std::string& key) {
    std::string part;
    for (const char c : key) {
        if (c == '~') {
            part += "~0";
        } else if (c == '/') {
            part += "~1";
        } else {
            part += c;
        }
    }
    return part;
}

std::string enumerate(const std::vector<std::string>& texts) {
    std::string sentence;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        sentence += i == 0 ? "" : i + 1 == texts.size() ? " and " : ", ";
        sentence += texts[i];
    }
    return sentence;
}

}  // namespace berth::core::kube
