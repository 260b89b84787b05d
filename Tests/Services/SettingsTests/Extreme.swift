import TestSupport

/// The numbers of one run of a row: one of them, or none, is extreme, and the others are usual.
final class Extreme: Sendable, CustomStringConvertible {
    /// Of no type are there more extremes.
    static let count = 8

    private let (target, kind): (Int, Int)
    private let asked = Locked<[String]>([])

    /// The target is the extreme number, in the order in which the row asks for them; -1 for none.
    init(_ target: Int, _ kind: Int) { (self.target, self.kind) = (target, kind) }

    var numbers: Int { asked.withLock { $0.count } }

    var description: String { asked.withLock { $0.joined(separator: ", ") } }

    func int<Number: FixedWidthInteger & Sendable>(_ usual: Number) -> Number {
        let (least, most) = (Number.min, Number.max)
        let values: [Number] = [least, Number(clamping: -1), 0, 1, most, most - 1, most / 2 + 1, least / 2]
        return pick(usual, values)
    }

    func double(_ usual: Double) -> Double {
        let most = Double.greatestFiniteMagnitude
        let values: [Double] = [-most, -1, 0, 1, most, .nan, .infinity, -.infinity]
        return pick(usual, values)
    }

    func duration(_ usual: Duration) -> Duration {
        let most = Int64.max
        let values: [Duration] = [
            .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(most), .milliseconds(most),
            .seconds(-most), .seconds(Int64(1) << 40),
        ]
        return pick(usual, values)
    }

    func date(_ usual: Date) -> Date {
        let most = Double.greatestFiniteMagnitude
        let seconds: [Double] = [-.infinity, -1, 0, 1, most, .nan, .infinity, -most]
        // Not as a date: Foundation's description of a very late one traps.
        return Date(timeIntervalSince1970: pick(usual.timeIntervalSince1970, seconds))
    }

    private func pick<Value>(_ usual: Value, _ extremes: [Value]) -> Value {
        let number = asked.withLock { asked in
            asked.append(asked.count == target ? "\(extremes[kind])" : "\(usual)")
            return asked.count - 1
        }
        return number == target ? extremes[kind] : usual
    }
}

/// Settings that are numbers, and what a program does with them.
struct SettingRow: Sendable, CustomTestStringConvertible {
    /// Their names in Docs/API, without the types that they stand in.
    let names: [String]
    let use: @Sendable (Extreme) async throws -> Void

    init(_ names: [String], use: @escaping @Sendable (Extreme) async throws -> Void) {
        (self.names, self.use) = (names, use)
    }

    init(_ names: String..., use: @escaping @Sendable (Extreme) async throws -> Void) { self.init(names, use: use) }

    var testDescription: String { names.joined(separator: ", ") }
}

extension SettingRow {
    /// Whether its use ends; one that has not after a moment waits as it was told, and has to end when it is cancelled.
    func ends(_ extreme: Extreme) async -> Bool {
        let task = Task.detached { _ = try? await use(extreme) }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await task.value
                return true
            }
            group.addTask {
                // Real time: a wait of a hundred years ends by its cancellation.
                try? await Task.sleep(for: .milliseconds(200))
                task.cancel()
                // Real time: nothing else shows a hang.
                try? await Task.sleep(for: .seconds(30))
                return false
            }
            let isEnded = await group.next() ?? false
            group.cancelAll()
            return isEnded
        }
    }
}
