# Parts that are used where the machine has them. Each adds its definition to numloom_deps and says what was found.
include(CheckCXXSourceCompiles)
find_package(Threads REQUIRED)

add_library(numloom_deps INTERFACE)
target_link_libraries(numloom_deps INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(NUMLOOM_X86 ON)
  target_compile_definitions(numloom_deps INTERFACE NUMLOOM_X86=1)
else()
  set(NUMLOOM_X86 OFF)
endif()

# SLEEF: the vector functions that keep the accuracy rule. Static where there is a static archive.
find_path(NUMLOOM_SLEEF_INCLUDE sleef.h)
find_library(NUMLOOM_SLEEF_LIBRARY NAMES libsleef.a sleef)
if(NUMLOOM_SLEEF_INCLUDE AND NUMLOOM_SLEEF_LIBRARY)
  target_include_directories(numloom_deps SYSTEM INTERFACE "${NUMLOOM_SLEEF_INCLUDE}")
  target_link_libraries(numloom_deps INTERFACE "${NUMLOOM_SLEEF_LIBRARY}")
  target_compile_definitions(numloom_deps INTERFACE NUMLOOM_SLEEF=1)
  set(NUMLOOM_HAS_SLEEF yes)
else()
  set(NUMLOOM_HAS_SLEEF no)
endif()

# glibc's vector functions; its erf came with glibc 2.35, older ones count as absent.
set(NUMLOOM_HAS_LIBMVEC no)
if(NUMLOOM_X86)
  set(CMAKE_REQUIRED_LIBRARIES mvec m)
  set(CMAKE_REQUIRED_FLAGS "-mavx2")
  check_cxx_source_compiles("#include <immintrin.h>
    extern \"C\" __m256d _ZGVdN4v_erf(__m256d);
    int main(int n, char**) { return int(_mm256_cvtsd_f64(_ZGVdN4v_erf(_mm256_set1_pd(n)))); }" NUMLOOM_LIBMVEC_LINKS)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NUMLOOM_LIBMVEC_LINKS)
    target_link_libraries(numloom_deps INTERFACE mvec m)
    target_compile_definitions(numloom_deps INTERFACE NUMLOOM_LIBMVEC=1)
    set(NUMLOOM_HAS_LIBMVEC yes)
  endif()
endif()

# Xbyak: run-time code generation for x86-64, headers only.
find_path(NUMLOOM_XBYAK_INCLUDE xbyak/xbyak.h)
set(NUMLOOM_HAS_XBYAK no)
if(NUMLOOM_X86 AND NUMLOOM_XBYAK_INCLUDE)
  target_include_directories(numloom_deps SYSTEM INTERFACE "${NUMLOOM_XBYAK_INCLUDE}")
  target_compile_definitions(numloom_deps INTERFACE NUMLOOM_XBYAK=1)
  set(NUMLOOM_HAS_XBYAK yes)
endif()

# CUDA: headers only. The driver and NVRTC are opened at run time, so a build with CUDA runs where there is none.
set(NUMLOOM_HAS_CUDA no)
if(NUMLOOM_CUDA)
  file(GLOB wheels LIST_DIRECTORIES true
    "${CMAKE_CURRENT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cuda_runtime"
    "${CMAKE_CURRENT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu1[0-9]")
  find_path(NUMLOOM_CUDA_INCLUDE cuda.h
    HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda ${wheels} PATH_SUFFIXES include)
  if(NUMLOOM_CUDA_INCLUDE AND EXISTS "${NUMLOOM_CUDA_INCLUDE}/nvrtc.h")
    target_include_directories(numloom_deps SYSTEM INTERFACE "${NUMLOOM_CUDA_INCLUDE}")
    target_compile_definitions(numloom_deps INTERFACE NUMLOOM_CUDA=1)
    set(NUMLOOM_HAS_CUDA yes)
  endif()
endif()

message(STATUS "numloom: sleef ${NUMLOOM_HAS_SLEEF}, libmvec ${NUMLOOM_HAS_LIBMVEC}, xbyak ${NUMLOOM_HAS_XBYAK}, "
  "cuda headers ${NUMLOOM_HAS_CUDA}")
