// Copyright 2026 The dq_ik Authors
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// The settings of a solver as parameters of a node, in MoveIt's place for those of a group.

#ifndef DQ_IK__PARAMETERS_HPP_
#define DQ_IK__PARAMETERS_HPP_

#include "options.hpp"

#include <rclcpp/node.hpp>

namespace dq_ik
{

// Throws std::invalid_argument with a sentence where a parameter is of another type.
Options read_options(rclcpp::Node & node, const std::string & group);

}  // namespace dq_ik

#endif  // DQ_IK__PARAMETERS_HPP_
