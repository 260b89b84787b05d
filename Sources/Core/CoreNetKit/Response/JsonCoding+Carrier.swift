extension JsonCoding {
    /// Raw data that contains JSON and so needs the options of its chain, `set(coding:)`.
    ///
    /// A custom format conforms and passes the options on to its `Json`. It is called before `from(raw:)` and after `toRaw()`,
    /// in chains whose options are not the defaults.
    public protocol Carrier {
        /// The same data with these options, unless it has its own.
        func carrying(_ coding: JsonCoding) -> Self
    }
}

extension Json: JsonCoding.Carrier {
    /// The same value with these options, unless it has its own.
    public func carrying(_ coding: JsonCoding) -> Json { self.coding.isDefault ? with(coding) : self }
}

extension Response: JsonCoding.Carrier where Model: JsonCoding.Carrier {
    /// The same response, whose model has the options.
    public func carrying(_ coding: JsonCoding) -> Self { map { $0.carrying(coding) } }
}

extension JsonCoding {
    /// Passes these options to raw data that can use them.
    package func applied<Raw>(to raw: Raw) -> Raw {
        // Most chains use the defaults, and checking costs casts.
        isDefault ? raw : appliedToCarrier(raw)
    }

    @inline(never)
    private func appliedToCarrier<Raw>(_ raw: Raw) -> Raw {
        (raw as? any Carrier)?.carrying(self) as? Raw ?? raw
    }
}
