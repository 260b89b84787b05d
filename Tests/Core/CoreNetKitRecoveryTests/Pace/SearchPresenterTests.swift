import TestSupport

// The sample of Docs/Usage.md, word for word.

@MainActor
class SearchPresenter {
    private let calls = CancelBag()
    private let search: Chain<[String: String], [String]>

    init(client: Client) {
        search = UrlChainsBuilder<String>(client: client)
            .latest("search", in: Debouncer())
            .route(.get, "https://api.example.com/search")
            .build()
    }

    func typed(_ text: String) {
        showLoader()
        search.process(["q": text])
            .onCompleted { [weak self] titles in
                self?.show(titles: titles)
            }.defer { [weak self] in
                self?.settle()
            }.store(in: calls)
    }

    private func settle() {
        if calls.isEmpty { hideLoader() }
    }

    func showLoader() {}
    func hideLoader() {}
    func show(titles: [String]) {}
}

@Suite("A loading indicator over calls that overtake each other", .timeLimit(.minutes(10)), .paced)
struct SearchPresenterTests {
    @MainActor
    private final class Screen: SearchPresenter {
        var events: [String] = []

        override func showLoader() { events.append("on") }
        override func hideLoader() { events.append("off") }
        override func show(titles: [String]) { events.append(contentsOf: titles) }
    }

    @MainActor
    private func reach(_ holds: @MainActor () -> Bool) async {
        while !holds(), !Task.isCancelled { await Task.yield() }
    }

    @Test("is on while any of them runs, and off after the last one")
    @MainActor
    func overtaken() async throws {
        let cancelled = Recorder<Int>()
        let gate = Gate()
        let wire = Wire { index, request in
            try await cancelled.record(index, ifFails: index == 2 ? gate.pass : Gate().pass)
            let titles = #"["\#(request.url.query() ?? "")"]"#
            return .init(status: 200, body: .bytes(Data(titles.utf8)), url: request.url)
        }
        let screen = Screen(client: wire.client().set(deadline: nil))
        for (index, text) in ["s", "sw", "swi"].enumerated() {
            screen.typed(text)
            await reach { wire.count == index + 1 }
        }
        await reach { cancelled.values.count == 2 }
        // Long enough for the ends of the first two to be reported.
        for _ in 0..<500 { await Task.yield() }
        #expect(screen.events == ["on", "on", "on"])
        gate.open()
        await reach { screen.events.last == "off" }
        #expect(screen.events == ["on", "on", "on", "q=swi", "off"])
    }

    @Test("is on again for a call that begins at the end of the last one")
    @MainActor
    func again() async throws {
        let wire = Wire { _, request in .init(status: 200, body: .bytes(Data("[]".utf8)), url: request.url) }
        let screen = Screen(client: wire.client())
        for count in 1...20 {
            screen.typed("\(count)")
            await reach { screen.events.last == "off" }
        }
        #expect(screen.events == Array(repeating: ["on", "off"], count: 20).flatMap { $0 })
    }

    @Test("the presenter is the one in Docs/Usage.md")
    func document() throws {
        let tests = URL(filePath: #filePath)
        let source = try String(contentsOf: tests, encoding: .utf8)
        let start = try #require(source.range(of: "@MainActor\nclass SearchPresenter"))
        let end = try #require(source.range(of: "\n}\n", range: start.lowerBound..<source.endIndex))
        let sample = String(source[start.lowerBound..<end.upperBound])
        #expect(try Repository.text("Docs/Usage.md").contains(sample))
    }
}
