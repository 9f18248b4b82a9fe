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

// Forward kinematics of a group: the pose of any link that it carries.

#ifndef DQ_IK__LINK_POSES_HPP_
#define DQ_IK__LINK_POSES_HPP_

#include "packed_robot.hpp"
#include "pool.hpp"

namespace dq_ik
{

class LinkPoses
{
public:
    // One tip for each link. Throws std::invalid_argument with a sentence.
    LinkPoses(const Group & group, const std::vector<dq_ik_tip> & links);

    // Write the poses of all links, each as x y z, x y z w; false: a value is not finite.
    bool write(const std::vector<double> & values, const std::vector<double> & outside,
               std::vector<double> & poses_out) const;

private:
    struct Work {
        explicit Work(const PackedRobot & robot)
        : q(robot.sources().size()), memory(size_t(dq_ik_memory_size(robot.block())))
        {
        }
        Words q, memory;
    };

    PackedRobot robot_;
    mutable Pool<Work> pool_;
};

}  // namespace dq_ik

#endif  // DQ_IK__LINK_POSES_HPP_
