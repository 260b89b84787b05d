import CoreNetKit
import CoreNetKitOutbox
import CoreNetKitSystem

// The progress of an action: it is handed over in the order of the taps, and followed to its end.
extension AlarmList {
    enum Handover: Sendable {
        case responded(AlarmActionResult)
        /// The action is on disk, and the outbox sends it.
        case stored(OutboxReceipt)
    }

    /// Shows an action, and hands it over after the earlier ones: to the outbox if there is one, otherwise to the server.
    func begin(_ action: AlarmAction, _ state: inout State) -> Observer<AlarmActionResult> {
        let id = state.makeID()
        let previous = state.last
        // With a known user the action keeps the list alive until it completes, because the user has seen its effect.
        let keeper = outbox == nil && client.knowsUser ? self : nil
        let handoverTask = Task { [weak self, client, isStored = outbox != nil] () throws -> Handover in
            await previous?.value
            if isStored { return .stored(try await client.enqueue(action)) }
            self?.noteSent(id)
            try Task.checkCancellation()
            return .responded(try await client.perform(action))
        }
        state.last = Task { _ = try? await handoverTask.value }
        return follow(id, action, handoverTask, keeper, &state)
    }

    /// Shows the pending actions of earlier processes; once, before the first page.
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
                _ = follow(state.makeID(), action, Task { () throws -> Handover in .stored(receipt) }, nil, &state)
            }
        }
    }

    private func follow(
        _ id: Int,
        _ action: AlarmAction,
        _ handoverTask: Task<Handover, any Error>,
        _ keeper: AlarmList?,
        _ state: inout State
    ) -> Observer<AlarmActionResult> {
        let context = Context<AlarmActionResult> { [weak self] in self?.cancelOperation(id) }
        let task = Task { [weak self, outbox] in
            let result: Result<AlarmActionResult, any Error>
            do {
                let handover = try await withTaskCancellationHandler {
                    try await handoverTask.value
                } onCancel: {
                    // An entry that is being written is cancelled once it is on disk.
                    if outbox == nil { handoverTask.cancel() }
                }
                switch handover {
                case .responded(let outcome): result = .success(outcome)
                case .stored(let receipt):
                    if self?.keep(receipt, of: id) == false {
                        // The action was cancelled while it was written.
                        _ = try? await outbox?.cancel(receipt.id)
                        throw CancellationError()
                    }
                    result = await receipt.outcome(in: outbox) { [weak self] in self?.noteSent(id) }
                }
            } catch {
                result = .failure(error)
            }
            withExtendedLifetime(keeper) { self?.end(id, result) }
            context.complete(result)
        }
        state.operations[id] = Operation(action: action, context: context, task: task)
        state.list.begin(id, action)
        publish(&state)
        return context
    }

    /// Notes the outbox entry of an action; returns whether the action is still active.
    private func keep(_ receipt: OutboxReceipt, of id: Int) -> Bool {
        state.withLock { state in
            state.operations[id]?.receipt = receipt
            return state.operations[id] != nil || state.isClosed
        }
    }

    private func noteSent(_ id: Int) { state.withLock { $0.list.send(id) } }

    private func end(_ id: Int, _ result: Result<AlarmActionResult, any Error>) {
        state.withLock { state in
            state.operations[id] = nil
            if state.operations.isEmpty { state.last = nil }
            switch result {
            case .success(let outcome): state.list.confirm(id, unreadCount: outcome.unreadCount)
            case .failure: state.list.drop(id)
            }
            publish(&state)
        }
    }

    private func cancelOperation(_ id: Int) {
        let receipt = state.withLock { state -> OutboxReceipt? in
            guard let operation = state.operations.removeValue(forKey: id) else { return nil }
            operation.task.cancel()
            state.list.drop(id)
            publish(&state)
            return operation.receipt
        }
        guard let outbox, let receipt else { return }
        // An action that was already sent still takes effect; the next refresh shows it.
        Task { _ = try? await outbox.cancel(receipt.id) }
    }
}

extension OutboxReceipt {
    /// Waits for the response to an action; an abandoned entry is discarded, because its caller gets the error.
    fileprivate func outcome(
        in outbox: Outbox?,
        onSending: @escaping @Sendable () -> Void
    ) async -> Result<AlarmActionResult, any Error> {
        let watch = Task {
            for await state in states where state == .sending { onSending() }
        }
        defer { watch.cancel() }
        do {
            return .success(try await delivery(as: AlarmActionResult.self))
        } catch let error as OutboxError where error.code == .deliveredElsewhere {
            // The entry is on disk, and another process of the app sends it.
            return .success(AlarmActionResult(affected: 0, unreadCount: nil))
        } catch let error as OutboxError {
            let entry = await outbox?.deadLetters.all.first { $0.id == id }
            if entry != nil { try? await outbox?.deadLetters.discard(id) }
            return .failure(AlarmError.givenUp(error, entry))
        } catch {
            return .failure(AlarmError.wrapping(error))
        }
    }
}
