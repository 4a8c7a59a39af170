# One GoogleTest binary from tests/cpp/*.cpp and tests/gpu/*.cpp (whose tests skip themselves where there is no GPU).
find_package(GTest REQUIRED)
include(GoogleTest)
file(GLOB test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/*.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/tests/gpu/*.cpp")
if(test_sources)
  add_executable(numloom_tests ${test_sources})
  target_include_directories(numloom_tests PRIVATE tests/cpp tests/gpu)
  target_link_libraries(numloom_tests PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,numloom_core>" numloom_api GTest::gtest GTest::gtest_main)
  if(NUMLOOM_SANITIZE)
    set(test_timeout 1800)  # several times slower, and nobody waits for it
  else()
    set(test_timeout 300)
  endif()
  gtest_discover_tests(numloom_tests DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${test_timeout})
endif()

# Small C++ benchmarks, one program a file; built when asked for: ninja -C build/release NAME.
file(GLOB bench_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/cpp/*_bench.cpp")
foreach(source IN LISTS bench_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,numloom_core>")
endforeach()
