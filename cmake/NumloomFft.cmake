# libnumloom_fft_<instruction set>.so: Fourier transforms by ducc, one library for each set, opened at run time by the
# one that the processor wants. They hold copies of the standard library's inline functions, hence everything is local but
# the entry. NUMLOOM_DUCC_INCLUDE is the folder `src` of ducc0's source distribution (./loom fetches it); without it
# transforms run on the host.
set(NUMLOOM_DUCC_INCLUDE "" CACHE PATH "The folder src of ducc0's source distribution")
if(EXISTS "${NUMLOOM_DUCC_INCLUDE}/ducc0/fft/fft.h")
  foreach(target IN LISTS NUMLOOM_TARGETS)
    add_library(numloom_fft_${target} MODULE src/library/fft/ducc.cpp)
    target_include_directories(numloom_fft_${target} PRIVATE src src/library/fft)
    target_include_directories(numloom_fft_${target} SYSTEM PRIVATE "${NUMLOOM_DUCC_INCLUDE}")
    target_compile_definitions(numloom_fft_${target} PRIVATE
      DUCC0_NAMESPACE=numloom_ducc_${target} DUCC0_CUSTOM_LOWLEVEL_THREADING)
    # ducc writes its vectors itself. What GCC 12 adds uses fused operations in spite of -ffp-contract=off, so that a
    # value would depend on whether its line was computed by itself or beside others.
    target_compile_options(numloom_fft_${target} PRIVATE -O3 -fno-tree-vectorize ${target_flags_${target}})
    target_link_libraries(numloom_fft_${target} PRIVATE numloom_flags Threads::Threads)
    target_link_options(numloom_fft_${target} PRIVATE
      -Wl,--no-undefined "-Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/fft_exports.map")
    set_target_properties(numloom_fft_${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${NUMLOOM_PACKAGE_DIR}")
    install(TARGETS numloom_fft_${target} LIBRARY DESTINATION numloom COMPONENT python)
  endforeach()
  message(STATUS "numloom: ducc yes")
else()
  message(STATUS "numloom: ducc no")
endif()
