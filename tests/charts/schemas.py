"""Makes a folder of JSON schemas as kubeconform reads them: one file a kind, unknown fields refused.

    schemas.py OUT KUBERNETES_FOLDER CRD...

KUBERNETES_FOLDER holds the schemas of the built-in kinds, whose references name a root and a meta-schema that are not
there. A CRD holds an OpenAPI schema, in which unknown fields are pruned and not refused.
"""
import json
import pathlib
import sys

import yaml


def strict(schema):
    """Refuse unknown fields; let an int-or-string be either."""
    if isinstance(schema, list):
        for item in schema:
            strict(item)
    if not isinstance(schema, dict):
        return
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    if schema.get("x-kubernetes-int-or-string"):
        for word in ("type", "format", "anyOf"):
            schema.pop(word, None)
        schema["oneOf"] = [{"type": "string"}, {"type": "integer"}]
    for value in schema.values():
        strict(value)


def built_in(folder, out):
    files = list(folder.glob("*.json"))
    if not files:
        sys.exit(f"{folder} holds no schemas")
    for file in files:
        text = file.read_text().replace('"/api/_definitions.json#/', '"_definitions.json#/')
        schema = json.loads(text)
        schema.pop("$schema", None)
        (out / file.name).write_text(json.dumps(schema))


def custom(file, out):
    spec = yaml.safe_load(file.read_text())["spec"]
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        strict(schema)
        schema["properties"]["metadata"] = {"type": "object"}
        name = f"{spec['names']['kind'].lower()}-{spec['group'].split('.')[0]}-{version['name']}.json"
        (out / name).write_text(json.dumps(schema))


if __name__ == "__main__":
    out, kubernetes, *crds = sys.argv[1:]
    out = pathlib.Path(out)
    out.mkdir(parents=True)
    built_in(pathlib.Path(kubernetes), out)
    for crd in crds:
        custom(pathlib.Path(f"{crd}.yaml"), out)
    print(f"{out}: {len(list(out.iterdir()))} schemas")
