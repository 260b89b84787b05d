public import CoreNetKitChain

/// The settings that clients and builders have in common besides policies: how their requests are made.
public protocol RequestHolder: PolicyHolder {
    /// The settings; each has a verb.
    var requestSettings: RequestSettings { get set }
}

extension RequestHolder {
    var options: RequestOptions.Fields { requestSettings.options.fields }

    func with(_ change: (inout RequestOptions.Fields) -> Void) -> Self {
        var copy = self
        copy.requestSettings.options.change(change)
        return copy
    }
}
