public import CoreNetKitEssentials

extension AttributedString {
    /// Creates the text with attributes for the name.
    ///
    /// - Parameters:
    ///   - text: The text in segments.
    ///   - highlight: The attributes of the name, such as a colour and a bold font.
    public init(_ text: AlarmText, highlight: AttributeContainer) {
        self = text.segments.reduce(into: AttributedString()) { whole, segment in
            let attributes = segment.isHighlighted ? highlight : AttributeContainer()
            whole += AttributedString(segment.text, attributes: attributes)
        }
    }
}
