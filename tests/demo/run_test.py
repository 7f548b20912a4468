#!/usr/bin/env python3
"""The exit code of the demo tells of its end, too. Story, broker and service are stand-ins."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import unittest
import unittest.mock

sys.dont_write_bytecode = True

FILE = pathlib.Path(__file__).parent / "run"
LOADER = importlib.machinery.SourceFileLoader("demo_run", str(FILE))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("demo_run", LOADER))
LOADER.exec_module(run)


class ExitCode(unittest.TestCase):
    def code(self, well=True, end=None):
        demo = unittest.mock.Mock()
        demo.run.return_value = well
        demo.service.stop.side_effect = end
        with (
            unittest.mock.patch.multiple(run, NEARDUP=FILE, Kafka=unittest.mock.Mock(), Demo=lambda *_: demo),
            unittest.mock.patch.object(run.signal, "signal"),
            unittest.mock.patch.object(sys, "argv", ["run"]),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            code = run.main()
        demo.service.stop.assert_called_once_with()
        return code

    def test_all_is_well(self):
        self.assertEqual(self.code(), 0)

    def test_a_finding_is_a_failure(self):
        self.assertEqual(self.code(well=False), 1)

    def test_a_service_that_does_not_end_well_is_a_failure(self):
        self.assertEqual(self.code(end=run.Failure("neardup ended with 70")), 1)


if __name__ == "__main__":
    unittest.main()
