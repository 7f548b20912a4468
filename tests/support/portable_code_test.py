#!/usr/bin/env python3
"""Vector code in the wrong object is found, and in the right one left alone."""

import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest

import portable_code

KERNEL = """
#include <immintrin.h>
__attribute__((target("avx512f"))) void twice(float* x) { _mm512_storeu_ps(x, _mm512_add_ps(_mm512_loadu_ps(x), _mm512_loadu_ps(x))); }
"""
BMI2 = """
#include <immintrin.h>
__attribute__((target("bmi2"))) unsigned long low(unsigned long x, unsigned n) { return _bzhi_u64(x, n); }
"""
PLAIN = """
float sum(const float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }
"""
SHARED = """
template <typename T> __attribute__((noinline)) void twice(T* x) { for (int i = 0; i < 64; ++i) x[i] += x[i]; }
void both(float* x) { twice(x); }
"""


class PortableCode(unittest.TestCase):
    def complaints(self, name, source, *options):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / name).write_text(source)
            subprocess.run(["c++", "-O3", *options, "-c", name, "-o", f"{name}.o"], cwd=root, check=True)
            subprocess.run(["ar", "rcs", "lib.a", f"{name}.o"], cwd=root, check=True)
            return portable_code.complaints(str(root / "lib.a"))

    def refused(self, why, *arguments):
        found = self.complaints(*arguments)
        self.assertEqual(len(found), 1, found)
        self.assertIn(why, found[0])

    def test_plain_code_is_accepted(self):
        self.assertEqual(self.complaints("sum.cc", PLAIN), [])

    def test_kernels_may_have_vector_code(self):
        self.assertEqual(self.complaints("twice_avx512.cc", KERNEL), [])
        self.assertEqual(self.complaints("low_avx2.cc", BMI2), [])

    def test_vector_code_anywhere_else_is_refused(self):
        self.refused("not every x86-64", "twice.cc", KERNEL)
        self.refused("not every x86-64", "low.cc", BMI2)
        self.refused("not every x86-64", "sum.cc", PLAIN, "-mavx2")

    def test_vector_code_that_the_linker_may_share_is_refused(self):
        self.refused("may give to others", "both_avx2.cc", SHARED, "-mavx2")


if __name__ == "__main__":
    if platform.machine() != "x86_64":
        print("the promise is one to x86-64")
        sys.exit(77)
    unittest.main()
