// Names of before 1.0, each with a fix-it.

/// The former name of ``OutboxJob``.
@available(*, deprecated, renamed: "OutboxJob")
public typealias OutboxErrand = OutboxJob

extension Outbox {
    /// The former name of ``Outbox/withdraw(job:)``.
    @available(*, deprecated, renamed: "withdraw(job:)")
    public func withdraw(errand name: String) async { await withdraw(job: name) }
}

extension Outbox.State {
    /// The former name of ``Outbox/State/problem``.
    @available(*, deprecated, renamed: "problem")
    public var trouble: String? {
        get { problem }
        set { problem = newValue }
    }
}
