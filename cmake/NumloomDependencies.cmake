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

message(STATUS "numloom: sleef ${NUMLOOM_HAS_SLEEF}, libmvec ${NUMLOOM_HAS_LIBMVEC}, xbyak ${NUMLOOM_HAS_XBYAK}")
