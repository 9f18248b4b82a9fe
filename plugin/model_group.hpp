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

// A group of MoveIt's robot model as the tables that the solver takes.

#ifndef DQ_IK__MODEL_GROUP_HPP_
#define DQ_IK__MODEL_GROUP_HPP_

#include "group.hpp"
#include "moveit_headers.hpp"

namespace dq_ik
{

struct ModelGroup {
    Group group;
    std::vector<std::string> joint_names;      // those that the values belong to
    std::vector<std::string> link_names;       // links whose poses may be asked for
    std::vector<dq_ik_tip> links;              // they, as tips
    std::vector<size_t> outside_variables;     // where a state of the robot has the other values
    std::vector<double> outside_defaults;
};

// Throws std::invalid_argument with a sentence.
ModelGroup read_group(const moveit::core::RobotModel & model,
                      const moveit::core::JointModelGroup & joints, const std::string & base,
                      const std::vector<std::string> & tips);

// Why no solver can be made for a group; empty: one can.
std::string fault_of(const moveit::core::JointModelGroup & joints);

}  // namespace dq_ik

#endif  // DQ_IK__MODEL_GROUP_HPP_
