# Copyright 2026 The dq_ik Authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

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
