public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// Calls as one HTML file: all calls on one time axis, with search and filters, and all details of the selected one.
///
/// The file loads nothing and runs one script, its own, which the page's policy names by its hash; data from servers is
/// only text in it. It follows the reader's light or dark setting, can be used by keyboard, and shows as words and
/// numbers whatever it shows by colour. Contents are included if the recorder keeps them, 1 MiB of them in all.
public struct CallPage: Sendable {
    /// The heading.
    public var title: String
    private let records: [CallRecord]
    /// The calls that run, on a live page.
    var running: [CallRecord] = []
    /// The position from which a live page continues; `nil` for a static page.
    var sequel: Int?

    /// Creates a page of calls, in any order, all by the same clock.
    public init(_ records: [CallRecord], title: String = "Calls") {
        (self.records, self.title) = (records, title)
    }

    /// The page as text.
    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(Self.escaped(title))</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        \(head)\(Self.list)\(Self.legend)<noscript><p>This page needs a script, which this viewer does not run. \
        Open the file in a browser.</p></noscript>
        <script type="application/json" id="data">\(PageData.text(of: records, running: running))</script>
        <script>\(PageScript.all)</script>
        </body>
        </html>

        """
    }

    /// A text from elsewhere on one line, as which it is no markup.
    private static func escaped(_ text: String) -> String {
        text.oneLine.escaped(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
    }

    /// Permits one script and one style sheet, by their hashes; loads nothing, and lets no text become markup or script.
    private var policy: String {
        let base =
            "default-src 'none'; script-src '\(Self.scriptHash)'; style-src '\(Self.styleHash)'; base-uri 'none'; "
            + "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        return sequel == nil ? base : base + "; connect-src 'self'"
    }

    private static let scriptHash = hash(of: PageScript.all)
    private static let styleHash = hash(of: style)

    private static func hash(of text: String) -> String {
        "sha256-" + Data(SHA256.digest(text.utf8)).base64EncodedString()
    }

    private var head: String {
        let live = sequel.map { "<p id=\"live\" data-after=\"\($0)\">live</p>\n" } ?? ""
        let first = (records + running).min { $0.startedOn < $1.startedOn }
        let start = first.map { "<p>from \(WallTime($0.startedAt).iso8601.prefix(19))Z</p>\n" } ?? ""
        return """
            <header>
            <h1>\(Self.escaped(title))</h1>
            <p id="summary" role="status"></p>
            \(live)\(start)\(Self.tools)</header>

            """
    }

    private static let legend = """
        <footer tabindex="0">
        <ul class="legend" aria-label="Legend">\(bars)<li><span class="bar whole"></span>too short</li></ul>
        <span class="keys"><kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd> <kbd>Esc</kbd> choose · <kbd>/</kbd> search · \
        <kbd>f</kbd> failed · <kbd>a</kbd> fit · <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom</span>
        </footer>

        """

    private static let bars = PageData.bars
        .map { "<li><span class=\"bar \($0.id)\">\($0.letter)</span>\($0.name)</li>" }.joined()

    private static let tools = """
        <div class="tools" role="search">
        <button type="button" id="whole" hidden>Whole time</button>
        <input type="search" id="search" placeholder="Search" aria-label="Search in URL, events, fields and contents">
        <button type="button" id="fit" aria-pressed="false" title="The axis shows the time of the rows that are seen">Fit</button>
        <button type="button" id="failed" aria-pressed="false">Failed</button>
        <select id="slow" aria-label="Time"><option value="0">Time</option><option value="100000">≥ 100 ms</option>\
        <option value="300000">≥ 300 ms</option><option value="1000000">≥ 1 s</option><option value="3000000">≥ 3 s</option></select>
        <select id="status" aria-label="Status"><option value="">Status</option><option value="2">2xx</option>\
        <option value="3">3xx</option><option value="4">4xx</option><option value="5">5xx</option>\
        <option value="none">none</option></select>
        <select id="host" aria-label="Host"><option value="">Host</option></select>
        </div>

        """

    private static let list = """
        <div id="over" aria-hidden="true"><canvas id="map"></canvas><div id="part" hidden></div></div>
        <main>
        <div id="list" role="grid" tabindex="0" aria-label="Calls">
        <div class="row columns" role="row" aria-rowindex="1">
        <span class="name" role="columnheader"><button type="button" data-sort="name">Call</button></span>
        <span class="status" role="columnheader"><button type="button" data-sort="status">Status</button></span>
        <span class="size" role="columnheader"><button type="button" data-sort="size">Size</button></span>
        <span class="time" role="columnheader"><button type="button" data-sort="time">Time</button></span>
        <span class="lane" role="columnheader" id="axis" aria-label="Waterfall"></span>
        </div>
        <div id="space" role="rowgroup"></div>
        <p id="none" hidden></p>
        </div>
        <section id="details" aria-label="Details of the call" hidden></section>
        </main>

        """
}
