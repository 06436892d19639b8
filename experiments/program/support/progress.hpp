#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace berth::experiments {

/// The progress of a task.
struct HowFar {
    std::string line;  ///< A line for people.
    std::size_t done = 0;
    std::size_t total = 0;  ///< 0 if it is not known.
};

/// Shows people the progress of tasks that follow each other.
class ProgressView {
public:
    ProgressView() = default;
    virtual ~ProgressView() = default;
    ProgressView(const ProgressView&) = delete;
    ProgressView& operator=(const ProgressView&) = delete;

    /// Begins a task. Until end(), any thread may ask for its progress.
    virtual void begin(std::function<HowFar()> how_far) = 0;
    virtual void end() = 0;
};

/// A task that is in progress as long as this lives.
class Progress {
public:
    /// `view` may be nullptr: the progress is then not shown.
    Progress(ProgressView* view, std::function<HowFar()> how_far);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

private:
    ProgressView* view_;
};

/// Shows one line on standard error, from the third second of a task on, and only on a terminal.
class TerminalProgress final : public ProgressView {
public:
    void begin(std::function<HowFar()> how_far) override;
    void end() override;

private:
    void show();

    std::function<HowFar()> how_far_;
    std::mutex mutex_;
    std::condition_variable done_;
    bool is_done_ = false;
    std::thread thread_;
};

}  // namespace berth::experiments
