#!/usr/bin/env python3
"""The demo's count sees what it is there to see."""

import unittest

import verdicts

LINE = '{"id":"u%d","verdict":"unique","seq":0,"url":"u%d","source":{"topic":"pages","partition":%d,"offset":%d}}'


def verdict(number, partition, offset):
    return verdicts.parse_verdict(LINE % (number, number, partition, offset))


def rejected(partition, offset):
    return verdicts.parse_dead_letter(
        f"\tneardup-reason=not_json,neardup-topic=pages,neardup-partition={partition},neardup-offset={offset}"
    )


class Audit(unittest.TestCase):
    complete = [verdict(0, 0, 0), verdict(1, 0, 1), rejected(1, 0)]

    def findings(self, found, urls=("u0", "u1")):
        return verdicts.audit(found, {0: 2, 1: 1}, urls).findings()

    def test_one_verdict_a_record_is_right(self):
        self.assertEqual(self.findings(self.complete), [])

    def test_a_lost_verdict_is_found(self):
        self.assertEqual(self.findings(self.complete[:2]), ["1 records without a verdict, for one (1, 0)"])

    def test_a_doubled_verdict_is_found(self):
        again = verdict(1, 0, 1)
        self.assertEqual(
            self.findings([*self.complete, again]), ["1 records with more than one verdict, for one (0, 1)"]
        )

    def test_a_verdict_of_nothing_is_found(self):
        self.assertEqual(
            self.findings([*self.complete, rejected(1, 7)]),
            ["1 verdicts of records that are not there, for one (1, 7)"],
        )

    def test_a_page_that_no_verdict_names_is_found(self):
        self.assertEqual(
            self.findings(self.complete, urls=("u0", "u1", "u2")), ["1 pages that no verdict names, for one u2"]
        )

    def test_a_rejected_page_is_known_by_its_key(self):
        letter = verdicts.parse_dead_letter(
            "u9\tneardup-reason=no_tokens,neardup-topic=pages,neardup-partition=3,neardup-offset=17"
        )
        self.assertEqual((letter.place, letter.url, letter.fields["reason"]), ((3, 17), "u9", "no_tokens"))


if __name__ == "__main__":
    unittest.main()
