# Copyright 2026 The dq_ik Authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""
The service compute_ik against the conformance list: M as move_group, B better.

Each test is named after its line of the list.
"""

import math

from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.frames import FrameError
from dq_ik.ros.services.compute_ik import IkServer
from dq_ik.ros.services.requests import ErrorCode, fill_error, RequestError
from dq_ik.ros.settings import NodeSettings
from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import PoseStamped, Transform, Vector3
from moveit_msgs import msg as moveit_msgs
from moveit_msgs.srv import GetPositionIK
import numpy as np
import pytest
import ros_robot
from shape_msgs.msg import SolidPrimitive

ROBOT = ros_robot.robot()
CHAIN = ROBOT.groups['arm']
Q = np.array([ros_robot.POSTURE[name] for name in ros_robot.ARM])
CURRENT = {'lift': 0.2, 'grip': 0.01, **dict.fromkeys(ros_robot.ARM, 0.1)}


def server(options=None, lookup=None, **settings):
    return IkServer(ROBOT, options or IkOptions(), NodeSettings(**settings), lookup)


def stamped(pose, frame='arm_base'):
    msg = PoseStamped()
    msg.header.frame_id = frame
    fill_pose(msg.pose, pose)
    return msg


def request(pose=None, frame='arm_base', seed=None, **fields):
    msg = moveit_msgs.PositionIKRequest(group_name='arm')
    msg.pose_stamped = stamped(CHAIN.fk(Q) if pose is None else pose, frame)
    for name, value in (seed or {}).items():
        msg.robot_state.joint_state.name.append(name)
        msg.robot_state.joint_state.position.append(value)
    for name, value in fields.items():
        setattr(msg, name, value)
    return msg


def ask(msg, ik=None, current=None):
    """Answer as the node does."""
    ik, response = ik or server(), GetPositionIK.Response()
    try:
        query = ik.query(msg, CURRENT if current is None else current)
        ik.fill(response, query, ik.solve(query))
    except RequestError as error:
        fill_error(response.error_code, error.code, str(error))
    return response


def code(response):
    return ErrorCode(response.error_code.val)


def solution(response):
    assert code(response) is ErrorCode.SUCCESS, response.error_code.message
    state = response.solution.joint_state
    return dict(zip(state.name, state.position))


def tip(response, link='flange', base='arm_base'):
    """Return where the solution brings a link, by forward kinematics of the whole robot."""
    poses = ROBOT.model.link_poses(solution(response))
    return poses[base].inverse() @ poses[link]


def assert_reached(response, goal, link='flange', base='arm_base'):
    assert tip(response, link, base).distance(goal) < (1.1e-5, 1.1e-5)


# --- group and state -----------------------------------------------------------------------------

def test_m1_unknown_group():
    response = ask(request(group_name='leg'))
    assert code(response) is ErrorCode.INVALID_GROUP_NAME
    assert "'arm'" in response.error_code.message


def test_m1_empty_group_is_the_default_unless_refused():
    assert_reached(ask(request(group_name='')), CHAIN.fk(Q))
    refused = ask(request(group_name=''), server(accept_empty_group=False))
    assert code(refused) is ErrorCode.INVALID_GROUP_NAME


def test_m2_empty_state_is_seeded_from_joint_states():
    query = server().query(request(), CURRENT)
    np.testing.assert_allclose(query.seed, 0.1)
    assert 'joint_states' not in ask(request()).error_code.message


def test_m2_without_joint_states_neutral_is_the_seed_and_said_so():
    query = server().query(request(), {})
    np.testing.assert_array_equal(query.seed, CHAIN.neutral)
    response = ask(request(), current={})
    assert_reached(response, CHAIN.fk(Q))
    assert 'no joint_states' in response.error_code.message


@pytest.mark.parametrize('is_diff', [True, False])
def test_m3_partial_seed_overrides_the_current_state(is_diff):
    msg = request(seed={'j2': 0.5})
    msg.robot_state.is_diff = is_diff
    np.testing.assert_allclose(server().query(msg, CURRENT).seed, [0.1, 0.5, 0.1, 0.1, 0.1, 0.1])


def test_m4_other_joints_are_echoed_and_mimics_follow():
    positions = solution(ask(request(seed={'grip': 0.03})))
    assert set(positions) == set(ros_robot.MOVABLE)
    assert positions['grip'] == positions['grip_mimic'] == pytest.approx(0.03)
    assert positions['lift'] == pytest.approx(0.2)


def test_m4_joints_below_the_base_change_the_frame():
    goal = ROBOT.model.link_poses({**ros_robot.POSTURE, 'lift': 0.2})['flange']
    for lift in (0.15, 0.25):
        assert_reached(ask(request(goal, '', seed={'lift': lift})), goal, base='world')


def test_b5_unknown_joint():
    response = ask(request(seed={'nope': 0.0}))
    assert code(response) is ErrorCode.INVALID_ROBOT_STATE
    assert "'nope'" in response.error_code.message


@pytest.mark.parametrize('position', [[], [0.0, 0.0], [math.nan], [math.inf]])
def test_b6_bad_joint_state(position):
    msg = request()
    msg.robot_state.joint_state.name = ['j1']
    msg.robot_state.joint_state.position = position
    assert code(ask(msg)) is ErrorCode.INVALID_ROBOT_STATE


# --- frames --------------------------------------------------------------------------------------

@pytest.mark.parametrize('frame', ['', 'world'])
def test_m7_empty_frame_is_the_root(frame):
    goal = Pose.from_xyz_rpy((0.4, 0.1, 1.5), (0, 2.0, 0))
    assert_reached(ask(request(goal, frame)), goal, base='world')


def test_m8_other_frames_by_tf_with_any_stamp():
    def lookup(target, source):
        assert (target, source) == ('world', 'camera')
        return Pose.from_xyz_rpy((0.4, 0.1, 1.0), (0, 2.0, 0))
    msg = request(Pose.from_xyz_rpy((0, 0, 0.1), (0, 0, 0)), 'camera')
    msg.pose_stamped.header.stamp.sec = 123456
    goal = Pose.from_xyz_rpy((0.4, 0.1, 1.0), (0, 2.0, 0)) @ Pose.from_xyz_rpy(
        (0, 0, 0.1), (0, 0, 0))
    assert_reached(ask(msg, server(lookup=lookup)), goal, base='world')


def test_m8_frame_failure():
    def lookup(target, source):
        raise FrameError('no such frame')
    for ik in (server(), server(lookup=lookup)):
        assert code(ask(request(frame='camera'), ik)) is ErrorCode.FRAME_TRANSFORM_FAILURE


def test_m8_link_frames_need_no_tf():
    goal = Pose.from_xyz_rpy((0.3, 0.1, 0.5), (0, 2.0, 0))
    assert_reached(ask(request(goal, 'torso')), goal, base='torso')


def test_m8_moving_link_frames_are_where_joint_states_say():
    """The frame is placed by joint_states, not by the seed of the request."""
    step = Pose.from_xyz_rpy((0.0, 0.0, 0.02), (0, 0, 0))
    current = {**CURRENT, **ros_robot.POSTURE}
    response = ask(request(step, 'flange', seed={'j2': 0.2}), current=current)
    assert_reached(response, CHAIN.fk(Q) @ step)


# --- poses and links -----------------------------------------------------------------------------

def test_m9_vector_of_one_ignores_ik_link_name():
    msg = request(Pose.identity(), ik_link_name='tool')
    msg.pose_stamped_vector = [stamped(CHAIN.fk(Q))]
    assert_reached(ask(msg), CHAIN.fk(Q))
    msg.ik_link_names = ['tool']
    assert_reached(ask(msg), CHAIN.fk(Q), link='tool')


def test_m10_vector_and_names_of_different_length():
    msg = request()
    msg.pose_stamped_vector = [stamped(CHAIN.fk(Q))] * 2
    msg.ik_link_names = ['flange']
    assert code(ask(msg)) is ErrorCode.INVALID_LINK_NAME


@pytest.mark.parametrize('second', ['flange', 'palm'])
def test_m10_two_poses_for_one_tip(second):
    """None of them is dropped in silence."""
    msg = request(ik_link_names=['flange', second])
    msg.pose_stamped_vector = [stamped(CHAIN.fk(Q)), stamped(CHAIN.fk(0.5 * Q))]
    response = ask(msg)
    assert code(response) is ErrorCode.INVALID_LINK_NAME
    assert "two poses for 'flange'" in response.error_code.message


@pytest.mark.parametrize('link', ['tool', 'palm', '/tool'])
def test_m11_link_rigidly_attached_to_the_tip(link):
    response = ask(request(ik_link_name=link))
    assert_reached(response, CHAIN.fk(Q), link=link.lstrip('/'))


def test_b12_unknown_link():
    assert code(ask(request(ik_link_name='nope'))) is ErrorCode.INVALID_LINK_NAME


@pytest.mark.parametrize('link', ['l3', 'torso', 'finger_left'])
def test_b12_known_link_that_is_no_tip(link):
    assert code(ask(request(ik_link_name=link))) is ErrorCode.NO_IK_SOLUTION


# --- timeout, collisions, constraints, quaternions -----------------------------------------------

@pytest.mark.parametrize(('sec', 'nanosec', 'seconds'), [
    (0, 0, 0.05), (0, 500_000_000, 0.5), (2, 0, 2.0), (-1, 0, 0.05)])
def test_b13_timeout(sec, nanosec, seconds):
    msg = request()
    msg.timeout.sec, msg.timeout.nanosec = sec, nanosec
    assert server().query(msg, CURRENT).timeout == pytest.approx(seconds)


def test_b13_timeout_longer_than_the_solver_takes_is_cut():
    msg = request()
    msg.timeout.sec = 10**6
    assert server().query(msg, CURRENT).timeout == 60.0


def test_m14_avoid_collisions_is_accepted_and_answered():
    response = ask(request(avoid_collisions=True))
    assert_reached(response, CHAIN.fk(Q))
    assert 'collisions not checked: no robot description' in response.error_code.message


def joint_constraint(name, position, tolerance):
    return moveit_msgs.JointConstraint(joint_name=name, position=position,
                                       tolerance_above=tolerance, tolerance_below=tolerance)


def test_b15_joint_constraints_are_limits():
    """The wrist must turn over: the other solution of j4 is half a turn away."""
    other = solution(ask(request()))['j4'] + math.pi
    msg = request()
    msg.constraints.joint_constraints = [joint_constraint('j4', other, 0.5)]
    response = ask(msg)
    assert_reached(response, CHAIN.fk(Q))
    assert abs(solution(response)['j4'] - other) <= 0.5


def test_b6_bad_state_of_joints_with_several_degrees_of_freedom():
    """Virtual joints of an SRDF are none of ours, but each must have its transform."""
    msg = request()
    msg.robot_state.multi_dof_joint_state.joint_names = ['virtual_joint']
    assert code(ask(msg)) is ErrorCode.INVALID_ROBOT_STATE
    msg.robot_state.multi_dof_joint_state.transforms = [Transform()]
    assert_reached(ask(msg), CHAIN.fk(Q))


@pytest.mark.parametrize(('name', 'position', 'tolerance'), [
    ('nope', 0.0, 0.1), ('j1', math.nan, 0.1), ('j1', 9.0, 0.1), ('j1', 0.0, -1.0)])
def test_b15_impossible_joint_constraint(name, position, tolerance):
    msg = request()
    msg.constraints.joint_constraints = [joint_constraint(name, position, tolerance)]
    assert code(ask(msg)) is ErrorCode.INVALID_GOAL_CONSTRAINTS


def test_b15_constraint_on_a_joint_outside_the_group_is_judged():
    msg = request()
    msg.constraints.joint_constraints = [joint_constraint('lift', 0.0, 0.1)]
    response = ask(msg)
    assert code(response) is ErrorCode.NO_IK_SOLUTION
    assert "'lift'" in response.error_code.message
    msg.constraints.joint_constraints = [joint_constraint('lift', 0.2, 0.01)]
    assert_reached(ask(msg), CHAIN.fk(Q))


@pytest.mark.parametrize('turns', [-2, 0, 1])
@pytest.mark.parametrize('tolerance', [0.01, math.inf])
def test_b15_constraint_of_a_continuous_joint_holds_in_each_turn(turns, tolerance):
    """The answer is in the turn of the seed, not in that of the constraint."""
    for seed_turns in (0, 2):
        seed = {**ros_robot.POSTURE, 'j4': ros_robot.POSTURE['j4'] + seed_turns * math.tau}
        msg = request(seed=seed)
        msg.constraints.joint_constraints = [
            joint_constraint('j4', ros_robot.POSTURE['j4'] + turns * math.tau, tolerance)]
        assert abs(solution(ask(msg))['j4'] - seed['j4']) < 0.02


@pytest.mark.parametrize(('name', 'value'), [('grip', 0.03), ('grip_mimic', 0.03)])
def test_b15_constraint_of_a_joint_that_nobody_spoke_of_is_judged(name, value):
    """The answer says where such a joint is; a mimic is where its master puts it."""
    msg = request()
    msg.constraints.joint_constraints = [joint_constraint(name, value, 0.005)]
    for current, expected in (({}, ErrorCode.NO_IK_SOLUTION),
                              ({'grip': value}, ErrorCode.SUCCESS),
                              ({'grip': 0.0}, ErrorCode.NO_IK_SOLUTION)):
        assert code(ask(msg, current={**dict.fromkeys(ros_robot.ARM, 0.1), **current})) is expected


def test_b15_constraint_of_a_mimic_limits_its_master():
    msg = request(group_name='arm_and_hand')
    msg.pose_stamped_vector = [stamped(CHAIN.fk(Q))]
    msg.ik_link_names = ['flange']
    msg.constraints.joint_constraints = [joint_constraint('grip_mimic', 0.03, 0.005)]
    response = ask(msg)
    assert 'finger_left' in response.error_code.message
    assert code(response) is ErrorCode.NO_IK_SOLUTION  # it keeps the pose that it has
    msg.pose_stamped_vector.append(stamped(CHAIN.model.link_poses(
        {'grip': 0.03, **ros_robot.POSTURE})['finger_left'], 'world'))
    msg.ik_link_names = ['flange', 'finger_left']
    assert solution(ask(msg, current={'grip': 0.0}))['grip'] == pytest.approx(0.03, abs=1e-4)


@pytest.mark.parametrize(('name', 'positions', 'reason'), [
    ('j1', (0.3, 0.6), 'satisfies all constraints'), ('shoulder', (0.0,), 'is fixed')])
def test_b15_constraints_that_cannot_hold_are_refused(name, positions, reason):
    msg = request()
    msg.constraints.joint_constraints = [joint_constraint(name, at, 0.1) for at in positions]
    response = ask(msg)
    assert code(response) is ErrorCode.INVALID_GOAL_CONSTRAINTS
    assert reason in response.error_code.message


def region(link, frame, center, shape=1, sizes=(0.2, 0.2, 0.2), offset=(0.0, 0.0, 0.0)):
    msg = moveit_msgs.PositionConstraint(link_name=link)
    msg.header.frame_id = frame
    x, y, z = offset
    msg.target_point_offset = Vector3(x=x, y=y, z=z)
    msg.constraint_region.primitives = [SolidPrimitive(type=shape, dimensions=list(sizes))]
    msg.constraint_region.primitive_poses = [
        fill_pose(PoseMsg(), Pose.from_xyz_rpy(center, (0, 0, 0)))]
    return msg


def orientation(link, frame, pose, tolerances, parameterization=0):
    x, y, z = tolerances
    msg = moveit_msgs.OrientationConstraint(
        link_name=link, parameterization=parameterization, absolute_x_axis_tolerance=x,
        absolute_y_axis_tolerance=y, absolute_z_axis_tolerance=z)
    msg.header.frame_id = frame
    msg.orientation = fill_pose(PoseMsg(), pose).orientation
    return msg


def constrained(*positions, orientations=()):
    msg = request()
    msg.constraints.position_constraints = list(positions)
    msg.constraints.orientation_constraints = list(orientations)
    return msg


def elbows():
    """Return where l3 is in each of the solutions: this arm has two elbows and two wrists."""
    found = CHAIN.solve(CHAIN.fk(Q), mode='all').solutions
    return [CHAIN.model.link_poses({**CURRENT, **dict(zip(CHAIN.joint_names, q))}) for q in found]


@pytest.mark.parametrize('options', [
    {}, {'mode': 'manipulability'}, {'mode': 'distance', 'center_joints_weight': 0.5}])
def test_b15_position_constraint_selects_the_elbow(options):
    """Wherever an elbow may be, a region around it gives a solution with it there."""
    poses = elbows()
    places = np.array([found['l4'].position for found in poses])
    assert np.ptp(places, axis=0).max() > 0.05  # they differ
    for found in poses:
        x_arm_link = found['arm_base'].inverse() @ found['l4']
        msg = constrained(region('l4', 'arm_base', x_arm_link.position, sizes=(0.01,) * 3))
        response = ask(msg, server(IkOptions(**options)))
        assert_reached(response, CHAIN.fk(Q))
        reached = CHAIN.model.link_poses({**CURRENT, **solution(response)})
        assert np.abs(reached['l4'].position - found['l4'].position).max() < 0.006


@pytest.mark.parametrize(('shape', 'sizes', 'inside', 'outside'), [
    (1, (0.2, 0.4, 0.6), (0.09, 0.19, 0.29), (0.11, 0.0, 0.0)),
    (2, (0.2,), (0.0, 0.19, 0.0), (0.15, 0.15, 0.0)),
    (3, (0.4, 0.1), (0.06, 0.06, 0.19), (0.08, 0.08, 0.0)),
    (3, (0.4, 0.1), (0.0, 0.0, -0.19), (0.0, 0.0, 0.21))])
@pytest.mark.parametrize('frame', ['', 'world', 'arm_base', 'somewhere'])
def test_b15_position_constraint_of_each_shape_in_each_frame(shape, sizes, inside, outside, frame):
    x_root_frame = {'': Pose.identity(), 'world': Pose.identity(),
                    'arm_base': CHAIN.model.link_poses(CURRENT)['arm_base'],
                    'somewhere': Pose.from_xyz_rpy((1, 2, 3), (0, 0, 0))}[frame]
    ik = server(lookup=lambda target, source: x_root_frame)
    x_root_base = CHAIN.model.link_poses(CURRENT)['arm_base']
    tip = (x_root_frame.inverse() @ x_root_base @ CHAIN.fk(Q)).position
    for place, expected in ((inside, ErrorCode.SUCCESS), (outside, ErrorCode.NO_IK_SOLUTION)):
        response = ask(constrained(region('flange', frame, tip - place, shape, sizes)), ik)
        assert code(response) is expected
    assert "the position constraint of 'flange' does not hold" in response.error_code.message


def test_b15_position_constraint_of_a_point_beside_the_link():
    tip = CHAIN.fk(Q)
    far = constrained(region('flange', 'arm_base', tip @ (0.0, 0.0, 0.5), offset=(0.0, 0.0, 0.5)))
    assert code(ask(far)) is ErrorCode.SUCCESS
    far.constraints.position_constraints[0].target_point_offset.z = 0.0
    assert code(ask(far)) is ErrorCode.NO_IK_SOLUTION


@pytest.mark.parametrize('parameterization', [0, 1])
@pytest.mark.parametrize('axis', [0, 1, 2])
def test_b15_orientation_constraint(axis, parameterization):
    """The flange is turned by 0.3 about one axis: that tolerance decides, the others do not."""
    turn = np.zeros(3)
    turn[axis] = 0.3
    wanted = CHAIN.fk(Q) @ Pose.from_xyz_rpy((0, 0, 0), turn)
    for wide, expected in ((0.31, ErrorCode.SUCCESS), (0.29, ErrorCode.NO_IK_SOLUTION)):
        tolerances = np.full(3, 0.01)
        tolerances[axis] = wide
        response = ask(constrained(orientations=[
            orientation('flange', 'arm_base', wanted, tolerances, parameterization)]))
        assert code(response) is expected


@pytest.mark.parametrize(('x', 'z'), [(0.8, 0.01), (0.01, 0.8), (0.4, 0.4)])
def test_b15_orientation_constraint_where_two_euler_angles_are_one(x, z):
    wanted = CHAIN.fk(Q) @ (Pose.from_xyz_rpy((0, 0, 0), (0.7, 0, 0))
                            @ Pose.from_xyz_rpy((0, 0, 0), (0, math.pi / 2, 0))).inverse()
    msg = constrained(orientations=[orientation('flange', 'arm_base', wanted, (x, 1.6, z))])
    assert code(ask(msg)) is ErrorCode.SUCCESS
    msg.constraints.orientation_constraints[0].absolute_x_axis_tolerance = 0.1
    msg.constraints.orientation_constraints[0].absolute_z_axis_tolerance = 0.1
    assert code(ask(msg)) is ErrorCode.NO_IK_SOLUTION


def test_b15_constraint_holds_for_approximate_solutions_too():
    msg = constrained(region('flange', 'arm_base', (0.0, 0.0, -5.0)))
    assert code(ask(msg, server(allow_approximate=True))) is ErrorCode.NO_IK_SOLUTION


@pytest.mark.parametrize('bad', [
    region('nope', 'arm_base', (0, 0, 0)), region('flange', 'arm_base', (1e10, 0, 0)),
    region('flange', 'arm_base', (0, 0, 0), shape=4, sizes=(1.0, 1.0)),
    region('flange', 'arm_base', (0, 0, 0), sizes=(1.0, 1.0)),
    region('flange', 'arm_base', (0, 0, 0), sizes=(1.0, 1.0, math.nan)),
    region('flange', 'arm_base', (0, 0, 0), offset=(math.inf, 0.0, 0.0)),
    moveit_msgs.PositionConstraint(link_name='flange')])
def test_b15_position_constraint_that_cannot_be_checked_is_refused(bad):
    assert code(ask(constrained(bad))) is ErrorCode.INVALID_GOAL_CONSTRAINTS


def test_b15_other_constraints_that_cannot_be_checked_are_refused():
    zero = orientation('flange', 'arm_base', Pose.identity(), (1.0, 1.0, 1.0))
    zero.orientation.w = 0.0
    odd = orientation('flange', 'arm_base', Pose.identity(), (1.0, math.nan, 1.0))
    for bad in (zero, odd):
        assert code(ask(constrained(orientations=[bad]))) is ErrorCode.INVALID_GOAL_CONSTRAINTS
    lost = constrained(region('flange', 'nowhere', (0, 0, 0)))
    assert code(ask(lost)) is ErrorCode.FRAME_TRANSFORM_FAILURE
    seen = request()
    seen.constraints.visibility_constraints = [moveit_msgs.VisibilityConstraint()]
    refused = ask(seen)
    assert code(refused) is ErrorCode.INVALID_GOAL_CONSTRAINTS
    assert 'visibility constraints are not supported' in refused.error_code.message


def test_b16_rounded_quaternion_is_normalised():
    msg = request()
    r = msg.pose_stamped.pose.orientation
    r.x, r.y, r.z, r.w = (round(5 * c, 3) for c in (r.x, r.y, r.z, r.w))
    assert code(ask(msg)) is ErrorCode.SUCCESS


@pytest.mark.parametrize(('field', 'value'), [
    ('w', 0.0), ('w', math.nan), ('x', math.inf)])
def test_b16_impossible_quaternion(field, value):
    msg = request(Pose.identity())
    setattr(msg.pose_stamped.pose.orientation, field, value)
    response = ask(msg)
    assert code(response) is ErrorCode.INVALID_GOAL_CONSTRAINTS
    assert response.error_code.message


@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf, 1e10, -1e300])
def test_b16_impossible_position(value):
    msg = request()
    msg.pose_stamped.pose.position.y = value
    assert code(ask(msg)) is ErrorCode.INVALID_GOAL_CONSTRAINTS


# --- answers -------------------------------------------------------------------------------------

def test_m17_success_lists_all_movable_joints_within_limits():
    response = ask(request())
    state = response.solution
    assert set(state.joint_state.name) == set(ros_robot.MOVABLE)
    assert len(state.joint_state.name) == len(state.joint_state.position)
    assert not state.is_diff
    assert len(state.joint_state.velocity) == len(state.joint_state.effort) == 0
    assert state.joint_state.header.frame_id == 'world'
    assert CHAIN.within_limits(CHAIN.configuration(solution(response)))


def test_m17_success_is_judged_on_the_answer_itself():
    rng = np.random.default_rng(5)
    for _ in range(200):
        goal = CHAIN.fk(CHAIN.random(rng))
        response = ask(request(goal))
        if code(response) is ErrorCode.SUCCESS:
            assert_reached(response, goal)
            assert CHAIN.within_limits(CHAIN.configuration(solution(response)))


@pytest.mark.parametrize('distance', [3.0, 1e6])
def test_m18_miss_is_empty_with_reason_and_residual(distance):
    response = ask(request(Pose.from_xyz_rpy((distance, 0, 0), (0, 0, 0))))
    assert code(response) is ErrorCode.NO_IK_SOLUTION
    assert len(response.solution.joint_state.name) == 0
    reason = 'best reach' if distance < 100 else 'goal'
    assert reason in response.error_code.message
    assert 'mm' in response.error_code.message


def test_m18_timed_out_only_if_asked_for():
    far = request(Pose.from_xyz_rpy((3, 0, 0), (0, 0, 0)))
    options = IkOptions(timeout=1e-6)
    assert code(ask(far, server(options))) is ErrorCode.NO_IK_SOLUTION
    assert code(ask(far, server(options, report_timed_out=True))) is ErrorCode.TIMED_OUT


def test_best_reach_is_an_approximate_solution_if_asked_for():
    response = ask(request(Pose.from_xyz_rpy((3, 0, 0.2), (0, 1.57, 0))),
                   server(allow_approximate=True))
    assert tip(response).position[0] > 0.8
    assert 'approximate' in response.error_code.message


def test_b20_same_request_same_bits():
    rng = np.random.default_rng(7)
    for _ in range(20):
        msg = request(CHAIN.fk(CHAIN.random(rng)))
        assert ask(msg) == ask(msg, server())


def test_m21_several_tips_together():
    both = ROBOT.groups['arm_and_hand']
    q = both.configuration({**ros_robot.POSTURE, 'grip': 0.03})
    poses = both.fk_all(q)
    msg = request(group_name='arm_and_hand', ik_link_names=['finger_left', 'flange'])
    msg.pose_stamped_vector = [stamped(poses['finger_left']), stamped(poses['flange'])]
    response = ask(msg)
    assert_reached(response, poses['flange'])
    assert_reached(response, poses['finger_left'], link='finger_left')
    msg.pose_stamped_vector[0] = stamped(poses['finger_left'] @ Pose.from_xyz_rpy(
        (0.1, 0, 0), (0, 0, 0)))
    assert code(ask(msg)) is ErrorCode.NO_IK_SOLUTION


def test_m21_tip_without_a_pose_keeps_its_own():
    both = ROBOT.groups['arm_and_hand']
    q = both.configuration({**ros_robot.POSTURE, 'grip': 0.03})
    msg = request(both.fk(q, 'flange'), group_name='arm_and_hand', ik_link_name='flange',
                  seed={**ros_robot.POSTURE, 'grip': 0.03})
    response = ask(msg)
    assert_reached(response, both.fk(q, 'finger_left'), link='finger_left')


def test_m21_pose_of_a_group_with_several_tips_needs_a_link():
    assert code(ask(request(group_name='arm_and_hand'))) is ErrorCode.INVALID_LINK_NAME


@pytest.mark.parametrize('turns', [-2, -1, 0, 1, 2])
def test_b22_continuous_joint_stays_near_the_seed(turns):
    seed = {**ros_robot.POSTURE, 'j4': ros_robot.POSTURE['j4'] + 2 * math.pi * turns}
    positions = solution(ask(request(CHAIN.fk(Q + 0.02), seed=seed)))
    assert abs(positions['j4'] - seed['j4']) < 0.1


def test_b22_wide_joint_stays_near_the_seed():
    """The range of j6 is almost two turns; one turn less would reach the goal as well."""
    seed = {**ros_robot.POSTURE, 'j6': 6.0}
    goal = CHAIN.fk(CHAIN.configuration({**ros_robot.POSTURE, 'j6': 6.05 - 2 * math.pi}))
    assert solution(ask(request(goal, seed=seed)))['j6'] == pytest.approx(6.05, abs=1e-3)


# --- layouts of real clients ---------------------------------------------------------------------

def moveit_plugin_request():
    """Lay out a request as MoveIt's SrvKinematicsPlugin does."""
    msg = moveit_msgs.PositionIKRequest(group_name='arm', avoid_collisions=True)
    state = msg.robot_state
    state.joint_state.header.frame_id = 'world'
    positions = {**dict.fromkeys(ros_robot.MOVABLE, 0.0), **dict.fromkeys(ros_robot.ARM, 0.1)}
    state.joint_state.name = list(positions)
    state.joint_state.position = list(positions.values())
    state.multi_dof_joint_state.header.frame_id = 'world'
    state.multi_dof_joint_state.joint_names = ['virtual_joint']
    state.multi_dof_joint_state.transforms = [Transform()]
    return msg


