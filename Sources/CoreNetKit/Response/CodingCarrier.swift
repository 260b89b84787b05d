import CoreNetKitJson

/// Raw data that carries the options of its chain to `from(raw:)` and away from `toRaw()`: JSON, and what stands around it.
protocol CodingCarrier {
    /// The same data with these options, unless it has some of its own.
    func carrying(_ coding: JsonCoding) -> Self
}

extension Json: CodingCarrier {
    func carrying(_ coding: JsonCoding) -> Json { self.coding.isUsual ? with(coding) : self }
}

extension Response: CodingCarrier where Model: CodingCarrier {
    func carrying(_ coding: JsonCoding) -> Self { map { $0.carrying(coding) } }
}

extension JsonCoding {
    /// Hands these options to raw data that has a use for them.
    package func carried<Raw>(by raw: Raw) -> Raw {
        // Most chains have none that differ, and asking costs casts.
        isUsual ? raw : handed(to: raw)
    }

    @inline(never)
    private func handed<Raw>(to raw: Raw) -> Raw {
        (raw as? any CodingCarrier)?.carrying(self) as? Raw ?? raw
    }
}
