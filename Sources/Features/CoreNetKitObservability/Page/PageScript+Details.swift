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
          if (!/^\s*[\[{]/.test(text)) return text;
          const tokens = text.match(/"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+/g) || [];
          let result = "", depth = 0;
          tokens.forEach((token, index) => {
            const line = () => "\n" + "  ".repeat(Math.max(depth, 0)), before = tokens[index - 1];
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
          if (exchange.b !== undefined) all.append(...block("Request content", spread(call.texts[exchange.b])));
          all.append(...fields("Response fields", call, exchange.a));
          if (exchange.c !== undefined) all.append(...block("Response content", spread(call.texts[exchange.c])));
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
          const facts = [outcomes[call.outcome], call.shownStatus, call.shownSize, time(call.time)];
          if (call.time > call.taken + 1000) facts.push("its caller went on after " + time(call.taken));
          facts.push("call " + call.key + ", at " + time(call.start - span[0]));
          const said = [make("p", "url", call.url), make("p", "facts", facts.filter(fact => fact).join(" · "))];
          if (call.failure) said.push(make("p", "failure", call.failure));
          const exchanges = call.raw.x || [];
          const parts = exchanges.map((one, index) => exchangeDetails(call, one, index === exchanges.length - 1));
          panel.replaceChildren(head, ...said, happened(call), ...parts);
          panel.scrollTop = 0;
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
}
