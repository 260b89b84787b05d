import CoreNetKitEssentials

extension JsonDecoder {
    @inline(__always)
    package func decode(_ type: Bool.Type) throws -> Bool {
        switch kind {
        case .no: return false
        case .yes: return true
        default: throw mismatch(type)
        }
    }

    @inline(__always)
    package func decode(_ type: String.Type) throws -> String {
        guard kind == .string else { throw mismatch(type) }
        return document.string(at: index)
    }

    package func decode(_ type: Double.Type) throws -> Double {
        guard kind == .number else { return try nonFinite(type) }
        guard let value = document.double(at: index) else { throw misfit(type) }
        return value
    }

    package func decode(_ type: Float.Type) throws -> Float {
        guard kind == .number else { return try nonFinite(type) }
        guard let value = document.float(at: index) else { throw misfit(type) }
        return value
    }

    @inline(__always)
    package func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        guard kind == .number else { throw mismatch(type) }
        guard let value = document.integer(at: index, as: type) else { throw misfit(type) }
        return value
    }

    private func decimal() throws -> Decimal {
        guard kind == .number else { throw mismatch(Decimal.self) }
        guard let value = document.decimal(at: index) else { throw misfit(Decimal.self) }
        return value
    }

    private func url() throws -> URL {
        guard let url = URL(string: try decode(String.self)) else { throw corrupted("Invalid URL string.") }
        return url
    }

    /// A string that represents a number for which JSON has no form.
    @inline(never)
    private func nonFinite<Value: JsonFloat>(_ type: Value.Type) throws -> Value {
        guard kind == .string, case .strings(let infinity, let negative, let nan) = coding.nonFinite.form else {
            throw mismatch(type)
        }
        switch document.string(at: index) {
        case infinity: return .infinity
        case negative: return -.infinity
        case nan: return .nan
        default: throw mismatch(type)
        }
    }

    private func data() throws -> Data {
        switch coding.data.form {
        case .base64:
            let data = Data(base64Encoded: try decode(String.self))
            guard let data else { throw corrupted("Encountered Data is not valid Base64.") }
            return data
        case .deferred: return try Data(from: self)
        case .custom(let custom): return try custom.value.decode(self)
        }
    }

    private func date() throws -> Date {
        switch coding.dates.form {
        case .deferred: Date(timeIntervalSinceReferenceDate: try seconds())
        case .secondsSince1970: Date(timeIntervalSince1970: try seconds())
        case .millisecondsSince1970: Date(timeIntervalSince1970: try seconds() / 1000)
        case .iso8601, .iso8601WithMilliseconds: try dateFromText()
        case .custom(let custom): try custom.value.decode(self)
        }
    }

    private func seconds() throws -> Double {
        guard kind == .number else { return try nonFinite(Double.self) }
        guard let number = document.double(at: index) else { throw misfit(Date.self) }
        return number
    }

    private func dateFromText() throws -> Date {
        let text = try decode(String.self)
        // A failed attempt costs as much as a successful one.
        let hasFraction = text.utf8.contains(UInt8(ascii: "."))
        for includesFraction in [hasFraction, !hasFraction] {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: includesFraction)
            if let date = try? style.parse(text) { return date }
        }
        throw corrupted("Expected an ISO 8601 date.")
    }

    // MARK: - Any type

    /// Decodes a document's whole value, reusing its containers meanwhile.
    package func whole<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard document.cursors.begin() else { return try value(type) }
        defer { document.cursors.end() }
        return try value(type)
    }

    /// Whether a type has no JSON form other than what its `init(from:)` reads; checked once per array.
    static func isModel<Value: Decodable>(_ type: Value.Type) -> Bool {
        type != Json.self && type != Date.self && type != URL.self && type != Data.self && type != Decimal.self
    }

    /// Decodes any type: types with a JSON form of their own from that, all others with their `init(from:)`.
    package func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if kind == .array, type != Json.self {
            if type == [String].self { return try unsafeBitCast(texts(), to: type) }
            if let factory = FactoryTable.list(type) {
                return try factory._withUnsafeGuaranteedRef { try $0.list(from: self) }
            }
        }
        // Comparing types is cheap, casting values is not: each cast below is from a type to itself.
        if type == String.self { return try unsafeBitCast(decode(String.self), to: type) }
        if type == Int.self { return try unsafeBitCast(integer(Int.self), to: type) }
        if type == Double.self { return try unsafeBitCast(decode(Double.self), to: type) }
        if type == Bool.self { return try unsafeBitCast(decode(Bool.self), to: type) }
        if type == Date.self { return try unsafeBitCast(date(), to: type) }
        if type == URL.self { return try unsafeBitCast(url(), to: type) }
        if type == Data.self { return try unsafeBitCast(data(), to: type) }
        if type == Decimal.self { return try unsafeBitCast(decimal(), to: type) }
        if type == Json.self { return unsafeBitCast(json(), to: type) }
        guard document.coding.convertsNames, type is any StringKeyed.Type else { return try type.init(from: self) }
        var decoder = self
        decoder.isDictionary = true
        return try type.init(from: decoder)
    }

    func json() -> Json { document.tree(at: index).with(coding) }

    /// The elements of an array of strings: for a statically known type, appending needs no look-up.
    private func texts() throws -> [String] {
        try expectArray()
        var texts: [String] = []
        texts.reserveCapacity(min(Int(document.size(of: index)), 1024))
        try document.forEachElement(of: index) { element in
            if let text = document.text(at: element) {
                texts.append(text)
            } else {
                let ordinal = UInt32(truncatingIfNeeded: texts.count)
                texts.append(try JsonDecoder(document, at: element, in: index, ordinal: ordinal).decode(String.self))
            }
        }
        return texts
    }

    /// The elements of an array, which `Array` itself would decode without knowing their number.
    func list<Element: Decodable>(of type: Element.Type) throws -> [Element] {
        try expectArray()
        let size = Int(document.size(of: index))
        let isModel = Self.isModel(type) && !document.coding.convertsNames
        // A body must not reserve memory for many more elements than it has valid ones.
        var elements = try [Element](unsafeUninitializedCapacity: min(size, 1024)) { elements, count in
            guard let start = elements.baseAddress else { return }
            var element = index + 2
            while count < elements.count {
                // Neither decoder nor value is bound to a name: a named one would be copied.
                let ordinal = UInt32(truncatingIfNeeded: count)
                if isModel && document[element].kind == .object {
                    (start + count).initialize(
                        to: try type.init(from: JsonDecoder(document, at: element, in: index, ordinal: ordinal))
                    )
                } else {
                    (start + count).initialize(
                        to: try JsonDecoder(document, at: element, in: index, ordinal: ordinal).value(type)
                    )
                }
                count += 1
                element = document.end(of: element)
            }
        }
        if elements.count < size { try append(to: &elements) }
        return elements
    }

    private func append<Element: Decodable>(to elements: inout [Element]) throws {
        var ordinal = 0
        try document.forEachElement(of: index) { element in
            defer { ordinal += 1 }
            guard ordinal == elements.count else { return }
            let decoder = JsonDecoder(document, at: element, in: index, ordinal: UInt32(truncatingIfNeeded: ordinal))
            elements.append(try decoder.value(Element.self))
        }
    }
}

/// A dictionary with the keys of an object: a key strategy applies to properties and does not change its keys.
protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}
