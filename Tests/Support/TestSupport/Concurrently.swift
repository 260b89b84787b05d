/// Runs work so many times at once, each with its number; the results are in the order in which they came.
@discardableResult
package func concurrently<Value: Sendable>(
    _ count: Int,
    _ work: @escaping @Sendable (_ number: Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup { group in
        for number in 0..<count { group.addTask { try await work(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
