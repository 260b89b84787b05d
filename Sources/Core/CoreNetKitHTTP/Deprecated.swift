// Names of 0.2, each with a fix-it.

extension Resending.Evidence {
    /// The former name of ``unprocessed``.
    @available(*, deprecated, renamed: "unprocessed")
    public static var unseen: Self { .unprocessed }

    /// The former name of ``possiblyProcessed``.
    @available(*, deprecated, renamed: "possiblyProcessed")
    public static var perhapsSeen: Self { .possiblyProcessed }
}
