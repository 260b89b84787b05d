import CoreNetKit
import Foundation

/// A request as a server saw it.
struct Recorded: Sendable {
    let method: String
    let target: String
    let headers: Headers
    let body: String

    /// Method and target, such as `POST /api/v1/device/add`.
    var line: String { "\(method) \(target)" }

    /// The fields of a form body, decoded.
    var form: [String: String] { Self.fields(of: body) }

    /// The fields of a form or a query, decoded.
    static func fields(of text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for item in text.split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count > 1 ? String(pair[1]) : ""
            fields[String(pair[0])] = value.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? value
        }
        return fields
    }
}

/// A value that several threads share.
final class Shared<Value: Sendable>: @unchecked Sendable {
    // Sendable by the lock.
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }

    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&stored) } }
}
