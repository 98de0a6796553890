# find_package(midrun): midrun::midrun links a program with libmidrun, whichever MPI it uses. midrun::marks gives the header alone: marks and
# exposed variables are weak (MIDRUN_MARK), and the program needs no midrun to link or to run.
get_filename_component(_midrun_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET midrun::midrun)
  add_library(midrun::midrun SHARED IMPORTED)
  set_target_properties(midrun::midrun PROPERTIES
    IMPORTED_LOCATION "${_midrun_prefix}/lib/libmidrun.so"
    IMPORTED_SONAME "libmidrun.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_midrun_prefix}/include")
  add_library(midrun::marks INTERFACE IMPORTED)
  set_target_properties(midrun::marks PROPERTIES
    INTERFACE_COMPILE_DEFINITIONS MIDRUN_WEAK
    INTERFACE_INCLUDE_DIRECTORIES "${_midrun_prefix}/include")
endif()
unset(_midrun_prefix)
