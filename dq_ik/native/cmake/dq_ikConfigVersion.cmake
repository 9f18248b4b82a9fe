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

# The version is the header's. A request fits if the first number is the same (before 1.0: the
# first two), and the version is not older than asked for.

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../../../include/dq_ik.h" _dq_ik_line
  REGEX "^#define DQ_IK_VERSION ")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" PACKAGE_VERSION "${_dq_ik_line}")
unset(_dq_ik_line)

set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
elseif(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" _dq_ik_series "${PACKAGE_VERSION}")
  if("${PACKAGE_FIND_VERSION}." MATCHES "^${_dq_ik_series}\\." OR PACKAGE_FIND_VERSION STREQUAL "")
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
  unset(_dq_ik_series)
endif()
if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
