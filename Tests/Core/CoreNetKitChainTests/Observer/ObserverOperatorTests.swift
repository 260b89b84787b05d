import Dispatch
import TestSupport

/// Every operator in every situation, and what its listeners are told.
@Suite("Observer operators", .timeLimit(.minutes(10)), .paced)
struct ObserverOperatorTests {
    enum Situation: CaseIterable, Sendable {
        case value, error, closureThrows, cancelBefore, cancelAfter, cancelAfterTheEnd, twoEmits, dropped
        /// The context has ended, and is still held.
        case completedAndHeld, failedAndHeld, finishedAndHeld
        case detachBefore, detachAfter, detachAfterTheEnd

        var isHeld: Bool {
            [.completedAndHeld, .failedAndHeld, .finishedAndHeld, .detachBefore, .detachAfter].contains(self)
        }
    }

    enum Operator: CaseIterable, Sendable {
        case none, map, mapToObserver, mapError, mapErrorToObserver, catchError, catchOther, combine, combineFailed
        case combineTolerance, combineToleranceFailed, chain, chainNil, filter, dispatchOn, multicast, process
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: Operator
        let situation: Situation
        let expected: String

        var testDescription: String { "\(name), \(situation)" }
    }

    /// The source emits `[1, 2]`, or `[1, 2]` and `[3, 4, 5]`, or fails with `source`.
    static let rows: [Row] = [
        row(.none), row(.mapError, error: "mapped defer"), row(.catchError, error: "caught canceled defer"),
        row(.catchOther), row(.dispatchOn), row(.multicast), row(.process),
        row(.map, "2 defer", twoEmits: "2 defer 3 defer", throwing: true),
        row(.mapToObserver, "2 defer", twoEmits: "2 defer 3 defer", throwing: true),
        row(.mapErrorToObserver, error: "[0] defer", throwing: true),
        row(.combine, "([1, 2], true) defer", twoEmits: "([1, 2], true) defer ([3, 4, 5], true) defer"),
        row(.combineFailed, "other defer", error: "other defer", twoEmits: "other defer"),
        row(
            .combineTolerance,
            "(Optional([1, 2]), Optional(true)) defer",
            error: "(nil, Optional(true)) defer",
            twoEmits: "(Optional([1, 2]), Optional(true)) defer (Optional([3, 4, 5]), Optional(true)) defer"
        ),
        row(
            .combineToleranceFailed,
            "(Optional([1, 2]), nil) defer",
            error: "other defer",
            twoEmits: "(Optional([1, 2]), nil) defer (Optional([3, 4, 5]), nil) defer"
        ),
        row(.chain, "([1, 2], 2) defer", twoEmits: "([1, 2], 2) defer ([3, 4, 5], 3) defer", throwing: true),
        row(.chainNil, "canceled defer", twoEmits: "canceled defer"),
        row(.filter, "[2] defer", twoEmits: "[2] defer [3, 4, 5] defer", throwing: true),
    ].flatMap(\.self)

    static func row(
        _ name: Operator,
        _ value: String = "[1, 2] defer",
        error: String = "source defer",
        twoEmits: String = "[1, 2] defer [3, 4, 5] defer",
        throwing: Bool = false
    ) -> [Row] {
        let endsAtOnce = name == .combineFailed
        let before = endsAtOnce ? value : "canceled defer"
        let after = endsAtOnce || value.hasSuffix("canceled defer") ? value : value + " canceled defer"
        return Situation.allCases.compactMap { situation in
            let expected: String? =
                switch situation {
                case .value, .cancelAfterTheEnd, .completedAndHeld, .finishedAndHeld, .detachAfterTheEnd: value
                case .error, .failedAndHeld: error
                case .twoEmits: twoEmits
                case .cancelBefore, .detachBefore, .dropped: before
                case .cancelAfter, .detachAfter: after
                case .closureThrows: throwing ? "closure defer" : nil
                }
            return expected.map { Row(name: name, situation: situation, expected: $0) }
        }
    }

