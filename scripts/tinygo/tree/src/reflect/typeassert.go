package reflect

// TypeAssert returns the value in v as a T, and whether it is one. Packages of
// Go 1.26's standard library call it (encoding/json), TinyGo 0.39's reflect
// lacks it.
func TypeAssert[T any](v Value) (T, bool) {
	t, ok := v.Interface().(T)
	return t, ok
}
