// Whose turn it is: only one thread executes at a time; the others let go of the record lock until then. All
// is read and changed under the record lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#include "core/error.hpp"
#include "run/engine.hpp"

namespace numloom {

class Turns {
  public:
    explicit Turns(const Engine::LockHooks& hooks) : hooks_(hooks) {}

    bool busy() const { return busy_; }

    // A fork copies the thread that forks and nothing else: another's half-run plan would never end in the
    // child. So this thread asks for the turn (others get none from now on), flushes, and holds the turn over
    // the fork. False where there is nothing to do: it forks while it executes.
    bool ask_for_fork() {
        while (forking_ && !mine()) wait();
        if (forking_) return false;
        forking_ = true;
        forker_ = std::this_thread::get_id();
        return true;
    }
    void hold_for_fork() {
        while (busy_) wait();
        busy_ = held_ = true;
    }
    void after_fork(bool child) {
        if (!forking_ || !mine()) return;
        forking_ = busy_ = held_ = false;
        if (child) {  // whoever waited or held the mutex is not here
            waiting_ = 0;
            new (&mutex_) std::mutex;
            new (&over_) std::condition_variable;
        }
        wake();
    }

  private:
    friend class Turn;

    bool mine() const { return forker_ == std::this_thread::get_id(); }
    bool taken() const { return busy_ || (forking_ && !mine()); }

    // Lets others go on until something has changed.
    void wait() {
        ++waiting_;
        void* token = hooks_.unlock ? hooks_.unlock() : nullptr;
        {
            std::unique_lock lock(mutex_);
            over_.wait_for(lock, std::chrono::milliseconds(1));
        }
        if (hooks_.lock) hooks_.lock(token);
        --waiting_;
    }
    void wake() {
        if (waiting_ == 0) return;
        const std::lock_guard lock(mutex_);
        over_.notify_all();
    }

    const Engine::LockHooks& hooks_;
    bool busy_ = false;
    bool forking_ = false, held_ = false;
    std::thread::id forker_;
    int waiting_ = 0;
    std::mutex mutex_;
    std::condition_variable over_;
};

// A turn, while it lives. Inside a turn that is held over a fork (other hooks of the fork may compute) it is
// part of that.
class Turn {
  public:
    explicit Turn(Turns& turns) : turns_(turns), inside_(turns.held_ && turns.mine()) {
        if (inside_) return;
        while (turns.taken()) {
            if (turns.hooks_.ending && turns.hooks_.ending())
                throw runtime_error("the program ends, and another thread has not finished an evaluation");
            turns.wait();
        }
        turns.busy_ = true;
    }
    ~Turn() {
        if (inside_) return;
        turns_.busy_ = false;
        turns_.wake();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Turns& turns_;
    const bool inside_;
};

}  // namespace numloom
