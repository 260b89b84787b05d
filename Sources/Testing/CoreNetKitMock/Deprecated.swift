// Names of 0.2, each with a fix-it.

extension CassetteReport {
    /// The former name of ``notRecorded``.
    @available(*, deprecated, renamed: "notRecorded")
    public var refused: [String] {
        get { notRecorded }
        set { notRecorded = newValue }
    }
}

extension Cassette.Mode {
    /// The former name of ``recordOnce``.
    @available(*, deprecated, renamed: "recordOnce")
    public static var record: Cassette.Mode { .recordOnce }
}
