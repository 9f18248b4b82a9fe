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
The tables of all blocks: robot, request, answer and work memory; and the rows of matrices.

Numbers are float64 unless a table says otherwise; lengths in metres, angles in radians.
"""

from __future__ import annotations

from enum import IntEnum

from dq_ik.core.algebra.frame import WIDTH as FRAME
from dq_ik.core.algebra.lanes import WIDTH as LANES
from dq_ik.core.algebra.trigonometry import LANES as VECTOR
from dq_ik.core.memory.table import floats, integer, integers, number, Row, singles, Table

# Positions of joints beyond this [rad or m] are refused, and limits beyond it are none: numbers
# that large are coarser than tolerances.
FARTHEST = 1e9


class Method(IntEnum):
    """How an attempt proceeds."""

    PGS = 0  # projected Gauss-Seidel, the usual one
    PLS = 1  # projected line search
    PGS_PAPER = 2  # as published
    PLS_PAPER = 3  # as published
    TRANSPOSE = 4  # the others are references for comparison
    TRANSPOSE_BUSS = 5
    DLS = 6
    SVD = 7
    QR = 8
    GAUSS_NEWTON = 9
    CCD = 10


class Mode(IntEnum):
    """Which solution is wanted."""

    SPEED = 0  # the first one found
    DISTANCE = 1  # the one nearest to the seed, of all restarts
    DISTANCE_MAX = 2  # the same, by the largest change of a joint
    MANIPULABILITY = 3  # the one farthest from singular configurations, of all restarts
    ALL = 4  # all that are found, see max_solutions


GOAL = Row(
    target=8,  # pose, a unit dual quaternion, as dq_ik_pose() writes it
    weight=6,  # of position [1] and rotation [m / rad] along three axes; 0: free
    slack=6,  # error that is allowed along each axis [m, rad]; within it the goal does not pull
    tolerance=2,  # length of the errors of position [m] and rotation [rad] that counts as met
    kind=1,  # 0: equal weights, no slack; 1: axes of the base are meant; 2: axes of the goal
    axis=3,  # of the tip: only this must have the goal's direction; kind 1 or 2; 0 0 0: none
    aim=1,  # of the target: 0: fixed; 1: looks at a point; 2: moves with another tip
    given=8,  # from which the target is computed, where it depends on the configuration
    other=1)  # number of the tip that a relative target moves with
TARGET, WEIGHT, SLACK, TOLERANCE, KIND, AXIS, AIM, GIVEN, OTHER = GOAL.places
# Kinds of goals: equal weights on all axes, weights along the base's axes, or along the goal's.
# A goal with an axis that is not zero is a pointing one, of the second or third kind.
UNIFORM, BASE_AXES, GOAL_AXES = 0, 1, 2
# Aims: the target is fixed; or it looks at the given point, followed by the given position; or it
# is the given pose in the frame of the other tip.
FIXED, LOOK_AT, RELATIVE = 0, 1, 2

# One element of a tree: constant pose, multiplier and offset of its variable, limits of a ball.
ELEMENT = Row(constant=FRAME, multiplier=1, offset=1, swing=2, twist_lower=1, twist_upper=1)
CONSTANT, MULTIPLIER, OFFSET, SWING, TWIST_LOWER, TWIST_UPPER = ELEMENT.places
# Its whole numbers: kind, parent element or -1, first variable, first screw.
INDEX = Row(kind=1, parent=1, variable=1, screw=1)
ELEMENT_KIND, PARENT, VARIABLE, SCREW = INDEX.places
REVOLUTE, PRISMATIC, BALL = 0, 1, 2  # kinds of elements
# One tip: its element or -1, where its path begins and ends, where its slots do.
TIP_INDEX = Row(element=1, path_start=1, path_stop=1, slot_start=1, slot_stop=1)
TIP_ELEMENT, PATH_START, PATH_STOP, SLOT_START, SLOT_STOP = TIP_INDEX.places
# One screw on the way to a tip: its number, its slot, whether it is the first of the slot.
PATH = Row(screw=1, slot=1, first=1)

ROBOT = Table('robot', (
    'n',  # variables
    'n_tips', 'n_elements',
    'n_screws',  # axes of motion: one per element, three per ball
    'n_path',  # screws on the ways to all tips
    'n_slots',  # variables on the ways to all tips
    'n_stored',  # configurations to start from
), (
    integer('plain', text='1: each element turns or slides by its own variable, in one row'),
    floats('element', 'n_elements', ELEMENT.width, text='elements, parents first'),
    integers('index', 'n_elements', INDEX.width, text='their kinds and places'),
    floats('tip', 'n_tips', FRAME, text='constant poses of the tips in their elements'),
    integers('tip_index', 'n_tips', TIP_INDEX.width, text='their places'),
    integers('path', 'n_path', PATH.width, text='ways to the tips'),
    integers('slot', 'n_slots', text='variable of each slot'),
    floats('lower', 'n', text='lower limits [rad or m]'),
    floats('upper', 'n', text='upper limits [rad or m]'),
    floats('neutral', 'n', text='0 where the limits allow it, else their middle'),
    floats('period', 'n', text='2 pi for joints that may make whole turns, else 0'),
    floats('reach', 'n_tips', text='length of the stretched chain [m]; infinite: by a slide'),
    floats('centre', 'n_tips', 3, text='place of that first joint'),
    integers('joint', 'n', text='row of the joint of each variable in the table of joints'),
    integers('part', 'n', text='number of the variable within its joint'),
    singles('stored', f'n + {FRAME} * n_tips', 'n_stored',
            text='configurations and the frames of their tips, one column each'),
))

REQUEST = Table('request', ('n', 'n_tips'), (
    integer('method', text='a Method'),
    integer('mode', text='a Mode'),
    integer('max_iterations', text='iterations of one attempt at most'),
    integer('max_restarts', text='attempts after the first at most; 0: keep to the seed'),
    integer('max_solutions', text='solutions to be kept in the mode ALL; part of the answer size'),
    integer('max_trace', text='iterates to be kept, for studies; part of the answer size'),
    integer('posture_iterations', text='iterations for stay, pull and repel; 0: none of them'),
    integer('seeded', text='1: begin at the seed; 0: where the goal suggests'),
    number('timeout', text='time budget of a solve [s]'),
    number('max_joint_step', text='largest change of a joint from the seed [rad or m]; 0: any'),
    number('stay', text='posture: weight of the pull towards the seed'),
    floats('goals', 'n_tips', GOAL.width, text='one per tip'),
    floats('seed', 'n', text='start, and the turn of continuous joints that is wanted [rad or m]'),
    floats('lower', 'n', text='lower limits [rad or m]'),
    floats('upper', 'n', text='upper limits [rad or m]'),
    floats('metric', 'n', text='cost of moving a joint: 1 / strength^2; -1: locked at the seed'),
    floats('pull', 'n', text='posture: weight of the pull towards rest'),
    floats('rest', 'n', text='posture to be near [rad or m]'),
    floats('repel', 'n', text='posture: weight of the push away from the limits'),
))
LOCKED = -1.0  # metric of a joint that must keep its seed

ANSWER = Table('answer', ('n', 'n_tips', 'max_solutions', 'max_trace'), (
    integers('status', 1, text='a Status'),
    integers('iterations', 1, text='iterations of all attempts together'),
    integers('restarts', 1, text='number of the last start; 0: the first'),
    integers('n_solutions', 1, text='solutions kept'),
    integers('n_trace', 1, text='iterates kept'),
    floats('cost', 1, text='sum of the weighted squared errors'),
    floats('time', 1, text='duration of the solve [s]'),
    floats('q', 'n', text='joint vector [rad or m], inside the limits whatever the status'),
    floats('error', 'n_tips', 2, text='distance [m] and angle [rad] of each tip from its goal'),
    integers('pressed', 'n', text='-1, 1: pressed against the lower, upper limit; 2: a ball, at '
             'its first variable; 0: not pressed'),
    floats('beyond', 'n_tips', text='how far each goal is beyond the reach of its tip [m], or 0'),
    floats('solutions', 'max_solutions', 'n', text='distinct solutions, n_solutions of them'),
    floats('trace', 'max_trace', 'n', text='iterates in order, n_trace of them'),
))


class Policy(IntEnum):
    """What a stream does while its goal cannot be followed."""

    INTERCEPT = 0  # go straight to where the goal will be met again
    BEST_REACH = 1  # stay as near to the goal as the limits allow
    STOP = 2  # stay


SAMPLES = 64  # goals that a stream remembers
NODES = 4  # of them through which a goal is extrapolated
SLICES, POSTURES = 6, 24  # of a plan, and postures of a slice at most

TRACK = Table('track', ('n', 'n_tips'), (
    integer('policy', text='a Policy'),
    integer('momentum', text='1: start where the last step leads to; 0: at the last answer'),
    integer('look_ahead', text='1: plan the free motion along the goals to come'),
    number('barrier', text='push of free joints off limits, for a slope of 1 [1/s]; 0: none'),
    number('barrier_speed', text='its greatest speed [rad/s]'),
    number('step_ratio', text='greatest step of a joint for a step of the goal [rad/m]; 0: any'),
    number('least_speed', text='speed that this ratio never forbids [rad/s]'),
    integer('rank', text='of the Jacobian of the tip, away from singularities; 0: not known'),
    number('ease', text='time in which this push follows its change [s]; 0: at once'),
    floats('velocity', 'n', text='greatest speeds [rad/s or m/s]'),
    floats('q', 'n', text='the last answer'),
    floats('qdot', 'n', text='its velocity'),
    floats('aim', 'n', text='where the stream waits for its goal after a loss'),
    floats('remaining', 1, text='time until it must be there [s]'),
    integers('aiming', 1, text='1: the stream goes there; 2: as near to the goal as can be'),
    integers('lost', 1, text='frames since the goal was last met'),
    integers('scan', 1, text='number of the time at which the search for an aim goes on'),
    integers('jumped', 1, text='1: the goal jumped and is not met yet'),
    integers('solves', 1, text='attempts of the last frame'),
    integers('random', 1, text='state of the random numbers, 1 or more'),
    floats('time', 1, text='sum of the periods [s]'),
    floats('goal_step', 1, text='how far the goals moved when they were last heard [m]'),
    floats('goal_speed', 1, text='their speed [m/s]'),
    integers('n_samples', 1, text='goals heard'),
    floats('sample_time', SAMPLES, text='their times [s], in a ring'),
    floats('sample', 8 * SAMPLES, 'n_tips', text='their poses, eight numbers for each tip'),
    integers('node', NODES, text='rows of the ring through which a goal is extrapolated'),
    floats('node_time', NODES, text='their times before the newest [s]'),
    floats('slope', NODES, 6, text='divided differences of their poses'),
    integers('planning', 1, text='number of the slice that is planned next'),
    integers('planned', 1, text='1: there is a plan; 0: the push is that of the barrier'),
    floats('free_speed', 1, text='speed of the plan along the free direction [rad/s]'),
    floats('free', 'n', text='the free direction, of length 1, of the last frame'),
    integers('n_postures', SLICES + 1, text='postures of each slice of the plan'),
    floats('posture', (SLICES + 1) * POSTURES, 'n', text='they'),
    floats('posture_cost', (SLICES + 1) * POSTURES, text='costs from them to the end'),
    floats('best', 'n', text='best answer of a frame'),
    floats('push', 'n', text='motion in the directions that the goals leave free'),
    floats('eased', 'n', text='the push off the limits, eased [rad/s]'),
))

MOST_PARTS, MOST_ELEMENTS = 6, 4  # variables and elements of a joint at most

PACKING = Table('packing', ('n_joints',), (
    integers('sizes', 5, text='n, n_elements, n_screws, n_path, n_slots; or the bad row'),
    floats('pose', 'n_joints', FRAME, text="pose of each joint's child link in its element"),
    integers('element', 'n_joints', text='element that carries the child link; -1: the base'),
    integers('needed', 'n_joints', text='1: the joint is on the way to a tip'),
    integers('first', 'n_joints', text='first variable of the joint; -1: none'),
    integers('mark', f'{MOST_PARTS} * n_joints', text='of the variables on one way'),
    floats('step', f'{MOST_PARTS} * n_joints', text='of the sequence of stored configurations'),
    floats('u', f'{MOST_PARTS} * n_joints', text='a point of the unit cube'),
    floats('q', f'{MOST_PARTS} * n_joints', text='its configuration'),
    floats('turns', 3, f'({MOST_ELEMENTS} * n_joints + {VECTOR - 1}) // {VECTOR} * {VECTOR}',
           text='half angles of the elements, their sines and cosines'),
    floats('world', f'{MOST_ELEMENTS} * n_joints', FRAME, text='poses of the elements'),
    floats('screw', f'{MOST_PARTS} * n_joints', 6, text='axes of motion'),
))

POOL = 12  # candidates for the best reach
AXES = Row(axis=3, way=1)  # of a ball's tangent space; way to the limit, infinite: it is free
WAY = AXES.places[1]
# A limit of a ball: normal, direction that projections undo, distance [rad], push of the slope.
CONTACT = Row(normal=3, back=3, gap=1, push=1)
_, BACK, GAP, PUSH = CONTACT.places
BALL_LIMITS = 13  # of one ball

# Attempts in lanes: iterations at most, and those that the one from the seed may take on top.
LANE_ITERATIONS, SEED_ITERATIONS = 7, 3
# Rows of lanes, each so many times the number of joints: the step, its slope, gains (zero: held),
# axes and points of the joints, columns of the Jacobian, the configuration to try, and the
# configurations taken, one for each iteration.
LANE = Row(step=1, slope=1, gain=1, axis=6, column=6, trial=1,
           taken=LANE_ITERATIONS + SEED_ITERATIONS + 1)
STEP, SLOPE, GAIN, LANE_AXIS, COLUMN, TRIAL, TAKEN = LANE.places

WORK = Table('work', (
    'n', 'n_tips', 'n_elements', 'n_screws', 'n_slots', 'n_stored',
    'n_in_lanes',  # joints of a chain that may have attempts in lanes
), (
    integers('clock', 2, text='buffer of the clock'),
    floats('deadline', 1, text='time at which the solve must end [s]'),
    floats('measure', 1, text='of the best solution, by the mode; infinite: none is found'),
    floats('least', 1, text='cost of the best reach; infinite: none is found'),
    floats('goals', 'n_tips', GOAL.width, text='goals of this row'),
    floats('seed', 'n', text='seed of this row'),
    integers('seeded', 1, text='1: the caller gave the seed'),
    floats('low', 'n', text='limits of the answer'),
    floats('high', 'n', text=''),
    floats('lower', 'n', text='limits while solving: infinite for joints free to turn'),
    floats('upper', 'n', text=''),
    floats('period', 'n', text='2 pi for joints free to turn, else 0'),
    floats('metric', 'n', text='cost of moving a joint'),
    floats('gain', 'n', text='its inverse'),
    floats('pull', 'n', text='weight of the pull towards rest'),
    floats('rest', 'n', text='posture to be near'),
    floats('turns', 3, f'(n_elements + {VECTOR - 1}) // {VECTOR} * {VECTOR}',
           text='half angles of the elements, their sines and cosines, padded with zeros'),
    floats('world', 'n_elements', FRAME, text='poses of the elements'),
    floats('screw', 'n_screws', 6, text='axes of motion'),
    floats('point', 'n_tips', 3, text='positions of the tips'),
    floats('error', 'n_tips', 6, text='unweighted errors'),
    floats('residual', 'n_tips', 6, text='weighted errors'),
    floats('column', 'n_slots', 6, text='weighted columns of the Jacobian'),
    floats('A', 'n', 'n', text='matrix of the step'),
    floats('L', 'n', 'n', text='its factor on the free joints'),
    floats('b', 'n', text='right-hand side: minus half the gradient'),
    floats('x', 'n', text='the step'),
    floats('trial', 'n', text='configuration tried'),
    floats('best', 'n', text='best configuration of an attempt'),
    floats('pool', POOL, 'n', text='candidates for the best reach'),
    floats('pool_cost', POOL, text='their costs'),
    integers('free', 'n', text='numbers of the free joints'),
    singles('distance', 'n_stored', text='of the stored configurations to the goals'),
    floats('J', '6 * n_tips', 'n', text='weighted Jacobian'),
    floats('B', 'min(6 * n_tips, n)', 'max(6 * n_tips, n)',
           text='the same with the shorter side as rows; its factors'),
    floats('W', 'min(6 * n_tips, n)', 'min(6 * n_tips, n)', text='rotations of the rows of B'),
    floats('G', '6 * n_tips', '6 * n_tips', text='inner products of the rows of J; its factor'),
    floats('y', '6 * n_tips', text='error, transformed'),
    floats('s', 'min(6 * n_tips, n)', text='singular values, or the diagonal of R'),
    floats('centre', 'n', text='the seed, inside the limits; balls turn away from it by...'),
    floats('radius', 'n', text='...so much at most [rad]; at the first variable of each'),
    floats('axes', 'n', AXES.width, text='turned axes of balls'),
    floats('contact', BALL_LIMITS, CONTACT.width, text='of one ball on its limits'),
    floats('lanes', f'{LANE.width} * n_in_lanes', LANES,
           text='of attempts in lanes; none for several tips'),
))
