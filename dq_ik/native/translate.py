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
Kernels -> machine code, with numba as a front end only and LLVM once per level.

Numba would optimise and emit each of the functions by itself. Here each keeps the text that numba
makes of it; the texts are linked once (:func:`translate`), so that everything after is done once
per target (:func:`emit`). Private names of numba are used: its version is pinned. Both run in
processes of their own, without what the rest of the package needs.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

from dq_ik.native.levels import LEVELS

PREFIX, ROUTINE, KERNEL = 'dq_ik_', 'dqik_r', 'dqik_k'  # names of entries and of what they call


def translate(out: str) -> None:
    """Write all entries as one raw LLVM module, in bitcode."""
    os.environ['DQ_IK_KERNELS'] = 'numba'  # before the core is imported
    gc.disable()
    keep_raw_code()
    Path(out).write_bytes(link(*compile_entries()).as_bitcode())


def keep_raw_code() -> None:
    """Make numba keep the text of each module; nothing is optimised, emitted or counted."""
    from numba.core import cgutils, codegen
    from numba.core.runtime.context import NRTContext

    def add_ir_module(self: Any, module: Any) -> None:
        self._raise_if_finalized()
        self.raw = [*getattr(self, 'raw', []), cgutils.normalize_ir_text(str(module))]

    def finalize(self: Any) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def nothing(self: Any, *arguments: Any) -> int:
        return 0

    codegen.CPUCodeLibrary.add_ir_module = add_ir_module
    codegen.CPUCodeLibrary.finalize = finalize
    codegen.JITCodeLibrary.get_pointer_to_function = nothing
    codegen.JITCPUCodegen.set_env = nothing
    NRTContext.incref = NRTContext.decref = nothing  # kernels own no memory


def compile_entries() -> tuple[list[Any], list[str]]:
    """Return numba's libraries of all entries, and the text of their C functions."""
    from dq_ik.core.compile import compiler
    from dq_ik.core.entries.exports import ENTRIES
    from dq_ik.native.calls import arguments
    from numba import types
    numbers = types.CPointer(types.float64)
    kinds = {'Numbers': numbers, 'NumbersOut': numbers, 'int': types.int64,
             'float': types.float64}
    libraries, functions = [], []
    for name, function in ENTRIES.items():
        given = list(arguments(name).values())
        signature = tuple(kinds[kind] for kind in given)
        dispatcher: Any = compiler()(function)
        dispatcher.compile(types.int64(*signature))
        result = dispatcher.overloads[signature]
        libraries.append(result.library)
        functions.append(_c_function(f'{PREFIX}{name}', result.fndesc.llvm_func_name, given))
    return libraries, functions


def _c_function(name: str, inner: str, given: list[str]) -> str:
    """
    Write ``int64 name(arguments)`` round numba's ``int32 inner(result, exception, arguments)``.

    An exception, of which only a checked build has any, becomes the result -6: out of range.
    """
    from dq_ik.core.entries.pose_input import Fault
    from llvmlite import ir
    double, integer, byte = ir.DoubleType(), ir.IntType(64), ir.IntType(8).as_pointer()
    kinds = [{'int': integer, 'float': double}.get(kind, double.as_pointer()) for kind in given]
    raised = ir.LiteralStructType([byte, ir.IntType(32), byte, byte, ir.IntType(32)]).as_pointer()
    module = ir.Module(name)
    native = ir.Function(module, ir.FunctionType(
        ir.IntType(32), [integer.as_pointer(), raised.as_pointer(), *kinds]), inner)
    function = ir.Function(module, ir.FunctionType(integer, kinds), name)
    builder = ir.IRBuilder(function.append_basic_block())
    result, exception = builder.alloca(integer), builder.alloca(raised)
    builder.store(integer(0), result)
    code = builder.call(native, [result, exception, *function.args])
    failed = builder.icmp_signed('!=', code, ir.IntType(32)(0))
    builder.ret(builder.select(failed, integer(-Fault.OUT_OF_RANGE.value), builder.load(result)))
    return str(module)


def link(libraries: list[Any], functions: list[str]) -> Any:
    """Return one module of everything that the libraries need, each function once."""
    from llvmlite import binding as llvm
    texts = [text for library in _closure(libraries) for text in getattr(library, 'raw', [])]
    whole: Any = None
    defined: set[str] = set()
    for text in [*texts, *functions]:
        module = llvm.parse_assembly(text)
        for function in module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                if function.name in defined:  # the first one stays
                    function.linkage = 'linkonce_odr'
                defined.add(function.name)
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
    _rename(whole)
    return whole


def _closure(libraries: list[Any]) -> list[Any]:
    """Return the libraries and all that they link, each once."""
    found: dict[int, Any] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop(0)
        if id(library) not in found:
            found[id(library)] = library
            waiting += list(library._linking_libraries)
    return list(found.values())


def _rename(whole: Any) -> None:
    """Give functions short names, the same in each run."""
    own = [function for function in whole.functions
           if function.name.startswith('_ZN') and not function.is_declaration]
    for i, function in enumerate(own):
        inline = b'alwaysinline' in b' '.join(function.attributes)
        routine = function.name.startswith(('_ZN5dq_ik4core', '_ZN5dq_ik6papers')) and not inline
        function.name = f'{ROUTINE if routine else KERNEL}{i}'
    whole.name = 'dq_ik'


def emit(raw: str, level: str, out: str) -> None:
    """Optimise the module for a level and write it: as assembly (``.s``) or an object (``.o``)."""
    from llvmlite import binding as llvm
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = f'{LEVELS[level].architecture}-unknown-linux-gnu'
    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=LEVELS[level].cpu, opt=3, reloc='pic', codemodel='default')
    module = llvm.parse_bitcode(Path(raw).read_bytes())
    for function in module.functions:
        if not function.is_declaration:
            _place(function, level)
    for variable in module.global_variables:
        if variable.name.startswith('_ZN08NumbaEnv'):
            variable.linkage = 'internal'
    module.triple, module.data_layout = triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options()
    options.speed_level = 3
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    Path(out).write_bytes(machine.emit_object(module) if out.endswith('.o')
                          else machine.emit_assembly(module).encode())


def _place(function: Any, level: str) -> None:
    """Hide a function outside the library, or, if it is no entry, outside this module."""
    if function.name.startswith(PREFIX):
        function.name = f'{function.name}_{level}'
        function.visibility = 'hidden'
    else:
        function.linkage = 'internal'
        if function.name.startswith(ROUTINE):
            function.add_function_attribute('noinline')  # else those with one caller are inlined
