#!/usr/bin/env python3
"""A planted include against the arrows is found, and those along them are left alone."""

import pathlib
import tempfile
import unittest

import arrows


class Arrows(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return arrows.complaints(root)

    def refused(self, path, include, why):
        found = self.complaints({path: f"#pragma once\n  #  include {include}\n"})
        self.assertEqual(len(found), 1, (path, include, found))
        self.assertIn(path, found[0])
        self.assertIn(why, found[0])

    def accepted(self, path, *includes):
        text = "".join(f"#include {include}\n" for include in includes)
        self.assertEqual(self.complaints({path: text}), [])

    def test_includes_along_the_arrows_are_accepted(self):
        self.accepted("core/base/bytes.cc", '"core/base/bytes.h"', "<vector>", '"core/limits.h"')
        self.accepted("core/index/exact_index.h", '"core/fingerprint/hamming.h"', '"core/base/hash.h"')
        self.accepted("core/detector.cc", '"core/detector.h"', '"core/index/exact_index.h"', '"core/document.h"')
        self.accepted("service/codec/verdict_codec.h", '"core/decision.h"', '"service/config.h"', "<simdjson.h>")
        self.accepted("service/kafka/consumer.h", '"service/pipeline/source.h"', "<librdkafka/rdkafka.h>")
        self.accepted("service/pipeline/worker.cc", '"core/detector.h"', '"service/metrics/probe.h"')
        self.accepted("service/commands/serve.cc", '"service/kafka/consumer.h"', '"service/http/server.h"', "<CLI/CLI.hpp>")
        self.accepted("service/main.cc", '"service/commands/commands.h"', '"service/config.h"')

    def test_an_arrow_that_turns_back_is_found(self):
        self.refused("core/base/bytes.cc", '"core/text/folder.h"', "core/base has no arrow to core/text")
        self.refused("core/text/folder.h", '"core/fingerprint/simhash.h"', "core/text has no arrow")
        self.refused("core/fingerprint/simhash.h", '"core/index/exact_index.h"', "core/fingerprint has no arrow")
        self.refused("core/index/exact_index.cc", '"core/detector.h"', "core/index has no arrow to core")
        self.refused("core/document.h", '"core/detector.h"', "types has no arrow to core")
        self.refused("core/detector.cc", '"service/config.h"', "core has no arrow to service")
        self.refused("service/config.cc", '"service/kafka/consumer.h"', "service has no arrow")
        self.refused("service/metrics/probe.h", '"service/pipeline/worker.h"', "service/metrics has no arrow")

    def test_rooms_with_no_arrow_between_them_do_not_know_each_other(self):
        self.refused("service/kafka/producer.cc", '"service/http/server.h"', "service/kafka has no arrow")
        self.refused("service/codec/preset.cc", '"core/detector.h"', "service/codec has no arrow to core")
        self.refused("service/http/health.cc", '"service/pipeline/worker.h"', "service/http has no arrow")
        self.refused("service/main.cc", '"service/kafka/consumer.h"', "service/main has no arrow")

    def test_of_the_pipeline_kafka_may_know_the_seams_only(self):
        self.accepted("service/kafka/producer.h", '"service/pipeline/sink.h"')
        self.refused("service/kafka/producer.h", '"service/pipeline/worker.h"', "no arrow to service/pipeline")

    def test_a_library_with_an_owner_stays_in_its_room(self):
        self.refused("service/pipeline/worker.cc", "<librdkafka/rdkafka.h>", "only service/kafka may")
        self.refused("service/http/server.cc", "<prometheus/registry.h>", "only service/metrics may")
        self.refused("service/metrics/registry.cc", "<CivetServer.h>", "only service/http may")

    def test_the_command_line_library_is_in_one_source_file(self):
        self.refused("service/commands/serve.h", "<CLI/CLI.hpp>", "belongs into one source file")
        two = {f"service/commands/{name}.cc": "#include <CLI/App.hpp>\n#include <CLI/CLI.hpp>\n" for name in "ab"}
        self.assertEqual(len(self.complaints(two)), 1)

    def test_a_path_that_is_not_from_the_root_is_found(self):
        self.refused("core/index/exact_index.cc", '"exact_index.h"', "write the path from the root")

    def test_a_room_without_arrows_is_found(self):
        found = self.complaints({"service/util/string.h": ""})
        self.assertEqual(len(found), 1)
        self.assertIn("no such room 'service/util'", found[0])


if __name__ == "__main__":
    unittest.main()
