// Names of 0.2, each with a fix-it.

extension CassetteReport {
    /// The former name of ``notRecorded``.
    @available(*, deprecated, renamed: "notRecorded")
    public var refused: [String] {
        get { notRecorded }
        set { notRecorded = newValue }
    }
}
