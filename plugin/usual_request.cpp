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

#include "usual_request.hpp"

#include <cmath>

namespace dq_ik
{

namespace
{

// Pull to the middle of the limits, and push away from them.
void write_posture(const PackedRobot & robot, const Options & options, double * request_out)
{
    const double centre = options.center_joints_weight;
    const double repel = options.avoid_joint_limits_weight;
    const double stay = options.minimal_displacement_weight;
    for (size_t i = 0; i < robot.sources().size(); ++i) {
        const auto & source = robot.sources()[i];
        const bool is_bounded = std::isfinite(source.upper - source.lower);
        dq_ik_request_pull(request_out)[i] = is_bounded ? centre : 0.0;
        dq_ik_request_rest(request_out)[i] = is_bounded ? 0.5 * (source.lower + source.upper) : 0.0;
        dq_ik_request_repel(request_out)[i] = repel;
    }
    dq_ik_request_set_stay(request_out, stay);
    const bool is_wanted = centre > 0.0 || repel > 0.0 || stay > 0.0;
    dq_ik_request_set_posture_iterations(request_out, is_wanted ? options.posture_iterations : 0);
}

}  // namespace

Words usual_request(const PackedRobot & robot, const Options & options)
{
    Words words(size_t(dq_ik_request_size(robot.block())));
    double * request = words.data();
    dq_ik_request(robot.block(), request);
    dq_ik_request_set_method(request, number_of("method", options.method));
    dq_ik_request_set_mode(request, number_of("mode", options.mode));
    dq_ik_request_set_max_restarts(request, options.max_restarts);
    if (options.max_iterations > 0)
        dq_ik_request_set_max_iterations(request, options.max_iterations);
    write_posture(robot, options, request);
    for (int64_t k = 0; k < dq_ik_request_n_tips(request); ++k) {
        dq_ik_goal & goal = dq_ik_request_goals(request)[k];
        goal.tolerance[0] = options.position_tolerance;
        goal.tolerance[1] = options.rotation_tolerance;
        for (int axis = 3; axis < 6; ++axis)
            goal.weight[axis] = options.position_only_ik ? 0.0
                : options.rotation_scale > 0.0 ? options.rotation_scale : goal.weight[axis];
    }
    return words;
}

}  // namespace dq_ik
