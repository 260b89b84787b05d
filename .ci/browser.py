"""Lets Chromium play our archive; exits 1 at the first thing that is not as recorded."""
import json
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

folder, program = Path(sys.argv[1]).resolve(), sys.argv[2]
entries = json.loads((folder / "calls.har").read_text())["log"]["entries"]
# Chromium plays by URL and method: the first entry of each that has a whole text as its content.
texts = {}
for entry in entries:
    content, request = entry["response"]["content"], entry["request"]
    if request["method"] == "GET" and request["url"] not in texts:
        texts[request["url"]] = (entry["response"]["status"], content.get("text"))
known = {url: text for url, (status, text) in texts.items() if status == 200 and text}
assert known, "no entry with a content"

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
    context = browser.new_context()
    # Nothing goes to a network: what is not in the archive is refused.
    context.route_from_har(str(folder / "calls.har"), not_found="abort")
    page = context.new_page()
    for url, text in known.items():
        page.goto(url)
        assert page.inner_text("body").strip() == text.strip(), (url, page.inner_text("body"))
    print(f"route_from_har: {len(known)} responses played")
    context.close()
    browser.close()
