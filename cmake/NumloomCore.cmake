# numloom_core: everything under src/ but the MPI module, as one static archive.
#
# src/device/cpu/loops/*.cpp and src/library/vector/*.cpp are compiled once per instruction set with
# NUMLOOM_TARGET=baseline|avx2|avx512 and must keep their code in a namespace of that name. Inline functions that several of these objects emit are merged by the linker, which
# keeps the first: the archive therefore holds the baseline objects first, so that a shared inline function is always the one
# that runs on every processor.
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp")
file(GLOB loop_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/device/cpu/loops/*.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/src/library/vector/*.cpp")
list(FILTER core_sources EXCLUDE REGEX "/src/(device/cpu/loops|library/vector)/")
list(FILTER core_sources EXCLUDE REGEX "/src/(transport/mpi|library/fft)/")
list(FILTER core_sources EXCLUDE REGEX "/src/api/")  # libnumloom.so: NumloomApi.cmake
list(APPEND core_sources "${NUMLOOM_CUDA_PROLOGUE}")

set(NUMLOOM_TARGETS baseline)
set(target_flags_baseline "")
set(target_flags_avx2 -mavx2 -mfma)
set(target_flags_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)
if(NUMLOOM_X86)
  list(APPEND NUMLOOM_TARGETS avx2)
  target_compile_definitions(numloom_deps INTERFACE NUMLOOM_HAVE_AVX2=1)
  # Which threads touch which memory does not depend on the width of the loops, and these take longest to compile.
  if(NOT NUMLOOM_SANITIZE STREQUAL "thread")
    list(APPEND NUMLOOM_TARGETS avx512)
    target_compile_definitions(numloom_deps INTERFACE NUMLOOM_HAVE_AVX512=1)
  endif()
endif()

# Sanitizers: what they add keeps loops from being vectorised, and -O3 would only make them slow to compile.
if(NUMLOOM_SANITIZE)
  set(loop_optimization -O1)
else()
  set(loop_optimization -O3)
endif()

set(loop_objects "")
if(loop_sources)
  foreach(target IN LISTS NUMLOOM_TARGETS)
    add_library(numloom_loops_${target} OBJECT ${loop_sources})
    target_include_directories(numloom_loops_${target} PRIVATE src include)
    target_compile_definitions(numloom_loops_${target} PRIVATE NUMLOOM_TARGET=${target})
    target_compile_options(numloom_loops_${target} PRIVATE ${loop_optimization} ${target_flags_${target}})
    target_link_libraries(numloom_loops_${target} PRIVATE numloom_flags numloom_deps)
    list(APPEND loop_objects $<TARGET_OBJECTS:numloom_loops_${target}>)
  endforeach()
endif()

# Sums of products: GCC's -O2 leaves them to single elements.
set_source_files_properties(src/library/correlation.cpp PROPERTIES COMPILE_OPTIONS ${loop_optimization})

if(core_sources OR loop_sources)
  add_library(numloom_core STATIC ${core_sources} ${loop_objects})
  set_target_properties(numloom_core PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(numloom_core PUBLIC src include)
  target_link_libraries(numloom_core PUBLIC numloom_flags numloom_deps)
else()
  add_library(numloom_core INTERFACE)
  target_include_directories(numloom_core INTERFACE src include)
  target_link_libraries(numloom_core INTERFACE numloom_flags numloom_deps)
endif()
