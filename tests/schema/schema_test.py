#!/usr/bin/env python3
"""`berth schema` against what berth accepts.

usage: schema_test.py BERTH ROOT

Of all ready experiments, the toy, and the documents in examples/ beside this file, those that `berth validate` accepts
must fit the schema. In each map of the examples that the schema describes, a key that no map has is then added: berth's
message names the keys that it knows there. Over all examples, these are the properties of the map's definition, no
more and no fewer, and the schema refuses the key as well. Each property is used somewhere, so that its type is tried.
"""
import copy
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import jsonschema
import yaml

UNKNOWN = "zzz"


class Loader(yaml.SafeLoader):
    """Reads scalars as YAML 1.2 does: editors and berth know neither yes and no nor dates."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if tag in ("tag:yaml.org,2002:null", "tag:yaml.org,2002:merge")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
for tag, pattern, first in (("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
                            ("int", "[-+]?[0-9]+", "-+0123456789"),
                            ("float", r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?", "-+.0123456789")):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^({pattern})$"), list(first))


class Schema:
    def __init__(self, schema):
        jsonschema.Draft7Validator.check_schema(schema)
        self.definitions = schema["$defs"]
        self.validator = jsonschema.Draft7Validator(schema)

    def faults(self, document):
        best = jsonschema.exceptions.best_match(self.validator.iter_errors(document))
        return "" if best is None else f"{'/'.join(map(str, best.absolute_path))}: {best.message[:300]}"

    def fits(self, value, schema):
        return self.validator.evolve(schema=schema).is_valid(value)

    def keys_of(self, schema):
        if "$ref" in schema:
            schema = self.definitions[schema["$ref"].removeprefix("#/$defs/")]
        return set(schema.get("properties", {})).union(*map(self.keys_of, schema.get("anyOf", [])))

    def maps_in(self, value, schema, path=(), name="", also=frozenset()):
        """The place of each map in a valid value, the name of its definition, and the keys that it could have as well
        if it were another of several alternatives.
        """
        if schema is True or not isinstance(value, (dict, list)):
            return
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            yield from self.maps_in(value, self.definitions[name], path, name, also)
        for one in schema.get("allOf", []):
            if self.fits(value, one.get("if", True)):
                yield from self.maps_in(value, one.get("then", one), path, name, also)
        chosen = next((one for one in schema.get("anyOf", []) if self.fits(value, one)), None)
        if chosen is not None:
            yield from self.maps_in(value, chosen, path, name, also | self.keys_of(schema))
        if isinstance(value, list):
            for i, item in enumerate(value):
                yield from self.maps_in(item, schema.get("items", True), (*path, i))
            return
        if schema.get("additionalProperties") is False:
            yield path, name, also
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for key, below in value.items():
            yield from self.maps_in(below, properties.get(key, others) or True, (*path, key))


def validate(berth, document, folder):
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        return subprocess.run([berth, "validate", "--allow-code", file.name],
                              text=True, capture_output=True, check=False).stderr


def documents_of(path):
    return [one for one in yaml.load_all(path.read_text(), Loader) if one is not None]


def known_keys(message, title):
    """The keys that a message about an unknown key names, or None if there is no such message."""
    what = re.sub("'[A-Z]+'", "'[^']*'", re.escape(title))
    found = re.search(rf"unknown key '{UNKNOWN}' in {what}: expected ([^\n]*)", message)
    return found and set(re.split(r", | or ", found[1]))


class Examples:
    """What the examples show of each definition: which keys they use, and which keys berth lists."""

    def __init__(self, berth, schema):
        self.berth, self.schema = berth, schema
        self.used, self.listed = defaultdict(set), defaultdict(set)
        self.wrong = []

    def look_at(self, path, document):
        for place, name, also in self.schema.maps_in(document, self.schema.validator.schema):
            changed = copy.deepcopy(document)
            at = changed
            for step in place:
                at = at[step]
            self.used[name] |= set(at)
            at[UNKNOWN] = 1
            where = f"{path.name}: {'/'.join(map(str, place))} ({name})"
            if not self.schema.faults(changed):
                self.wrong.append(f"{where}: the schema accepts the unknown key")
            title = self.schema.definitions[name]["title"]
            answer = validate(self.berth, changed, path.parent)
            known = known_keys(answer, title)
            if known is None:
                self.wrong.append(f"{where}: no message about an unknown key in {title}: {answer[:300]}")
            else:
                self.listed[name] |= known - (also - set(self.schema.definitions[name]["properties"]))

    def faults(self):
        faults = list(self.wrong)
        for name, definition in self.schema.definitions.items():
            if definition.get("additionalProperties") is not False:
                continue
            properties = set(definition["properties"])
            for what, keys in (("no example uses", properties - self.used[name]),
                               ("the schema lacks", self.listed[name] - properties),
                               ("berth does not know", properties - self.listed[name])):
                if keys:
                    faults.append(f"$defs/{name}: {what} {', '.join(sorted(keys))}")
        return faults


def main():
    berth, root = sys.argv[1], Path(sys.argv[2]).resolve()
    schema = Schema(json.loads(subprocess.run([berth, "schema"], text=True, capture_output=True, check=True).stdout))
    wrong = []
    examples = sorted((Path(__file__).parent / "examples").glob("*.yaml"))
    for path in sorted(root.glob("experiments/*/*.yaml")) + examples:
        if subprocess.run([berth, "validate", "--allow-code", path], capture_output=True, check=False).returncode:
            if path in examples:
                wrong.append(f"{path.name}: berth validate does not accept it")
            continue
        wrong += [f"{path.relative_to(root)}: {fault}" for fault in map(schema.faults, documents_of(path)) if fault]

    shown = Examples(berth, schema)
    for path in examples:
        for document in documents_of(path):
            if not schema.faults(document):
                shown.look_at(path, document)
    wrong += shown.faults()
    print("\n".join(wrong))
    print(f"{len(shown.used)} definitions, {sum(map(len, shown.used.values()))} keys, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
