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
        row(.none, value: "[1, 2] defer", error: "source defer", twoEmits: "[1, 2] defer [3, 4, 5] defer"),
        row(.map, value: "2 defer", error: "source defer", twoEmits: "2 defer 3 defer", throwing: true),
        row(.mapToObserver, value: "2 defer", error: "source defer", twoEmits: "2 defer 3 defer", throwing: true),
        row(.mapError, value: "[1, 2] defer", error: "mapped defer", twoEmits: "[1, 2] defer [3, 4, 5] defer"),
        row(
            .mapErrorToObserver,
            value: "[1, 2] defer",
            error: "[0] defer",
            twoEmits: "[1, 2] defer [3, 4, 5] defer",
            throwing: true
        ),
        row(
            .catchError,
            value: "[1, 2] defer",
            error: "caught canceled defer",
            twoEmits: "[1, 2] defer [3, 4, 5] defer"
        ),
        row(.catchOther, value: "[1, 2] defer", error: "source defer", twoEmits: "[1, 2] defer [3, 4, 5] defer"),
        row(
            .combine,
            value: "([1, 2], true) defer",
            error: "source defer",
            twoEmits: "([1, 2], true) defer ([3, 4, 5], true) defer"
        ),
        row(.combineFailed, value: "other defer", error: "other defer", twoEmits: "other defer"),
        row(
            .combineTolerance,
            value: "(Optional([1, 2]), Optional(true)) defer",
            error: "(nil, Optional(true)) defer",
            twoEmits: "(Optional([1, 2]), Optional(true)) defer (Optional([3, 4, 5]), Optional(true)) defer"
        ),
        row(
            .combineToleranceFailed,
            value: "(Optional([1, 2]), nil) defer",
            error: "other defer",
            twoEmits: "(Optional([1, 2]), nil) defer (Optional([3, 4, 5]), nil) defer"
        ),
        row(
            .chain,
            value: "([1, 2], 2) defer",
            error: "source defer",
            twoEmits: "([1, 2], 2) defer ([3, 4, 5], 3) defer",
            throwing: true
        ),
        row(.chainNil, value: "canceled defer", error: "source defer", twoEmits: "canceled defer"),
        row(.filter, value: "[2] defer", error: "source defer", twoEmits: "[2] defer [3, 4, 5] defer", throwing: true),
        row(.dispatchOn, value: "[1, 2] defer", error: "source defer", twoEmits: "[1, 2] defer [3, 4, 5] defer"),
        row(.multicast, value: "[1, 2] defer", error: "source defer", twoEmits: "[1, 2] defer [3, 4, 5] defer"),
        row(.process, value: "[1, 2] defer", error: "source defer", twoEmits: "[1, 2] defer [3, 4, 5] defer"),
    ].flatMap(\.self)

    static func row(
        _ name: Operator,
        value: String,
        error: String,
        twoEmits: String,
        throwing: Bool = false
    ) -> [Row] {
        let endsAtOnce = name == .combineFailed
        let isCanceled = value.hasSuffix("canceled defer")
        var rows = [
            Row(name: name, situation: .value, expected: value),
            Row(name: name, situation: .error, expected: error),
            Row(name: name, situation: .twoEmits, expected: twoEmits),
            Row(name: name, situation: .cancelBefore, expected: endsAtOnce ? value : "canceled defer"),
            Row(
                name: name,
                situation: .cancelAfter,
                expected: endsAtOnce || isCanceled ? value : value + " canceled defer"
            ),
            Row(name: name, situation: .cancelAfterTheEnd, expected: value),
            Row(name: name, situation: .dropped, expected: endsAtOnce ? value : "canceled defer"),
            Row(name: name, situation: .completedAndHeld, expected: value),
            Row(name: name, situation: .failedAndHeld, expected: error),
            Row(name: name, situation: .finishedAndHeld, expected: value),
            Row(name: name, situation: .detachBefore, expected: endsAtOnce ? value : "canceled defer"),
            Row(
                name: name,
                situation: .detachAfter,
                expected: endsAtOnce || isCanceled ? value : value + " canceled defer"
            ),
            Row(name: name, situation: .detachAfterTheEnd, expected: value),
        ]
        if throwing { rows.append(Row(name: name, situation: .closureThrows, expected: "closure defer")) }
        return rows
    }

    @Test("report to early and late listeners as in the table", arguments: rows)
    func table(row: Row) async {
        let (recorder, late) = (ObserverRecorder(), ObserverRecorder())
        let context = Context<[Int]>()
        let subject = subject(row.name, throwing: row.situation == .closureThrows, on: context, log: recorder)
        subject.listen(recorder)
        switch row.situation {
        case .value, .cancelAfterTheEnd, .detachAfterTheEnd: context.complete(.success([1, 2]))
        case .completedAndHeld: context.complete(data: [1, 2])
        case .failedAndHeld: context.complete(error: ObserverTestError.source)
        case .finishedAndHeld: context.emit(data: [1, 2]).finish()
        case .detachBefore:
            if row.name == .combineFailed { _ = await recorder.events(2) }
            subject.detach()
        case .detachAfter:
            context.emit(data: [1, 2])
            _ = await recorder.events(2)
            subject.detach()
        case .error: context.complete(.failure(ObserverTestError.source))
        case .closureThrows where row.name == .mapErrorToObserver:
            context.complete(.failure(ObserverTestError.source))
        case .closureThrows: context.complete(.success([1, 2]))
        case .cancelBefore:
            if row.name == .combineFailed { _ = await recorder.events(2) }
            subject.cancel()
        case .cancelAfter:
            context.emit(data: [1, 2])
            _ = await recorder.events(2)
            subject.cancel()
        case .twoEmits: context.emit(data: [1, 2]).emit(data: [3, 4, 5])
        case .dropped: break
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
        @Sendable func check() throws {
            if throwing { throw ObserverTestError.closure }
        }
        switch name {
        case .none: return Subject(source)
        case .map:
            return Subject(
                source.map { models -> Int in
                    try check()
                    return models.count
                }
            )
        case .mapToObserver:
            return Subject(
                source.flatMap { models -> Observer<Int> in
                    try check()
                    return .emit(data: models.count)
                }
            )
        case .mapError: return Subject(source.mapError { _ in ObserverTestError.mapped })
        case .mapErrorToObserver:
            return Subject(
                source.flatMapError { _ -> Observer<[Int]> in
                    try check()
                    return .emit(data: [0])
                }
            )
        case .catchError: return Subject(source.catchError { (_: ObserverTestError) in log.record("caught") })
        case .catchOther: return Subject(source.catchError { (_: CancellationError) in log.record("caught") })
        case .combine: return Subject(source.combine(.emit(data: true)))
        case .combineFailed: return Subject(source.combine(failed()))
        case .combineTolerance: return Subject(source.combineTolerance(.emit(data: true)))
        case .combineToleranceFailed: return Subject(source.combineTolerance(failed()))
        case .chain:
            return Subject(
                source.chain { models -> Observer<Int> in
                    try check()
                    return .emit(data: models.count)
                }
            )
        case .chainNil: return Subject(source.chain { _ -> Observer<Int>? in nil })
        case .filter:
            return Subject(
                source.filter { number in
                    try check()
                    return number > 1
                }
            )
        case .dispatchOn: return Subject(source.dispatchOn(DispatchQueue(label: "operators")))
        case .multicast: return Subject(source.multicast())
        case .process: return Subject(source.process { _ in })
        }
    }

    private func failed() -> Observer<Bool> {
        let other = Context<Bool>()
        other.complete(.failure(ObserverTestError.other))
        return other
    }
}
