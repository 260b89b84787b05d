extension CallPage {
    /// The style sheet of the page: light and dark, wide and as narrow as a phone.
    static let style = #"""

        :root { color-scheme: light dark; --page: #ffffff; --ink: #1b1b1f; --soft: #5a5a64; --line: #dcdce3;
          --panel: #f5f5f8; --edge: #4a4a52; --bad: #b3141d; --fine: #4c86d6; --focus: #0b57d0; --row: #f9f9fb; --hover: #eaf1fd; }
        @media (prefers-color-scheme: dark) {
          :root { --page: #17171b; --ink: #ececf1; --soft: #b0b0bb; --line: #303038; --panel: #212127;
            --edge: #0c0c10; --bad: #ff9a9a; --fine: #6ea4ee; --focus: #8ab4ff; --row: #1c1c21; --hover: #2a3342; }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        html, body { height: 100%; margin: 0; }
        body { display: flex; flex-direction: column; height: 100dvh; background: var(--page); color: var(--ink);
          font: 13px/1.4 system-ui, sans-serif; overflow: hidden; }
        :focus-visible { outline: 2px solid var(--focus); outline-offset: -2px; }
        #list:focus-visible { outline: none; }
        #list:focus-visible .columns { box-shadow: inset 0 2px var(--focus); }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; padding: 7px 12px; }
        h1 { font-size: 15px; margin: 0; }
        header p { margin: 0; color: var(--soft); }
        #live { color: var(--ink); border: 1px solid var(--line); border-radius: 9px; padding: 0 8px; }
        .tools { display: flex; flex-wrap: wrap; gap: 6px; margin-left: auto; align-items: center; }
        input, select, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line);
          border-radius: 5px; padding: 2px 7px; height: 26px; min-width: 0; }
        input { width: 15em; }
        select { max-width: 12em; }
        button { cursor: pointer; }
        button[aria-pressed=true] { background: var(--focus); border-color: var(--focus); color: var(--page); }
        #over { position: relative; height: 44px; flex: none; border: solid var(--line); border-width: 1px 0;
          cursor: crosshair; touch-action: pan-y; }
        #map { position: absolute; inset: 3px 0; width: 100%; height: 36px; }
        #part { position: absolute; top: 0; bottom: 0; background: color-mix(in srgb, var(--focus) 18%, transparent);
          border: solid var(--focus); border-width: 0 1px; pointer-events: none; }
        main { display: flex; flex: 1; min-height: 0; position: relative; }
        #list { flex: 1; min-width: 0; overflow: hidden scroll; container-type: inline-size; position: relative; }
        .row { display: grid; grid-template-columns: minmax(0, 36fr) 7.5em 5.5em 5.5em minmax(0, 64fr); height: 26px; align-items: stretch; }
        .row > * { padding: 0 8px; line-height: 26px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
        #space { position: relative; }
        #space .row { position: absolute; left: 0; right: 0; cursor: default; }
        #space .row:nth-child(even) { background: var(--row); }
        #space .row:hover { background: var(--hover); }
        #space .row[aria-selected=true] { background: var(--hover); box-shadow: inset 3px 0 var(--focus); }
        .columns { position: sticky; top: 0; z-index: 2; background: var(--panel); border-bottom: 1px solid var(--line); }
        .columns button { border: 0; background: none; padding: 0; height: 25px; color: var(--soft); font-size: 12px; }
        .columns [aria-sort=ascending] button::after { content: " ▲"; font-size: 9px; }
        .columns [aria-sort=descending] button::after { content: " ▼"; font-size: 9px; }
        .name b { font-weight: 600; font-size: 11.5px; }
        .name i { font-style: normal; color: var(--soft); margin-left: 8px; }
        .name .where { margin: 0; padding: 0 4px; font-size: 11px; border: 1px solid var(--line); border-radius: 3px; }
        mark { background: #ffe066; color: #111; }
        .running .status { font-style: italic; }
        .mark { display: inline-block; width: 1.3em; color: var(--soft); }
        .failed .mark, .failed .name, .failed .status, .failure { color: var(--bad); }
        .failed .mark { font-weight: 700; }
        .cancelled .name, .cancelled .status, .size { color: var(--soft); }
        .size, .time, .columns .size, .columns .time { text-align: right; font-variant-numeric: tabular-nums; }
        .row > .lane { padding: 0; border-left: 1px solid var(--line); overflow: hidden; }
        .lane { position: relative; }
        #space .lane { background: linear-gradient(90deg, var(--line) 1px, transparent 1px) var(--shift, 0) 0 / var(--step, 100%) 100%; }
        #axis { position: relative; }
        .tick { position: absolute; padding-left: 4px; color: var(--soft); font-size: 11px; border-left: 1px solid var(--line); }
        .bar { position: absolute; top: 6px; height: 14px; min-width: 2px; color: #111; text-align: center; overflow: hidden;
          font: 600 10px/14px ui-monospace, monospace; box-shadow: inset 0 0 0 1px color-mix(in srgb, var(--edge) 55%, transparent); }
        .thin { box-shadow: none; }
        .line { top: 12px; height: 2px; background: var(--soft); box-shadow: none; }
        .whole { background: var(--fine); box-shadow: none; border-radius: 1px; }
        .whole.failed { background: var(--bad); }
        .whole.cancelled { background: var(--soft); }
        .whole.running { background: var(--focus); }
        .span { background: none; top: 16px; height: 6px; border: solid var(--soft); border-width: 0 1px 2px; box-shadow: none; }
        .open { background: #cfcfd8; }
        .hold { background: repeating-linear-gradient(45deg, #f0f0f4 0 4px, #a0a0ae 4px 6px) #f0f0f4; }
        .queue { background: #dcdce2; } .resolve { background: #7fd1c7; } .connect { background: #ffb866; }
        .tls { background: #d9abea; } .send { background: #a9c4ff; } .wait { background: #7ddb8f; }
        .receive { background: #6cc3fa; } .cache { background: #ffd75e; }
        #none { position: absolute; top: 40px; left: 0; width: 100%; text-align: center; color: var(--soft); margin: 0; }
        footer { flex: none; display: flex; gap: 12px; justify-content: space-between; align-items: center; padding: 4px 12px; border-top: 1px solid var(--line);
          color: var(--soft); font-size: 11px; white-space: nowrap; overflow-x: auto; background: var(--panel); }
        .legend { list-style: none; display: flex; gap: 9px; padding: 0; margin: 0; }
        .legend .bar { position: static; display: inline-block; width: 16px; min-width: 16px; vertical-align: -2px; margin-right: 3px; }
        kbd { font: inherit; border: 1px solid var(--line); border-radius: 3px; padding: 0 4px; color: var(--ink); }
        #details { width: 46%; max-width: 720px; overflow: auto; border-left: 1px solid var(--line); padding: 0 14px 24px;
          background: var(--page); overflow-wrap: anywhere; }
        .head { display: flex; gap: 8px; align-items: flex-start; position: sticky; top: 0; background: var(--page); z-index: 2; padding: 8px 0 4px; }
        .head h2 { flex: 1; margin: 0; font-size: 14px; }
        #details p { margin: 2px 0; }
        #details .url, .facts, .numbers { color: var(--soft); }
        #details .url { font: 12px/1.4 ui-monospace, monospace; }
        .happened { list-style: none; padding: 0; margin: 10px 0; }
        .happened li { padding: 3px 0; border-top: 1px solid var(--line); }
        .happened .lane { height: 24px; }
        .happened .lane .bar { top: 4px; height: 16px; line-height: 16px; }
        .happened .lane .cache { min-width: 12px; }
        .happened .lane .span { top: 8px; height: 8px; }
        .of-line .lane, .of-decision .lane { display: none; }
        .when { float: right; color: var(--soft); font-variant-numeric: tabular-nums; margin-left: 8px; }
        .numbers { font-size: 12px; }
        .exchange { border-top: 1px solid var(--line); padding: 4px 0; }
        .exchange summary { cursor: pointer; font-weight: 600; padding: 3px 0; }
        h3 { font-size: 12px; margin: 10px 0 3px; color: var(--soft); display: flex; align-items: center; gap: 8px; }
        .copy { height: 20px; padding: 0 6px; font-size: 11px; font-weight: 400; }
        dl { margin: 4px 0; font: 12px/1.45 ui-monospace, monospace; }
        dl div { display: flex; gap: 10px; }
        dt { flex: 0 0 11.5em; color: var(--soft); }
        dd { margin: 0; min-width: 0; }
        pre { overflow: auto; max-height: 24em; background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 6px 8px;
          margin: 3px 0; font: 12px/1.45 ui-monospace, monospace; }
        .messages { list-style: none; padding: 0; margin: 3px 0; overflow: auto; max-height: 32em; border: 1px solid var(--line); border-radius: 4px; }
        .messages li { padding: 3px 8px; border-top: 1px solid var(--line); border-left: 3px solid var(--line); }
        .messages li:first-child { border-top: 0; }
        .messages .sent { border-left-color: var(--fine); background: var(--row); }
        .messages code { display: block; white-space: pre-wrap; max-height: 10em; overflow: auto; font: 12px/1.45 ui-monospace, monospace; }
        noscript p { padding: 0 12px; max-width: 60em; }
        @container (max-width: 720px) {
          .row { grid-template-columns: minmax(0, 1fr) 5.9em 4.9em 38%; }
          .size, .name i:not(.where) { display: none; }
          .row > * { padding: 0 5px; }
        }
        @container (max-width: 480px) { .row { grid-template-columns: minmax(0, 1fr) 3.4em 4.9em 32%; } .name .where { display: none; } }
        @media (max-width: 760px) {
          #details { position: absolute; inset: 0; width: auto; max-width: none; border: 0; z-index: 3; }
          .tools { margin: 0; width: 100%; flex-wrap: nowrap; }
          input { flex: 1 1 6em; width: 6em; }
          select { flex: 1 1 4.5em; padding: 2px 0; font-size: 12px; }
          dt { flex-basis: 8em; }
          .keys { display: none; }
        }
        @media print { body { overflow: visible; height: auto; } #details { width: 100%; } }

        """#
}
