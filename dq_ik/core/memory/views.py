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
Views of blocks by their tables: ``view.field`` is a number, a vector or a matrix in the block.

A view is the address of a block and its sizes. A field is found when it is asked for, at no cost
inside kernels: its place is a formula of numbers at hand.
"""

from __future__ import annotations

from typing import Any

from dq_ik.core.compile import FRONT_END, kernel
from dq_ik.core.memory.arrays import integers, vector
from dq_ik.core.memory.table import FLOAT, formula, HEAD, INTEGER, SINGLE, Table
import numpy as np

DTYPES = {FLOAT: np.float64, INTEGER: np.int64, SINGLE: np.float32}


class View:
    """A block seen from Python: fields are NumPy views, numbers have no shape."""

    def __init__(self, table: Table, block: np.ndarray, sizes: tuple[int, ...]) -> None:
        """Look at a block."""
        self._table, self._block = table, block
        self._sizes = dict(zip(table.sizes, map(int, sizes)))
        self.__dict__.update(self._sizes)

    def __getattr__(self, name: str) -> Any:
        """Return a field; it is found once."""
        if name.startswith('_') or name not in self._table.fields:
            raise AttributeError(name)
        field = self._table.fields[name]
        start = formula(self._table.places[name], self._sizes)
        words = self._block[start:start + formula(field.words, self._sizes)]
        shape = [formula(size, self._sizes) for size in field.shape]
        count = int(np.prod(shape, dtype=int))
        found = words.view(DTYPES[field.kind])[:count].reshape(shape)
        self.__dict__[name] = found
        return found


def read(table: Table, block: np.ndarray) -> View:
    """Return a block's view for Python; the sizes are those of its head."""
    head = block[:table.head].view(np.int64)
    return View(table, block, tuple(head[HEAD:].tolist()))


