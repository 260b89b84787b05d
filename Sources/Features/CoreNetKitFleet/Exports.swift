// Callers name keys and handle store errors, so this import re-exports the store module.
@_exported public import CoreNetKitSharedStore
