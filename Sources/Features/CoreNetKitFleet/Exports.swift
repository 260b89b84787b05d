// Whoever shares something names keys and reads errors of stores: one import brings them.
@_exported public import CoreNetKitSharedStore
