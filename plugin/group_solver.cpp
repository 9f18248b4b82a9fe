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

#include "group_solver.hpp"

#include "usual_request.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dq_ik
{

namespace
{

constexpr int64_t STARTS = 512;     // stored configurations from which searches start
constexpr double DISTINCT = 1e-2;   // largest joint difference of solutions that are the same
// A goal this near to the tip [m, rad] is one of a drag or a path: no other posture is wanted.
constexpr double NEAR = 0.1, NEAR_ANGLE = 0.5;
// How far a joint may move for such a goal [rad or m], if an answer within that can be found.
constexpr double WAYS[] = {0.3, 1.0};
// Room for further solutions: so many at first, then four times as many, up to so many.
constexpr int64_t FEW = 16, MANY = 256;

const Options & checked(const Options & options)
{
    const std::string fault = fault_of(options);
    if (!fault.empty())
        throw std::invalid_argument(fault);
    return options;
}

std::string count_fault(const char * what, size_t wanted, size_t given)
{
    return std::string(what) + " must have " + std::to_string(wanted) + " numbers, got " +
           std::to_string(given);
}

// The nearest number to seed + change from which the seed is not farther than the change.
double within(double seed, double change)
{
    const double bound = seed + change;
    return std::abs(bound - seed) > std::abs(change) ? std::nextafter(bound, seed) : bound;
}

Words answer_of(const Words & answer)
{
    const double * q = dq_ik_answer_q(answer.data());
    return {q, q + dq_ik_answer_n(answer.data())};
}

double largest_way(const double * q, const Words & from)
{
    double largest = 0.0;
    for (size_t i = 0; i < from.size(); ++i)
        largest = std::max(largest, std::abs(q[i] - from[i]));
    return largest;
}

}  // namespace

GroupSolver::Work::Work(const GroupSolver & solver)
: request(solver.request_), answer(size_t(dq_ik_answer_size(request.data()))),
  memory(size_t(dq_ik_memory_size(solver.robot_.block()))),
  poses(7 * solver.n_tips_), seed(solver.robot_.sources().size()), first(seed),
  values(solver.n_values_)
{
}

GroupSolver::GroupSolver(const Group & group, const Options & options)
: robot_(group, group.tips, std::max(STARTS, checked(options).max_restarts + 1),
         options.random_seed),
  n_values_(group.values.size()), n_outside_(group.outside.size()), n_tips_(group.tips.size()),
  max_joint_step_(options.max_joint_step > 0.0 ? options.max_joint_step : INFINITY),
  request_(usual_request(robot_, options))
{
    if (robot_.followers().empty())
        throw std::invalid_argument("no joint of the group moves a tip");
}

Outcome GroupSolver::search(const Query & query, const Visitor & visit) const
{
    Search search{query, visit, Clock::now(), *this, {}};
    auto lease = pool_.take(*this);
    Work & work = *lease;
    search.outcome.fault = prepare(query, work);
    if (search.outcome.fault.empty() && bound(query, max_joint_step_, work))
        search.run(work);
    return search.outcome;
}

// The first answer from the seed; then, as long as answers are refused, more and more others.
void GroupSolver::Search::run(Work & work)
{
    double * request = work.request.data();
    const bool is_once = !(query.timeout > 0.0) || dq_ik_request_max_restarts(request) == 0;
    if (!(query.timeout > 0.0))
        dq_ik_request_set_max_restarts(request, 0);
    const bool is_found = solve(work) == DQ_IK_STATUS_CONVERGED;
    work.first = answer_of(work.answer);
    const bool is_any_wanted = dq_ik_request_mode(request) == DQ_IK_MODE_SPEED;
    if (is_found && !is_once && is_any_wanted && solver.is_near(query, work))
        keep_posture(work);
    if ((is_found || query.best_reach) && outcome.fault.empty())
        take(work.first.data(), work);
    if (outcome.is_taken || outcome.is_late || !is_found || is_once)
        return;
    dq_ik_request_set_mode(request, DQ_IK_MODE_ALL);
    dq_ik_request_set_max_restarts(request, dq_ik_robot_n_stored(solver.robot_.block()) - 1);
    for (int64_t room = FEW, seen = 0; room <= MANY && seen >= 0; room *= 4) {
        dq_ik_request_set_max_solutions(request, room);
        seen = visit_others(seen, room, work);
    }
}

// Prefer the answer of a patient attempt from the seed; where it is far, one that is bound to be near.
void GroupSolver::Search::keep_posture(Work & work)
{
    const int64_t max_restarts = dq_ik_request_max_restarts(work.request.data());
    if (dq_ik_answer_restarts(work.answer.data()) > 0) {
        dq_ik_request_set_max_restarts(work.request.data(), 0);
        prefer_nearer(work);
        dq_ik_request_set_max_restarts(work.request.data(), max_restarts);
    }
    for (const double most : WAYS)
        if (largest_way(work.first.data(), work.seed) > most &&
            solver.bound(query, std::min(most, solver.max_joint_step_), work))
            prefer_nearer(work);
    solver.bound(query, solver.max_joint_step_, work);
}

void GroupSolver::Search::prefer_nearer(Work & work)
{
    if (solve(work) != DQ_IK_STATUS_CONVERGED)
        return;
    const Words other = answer_of(work.answer);
    if (largest_way(other.data(), work.seed) < largest_way(work.first.data(), work.seed))
        work.first = other;
}

// Visit solutions from a number on, the nearest to the seed first; return the next number, or -1.
int64_t GroupSolver::Search::visit_others(int64_t from, int64_t room, Work & work)
{
    work.answer.resize(size_t(dq_ik_answer_size(work.request.data())));
    solve(work);
    const int64_t count = dq_ik_answer_n_solutions(work.answer.data());
    const size_t n = work.seed.size();
    std::vector<std::pair<double, const double *>> rows;
    for (int64_t row = from; row < count; ++row) {
        const double * q = dq_ik_answer_solutions(work.answer.data()) + row * int64_t(n);
        if (largest_way(q, work.first) >= DISTINCT)
            rows.emplace_back(largest_way(q, work.seed), q);
    }
    std::sort(rows.begin(), rows.end());
    for (size_t i = 0; i < rows.size() && !outcome.is_taken && !outcome.is_late; ++i)
        take(rows[i].second, work);
    return outcome.is_taken || outcome.is_late || count < room ? -1 : count;
}

int64_t GroupSolver::Search::solve(Work & work)
{
    const double left = query.timeout > 0.0 ? query.timeout - spent() : 0.0;
    const int64_t status = dq_ik_solve(solver.robot_.block(), work.request.data(), 1, nullptr, 0, 0,
                                       work.seed.data(), 1, left, work.answer.data(), 1,
                                       work.memory.data());
    if (status < 0)
        outcome.fault = dq_ik_fault_text(DQ_IK_FAULT(status));
    outcome.is_late = status == DQ_IK_STATUS_TIMED_OUT;
    return status;
}

void GroupSolver::Search::take(const double * q, Work & work)
{
    work.values = query.seed;
    solver.robot_.scatter(q, work.values.data());
    outcome.is_taken = visit(work.values);
    outcome.is_late = query.timeout > 0.0 && spent() >= query.timeout;
}

double GroupSolver::Search::spent() const
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string GroupSolver::fault_of(const Query & query) const
{
    if (query.goals.size() != 7 * n_tips_)
        return count_fault("the poses", 7 * n_tips_, query.goals.size());
    if (query.seed.size() != n_values_)
        return count_fault("the seed", n_values_, query.seed.size());
    if (query.outside.size() != n_outside_)
        return count_fault("the other joints", n_outside_, query.outside.size());
    if (!query.changes.empty() && query.changes.size() != n_values_)
        return count_fault("the consistency limits", n_values_, query.changes.size());
    for (const double change : query.changes)
        if (!(change >= 0.0))
            return "a consistency limit is " + std::to_string(change) + "; it must be 0 or more";
    for (const size_t joint : query.locked)
        if (joint >= robot_.n_joints())
            return "joint " + std::to_string(joint) + " cannot be locked: there are " +
                   std::to_string(robot_.n_joints());
    if (!std::all_of(query.seed.begin(), query.seed.end(), [](double q) { return std::isfinite(q); }))
        return "the seed has a number that is not finite";
    return {};
}

// Write goals and seed, or say what is wrong with them.
std::string GroupSolver::prepare(const Query & query, Work & work) const
{
    std::string fault = fault_of(query);
    if (!fault.empty())
        return fault;
    work.request = request_;
    for (size_t k = 0; k < n_tips_; ++k) {
        const int64_t wrong = dq_ik_pose(DQ_IK_POSE_XYZ_XYZW, &query.goals[7 * k],
                                         dq_ik_request_goals(work.request.data())[k].target);
        if (wrong < 0)
            return dq_ik_fault_text(DQ_IK_FAULT(wrong));
    }
    robot_.gather(query.seed.data(), query.outside.data(), work.seed.data());
    return {};
}

// Tell whether all tips are near their goals at the seed.
bool GroupSolver::is_near(const Query & query, Work & work) const
{
    dq_ik_fk(robot_.block(), work.seed.data(), 1, DQ_IK_POSE_XYZ_XYZW, work.poses.data(),
             work.memory.data());
    for (size_t k = 0; k < n_tips_; ++k) {
        const double * a = &work.poses[7 * k];
        const double * b = &query.goals[7 * k];
        const double way = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        const double dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6];
        const double length = std::sqrt(b[3] * b[3] + b[4] * b[4] + b[5] * b[5] + b[6] * b[6]);
        if (way > NEAR || std::abs(dot) < std::cos(0.5 * NEAR_ANGLE) * length)
            return false;
    }
    return true;
}

