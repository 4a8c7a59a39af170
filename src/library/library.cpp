#include "library/library.hpp"

#include <new>

#include "library/call.hpp"

namespace numloom::library {
namespace {

class Call final : public LibraryCall {
  public:
    Call(const Entry& entry, std::span<const int64_t> parameters)
        : entry_(entry), parameters_(parameters.begin(), parameters.end()) {}
    std::string_view name() const override { return entry_.name; }
    std::span<const int64_t> parameters() const override { return parameters_; }
    void run(const CallOperand& out, std::span<const CallOperand> in) override {
        if (out.layout->size() > 0) entry_.run(parameters_, out, in);
    }

  private:
    const Entry& entry_;
    std::vector<int64_t> parameters_;
};

ParallelFor lent = nullptr;
int64_t threads = 1;

constexpr std::align_val_t kLine{64};
AllocateScratch allocate = [](int64_t bytes) {
    return static_cast<char*>(::operator new(static_cast<size_t>(bytes), kLine));
};
ReleaseScratch release = [](char* p, int64_t) { ::operator delete(p, kLine); };

const Entry* find(std::string_view name) {
    for (std::span<const Entry> entries :
         {selection_entries(), scan_entries(), sort_entries(), product_entries(), extreme_entries(),
          random_entries(), draw_entries(), fold_entries(), partition_entries(), correlation_entries(),
          repetition_entries(), interpolation_entries(), fft_entries()})
        for (const Entry& e : entries)
            if (e.name == name) return &e;
    return nullptr;
}

}  // namespace

std::unique_ptr<LibraryCall> make_call(std::string_view name, std::span<const int64_t> parameters) {
    const Entry* e = find(name);
    return e ? std::make_unique<Call>(*e, parameters) : nullptr;
}

bool takes_any_strides(std::string_view name) {
    const Entry* e = find(name);
    return e && e->any_strides;
}

std::string_view reported_as(std::string_view name) {
    if (name == "scan_add" || name == "scan_multiply" || name == "accumulate") return "accumulate";
    return name == "matmul" || name == "reduceat" || name == "at" || name == "fft" ? name
                                                                                   : std::string_view();
}

bool may_report(const LibraryCall& call, DType out) {
    if (reported_as(call.name()).empty()) return false;
    // What is added to integers may come as floating-point numbers.
    return is_inexact(out) || (call.name() == "at" && is_inexact(static_cast<DType>(call.parameters()[1])));
}

void set_parallel_for(ParallelFor f) { lent = f; }
int64_t parallel_threads() { return threads; }
void set_parallel_threads(int64_t n) { threads = n; }

void set_scratch(AllocateScratch a, ReleaseScratch r) {
    allocate = a;
    release = r;
}
char* allocate_scratch(int64_t bytes) { return allocate(bytes); }
void release_scratch(char* p, int64_t bytes) { release(p, bytes); }

void parallel_for(int64_t chunks, Task task, void* context) {
    if (lent && chunks > 1) {
        lent(chunks, task, context);
        return;
    }
    for (int64_t i = 0; i < chunks; ++i) task(context, i);
}

}  // namespace numloom::library
