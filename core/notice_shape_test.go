package core

import "testing"

func TestShapeOfAnAnswer(t *testing.T) {
	const chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
	const form = "application/x-www-form-urlencoded"
	tests := []struct {
		headers Headers
		want    Shape
		why     string
	}{
		{nil, ShapePage, "nothing said"},
		{Headers{{"Accept", chrome}, {"Content-Type", form}}, ShapePage, "a form in a browser"},
		{Headers{{"Accept", "*/*"}, {"Content-Type", form}}, ShapePage, "curl, and fetch by itself"},
		{Headers{{"Accept", "text/vnd.turbo-stream.html, text/html, application/xhtml+xml"}, {"Content-Type", form}}, ShapePage, "Turbo"},
		{Headers{{"HX-Request", "true"}, {"Accept", "*/*"}}, ShapeFragment, "htmx 1.9 and 2"},
		{Headers{{"HX-Request", "true"}, {"HX-Request-Type", "partial"}, {"Accept", "text/html"}}, ShapeFragment, "htmx 4"},
		{Headers{{"hx-request", "true"}}, ShapeFragment, "lower case, as workerd has it"},
		{Headers{{"HX-Request", "true"}, {"Content-Type", "application/json"}}, ShapeFragment, "htmx with json-enc"},
		{Headers{{"HX-Request", "true"}, {"HX-Boosted", "true"}}, ShapePage, "a boosted form"},
		{Headers{{"HX-Request", "true"}, {"HX-Request-Type", "full"}}, ShapePage, "htmx 4 for the body"},
		{Headers{{"HX-Request", "true"}, {"HX-History-Restore-Request", "true"}}, ShapePage, "htmx for its history"},
		{Headers{{"HX-Request", "false"}}, ShapePage, "not htmx"},
		{Headers{{"Accept", "application/json"}}, ShapeProblem, "an API client"},
		{Headers{{"Accept", "application/problem+json"}}, ShapeProblem, "one that asks for problems"},
		{Headers{{"Accept", "application/json, text/plain, */*"}, {"Content-Type", form}}, ShapeProblem, "axios"},
		{Headers{{"Accept", "text/html, application/json;q=0.9"}}, ShapePage, "html first"},
		{Headers{{"Accept", "text/html;q=0.8, application/json"}}, ShapeProblem, "JSON first by weight"},
		{Headers{{"Accept", "application/json, text/html"}}, ShapeProblem, "JSON first by place"},
		{Headers{{"Accept", "text/html"}, {"Accept", "application/json"}}, ShapePage, "two lines are one list"},
		{Headers{{"Accept", "application/json;q=0"}}, ShapePage, "JSON refused"},
		{Headers{{"Accept", "application/*"}}, ShapePage, "a wildcard says nothing"},
		{Headers{{"Accept", "*/*"}, {"Content-Type", "application/json"}}, ShapeProblem, "a JSON request"},
		{Headers{{"Content-Type", "Application/JSON; charset=utf-8"}}, ShapeProblem, "with a parameter"},
		{Headers{{"Content-Type", "application/cloudevents+json"}}, ShapeProblem, "another kind of JSON"},
		{Headers{{"Content-Type", "application/jsonp"}}, ShapePage, "no JSON"},
		{Headers{{"Content-Type", "+json"}}, ShapePage, "no media type"},
	}
	for _, tt := range tests {
		if got := ShapeOf(tt.headers); got != tt.want {
			t.Errorf("ShapeOf(%q) = %d; want %d: %s", tt.headers, got, tt.want, tt.why)
		}
	}
}