// How far a variable may move from the seed.
double GroupSolver::change_of(const Query & query, const PackedRobot::Follower & follower,
                              double most) const
{
    const auto & locked = query.locked;
    if (std::find(locked.begin(), locked.end(), follower.joint) != locked.end())
        return 0.0;
    double change = most;
    if (!query.changes.empty() && follower.multiplier != 0.0)
        change = std::min(change, query.changes[follower.value] / std::abs(follower.multiplier));
    return change;
}

// Write the bounds of this call, with most for the change of a joint; false: nothing is within them.
bool GroupSolver::bound(const Query & query, double most, Work & work) const
{
    double * lower = dq_ik_request_lower(work.request.data());
    double * upper = dq_ik_request_upper(work.request.data());
    for (size_t i = 0; i < robot_.sources().size(); ++i) {
        const auto & source = robot_.sources()[i];
        lower[i] = source.lower;
        upper[i] = source.upper;
        if (source.is_outside)
            lower[i] = upper[i] = std::clamp(work.seed[i], source.lower, source.upper);
    }
    for (const auto & follower : robot_.followers()) {
        const size_t i = follower.variable;
        const double change = change_of(query, follower, most);
        lower[i] = std::max(lower[i], within(work.seed[i], -change));
        upper[i] = std::min(upper[i], within(work.seed[i], change));
    }
    for (size_t i = 0; i < robot_.sources().size(); ++i)
        if (lower[i] > upper[i])
            return false;
    return true;
}

}  // namespace dq_ik
