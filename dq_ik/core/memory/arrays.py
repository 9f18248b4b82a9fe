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
Views of a block of memory as vectors and matrices, free of cost inside kernels.

NumPy's slices and reshapes count references and check layouts, some 60 ns each; a solve makes
fifty of them. A view made here is only an address and a shape: the block must outlive it, as the
arguments of an entry do.
"""

from dq_ik.core.compile import FRONT_END, kernel
import numpy as np

if FRONT_END:
    from numba import carray, types
    from numba.extending import intrinsic

    def _place(context, builder, signature, arguments):
        """Pointer to an element of a contiguous array, or so much further than a pointer."""
        data = arguments[0]
        if isinstance(signature.args[0], types.Array):
            data = context.make_array(signature.args[0])(context, builder, data).data
        return builder.gep(data, [arguments[1]])

    @intrinsic
    def _address(typing_context, block, start):
        return types.CPointer(block.dtype)(block, types.intp), _place

    @intrinsic
    def integers(typing_context, block, start):
        """See a block as whole numbers, from a place on."""
        def generate(context, builder, signature, arguments):
            place = _place(context, builder, signature, arguments)
            return builder.bitcast(place, context.get_value_type(signature.return_type))
        return types.CPointer(types.int64)(block, types.intp), generate

    @kernel
    def address(block, start):
        """Pointer to a place of a block: all that a called routine needs of it."""
        return _address(block, start)

    @kernel
    def vector(block, start, size):
        """View ``size`` numbers of a block, or of its address, from ``start`` on."""
        return carray(_address(block, start), (size,))

    @kernel
    def matrix(block, start, rows, columns):
        """View ``rows * columns`` numbers of a block from ``start`` on as a matrix."""
        return carray(_address(block, start), (rows, columns))
else:
    def integers(block, start):
        """See a block as whole numbers, from a place on."""
        return block[start:].view(np.int64)

    def address(block, start):
        """View a block from a place on."""
        return block.reshape(-1)[start:]

    def vector(block, start, size):
        """View ``size`` numbers of a block from ``start`` on."""
        return block.reshape(-1)[start:start + size]

    def matrix(block, start, rows, columns):
        """View ``rows * columns`` numbers of a block from ``start`` on as a matrix."""
        return block.reshape(-1)[start:start + rows * columns].reshape(rows, columns)
