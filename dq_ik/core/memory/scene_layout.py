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
The tables of a scene: bodies, their convex pieces, the pairs to keep apart; and its work memory.

A *body* is what one link carries, or an obstacle. A *piece* is convex: the hull of its vertices,
rounded by a radius, or a half-space. A capsule around each piece and a sphere around each body
decide most pairs without any vertex. Lengths are in metres, in the frame of the link;
what stands still is in the frame of the robot's root.
"""

from __future__ import annotations

from dq_ik.core.algebra.frame import WIDTH as FRAME
from dq_ik.core.algebra.lanes import WIDTH as LANES
from dq_ik.core.algebra.trigonometry import LANES as VECTOR
from dq_ik.core.memory.table import floats, integers, number, Row, Table

# One body: its link (the number of links: it stands still), its first piece, and the one after.
BODY = Row(link=1, first=1, stop=1)
BODY_LINK, BODY_FIRST, BODY_STOP = BODY.places
# One piece: its kind, its first row of vertices, and the one after.
PIECE = Row(kind=1, first=1, stop=1)
PIECE_KIND, PIECE_FIRST, PIECE_STOP = PIECE.places
HULL, HALF_SPACE = 0, 1  # kinds of pieces
# One capsule: its two ends and its radius; a half-space has its normal and its offset there.
CAPSULE = Row(start=3, end=3, radius=1)
CAPSULE_START, CAPSULE_END, CAPSULE_RADIUS = CAPSULE.places
# What is known of the nearest pair: its number (-1: there is none), the distance, the points.
NEAREST = Row(pair=1, distance=1, point_a=3, point_b=3)
NEAREST_PAIR, NEAREST_DISTANCE, POINT_A, POINT_B = NEAREST.places

SCENE = Table('scene', (
    'n',  # variables of the chain that is solved for
    'n_variables',  # of all links: those of the chain, and joints that keep their values
    'n_links', 'n_bodies', 'n_pieces',
    'n_rows',  # rows of vertices, so many at once as there are lanes
    'n_pairs',
), (
    number('margin', text='distance below which two bodies count as colliding'),
    integers('source', 'n_variables', text='variable of the chain; -1: the joint keeps its value'),
    floats('value', 'n_variables', text='values of joints that the chain does not move'),
    integers('body', 'n_bodies', BODY.width, text='bodies'),
    floats('ball', 'n_bodies', 4, text='spheres around them: centre and radius'),
    integers('piece', 'n_pieces', PIECE.width, text='pieces, in the order of the bodies'),
    floats('capsule', 'n_pieces', CAPSULE.width, text='capsules around them'),
    floats('rounding', 'n_pieces', text='radius that rounds the hull of the vertices'),
    floats('vertex', '3 * n_rows', LANES, text='vertices, one per lane: rows of x, y and z'),
    integers('pair', 'n_pairs', 2, text='pairs of bodies to keep apart'),
))

PLACING = Table('placing', (
    'n_variables', 'n_elements', 'n_screws', 'n_links', 'n_bodies', 'n_pieces',
), (
    floats('q', 'n_variables', text='configuration of all links'),
    floats('turns', 3, f'(n_elements + {VECTOR - 1}) // {VECTOR} * {VECTOR}',
           text='half angles of the elements, their sines and cosines, padded with zeros'),
    floats('world', 'n_elements', FRAME, text='poses of the elements'),
    floats('screw', 'n_screws', 6, text='axes of motion'),
    floats('link', 'n_links + 1', 12, text='rotation, row by row, and place of each link; the '
           'last one stands still'),
    floats('centre', 'n_bodies', 3, text='of the spheres'),
    integers('placed', 'n_bodies', text='1: the capsules of the body are placed'),
    floats('capsule', 'n_pieces', 6, text='ends of the capsules'),
    floats('simplex', 4, 6, text='points of a difference of two pieces, and those of the first'),
    floats('share', 4, text='weights of the points of the simplex'),
    floats('contact', 'n_variables', text='the first colliding solution'),
    integers('contacts', 1, text='how many solutions collided'),
    floats('motion', 'n_bodies', text='bound of the motion of each body in a step [m]'),
    integers('overlaps', 'n_bodies', 'n_bodies', text='1: these two overlap where a step begins; '
             'of a body with itself: how many pieces overlap it'),
    floats('farthest', 2, LANES, text='of vertices in lanes: how far, and their row'),
))

MOST_ROWS = 96  # of a guard
BLOCKED_AFTER = 0.05  # time for which bodies hold a stream that counts as blocked [s]
# One row: two pieces that are near each other; anchor: the link in whose frame the normal is kept.
ROW_INDEX = Row(pair=1, first=1, second=1, anchor=1, counts=1)
ROW_PAIR, ROW_FIRST, ROW_SECOND, ROW_ANCHOR, ROW_COUNTS = ROW_INDEX.places
# Its gap, the least change of it that a step may bring, the normal from the second to the first,
# the nearest points, the normal in the frame of the anchor, the multiplier, how much a unit of it
# opens the gap, and how far the paths of points bulge (below zero: that does not matter).
GAP_ROW = Row(gap=1, least=1, normal=3, point_a=3, point_b=3, kept=3, push=1, gain=1,
              sagitta=1)
(ROW_GAP, ROW_LEAST, ROW_NORMAL, ROW_A, ROW_B, ROW_KEPT, ROW_PUSH, ROW_GAIN,
 ROW_SAGITTA) = GAP_ROW.places

GUARD = Table('guard', (
    'n',  # variables of the chain
    'n_variables',  # of the robot whose tips carry bodies
), (
    floats('distance', 1, text='clearance that is wanted [m]'),
    floats('influence', 1, text='distance from which bodies count [m]'),
    floats('approach', 1, text='speed at which they may approach each other there [m/s]'),
    floats('acceleration', 'n', text='with which joints can brake [rad/s^2]; infinite: at once'),
    integers('guarding', 1, text='1: steps slide along bodies; 0: they are those without a scene'),
    integers('near', 1, text='1: the goal is so near that an unguarded step is tried'),
    integers('active', 1, text='1: a row held the last step back'),
    integers('cut', 1, text='1: the last step was shortened'),
    integers('crowded', 1, text='1: an object is nearer than it may be; it came there by itself'),
    floats('quiet', 1, text='time for which the stream has stood off its goal [s]'),
    floats('pressed', 1, text='time for which rows have held the stream off its goal [s]'),
    floats('contact', NEAREST.width, text='the nearest pair, or the one that is in the way'),
    floats('rate', 'n', text='velocity of the last step [rad/s]'),
    floats('start', 'n', text='where a frame begins'),
    floats('at', 'n', text='where a piece of it begins'),
    floats('to', 'n', text='where it should end'),
    floats('trial', 'n', text='where it may end'),
    floats('way', 'n', text='sum of the steps of a frame'),
    floats('step', 'n', text='the step between, in the tangent space of balls'),
    floats('turn', 'n_variables', text='the same of all variables of the links'),
    floats('reach', 1, text='pairs without a row are farther apart than this [m]'),
    integers('n_rows', 1, text='rows'),
    integers('index', MOST_ROWS, ROW_INDEX.width, text='what they are about'),
    floats('row', MOST_ROWS, GAP_ROW.width, text='their numbers'),
    floats('J', MOST_ROWS, 'n', text='derivatives of the gaps'),
    floats('Y', MOST_ROWS, 'n', text='steps that a unit of the multipliers makes'),
    integers('n_warm', 1, text='multipliers of the last step'),
    integers('warm_key', MOST_ROWS, text='their pieces'),
    floats('warm', MOST_ROWS, text='they'),
    floats('inverse', 'n', 'n', text='of the matrix of the step'),
    floats('box', 'n', text='multipliers of the limits of the step'),
))
