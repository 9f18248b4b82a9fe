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

// The request that options stand for: all of it but goals, seed and bounds.

#ifndef DQ_IK__USUAL_REQUEST_HPP_
#define DQ_IK__USUAL_REQUEST_HPP_

#include "options.hpp"
#include "packed_robot.hpp"

namespace dq_ik
{

// max_joint_step is no part of it: it bounds the way from the seed, whatever the start.
Words usual_request(const PackedRobot & robot, const Options & options);

}  // namespace dq_ik

#endif  // DQ_IK__USUAL_REQUEST_HPP_
