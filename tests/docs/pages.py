#!/usr/bin/env python3
"""Checks what a program can check about the project's pages.

pages.py ROOT BERTH    prints `FILE:LINE: ...` for each finding, and ends with 1 if there is any

- Every link leads to a file, and its anchor to a heading of that page by GitHub's rules.
- docs/README.md names every page of docs, README.md every how-to, and docs/decisions/README.md every decision.
- The lists of scope.md and policies.md are those of `berth list`.
- Each claim of SECURITY.md names existing tests that hold berth to it.
- No page has the marks that a merge leaves.
- On each page that users read, the first use of a term of the glossary is a link to it.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

FENCE = re.compile(r"^(\s*)(```|~~~).*?^\s*\2\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
PARTS = ("tutorials", "how-to", "reference", "explanation")
# What berth prints and draws is not part of the model; metrics and columns have pages of their own.
NOT_MODELLED = {"figures", "topology-formats", "metrics", "columns"}
IN_POLICIES = {"queue-sorts", "pre-filters", "filters", "post-filters", "solvers", "num-fits", "scores", "gpu-scores",
               "reserves", "shared-reserves", "trace-formats"}


def blank(match):
    """Replaces a match with spaces, so that lines keep their numbers."""
    return re.sub(r"[^\n]", " ", match.group())


def prose(text):
    """A page without its code blocks, comments and inline code."""
    text = re.sub(r"<!--.*?-->", blank, FENCE.sub(blank, text), flags=re.DOTALL)
    return re.sub(r"(`+)(?!`)[^`]+?\1", blank, text)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def slug(heading):
    """The anchor of a heading: its displayed text, reduced to letters, digits, `_` and `-`."""
    shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")


def anchors(text):
    """The anchors of a page. A heading that occurs again gets `-1`, the next one `-2`."""
    text = FENCE.sub(blank, text)
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#{1,6} +(.*?)(?: +#+)?$", text, re.MULTILINE):
        first = name = slug(heading)
        again = 0
        while name in found:
            again += 1
            name = f"{first}-{again}"
        found.add(name)
    return found


def pages(root):
    return [page for pattern in ("*.md", "*.ipynb") for page in sorted(root.rglob(pattern))
            if not {"node_modules", "build", ".git", "out"} & set(page.relative_to(root).parts)]


def text_of(page):
    """The text that people read on a page; for a notebook, its Markdown cells."""
    text = page.read_text()
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return prose(text)


def dead_links(root):
    for page in pages(root):
        for link in sorted(set(LINK.findall(text_of(page)))):
            name, _, anchor = link.partition("#")
            if "://" in name or name.startswith("mailto:"):
                continue
            target = page.parent / name if name else page
            raw = page.read_text()
            at = f"{page.relative_to(root)}:{line_of(raw, raw.index(f']({link})'))}"
            if not target.exists():
                yield f"{at}: the link {link} leads nowhere"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
                yield f"{at}: the link {link} leads to no heading of {name or page.name}"


def unlisted(root):
    """Pages that an index does not name, and a README that is too long."""
    indexes = [("docs/README.md", [page for part in PARTS for page in (root / "docs" / part).glob("*.md")]),
               ("README.md", (root / "docs/how-to").glob("*.md"))]
    for index, wanted in indexes:
        folder = (root / index).parent
        linked = set(LINK.findall((root / index).read_text()))
        for page in sorted(wanted):
            if str(page.relative_to(folder)) not in linked:
                yield f"{index}:1: no line for {page.relative_to(root)}"
    length = (root / "README.md").read_text().count("\n")
    if length >= 270:
        yield f"README.md:{length}: expected fewer than 270 lines"


def decisions(root):
    """Decisions without a line in the index, and replaced decisions that do not say so themselves."""
    index = root / "docs/decisions/README.md"
    text = index.read_text()
    rows = {row[1]: [cell.strip() for cell in row[2].split("|")]
            for row in re.finditer(r"^\| \[\d+\]\((\S+)\) \|(.*)\|$", text, re.MULTILINE)}
    for name, times in Counter(re.findall(r"^\| \[\d+\]\((\S+)\) \|", text, re.MULTILINE)).items():
        if times > 1:
            yield f"docs/decisions/README.md:1: {name} has {times} lines: expected one"
    numbers = set()
    for page in sorted(index.parent.glob("0*.md")):
        numbers.add(int(page.name[:4]))
        head = re.split(r"\n##|\*\*Context", page.read_text())[0]
        title = re.sub(r"^# \d+\. ", "", head.split("\n")[0])
        cells = rows.get(page.name, [])
        told, _, status, by = cells if len(cells) == 4 else [""] * 4
        if told != title:
            yield (f"docs/decisions/README.md:1: expected the line "
                   f"| [{page.name[:4]}]({page.name}) | {title} | AREA | in force | |")
        for other in LINK.findall(by):
            if "Replaced" not in head or f"[{other[:4]}]({other})" not in head:
                yield f"docs/decisions/{page.name}:1: its head does not say: Replaced by [{other[:4]}]({other})"
        if (status == "in force") == bool(by) and told:
            yield f"docs/decisions/README.md:1: {page.name}: expected 'in force', or what replaced it"
    missing = ", ".join(f"{number:04}" for number in sorted(set(range(1, max(numbers))) - numbers))
    if missing and f"There are no pages {missing}: " not in text:
        yield (f"docs/decisions/README.md:1: expected the sentence: There are no pages {missing}: "
               "these numbers were left out.")


def lists(root, listed):
    """Lists of pages that differ from `listed`, the output of `berth list --json`."""
    scope = (root / "docs/reference/scope.md").read_text()
    rows = dict(re.findall(r"^\| [^|]*`berth list ([\w-]+)` \| (.*) \|$", scope, re.MULTILINE))
    policies = (root / "docs/reference/policies.md").read_text().replace("`", "")
    for name in sorted(set(listed) - NOT_MODELLED):
        entries = {entry["name"]: entry["summary"] for entry in listed[name]}
        row = rows.get(name, "")
        plain = row.replace("`", "")
        for entry in entries:
            if not re.search(rf"(?<![\w-]){re.escape(entry)}(?![\w-])", plain):
                yield f"docs/reference/scope.md:1: the row of `berth list {name}` does not name {entry}"
        for word in re.findall(r"`([^`]+)`", row):
            if not any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", entry) for entry in entries):
                yield f"docs/reference/scope.md:1: the row of `berth list {name}` names {word}, which is not there"
        if name in IN_POLICIES:
            for entry, summary in entries.items():
                if f"| {entry} | {summary} |".replace("`", "") not in policies:
                    yield f"docs/reference/policies.md:1: expected a row | `{entry}` | {summary} |"


def glossary(root):
    """Pages on which the first use of a term does not link to the glossary."""
    book = root / "docs/reference/glossary.md"
    terms = re.findall(r"^## (.+)$", book.read_text(), re.MULTILINE)
    words = "|".join(sorted(terms, key=len, reverse=True)).replace("y", "(?:y|ie)").replace(" ", r"\s+")
    term = re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE)
    linked = re.compile(r"\[([^\]]*)\]\([^)\s]*glossary\.md#[^)\s]+\)")
    read = [root / "README.md"] + [page for part in PARTS[:3] for page in sorted((root / "docs" / part).glob("*.md"))]
    for page in read:
        if page == book:
            continue
        text = re.sub(r"^#.*$", blank, prose(page.read_text()), flags=re.MULTILINE)
        first_link = linked.search(text)
        # The text of another link cannot link to the glossary as well.
        others = re.sub(r"\[[^\]]*\]\((?![^)\s]*glossary\.md#)[^)\s]*\)", blank, text)
        first = term.search(others)
        if first and not (first_link and first_link.start(1) <= first.start() < first_link.end(1)):
            yield (f"{page.relative_to(root)}:{line_of(text, first.start())}: the first use of a term of the glossary, "
                   f"'{first.group()}', is no link to it")


def tests_named(root):
    """Claims of SECURITY.md that name no test, or a test that does not exist."""
    page = root / "SECURITY.md"
    sources = [path.read_text() for pattern in ("*.cpp", "*.py", "CMakeLists.txt")
               for path in sorted((root / "tests").rglob(pattern))]
    there = set()
    for source in sources:
        joined = re.sub(r'"\s*\n\s*"', "", source)  # joins a literal over several lines
        there.update(re.findall(r'TEST_CASE\(\s*"([^"]*)"', joined))
        there.update(re.findall(r"def (test_\w+)\(", source))
        there.update(re.findall(r'add_test\(NAME "([^"]*)"', source))
    text = page.read_text()
    claims = re.split(r"\n\n|\n(?=- )", text.partition("## To report a fault")[0])
    for claim in claims:
        names = re.findall(r"<!-- tests: (.*?) -->", claim, re.DOTALL)
        is_claim = claim.rstrip().endswith((".", "-->")) and not claim.startswith("#")
        at = line_of(text, text.index(claim, 0))
        if is_claim and not names and "hold berth to it" not in claim:
            yield f"{page.name}:{at}: a claim without its tests: expected <!-- tests: NAME; NAME --> behind it"
        for name in re.split(r";\s+", names[0]) if names else ():
            if name not in there:
                yield f"{page.name}:{at}: there is no test '{name}'"


def marks_of_merges(root):
    """Lines that a merge leaves where two versions differ."""
    for page in pages(root):
        for mark in re.finditer(r"^(<{7}|>{7}) ", page.read_text(), re.MULTILINE):
            at = line_of(page.read_text(), mark.start())
            yield f"{page.relative_to(root)}:{at}: two versions stand side by side: expected one"


def main():
    root = Path(sys.argv[1]).resolve()
    listed = json.loads(subprocess.run([sys.argv[2], "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    found = [*dead_links(root), *unlisted(root), *decisions(root), *lists(root, listed), *glossary(root),
             *tests_named(root), *marks_of_merges(root)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
