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

// The plugin inside MoveIt, loaded as MoveIt loads it. Judged by MoveIt's own RobotState.
//
//     program <task> <robot.urdf> <robot.srdf> <group> <base> <tip>...
//
// Each task prints one line of numbers; test_plugin_moveit.py says what they must be.

#include "moveit_headers.hpp"
#include "poses.hpp"

#include <pluginlib/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>
#include <srdfdom/model.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <thread>

using moveit::core::RobotState;
using Codes = moveit_msgs::msg::MoveItErrorCodes;
using Options = kinematics::KinematicsQueryOptions;
using Pose = geometry_msgs::msg::Pose;
using Vector = std::vector<double>;

static std::string text_of(const char * path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

static Pose message(const Eigen::Isometry3d & x)
{
    const Eigen::Quaterniond r(x.linear());
    const Eigen::Vector3d t = x.translation();
    const double numbers[] = {t.x(), t.y(), t.z(), r.x(), r.y(), r.z(), r.w()};
    return dq_ik::pose_of(numbers);
}

// Distance of two poses: metres and radians alike.
static double difference(const Pose & a, const Pose & b)
{
    const Eigen::Vector3d way(a.position.x - b.position.x, a.position.y - b.position.y,
                              a.position.z - b.position.z);
    const Eigen::Quaterniond p(a.orientation.w, a.orientation.x, a.orientation.y, a.orientation.z);
    const Eigen::Quaterniond q(b.orientation.w, b.orientation.x, b.orientation.y, b.orientation.z);
    return std::max(way.norm(), p.angularDistance(q));
}

struct Bench {
    Bench(int count, char ** words)
    : loader("moveit_core", "kinematics::KinematicsBase"),
      node(std::make_shared<rclcpp::Node>("plugin_test")), group_name(words[4]), base(words[5]),
      tips(words + 6, std::find(words + 6, words + count, std::string("--ros-args")))
    {
        const auto urdf = urdf::parseURDF(text_of(words[2]));
        const auto srdf = std::make_shared<srdf::Model>();
        srdf->initString(*urdf, text_of(words[3]));
        model = std::make_shared<moveit::core::RobotModel>(urdf, srdf);
        group = model->getJointModelGroup(group_name);
        solver = loader.createUniqueInstance("dq_ik/KinematicsPlugin");
        state = std::make_shared<RobotState>(model);
        state->setToDefaultValues();
    }

    bool initialize() { return solver->initialize(node, *model, group_name, base, tips, 0.1); }

    std::vector<Pose> poses(const Vector & values)
    {
        state->setJointGroupPositions(group, values);
        state->update();
        std::vector<Pose> all;
        const Eigen::Isometry3d x = state->getGlobalLinkTransform(base).inverse();
        for (const std::string & tip : tips)
            all.push_back(message(x * state->getGlobalLinkTransform(tip)));
        return all;
    }

    Vector random()
    {
        state->setToRandomPositions(group, numbers);
        Vector values;
        state->copyJointGroupPositions(group, values);
        return values;
    }

    bool is_right(const std::vector<Pose> & goals, const Vector & values)
    {
        const std::vector<Pose> reached = poses(values);
        for (size_t k = 0; k < goals.size(); ++k)
            if (difference(goals[k], reached[k]) > 2e-5)
                return false;
        return state->satisfiesBounds(group, 0.0);
    }

    pluginlib::ClassLoader<kinematics::KinematicsBase> loader;
    rclcpp::Node::SharedPtr node;
    std::string group_name, base;
    std::vector<std::string> tips;
    moveit::core::RobotModelPtr model;
    moveit::core::JointModelGroup * group;
    pluginlib::UniquePtr<kinematics::KinematicsBase> solver;
    std::shared_ptr<RobotState> state;
    random_numbers::RandomNumberGenerator numbers{18};
    Codes code;  // of the last call
};

// Solved, and wrong ones among them; mean time [us]; largest error of forward kinematics.
static void random_poses(Bench & b)
{
    int solved = 0, wrong = 0;
    double time = 0.0, error = 0.0;
    for (int i = 0; i < 1000; ++i) {
        const Vector truth = b.random(), seed = b.random();
        const std::vector<Pose> goals = b.poses(truth);
        std::vector<Pose> own;
        b.solver->getPositionFK(b.tips, truth, own);
        for (size_t k = 0; k < goals.size(); ++k)
            error = std::max(error, difference(goals[k], own[k]));
        Vector values;
        const auto begin = std::chrono::steady_clock::now();
        const bool found = b.solver->searchPositionIK(goals, seed, 0.5, {}, values, {}, b.code, {},
                                                      b.state.get());
        time += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        solved += found;
        wrong += found && !b.is_right(goals, values);
    }
    std::printf("%d %d %g %g\n", solved, wrong, 1e6 * time / 1000, error);
}

// Found within consistency limits, and beyond them.
static void consistency(Bench & b)
{
    int found = 0, beyond = 0;
    for (int i = 0; i < 300; ++i) {
        const Vector seed = b.random();
        Vector near = seed, values;
        for (double & q : near)
            q += b.numbers.uniformReal(-0.1, 0.1);
        b.state->setJointGroupPositions(b.group, near);
        b.state->enforceBounds(b.group);
        b.state->copyJointGroupPositions(b.group, near);
        if (!b.solver->searchPositionIK(b.poses(near)[0], seed, 0.5, Vector(seed.size(), 0.1), values,
                                        b.code))
            continue;
        ++found;
        for (size_t k = 0; k < seed.size(); ++k)
            beyond += std::abs(values[k] - seed[k]) > 0.1;
    }
    std::printf("%d %d\n", found, beyond);
}

// Accepted by a callback that refuses every other state.
static void callbacks(Bench & b)
{
    int accepted = 0;
    for (int i = 0; i < 500; ++i) {
        const Vector seed = b.random();
        Vector values;
        accepted += b.solver->searchPositionIK(
            b.poses(b.random())[0], seed, 0.5, values,
            [](const Pose &, const Vector & q, Codes & code) {
                const bool odd = std::fmod(std::abs(q[0]) * 1e6, 2.0) > 1.0;
                code.val = odd ? Codes::SUCCESS : Codes::PLANNING_FAILED;
            }, b.code);
    }
    std::printf("%d\n", accepted);
}

// A locked joint's motion; approximate or not out of reach; solutions; cost with and without.
static void queries(Bench & b)
{
    const Vector seed = b.random();
    Vector q = b.random(), values;
    q[0] = seed[0];
    Options locked, near;
    locked.lock_redundant_joints = near.return_approximate_solution = true;
    b.solver->setRedundantJoints(std::vector<unsigned int>{0});
    const bool held = b.solver->searchPositionIK(b.poses(q)[0], seed, 0.5, values, b.code, locked);
    const double moved = held ? values[0] - seed[0] : NAN;
    Pose far = b.poses(q)[0];
    far.position.x += 9.0;
    const bool reached = b.solver->searchPositionIK(far, seed, 0.5, values, b.code);
    const int miss = b.code.val;
    const bool approached = b.solver->searchPositionIK(far, seed, 0.5, values, b.code, near);
    std::vector<Vector> many;
    kinematics::KinematicsResult result;
    b.solver->getPositionIK({b.poses(q)[0]}, seed, many, result, {});
    Vector cheap;
    b.solver->searchPositionIK({b.poses(q)[0]}, seed, 0.5, {}, cheap, {},
        [](const Pose &, const RobotState &, const moveit::core::JointModelGroup *,
           const Vector & all) { return std::abs(all[1]); }, b.code, {}, b.state.get());
    b.solver->searchPositionIK(b.poses(q)[0], seed, 0.5, values, b.code);
    std::printf("%d %g %d %d %d %zu %g %g\n", held, moved, reached, miss, approached, many.size(),
                std::abs(cheap[1]), std::abs(values[1]));
}

// Answers that differ from those of one thread.
static void threads(Bench & b)
{
    std::vector<std::pair<Pose, Vector>> all;
    std::vector<Vector> expected(200);
    for (Vector & values : expected) {
        all.emplace_back(b.poses(b.random())[0], b.random());
        b.solver->searchPositionIK(all.back().first, all.back().second, 9.0, values, b.code);
    }
    std::atomic<int> differing{0};
    std::vector<std::thread> running;
    for (size_t k = 0; k < 8; ++k)
        running.emplace_back([&, k] {
            for (size_t i = 0; i < all.size(); ++i) {
                const size_t row = (i + 25 * k) % all.size();
                Vector values;
                Codes code;
                b.solver->searchPositionIK(all[row].first, all[row].second, 9.0, values, code);
                differing += values != expected[row];
            }
        });
    for (std::thread & one : running)
        one.join();
    std::printf("%d\n", differing.load());
}

// How many of the bad calls were taken for good ones; the last code; none may throw.
static void bad_input(Bench & b)
{
    const Vector seed = b.random(), broken(seed.size(), NAN);
    const Pose goal = b.poses(seed)[0];
    Pose none = goal;
    none.orientation.x = none.orientation.y = none.orientation.z = none.orientation.w = 0.0;
    Vector values;
    std::vector<Pose> poses;
    int taken = b.solver->searchPositionIK(goal, {1.0}, 0.1, values, b.code);
    taken += b.solver->searchPositionIK(goal, broken, 0.1, values, b.code);
    taken += b.solver->searchPositionIK(none, seed, 0.1, values, b.code);
    taken += b.solver->searchPositionIK(std::vector<Pose>{}, seed, 0.1, {}, values, {}, b.code);
    taken += b.solver->searchPositionIK(goal, seed, 0.1, values,
        [](const Pose &, const Vector &, Codes &) { throw std::runtime_error("callback"); }, b.code);
    taken += b.solver->getPositionFK({"nowhere"}, seed, poses);
    taken += b.solver->getPositionFK(b.tips, {1.0}, poses);
    auto other = b.loader.createUniqueInstance("dq_ik/KinematicsPlugin");
    taken += other->searchPositionIK(goal, seed, 0.1, values, b.code);
    taken += other->initialize(b.node, *b.model, b.group_name, b.base, {"nowhere"}, 0.1);
    taken += other->initialize(b.node, *b.model, b.group_name, "nowhere", b.tips, 0.1);
    taken += other->initialize(b.node, *b.model, "nothing", b.base, b.tips, 0.1);
    taken += other->initialize(b.node, *b.model, b.group_name, b.base, {}, 0.1);
    std::printf("%d %d\n", taken, b.code.val);
}

// Milliseconds of initialize(), with narrower limits for the first joint as joint_limits.yaml has
// them; then how many solutions are outside of these.
static void limits(Bench & b)
{
    auto * joint = b.model->getJointModel(b.group->getVariableNames()[0]);
    auto bounds = joint->getVariableBounds()[0];
    bounds.min_position_ *= 0.5;
    bounds.max_position_ *= 0.5;
    joint->setVariableBounds(joint->getVariableNames()[0], bounds);
    const auto begin = std::chrono::steady_clock::now();
    if (!b.initialize())
        std::exit(1);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    int outside = 0;
    for (int i = 0; i < 50; ++i) {
        Vector values = b.random();
        if (b.solver->searchPositionIK(b.poses(b.random()), values, 0.5, {}, values, {}, b.code))
            outside += values[0] < bounds.min_position_ || values[0] > bounds.max_position_;
    }
    std::printf("%g %d\n", 1e3 * time.count(), outside);
}

int main(int count, char ** words)
{
    rclcpp::init(count, words);
    const std::map<std::string, void (*)(Bench &)> tasks = {
        {"random", random_poses}, {"consistency", consistency}, {"callbacks", callbacks},
        {"queries", queries}, {"threads", threads}, {"bad", bad_input}, {"limits", limits}};
    Bench bench(count, words);
    if (!bench.initialize())
        return 1;
    tasks.at(words[1])(bench);
    return 0;
}
