import CoreNetKitSystem

extension TransportRequest {
    /// One name and value of a query or a form, decoded (`+` is a space), as servers and test doubles read it.
    public struct Item: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value; empty if there is no `=`.
        public var value: String

        /// Creates an item, to compare with.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// The items of a query or a form, in their order.
        package static func all(of text: some StringProtocol) -> [Item] {
            Substring(text).utf8.split(separator: UInt8(ascii: "&")).map { item in
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                let value = item[name.endIndex...].dropFirst()
                return Item(
                    PercentEncoding.decode(Substring(name), plusIsSpace: true),
                    PercentEncoding.decode(Substring(value), plusIsSpace: true)
                )
            }
        }
    }
}
