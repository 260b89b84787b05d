import TestSupport

@Suite("Fallbacks", .timeLimit(.minutes(10)), .paced)
struct FallbackTests {
    private func chain(_ wire: Wire, _ path: String) -> Chain<Void, String> {
        UrlChainsBuilder<String>(client: wire.client()).route(.get, host + path).build()
    }

    private let wire = Wire { _, request in
        let status = Int(request.url.lastPathComponent) ?? 200
        return .init(status: status, body: .bytes(Data(request.url.path.utf8)), url: request.url)
    }

    @Test("another chain takes over when the first one fails, and only then")
    func chains() async throws {
        #expect(try await chain(wire, "/503").recover(with: chain(wire, "/mirror")).process() == "/mirror")
        #expect(try await chain(wire, "/first").recover(with: chain(wire, "/mirror")).process() == "/first")
        #expect(wire.count == 3)
    }

    @Test("a value takes over, by the kind of error; other errors stay")
    func values() async throws {
        let offline = chain(wire, "/404").recover(where: { $0.code == .notFound }) { error in "none: \(error.code)" }
        #expect(try await offline.process() == "none: notFound")
        let other = chain(wire, "/500").recover(where: { $0.code == .notFound }) { _ in "none" }
        #expect(await other.failure?.code == .internalServerError)
    }

    @Test("the fallback's failure has the first one in its history")
    func both() async {
        let chain = chain(wire, "/500").recover(with: chain(wire, "/404"))
        let error = await chain.failure
        #expect(error?.code == .notFound)
        #expect(error?.history.map(\.code) == [.internalServerError])
    }

    @Test("a cancelled call does not fall back")
    func cancelled() async {
        let gate = Gate()
        let held = Wire(behind: gate)
        let chain = chain(held, "/").recover { _ in "fallback" }
        let call = chain.start()
        await gate.arrived(1)
        await cancel(call)
    }

    @Test("both branches are drawn")
    func description() {
        let text = chain(wire, "/a").recover(with: chain(wire, "/b")).description
        #expect(text.hasPrefix("FallbackNode\n  VoidInputNode"))
        #expect(text.components(separatedBy: "TransportNode").count == 3)
    }
}
