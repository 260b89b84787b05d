public import CoreNetKit
public import CoreNetKitOutbox
import CoreNetKitSystem

/// The alarms of a user as a list that shows each change at once and reverts it if the server refuses it.
///
/// Pages are loaded one at a time, newest first, by an exclusive cursor. Actions are shown at once and sent one after the
/// other in the order of the taps; a failed or cancelled one is reverted separately. If the same action is repeated while
/// the first is pending, both share one request. A list belongs to one user: call ``close()`` at sign-out. Safe from any
/// thread; callbacks follow the rules of `Observer`, and errors are ``AlarmError`` or `CancellationError`.
///
/// If the client has a cache, the first page is shown from it at once. With an outbox an action is stored before it is
/// sent, waits for the network, and is shown again after a restart until the server has executed it.
public final class AlarmList<Link: Sendable>: Sendable {
    let client: AlarmClient
    let link: @Sendable (String) throws -> Link
    let pageSize: Int
    let onOpened: @Sendable (Alarm) -> Void
    let outbox: Outbox?
    let state = Locked(State())
    let feed = StateFeed(AlarmSnapshot())

    /// Creates an empty list of the user who is signed in now.
    ///
    /// - Parameters:
    ///   - client: The client of the requests.
    ///   - pageSize: How many alarms to load at a time, 1 to 100.
    ///   - outbox: Keeps actions across restarts and delivers them; must be the client's outbox. With `nil` each action is
    ///     sent at once or fails.
    ///   - onOpened: Called once for each opened alarm; for statistics.
    ///   - link: Parses the link of an alarm. It comes from the server, so accept only links of the app.
    public init(
        client: AlarmClient,
        pageSize: Int = 20,
        outbox: Outbox? = nil,
        onOpened: @escaping @Sendable (Alarm) -> Void = { _ in },
        link: @escaping @Sendable (String) throws -> Link
    ) {
        self.client = client.boundToUser()
        (self.pageSize, self.outbox, self.onOpened, self.link) = (pageSize, outbox, onOpened, link)
    }

    deinit { close() }

    /// The current content of the list.
    public var snapshot: AlarmSnapshot { state.withLock { $0.shown } }

    /// The filter that selects the visible alarms.
    public var filter: AlarmFilter {
        get { snapshot.filter }
        set {
            state.withLock { state in
                state.filter = newValue
                publish(&state)
            }
        }
    }

    /// Closes the list: unfinished actions and pages are cancelled, nothing more is sent, bindings end.
    ///
    /// Entries in the outbox stay there, bound to their user.
    public func close() {
        let state = state.withLock { state in
            let before = state
            state.isClosed = true
            state.operations = [:]
            state.page = nil
            state.bindings = [:]
            return before
        }
        for operation in state.operations.values {
            operation.task.cancel()
            operation.context.cancel()
        }
        state.page?.task.cancel()
        state.page?.context.cancel()
        for binding in state.bindings.values { binding.cancel() }
        feed.finish()
    }

    /// Applies a notification: a new alarm at the top, and the unread count.
    public func receive(_ push: AlarmPush) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.list.receive(push)
            publish(&state)
        }
    }

    // MARK: - Pages

    /// Loads the newest page and replaces all loaded ones; joins a running refresh, and abandons a running load of an
    /// older page, whose observer completes with the current content.
    @discardableResult
    public func refresh() -> Observer<AlarmSnapshot> {
        let (observer, givenUp) = state.withLock { state -> (Observer<AlarmSnapshot>, PageLoad?) in
            if let page = state.page, page.before == nil { return (page.context, nil) }
            let givenUp = state.page
            return (load(before: nil, &state), givenUp)
        }
        givenUp?.task.cancel()
        givenUp?.context.complete(data: snapshot)
        return observer
    }

    /// Loads the page after the last one, if there are older alarms; joins a running load.
    @discardableResult
    public func loadMore() -> Observer<AlarmSnapshot> {
        state.withLock { state in
            if state.isClosed { return .emit(error: Self.closedError) }
            if let page = state.page { return page.context }
            guard state.shown.isLoaded else { return load(before: nil, &state) }
            guard let before = state.list.nextBefore else { return Observer.emit(data: state.shown) }
            return load(before: before, &state)
        }
    }

    /// Loads the newest page and replaces all loaded ones; returns the content after the load.
    @discardableResult
    public func refresh() async throws -> AlarmSnapshot {
        try await (refresh() as Observer<AlarmSnapshot>).value
    }

    /// Loads the page after the last one; returns the content after the load.
    @discardableResult
    public func loadMore() async throws -> AlarmSnapshot {
        try await (loadMore() as Observer<AlarmSnapshot>).value
    }

    private func load(before: Int?, _ state: inout State) -> Observer<AlarmSnapshot> {
        if state.isClosed { return .emit(error: Self.closedError) }
        let id = state.makeID()
        let context = Context<AlarmSnapshot> { [weak self] in self?.cancelPage(id) }
        let query = AlarmQuery(limit: pageSize, before: before)
        // The task retains the list until the page is loaded, so that the observer always gets an outcome.
        let task = Task { [self] in
            do {
                await restore()
                let isFirst = self.state.withLock { !$0.shown.isLoaded }
                let page =
                    before == nil && isFirst
                    ? try await client.newest(pageSize) { self.show(stored: $0) }
                    : try await client.page(query)
                finish(id, .success(page), context)
            } catch {
                finish(id, .failure(error), context)
            }
        }
        state.list.beginPage()
        state.page = (id, before, context, task)
        publish(&state)
        return context
    }

    private func show(stored page: AlarmPage) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.list.show(stored: page)
            publish(&state)
        }
    }

    private func finish(_ id: Int, _ result: Result<AlarmPage, any Error>, _ context: Context<AlarmSnapshot>) {
        let snapshot: AlarmSnapshot? = state.withLock { state in
            // The page was abandoned, so its response is ignored.
            guard let load = state.page, load.id == id else { return nil }
            state.page = nil
            if case .success(let page) = result {
                if let before = load.before { state.list.append(page, after: before) } else { state.list.refresh(page) }
            }
            state.list.endPage()
            publish(&state, isLoadEnd: true)
            return state.shown
        }
        if let snapshot { context.complete(result.map { _ in snapshot }) }
    }

    private func cancelPage(_ id: Int) {
        state.withLock { state in
            guard let page = state.page, page.id == id else { return }
            page.task.cancel()
            state.page = nil
            state.list.endPage()
            publish(&state)
        }
    }
}
