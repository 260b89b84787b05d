import CoreNetKitChain

/// Collects HTML; external data is added only as escaped text.
struct HTMLOutput {
    private(set) var result = ""

    /// Trusted markup.
    mutating func raw(_ markup: String) { result += markup }

    /// Any text, on one line.
    mutating func text(_ text: String) { escape(text.oneLine) }

    /// Text with its line breaks.
    mutating func lines(_ text: String) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { result += "\n" }
            escape(String(line).oneLine)
        }
    }

    mutating func pair(_ name: String, _ value: String) {
        raw("<div><dt>")
        text(name)
        raw("</dt><dd>")
        text(value)
        raw("</dd></div>")
    }

    private mutating func escape(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
