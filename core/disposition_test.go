package core

import "testing"

func TestAPartsNameIsReadAsClientsWriteIt(t *testing.T) { // contract §3
	for _, tt := range []struct{ why, list, name, value, rest string }{
		{"quoted", `; name="amount"`, "name", "amount", ""},
		{"bare", `; name=amount; filename=a`, "name", "amount", "; filename=a"},
		{"white space", "; \tname = amount ", "name", "amount", ""},
		{"a quote, as browsers encode it (HTML §4.10.21.8)", `; name="a%22b"`, "name", `a"b`, ""},
		{"a line end", `; name="a%0D%0Ab"`, "name", "a\r\nb", ""},
		{"no browser writes it in small letters", `; name="a%0d%0ab"`, "name", "a%0d%0ab", ""},
		{"no other escape is one", `; name="a%2Fb%20%25%23%2"`, "name", "a%2Fb%20%25%23%2", ""},
		{"nor what is no two digits of it", `; name="a%12%1D%1A%2"`, "name", "a%12%1D%1A%2", ""},
		{"nor at the end of what was cut off", `; name="a%2`, "name", "a%2", ""},
		{"a quote, as other clients escape it", `; name="a\"b"; x=y`, "name", `a"b`, "; x=y"},
		{"a name that ends with a backslash", `; name="a\"; x=y`, "name", `a\`, "; x=y"},
		{"a semicolon in quotes", `; name="a;b"; filename="c"`, "name", "a;b", `; filename="c"`},
		{"without a value", `; name; filename="c"`, "name", "", `; filename="c"`},
		{"empty", `; name=""`, "name", "", ""},
		{"nothing", ``, "", "", ""},
	} {
		name, value, rest := partParameter([]byte(tt.list))
		if string(name) != tt.name || string(value) != tt.value || string(rest) != tt.rest {
			t.Errorf("%s: %s = %q, %q, %q; want %q, %q, %q", tt.why, tt.list, name, value, rest, tt.name, tt.value, tt.rest)
		}
	}
}
