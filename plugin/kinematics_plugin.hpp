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

// dq_ik/KinematicsPlugin: the solvers of dq_ik inside MoveIt.

#ifndef DQ_IK__KINEMATICS_PLUGIN_HPP_
#define DQ_IK__KINEMATICS_PLUGIN_HPP_

#include "group_solver.hpp"
#include "link_poses.hpp"
#include "model_group.hpp"

#include <optional>

namespace dq_ik
{

// After initialize(), any number of threads may call the const functions at the same time.
class KinematicsPlugin : public kinematics::KinematicsBase
{
public:
    using Pose = geometry_msgs::msg::Pose;
    using ErrorCodes = moveit_msgs::msg::MoveItErrorCodes;
    using QueryOptions = kinematics::KinematicsQueryOptions;
    using Vector = std::vector<double>;

    bool initialize(const rclcpp::Node::SharedPtr & node, const moveit::core::RobotModel & model,
                    const std::string & group, const std::string & base,
                    const std::vector<std::string> & tips, double search_discretization) override;

    bool supportsGroup(const moveit::core::JointModelGroup * joints,
                       std::string * error_out = nullptr) const override;

    // One attempt from the seed.
    bool getPositionIK(const Pose & pose, const Vector & seed, Vector & solution,
                       ErrorCodes & error_code,
                       const QueryOptions & options = QueryOptions()) const override;

    // Distinct solutions, those nearest to the seed first.
    bool getPositionIK(const std::vector<Pose> & poses, const Vector & seed,
                       std::vector<Vector> & solutions, kinematics::KinematicsResult & result,
                       const QueryOptions & options) const override;

    bool searchPositionIK(const Pose & pose, const Vector & seed, double timeout, Vector & solution,
                          ErrorCodes & error_code,
                          const QueryOptions & options = QueryOptions()) const override;

    bool searchPositionIK(const Pose & pose, const Vector & seed, double timeout,
                          const Vector & consistency_limits, Vector & solution,
                          ErrorCodes & error_code,
                          const QueryOptions & options = QueryOptions()) const override;

    bool searchPositionIK(const Pose & pose, const Vector & seed, double timeout, Vector & solution,
                          const IKCallbackFn & callback, ErrorCodes & error_code,
                          const QueryOptions & options = QueryOptions()) const override;

    bool searchPositionIK(const Pose & pose, const Vector & seed, double timeout,
                          const Vector & consistency_limits, Vector & solution,
                          const IKCallbackFn & callback, ErrorCodes & error_code,
                          const QueryOptions & options = QueryOptions()) const override;

    bool searchPositionIK(const std::vector<Pose> & poses, const Vector & seed, double timeout,
                          const Vector & consistency_limits, Vector & solution,
                          const IKCallbackFn & callback, ErrorCodes & error_code,
                          const QueryOptions & options = QueryOptions(),
                          const moveit::core::RobotState * context = nullptr) const override;

    // All of the above end here. Of the solutions that the callback accepts, the cheapest.
    bool searchPositionIK(const std::vector<Pose> & poses, const Vector & seed, double timeout,
                          const Vector & consistency_limits, Vector & solution,
                          const IKCallbackFn & callback, const IKCostFn & cost,
                          ErrorCodes & error_code, const QueryOptions & options = QueryOptions(),
                          const moveit::core::RobotState * context = nullptr) const override;

    bool getPositionFK(const std::vector<std::string> & links, const Vector & values,
                       std::vector<Pose> & poses) const override;

    const std::vector<std::string> & getJointNames() const override { return group_.joint_names; }
    const std::vector<std::string> & getLinkNames() const override { return tip_frames_; }

private:
    void build(const moveit::core::RobotModel & model);
    bool is_ready() const;
    Query query_of(const std::vector<Pose> & poses, const Vector & seed, double timeout,
                   const Vector & consistency_limits, const QueryOptions & options,
                   const moveit::core::RobotState * context) const;
    bool accepts(const IKCallbackFn & callback, const Pose & pose, const Vector & values) const;
    double cost_of(const IKCostFn & cost, const Pose & pose, const Vector & values,
                   const moveit::core::RobotState * context) const;
    bool complain(const std::string & sentence) const;

    // Run what may throw: the callbacks of others, or the lack of memory. Then the answer is no.
    template <class Function>
    bool guarded(Function function) const;

    const moveit::core::JointModelGroup * joints_ = nullptr;
    ModelGroup group_;
    Options options_;
    std::optional<GroupSolver> solver_;
    std::optional<LinkPoses> link_poses_;
    rclcpp::Logger logger_ = rclcpp::get_logger("dq_ik");
};

}  // namespace dq_ik

#endif  // DQ_IK__KINEMATICS_PLUGIN_HPP_
