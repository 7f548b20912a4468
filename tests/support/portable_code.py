#!/usr/bin/env python3
"""One binary runs on every x86-64: portable_code.py LIBRARY... refuses static libraries that break this promise.

Instructions that only some CPUs have (those of AVX, AVX-512 and BMI2, in short VEX and EVEX code, and popcnt, lzcnt)
may stand in the objects of vector kernels only, *_avx2.cc.o and *_avx512.cc.o, which run where the CPU has them. And
even there in no function that the linker shares with other objects (an inline function of a header: the copy it keeps
may be this one).
"""

import re
import subprocess
import sys

KERNEL = re.compile(r"_avx(2|512)\.cc\.(o|obj)$")
MEMBER = re.compile(r"^(\S+):     file format ")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(?:(?:data16|cs|ds|notrack|bnd|rep\w*|lock)\s+)*(\w+)")
# Vector instructions have a v in front (as have a few of the kernel's, which no compiler writes); BMI's work on general
# registers; AVX-512's on masks.
NOT_EVERYWHERE = re.compile(
    r"v\w+"
    r"|andn|bextr|bls[ir]|blsmsk|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|popcnt|lzcnt"
    r"|k(mov|and|andn|or|xor|xnor|not|add|shiftl|shiftr|test|ortest|unpck)[bwdq]{1,2}"
)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def functions_not_everywhere(library):
    """(member, function, instruction), the first one of each function that has any."""
    member = function = None
    seen = set()
    for line in output("objdump", "--disassemble", "--no-show-raw-insn", library).splitlines():
        if found := MEMBER.match(line):
            member = found[1]
        elif found := FUNCTION.match(line):
            function = found[1]
        elif (found := INSTRUCTION.match(line)) and NOT_EVERYWHERE.fullmatch(found[1]):
            if (member, function) not in seen:
                seen.add((member, function))
                yield member, function, found[1]


def shared_functions(library):
    """(member, function) of all that the linker keeps one copy of."""
    member, shared = None, set()
    for line in output("nm", "--defined-only", library).splitlines():
        if line.endswith(":"):
            member = line[:-1]
        elif (parts := line.split()) and len(parts) == 3 and parts[1] in "WVuw":
            shared.add((member, parts[2]))
    return shared


def complaints(library):
    found = []
    shared = shared_functions(library)
    for member, function, instruction in functions_not_everywhere(library):
        if not KERNEL.search(member):
            found.append(f"{library}: {member}: {instruction} in {function}: not every x86-64 has it")
        elif (member, function) in shared:
            found.append(f"{library}: {member}: {instruction} in {function}, which the linker may give to others")
    return found


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("which libraries? portable_code.py LIBRARY...")
    lines = [line for library in sys.argv[1:] for line in complaints(library)]
    print("\n".join(lines), end="\n" if lines else "")
    print(f"{len(sys.argv) - 1} libraries, {len(lines)} complaints")
    sys.exit(1 if lines else 0)
