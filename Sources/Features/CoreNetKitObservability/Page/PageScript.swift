/// The script of the page: reads the data, filters, sorts, and creates the visible rows.
///
/// External data becomes the text of a node, never markup: the policy refuses anything else (Trusted Types).
enum PageScript {
    static let all = data + list + details + tools

    /// The calls, and the formatting of their numbers.
    private static let data = #"""

        "use strict";
        (() => {
        const rowHeight = 26, mostCalls = 20000;
        const byId = id => document.getElementById(id);
        const make = (tag, name, text) => {
          const node = document.createElement(tag);
          if (name) node.className = name;
          if (text !== undefined) node.textContent = text;
          return node;
        };
        // Microseconds for people.
        const time = micro => {
          if (micro < 9995) return (micro / 1000).toFixed(1) + " ms";
          if (micro < 999500) return Math.round(micro / 1000) + " ms";
          return micro < 99995000 ? (micro / 1e6).toFixed(2) + " s" : Math.round(micro / 1e6) + " s";
        };
        const size = bytes => {
          if (bytes < 1000) return bytes + " B";
          return bytes < 999500 ? (bytes / 1000).toPrecision(3) + " kB" : (bytes / 1e6).toPrecision(3) + " MB";
        };
        const marks = ["✓", "✗", "–", "…"], outcomes = ["completed", "failed", "cancelled", "running"];
        const running = 3;

        let kinds = [];
        class Call {
          constructor(raw, texts, base) {
            this.raw = raw;
            this.texts = texts;
            this.start = base + raw.b;
            this.taken = raw.d;
            // A stream is read after its call.
            this.time = raw.e || raw.d;
            this.end = this.start + this.time;
            this.outcome = raw.o || 0;
            this.method = texts[raw.m];
            this.url = texts[raw.u];
            const parts = /^[a-z][a-z0-9+.-]*:\/\/([^\/?#]*)(.*)$/i.exec(this.url);
            this.host = parts ? parts[1] : "";
            this.path = raw.t === undefined ? (parts ? parts[2] || "/" : this.url) : texts[raw.t];
            this.word = raw.w === undefined ? "" : texts[raw.w];
            this.source = raw.v === undefined ? "" : texts[raw.v];
            this.failure = raw.f === undefined ? "" : texts[raw.f];
            this.status = raw.s || 0;
            this.key = raw.i;
          }
          get shownStatus() { return this.status && this.outcome !== running ? String(this.status) : this.word; }
          get shownSize() { return this.source || (this.raw.z === undefined ? "" : size(this.raw.z)); }
          get sortedSize() { return this.raw.z === undefined ? -1 : this.raw.z; }
          // What the search reads, by place; the row shows the first one.
          get places() {
            if (!this.read) {
              const of = numbers => numbers.flat().filter(number => number !== undefined).map(number => this.texts[number]);
              const rows = this.raw.r || [], all = this.raw.x || [], each = name => of(all.map(one => one[name]));
              this.read = [
                ["row", [this.method, this.path, this.host, this.shownStatus, this.source, outcomes[this.outcome]]],
                ["URL", [this.url, ...each("u")]],
                ["events", [this.status, this.word, this.failure, ...of(rows.map(row => [row[1], row[2]]))]],
                ["facts", each("f")],
                ["request fields", each("q")], ["request content", each("b")],
                ["response fields", each("a")], ["response content", each("c")],
                ["messages", of(all.map(one => (one.n || []).map(message => message[3])).flat())]
              ].map(([name, texts]) => [name, texts.join("\n").toLowerCase()]);
            }
            return this.read;
          }
          has(words) { return words.every(word => this.places.some(([, text]) => text.includes(word))); }
          // Where the words are that the row does not show.
          where(words) {
            const [[, row], ...others] = this.places, hidden = words.filter(word => !row.includes(word));
            return others.filter(([, text]) => hidden.some(word => text.includes(word))).map(([name]) => name).join(", ");
          }
        }
        const wanted = () => byId("search").value.toLowerCase().split(/\s+/).filter(word => word);
        // Marks the words of the search in these elements; a text stays a text.
        const highlight = nodes => {
          const words = wanted().sort((a, b) => b.length - a.length), marks = [];
          if (!words.length) return marks;
          const pattern = new RegExp(words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "gi");
          for (const node of nodes) {
            const texts = [], walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) texts.push(walker.currentNode);
            for (const text of texts) {
              const found = [...text.data.matchAll(pattern)].slice(0, 500 - marks.length);
              // From the end: what is before stays where it is.
              for (const { index, 0: word } of found.reverse()) {
                const rest = text.splitText(index), mark = make("mark", "", word);
                rest.data = rest.data.slice(word.length);
                rest.before(mark);
                marks.push(mark);
              }
            }
          }
          return marks;
        };

        let calls = [], forgotten = 0;
        const byStart = (a, b) => a.start - b.start || a.key - b.key;
        const take = (batch, most = Infinity) => {
          kinds = batch.kinds;
          // Each batch has all calls that run.
          calls = calls.filter(call => call.outcome !== running);
          for (const raw of batch.calls) calls.push(new Call(raw, batch.texts, batch.base));
          calls.sort(byStart);
          if (calls.length > most) {
            forgotten += calls.length - most;
            calls = calls.slice(-most);
          }
        };

        """#

    /// The list on one time axis, and the overview above it.
    private static let list = #"""

        const list = byId("list"), space = byId("space"), axis = byId("axis"), over = byId("over");
        let shown = [], chosen = null, span = [0, 1], zoom = null, sorting = ["start", 1], severalHosts = false;
        let fits = false, seen = null;
        // What the axis shows: the chosen part, the rows that are seen, or all.
        const range = () => zoom || fits && seen || span;

        // A bar, clipped to what the axis shows.
        const bar = (lane, kind, from, to, [first, last], width, letter) => {
          if (to < first || from > last) return;
          const whole = Math.max(last - first, 1), left = Math.max((from - first) / whole, 0);
          const node = make("span", "bar " + kind + ((to - from) / whole * width < 5 ? " thin" : ""), letter);
          // What is at the very end is seen too.
          node.style.left = "min(" + left * 100 + "%, calc(100% - " + (kind === "cache" && letter ? 12 : 2) + "px))";
          node.style.width = Math.max(Math.min((to - first) / whole, 1) - left, 0) * 100 + "%";
          lane.append(node);
        };
        const drawCall = (lane, call, width) => {
          const [first, last] = range();
          const scale = width / Math.max(last - first, 1);
          // Too short to have parts that could be seen; a response of the cache has no other ones.
          if ((call.end - call.start) * scale < 4 || !call.raw.r) {
            const kind = call.source === "cache" && !call.outcome ? "cache" : "whole " + outcomes[call.outcome];
            return bar(lane, kind, call.start, call.end, range(), width);
          }
          bar(lane, "line", call.start, call.end, range(), width);
          for (const row of call.raw.r) {
            for (let at = 0; at < row[5].length; at += 3) {
              const kind = kinds[row[5][at]][0];
              let from = call.start + row[5][at + 1], length = row[5][at + 2];
              if (kind === "cache") {
                // A moment: wide enough to be seen, within its call, and not all of it.
                length = Math.max(length, Math.min(12 / scale, (call.end - call.start) / 3));
                from = Math.min(from, call.end - length);
              }
              if (kind !== "span" && (length * scale >= 0.5 || kind === "open")) {
                bar(lane, kind, from, from + length, range(), width);
              }
            }
          }
        };
        const cell = (name, text, hint) => {
          const node = make("span", name, text);
          node.setAttribute("role", "gridcell");
          if (hint) node.title = hint;
          return node;
        };
        const drawRow = (index, width) => {
          const call = shown[index], row = make("div", "row " + outcomes[call.outcome]);
          row.id = "row-" + index;
          row.setAttribute("role", "row");
          row.setAttribute("aria-rowindex", index + 2);
          row.setAttribute("aria-selected", call === chosen);
          row.style.top = index * rowHeight + "px";
          const name = cell("name", undefined, call.method + " " + call.url + (call.failure && "\n" + call.failure));
          const mark = make("span", "mark", marks[call.outcome]);
          mark.setAttribute("role", "img");
          mark.setAttribute("aria-label", outcomes[call.outcome]);
          const where = call.where(wanted()), place = where ? [make("i", "where", "in " + where), " "] : [];
          name.append(mark, make("b", "", call.method), " ", ...place, call.path);
          if (severalHosts) name.append(make("i", "", call.host));
          highlight([name]);
          const lane = cell("lane");
          lane.setAttribute("aria-label", "from " + time(call.start - span[0]) + ", for " + time(call.end - call.start));
          drawCall(lane, call, width);
          row.append(
            name, cell("status", call.shownStatus, call.word),
            cell("size", call.shownSize), cell("time", time(call.time)), lane);
          return row;
        };

        const steps = [1, 2, 5];
        // As many digits as neighbours need to differ.
        const tickText = (at, step) => {
          const [unit, name] = at >= 1e6 ? [1e6, " s"] : [1000, " ms"];
          return at === 0 ? "0" : (at / unit).toFixed(Math.max(Math.ceil(Math.log10(unit / step) - 1e-9), 0)) + name;
        };
        const drawAxis = width => {
          const [first, last] = range(), whole = Math.max(last - first, 1);
          let step = 1;
          for (let i = 0; step * width / whole < 76; i++) step = steps[i % 3] * 10 ** Math.floor(i / 3);
          axis.replaceChildren();
          const begin = Math.ceil((first - span[0]) / step) * step;
          for (let at = begin; at + span[0] <= last; at += step) {
            const left = (at + span[0] - first) / whole * width;
            if (left > width - 24) break;
            const tick = make("span", "tick", tickText(at, step));
            tick.style.left = left + "px";
            axis.append(tick);
          }
          list.style.setProperty("--step", step * width / whole + "px");
          list.style.setProperty("--shift", (begin + span[0] - first) / whole * width + "px");
        };
        const drawOver = () => {
          const box = over.getBoundingClientRect(), ratio = devicePixelRatio || 1;
          const canvas = byId("map"), style = getComputedStyle(document.body);
          canvas.width = Math.max(box.width * ratio, 1);
          canvas.height = Math.max(box.height * ratio, 1);
          const pen = canvas.getContext("2d"), whole = Math.max(span[1] - span[0], 1);
          const colors = ["--fine", "--bad", "--soft", "--focus"].map(name => style.getPropertyValue(name));
          const thick = Math.max(canvas.height / Math.max(shown.length, 12) - ratio, ratio);
          shown.forEach((call, index) => {
            pen.fillStyle = colors[call.outcome];
            pen.fillRect(
              (call.start - span[0]) / whole * canvas.width, index / Math.max(shown.length, 12) * canvas.height,
              Math.max((call.end - call.start) / whole * canvas.width, 1.5 * ratio), thick);
          });
        };
        const drawPart = () => {
          const part = byId("part"), whole = Math.max(span[1] - span[0], 1), [first, last] = range();
          part.hidden = range() === span;
          byId("whole").hidden = !zoom;
          part.style.left = (first - span[0]) / whole * 100 + "%";
          part.style.width = (last - first) / whole * 100 + "%";
        };
        // Only what is seen has nodes.
        const drawList = () => {
          const width = axis.clientWidth, height = Math.max(list.clientHeight - rowHeight, 0);
          const top = Math.floor(list.scrollTop / rowHeight), bottom = Math.ceil((list.scrollTop + height) / rowHeight);
          const first = Math.max(top - 6, 0), last = Math.min(bottom + 6, shown.length);
          const calls = shown.slice(top, bottom);
          seen = calls.length ? [Math.min(...calls.map(call => call.start)), Math.max(...calls.map(call => call.end))] : null;
          drawAxis(width);
          drawPart();
          const rows = [];
          for (let index = first; index < last; index++) rows.push(drawRow(index, width));
          space.style.height = shown.length * rowHeight + "px";
          space.replaceChildren(...rows);
          list.setAttribute("aria-rowcount", shown.length + 1);
          const at = shown.indexOf(chosen);
          if (at >= first && at < last) list.setAttribute("aria-activedescendant", "row-" + at);
          else list.removeAttribute("aria-activedescendant");
        };
        const draw = () => {
          drawOver();
          drawList();
        };
        const reveal = index => {
          const top = index * rowHeight, seen = list.clientHeight - rowHeight;
          if (top < list.scrollTop) list.scrollTop = top;
          if (top + rowHeight > list.scrollTop + seen) list.scrollTop = top + rowHeight - seen;
        };

        """#
}
