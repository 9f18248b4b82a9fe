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
Numbers in lanes: several problems at once, each operation one vector instruction.

Kernels that only add, multiply and divide take lanes in the place of numbers, so that
:mod:`dq_ik.core.algebra.frame` or :mod:`dq_ik.core.solve.tip_step` solve several problems in step.
Where a number would branch, lanes are chosen by a mask. Uncompiled, lanes are NumPy arrays.
"""

from __future__ import annotations

from functools import partial
import operator

from dq_ik.core.compile import CHECKED, FRONT_END, kernel
import numpy as np

WIDTH = 4

if FRONT_END:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
    from numba.extending import intrinsic, lower_builtin, models, register_model

    _NUMBERS = ir.VectorType(ir.DoubleType(), WIDTH)
    _TRUTHS = ir.VectorType(ir.IntType(1), WIDTH)

    class _Lanes(types.Type):
        """Numba's type of lanes."""

    class _Mask(types.Type):
        """Numba's type of one truth value per lane."""

    LANES, MASK = _Lanes(f'lanes{WIDTH}'), _Mask(f'mask{WIDTH}')

    @register_model(_Lanes)
    class _LanesModel(models.PrimitiveModel):

        def __init__(self, manager, type_):
            super().__init__(manager, type_, _NUMBERS)

    @register_model(_Mask)
    class _MaskModel(models.PrimitiveModel):

        def __init__(self, manager, type_):
            super().__init__(manager, type_, _TRUTHS)

    def _everywhere(builder, value):
        """Give a number to all lanes; lanes stay as they are."""
        if value.type == _NUMBERS:
            return value
        nothing = ir.Constant(_NUMBERS, ir.Undefined)
        one = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), None)
        return builder.shuffle_vector(one, nothing, zeros)

    def _compare(sign, builder, a, b):
        return builder.fcmp_ordered(sign, a, b)

    def _define(operation, generate, result, *cases):
        """Let numba know what an operator does with lanes, by a method of LLVM's builder."""
        template = type(f'Lanes_{operation.__name__}', (ConcreteTemplate,), {
            'cases': [signature(result, *case) for case in cases]})
        infer_global(operation)(template)

        def lower(context, builder, signature_, arguments):
            if LANES in signature_.args:
                arguments = [_everywhere(builder, value) for value in arguments]
            return generate(builder, *arguments)
        for case in cases:
            lower_builtin(operation, *case)(lower)

    _PAIRS = (LANES, LANES), (LANES, types.float64), (types.float64, LANES)
    _define(operator.add, ir.IRBuilder.fadd, LANES, *_PAIRS)
    _define(operator.sub, ir.IRBuilder.fsub, LANES, *_PAIRS)
    _define(operator.mul, ir.IRBuilder.fmul, LANES, *_PAIRS)
    _define(operator.truediv, ir.IRBuilder.fdiv, LANES, *_PAIRS)
    _define(operator.neg, ir.IRBuilder.fneg, LANES, (LANES,))
    for _name, _sign in (('lt', '<'), ('le', '<='), ('gt', '>'), ('ge', '>=')):
        _define(getattr(operator, _name), partial(_compare, _sign), MASK, *_PAIRS)
    _define(operator.and_, ir.IRBuilder.and_, MASK, (MASK, MASK))
    _define(operator.or_, ir.IRBuilder.or_, MASK, (MASK, MASK))

    def _pointer(context, builder, signature_, arguments):
        """Pointer to lanes at row ``arguments[1]`` of the array of lanes ``arguments[0]``."""
        array = context.make_array(signature_.args[0])(context, builder, arguments[0])
        data = array.data
        if CHECKED:
            rows = builder.udiv(array.nitems, ir.Constant(arguments[1].type, WIDTH))
            cgutils.do_boundscheck(context, builder, arguments[1], rows)
        start = builder.mul(arguments[1], ir.Constant(arguments[1].type, WIDTH))
        return builder.bitcast(builder.gep(data, [start]), _NUMBERS.as_pointer())

    @intrinsic
    def get(typing_context, rows, i):
        """Read row i of an array (N, WIDTH), or the numbers from ``i * WIDTH`` of a vector."""
        def generate(context, builder, signature_, arguments):
            place = _pointer(context, builder, signature_, arguments)
            if rows.dtype == types.float64:
                return builder.load(place, align=8)
            singles = ir.VectorType(ir.FloatType(), WIDTH)
            numbers = builder.load(builder.bitcast(place, singles.as_pointer()), align=4)
            return builder.fpext(numbers, _NUMBERS)
        return LANES(rows, types.intp), generate

    @intrinsic
    def put(typing_context, value, rows, i):
        """Write row i of an array (N, WIDTH)."""
        def generate(context, builder, signature_, arguments):
            view = signature(types.none, *signature_.args[1:])
            builder.store(_everywhere(builder, arguments[0]),
                          _pointer(context, builder, view, arguments[1:]), align=8)
            return context.get_dummy_value()
        return types.none(value, rows, types.intp), generate

    @intrinsic
    def everywhere(typing_context, value):
        """Give a number to all lanes."""
        def generate(context, builder, signature_, arguments):
            return _everywhere(builder, arguments[0])
        return LANES(types.float64), generate

    @intrinsic
    def select(typing_context, mask, a, b):
        """Take a where the mask is true, else b."""
        def generate(context, builder, signature_, arguments):
            return builder.select(arguments[0], _everywhere(builder, arguments[1]),
                                  _everywhere(builder, arguments[2]))
        numbers = (LANES if one == LANES else types.float64 for one in (a, b))
        return LANES(MASK, *numbers), generate

    @intrinsic
    def anywhere(typing_context, mask):
        """Tell whether the mask is true in any lane."""
        def generate(context, builder, signature_, arguments):
            bits = builder.bitcast(arguments[0], ir.IntType(WIDTH))
            return builder.icmp_unsigned('!=', bits, ir.Constant(bits.type, 0))
        return types.boolean(MASK), generate

    @intrinsic
    def at(typing_context, mask, lane):
        """Read the truth value of one lane."""
        def generate(context, builder, signature_, arguments):
            return builder.extract_element(*arguments)
        return types.boolean(MASK, types.intp), generate

    def _by_llvm(name):
        """Return an intrinsic that applies a function of LLVM to each lane."""
        @intrinsic
        def apply(typing_context, a):
            def generate(context, builder, signature_, arguments):
                function = cgutils.get_or_insert_function(
                    builder.module, ir.FunctionType(_NUMBERS, [_NUMBERS]),
                    f'llvm.{name}.v{WIDTH}f64')
                return builder.call(function, arguments)
            return LANES(LANES), generate
        return apply

    sqrt, floor, absolute = _by_llvm('sqrt'), _by_llvm('floor'), _by_llvm('fabs')
