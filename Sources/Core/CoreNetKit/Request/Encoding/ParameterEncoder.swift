import CoreNetKitEssentials
import CoreNetKitSystem

/// A value that is being encoded; containers of it are filled in any order.
final class ParameterNode {
    enum Content {
        case open
        case value(ParameterValue)
        case array([ParameterNode])
        case object([String: ParameterNode])
    }

    var content = Content.open

    var value: ParameterValue {
        switch content {
        // A value that encodes nothing is an empty object.
        case .open: .object([:])
        case .value(let value): value
        case .array(let nodes): .array(nodes.map(\.value))
        case .object(let nodes): .object(nodes.mapValues(\.value))
        }
    }
}

/// Encodes a model as values for queries and forms: a date stays a date, and `nil` is preserved.
struct ParameterEncoder: Encoder {
    /// How many calls of `encode(to:)` may be nested.
    private static let depthLimit = 512

    let node: ParameterNode
    let coding: JsonCoding
    let codingPath: [any CodingKey]
    /// Whether the value is a dictionary, whose keys no strategy changes.
    var isDictionary = false
    private var depth = 0

    init(node: ParameterNode, coding: JsonCoding, codingPath: [any CodingKey]) {
        self.node = node
        self.coding = coding
        self.codingPath = codingPath
    }

    var userInfo: [CodingUserInfoKey: Any] { coding.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = node.content {} else { node.content = .object([:]) }
        return KeyedEncodingContainer(ParameterKeyedContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = node.content {} else { node.content = .array([]) }
        return ParameterUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func at(_ key: any CodingKey, _ node: ParameterNode = ParameterNode()) -> ParameterEncoder {
        var encoder = ParameterEncoder(node: node, coding: coding, codingPath: codingPath + [key])
        encoder.depth = depth
        return encoder
    }
}

/// An encoder is its own container of a single value.
extension ParameterEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }
    func encode(_ value: Bool) { node.content = .value(.bool(value)) }
    func encode(_ value: String) { node.content = .value(.string(value)) }
    func encode(_ value: some FixedWidthInteger & Encodable) { node.content = .value(.number(value.description)) }

    // These have defaults, which are chosen before the generic one.
    func encode(_ value: Int128) { node.content = .value(.number(value.description)) }
    func encode(_ value: UInt128) { node.content = .value(.number(value.description)) }

    func encode(_ value: some BinaryFloatingPoint & Encodable) throws {
        if value.isFinite {
            node.content = .value(.number("\(value)"))
        } else if let text = coding.nonFinite.text(of: Double(value)) {
            node.content = .value(.string(text))
        } else {
            throw failure("a number that is not finite cannot be written")
        }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case is Date, is Decimal, is URL:
            do { node.content = .value(try ParameterValue(any: value)) } catch { throw located(error) }
        case let value as Json:
            do { node.content = .value(try ParameterValue(value, coding: coding)) } catch { throw located(error) }
        case let value as Data:
            if try !coding.data.encodesItself(value, to: self) { encode(value.base64EncodedString()) }
        default:
            guard depth < Self.depthLimit else { throw failure("nested too deep, or contains itself") }
            var encoder = self
            encoder.depth += 1
            encoder.isDictionary = value is [String: Any]
            try value.encode(to: encoder)
        }
    }

    private func failure(_ reason: String) -> RequestEncodingError { .init(at: codingPath.jsonPath, reason) }

    private func located(_ error: any Error) -> any Error {
        guard let error = error as? RequestEncodingError else { return error }
        return codingPath.reversed().reduce(error) { error, key in
            key.intValue.map { error.under($0) } ?? error.under(key.stringValue)
        }
    }
}
