// The part of Foundation that every platform has, under one name: importing this imports `Data`, `Date`, `URL` and the
// like, and on Linux nothing that would load all of Foundation.

#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif
