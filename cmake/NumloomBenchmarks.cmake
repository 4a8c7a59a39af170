# Micro benchmarks in C++, one program per file; built only when asked for by name. The hand-written loops in them may use all
# that this machine has.
file(GLOB bench_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/cpp/*_bench.cpp")
foreach(source IN LISTS bench_sources)
  get_filename_component(bench "${source}" NAME_WE)
  add_executable(${bench} EXCLUDE_FROM_ALL "${source}")
  target_compile_options(${bench} PRIVATE -O3 -march=native)
  target_link_libraries(${bench} PRIVATE numloom_core)
endforeach()
