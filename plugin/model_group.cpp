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

#include "model_group.hpp"

#include <limits>
#include <map>
#include <stdexcept>

namespace dq_ik
{

using moveit::core::JointModel;
using moveit::core::LinkModel;

namespace
{

constexpr double INFINITE = std::numeric_limits<double>::infinity();
using Rows = std::map<const JointModel *, int64_t>;  // of joints in the table

int64_t kind_of(const JointModel & joint)
{
    switch (joint.getType()) {
    case JointModel::REVOLUTE: return DQ_IK_JOINT_REVOLUTE;
    case JointModel::PRISMATIC: return DQ_IK_JOINT_PRISMATIC;
    case JointModel::PLANAR: return DQ_IK_JOINT_PLANAR;
    case JointModel::FLOATING: return DQ_IK_JOINT_FLOATING;
    default: return DQ_IK_JOINT_FIXED;
    }
}

Eigen::Vector3d axis_of(const JointModel & joint)
{
    if (joint.getType() == JointModel::REVOLUTE)
        return static_cast<const moveit::core::RevoluteJointModel &>(joint).getAxis();
    if (joint.getType() == JointModel::PRISMATIC)
        return static_cast<const moveit::core::PrismaticJointModel &>(joint).getAxis();
    return Eigen::Vector3d::UnitZ();  // of planar joints: the others have none
}

// Mimics of joints with several values are left to MoveIt.
bool is_mimic(const JointModel & joint)
{
    return joint.getMimic() && joint.getVariableCount() == 1;
}

Value value_of(const JointModel & joint, int64_t row, size_t part)
{
    const auto & bounds = joint.getVariableBounds()[part];
    const bool is_bounded = bounds.position_bounded_;
    return {row, int64_t(part), is_bounded ? bounds.min_position_ : -INFINITE,
            is_bounded ? bounds.max_position_ : INFINITE};
}

dq_ik_joint row_of(const JointModel & joint, int64_t parent, const Rows & rows)
{
    const Eigen::Isometry3d & origin = joint.getChildLinkModel()->getJointOriginTransform();
    const Eigen::Quaterniond r(origin.linear());
    const Eigen::Vector3d t = origin.translation(), axis = axis_of(joint);
    dq_ik_joint row = {double(kind_of(joint)), double(parent),
                       {r.w(), r.x(), r.y(), r.z(), t.x(), t.y(), t.z()},
                       {axis.x(), axis.y(), axis.z()}, -INFINITE, INFINITE, -1, 1, 0, {0, 0}, 0, 0};
    if (joint.getVariableCount() == 1) {
        const Value value = value_of(joint, 0, 0);
        row.lower = value.lower;
        row.upper = value.upper;
    }
    if (is_mimic(joint)) {
        row.mimic = double(rows.at(joint.getMimic()));
        row.multiplier = joint.getMimicFactor();
        row.offset = joint.getMimicOffset();
    }
    return row;
}

bool is_below(const LinkModel * link, const LinkModel * base)
{
    while (link && link != base)
        link = link->getParentLinkModel();
    return link == base;
}

// No value says where a link below a floating joint is.
bool floats(const LinkModel * link, const LinkModel * base)
{
    for (; link != base; link = link->getParentLinkModel())
        if (link->getParentJointModel()->getType() == JointModel::FLOATING)
            return true;
    return false;
}

// The link that carries the group; none: what the robot stands on.
const LinkModel * base_of(const moveit::core::RobotModel & model, const std::string & base)
{
    if (model.hasLinkModel(base))
        return model.getLinkModel(base);
    if (base != model.getModelFrame())
        throw std::invalid_argument("the base frame '" + base + "' is not a link of the robot");
    return nullptr;
}

dq_ik_tip tip_of(const LinkModel * link, const LinkModel * base, const Rows & rows)
{
    const double joint = link == base ? -1.0 : double(rows.at(link->getParentJointModel()));
    return {joint, {1, 0, 0, 0, 0, 0, 0}};
}

void add_values(const JointModel & joint, int64_t row, bool is_in_group, ModelGroup & out)
{
    if (is_in_group && joint.getVariableCount() > 0)
        out.joint_names.push_back(joint.getName());
    if (joint.getType() == JointModel::FLOATING)
        return;  // it may be elsewhere in the robot, but not on the way to a tip
    std::vector<double> defaults(joint.getVariableCount());
    if (!defaults.empty())
        joint.getVariableDefaultPositions(defaults.data());
    for (size_t part = 0; part < defaults.size(); ++part) {
        const Value value = value_of(joint, row, part);
        (is_in_group ? out.group.values : out.group.outside).push_back(value);
        if (!is_in_group) {
            out.outside_variables.push_back(joint.getFirstVariableIndex() + part);
            out.outside_defaults.push_back(defaults[part]);
        }
    }
}

}  // namespace

std::string fault_of(const moveit::core::JointModelGroup & joints)
{
    if (joints.getActiveJointModels().empty())
        return "group '" + joints.getName() + "' has no joints that move";
    for (const JointModel * joint : joints.getJointModels())
        if (joint->getType() == JointModel::FLOATING)
            return "group '" + joints.getName() + "' contains the floating joint '" +
                   joint->getName() + "', which is not supported";
    return {};
}

ModelGroup read_group(const moveit::core::RobotModel & model,
                      const moveit::core::JointModelGroup & joints, const std::string & base,
                      const std::vector<std::string> & tips)
{
    ModelGroup out;
    const LinkModel * carrier = base_of(model, base);
    Rows rows;
    for (const JointModel * joint : model.getJointModels())
        rows.emplace(joint, int64_t(rows.size()));
    for (const JointModel * joint : model.getJointModels()) {
        const LinkModel * parent = joint->getParentLinkModel();
        const bool stands = !parent || parent == carrier;
        out.group.joints.push_back(
            row_of(*joint, stands ? -1 : rows.at(parent->getParentJointModel()), rows));
        out.group.names.push_back(joint->getName());
        if (!joints.hasJointModel(joint->getName()))
            add_values(*joint, rows.at(joint), false, out);
    }
    for (const JointModel * joint : joints.getJointModels())
        add_values(*joint, rows.at(joint), true, out);
    for (const std::string & tip : tips) {
        if (!model.hasLinkModel(tip) || !is_below(model.getLinkModel(tip), carrier))
            throw std::invalid_argument("the tip '" + tip + "' is not a link below '" + base + "'");
        out.group.tips.push_back(tip_of(model.getLinkModel(tip), carrier, rows));
    }
    for (const LinkModel * link : model.getLinkModels())
        if (is_below(link, carrier) && !floats(link, carrier)) {
            out.link_names.push_back(link->getName());
            out.links.push_back(tip_of(link, carrier, rows));
        }
    return out;
}

}  // namespace dq_ik
