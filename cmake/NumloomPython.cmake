# numloom._core: the array type and the engine for Python, in the raw CPython API. All objects of the archive are kept, since tables
# register themselves; --gc-sections drops what nothing reaches.
find_package(Python 3.11 COMPONENTS Interpreter Development.Module REQUIRED)

file(GLOB binding_sources CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/python/bindings/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/python/bindings/*.c")
if(binding_sources)
  Python_add_library(_core MODULE WITH_SOABI ${binding_sources})
  # The interpreter's own headers are not ours to keep free of warnings.
  target_include_directories(_core SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
  target_include_directories(_core PRIVATE python/bindings)
  target_link_libraries(_core PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,numloom_core>")
  set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${NUMLOOM_PACKAGE_DIR}")
  install(TARGETS _core LIBRARY DESTINATION numloom COMPONENT python)
else()
  message(STATUS "numloom: python/bindings holds no sources, so no extension is built")
endif()
