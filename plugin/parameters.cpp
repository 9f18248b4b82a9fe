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

#include "parameters.hpp"

#include <stdexcept>

namespace dq_ik
{

namespace
{

rclcpp::Parameter declared(rclcpp::Node & node, const std::string & name, const Setting & setting,
                           const rclcpp::ParameterValue & usual)
{
    if (!node.has_parameter(name)) {
        rcl_interfaces::msg::ParameterDescriptor descriptor;
        descriptor.description = setting.description;
        descriptor.dynamic_typing = true;  // a whole number will do for any number
        descriptor.read_only = true;  // it is read once
        node.declare_parameter(name, usual, descriptor);
    }
    return node.get_parameter(name);
}

[[noreturn]] void refuse(const rclcpp::Parameter & parameter, const char * wanted)
{
    throw std::invalid_argument(parameter.get_name() + " is " + wanted + ", got '" +
                                parameter.value_to_string() + "'");
}

void read(const rclcpp::Parameter & parameter, std::string & out)
{
    if (parameter.get_type() != rclcpp::PARAMETER_STRING)
        refuse(parameter, "a word");
    out = parameter.as_string();
}

void read(const rclcpp::Parameter & parameter, bool & out)
{
    if (parameter.get_type() != rclcpp::PARAMETER_BOOL)
        refuse(parameter, "true or false");
    out = parameter.as_bool();
}

void read(const rclcpp::Parameter & parameter, int64_t & out)
{
    if (parameter.get_type() != rclcpp::PARAMETER_INTEGER)
        refuse(parameter, "a whole number");
    out = parameter.as_int();
}

void read(const rclcpp::Parameter & parameter, double & out)
{
    if (parameter.get_type() == rclcpp::PARAMETER_INTEGER)
        out = double(parameter.as_int());
    else if (parameter.get_type() == rclcpp::PARAMETER_DOUBLE)
        out = parameter.as_double();
    else
        refuse(parameter, "a number");
}

}  // namespace

Options read_options(rclcpp::Node & node, const std::string & group)
{
    Options options;
    const std::string prefix = "robot_description_kinematics." + group + ".";
    for (const Setting & setting : settings())
        std::visit([&](auto field) {
            const rclcpp::ParameterValue usual(options.*field);
            read(declared(node, prefix + setting.name, setting, usual), options.*field);
        }, setting.field);
    const std::string fault = fault_of(options);
    if (!fault.empty())
        throw std::invalid_argument(prefix + fault);
    return options;
}

}  // namespace dq_ik
