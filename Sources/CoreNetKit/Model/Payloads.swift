/// What the request side of a chain can put into a body: the last form of a model before it is encoded.
public protocol RequestPayload: Sendable {}

/// What the response side of a chain can make from a body: the first form of an answer.
public protocol ResponsePayload: Sendable {}
