import TestSupport

@Suite("Samples in the comments of protocols that users implement", .timeLimit(.minutes(10)), .paced)
struct SampleTests {
    @Test(
        "also appear on a page, where they are compiled, followed by when to choose, how to use and how to implement",
        arguments: [
            ("CoreNetKitChain/Node/Node.swift", "Nodes.md"),
            ("CoreNetKitChain/Policy/ChainPolicy.swift", "Nodes.md"),
            ("CoreNetKitChain/Events/CallFeed.swift", "Observability.md"),
            ("CoreNetKitHTTP/Transport/Transport.swift", "Transports.md"),
            ("CoreNetKit/Request/Payloads.swift", "Models.md"),
        ]
    )
    func compiled(file: String, page: String) throws {
        let source = try Repository.text("Sources/Core/\(file)")
        let text = try Repository.text("Docs/\(page)")
        let comment = source.split(separator: "\n", omittingEmptySubsequences: false).filter { $0.hasPrefix("///") }
            .map { $0.dropFirst(3).hasPrefix(" ") ? $0.dropFirst(4) : $0.dropFirst(3) }.joined(separator: "\n")
        let samples = comment.components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        #expect(!samples.isEmpty)
        // Those that no page repeats are compiled by `.ci/check-documents` from the comment.
        #expect(samples.contains { text.contains($0) }, "\(file)")
        for title in ["### Choose", "### Use", "### Implement"] { #expect(comment.contains(title)) }
    }
}
