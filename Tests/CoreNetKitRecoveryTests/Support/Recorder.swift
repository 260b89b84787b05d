import CoreNetKitHTTP
import CoreNetKitSystem

/// Remembers values in the order in which they came.
final class Recorder<Value: Sendable>: Sendable {
    private let locked = Locked<[Value]>([])

    func record(_ value: Value) { locked.withLock { $0.append(value) } }
    var values: [Value] { locked.withLock { $0 } }
}