else:
    select, anywhere = np.where, np.any
    sqrt, floor, absolute = np.sqrt, np.floor, np.abs

    def get(rows, i):
        """Read row i of an array (N, WIDTH), or the numbers from ``i * WIDTH`` of a vector."""
        return rows.reshape(-1)[i * WIDTH:(i + 1) * WIDTH].astype(float)

    def put(value, rows, i):
        """Write row i of an array (N, WIDTH)."""
        rows.reshape(-1)[i * WIDTH:(i + 1) * WIDTH] = value

    def everywhere(value):
        """Give a number to all lanes."""
        return np.full(WIDTH, value)

    def at(mask, lane):
        """Read the truth value of one lane."""
        return mask[lane]


@kernel
def arc_tangent_over(z):
    """``atan(t) / t`` of ``z = t^2 <= 1``, to 7e-7: a fit of Chebyshev polynomials."""
    return 0.9999993278352409 + z * (-0.3332637452188166 + z * (0.19879872155710365 + z * (
        -0.13480405607550333 + z * (0.08374155654526008 + z * (
            -0.03689862924648347 + z * 0.007825482945601944)))))


@kernel
def clamp(value, lower, upper):
    """Move values between two limits, each a number or lanes."""
    value = select(value < lower, lower, value)
    return select(upper < value, upper, value)
