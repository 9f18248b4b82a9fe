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

#include "link_poses.hpp"

namespace dq_ik
{

LinkPoses::LinkPoses(const Group & group, const std::vector<dq_ik_tip> & links)
: robot_(group, links, 1, 0)
{
}

bool LinkPoses::write(const std::vector<double> & values, const std::vector<double> & outside,
                      std::vector<double> & poses_out) const
{
    auto lease = pool_.take(robot_);
    Work & work = *lease;
    robot_.gather(values.data(), outside.data(), work.q.data());
    poses_out.resize(7 * size_t(dq_ik_robot_n_tips(robot_.block())));
    return dq_ik_fk(robot_.block(), work.q.data(), 1, DQ_IK_POSE_XYZ_XYZW, poses_out.data(),
                    work.memory.data()) == 0;
}

}  // namespace dq_ik
