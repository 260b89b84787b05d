/// Where the parameters of a request go, and in which form.
public enum ParametersEncoding: Sendable, Hashable {
    /// JSON in the body: the default. A GET or HEAD sends its model as the query instead.
    case json
    /// `application/x-www-form-urlencoded` in the body.
    case formUrl
    /// Items of the query; no body.
    case urlQuery
}
