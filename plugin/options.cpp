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

#include "options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace dq_ik
{

const std::vector<Setting> & settings()
{
    using O = Options;
    static const std::vector<Setting> all = {
        {"method", &O::method, 0, 0, {"pgs", "pls"},
         "Projected Gauss-Seidel (pgs) or projected line search (pls)."},
        {"mode", &O::mode, 0, 0, {"speed", "distance", "distance_max", "manipulability"},
         "Which solution: the first found (speed), nearest to the seed (distance, or distance_max "
         "by the largest joint change), or the most manipulable."},
        {"position_only_ik", &O::position_only_ik, 0, 0, {},
         "Only the position of the tip counts, its rotation is free."},
        {"position_tolerance", &O::position_tolerance, 1e-12, 1.0, {},
         "Distance from the goal that counts as reached [m]."},
        {"rotation_tolerance", &O::rotation_tolerance, 1e-12, 3.141592653589793, {},
         "Angle from the goal that counts as reached [rad]."},
        {"rotation_scale", &O::rotation_scale, 0.0, 100.0, {},
         "Length that weighs a radian against a metre [m/rad]; 0: 0.3 of the reach."},
        {"max_joint_step", &O::max_joint_step, 0.0, 1e6, {},
         "Largest change of a joint from the seed [rad or m]; 0: any."},
        {"center_joints_weight", &O::center_joints_weight, 0.0, 1.0, {},
         "Pull to the middle of the limits where the goal leaves joints free."},
        {"minimal_displacement_weight", &O::minimal_displacement_weight, 0.0, 1.0, {},
         "Pull to the seed where the goal leaves joints free."},
        {"avoid_joint_limits_weight", &O::avoid_joint_limits_weight, 0.0, 1.0, {},
         "Push away from near limits where the goal leaves joints free."},
        {"posture_iterations", &O::posture_iterations, 0, 1000, {},
         "Iterations spent on these three weights."},
        {"max_restarts", &O::max_restarts, 0, 10000, {},
         "Further starts after the seed; 0 keeps to the seed."},
        {"max_iterations", &O::max_iterations, 0, 1000000, {},
         "Iterations of one attempt; 0: 30."},
        {"max_solutions", &O::max_solutions, 1, 1000, {},
         "Solutions at most, where a caller asks for several or gives a cost function."},
        {"random_seed", &O::random_seed, 0, 2147483647, {},
         "Shifts the sequence of starts; the same number gives the same answers."},
    };
    return all;
}

namespace
{

std::string listing(const std::vector<std::string> & words)
{
    std::string text;
    for (const std::string & word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string fault_of(const Setting & setting, const std::string & word)
{
    const auto & choices = setting.choices;
    if (std::find(choices.begin(), choices.end(), word) != choices.end())
        return {};
    return setting.name + (" is one of " + listing(choices)) + ", got '" + word + "'";
}

std::string fault_of(const Setting & setting, double number)
{
    if (number >= setting.minimum && number <= setting.maximum)
        return {};
    char text[200];
    std::snprintf(text, sizeof text, "%s is between %g and %g, got %g", setting.name,
                  setting.minimum, setting.maximum, number);
    return text;
}

}  // namespace

std::string fault_of(const Options & options)
{
    for (const Setting & setting : settings()) {
        const std::string fault = std::visit([&](auto field) -> std::string {
            using Type = std::decay_t<decltype(options.*field)>;
            if constexpr (std::is_same_v<Type, bool>)
                return {};
            else if constexpr (std::is_same_v<Type, std::string>)
                return fault_of(setting, options.*field);
            else
                return fault_of(setting, double(options.*field));
        }, setting.field);
        if (!fault.empty())
            return fault;
    }
    return {};
}

int64_t number_of(const char * setting, const std::string & choice)
{
    for (const Setting & one : settings())
        if (std::strcmp(one.name, setting) == 0)
            return std::find(one.choices.begin(), one.choices.end(), choice) - one.choices.begin();
    return 0;
}

}  // namespace dq_ik
