"""Lets Chromium play our archive and show our page; exits 1 at the first thing that is not as recorded."""
import json
import re
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

    asked = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, viewport={"width": 1200, "height": 900})
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: asked.append(message.text))
        page.goto(f"file://{folder}/waterfall.html")
        page.screenshot(path=str(folder / f"{scheme}.png"), full_page=True)
        # Contrast of every text with what is behind it, as WCAG reckons it.
        worst = page.evaluate(
            """() => {
                const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
                const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
                    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
                const behind = node => {
                    for (let at = node; at; at = at.parentElement) {
                        const color = parse(getComputedStyle(at).backgroundColor);
                        if (color.length && (color.length < 4 || color[3] > 0.9)) return color;
                    }
                    return [255, 255, 255];
                };
                let worst = [99, ""];
                for (const node of document.querySelectorAll("body *")) {
                    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
                    if (!own || !node.checkVisibility()) continue;
                    const [a, b] = [parse(getComputedStyle(node).color), behind(node)].map(light).sort((x, y) => y - x);
                    const contrast = (a + 0.05) / (b + 0.05);
                    if (contrast < worst[0]) worst = [contrast, node.textContent.trim().slice(0, 40)];
                }
                return worst;
            }"""
        )
        assert worst[0] >= 4.5, (scheme, worst)
        assert page.locator("table").count() > 0 or page.locator("[role=table]").count() > 0, "no table"
        print(f"page in {scheme}: contrast at least {worst[0]:.1f}, picture {scheme}.png")
        context.close()
    foreign = [url for url in asked if not re.match(r"file://.*/waterfall\.html$", url)]
    assert not foreign, foreign
    print("page: no other request, no message")
    browser.close()
