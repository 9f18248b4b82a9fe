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
