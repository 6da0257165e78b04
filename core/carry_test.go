package core

import (
	"slices"
	"strings"
	"testing"
)

func TestCarryKeepsWhatAFormCanHoldAgain(t *testing.T) {
	tests := []struct {
		contentType, body string
		limit             int
		want              []Field
		whole             bool
		why               string
	}{
		{urlencodedType, "b=1&a=%26+%C3%A9&b=2", 100, []Field{{"b", "1"}, {"a", "& é"}, {"b", "2"}}, true, "in the order in which it came"},
		{urlencodedType, "idempotency_key=ik_1&csrf=t&a=1&idempotency_key=ik_1", 100, []Field{{"csrf", "t"}, {"a", "1"}}, true, "without the key, with the tokens"},
		{urlencodedType, "a=one%0D%0Atwo%0Dthree", 100, []Field{{"a", "one\ntwo\nthree"}}, true, "line ends as LF"},
		{urlencodedType, "a=%FF&b=1", 100, []Field{{"b", "1"}}, false, "a value that is not UTF-8"},
		{urlencodedType, "%FF=1&b=1", 100, []Field{{"b", "1"}}, false, "a name that is not UTF-8"},
		{urlencodedType, "a=x%00&b=1", 100, []Field{{"b", "1"}}, false, "html holds no NUL"},
		{urlencodedType, "%C3=%A9&b=1", 100, []Field{{"b", "1"}}, false, "name and value are texts of their own"},
		{urlencodedType, "a=12345&bc=1234567&d=1", 10, []Field{{"a", "12345"}, {"d", "1"}}, false, "what does not fit is left out as a whole"},
		{urlencodedType, "a=12345&d=123", 10, []Field{{"a", "12345"}, {"d", "123"}}, true, "as much as the limit"},
		{urlencodedType, "a=1", 0, nil, false, "nothing without a limit"},
		{urlencodedType, strings.Repeat("n", 200) + "=" + strings.Repeat("v", 200), 400, []Field{{strings.Repeat("n", 200), strings.Repeat("v", 200)}}, true, "what is hashed is carried too"},
		{multipartType, part("a", "", "1") + part("up", `; filename=""`, "") + "--B--", 100, []Field{{"a", "1"}}, true, "an empty file input loses nothing"},
		{multipartType, part("a", "", "1") + part("up", `; filename="f"`, "") + "--B--", 100, []Field{{"a", "1"}}, false, "a file cannot be carried"},
		{multipartType, part("up", `; filename=""`, "1") + part("a", "", "1") + "--B--", 100, []Field{{"a", "1"}}, false, "a file without a name neither"},
		{multipartType, part("csrf", `; filename=""`, "1") + "--B--", 100, nil, false, "nor one that does not count"},
		{"application/json", `{"a":1}`, 100, nil, false, "no form"},
		{"text/plain", "a=1", 100, nil, false, "no form"},
	}
	for _, tt := range tests {
		o := orderOptions(tt.contentType)
		o.CarryLimit = tt.limit
		got, whole := submit(t, o, tt.body).Carry()
		if !slices.Equal(got, tt.want) || whole != tt.whole {
			t.Errorf("Carry() of %.40q = %q, %v; want %q, %v: %s", tt.body, got, whole, tt.want, tt.whole, tt.why)
		}
	}
}
