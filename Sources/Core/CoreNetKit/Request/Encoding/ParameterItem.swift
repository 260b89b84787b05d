package import CoreNetKitSystem

/// One name and value of a query or a form, not escaped.
package struct ParameterItem: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// `a=b&c=d`, in the given order.
    package static func serialize(_ items: [ParameterItem], as table: PercentEncoding.Table) -> String {
        var text = ""
        for (index, item) in items.enumerated() {
            if index > 0 { text += "&" }
            text += PercentEncoding.encode(item.name, as: table)
            text += "="
            text += PercentEncoding.encode(item.value, as: table)
        }
        return text
    }

    /// The items of a query or a form, read as leniently as browsers do; an item without `=` has an empty value.
    package static func parse(_ text: some StringProtocol, plusIsSpace: Bool) -> [ParameterItem] {
        Substring(text).utf8.split(separator: UInt8(ascii: "&")).map { item in
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            let value = item[name.endIndex...].dropFirst()
            return ParameterItem(
                name: PercentEncoding.decode(Substring(name), plusIsSpace: plusIsSpace),
                value: PercentEncoding.decode(Substring(value), plusIsSpace: plusIsSpace)
            )
        }
    }
}
