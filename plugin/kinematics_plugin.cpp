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

#include "kinematics_plugin.hpp"

#include "parameters.hpp"
#include "poses.hpp"

#include <pluginlib/class_list_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dq_ik
{

namespace
{

constexpr char NO_SOLVER[] = "there is no solver: initialize() failed or was not called";

double distance(const std::vector<double> & a, const std::vector<double> & b)
{
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); ++i)
        sum += std::abs(a[i] - b[i]);
    return sum;
}

}  // namespace

bool KinematicsPlugin::initialize(const rclcpp::Node::SharedPtr & node,
                                  const moveit::core::RobotModel & model, const std::string & group,
                                  const std::string & base, const std::vector<std::string> & tips,
                                  double search_discretization)
{
    return guarded([&] {
        const auto begin = std::chrono::steady_clock::now();
        node_ = node;
        logger_ = node->get_logger().get_child("dq_ik");
        storeValues(model, group, base, tips, search_discretization);
        build(model);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        const size_t joints = group_.joint_names.size(), n_tips = tip_frames_.size();
        RCLCPP_INFO(logger_, "dq_ik %s solves group '%s': %zu joint%s, %zu tip%s, '%s' to '%s', "
                    "method %s, code for %s, ready in %.1f ms", DQ_IK_VERSION, group.c_str(),
                    joints, joints == 1 ? "" : "s", n_tips, n_tips == 1 ? "" : "s",
                    base_frame_.c_str(), tip_frames_.back().c_str(), options_.method.c_str(),
                    dq_ik_level(), 1e3 * time.count());
        return true;
    });
}

void KinematicsPlugin::build(const moveit::core::RobotModel & model)
{
    solver_.reset();
    link_poses_.reset();
    if (!model.hasJointModelGroup(group_name_))
        throw std::invalid_argument("the robot has no group '" + group_name_ + "'");
    joints_ = model.getJointModelGroup(group_name_);
    const std::string fault = fault_of(*joints_);
    if (!fault.empty())
        throw std::invalid_argument(fault);
    if (tip_frames_.empty())
        throw std::invalid_argument("no tip is named for group '" + group_name_ + "'");
    group_ = read_group(model, *joints_, base_frame_, tip_frames_);
    options_ = read_options(*node_, group_name_);
    link_poses_.emplace(group_.group, group_.links);
    solver_.emplace(group_.group, options_);
}

bool KinematicsPlugin::supportsGroup(const moveit::core::JointModelGroup * joints,
                                     std::string * error_out) const
{
    const std::string fault = joints ? fault_of(*joints) : "there is no group";
    if (error_out && !fault.empty())
        *error_out = fault;
    return fault.empty();
}

bool KinematicsPlugin::getPositionIK(const Pose & pose, const Vector & seed, Vector & solution,
                                     ErrorCodes & error_code, const QueryOptions & options) const
{
    return searchPositionIK(pose, seed, 0.0, solution, error_code, options);
}

bool KinematicsPlugin::getPositionIK(const std::vector<Pose> & poses, const Vector & seed,
                                     std::vector<Vector> & solutions,
                                     kinematics::KinematicsResult & result,
                                     const QueryOptions & options) const
{
    namespace errors = kinematics::KinematicErrors;
    solutions.clear();
    result.solution_percentage = 0.0;
    const auto refuse = [&](errors::KinematicError error, const std::string & sentence) {
        result.kinematic_error = error;
        return complain(sentence);
    };
    if (!solver_)
        return refuse(errors::SOLVER_NOT_ACTIVE, NO_SOLVER);
    if (options.discretization_method != kinematics::DiscretizationMethods::NO_DISCRETIZATION)
        return refuse(errors::UNSUPORTED_DISCRETIZATION_REQUESTED, "no joint is discretized");
    result.kinematic_error = poses.empty() ? errors::EMPTY_TIP_POSES : errors::NO_SOLUTION;
    const bool is_done = guarded([&] {
        const auto collect = [&](const Vector & values) {
            solutions.push_back(values);
            return solutions.size() >= size_t(options_.max_solutions);
        };
        const Outcome outcome = solver_->search(
            query_of(poses, seed, default_timeout_, {}, options, nullptr), collect);
        return outcome.fault.empty() || complain(outcome.fault);
    });
    if (!is_done || solutions.empty())
        return false;
    std::sort(solutions.begin(), solutions.end(), [&](const Vector & a, const Vector & b) {
        return distance(a, seed) < distance(b, seed);
    });
    result.kinematic_error = errors::OK;
    result.solution_percentage = 1.0;
    return true;
}

bool KinematicsPlugin::searchPositionIK(const Pose & pose, const Vector & seed, double timeout,
                                        Vector & solution, ErrorCodes & error_code,
                                        const QueryOptions & options) const
{
    return searchPositionIK({pose}, seed, timeout, {}, solution, {}, {}, error_code, options);
}

bool KinematicsPlugin::searchPositionIK(const Pose & pose, const Vector & seed, double timeout,
                                        const Vector & consistency_limits, Vector & solution,
                                        ErrorCodes & error_code, const QueryOptions & options) const
{
    return searchPositionIK({pose}, seed, timeout, consistency_limits, solution, {}, {}, error_code,
                            options);
}

bool KinematicsPlugin::searchPositionIK(const Pose & pose, const Vector & seed, double timeout,
                                        Vector & solution, const IKCallbackFn & callback,
                                        ErrorCodes & error_code, const QueryOptions & options) const
{
    return searchPositionIK({pose}, seed, timeout, {}, solution, callback, {}, error_code, options);
}

