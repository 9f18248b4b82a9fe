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

// What a solver moves: the joints of a robot as a table, and the numbers by which callers know
// those of a group.

#ifndef DQ_IK__GROUP_HPP_
#define DQ_IK__GROUP_HPP_

#include <dq_ik.h>

#include <string>
#include <vector>

namespace dq_ik
{

using Words = std::vector<double>;  // memory of the library is counted in words of eight bytes

// One number of a joint, as callers order them.
struct Value {
    int64_t joint;        // row of its joint in the table
    int64_t part;         // its number within the joint
    double lower, upper;  // limits [rad or m]; infinite where there is none
};

struct Group {
    std::vector<dq_ik_joint> joints;  // of the whole robot, parents first
    std::vector<std::string> names;   // theirs
    std::vector<dq_ik_tip> tips;
    std::vector<Value> values;   // of the joints in the group, in the order of seeds and solutions
    std::vector<Value> outside;  // of the other joints: these stay where they are
};

}  // namespace dq_ik

#endif  // DQ_IK__GROUP_HPP_
