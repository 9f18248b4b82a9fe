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

// Inverse kinematics of a group: distinct solutions, one after the other, until one is taken.

#ifndef DQ_IK__GROUP_SOLVER_HPP_
#define DQ_IK__GROUP_SOLVER_HPP_

#include "options.hpp"
#include "packed_robot.hpp"
#include "pool.hpp"

#include <chrono>
#include <functional>

namespace dq_ik
{

struct Query {
    std::vector<double> goals;    // for each tip: position x y z, quaternion x y z w
    std::vector<double> seed;     // values of the group
    std::vector<double> outside;  // values of the other joints
    std::vector<double> changes;  // largest change of each value from the seed; empty: any
    std::vector<size_t> locked;   // joints that keep their seed, by number among the group's
    double timeout = 0.0;         // [s]; 0 or less: one attempt, from the seed
    bool best_reach = false;      // where nothing is found, the nearest configuration will do
};

// How a search ended.
struct Outcome {
    bool is_taken = false;     // the visitor took the values
    bool is_late = false;      // the time was over
    std::string fault;         // what is wrong with the query; empty: nothing
};

// Takes the values of a solution, or refuses them: then others are sought.
using Visitor = std::function<bool(const std::vector<double> & values)>;

class GroupSolver
{
public:
    // Throws std::invalid_argument with a sentence where the group or the options are bad.
    GroupSolver(const Group & group, const Options & options);

    // Any number of threads may search at the same time.
    Outcome search(const Query & query, const Visitor & visit) const;

    const PackedRobot & robot() const { return robot_; }

private:
    using Clock = std::chrono::steady_clock;

    // What one search works in.
    struct Work {
        explicit Work(const GroupSolver & solver);
        Words request, answer, memory, poses;
        Words seed, first;  // the configuration to start from; the first answer
        std::vector<double> values;
    };

    // One search on its way.
    struct Search {
        const Query & query;
        const Visitor & visit;
        Clock::time_point begin;
        const GroupSolver & solver;
        Outcome outcome;

        void run(Work & work);
        void keep_posture(Work & work);
        void prefer_nearer(Work & work);
        int64_t visit_others(int64_t from, int64_t room, Work & work);
        int64_t solve(Work & work);
        void take(const double * q, Work & work);
        double spent() const;
    };

    std::string fault_of(const Query & query) const;
    std::string prepare(const Query & query, Work & work) const;
    double change_of(const Query & query, const PackedRobot::Follower & follower,
                     double most) const;
    bool is_near(const Query & query, Work & work) const;
    bool bound(const Query & query, double most, Work & work) const;

    PackedRobot robot_;
    size_t n_values_, n_outside_, n_tips_;
    double max_joint_step_;  // infinite: any
    Words request_;  // all but goals, seed and bounds
    mutable Pool<Work> pool_;
};

}  // namespace dq_ik

#endif  // DQ_IK__GROUP_SOLVER_HPP_
