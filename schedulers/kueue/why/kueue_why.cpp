#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "experiments/program/why/words.hpp"
#include "schedulers/kueue/why/kueue_changes.hpp"
#include "schedulers/kueue/why/kueue_scene.hpp"

namespace berth::experiments {
namespace {

using Json = nlohmann::ordered_json;

std::string dash(const std::string& text) {
    return text.empty() ? "-" : text;
}

void wait_lines(const KueueScene& scene, Page& page) {
    if (scene.parked) {
        page.line(1,
                  "parked{} until something is given back in its tree of cohorts",
                  scene.equals > 0 ? fmt::format(" with {} more that ask{} for the same",
                                                 scene.equals,
                                                 scene.equals == 1 ? "s" : "")
                                   : "");
    }
    if (scene.offered_again) {
        page.line(1, "offered again at {}", sim::time_text(*scene.offered_again));
    }
}

void shortage_lines(const KueueShortage& shortage, Page& page) {
    page.line(1,
              "{} of flavor {}: it asks for {}, {} could be had{}",
              shortage.resource,
              shortage.flavor,
              shortage.asked,
              shortage.available,
              shortage.for_good
                  ? fmt::format(", and no more than {} if nothing were used", shortage.most)
                  : "");
    const auto row = [&](std::string_view where, const auto&... cells) {
        std::string line =
            fmt::format("{:<7} {:<22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}", where, cells...);
        line.erase(line.find_last_not_of(' ') + 1);
        page.line(2, "{}", line);
    };
    row("", "", "nominal", "borrows<=", "lends<=", "used", "borrowed", "available", "");
    for (const KueueQuotaLine& line : shortage.lines) {
        row(line.above ? (line.cohort ? "Cohort" : "Queue") : "beside",
            line.name,
            line.nominal,
            dash(line.borrowing_limit),
            dash(line.lending_limit),
            line.used,
            line.borrowed,
            line.available,
            line.refuses.empty() ? "" : "<- " + line.refuses);
    }
}

void level_lines(const KueueScene& scene, Page& page) {
    if (scene.levels.empty()) {
        return;
    }
    page.line(2,
              "{:<12} {:<34} {:<10} {:>10} {:>8}  {}",
              "flavor",
              "level",
              "asked",
              "with room",
              "of",
              "most pods in one");
    for (const KueueLevel& level : scene.levels) {
        page.line(2,
                  "{:<12} {:<34} {:<10} {:>10} {:>8}  {} in {}",
                  level.flavor,
                  level.label,
                  level.constraint,
                  level.with_room,
                  level.domains,
                  level.most,
                  level.best);
    }
}

Json quota_json(const KueueQuotaLine& line) {
    return {{line.cohort ? "cohort" : "queue", line.name},
            {"above", line.above},
            {"nominal", line.nominal},
            {"borrowing_limit", line.borrowing_limit},
            {"lending_limit", line.lending_limit},
            {"used", line.used},
            {"borrowed", line.borrowed},
            {"available", line.available},
            {"refuses", line.refuses}};
}

}  // namespace

void KueueScene::add_lines(Page& page) const {
    wait_lines(*this, page);
    for (const KueueShortage& shortage : shortages) {
        shortage_lines(shortage, page);
    }
    level_lines(*this, page);
}

Json KueueScene::json() const {
    Json lacking = Json::array();
    for (const KueueShortage& shortage : shortages) {
        Json quotas = Json::array();
        for (const KueueQuotaLine& line : shortage.lines) {
            quotas.push_back(quota_json(line));
        }
        lacking.push_back({{"flavor", shortage.flavor},
                           {"resource", shortage.resource},
                           {"asked", shortage.asked},
                           {"available", shortage.available},
                           {"most", shortage.most},
                           {"quotas", std::move(quotas)}});
    }
    Json rooms = Json::array();
    for (const KueueLevel& level : levels) {
        rooms.push_back({{"flavor", level.flavor},
                         {"level", level.label},
                         {"asked", level.constraint},
                         {"domains", level.domains},
                         {"with_room", level.with_room},
                         {"most", level.most},
                         {"best", level.best}});
    }
    return {{"queue", queue},
            {"parked", parked},
            {"equals", equals},
            {"offered_again_s", offered_again ? Json(sim::seconds(*offered_again)) : Json(nullptr)},
            {"shortages", std::move(lacking)},
            {"levels", std::move(rooms)}};
}

extern constinit const SchedulerWhy kueue_why;
constinit const SchedulerWhy kueue_why{
    "kueue", [](const sim::Turn& turn, sim::Inquiry& inquiry, Scene& scene) {
        auto* const kueue = dynamic_cast<sim::KueueInquiry*>(&inquiry);
        if (kueue == nullptr) {
            return false;
        }
        for (const sim::KueueMoment::Waiter* other : kueue->before()) {
            scene.waiting_before.push_back(other->workload.name);
        }
        auto own = std::make_shared<KueueScene>(kueue_scene(turn, *kueue));
        scene.held = std::exchange(own->held, {});
        scene.own = std::move(own);
        scene.changes = find_kueue_changes(turn, *kueue);
        return true;
    }};

}  // namespace berth::experiments
