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

// The core of the plugin without MoveIt. Reads a group and queries from its input, as
// test_plugin_core.py writes them, and prints what the solver answers.
//
//     program options         # the table of settings
//     program solve           # each query: all values visited, then how it ended
//     program poses           # forward kinematics of all tips at each seed
//     program threads         # all queries in eight threads at once: as they are one by one?

#include "group_solver.hpp"
#include "link_poses.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <thread>

using namespace dq_ik;

static std::string word()
{
    std::string text;
    std::cin >> text;
    return text;
}

static double number() { return std::strtod(word().c_str(), nullptr); }  // hexadecimal ones too

static Words numbers()
{
    Words all(static_cast<size_t>(number()));
    for (double & one : all)
        one = number();
    return all;
}

template <class Row>
static std::vector<Row> rows()
{
    const Words all = numbers();
    std::vector<Row> table(all.size() * sizeof(double) / sizeof(Row));
    if (!table.empty())
        std::memcpy(table.data(), all.data(), all.size() * sizeof(double));
    return table;
}

static std::vector<Value> values()
{
    const Words all = numbers();
    std::vector<Value> out;
    for (size_t i = 0; i + 4 <= all.size(); i += 4)
        out.push_back({int64_t(all[i]), int64_t(all[i + 1]), all[i + 2], all[i + 3]});
    return out;
}

static Group read_group()
{
    Group group;
    group.joints = rows<dq_ik_joint>();
    for (size_t row = 0; row < group.joints.size(); ++row)
        group.names.push_back("number " + std::to_string(row));
    group.tips = rows<dq_ik_tip>();
    group.values = values();
    group.outside = values();
    return group;
}

static Options read_options()
{
    Options options;
    for (int count = int(number()); count > 0; --count) {
        const std::string name = word(), value = word();
        for (const Setting & setting : settings())
            if (name == setting.name)
                std::visit([&](auto field) {
                    using Type = std::decay_t<decltype(options.*field)>;
                    if constexpr (std::is_same_v<Type, std::string>)
                        options.*field = value;
                    else
                        options.*field = Type(std::strtod(value.c_str(), nullptr));
                }, setting.field);
    }
    return options;
}

struct Case {
    Query query;
    size_t refused;  // solutions that the visitor refuses before it takes one
};

static std::vector<Case> read_cases()
{
    std::vector<Case> cases(static_cast<size_t>(number()));
    for (auto & [query, refused] : cases) {
        query.goals = numbers();
        query.seed = numbers();
        query.outside = numbers();
        query.changes = numbers();
        for (const double value : numbers())
            query.locked.push_back(size_t(value));
        query.timeout = number();
        query.best_reach = number() != 0.0;
        refused = size_t(number());
    }
    return cases;
}

struct Answer {
    std::vector<Words> visited;
    Outcome outcome;
};

static Answer answer(const GroupSolver & solver, const Case & one)
{
    Answer out;
    out.outcome = solver.search(one.query, [&](const Words & q) {
        out.visited.push_back(q);
        return out.visited.size() > one.refused;
    });
    return out;
}

static void print(const char * what, const Words & all)
{
    std::printf("%s", what);
    for (const double one : all)
        std::printf(" %a", one);
    std::printf("\n");
}

static void print_options()
{
    for (const Setting & setting : settings()) {
        std::printf("%s %.17g %.17g ", setting.name, setting.minimum, setting.maximum);
        std::visit([&](auto field) {
            using Type = std::decay_t<decltype(Options().*field)>;
            if constexpr (std::is_same_v<Type, std::string>)
                std::printf("%s", (Options().*field).c_str());
            else
                std::printf("%.17g", double(Options().*field));
        }, setting.field);
        for (const std::string & choice : setting.choices)
            std::printf(" %s", choice.c_str());
        std::printf("\n");
    }
}

static int solve(const GroupSolver & solver, const std::vector<Case> & cases)
{
    for (const Case & one : cases) {
        const Answer all = answer(solver, one);
        for (const Words & values : all.visited)
            print("visited", values);
        std::printf("%s %s\n", all.outcome.is_taken ? "taken" : all.outcome.is_late ? "late" : "none",
                    all.outcome.fault.c_str());
    }
    return 0;
}

static int poses(const Group & group, const std::vector<Case> & cases)
{
    const LinkPoses links(group, group.tips);
    Words out;
    for (const Case & one : cases) {
        if (!links.write(one.query.seed, one.query.outside, out))
            return 1;
        print("poses", out);
    }
    return 0;
}

static int threads(const GroupSolver & solver, const Group & group, const std::vector<Case> & cases)
{
    const LinkPoses links(group, group.tips);
    std::vector<std::vector<Words>> expected;
    for (const Case & one : cases)
        expected.push_back(answer(solver, one).visited);
    std::atomic<int> differing{0};
    std::vector<std::thread> running;
    for (size_t k = 0; k < 8; ++k)
        running.emplace_back([&, k] {
            Words out;
            for (size_t i = 0; i < cases.size(); ++i) {
                const size_t row = (i + k * cases.size() / 8) % cases.size();
                if (answer(solver, cases[row]).visited != expected[row]
                    || !links.write(cases[row].query.seed, cases[row].query.outside, out))
                    ++differing;
            }
        });
    for (std::thread & one : running)
        one.join();
    std::printf("%d differ\n", differing.load());
    return 0;
}

int main(int count, char ** words)
{
    const std::string task = count > 1 ? words[1] : "";
    if (task == "options")
        return print_options(), 0;
    try {
        const Group group = read_group();
        const Options options = read_options();
        const std::vector<Case> cases = read_cases();
        if (task == "poses")
            return poses(group, cases);
        const GroupSolver solver(group, options);
        return task == "threads" ? threads(solver, group, cases) : solve(solver, cases);
    } catch (const std::invalid_argument & error) {
        std::printf("refused: %s\n", error.what());
        return 0;
    }
}
