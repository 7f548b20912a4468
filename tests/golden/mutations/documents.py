#!/usr/bin/env python3
"""Writes documents.jsonl: texts, and each of them again after every kind of change at five rates.

The texts are an English and a Chinese page, and a short message of each. A change's rate is the share of words (of
characters, in Chinese) that it touches; counters and timestamps are one for the least rate, one more for the next.
verdicts.tsv beside it is what `neardup scan` says of them, by mode (verdict_golden_test.cc).
"""

import json
import pathlib
import random

WORDS = (
    "the of and to a in that is was he for it with as his on be at by had not are but from or have an they which one "
    "were all their there been many some them would other into has more two time very when much could your said its "
    "than find new good way say make any through before little know great year come since against right take three "
    "water house river mountain letter window garden winter summer market station bridge captain journey village "
    "harbour engine lantern teacher doctor soldier farmer printer painter builder paper copper silver timber cotton "
    "morning evening answer question reason chance history language science music number country weather morning "
    "carry follow gather listen wander measure repair remember forget discover explain travel return believe consider"
).split()

CHINESE = (
    "这座小城在长江东边，每天清早渔船从码头开出去，傍晚又满载着鱼回来。城里只有一条大街，街上有书店、茶馆和卖灯笼的铺子。"
    "老人们喜欢坐在树下听风，孩子们在桥头放风筝。春天的时候雨水很多，云雾把远处的山都盖住了，人们说那是龙在睡觉。"
    "学校后面有一片果园，秋天门口总是堆着红色的苹果，过路的人可以随便拿一个。车站离这里不远，火车一天来两次，带来信件和报纸。"
    "去年冬天下了一场大雪，电线断了三天，大家点着蜡烛写字、读书、讲故事。后来修路的工人来了，他们在邮局对面住了一个月，"
    "临走时种下几棵银杏。有人问为什么不种松树，工头笑着说，银杏长得慢，等它们长高了，会有人记得这里曾经有过一条新路。"
    "现在那几棵树已经比屋顶还高，每到十一月，满地都是金黄的叶子，飞鸟停在枝头，马车慢慢走过，没有谁愿意把它们扫掉。"
)
SHORT_CHINESE = "各位邻居请注意，明天上午九点到下午四点三号楼停电检修，请提前准备好照明和饮水，有问题请联系物业办公室。"
SHORT_ENGLISH = (
    "dear neighbours the water in house three will be off tomorrow from nine until four while a pipe is "
    "repaired please fill a kettle before then and call the office with questions"
)

TRADITIONAL = dict(
    zip(
        "这东边渔船头开满载着鱼来条书馆卖灯笼铺们欢树听风孩桥筝时候雨云雾远处盖说龙觉学后门总红过随个车离车两带报纸"
        "场电线断点着写读讲修区对为么长记会经现几顶叶飞鸟马没谁愿邻请号楼检备题联办",
        "這東邊漁船頭開滿載著魚來條書館賣燈籠鋪們歡樹聽風孩橋箏時候雨雲霧遠處蓋說龍覺學後門總紅過隨個車離車兩帶報紙"
        "場電線斷點著寫讀講修區對為麼長記會經現幾頂葉飛鳥馬沒誰願鄰請號樓檢備題聯辦",
    )
)
HOMOGLYPHS = dict(zip("aeopcx", "аеорсх"))  # Latin to Cyrillic
RATES = (0.01, 0.03, 0.08, 0.2, 0.5)


def english(draw, count):
    return [draw.choice(WORDS) + ("." if i % 13 == 12 else "") for i in range(count)]


class Text:
    """Units, which are words or characters, and what stands between them."""

    def __init__(self, units, glue, spare):
        self.units, self.glue, self.spare = units, glue, spare

    def said(self, units=None):
        return self.glue.join(self.units if units is None else units)


def places(draw, text, rate):
    return sorted(draw.sample(range(len(text.units)), max(1, round(rate * len(text.units)))))


def edit(draw, text, rate):
    units = list(text.units)
    for at in places(draw, text, rate):
        units[at] = draw.choice(text.spare)
    return text.said(units)


def insert(draw, text, rate):
    units = list(text.units)
    for at in reversed(places(draw, text, rate)):
        units.insert(at, draw.choice(text.spare))
    return text.said(units)


def delete(draw, text, rate):
    gone = set(places(draw, text, rate))
    return text.said([unit for at, unit in enumerate(text.units) if at not in gone])


def move(draw, text, rate):
    """One run of so many goes to another place."""
    length = max(1, round(rate * len(text.units)))
    begin = draw.randrange(len(text.units) - length + 1)
    run, rest = text.units[begin : begin + length], text.units[:begin] + text.units[begin + length :]
    at = draw.randrange(len(rest) + 1)
    return text.said(rest[:at] + run + rest[at:])


def boilerplate(draw, text, rate):
    """A header and a footer that are together so long."""
    count = max(2, round(rate * len(text.units)))
    added = [draw.choice(text.spare) for _ in range(count)]
    return text.said(added[: count // 2] + text.units + added[count // 2 :])


def counter(draw, text, rate):
    return text.said() + text.glue + " ".join(str(draw.randrange(10, 99)) for _ in range(1 + RATES.index(rate)))


def timestamp(draw, text, rate):
    times = [f"{2020 + draw.randrange(7)}-{1 + draw.randrange(12):02}-{1 + draw.randrange(28):02}" for _ in range(1 + RATES.index(rate))]
    return " ".join(times) + " " + text.said()


def homoglyph(draw, text, rate):
    chosen = set(places(draw, text, rate))
    return text.said(["".join(HOMOGLYPHS.get(c, c) for c in unit) if at in chosen else unit for at, unit in enumerate(text.units)])


def full_width(draw, text, rate):
    chosen = set(places(draw, text, rate))
    wide = lambda unit: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in unit)
    return text.said([wide(unit) if at in chosen else unit for at, unit in enumerate(text.units)])


def traditional(draw, text, rate):
    chosen = set(places(draw, text, rate))
    return text.said([TRADITIONAL.get(unit, unit) if at in chosen else unit for at, unit in enumerate(text.units)])


CHANGES = (edit, insert, delete, move, boilerplate, counter, timestamp, homoglyph, full_width, traditional)


def main():
    draw = random.Random(1)
    texts = {
        "page-en": Text(english(draw, 330), " ", WORDS),
        "page-zh": Text(list(CHINESE), "", list(SHORT_CHINESE)),
        "short-en": Text(SHORT_ENGLISH.split(), " ", WORDS),
        "short-zh": Text(list(SHORT_CHINESE), "", list(CHINESE)),
    }
    with open(pathlib.Path(__file__).with_name("documents.jsonl"), "w", encoding="utf-8") as out:
        for name, text in texts.items():
            documents = [(name, text.said())]
            for change in CHANGES:
                changed = [(f"{name}/{change.__name__}/{rate}", change(draw, text, rate)) for rate in RATES]
                documents += [(one, body) for one, body in changed if body != text.said()]
            for one, body in documents:
                out.write(json.dumps({"id": one, "text": body}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
