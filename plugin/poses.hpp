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

// Poses between ROS and the library: x y z, then the quaternion x y z w.

#ifndef DQ_IK__POSES_HPP_
#define DQ_IK__POSES_HPP_

#include <geometry_msgs/msg/pose.hpp>

#include <vector>

namespace dq_ik
{

inline geometry_msgs::msg::Pose pose_of(const double * numbers)
{
    geometry_msgs::msg::Pose pose;
    pose.position.x = numbers[0];
    pose.position.y = numbers[1];
    pose.position.z = numbers[2];
    pose.orientation.x = numbers[3];
    pose.orientation.y = numbers[4];
    pose.orientation.z = numbers[5];
    pose.orientation.w = numbers[6];
    return pose;
}

inline std::vector<double> numbers_of(const std::vector<geometry_msgs::msg::Pose> & poses)
{
    std::vector<double> numbers;
    numbers.reserve(7 * poses.size());
    for (const auto & [position, orientation] : poses)
        numbers.insert(numbers.end(), {position.x, position.y, position.z, orientation.x,
                                       orientation.y, orientation.z, orientation.w});
    return numbers;
}

}  // namespace dq_ik

#endif  // DQ_IK__POSES_HPP_
