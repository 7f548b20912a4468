#!/usr/bin/env python3
"""Signatures once more, written from core/text/README.md and core/fingerprint/README.md alone: do they define them?

usage: signature.py SIGNATURES.jsonl [--unicode DIR]

Computes every line of tests/golden/signatures.jsonl again and tells those that differ. Categories, classes and canonical
forms are Python's own; DIR holds the properties that Python lacks (default: Debian's package unicode-data). Where Python
has an older Unicode than DIR, only characters that are younger could differ, and no line has any.
"""
import argparse
import base64
import ctypes
import functools
import html.parser
import json
import pathlib
import sys
import unicodedata

MASK = (1 << 64) - 1
VOICING = "\u3099\u309a"
TOKEN_SCRIPTS = {"Han": "Hani", "Hiragana": "Hira", "Katakana": "Kana", "Thai": "Thai", "Lao": "Laoo", "Khmer": "Khmr",
                 "Myanmar": "Mymr", "New_Tai_Lue": "Talu", "Tai_Le": "Tale", "Tai_Tham": "Lana", "Tai_Viet": "Tavt",
                 "Ahom": "Ahom"}
STAY_COMPOSED = {"Han", "Hiragana", "Katakana", "Hangul"}
SEPARATOR = " "


def property_of(path, wanted=None):
    """{character: value} of a file of the Unicode Character Database; of one property, if it holds several."""
    values = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) < 2 or line.startswith("@") or (wanted and fields[1] != wanted):
            continue
        first, _, last = fields[0].partition("..")
        for point in range(int(first, 16), int(last or first, 16) + 1):
            values[chr(point)] = fields[2] if wanted else fields[1]
    return values


class Canonical:
    def __init__(self, folder):
        self.script = property_of(folder / "Scripts.txt")
        self.extensions = property_of(folder / "ScriptExtensions.txt")
        self.indic = property_of(folder / "IndicSyllabicCategory.txt")
        self.casefold = property_of(folder / "DerivedNormalizationProps.txt", "NFKC_CF")

    def is_kept_mark(self, c):
        return (unicodedata.category(c)[0] == "M" and self.indic.get(c, "Other") != "Other"
                and self.script.get(c, "Unknown") not in ("Inherited", "Common", "Unknown"))

    def stays(self, c):
        return unicodedata.category(c)[0] in "LN" or self.is_kept_mark(c)

    def is_token_character(self, c):
        scripts = self.extensions.get(c, TOKEN_SCRIPTS.get(self.script.get(c), "")).split()
        return not set(scripts).isdisjoint(TOKEN_SCRIPTS.values())

    @staticmethod
    def is_hangul(c):
        return ("\uac00" <= c <= "\ud7a3" or "\u1100" <= c <= "\u1112" or "\u1161" <= c <= "\u1175"
                or "\u11a8" <= c <= "\u11c2")

    def fold(self, c):
        """Steps 2 and 3 for one character: what is left of it."""
        folded = c
        if c in self.casefold:
            folded = "".join(chr(int(point, 16)) for point in self.casefold[c].split())
        for part in folded:
            for each in part if self.script.get(part) in STAY_COMPOSED else unicodedata.normalize("NFD", part):
                if unicodedata.category(each)[0] != "M" or self.is_kept_mark(each) or each in VOICING:
                    yield each

    def tokens(self, data):
        """[(token, is it a character, is there a space before it)] of bytes."""
        left = []  # step 4
        for c in data.decode("utf-8", errors="replace"):
            for part in self.fold(c):
                if left and (part in VOICING or self.is_hangul(part)):
                    composed = unicodedata.normalize("NFC", left[-1] + part)
                    if len(composed) == 1 and left[-1] != SEPARATOR:
                        left[-1] = composed
                        continue
                if part not in VOICING:
                    left.append(part if self.stays(part) else SEPARATOR)
        self.order(left)

        tokens = []  # steps 5 and 6; a kind is "word", "hangul" or "character"
        separated = False
        for c in left:
            if c == SEPARATOR:
                separated = True
                continue
            kind = "hangul" if self.is_hangul(c) else "character" if self.is_token_character(c) else "word"
            before = tokens[-1][1] if tokens else None
            if kind == before == "word" and not separated:
                tokens[-1][0] += c
                continue
            if "character" in (kind, before):
                space = kind != before
            else:
                space = separated
            tokens.append([c, kind, space and before is not None])
            separated = False
        return tokens

    def order(self, text):
        """Step 7."""
        at = 0
        while at < len(text):
            end = at
            while end < len(text) and end - at < 30 and self.is_kept_mark(text[end]) and unicodedata.combining(text[end]):
                end += 1
            text[at:end] = sorted(text[at:end], key=unicodedata.combining)
            at = max(end, at + 1)


def finish(h):
    h = (h ^ h >> 29) * 0xFF51AFD7ED558CCD & MASK
    return h ^ h >> 32


def doubled(byte):
    """Times x in the field of AES."""
    return byte << 1 ^ (0x11B if byte & 0x80 else 0)


