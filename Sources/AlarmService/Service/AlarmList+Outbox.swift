import CoreNetKit
import CoreNetKitOutbox
import CoreNetKitSystem

// Actions that are on disk before they are sent.
extension AlarmList {
    /// Stores an action behind those before it, and follows it to its end.
    func enqueue(_ action: AlarmAction, _ state: inout State) -> Observer<AlarmActionResult> {
        let id = state.makeID()
        let context = Context<AlarmActionResult> { [weak self] in self?.cancelOperation(id) }
        let previous = state.last
        // The order on disk is that of the taps; nothing waits for an answer.
        let stored = Task { [client] in
            await previous?.value
            return try await client.enqueue(action)
        }
        let task = Task { [weak self, outbox] in
            let result: Result<AlarmActionResult, any Error>
            do {
                let receipt = try await stored.value
                let isWanted = self?.state.withLock { state in
                    state.operations[id]?.receipt = receipt
                    return state.operations[id] != nil || state.isClosed
                }
                if isWanted == false {
                    // Cancelled while it was written.
                    _ = try? await outbox?.cancel(receipt.id)
                    throw CancellationError()
                }
                result = await Self.follow(receipt, in: outbox) { [weak self] in self?.noteSent(id) }
            } catch {
                result = .failure(error)
            }
            self?.end(id, result)
            context.end(result)
        }
        state.last = Task { _ = try? await stored.value }
        begin(Operation(action: action, context: context, task: task), id, &state)
        return context
    }

    /// Shows the actions that an earlier process stored and nobody has sent yet; once, before the first page.
    func restore() async {
        let isFirst = state.withLock { state in
            defer { state.isRestored = true }
            return !state.isRestored && !state.isClosed
        }
        guard let outbox, isFirst else { return }
        for (action, receipt) in await client.waiting(in: outbox) {
            state.withLock { state in
                let isKnown = state.operations.values.contains { $0.receipt?.id == receipt.id }
                guard !state.isClosed, !isKnown else { return }
                let id = state.makeID()
                let context = Context<AlarmActionResult> { [weak self] in self?.cancelOperation(id) }
                let task = Task { [weak self] in
                    let result = await Self.follow(receipt, in: outbox) { [weak self] in self?.noteSent(id) }
                    self?.end(id, result)
                    context.end(result)
                }
                begin(Operation(action: action, context: context, task: task, receipt: receipt), id, &state)
            }
        }
    }

    private func noteSent(_ id: Int) { state.withLock { $0.list.send(id) } }

    /// Waits for the response to an action; one that the outbox gave up is taken from there, as its caller is told.
    private static func follow(
        _ receipt: OutboxReceipt,
        in outbox: Outbox?,
        onSending: @escaping @Sendable () -> Void
    ) async -> Result<AlarmActionResult, any Error> {
        let watch = Task {
            for await state in receipt.states where state == .sending { onSending() }
        }
        defer { watch.cancel() }
        do {
            return .success(try await receipt.delivery(as: AlarmActionResult.self))
        } catch let error as OutboxError where error.code == .deliveredElsewhere {
            // On disk; another process of the app sends it.
            return .success(AlarmActionResult(affected: 0, unreadCount: nil))
        } catch let error as OutboxError {
            let entry = await outbox?.deadLetters.all.first { $0.id == receipt.id }
            if entry != nil { try? await outbox?.deadLetters.discard(receipt.id) }
            return .failure(AlarmError.givenUp(error, entry))
        } catch {
            return .failure(AlarmError.wrapping(error))
        }
    }
}
