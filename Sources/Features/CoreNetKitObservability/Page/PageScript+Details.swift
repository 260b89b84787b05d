extension PageScript {
    /// The details of one call: events, fields, contents, the command.
    static let details = #"""

        const panel = byId("details");
        const copyButton = text => {
          const button = make("button", "copy", "Copy");
          button.type = "button";
          button.onclick = async () => {
            try {
              await navigator.clipboard.writeText(text);
              button.textContent = "Copied";
            } catch {
              getSelection().selectAllChildren(button.parentElement.nextElementSibling);
              button.textContent = "Selected";
            }
          };
          return button;
        };
        const block = (title, text) => {
          const head = make("h3", "", title);
          head.append(copyButton(text));
          const body = make("pre", "", text);
          body.tabIndex = 0;
          return [head, body];
        };
        const pairs = entries => {
          const all = make("dl");
          for (const [name, value] of entries) {
            const pair = make("div");
            pair.append(make("dt", "", name), make("dd", "", value));
            all.append(pair);
          }
          return all;
        };
        const fields = (title, call, numbers) => numbers ? [make("h3", "", title), pairs(numbers.map(number => {
          const text = call.texts[number], at = text.indexOf(": ");
          return [text.slice(0, at), text.slice(at + 2)];
        }))] : [];
        // White space between the tokens of JSON; the tokens stay as they are, long numbers too.
        const spread = text => {
          const tokens = text.match(/"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+/g) || [];
          let result = "", depth = 0;
          tokens.forEach((token, index) => {
            const line = () => "\n" + "  ".repeat(Math.min(Math.max(depth, 0), 40)), before = tokens[index - 1];
            if (token === "]" || token === "}") {
              depth--;
              result += (before === "[" || before === "{" ? "" : line()) + token;
            } else {
              if (before === "[" || before === "{" || before === ",") result += line();
              result += token === ":" ? ": " : token;
              if (token === "[" || token === "{") depth++;
            }
          });
          return result;
        };
        // XML, one element a line; an element that has only text stays on one.
        const indented = text => {
          const tokens = text.match(/<!-{2}[^]*?(?:-->|$)|<!\[CDATA\[[^]*?(?:\]\]>|$)|<[^<>]*>?|[^<]+/g) || [];
          let result = "", depth = 0, before = "";
          for (const token of tokens) {
            if (!token.trim()) continue;
            const isEnd = token.startsWith("<\/"), isStart = /^<[^!?\/]/.test(token) && !token.endsWith("\/>");
            if (isEnd) depth = Math.max(depth - 1, 0);
            const joins = before === "start" && (isEnd || !/^<[^!]/.test(token)) || before === "text" && isEnd;
            result += (joins || !result ? "" : "\n" + "  ".repeat(Math.min(depth, 40))) + token.trim();
            if (isStart) depth++;
            before = isStart ? "start" : joins && !isEnd ? "text" : "";
          }
          return result;
        };
        // Server-sent events, as a reader of the stream gets them.
        const eventList = parts => {
          const list = make("ol", "messages");
          list.tabIndex = 0;
          for (const part of parts.slice(0, 500)) {
            const item = make("li", "got"), head = make("p"), data = [], others = [];
            let kind = "message";
            for (const line of part.split("\n")) {
              const at = line.indexOf(":"), name = at < 0 ? line : line.slice(0, at);
              const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
              if (name === "data") data.push(value);
              else if (name === "event") kind = value;
              else others.push((name || "comment") + ": " + value);
            }
            head.append(make("b", "", data.length ? kind : "no data"), others.length ? " · " + others.join(" · ") : "");
            item.append(head);
            if (data.length) item.append(make("code", "", pretty(data.join("\n"), "")));
            list.append(item);
          }
          return list;
        };
        const pretty = (text, type) => {
          if (/\bxml\b/i.test(type)) return indented(text);
          // Not `[DONE]`, which ends some streams.
          return /json$|^$/i.test(type) && /^\s*(\{|\[\s*["\d\]\[{-])/.test(text) ? spread(text) : text;
        };
        const contents = (title, call, number, fields) => {
          if (number === undefined) return [];
          const said = (fields || []).map(number => call.texts[number]).find(text => /^content-type:/i.test(text)) || "";
          const text = call.texts[number], type = said.slice(13).replace(/;.*/, "").trim();
          if (!/^text\/event-stream$/i.test(type)) return block(title, pretty(text, type));
          const parts = text.split(/\n{2,}/).filter(part => part.trim()), head = make("h3", "", title);
          head.append(` · ${parts.length} events` + (parts.length > 500 ? ", the first 500" : ""), copyButton(text));
          return [head, eventList(parts)];
        };
        const command = (call, exchange) => exchange.k.map(line => {
          if (line === -1) return "'" + call.texts[exchange.u] + "'";
          return line < -1 ? "--header '" + call.texts[exchange.q[-2 - line]] + "'" : call.texts[line];
        }).join(" \\\n  ");

        const happened = call => {
          const all = make("ol", "happened"), whole = [0, Math.max(call.end - call.start, 1)];
          for (const [kind, name, outcome, start, length, parts, served] of call.raw.r || []) {
            const item = make("li", "of-" + kinds[kind][0]), head = make("p");
            head.append(make("b", "", call.texts[name]), " " + call.texts[outcome]);
            head.append(make("span", "when", "at " + time(start) + (parts.length ? ", " + time(length) : "")));
            const lane = make("div", "lane"), numbers = [];
            lane.setAttribute("aria-hidden", "true");
            for (let at = 0; at < parts.length; at += 3) {
              const [id, letter, title] = kinds[parts[at]], [from, long] = [parts[at + 1], parts[at + 2]];
              // A letter needs room: a thin part is named by the numbers below.
              bar(lane, id, from, from + long, whole, 500, long / whole[1] > 0.035 || id === "cache" ? letter : "");
              if (!["open", "span", "hold", "cache"].includes(id)) numbers.push(title + " " + time(long));
            }
            if (served !== undefined) numbers.push("server: " + call.texts[served]);
            item.append(head, lane);
            if (numbers.length) item.append(make("p", "numbers", numbers.join(" · ")));
            all.append(item);
          }
          return all;
        };
        const messages = (call, all) => {
          const list = make("ol", "messages");
          list.tabIndex = 0;
          for (const [kind, at, bytes, content] of all) {
            const item = make("li", kind & 1 ? "sent" : "got"), head = make("p");
            head.append(make("b", "", kind & 1 ? "sent" : "received"), (kind & 2 ? " text, " : " bytes, ") + size(bytes));
            if (kind & 4) head.append(", only its beginning");
            head.append(make("span", "when", "at " + time(at)));
            item.append(head);
            if (content !== undefined) item.append(make("code", "", call.texts[content]));
            list.append(item);
          }
          const count = all.filter(([kind]) => kind & 1).length;
          return [make("h3", "", `Messages: ${all.length - count} received, ${count} sent`), list];
        };
        const exchangeDetails = (call, exchange, isOpen) => {
          const all = make("details", "exchange");
          all.open = isOpen;
          all.append(make("summary", "", call.texts[exchange.l]));
          all.append(make("p", "url", call.texts[exchange.m] + " " + call.texts[exchange.u]));
          const facts = [];
          for (let at = 0; at < (exchange.f || []).length; at += 2) {
            facts.push([call.texts[exchange.f[at]], call.texts[exchange.f[at + 1]]]);
          }
          if (facts.length) all.append(pairs(facts));
          all.append(...fields("Request fields", call, exchange.q));
          all.append(...contents("Request content", call, exchange.b, exchange.q));
          all.append(...fields("Response fields", call, exchange.a));
          all.append(...contents("Response content", call, exchange.c, exchange.a));
          if (exchange.n) all.append(...messages(call, exchange.n));
          all.append(...block("curl", command(call, exchange)));
          return all;
        };
        const drawDetails = () => {
          panel.hidden = !chosen;
          document.body.classList.toggle("with-details", !!chosen);
          if (!chosen) return panel.replaceChildren();
          const call = chosen, head = make("div", "head"), title = make("h2", "", call.method + " " + call.path);
          title.tabIndex = -1;
          const close = make("button", "close", "✕");
          close.type = "button";
          close.setAttribute("aria-label", "Close details");
          close.onclick = () => choose(null);
          head.append(title, close);
          const facts = [outcomes[call.outcome], call.shownStatus, call.shownSize];
          // The list shows the time of one that runs.
          if (call.outcome !== running) facts.push(time(call.time));
          if (call.time > call.taken + 1000) facts.push("its caller went on after " + time(call.taken));
          facts.push("call " + call.key + ", at " + time(call.start - span[0]));
          const said = [make("p", "url", call.url), make("p", "facts", facts.filter(fact => fact).join(" · "))];
          if (call.failure) said.push(make("p", "failure", call.failure));
          const exchanges = call.raw.x || [];
          const parts = exchanges.map((one, index) => exchangeDetails(call, one, index === exchanges.length - 1));
          panel.replaceChildren(head, ...said, happened(call), ...parts);
          panel.scrollTop = 0;
          const found = highlight(panel.querySelectorAll("h2, .url, .failure, .happened p, dl, pre, .messages"));
          for (const one of found) one.closest("details")?.setAttribute("open", "");
          panel.querySelector("mark")?.scrollIntoView({ block: "center" });
        };
        const choose = (call, focuses) => {
          chosen = call;
          drawDetails();
          draw();
          const at = shown.indexOf(call);
          if (at >= 0) reveal(at);
          if (!call) list.focus();
          else if (focuses) panel.querySelector("h2").focus();
        };

        """#

    /// Search, filters, sorting, keys, and live updates.
    static let tools = #"""

        const search = byId("search"), onlyFailed = byId("failed"), slow = byId("slow");
        const status = byId("status"), host = byId("host");
        const isWanted = (call, words) => {
          if (isPressed(onlyFailed) && call.outcome !== 1) return false;
          if (call.time < Number(slow.value)) return false;
          const wanted = status.value;
          if (wanted && (wanted === "none" ? call.status !== 0 : Math.floor(call.status / 100) !== Number(wanted))) return false;
          if (host.value && call.host !== host.value) return false;
          if (zoom && (call.end < zoom[0] || call.start > zoom[1])) return false;
          return call.has(words);
        };
        const keys = {
          start: byStart, time: (a, b) => a.time - b.time, size: (a, b) => a.sortedSize - b.sortedSize,
          status: (a, b) => a.status - b.status || (a.shownStatus < b.shownStatus ? -1 : 1),
          name: (a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : byStart(a, b)
        };
        const refresh = () => {
          span = [Infinity, -Infinity];
          const hosts = new Set();
          for (const call of calls) {
            span = [Math.min(span[0], call.start), Math.max(span[1], call.end)];
            hosts.add(call.host);
          }
          if (!calls.length) span = [0, 1];
          severalHosts = hosts.size > 1;
          if (host.options.length !== hosts.size + 1) {
            const before = host.value;
            host.replaceChildren(new Option("Host", ""), ...[...hosts].sort().map(name => new Option(name || "none", name)));
            host.value = hosts.has(before) ? before : "";
          }
          const words = wanted();
          shown = calls.filter(call => isWanted(call, words));
          const [key, sign] = sorting;
          if (key !== "start" || sign < 0) shown.sort((a, b) => sign * keys[key](a, b));
          for (const button of document.querySelectorAll("[data-sort]")) {
            const order = button.dataset.sort === key ? (sign > 0 ? "ascending" : "descending") : "none";
            button.parentElement.setAttribute("aria-sort", order);
          }
          const failed = calls.filter(call => call.outcome === 1).length;
          const open = calls.filter(call => call.outcome === running).length;
          const gone = forgotten ? ", " + forgotten + " older ones no longer here" : "";
          byId("summary").textContent = (shown.length === calls.length ? "" : shown.length + " of ") + calls.length
            + " calls, " + failed + " failed, " + (open ? open + " running, " : "") + "in " + time(span[1] - span[0]) + gone;
          byId("none").hidden = shown.length > 0;
          byId("none").textContent = calls.length ? "No call matches." : "No calls yet.";
          draw();
        };
        for (const control of [search, slow, status, host]) control.oninput = refresh;
        search.addEventListener("input", () => panel.hidden || drawDetails());
        const isPressed = button => button.getAttribute("aria-pressed") === "true";
        for (const button of [onlyFailed, byId("fit")]) button.onclick = () => {
          button.setAttribute("aria-pressed", !isPressed(button));
          fits = isPressed(byId("fit"));
          refresh();
        };
        for (const button of document.querySelectorAll("[data-sort]")) button.onclick = () => {
          // One way, the other way, and back to the order of time.
          const key = button.dataset.sort, first = key === "name" ? 1 : -1;
          sorting = sorting[0] !== key ? [key, first] : sorting[1] === first ? [key, -first] : ["start", 1];
          list.scrollTop = 0;
          refresh();
        };
        const setZoom = part => {
          zoom = part && part[1] - part[0] > 1 ? part : null;
          refresh();
        };
        byId("whole").onclick = () => setZoom(null);
        const nearer = factor => {
          const [first, last] = range(), middle = chosen ? (chosen.start + chosen.end) / 2 : (first + last) / 2;
          const half = (last - first) / 2 * factor;
          if (half * 2 >= span[1] - span[0]) return setZoom(null);
          const begin = Math.min(Math.max(middle - half, span[0]), span[1] - 2 * half);
          setZoom([begin, begin + 2 * half]);
        };

        let from = null;
        const timeAt = event => {
          const box = over.getBoundingClientRect(), share = (event.clientX - box.left) / Math.max(box.width, 1);
          return span[0] + Math.min(Math.max(share, 0), 1) * (span[1] - span[0]);
        };
        over.onpointerdown = event => {
          from = timeAt(event);
          over.setPointerCapture(event.pointerId);
        };
        over.onpointermove = event => {
          if (from === null) return;
          const to = timeAt(event);
          if (Math.abs(to - from) > (span[1] - span[0]) / 200) setZoom([Math.min(from, to), Math.max(from, to)]);
        };
        over.onpointerup = over.onpointercancel = () => { from = null; };
        over.ondblclick = () => setZoom(null);

        list.onscroll = () => requestAnimationFrame(drawList);
        space.onclick = event => {
          const row = event.target.closest(".row");
          if (row) choose(shown[Number(row.id.slice(4))]);
        };
        list.onkeydown = event => {
          if (event.target !== list || event.altKey || event.ctrlKey || event.metaKey) return;
          const page = Math.max(Math.floor(list.clientHeight / rowHeight) - 2, 1), at = shown.indexOf(chosen);
          const moves = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length };
          if (event.key in moves && shown.length) {
            event.preventDefault();
            const next = shown[Math.min(Math.max(moves[event.key], 0), shown.length - 1)];
            if (panel.hidden) {
              chosen = next;
              reveal(shown.indexOf(next));
              drawList();
            } else choose(next);
          } else if (event.key === "Enter" && chosen) {
            event.preventDefault();
            choose(chosen, true);
          }
        };
        document.addEventListener("keydown", event => {
          const isTyping = event.target.matches("input, select, textarea");
          if (event.key === "Escape") {
            if (!panel.hidden) return choose(null);
            if (isTyping) { search.value = ""; refresh(); list.focus(); }
          }
          if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
          const actions = {
            "/": () => search.focus(), f: () => onlyFailed.click(), a: () => byId("fit").click(),
            "+": () => nearer(0.5), "-": () => nearer(2), "0": () => setZoom(null)
          };
          if (!(event.key in actions)) return;
          event.preventDefault();
          actions[event.key]();
        });
        new ResizeObserver(draw).observe(list);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

        take(JSON.parse(byId("data").textContent));
        refresh();
        // The chosen call as it is now; its details are drawn anew when something has happened in it.
        const follow = before => {
          const state = ({ outcome, word, raw }) => [
            outcome, word, (raw.r || []).length, ...(raw.x || []).map(one => (one.n || []).length)].join();
          chosen = calls.find(call => call.key === before.key) || before;
          if (panel.hidden || state(chosen) === state(before)) return;
          const top = panel.scrollTop, hasFocus = panel.contains(document.activeElement);
          drawDetails();
          panel.scrollTop = top;
          if (hasFocus) panel.querySelector("h2").focus({ preventScroll: true });
        };
        const live = byId("live");
        if (live) {
          const source = new EventSource("calls?after=" + live.dataset.after);
          // Each response ends after some events, which is an error to a source: two without a response between are one.
          let isThere = true;
          source.onopen = () => {
            isThere = true;
            live.textContent = "live";
          };
          source.onmessage = event => {
            const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - rowHeight;
            take(JSON.parse(event.data), mostCalls);
            if (chosen) follow(chosen);
            refresh();
            if (isAtEnd && panel.hidden) list.scrollTop = list.scrollHeight;
          };
          source.onerror = () => {
            if (!isThere || source.readyState === 2) live.textContent = "the program does not respond";
            isThere = false;
          };
        }
        document.body.classList.add("ready");
        })();

        """#
}
