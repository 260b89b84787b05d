import CoreNetKitEssentials
import CoreNetKitSystem

protocol JsonFloat: BinaryFloatingPoint, LosslessStringConvertible, Encodable {}
extension Double: JsonFloat {}
extension Float: JsonFloat {}

// Types with a JSON form of their own; all others use their `encode(to:)`.
extension JsonDraft {
    /// How deeply `encode(to:)` calls may be nested: a cycle of objects must not crash the process.
    private static let depthLimit = 2 * Json.depthLimit

    @inline(__always)
    func write(at node: UInt32, _ append: (JsonDraft) -> Void) {
        guard prepare(node) else { return }
        append(self)
        close(node)
    }

    func write<Value: Encodable>(_ value: Value, at node: UInt32) throws {
        // Comparing types is cheap, casting values is not: each cast below is from a type to itself.
        if Value.self == String.self {
            let value = unsafeBitCast(value, to: String.self)
            return write(at: node) { _ = $0.appendQuoted(value) }
        }
        if Value.self == Int.self {
            let value = unsafeBitCast(value, to: Int.self)
            return write(at: node) { $0.append(value) }
        }
        if Value.self == Double.self { return try writeFloat(unsafeBitCast(value, to: Double.self), at: node) }
        if Value.self == Bool.self {
            let value = unsafeBitCast(value, to: Bool.self)
            return write(at: node) { $0.append(value) }
        }
        if Value.self == Date.self { return try writeDate(unsafeBitCast(value, to: Date.self), at: node) }
        if Value.self == URL.self {
            let text = unsafeBitCast(value, to: URL.self).absoluteString
            return write(at: node) { _ = $0.appendQuoted(text) }
        }
        if Value.self == Data.self { return try writeData(unsafeBitCast(value, to: Data.self), at: node) }
        if Value.self == Decimal.self { return try writeDecimal(unsafeBitCast(value, to: Decimal.self), at: node) }
        if Value.self == Json.self { return try writeJson(unsafeBitCast(value, to: Json.self), at: node) }
        var encoder = JsonEncoder(draft: self, node: node)
        if convertsNames, value is any StringKeyed { encoder.isDictionary = true }
        try encode(value, to: encoder)
    }

    func encode(_ value: some Encodable, to encoder: JsonEncoder) throws {
        guard depth < Self.depthLimit else {
            throw invalid(value, at: path(to: encoder.node), "nested too deep, or contains itself")
        }
        depth += 1
        defer { depth -= 1 }
        try value.encode(to: encoder)
    }

    func writeFloat<Value: JsonFloat>(_ value: Value, at node: UInt32) throws {
        guard value.isFinite else {
            guard let text = coding.nonFinite.text(of: Double(value)) else {
                throw invalid(value, at: path(to: node), "\(Value.self).\(value) cannot be represented in JSON")
            }
            return write(at: node) { _ = $0.appendQuoted(text) }
        }
        write(at: node) { $0.append(number: value.description) }
    }

    private func writeDate(_ date: Date, at node: UInt32) throws {
        switch coding.dates.form {
        case .deferred: try writeFloat(date.timeIntervalSinceReferenceDate, at: node)
        case .secondsSince1970: try writeFloat(date.timeIntervalSince1970, at: node)
        case .millisecondsSince1970: try writeFloat(1000 * date.timeIntervalSince1970, at: node)
        case .iso8601, .iso8601WithMilliseconds:
            let seconds = date.timeIntervalSince1970
            guard seconds.isFinite else {
                // Its number: Foundation traps where such a date is printed.
                throw invalid(seconds, at: path(to: node), "a date that is not finite cannot be represented in JSON")
            }
            let isPrecise = coding.dates.form == .iso8601WithMilliseconds
            let text = isPrecise ? CivilTime.iso8601WithMilliseconds(date) : CivilTime(date)?.iso8601
            // Other years.
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: isPrecise)
            write(at: node) { _ = $0.appendQuoted(text ?? style.format(date)) }
        case .custom(let custom):
            depth += 1
            defer { depth -= 1 }
            try custom.value.encode(date, JsonEncoder(draft: self, node: node))
        }
    }

    private func writeData(_ data: Data, at node: UInt32) throws {
        switch coding.data.form {
        case .base64:
            let text = data.base64EncodedString()
            write(at: node) { _ = $0.appendQuoted(text) }
        case .deferred: try encode(data, to: JsonEncoder(draft: self, node: node))
        case .custom(let custom):
            depth += 1
            defer { depth -= 1 }
            try custom.value.encode(data, JsonEncoder(draft: self, node: node))
        }
    }

    private func writeDecimal(_ value: Decimal, at node: UInt32) throws {
        guard !value.isNaN else { throw invalid(value, at: path(to: node), "Decimal.nan has no JSON form") }
        let text = value.description
        write(at: node) { $0.append(text) }
    }

    /// Writes a value with its numbers unchanged and its members by name; a model in it like all others here.
    func writeJson(_ json: Json, at node: UInt32) throws {
        if case .model(let model) = json.storage, json.coding.isDefault, model.changes.isEmpty {
            return try write(opening: model.model, at: node)
        }
        var writer = JsonWriter(sortedKeys: true, coding: json.coding.isDefault ? coding : json.coding)
        try writer.write(json, depth: 0)
        write(at: node) { draft in writer.bytes.withUnsafeBufferPointer { draft.append($0) } }
    }

    private func write(opening model: some Encodable, at node: UInt32) throws { try write(model, at: node) }

    func converted(_ name: String) -> String {
        if let known = convertedNames[name], known.name.utf8.elementsEqual(name.utf8) { return known.converted }
        let converted = coding.keys.encoded(name)
        convertedNames[name] = (name, converted)
        return converted
    }
}

extension JsonCoding {
    func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let draft = JsonDraft(self)
        try draft.write(value, at: 0)
        if let failure = draft.failure { throw failure }
        guard draft.nodes.pointee.kind != .open else {
            throw draft.invalid(value, at: [], "Top-level \(Value.self) did not encode any values.")
        }
        return try draft.assembled()
    }
}