    @Test("report to early and late listeners as in the table", arguments: rows)
    func table(row: Row) async {
        let (recorder, late) = (ObserverRecorder(), ObserverRecorder())
        let context = Context<[Int]>()
        let subject = subject(row.name, throwing: row.situation == .closureThrows, on: context, log: recorder)
        subject.listen(recorder)
        switch row.situation {
        case .closureThrows where row.name == .mapErrorToObserver:
            context.complete(.failure(ObserverTestError.source))
        case .value, .cancelAfterTheEnd, .detachAfterTheEnd, .closureThrows: context.complete(.success([1, 2]))
        case .error: context.complete(.failure(ObserverTestError.source))
        case .completedAndHeld: context.complete(data: [1, 2])
        case .failedAndHeld: context.complete(error: ObserverTestError.source)
        case .finishedAndHeld: context.emit(data: [1, 2]).finish()
        case .cancelBefore, .detachBefore: if row.name == .combineFailed { _ = await recorder.events(2) }
        case .cancelAfter, .detachAfter:
            context.emit(data: [1, 2])
            _ = await recorder.events(2)
        case .twoEmits: context.emit(data: [1, 2]).emit(data: [3, 4, 5])
        case .dropped: break
        }
        switch row.situation {
        case .cancelBefore, .cancelAfter: subject.cancel()
        case .detachBefore, .detachAfter: subject.detach()
        default: break
        }
        // What the end of the context does.
        if !row.situation.isHeld { context.core.finish() }
        let events = await recorder.allEvents()
        #expect(events.joined(separator: " ") == row.expected)
        switch row.situation {
        case .cancelAfterTheEnd, .completedAndHeld, .failedAndHeld, .finishedAndHeld: subject.cancel()
        case .detachAfterTheEnd: subject.detach()
        default: break
        }

        subject.listen(late)
        let last = events.last { $0 != "defer" }
        #expect(await late.allEvents() == [last, "defer"])
        #expect(await recorder.allEvents() == events)
    }

    /// An observer of whatever model, as the table needs it.
    struct Subject {
        let listen: (ObserverRecorder) -> Void
        let cancel: () -> Void
        let detach: () -> Void

        init<Model>(_ observer: Observer<Model>) {
            listen = { $0.listen(to: observer) }
            cancel = { observer.cancel() }
            detach = { observer.detach() }
        }
    }

    private func subject(_ name: Operator, throwing: Bool, on source: Observer<[Int]>, log: ObserverRecorder) -> Subject
    {
        @Sendable func checked<Value>(_ value: Value) throws -> Value {
            if throwing { throw ObserverTestError.closure }
            return value
        }
        return switch name {
        case .none: Subject(source)
        case .map: Subject(source.map { try checked($0.count) })
        case .mapToObserver:
            Subject(source.flatMap { models -> Observer<Int> in .emit(data: try checked(models.count)) })
        case .mapError: Subject(source.mapError { _ in ObserverTestError.mapped })
        case .mapErrorToObserver:
            Subject(source.flatMapError { _ -> Observer<[Int]> in .emit(data: try checked([0])) })
        case .catchError: Subject(source.catchError { (_: ObserverTestError) in log.record("caught") })
        case .catchOther: Subject(source.catchError { (_: CancellationError) in log.record("caught") })
        case .combine: Subject(source.combine(.emit(data: true)))
        case .combineFailed: Subject(source.combine(failed()))
        case .combineTolerance: Subject(source.combineTolerance(.emit(data: true)))
        case .combineToleranceFailed: Subject(source.combineTolerance(failed()))
        case .chain: Subject(source.chain { models -> Observer<Int> in .emit(data: try checked(models.count)) })
        case .chainNil: Subject(source.chain { _ -> Observer<Int>? in nil })
        case .filter: Subject(source.filter { try checked($0 > 1) })
        case .dispatchOn: Subject(source.dispatchOn(DispatchQueue(label: "operators")))
        case .multicast: Subject(source.multicast())
        case .process: Subject(source.process { _ in })
        }
    }

    private func failed() -> Observer<Bool> {
        let other = Context<Bool>()
        other.complete(.failure(ObserverTestError.other))
        return other
    }
}