if FRONT_END:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.core.imputils import lower_getattr_generic
    from numba.core.typing.templates import AttributeTemplate, infer_getattr
    from numba.extending import intrinsic, models, register_model
    from numba.np.arrayobj import make_array, populate_array

    NUMBERS = {FLOAT: types.float64, INTEGER: types.int64, SINGLE: types.float32}

    class _Seen(types.Type):
        """Numba's type of a view."""

        def __init__(self, table: Table) -> None:
            self.table = table
            super().__init__(f'view of {table.name}')

    @register_model(_Seen)
    class _SeenModel(models.StructModel):

        def __init__(self, manager, type_):
            super().__init__(manager, type_, [
                ('block', types.CPointer(types.float64)),
                *((size, types.int64) for size in type_.table.sizes)])

    def _type_of(field):
        number = NUMBERS[field.kind]
        return types.Array(number, len(field.shape), 'C') if field.shape else number

    @infer_getattr
    class _SeenAttribute(AttributeTemplate):
        key = _Seen

        def generic_resolve(self, view, name):
            """Return the type of a size or a field."""
            if name in view.table.sizes:
                return types.int64
            return _type_of(view.table.fields[name])

    class _Count:
        """A whole number of LLVM that formulas can be made of."""

        def __init__(self, builder, value):
            self.builder = builder
            self.value = value if isinstance(value, ir.Value) else ir.IntType(64)(value)

        def _join(self, operation, other):
            other = other if isinstance(other, _Count) else _Count(self.builder, other)
            return _Count(self.builder, operation(self.value, other.value))

        def __add__(self, other):
            return self._join(self.builder.add, other)

        def __mul__(self, other):
            return self._join(self.builder.mul, other)

        def __floordiv__(self, other):
            return self._join(self.builder.udiv, other)

        __radd__, __rmul__ = __add__, __mul__

        def least(self, other):
            """Return the smaller one."""
            return self._join(lambda a, b: self.builder.select(
                self.builder.icmp_signed('<', a, b), a, b), other)

        def most(self, other):
            """Return the larger one."""
            return self._join(lambda a, b: self.builder.select(
                self.builder.icmp_signed('<', a, b), b, a), other)

    def _evaluate(builder, text, sizes):
        found = formula(text, sizes, min=lambda a, b: _count(builder, a).least(b),
                        max=lambda a, b: _count(builder, a).most(b))
        return _count(builder, found).value

    def _count(builder, value):
        return value if isinstance(value, _Count) else _Count(builder, value)

    def _opaque(builder, value):
        """
        Hide from the optimiser how a number was computed; it is still computed once.

        Else it would look for common parts of all places in all loops, for half of the build's
        time and to no avail.
        """
        number = ir.IntType(64)
        call = builder.asm(ir.FunctionType(number, [number]), '', '=r,0', [value], False)
        call.attributes.add('nounwind')
        call.attributes.add('readnone')
        return call

    @lower_getattr_generic(_Seen)
    def _field(context, builder, type_, value, name):
        """Find a field."""
        view = cgutils.create_struct_proxy(type_)(context, builder, value)
        if name in type_.table.sizes:
            return getattr(view, name)
        table, field = type_.table, type_.table.fields[name]
        sizes = {size: _Count(builder, getattr(view, size)) for size in table.sizes}
        place = builder.gep(view.block, [_opaque(
            builder, _evaluate(builder, table.places[name], sizes))])
        number = NUMBERS[field.kind]
        data = builder.bitcast(place, context.get_value_type(number).as_pointer())
        if not field.shape:
            return builder.load(data)
        shape = [_evaluate(builder, size, sizes) for size in field.shape]
        width = ir.IntType(64)(context.get_abi_sizeof(context.get_value_type(number)))
        strides = [width] if len(shape) == 1 else [builder.mul(width, shape[1]), width]
        array = make_array(_type_of(field))(context, builder)
        populate_array(array, data=data, shape=shape, strides=strides, itemsize=width,
                       meminfo=None)
        return array._getvalue()

    def see(table: Table) -> Any:
        """Return the kernel that makes a view of a table from a block and a tuple of sizes."""
        type_ = _Seen(table)

        @intrinsic
        def look(typing_context, block, sizes):
            def generate(context, builder, signature, arguments):
                view = cgutils.create_struct_proxy(type_)(context, builder)
                view.block = arguments[0]
                values = cgutils.unpack_tuple(builder, arguments[1])
                for name, value, kind in zip(table.sizes, values, signature.args[1]):
                    setattr(view, name, context.cast(builder, value, kind, types.int64))
                return view._getvalue()
            return type_(block, sizes), generate
        return look
else:
    def see(table: Table) -> Any:
        """Return the function that makes a view of a table from a block and a tuple of sizes."""
        return lambda block, sizes: View(table, block, sizes)


def view(table: Table) -> Any:
    """Return the kernel that views a block by the sizes in its head."""
    look = see(table)
    names = [f'head[{HEAD + i}]' for i in range(len(table.sizes))]
    return _defined(f'view(block):\n    head = vector(integers(block, 0), 0, {table.head})\n'
                    f"    return look(block, ({', '.join(names)},))", look=look)


def begin(table: Table) -> Any:
    """Return the kernel that writes the head of a block, given the block and its sizes."""
    sizes = ', '.join(table.sizes)
    lines = [f'head[{HEAD + i}] = {size}' for i, size in enumerate(table.sizes)]
    return _defined(f'begin(block, {sizes}):\n'
                    f'    head = vector(integers(block, 0), 0, {table.head})\n'
                    f'    head[0], head[1] = {table.id}, {table.words}\n    '
                    + '\n    '.join(lines))


def size(table: Table) -> Any:
    """Return the kernel that counts the words of a block of given sizes."""
    return _defined(f"size({', '.join(table.sizes)}):\n    return {table.words}")


def _defined(text: str, **names: Any) -> Any:
    """Return the kernel of a text."""
    names |= {'vector': vector, 'integers': integers}
    exec(compile(f'def {text}', '<table>', 'exec'), names)
    return kernel(names[text.split('(')[0]])
