/// The text of the body; not a JSON string, that is ``Json``.
extension String: RawMappable, DTOConvertible {
    /// Text with its charset.
    public typealias Raw = Text

    /// Text is its own entry.
    public typealias DTO = String

    /// Writes the text.
    ///
    /// - Returns: The text as content.
    public func toRaw() -> Text { Text(self) }

    /// Reads the text.
    ///
    /// - Parameter raw: The content.
    /// - Returns: The text.
    public static func from(raw: Text) -> String { raw.string }
}
