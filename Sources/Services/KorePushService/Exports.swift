// Stores belong to this module's vocabulary: users only write `import KorePushService`.
@_exported public import PushRegistration
