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
The back end: ``python back_end.py RAW LEVEL OUT`` optimises the module and emits it for a target.

OUT is assembly text (``.s``) or an object (``.o``).
"""

from __future__ import annotations

from pathlib import Path
import sys
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from levels import LEVELS  # noqa: E402

PREFIX = 'dq_ik_'


def emit(raw: bytes, level: str, suffix: str) -> str | bytes:
    """Return the module for a level, as text or as an object; its entries are named after it."""
    from llvmlite import binding as llvm
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = LEVELS[level]
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, opt=3, reloc='pic', codemodel='default')
    module = llvm.parse_bitcode(raw)
    for function in module.functions:
        if not function.is_declaration:
            _place(function, level)
    for variable in module.global_variables:
        if variable.name.startswith('_ZN08NumbaEnv'):
            variable.linkage = 'internal'
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    _optimise(module, machine)
    return machine.emit_object(module) if suffix == '.o' else machine.emit_assembly(module)


def _place(function: Any, level: str) -> None:
    """Hide a function outside the library, or, if it is no entry, outside this module."""
    if function.name.startswith(PREFIX):
        function.name = f'{function.name}_{level}'
        function.visibility = 'hidden'
    else:
        function.linkage = 'internal'
        if function.name.startswith('dqik_r'):
            function.add_function_attribute('noinline')  # else those with one caller are inlined


def _optimise(module: Any, machine: Any) -> None:
    """Run LLVM's pipeline once."""
    from llvmlite import binding as llvm
    options = llvm.create_pipeline_tuning_options()
    options.speed_level = 3
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def main() -> None:
    """Emit one level."""
    raw, level, out = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    result = emit(raw.read_bytes(), level, out.suffix)
    out.write_bytes(result.encode() if isinstance(result, str) else result)


if __name__ == '__main__':
    main()
