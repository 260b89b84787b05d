public import CoreNetKitEssentials

extension AttributedString {
    /// Makes the text with attributes for the name.
    ///
    /// - Parameters:
    ///   - text: The text in segments.
    ///   - highlight: What the name gets, such as a colour and a bold font.
    public init(_ text: AlarmText, highlight: AttributeContainer) {
        self = text.segments.reduce(into: AttributedString()) { whole, segment in
            let attributes = segment.isHighlighted ? highlight : AttributeContainer()
            whole += AttributedString(segment.text, attributes: attributes)
        }
    }
}
