/// The fixed parts of the page.
enum PageStyle {
    /// The policy lets the page load nothing, whatever a server's text has smuggled in.
    static let head = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">

        """

    static let css = """

        :root { color-scheme: light dark; --page: #ffffff; --ink: #1b1b1f; --soft: #55555e; --line: #c9c9d2;
          --panel: #f5f5f8; --edge: #4a4a52; --bad: #b3141d; --focus: #0b57d0; }
        @media (prefers-color-scheme: dark) {
          :root { --page: #17171b; --ink: #ececf1; --soft: #b4b4bf; --line: #44444e; --panel: #212127;
            --edge: #d6d6de; --bad: #ff9a9a; --focus: #8ab4ff; }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 1200px; padding: 1rem 1.25rem 3rem; background: var(--page);
          color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
        h1 { font-size: 1.35rem; margin: 0.4rem 0 0; }
        h2 { font-size: 0.8rem; margin: 0.7rem 0 0.2rem; color: var(--soft); font-weight: 600; }
        header p { color: var(--soft); margin: 0.2rem 0 0.8rem; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.35rem 1rem; padding: 0; margin: 0 0 1.2rem; }
        .key { display: inline-block; width: 1.4em; height: 1.4em; line-height: 1.3em; text-align: center;
          vertical-align: middle; border: 1px solid var(--edge); color: #111; font: 600 11px/1.5em ui-monospace, monospace; }
        details.call { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 0.7rem; background: var(--panel); }
        details.failed { border-left: 5px solid var(--bad); }
        summary { cursor: pointer; padding: 0.45rem 0.7rem; overflow-wrap: anywhere; }
        summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--focus); outline-offset: 1px; }
        .mark { font-weight: 700; display: inline-block; width: 1.1em; }
        .failed > summary .mark, .failure { color: var(--bad); }
        .name { font-weight: 600; }
        .fact, .numbers { color: var(--soft); }
        .failure { margin: 0 0.9rem 0.5rem; overflow-wrap: anywhere; }
        .scroll { overflow-x: auto; padding: 0 0.7rem 0.4rem; }
        table { border-collapse: collapse; table-layout: fixed; width: 100%; min-width: 760px; }
        th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.6rem 0.25rem 0; border-top: 1px solid var(--line);
          font-weight: 400; }
        thead th { border: 0; color: var(--soft); font-size: 0.8rem; white-space: nowrap; }
        tbody td { overflow-wrap: anywhere; }
        tr.row-exchange th { font-weight: 600; }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .what { width: 9.5rem; } .said { width: 14rem; } .ms { width: 5rem; }
        .lane { position: relative; display: block; height: 1.25rem; margin: 0.05rem 0; }
        .numbers { display: block; font-size: 0.8rem; overflow-wrap: anywhere; }
        .bar { position: absolute; top: 0.05rem; height: 1.15rem; min-width: 3px; border: 1px solid var(--edge);
          color: #111; font: 600 11px/1.05rem ui-monospace, monospace; text-align: center; overflow: hidden; }
        .whole { background: #8fb8e8; height: 0.5rem; top: 0.4rem; }
        .span { background: none; border-style: solid; border-width: 0 1px 2px; height: 0.7rem; }
        .open { background: repeating-linear-gradient(90deg, #e4e4ea 0 2px, #9a9aa6 2px 3px) #e4e4ea; }
        .hold { background: repeating-linear-gradient(45deg, #f0f0f4 0 5px, #a9a9b6 5px 8px) #f0f0f4; }
        .queue { background: #dcdce2; } .resolve { background: #7fd1c7; } .connect { background: #ffb866; }
        .tls { background: #d9abea; } .send { background: #a9c4ff; } .wait { background: #7ddb8f; }
        .receive { background: #8fd3ff; } .cache { background: #ffe27a; min-width: 1.2em; }
        details.exchange { margin: 0 0.7rem 0.4rem; border-top: 1px solid var(--line); }
        details.exchange summary { padding: 0.3rem 0; color: var(--soft); font-size: 0.85rem; }
        dl { margin: 0 0 0.4rem; font: 12px/1.45 ui-monospace, monospace; }
        dl div { display: flex; gap: 0.8rem; }
        dt { flex: 0 0 13rem; color: var(--soft); overflow-wrap: anywhere; }
        dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
        pre { overflow-x: auto; background: var(--page); border: 1px solid var(--line); padding: 0.5rem; margin: 0.4rem 0;
          font: 12px/1.45 ui-monospace, monospace; }
        @media print { details.call { break-inside: avoid; } }

        """
}
