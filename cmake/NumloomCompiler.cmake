# Compiler and linker flags that every target of ours shares.
include(CheckLinkerFlag)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The loops ask for -O3 themselves; everything else gains nothing from it but size.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1")  # for the sanitizers: asserts stay

find_program(NUMLOOM_CCACHE ccache)
if(NUMLOOM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${NUMLOOM_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NUMLOOM_CCACHE}")
endif()

add_library(numloom_flags INTERFACE)
# No contraction and no reassociation: + - * / sqrt round once each, as NumPy's do (docs/design.md, "Semantics").
target_compile_options(numloom_flags INTERFACE
  -ffp-contract=off -fno-math-errno -ffunction-sections -fdata-sections -Wall -Wextra
  # Type objects and method tables of CPython are filled by name and cast by convention.
  -Wno-missing-field-initializers -Wno-cast-function-type)
target_link_options(numloom_flags INTERFACE -Wl,--gc-sections)
if(NUMLOOM_WERROR)
  target_compile_options(numloom_flags INTERFACE -Werror)
endif()

if(NUMLOOM_SANITIZE)
  target_compile_options(numloom_flags INTERFACE
    -fsanitize=${NUMLOOM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(numloom_flags INTERFACE -fsanitize=${NUMLOOM_SANITIZE})
endif()

foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} NUMLOOM_LINKER_${linker})
  if(NUMLOOM_LINKER_${linker})
    target_link_options(numloom_flags INTERFACE -fuse-ld=${linker})
    break()
  endif()
endforeach()
