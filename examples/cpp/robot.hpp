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

// Two ways to a robot: a table of joints, or a file. Both give an empty one if something is wrong.

#include <dq_ik.h>

#include <cstdio>
#include <vector>

using Words = std::vector<double>;  // memory of the library is counted in words of eight bytes

// A joint in the frame of its parent: where it is [m], its axis, its limits [rad].
constexpr dq_ik_joint hinge(int parent, double y, double z, double axis_y, double axis_z,
                            double lower, double upper)
{
    return {DQ_IK_JOINT_REVOLUTE, double(parent), {1, 0, 0, 0, 0, y, z}, {0, axis_y, axis_z},
            lower, upper, -1, 1, 0, {0, 0}, 0, 0};
}

constexpr dq_ik_joint arm[] = {
    hinge(-1, 0.0, 0.30, 0, 1, -3.0, 3.0), hinge(0, 0.1, 0.00, 1, 0, -2.0, 2.0),
    hinge(1, 0.0, 0.45, 1, 0, -2.5, 2.5),  hinge(2, 0.0, 0.20, 0, 1, -3.0, 3.0),
    hinge(3, 0.0, 0.25, 1, 0, -2.1, 2.1),  hinge(4, 0.0, 0.10, 0, 1, -3.0, 3.0)};
constexpr dq_ik_tip flange = {5, {1, 0, 0, 0, 0, 0, 0.08}};

// The robot of the table above.
inline Words packed()
{
    const int64_t joints = sizeof arm / sizeof *arm, starts = 512;
    Words memory(dq_ik_pack_memory_size(joints));
    const int64_t size = dq_ik_robot_size(arm, joints, &flange, 1, starts, memory.data());
    if (size < 0) {
        std::fprintf(stderr, "row %d of the table: %s\n", int(DQ_IK_FAULT_ROW(size)),
                     dq_ik_pack_text(DQ_IK_FAULT(size)));
        return {};
    }
    Words robot(size);
    dq_ik_robot(arm, joints, &flange, 1, starts, 0, robot.data(), memory.data());
    return robot;
}

// The robot of a file that 'dq_ik export' has written.
inline Words loaded(const char *path)
{
    Words robot;
    if (std::FILE *file = std::fopen(path, "rb")) {
        for (double word; std::fread(&word, sizeof word, 1, file) == 1;)
            robot.push_back(word);
        std::fclose(file);
    }
    if (dq_ik_check_robot(robot.data(), int64_t(robot.size())) < 0) {
        std::fprintf(stderr, "%s is no whole robot of version %s\n", path, DQ_IK_VERSION);
        return {};
    }
    return robot;
}
