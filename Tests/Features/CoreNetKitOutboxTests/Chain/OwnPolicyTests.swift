import TestSupport

@testable import CoreNetKitOutbox

/// Looks different each time, like a jar that another call is filling.
private final class Jar: Sendable, CustomDebugStringConvertible {
    private let looks = Locked(0)

    var debugDescription: String { "jar of \(looks.next())" }
}

private final class Seal: Sendable, CustomDebugStringConvertible {
    var debugDescription: String { "seal" }
}

/// A setting that does not show its contents.
private struct Veiled: CustomReflectable {
    let name: String

    var customMirror: Mirror { Mirror(self, children: []) }
}

private enum Way {
    case short, tall
    case long(by: [String?])
    case asked(of: @Sendable () -> Int)
}

private struct Held<Item: Sendable>: ChainPolicy {
    let item: Item

    var positions: [ChainPosition] { [.cookies] }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
}

@Suite("A builder before an outbox", .timeLimit(.minutes(10)), .paced)
struct OwnPolicyTests {
    private let outbox: Outbox
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        outbox = try Outbox(at: folder.box)
    }

    /// The outbox's verdict on a request of a client with one policy, built with another one or none.
    private func message(_ item: some Sendable, then other: (any Sendable)? = nil) async -> String {
        func change(_ item: some Sendable, _ builder: UrlChainsBuilder<String>) -> UrlChainsBuilder<String> {
            builder.with(Held(item: item))
        }
        let client = Client(transport: MockTransport()).with(Held(item: item)).outbox(outbox)
        var builder = UrlChainsBuilder<String>(client: client).route(.post, "http://a.test")
        if let other { builder = change(other, builder) }
        let chain: Chain<Void, OutboxReceipt> = builder.enqueue()
        return await CoreNetKitOutboxTests.message { try await chain.process() }
    }

    @Test("may store with inherited policies, whatever changes in them meanwhile, and whatever they hold")
    func untouched() async {
        #expect(await message(Jar()) == "")
        #expect(await message(Veiled(name: "a")) == "")
        let ask: @Sendable () -> Int = { 1 }
        #expect(await message(ask) == "")
        #expect(await message(Way.asked { 1 }) == "")
    }

    @Test("may set again what the client has: the same object, or the same values")
    func equal() async {
        let (jar, seal) = (Jar(), Seal())
        #expect(await message(jar, then: jar) == "")
        #expect(await message([seal], then: [seal]) == "")
        #expect(await message(7, then: 7) == "")
        #expect(await message(Way.short, then: Way.short) == "")
        #expect(await message(Way.long(by: ["a", nil]), then: Way.long(by: ["a", nil])) == "")
    }

    @Test("is refused with another object that looks like the client's, and with other values")
    func other() async {
        let refusal = "has cookies of its own"
        #expect(await message(Seal(), then: Seal()).contains(refusal))
        #expect(await message([Seal()], then: [Seal()]).contains(refusal))
        #expect(await message(7, then: 8).contains(refusal))
        #expect(await message(7, then: "7").contains(refusal))
        #expect(await message(Way.short, then: Way.tall).contains(refusal))
        #expect(await message(Way.short, then: Way.long(by: [])).contains(refusal))
        #expect(await message(Way.long(by: ["a", nil]), then: Way.long(by: ["a"])).contains(refusal))
        #expect(await message(Way.long(by: ["a"]), then: Way.long(by: [nil])).contains(refusal))
    }

    @Test("is refused with incomparable policies: a closure, or a value that does not show its contents")
    func unknown() async {
        let refusal = "has cookies of its own"
        let (one, two): (@Sendable () -> Int, @Sendable () -> Int) = ({ 1 }, { 2 })
        #expect(await message(one, then: two).contains(refusal))
        #expect(await message(Way.asked { 1 }, then: Way.asked { 2 }).contains(refusal))
        #expect(await message(Veiled(name: "a"), then: Veiled(name: "b")).contains(refusal))
    }
}