def product(a, b):
    total = 0
    while b:
        total ^= a if b & 1 else 0
        a, b = doubled(a), b >> 1
    return total


def substituted(byte):
    inverse = next((each for each in range(256) if product(byte, each) == 1), 0)
    return functools.reduce(lambda x, turn: x ^ (inverse << turn | inverse >> 8 - turn) & 0xFF, range(1, 5), inverse) ^ 0x63


SUBSTITUTION = [substituted(byte) for byte in range(256)]
ROUND_KEYS = [0x9216D5D98979FB1B3F84D5B5B5470917, 0x2FFD72DBD01ADFB7D1310BA698DFB5AC, 0xBA7C9045F12C7F99B8E1AFED6A267E96]


def aes_round(state, key):
    """SubBytes, ShiftRows, MixColumns and AddRoundKey of FIPS 197, on 16 bytes; the key's lowest byte is the first."""
    moved = [SUBSTITUTION[state[(4 * (i % 4) + i) % 16]] for i in range(16)]
    mixed = []
    for column in (moved[at:at + 4] for at in range(0, 16, 4)):
        for row in range(4):
            a, b, c, d = column[row:] + column[:row]
            mixed.append(doubled(a) ^ doubled(b) ^ b ^ c ^ d)
    return [byte ^ of_key for byte, of_key in zip(mixed, key.to_bytes(16, "little"))]


@functools.cache
def token_hash(token):
    data = [byte - 32 for byte in token.encode()]
    state = [0] * 16
    for at in range(0, len(data), 16):
        block = data[at:at + 16]
        state = [a ^ b for a, b in zip(state, block + [0] * (16 - len(block)))]
        for key in ROUND_KEYS:
            state = aes_round(state, key)
    return int.from_bytes(bytes(state[:8]), "little")


def bigram_hash(a, b):
    h = (a ^ (b << 32 & MASK | b >> 32)) * 0xD6E8FEB86659FD93 & MASK
    return h ^ h >> 32


def those_that_count(features):
    counters = [0] * 8192
    for h in features:
        if counters[h >> 51] < 16:
            counters[h >> 51] += 1
            yield h


def majority(features, ties):
    word = 0
    for bit in range(64):
        ones = sum(h >> bit & 1 for h in features)
        word |= (2 * ones > len(features) or (2 * ones == len(features) and ties >> bit & 1)) << bit
    return word


def fingerprints(tokens):
    """The two words of 64 bits."""
    hashes = [token_hash(token) for token, _, _ in tokens]
    bigrams = [bigram_hash(hashes[i - 1], hashes[i]) for i in range(1, len(tokens))
               if "word" not in (tokens[i - 1][1], tokens[i][1]) and not tokens[i][2]]
    features = [*those_that_count(hashes), *those_that_count(bigrams)]
    wide = [finish(h * 0x9E3779B97F4A7C15 & MASK) for h in features]
    return majority(features, 0x243F6A8885A308D3), majority(wide, 0x13198A2E03707344)


class Digest(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def digest_of(data):
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_128bits.restype = Digest
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    digest = library.XXH3_128bits(data, len(data))
    return f"{digest.high:016x}{digest.low:016x}"


class TextOfPage(html.parser.HTMLParser):
    """Enough for the pages of the file: every tag separates but those that stand within a line."""

    def __init__(self):
        super().__init__()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.text += "" if tag in ("a", "b", "em", "i", "span", "strong") else "\n"

    def handle_endtag(self, tag):
        self.handle_starttag(tag, ())

    def handle_data(self, data):
        self.text += data


def body_of(line):
    if "text" in line:
        return line["text"].encode()
    if "html" in line:
        page = TextOfPage()
        page.feed(line["html"])
        return page.text.encode()
    if "base64" in line:
        return base64.b64decode(line["base64"])
    if "repeat" in line:
        return line["repeat"].encode() * line["times"]
    return "".join(f"{number} " for number in range(line["count_to"])).encode()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("signatures", type=pathlib.Path)
    arguments.add_argument("--unicode", type=pathlib.Path, default=pathlib.Path("/usr/share/unicode"))
    arguments = arguments.parse_args()
    canonical = Canonical(arguments.unicode)
    lines = [json.loads(line) for line in arguments.signatures.read_text(encoding="utf-8").splitlines()]
    wrong = 0
    for line in lines:
        tokens = canonical.tokens(body_of(line))
        text = "".join(" " * space + token for token, _, space in tokens).encode()
        fingerprint, wide = fingerprints(tokens)
        computed = {"tokens": len(tokens)}
        if tokens:
            computed |= {"exact": digest_of(text), "fingerprint": f"{fingerprint:016x}", "wide": f"{wide:016x}"}
        if "html" in line:
            del computed["wide"]
        for key, value in computed.items():
            if line[key] != value:
                print(f"{line['name']}: {key} is {line[key]} in the file, {value} by the specification")
                wrong += 1
    print(f"{len(lines)} signatures computed again, {wrong} values differ")
    return 1 if wrong or len(lines) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
