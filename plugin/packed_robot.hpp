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

// A robot as the library has it, and the way from the values of a group to its variables and back.

#ifndef DQ_IK__PACKED_ROBOT_HPP_
#define DQ_IK__PACKED_ROBOT_HPP_

#include "group.hpp"

namespace dq_ik
{

class PackedRobot
{
public:
    // Where a variable of the robot has its value from.
    struct Source {
        size_t place;         // in the values of the group, or in those outside of it
        bool is_outside;
        double lower, upper;  // limits of the robot and of the value
    };

    // How a value of the group follows from a variable; some do not, and keep their seed.
    struct Follower {
        size_t value, variable, joint;  // the joint as its number among those of the group
        double multiplier, offset;
        bool is_heading;  // of a planar joint without limits: MoveIt wants it within half a turn
    };

    // Throws std::invalid_argument with a sentence where the table is bad.
    PackedRobot(const Group & group, const std::vector<dq_ik_tip> & tips, int64_t n_starts,
                int64_t shift);

    const double * block() const { return block_.data(); }
    const std::vector<Source> & sources() const { return sources_; }
    const std::vector<Follower> & followers() const { return followers_; }
    size_t n_joints() const { return n_joints_; }  // of the group, those with values

    // Write the variables q_out that values stand for.
    void gather(const double * values, const double * outside, double * q_out) const;

    // Write the values of variables q; those of joints that lead to no tip are left as they are.
    void scatter(const double * q, double * values_out) const;

private:
    void pack(const Group & group, const std::vector<dq_ik_tip> & tips, int64_t n_starts,
              int64_t shift);
    Source source(const Group & group, int64_t variable) const;

    Words block_;
    std::vector<Source> sources_;      // one for each variable
    std::vector<Follower> followers_;
    size_t n_joints_ = 0;
};

}  // namespace dq_ik

#endif  // DQ_IK__PACKED_ROBOT_HPP_
