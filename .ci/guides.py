#!/usr/bin/env python3
"""Makes a catalog of DocC of every page of Docs and every recipe, so that none is forgotten: usage: guides.py FOLDER."""
import glob
import os
import re
import shutil
import subprocess
import sys

folder = sys.argv[1]
os.makedirs(folder)
listed = subprocess.run(
    ["git", "ls-files", "-co", "--exclude-standard", "Docs/*.md", "CONTRIBUTING.md"], capture_output=True, text=True, check=True
).stdout.split()
# Translations are for readers of the files.
pages = [path for path in listed if not re.match(r"Docs/[a-z]{2}/", path) and os.path.exists(path)]
names = {path: os.path.basename(path)[:-3] for path in pages}
names["Docs/Guides.md"] = "Frameworks"  # the root of the catalog is called Guides
if len(set(name.lower() for name in names.values())) != len(pages):
    sys.exit("two pages have one name")


def rewritten(path, text):
    def link(match):
        mark, label, target = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        place = os.path.normpath(os.path.join(os.path.dirname(path), target.split("#")[0])) if target[0] != "#" else path
        if mark:
            shutil.copy(place, folder)
            return f"![{label}]({os.path.basename(place)})"
        # Headings have other names in DocC, and what is no page is not in the archive.
        return f"[{label}](doc:{names[place]})" if place in names and place != path else label

    parts = re.split(r"(^ *```.*?^ *```$|`[^`\n]*`)", text, flags=re.S | re.M)
    whole = "".join(f"\0{number}\0" if number % 2 else part for number, part in enumerate(parts))
    whole = re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, whole)
    return re.sub(r"\0(\d+)\0", lambda match: parts[int(match.group(1))], whole)


for path in pages:
    with open(path) as page, open(f"{folder}/{names[path]}.md", "w") as copy:
        # Two marks around code are a link to a symbol in DocC.
        copy.write(rewritten(path, re.sub(r"`` `([^`]+)` ``", r"`\1`", page.read())))

recipes = []
for source in sorted(glob.glob("Playground-Examples/Recipes/*/*.swift")):
    name = os.path.basename(source)[:-6]
    recipes.append(f"Recipe-{name}")
    with open(source) as code, open(f"{folder}/Recipe-{name}.md", "w") as copy:
        copy.write(f"# {name}\n\nRun it with `swift run {name}`.\n\n## Overview\n\n```swift\n{code.read()}```\n")

with open(f"{folder}/Guides.md", "w") as root:
    root.write("# Guides of CoreNetKit\n\nThe pages, the reasons and the recipes.\n\n@Metadata {\n    @TechnologyRoot\n}\n\n## Topics\n")
    groups = {
        "Pages": [names[path] for path in pages if path.count("/") < 2 or path.startswith("Docs/Log/")],
        "Services": [names[path] for path in pages if path.startswith("Docs/Services/")],
        "Recipes": recipes,
        "Decisions": [names[path] for path in pages if path.startswith("Docs/Decisions/")],
    }
    for title, articles in groups.items():
        root.write(f"\n### {title}\n\n" + "".join(f"- <doc:{article}>\n" for article in articles))
print(f"{len(pages)} pages and {len(recipes)} recipes")
