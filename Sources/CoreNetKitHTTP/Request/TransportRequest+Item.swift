extension TransportRequest {
    /// One name and value of a query or a form, decoded (`+` is a space): what servers and doubles read of a request.
    public struct Item: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value; empty where there is no `=`.
        public var value: String

        /// Creates an item, to compare with.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}
