// Heat in a square plate: a five-point stencil by views, from C++. The same sweep as in NumPy,
//     grid[1:-1, 1:-1] = 0.2 * (grid[1:-1, 1:-1] + grid[2:, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, 2:] +
//     grid[1:-1, :-2])
// is recorded call by call and runs as one kernel that reads the grid once and writes it once.
//
//     cmake -S examples -B build/examples -Dnumloom_DIR="$(python -m numloom --cmake-dir)"
//     cmake --build build/examples && build/examples/stencil 1000 100
//
// Prints the mean, the largest value of row n / 10, and the corner of the grid.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numloom/numloom.hpp>

namespace nl = numloom;
using nl::none;
using nl::slice;

namespace {

nl::Array heat(int64_t n, int64_t sweeps) {
    nl::Array grid = nl::zeros({n + 2, n + 2});
    grid(0) = 1.0;  // the hot edge
    // Views see every later write.
    const nl::Array center = grid(slice(1, -1), slice(1, -1));
    const nl::Array north = grid(slice(none, -2), slice(1, -1)), south = grid(slice(2), slice(1, -1));
    const nl::Array west = grid(slice(1, -1), slice(none, -2)), east = grid(slice(1, -1), slice(2));
    for (int64_t i = 0; i < sweeps; ++i) center.assign(0.2 * (center + south + north + east + west));
    return grid;
}

}  // namespace

int main(int argc, char** argv) {
    const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000;
    const int64_t sweeps = argc > 2 ? std::atoll(argv[2]) : 100;
    try {
        const nl::Array grid = heat(n, sweeps);
        std::printf("mean %.17g\n", nl::mean(grid).item<double>());
        std::printf("row %.17g\n", nl::max(grid(n / 10)).item<double>());
        std::cout << grid(slice(none, 4), slice(none, 4)) << "\n";
    } catch (const nl::Error& e) {
        std::fprintf(stderr, "stencil: %s\n", e.what());
        nl::abort_job(1);  // the other processes, where there are any, would wait for this one
        return 1;
    }
    return 0;
}
