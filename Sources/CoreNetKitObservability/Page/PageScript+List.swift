extension PageScript {
    /// The list on one axis of time, and the overview above it.
    static let list = #"""

        const list = byId("list"), space = byId("space"), axis = byId("axis"), over = byId("over");
        let shown = [], chosen = null, span = [0, 1], zoom = null, sorting = ["start", 1], severalHosts = false;
        const range = () => zoom || span;

        // A bar, clipped to what the axis shows.
        const bar = (lane, kind, from, to, [first, last], letter) => {
          if (to < first || from > last) return;
          const whole = Math.max(last - first, 1), left = Math.max((from - first) / whole, 0);
          const node = make("span", "bar " + kind, letter);
          node.style.left = left * 100 + "%";
          node.style.width = Math.max(Math.min((to - first) / whole, 1) - left, 0) * 100 + "%";
          lane.append(node);
        };
        const drawCall = (lane, call, width) => {
          const [first, last] = range();
          const scale = width / Math.max(last - first, 1);
          // Too short to have parts that could be seen.
          if ((call.end - call.start) * scale < 4 || !call.raw.r) {
            return bar(lane, "whole " + outcomes[call.outcome], call.start, call.end, range());
          }
          bar(lane, "line", call.start, call.end, range());
          for (const row of call.raw.r) {
            for (let at = 0; at < row[5].length; at += 3) {
              const kind = kinds[row[5][at]][0], from = call.start + row[5][at + 1], length = row[5][at + 2];
              if (kind !== "span" && (length * scale >= 0.5 || kind === "cache" || kind === "open")) {
                bar(lane, kind, from, from + length, range());
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
          name.append(mark, make("b", "", call.method), " " + call.path);
          if (severalHosts) name.append(make("i", "", call.host));
          const lane = cell("lane");
          lane.setAttribute("aria-label", "from " + time(call.start - span[0]) + ", for " + time(call.end - call.start));
          drawCall(lane, call, width);
          row.append(
            name, cell("status", call.shownStatus, call.word),
            cell("size", call.shownSize), cell("time", time(call.time)), lane);
          return row;
        };

        const steps = [1, 2, 5];
        const drawAxis = width => {
          const [first, last] = range(), whole = Math.max(last - first, 1);
          let step = 1;
          for (let i = 0; step * width / whole < 76; i++) step = steps[i % 3] * 10 ** Math.floor(i / 3);
          axis.replaceChildren();
          const begin = Math.ceil((first - span[0]) / step) * step;
          for (let at = begin; at + span[0] <= last; at += step) {
            const left = (at + span[0] - first) / whole * width;
            if (left > width - 24) break;
            const tick = make("span", "tick", at === 0 ? "0" : time(at).replace(/\.0+ /, " "));
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
          const colors = ["--fine", "--bad", "--soft"].map(name => style.getPropertyValue(name));
          const thick = Math.max(canvas.height / Math.max(shown.length, 12) - ratio, ratio);
          shown.forEach((call, index) => {
            pen.fillStyle = colors[call.outcome];
            pen.fillRect(
              (call.start - span[0]) / whole * canvas.width, index / Math.max(shown.length, 12) * canvas.height,
              Math.max((call.end - call.start) / whole * canvas.width, 1.5 * ratio), thick);
          });
          const part = byId("part");
          part.hidden = !zoom;
          byId("whole").hidden = !zoom;
          if (!zoom) return;
          part.style.left = (zoom[0] - span[0]) / whole * 100 + "%";
          part.style.width = (zoom[1] - zoom[0]) / whole * 100 + "%";
        };
        // Only what is seen has nodes.
        const drawList = () => {
          const width = axis.clientWidth, seen = Math.max(list.clientHeight - rowHeight, 0);
          const first = Math.max(Math.floor(list.scrollTop / rowHeight) - 6, 0);
          const last = Math.min(Math.ceil((list.scrollTop + seen) / rowHeight) + 6, shown.length);
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
          drawAxis(axis.clientWidth);
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
