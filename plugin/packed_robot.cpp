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

#include "packed_robot.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace dq_ik
{

namespace
{

constexpr double HALF_TURN = 3.14159265358979323846;

void check_library()
{
    if (std::strcmp(dq_ik_digest(), DQ_IK_DIGEST) != 0)
        throw std::invalid_argument(
            "libdq_ik.so is of other sources than this plugin: build dq_ik again");
    if (!dq_ik_level())
        throw std::invalid_argument("libdq_ik.so has no code for this processor");
}

std::string sentence(const Group & group, int64_t fault)
{
    const auto row = size_t(DQ_IK_FAULT_ROW(fault));
    const int64_t error = DQ_IK_FAULT(fault);
    const bool of_tip = error == DQ_IK_PACK_TIP_JOINT || error == DQ_IK_PACK_TIP_POSE;
    const std::string what = of_tip ? "tip " + std::to_string(row) : "joint " + group.names[row];
    return what + ": " + dq_ik_pack_text(error);
}

// Place of a joint's number among values; their count if it is not there.
size_t place_of(const std::vector<Value> & values, int64_t joint, int64_t part)
{
    const auto is_it = [=](const Value & v) { return v.joint == joint && v.part == part; };
    return size_t(std::find_if(values.begin(), values.end(), is_it) - values.begin());
}

}  // namespace

PackedRobot::PackedRobot(const Group & group, const std::vector<dq_ik_tip> & tips,
                         int64_t n_starts, int64_t shift)
{
    check_library();
    pack(group, tips, n_starts, shift);
    const int64_t n = dq_ik_robot_n(block());
    for (int64_t i = 0; i < n; ++i)
        sources_.push_back(source(group, i));
    for (size_t g = 0; g < group.values.size(); ++g) {
        const Value & value = group.values[g];
        if (g == 0 || value.joint != group.values[g - 1].joint)
            ++n_joints_;
        const dq_ik_joint & row = group.joints[size_t(value.joint)];
        const bool is_mimic = row.mimic >= 0;
        const int64_t joint = is_mimic ? int64_t(row.mimic) : value.joint;
        const bool is_heading = int64_t(row.kind) == DQ_IK_JOINT_PLANAR && value.part == 2 &&
                                !std::isfinite(value.upper - value.lower);
        for (int64_t i = 0; i < n; ++i)
            if (dq_ik_robot_joint(block(), i) == joint && dq_ik_robot_part(block(), i) == value.part)
                followers_.push_back({g, size_t(i), n_joints_ - 1, is_mimic ? row.multiplier : 1.0,
                                      is_mimic ? row.offset : 0.0, is_heading});
    }
}

void PackedRobot::pack(const Group & group, const std::vector<dq_ik_tip> & tips, int64_t n_starts,
                       int64_t shift)
{
    const auto n_joints = int64_t(group.joints.size()), n_tips = int64_t(tips.size());
    Words memory(size_t(dq_ik_pack_memory_size(n_joints)));
    const int64_t size = dq_ik_robot_size(group.joints.data(), n_joints, tips.data(), n_tips,
                                          n_starts, memory.data());
    if (size < 0)
        throw std::invalid_argument(sentence(group, size));
    block_.resize(size_t(size));
    dq_ik_robot(group.joints.data(), n_joints, tips.data(), n_tips, n_starts, shift, block_.data(),
                memory.data());
}

PackedRobot::Source PackedRobot::source(const Group & group, int64_t variable) const
{
    const int64_t joint = dq_ik_robot_joint(block(), variable);
    const int64_t part = dq_ik_robot_part(block(), variable);
    const size_t inside = place_of(group.values, joint, part);
    const bool is_outside = inside == group.values.size();
    const auto & values = is_outside ? group.outside : group.values;
    const size_t place = is_outside ? place_of(group.outside, joint, part) : inside;
    if (place == values.size())
        throw std::invalid_argument("joint " + group.names[size_t(joint)] +
                                    " is on the way to a tip: joints of its type are not supported");
    return {place, is_outside,
            std::max(dq_ik_robot_lower(block())[variable], values[place].lower),
            std::min(dq_ik_robot_upper(block())[variable], values[place].upper)};
}

void PackedRobot::gather(const double * values, const double * outside, double * q_out) const
{
    for (const Source & source : sources_)
        *q_out++ = (source.is_outside ? outside : values)[source.place];
}

void PackedRobot::scatter(const double * q, double * values_out) const
{
    for (const Follower & follower : followers_) {
        double & value = values_out[follower.value];
        value = follower.multiplier * q[follower.variable] + follower.offset;
        if (follower.is_heading && std::abs(value) > HALF_TURN)
            value = std::remainder(value, 2.0 * HALF_TURN);
    }
}

}  // namespace dq_ik