def test_srv_kinematics_plugin_one_tip():
    msg = moveit_plugin_request()
    msg.pose_stamped, msg.ik_link_name = stamped(CHAIN.fk(Q)), 'flange'
    response = ask(msg)
    assert_reached(response, CHAIN.fk(Q))
    assert set(response.solution.joint_state.name) <= set(ros_robot.MOVABLE)


def test_srv_kinematics_plugin_several_tips():
    both = ROBOT.groups['arm_and_hand']
    poses = both.fk_all(both.configuration({**ros_robot.POSTURE, 'grip': 0.02}))
    msg = moveit_plugin_request()
    msg.group_name = 'arm_and_hand'
    msg.pose_stamped_vector = [stamped(poses['flange']), stamped(poses['finger_left'])]
    msg.ik_link_names = ['flange', 'finger_left']
    assert_reached(ask(msg), poses['finger_left'], link='finger_left')


def test_pymoveit2():
    """Full joint state, frame of the base link, collisions on, no timeout."""
    msg = request(seed={**CURRENT, 'grip_mimic': 0.01}, avoid_collisions=True)
    msg.robot_state.joint_state.velocity = [0.0] * len(msg.robot_state.joint_state.name)
    assert_reached(ask(msg), CHAIN.fk(Q))


def test_compas_fab():
    msg = request(seed=dict(zip(ros_robot.ARM, CHAIN.random(np.random.default_rng(1)))))
    msg.timeout.sec = 2
    assert_reached(ask(msg), CHAIN.fk(Q))


def test_default_constructed_request_is_answered():
    response = ask(moveit_msgs.PositionIKRequest())
    assert code(response) in (ErrorCode.SUCCESS, ErrorCode.NO_IK_SOLUTION)
