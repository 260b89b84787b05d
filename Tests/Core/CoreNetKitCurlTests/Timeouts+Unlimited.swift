import TestSupport

extension Timeouts {
    /// For requests that wait for others in their test, which a busy machine may delay for long.
    static let unlimited = Timeouts(phases: nil)

    /// For servers that may say nothing at all, on a busy machine.
    static let patient = Timeouts(phases: .seconds(60), total: .seconds(90))
}
