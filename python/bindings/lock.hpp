// The record lock, which is Python's GIL: letting go of it, and taking it again.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace numloom::python {

// Once the program ends, Python before 3.14 ends daemon threads that ask for the lock by unwinding their
// stacks, which C++ frames with handlers do not survive. They sleep instead, as from 3.14 on: the process is
// about to end (test_threads.py).
[[noreturn]] inline void sleep_until_the_end() {
    for (;;) pause();
}

inline void take_lock(PyThreadState* state) {
#if defined(__GLIBCXX__)
    try {
        PyEval_RestoreThread(state);
    } catch (abi::__forced_unwind&) {
        sleep_until_the_end();
    }
#else
    PyEval_RestoreThread(state);
#endif
}

inline bool program_ends() {
#if PY_VERSION_HEX >= 0x030d0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
}

// Other threads may run Python while one lives.
class LetOthersIn {
  public:
    explicit LetOthersIn(bool yes = true) : state_(yes ? PyEval_SaveThread() : nullptr) {}
    ~LetOthersIn() {
        if (state_) take_lock(state_);
    }
    LetOthersIn(const LetOthersIn&) = delete;
    LetOthersIn& operator=(const LetOthersIn&) = delete;

  private:
    PyThreadState* state_;
};

}  // namespace numloom::python
