extension FixedWidthInteger where Self: SignedInteger {
    /// The sum, saturated at the bounds of its type: for numbers from the wire, a file or a configuration.
    @inlinable package func saturatingAdd(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// The product, saturated at the bounds of its type: for numbers from the wire, a file or a configuration.
    @inlinable package func saturatingMultiply(_ other: Self) -> Self {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
