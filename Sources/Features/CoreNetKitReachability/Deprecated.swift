// Names of before 1.0, each with a fix-it.

extension Reachability {
    /// The former name of ``Reachability/Fake``.
    @available(*, deprecated, renamed: "Reachability.Fake")
    public typealias StandIn = Reachability.Fake
}
