"""How a script of this folder writes the table of its name, or says that the checked-in one is not current."""
import argparse
import pathlib
import sys


def run(script, description, source, unicode=True):
    """`script`: its __file__. source(DIR of Unicode data) is the table's text; source() where `unicode` is false."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    if unicode:
        parser.add_argument("--unicode", type=pathlib.Path, default="/usr/share/unicode", metavar="DIR")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()
    target = pathlib.Path(script).with_suffix(".cc")
    text = source(arguments.unicode) if unicode else source()
    if not arguments.check:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        sys.exit(f"{target} is not current: run {pathlib.Path(script).name}")
