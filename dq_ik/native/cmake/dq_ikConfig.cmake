# The native library of dq_ik: target_link_libraries(program PRIVATE dq_ik::dq_ik)
# Everything is found from the place of this file, PREFIX/lib/cmake/dq_ik.

get_filename_component(_dq_ik_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET dq_ik::dq_ik)
  add_library(dq_ik::dq_ik SHARED IMPORTED)
  set_target_properties(dq_ik::dq_ik PROPERTIES
    IMPORTED_LOCATION "${_dq_ik_prefix}/lib/libdq_ik.so"
    IMPORTED_SONAME libdq_ik.so
    INTERFACE_INCLUDE_DIRECTORIES "${_dq_ik_prefix}/include"
  )
endif()

foreach(_dq_ik_file lib/libdq_ik.so include/dq_ik.h)
  if(NOT EXISTS "${_dq_ik_prefix}/${_dq_ik_file}")
    set(dq_ik_FOUND FALSE)
    set(dq_ik_NOT_FOUND_MESSAGE "${_dq_ik_prefix}/${_dq_ik_file} is missing")
  endif()
endforeach()

unset(_dq_ik_file)
unset(_dq_ik_prefix)
