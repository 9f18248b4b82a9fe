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

// The settings of a solver: names, defaults and ranges are those of the Python class IkOptions.

#ifndef DQ_IK__OPTIONS_HPP_
#define DQ_IK__OPTIONS_HPP_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dq_ik
{

struct Options {
    std::string method = "pgs";
    std::string mode = "speed";
    bool position_only_ik = false;
    double position_tolerance = 1e-5;  // [m]
    double rotation_tolerance = 1e-5;  // [rad]
    double rotation_scale = 0.0;       // [m/rad]
    double max_joint_step = 0.0;       // [rad or m]
    double center_joints_weight = 0.0;
    double minimal_displacement_weight = 0.0;
    double avoid_joint_limits_weight = 0.0;
    int64_t posture_iterations = 20;
    int64_t max_restarts = 100;
    int64_t max_iterations = 0;
    int64_t max_solutions = 16;
    int64_t random_seed = 0;
};

// What people may set, and to what.
struct Setting {
    const char * name;
    std::variant<std::string Options::*, bool Options::*, double Options::*, int64_t Options::*>
        field;
    double minimum, maximum;                   // of numbers
    std::vector<std::string> choices;  // of words, in the order of the library's enum
    const char * description;
};

const std::vector<Setting> & settings();

// A sentence about the first setting that is out of its range; empty: all are right.
std::string fault_of(const Options & options);

// Number of a method or mode in the library.
int64_t number_of(const char * setting, const std::string & choice);

}  // namespace dq_ik

#endif  // DQ_IK__OPTIONS_HPP_
