public import CoreNetKitJson

/// Raw data that contains JSON and receives the options of its chain from `set(coding:)`.
///
/// A custom format conforms and passes the options to the `Json` that it contains. It is called before `from(raw:)` and
/// after `toRaw()`, in chains with non-default options.
public protocol CodingCarrier {
    /// The same data with these options, unless it has its own.
    func carrying(_ coding: JsonCoding) -> Self
}

extension Json: CodingCarrier {
    /// The same value with these options, unless it has its own.
    public func carrying(_ coding: JsonCoding) -> Json { self.coding.isUsual ? with(coding) : self }
}

extension Response: CodingCarrier where Model: CodingCarrier {
    /// The same response whose model has the options.
    public func carrying(_ coding: JsonCoding) -> Self { map { $0.carrying(coding) } }
}

extension JsonCoding {
    /// Passes these options to raw data that can use them.
    package func carried<Raw>(by raw: Raw) -> Raw {
        // Most chains use the defaults, and checking costs casts.
        isUsual ? raw : handed(to: raw)
    }

    @inline(never)
    private func handed<Raw>(to raw: Raw) -> Raw {
        (raw as? any CodingCarrier)?.carrying(self) as? Raw ?? raw
    }
}