bool KinematicsPlugin::searchPositionIK(const Pose & pose, const Vector & seed, double timeout,
                                        const Vector & consistency_limits, Vector & solution,
                                        const IKCallbackFn & callback, ErrorCodes & error_code,
                                        const QueryOptions & options) const
{
    return searchPositionIK({pose}, seed, timeout, consistency_limits, solution, callback, {},
                            error_code, options);
}

bool KinematicsPlugin::searchPositionIK(const std::vector<Pose> & poses, const Vector & seed,
                                        double timeout, const Vector & consistency_limits,
                                        Vector & solution, const IKCallbackFn & callback,
                                        ErrorCodes & error_code, const QueryOptions & options,
                                        const moveit::core::RobotState * context) const
{
    return searchPositionIK(poses, seed, timeout, consistency_limits, solution, callback, {},
                            error_code, options, context);
}

bool KinematicsPlugin::searchPositionIK(const std::vector<Pose> & poses, const Vector & seed,
                                        double timeout, const Vector & consistency_limits,
                                        Vector & solution, const IKCallbackFn & callback,
                                        const IKCostFn & cost, ErrorCodes & error_code,
                                        const QueryOptions & options,
                                        const moveit::core::RobotState * context) const
{
    error_code.val = ErrorCodes::NO_IK_SOLUTION;
    bool is_solved = false;
    guarded([&] {
        if (!is_ready())
            return false;
        double cheapest = std::numeric_limits<double>::infinity();
        int64_t n_accepted = 0;
        const auto visit = [&](const Vector & values) {
            if (!accepts(callback, poses[0], values))
                return false;
            const double price = cost ? cost_of(cost, poses[0], values, context) : 0.0;
            if (price < cheapest || !is_solved)
                solution = values;
            cheapest = std::min(cheapest, price);
            is_solved = true;
            return !cost || ++n_accepted >= options_.max_solutions;
        };
        const Outcome outcome = solver_->search(
            query_of(poses, seed, timeout, consistency_limits, options, context), visit);
        if (outcome.is_late)
            error_code.val = ErrorCodes::TIMED_OUT;
        return outcome.fault.empty() || complain(outcome.fault);
    });
    if (is_solved)
        error_code.val = ErrorCodes::SUCCESS;
    return is_solved;
}

bool KinematicsPlugin::getPositionFK(const std::vector<std::string> & links, const Vector & values,
                                     std::vector<Pose> & poses) const
{
    return guarded([&] {
        if (!is_ready())
            return false;
        Vector numbers;
        if (values.size() != group_.group.values.size())
            return complain("forward kinematics takes " +
                            std::to_string(group_.group.values.size()) + " numbers, got " +
                            std::to_string(values.size()));
        if (!link_poses_->write(values, group_.outside_defaults, numbers))
            return complain("a joint position is not finite");
        poses.resize(links.size());
        for (size_t i = 0; i < links.size(); ++i) {
            const auto & names = group_.link_names;
            const auto found = std::find(names.begin(), names.end(), links[i]);
            if (found == names.end())
                return complain("'" + links[i] + "' is not a link below '" + base_frame_ + "'");
            poses[i] = pose_of(&numbers[7 * size_t(found - names.begin())]);
        }
        return true;
    });
}

Query KinematicsPlugin::query_of(const std::vector<Pose> & poses, const Vector & seed,
                                 double timeout, const Vector & consistency_limits,
                                 const QueryOptions & options,
                                 const moveit::core::RobotState * context) const
{
    Query query;
    query.goals = numbers_of(poses);
    query.seed = seed;
    query.outside = group_.outside_defaults;
    for (size_t i = 0; context && i < query.outside.size(); ++i)
        query.outside[i] = context->getVariablePosition(int(group_.outside_variables[i]));
    query.changes = consistency_limits;
    if (options.lock_redundant_joints)
        query.locked.assign(redundant_joint_indices_.begin(), redundant_joint_indices_.end());
    query.timeout = timeout;
    query.best_reach = options.return_approximate_solution;
    return query;
}

bool KinematicsPlugin::accepts(const IKCallbackFn & callback, const Pose & pose,
                               const Vector & values) const
{
    if (!callback)
        return true;
    ErrorCodes verdict;
    verdict.val = ErrorCodes::SUCCESS;
    callback(pose, values, verdict);
    return verdict.val == ErrorCodes::SUCCESS;
}

double KinematicsPlugin::cost_of(const IKCostFn & cost, const Pose & pose, const Vector & values,
                                 const moveit::core::RobotState * context) const
{
    if (context)
        return cost(pose, *context, joints_, values);
    moveit::core::RobotState state(robot_model_);
    state.setToDefaultValues();
    return cost(pose, state, joints_, values);
}

bool KinematicsPlugin::is_ready() const
{
    return solver_ || complain(NO_SOLVER);
}

bool KinematicsPlugin::complain(const std::string & sentence) const
{
    RCLCPP_ERROR(logger_, "%s", sentence.c_str());
    return false;
}

template <class Function>
bool KinematicsPlugin::guarded(Function function) const
{
    try {
        return function();
    } catch (const std::exception & error) {
        return complain(error.what());
    } catch (...) {
        return complain("a callback threw something that is no std::exception");
    }
}

}  // namespace dq_ik

PLUGINLIB_EXPORT_CLASS(dq_ik::KinematicsPlugin, kinematics::KinematicsBase)
