package core

// Shape is the form in which the guard gives its own answers (contract §5).
type Shape byte

// The three shapes.
const (
	ShapePage     Shape = iota // a complete html page
	ShapeFragment              // an alert for htmx to swap in
	ShapeProblem               // application/problem+json (RFC 9457)
)

// ShapeOf chooses the shape for a request. htmx gets a fragment, unless it wants a whole page: a boosted form, a
// request for the body, a page out of its history. A request that prefers JSON to html, or has a JSON body, gets
// a problem. Everything else gets a page, Turbo too, which renders answers of 4xx and 5xx as pages.
func ShapeOf(h Headers) Shape {
	head := readHead(h)
	return head.shape(h)
}

func (r *head) shape(h Headers) Shape {
	if r.htmx {
		if h.Get("HX-Boosted") == "true" || h.Get("HX-Request-Type") == "full" || h.Get("HX-History-Restore-Request") == "true" {
			return ShapePage
		}
		return ShapeFragment
	}
	if isJSONType(r.media) || prefersJSON(h) {
		return ShapeProblem
	}
	return ShapePage
}

// prefersJSON reports whether JSON is named in Accept (RFC 9110 §12.5.1) with a higher weight than html, or with
// the same and before it. Wildcards say nothing: every browser sends them.
func prefersJSON(h Headers) bool {
	best, json := 0, false
	for i := range h {
		if !sameName(h[i].Name, "Accept") {
			continue
		}
		for rest := h[i].Value; rest != ""; {
			var media string
			var weight int
			media, weight, rest = nextWeighted(rest)
			isJSON := isJSONType(media)
			if weight > best && (isJSON || sameName(media, "text/html") || sameName(media, "application/xhtml+xml")) {
				best, json = weight, isJSON
			}
		}
	}
	return json
}

// isJSONType reports whether media, without parameters, is application/json or has the suffix +json.
func isJSONType(media string) bool {
	const suffix = "+json"
	return sameName(media, "application/json") ||
		len(media) > len(suffix) && sameName(media[len(media)-len(suffix):], suffix)
}
