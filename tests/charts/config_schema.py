#!/usr/bin/env python3
"""Which settings may stand below `config:` in the chart's values?

Those of the service, and no others: this reads them from config/settings.md, which the service writes, and puts them
into values.schema.json, so that Helm refuses a misspelt or misplaced setting before anything is installed.

    tests/charts/config_schema.py            writes values.schema.json
    tests/charts/config_schema.py --check    exit 1 if that would change it
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
SCHEMA = ROOT / "charts/neardup/values.schema.json"
ROW = re.compile(r"^\| `(?P<path>[^`]+)` \| (?P<type>[^|]+) \| .* \| (?P<what>[^|]+) \|$", re.MULTILINE)
SHARE = re.compile(r"share; ([\d.]+) \.\. ([\d.]+)")
NUMBER = re.compile(r"whole number; (-?\d+) \.\. (\d+)")


def schema_of(kind):
    """The JSON schema of a type as settings.md writes it."""
    name, _, rest = kind.partition(": ")
    if number := NUMBER.match(kind):
        return {"type": "integer", "minimum": int(number[1]), "maximum": int(number[2])}
    if share := SHARE.match(kind):
        # Helm's --set makes a text of 0.85; what a text may be between the bounds is for the service to say.
        return {
            "type": ["number", "string"],
            "minimum": float(share[1]),
            "maximum": float(share[2]),
            "multipleOf": 0.001,
            "pattern": r"^[01](\.[0-9]{1,3})?$",
        }
    if name == "one of":
        return {"enum": ["" if word == '""' else word for word in rest.split(", ")]}
    if name == "list of":
        return {"type": "array", "items": {"enum": rest.split(", ")}}
    if kind == "list":
        return {"type": "array", "items": {"type": "string"}}
    if kind.startswith("size;"):
        return {"type": ["string", "integer"], "pattern": "^[0-9]+(KiB|MiB|GiB)?$", "minimum": 0}
    if kind == "true or false":
        return {"type": "boolean"}
    if kind == "map":
        return {"$ref": "#/definitions/properties"}
    if kind in ("text", "file"):
        return {"type": "string"}
    raise ValueError(f"settings.md has a type this does not know: {kind}")


def config_schema(markdown):
    rows = ROW.findall(markdown)
    if len(rows) != sum(line.startswith("| `") for line in markdown.splitlines()):
        raise ValueError("settings.md has rows this does not understand")
    whole = {"type": "object", "additionalProperties": False, "properties": {}}
    for path, kind, what in rows:
        level = whole
        *sections, name = path.split(".")
        for section in sections:
            level = level["properties"].setdefault(
                section, {"type": "object", "additionalProperties": False, "properties": {}}
            )
        level["properties"][name] = {"description": what, **schema_of(kind)}
    return whole


if __name__ == "__main__":
    before = SCHEMA.read_text()
    schema = json.loads(before)
    schema["definitions"]["config"] = config_schema((ROOT / "config/settings.md").read_text())
    after = json.dumps(schema, indent=2) + "\n"
    if "--check" not in sys.argv[1:]:
        SCHEMA.write_text(after)
    elif before != after:
        sys.exit("values.schema.json is behind config/settings.md: run tests/charts/config_schema.py")
