# numloom._core: nanobind for the most, plain C files for the array type's hot slots. All objects of the archive are kept, since
# tables register themselves; --gc-sections drops what nothing reaches.
find_package(Python 3.11 COMPONENTS Interpreter Development.Module REQUIRED)

file(GLOB binding_sources CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/python/bindings/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/python/bindings/*.c")
if(binding_sources)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT COMMAND_ERROR_IS_FATAL ANY)
  find_package(nanobind CONFIG REQUIRED)
  nanobind_add_module(_core NB_STATIC NOMINSIZE NOSTRIP ${binding_sources})
  # nanobind's own headers are not ours to keep free of warnings.
  get_target_property(nanobind_include nanobind-static INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(nanobind-static PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${nanobind_include}")
  target_include_directories(_core SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
  target_include_directories(_core PRIVATE python/bindings)
  target_link_libraries(_core PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,numloom_core>")
  set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${NUMLOOM_PACKAGE_DIR}")
  install(TARGETS _core LIBRARY DESTINATION numloom COMPONENT python)
else()
  message(STATUS "numloom: python/bindings holds no sources, so no extension is built")
endif()
