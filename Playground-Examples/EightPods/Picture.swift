/// The panels as SVG, readable on light and dark pages.
extension Story {
    private static let (width, height, panelWidth, room) = (960, 300, 300, 24)

    var picture: String {
        var parts = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(Self.width) \#(Self.height)" role="img" "#
                + #"aria-label="Refreshes, admitted calls and hits of eight pods">"#,
            "<style>rect.page{fill:#fff}text{font:12px system-ui,sans-serif;fill:#222}.title{font-size:15px;"
                + "font-weight:600}.bar{fill:#2563a8}.axis{stroke:#888}@media(prefers-color-scheme:dark){"
                + "rect.page{fill:#16181d}text{fill:#ddd}.bar{fill:#6aa7e8}}</style>",
            #"<rect class="page" width="\#(Self.width)" height="\#(Self.height)"/>"#,
        ]
        for (index, panel) in panels.enumerated() {
            let left = Self.room + index * (Self.panelWidth + 12)
            parts.append(Self.drawn(panel.title, panel.sum, panel.values, at: left))
        }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private static func drawn(_ title: String, _ sum: String, _ values: [Int], at left: Int) -> String {
        let (top, base, most) = (84, height - 44, max(values.max() ?? 0, 1))
        let step = panelWidth / max(values.count, 1)
        var parts = [
            #"<text class="title" x="\#(left)" y="30">\#(title)</text><text x="\#(left)" y="50">\#(sum)</text>"#,
            #"<line class="axis" x1="\#(left)" y1="\#(base)" x2="\#(left + step * values.count - 8)" y2="\#(base)"/>"#,
        ]
        for (index, value) in values.enumerated() {
            let (x, tall) = (left + index * step, (base - top) * value / most)
            let middle = x + (step - 8) / 2
            parts.append(
                #"<rect class="bar" x="\#(x)" y="\#(base - tall)" width="\#(step - 8)" height="\#(tall)" rx="2"/>"#
                    + #"<text x="\#(middle)" y="\#(base - tall - 5)" text-anchor="middle">\#(value)</text>"#
                    + #"<text x="\#(middle)" y="\#(base + 18)" text-anchor="middle">\#(index + 1)</text>"#
            )
        }
        return parts.joined(separator: "\n")
    }
}
