/// An object whose methods a predicate may call by name: `FUNCTION(object, "name:", argument)`.
public protocol FunctionCallable: AnyObject {
    /// The result of the method of that name, nil if there is none.
    func call(_ name: String, arguments: [Any?]) -> Any?
}
