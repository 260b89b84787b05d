/// The text of the body; for a JSON string use ``Json``.
extension String: RawMappable, DTOConvertible {
    /// ``PlainText`` with its charset.
    public typealias Raw = PlainText

    /// A text is its own entry.
    public typealias DTO = String

    /// Writes the text.
    ///
    /// - Returns: The text as content.
    public func toRaw() -> PlainText { PlainText(self) }

    /// Reads the text.
    ///
    /// - Parameter raw: The content.
    /// - Returns: The text.
    public static func from(raw: PlainText) -> String { raw.string }
}
