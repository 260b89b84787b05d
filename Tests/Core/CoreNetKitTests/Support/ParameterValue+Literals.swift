package import CoreNetKit

/// Tables of values as a reader would write them.
extension ParameterValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(String(value)) }
    package init(floatLiteral value: Double) { self = .number(String(value)) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
