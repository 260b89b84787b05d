"""Opens the page of a running program in Chromium: calls come to it by themselves, and it says when the program has ended.

usage: live-page.py FILE-WITH-THE-ADDRESS CHROMIUM
"""
import re
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

said = Path(sys.argv[1])
for _ in range(600):
    found = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", said.read_text()) if said.exists() else None
    if found:
        break
    time.sleep(0.5)
assert found, "no address"
address = found[0]
heard = []


def until(page, condition, seconds):
    """Not by wait_for_function: that evaluates texts, which the policy of the page forbids."""
    for _ in range(seconds * 10):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    raise AssertionError(condition)


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=sys.argv[2], args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.on("request", lambda request: heard.append(request.url))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.goto(address)
    page.wait_for_selector("body.ready")
    until(page, "document.querySelector('#live').textContent === 'live'", 10)
    count = "Number(document.querySelector('#list').getAttribute('aria-rowcount')) - 1"
    before = page.evaluate(count)
    # Two more rounds of the example.
    until(page, f"{count} >= {before + 20}", 20)
    keys = page.evaluate("document.querySelector('#summary').textContent")
    print(f"from {before} calls to: {keys}")
    until(page, "document.querySelector('#live').textContent === 'the program does not respond'", 30)
    foreign = [url for url in heard if not url.startswith(address)]
    assert not foreign, foreign
    assert all(url == address or "/calls?after=" in url for url in heard), heard
    print("live: no other request, no error, and it says when the program has gone")
    browser.close()
