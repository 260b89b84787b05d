import CoreNetKit
import CoreNetKitChain
import CoreNetKitSystem

/// The pages of one list, asked for one after the other.
final class PageSource<Page: Sendable>: Sendable {
    private struct Turned: Sendable {
        let page: Page
        let state: PageState
    }

    private struct State: Sendable {
        var position: PageState
        var isFailed = false
        var ahead: Task<Turned, any Error>?
    }

    private let options: PageOptions
    private let strategy: PageStrategy<Page>
    private let load: @Sendable (PageTurn) async throws -> Response<Page>
    private let state: Locked<State>

    init(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions,
        load: @escaping @Sendable (PageTurn) async throws -> Response<Page>
    ) {
        (self.strategy, self.options, self.load) = (strategy, options, load)
        state = Locked(State(position: options.state))
    }

    deinit { state.withLock { $0.ahead.take() }?.cancel() }

    /// The state behind the last page that was given out.
    var position: PageState { state.withLock(\.position) }

    func next() async throws -> Page? {
        let (position, isFailed, ahead) = state.withLock { state in
            (state.position, state.isFailed, state.ahead.take())
        }
        guard !position.isAtEnd, !isFailed else {
            ahead?.cancel()
            return nil
        }
        let turned: Turned
        do {
            if let early = try await value(of: ahead) {
                turned = early
            } else {
                turned = try await turn(from: position)
            }
        } catch {
            if !(error is CancellationError) { state.withLock { $0.isFailed = true } }
            throw error
        }
        let next: Task<Turned, any Error>?
        if options.isPrefetching, !turned.state.isAtEnd {
            let (strategy, options, load) = (strategy, options, load)
            next = Task { try await Self.turn(from: turned.state, strategy, options, load) }
        } else {
            next = nil
        }
        state.withLock { ($0.position, $0.ahead) = (turned.state, next) }
        return turned.page
    }

    private func value(of task: Task<Turned, any Error>?) async throws -> Turned? {
        guard let task else { return nil }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func turn(from position: PageState) async throws -> Turned {
        try await Self.turn(from: position, strategy, options, load)
    }

    private static func turn(
        from position: PageState,
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions,
        _ load: @Sendable (PageTurn) async throws -> Response<Page>
    ) async throws -> Turned {
        let number = position.pages + 1
        do {
            let turn = PageTurn(rule: strategy.rule, options: options, state: position)
            let response = try await load(turn)
            var facts = PageFacts(url: response.url)
            try strategy.read(response, &facts)
            guard var stepper = turn.stepper.withLock({ $0 }) else {
                throw NetworkError(.invalidChain, "a node answered in front of the pages", stage: "PagesNode")
            }
            do throws(StreamError) { try stepper.accept(facts) } catch {
                throw NetworkError.stream(error, stage: "PagesNode", response: nil)
            }
            return Turned(page: response.model, state: stepper.state)
        } catch {
            guard var failure = NetworkError.wrapping(error, stage: "PagesNode") else { throw error }
            failure.message = "page \(number): \(failure.message)"
            throw failure
        }
    }
}
