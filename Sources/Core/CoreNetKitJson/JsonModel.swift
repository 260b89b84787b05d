import CoreNetKitSystem

package import CoreNetKitEssentials

/// A model in place of its JSON: `toRaw()` has no parameter for the chain's options, so it is encoded when it is
/// written.
package final class JsonModel: Sendable {
    /// A change of the JSON that was made before it existed.
    package enum Change: Sendable {
        case member(String, Json?)
        case element(Int, Json?)
    }

    package let model: any Encodable & Sendable
    package let changes: [Change]
    /// Whether the model has no `toRaw()` of its own.
    package let isPlain: Bool

    package init(_ model: any Encodable & Sendable, changes: [Change] = [], isPlain: Bool = false) {
        self.model = model
        self.changes = changes
        self.isPlain = isPlain
    }

    func changed(_ change: Change) -> JsonModel { JsonModel(model, changes: changes + [change]) }

    /// The JSON text.
    package func data(_ coding: JsonCoding) throws -> Data {
        changes.isEmpty ? try coding.encode(model) : try tree(coding).with(coding).encoded()
    }

    /// The JSON as a tree.
    package func tree(_ coding: JsonCoding) throws -> Json {
        var json = try Json(parsing: coding.encode(model))
        for change in changes {
            switch change {
            case .member(let name, let value): json[name] = value
            case .element(let index, let value): json[index] = value
            }
        }
        return json
    }
}

extension JsonError {
    /// Runs a function and converts its error to this type.
    static func wrapping<Result>(_ body: () throws -> Result) throws(JsonError) -> Result {
        do { return try body() } catch {
            switch error {
            case let error as JsonError: throw error
            case EncodingError.invalidValue(_, let context):
                throw JsonError(.unsupported, path: context.codingPath.jsonPath, context.debugDescription)
            default: throw JsonError(.unsupported, "cannot be written as JSON: \(error)")
            }
        }
    }
}
