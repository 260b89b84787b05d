import CoreNetKit

extension Json {
    /// A whole number, also one that was sent as text.
    var tolerantInt: Int? { int ?? string.flatMap { Int($0) } }

    /// A truth value in the forms that servers use; `nil` for anything else.
    var tolerantBool: Bool? {
        if let bool { return bool }
        switch string?.lowercased() ?? number {
        case "1", "y", "yes", "true": return true
        case "0", "n", "no", "false", "": return false
        default: return nil
        }
    }
}
