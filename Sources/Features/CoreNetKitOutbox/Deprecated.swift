public import CoreNetKit
public import CoreNetKitChain

// Names of 0.2, each with a fix-it.

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

extension UrlChainsBuilder {
    /// The former form of `enqueue(in:as:expires:merging:repetition:of:when:sending:)`.
    @available(*, deprecated, message: "say how the input is sent: 'enqueue(sending: .json)'")
    public func enqueue<I: DTOEncodable & Sendable>(
        in queue: String? = nil,
        as kind: String = "",
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        repetition: OutboxRepetition = .byMethod,
        of user: Partition? = nil
    ) -> Chain<I, OutboxReceipt> where I.DTO.Raw: RequestPayload {
        enqueue(
            in: queue,
            as: kind,
            expires: expires,
            merging: mergeKey,
            repetition: repetition,
            of: user,
            sending: .model
        )
    }

    /// The former form of `enqueue(in:as:expires:merging:repetition:of:when:sending:)`.
    @available(*, deprecated, message: "say how the input is sent: 'enqueue(sending: .json)'")
    @_disfavoredOverload
    public func enqueue<I: Encodable & Sendable>(
        in queue: String? = nil,
        as kind: String = "",
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        repetition: OutboxRepetition = .byMethod,
        of user: Partition? = nil
    ) -> Chain<I, OutboxReceipt> {
        enqueue(
            in: queue,
            as: kind,
            expires: expires,
            merging: mergeKey,
            repetition: repetition,
            of: user,
            sending: .json
        )
    }
}
