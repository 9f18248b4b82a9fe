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
A pose as the goal of a tip: its error and the derivative of that.

The error of a tip with pose x towards a goal g is ``e = (p_g - p, log(r_g r*))`` along the base's
axes: position first ([Rotations] eq. 86 with the sign turned; [Recipe] section 3.3). With equal
weights on the three axes ``-J^T W e`` is the exact gradient of half the cost, since ``log`` points
along its own axis.
"""

import math

from dq_ik.core.algebra import quaternion
from dq_ik.core.compile import kernel

SMALL_ANGLE = 1e-4  # below, the series is exact to double precision


@kernel
def rotation_error(r, r_goal):
    """Rotation vector ``log(r_g r*)`` along the base's axes."""
    return quaternion.log(quaternion.mul(r_goal, quaternion.conj(r)))


@kernel
def log_derivative(e, w):
    """
    Rate at which ``e = log(r_g r*)`` falls when r turns at angular velocity w.

    ``w + e x w / 2 + c e x (e x w)``, the inverse right Jacobian of the rotation group,
    ``c = 1/a^2 - (1 + cos a) / (2 a sin a)`` with ``a = |e|``, so that Newton steps on ``log`` are
    exact ([Kenwright2022] Appendix B asks for the derivative of log).
    """
    once = quaternion.cross(e, w)
    twice = quaternion.cross(e, once)
    c = log_curvature(math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]))
    return (w[0] + 0.5 * once[0] + c * twice[0],
            w[1] + 0.5 * once[1] + c * twice[1],
            w[2] + 0.5 * once[2] + c * twice[2])


@kernel
def log_curvature(angle):
    """Return ``1/a^2 - (1 + cos a) / (2 a sin a) = (1 - a/2 cot(a/2)) / a^2``; 1/12 at 0."""
    if angle < SMALL_ANGLE:
        return 1.0 / 12.0 + angle * angle / 720.0
    return (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / (angle * angle)
