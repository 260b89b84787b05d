extension JsonDocument {
    /// The tree of a value.
    package func tree(at index: UInt32) -> Json {
        switch self[index].kind {
        case .null: return .null
        case .no: return Json(.bool(false))
        case .yes: return Json(.bool(true))
        case .string: return Json(.string(string(at: index)))
        case .number: return number(at: index)
        case .array:
            var elements: [Json] = []
            elements.reserveCapacity(Int(size(of: index)))
            forEachElement(of: index) { elements.append(tree(at: $0)) }
            return Json(.array(elements))
        case .object:
            var members: [JsonObject.Member] = []
            members.reserveCapacity(Int(size(of: index)))
            forEachName(of: index) { members.append((string(at: $0), tree(at: $0 + 1))) }
            return Json(.object(JsonObject(members)))
        }
    }

    private func number(at index: UInt32) -> Json {
        let token = self[index]
        // The text `-0` says more than the integer.
        guard !token.traits.contains(.fractional), let integer = integer(at: index, as: Int64.self),
            integer != 0 || size(of: index) == 1
        else { return Json(.number(string(at: index))) }
        return Json(.integer(integer))
    }

    package func forEachElement(of array: UInt32, _ body: (UInt32) throws -> Void) rethrows {
        var element = array + 2
        let end = end(of: array)
        while element < end {
            try body(element)
            element = self.end(of: element)
        }
    }
}
