# libnumloom.so: the engine for C++ programs, and the package that find_package(numloom) finds.
#
# numloom/functions.hpp declares one function for each row of the operation table that is a function of its own. It and
# the definitions are made here, so that the public headers need nothing of src/.
file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/src/ops/table.def" operation_rows REGEX "^NL_OP\\(")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/ops/table.def")
set(declarations "")
set(definitions "")
foreach(row IN LISTS operation_rows)
  if(NOT row MATCHES "^NL_OP\\(([A-Za-z0-9]+), \"([a-z0-9_]+)\", ([123]), \"([^\"]*)\", ([A-Za-z0-9]+), ([A-Z_ |]+)\\)")
    message(FATAL_ERROR "cmake/NumloomApi.cmake does not understand this row of src/ops/table.def: ${row}")
  endif()
  set(id "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  set(inputs "${CMAKE_MATCH_3}")
  set(loops "${CMAKE_MATCH_4}")
  set(traits "${CMAKE_MATCH_6}")
  if(traits MATCHES "T_INTERNAL")
    continue()
  endif()
  if(traits MATCHES "T_SPECIAL")
    set(origin "scipy.special.${name}")
  else()
    set(origin "numpy.${name}")
  endif()
  if(inputs EQUAL 1)
    set(parameters "const Array& a")
    set(arguments "a")
  else()
    set(parameters "const Value& a, const Value& b")
    set(arguments "a, b")
  endif()
  string(APPEND declarations
    "/// ${origin}; loops for ${loops} (NumPy's dtype codes).\nNUMLOOM_API Array ${name}(${parameters});\n")
  string(APPEND definitions
    "Array ${name}(${parameters}) { return api::recorded(NL_SITE, OpCode::${id}, {${arguments}}); }\n")
endforeach()
set(NUMLOOM_GENERATED_INCLUDE "${CMAKE_CURRENT_BINARY_DIR}/generated/include")
file(CONFIGURE OUTPUT "${NUMLOOM_GENERATED_INCLUDE}/numloom/functions.hpp" @ONLY CONTENT
"/// \\file
/// Elementwise functions, made from the operation table. Shapes broadcast, dtypes promote as NumPy's; Value and Type are
/// thrown where they do not fit. At least one operand must be an array.
#pragma once

#include \"numloom/array.hpp\"

NUMLOOM_NAMESPACE_BEGIN

${declarations}
NUMLOOM_NAMESPACE_END
")

set(api_functions "${CMAKE_CURRENT_BINARY_DIR}/generated/api_functions.cpp")
file(CONFIGURE OUTPUT "${api_functions}" @ONLY CONTENT
"#include \"api/internal.hpp\"

namespace numloom {
inline namespace v1 {

${definitions}
}  // namespace v1
}  // namespace numloom
")

file(GLOB api_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/api/*.cpp")
add_library(numloom_api OBJECT ${api_sources} "${api_functions}")
target_include_directories(numloom_api PUBLIC src include "${NUMLOOM_GENERATED_INCLUDE}")
# Not numloom_core itself: who links these objects takes the whole archive.
target_link_libraries(numloom_api PUBLIC numloom_flags numloom_deps)

add_library(numloom SHARED)
add_library(numloom::numloom ALIAS numloom)
# Everything of the archive is kept, since tables register themselves; only what is marked NUMLOOM_API is exported.
target_link_libraries(numloom PRIVATE numloom_api "$<LINK_LIBRARY:WHOLE_ARCHIVE,numloom_core>")
target_link_options(numloom PRIVATE -Wl,--exclude-libs,ALL)
target_compile_features(numloom INTERFACE cxx_std_20)
target_include_directories(numloom INTERFACE
  "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${NUMLOOM_GENERATED_INCLUDE}>")

# Inside a wheel everything lies below the package, where numloom.cmake_dir() finds it. (No versioned links there: a
# wheel holds no links, so it would hold the library three times.)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
if(SKBUILD)
  set(api_include numloom/include)
  set(api_lib numloom/lib)
  set(api_component python)
else()
  set(api_include ${CMAKE_INSTALL_INCLUDEDIR})
  set(api_lib ${CMAKE_INSTALL_LIBDIR})
  set(api_component cpp)
  set_target_properties(numloom PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endif()
set(api_cmake "${api_lib}/cmake/numloom")
install(TARGETS numloom EXPORT numloom-targets LIBRARY DESTINATION ${api_lib} COMPONENT ${api_component}
  NAMELINK_COMPONENT ${api_component} INCLUDES DESTINATION ${api_include})
install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/include/numloom" "${NUMLOOM_GENERATED_INCLUDE}/numloom"
  DESTINATION ${api_include} COMPONENT ${api_component} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT numloom-targets NAMESPACE numloom:: DESTINATION ${api_cmake} COMPONENT ${api_component})
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/numloom-config.cmake" @ONLY CONTENT
  "include(\"\${CMAKE_CURRENT_LIST_DIR}/numloom-targets.cmake\")\n")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/numloom-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/numloom-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/numloom-config-version.cmake"
  DESTINATION ${api_cmake} COMPONENT ${api_component})
if(TARGET numloom_mpi)
  # The engine looks for the MPI transport beside the library that it is part of.
  install(TARGETS numloom_mpi LIBRARY DESTINATION ${api_lib} COMPONENT ${api_component})
endif()
