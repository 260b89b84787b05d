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
        const marks = ["✓", "✗", "–"], outcomes = ["completed", "failed", "cancelled"];

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
          get shownStatus() { return this.status ? String(this.status) : this.word; }
          get shownSize() { return this.source || (this.raw.z === undefined ? "" : size(this.raw.z)); }
          get sortedSize() { return this.raw.z === undefined ? -1 : this.raw.z; }
          get hay() {
            if (this.found === undefined) {
              const words = [this.method, this.url, this.path, this.status, this.word, this.failure, this.source];
              for (const row of this.raw.r || []) words.push(this.texts[row[1]], this.texts[row[2]]);
              this.found = words.join(" ").toLowerCase();
            }
            return this.found;
          }
        }

        let calls = [], forgotten = 0;
        const byStart = (a, b) => a.start - b.start || a.key - b.key;
        const take = (batch, most = Infinity) => {
          kinds = batch.kinds;
          for (const raw of batch.calls) calls.push(new Call(raw, batch.texts, batch.base));
          calls.sort(byStart);
          if (calls.length > most) {
            forgotten += calls.length - most;
            calls = calls.slice(-most);
          }
        };

        """#
}
