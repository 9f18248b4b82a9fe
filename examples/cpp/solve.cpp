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

// Inverse kinematics from C++: no Python, no exceptions, no allocation while solving.
//
//     ./solve                  # the arm of the table in robot.hpp
//     ./solve arm.dqik         # a robot that 'dq_ik export robot.urdf arm.dqik' has written
//     ./solve arm.dqik 100     # how many answers to print

#include "robot.hpp"

#include <chrono>
#include <cstdlib>
#include <random>

int main(int count, char **words)
{
    const Words robot = count > 1 ? loaded(words[1]) : packed();
    if (robot.empty() || dq_ik_robot_n_tips(robot.data()) != 1)
        return 1;
    const int64_t n = dq_ik_robot_n(robot.data()), poses = 10000;

    // All memory, once. The request holds the options: with max_restarts 0, and the last answer
    // as the seed of each solve, it would follow a stream of goals.
    Words memory(dq_ik_memory_size(robot.data())), request(dq_ik_request_size(robot.data()));
    dq_ik_request(robot.data(), request.data());
    dq_ik_request_set_timeout(request.data(), 0.01);
    Words answer(dq_ik_answer_size(request.data()));

    // Goals within reach, as ROS writes them: position x y z, then the quaternion x y z w.
    Words u(poses * n), q(poses * n), goals(poses * 7);
    std::mt19937 random;
    for (double &number : u)
        number = random() / 4294967296.0;
    dq_ik_spread(robot.data(), u.data(), poses, q.data());
    dq_ik_fk(robot.data(), q.data(), poses, DQ_IK_POSE_XYZ_XYZW, goals.data(), memory.data());

    const auto solve = [&](int64_t row) {  // a status; below zero: a fault, see dq_ik_fault_text()
        return dq_ik_solve(robot.data(), request.data(), 1, &goals[7 * row], DQ_IK_POSE_XYZ_XYZW,
                           1, nullptr, 0, 0.0, answer.data(), 1, memory.data());
    };
    for (int row = 0, shown = count > 2 ? std::atoi(words[2]) : 3; row < shown; ++row) {
        const int64_t status = solve(row % poses);
        for (int64_t i = 0; i < n; ++i)
            std::printf("%.17g ", dq_ik_answer_q(answer.data())[i]);
        std::printf(": %s\n", dq_ik_status_text(status));
    }

    int reached = 0;
    const auto start = std::chrono::steady_clock::now();
    for (int64_t row = 0; row < poses; ++row)
        reached += solve(row) == DQ_IK_STATUS_CONVERGED;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    std::printf("%d of %d poses reached, %.3f us each\n", reached, int(poses),
                1e6 * time.count() / double(poses));
    return 0;
}
