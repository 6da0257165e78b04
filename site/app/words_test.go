package app

import (
	"reflect"
	"strings"
	"testing"
)

// Both languages say everything: no field is empty, no map lacks an entry the other has, and placeholders
// are the same.
func TestWordsAreComplete(t *testing.T) {
	en, ja := reflect.ValueOf(englishWords()).Elem(), reflect.ValueOf(japaneseWords()).Elem()
	for i := range en.NumField() {
		compare(t, en.Type().Field(i).Name, en.Field(i), ja.Field(i))
	}
	for _, id := range items {
		if englishWords().items[id] == "" || japaneseWords().items[id] == "" {
			t.Errorf("the item %q has no name", id)
		}
	}
}

func compare(t *testing.T, name string, en, ja reflect.Value) {
	t.Helper()
	switch en.Kind() {
	case reflect.String:
		if en.String() == "" || ja.String() == "" {
			t.Errorf("%s is empty", name)
		}
		for _, placeholder := range []string{"{}", "#"} {
			if strings.Count(en.String(), placeholder) != strings.Count(ja.String(), placeholder) {
				t.Errorf("%s: %q has not as many %s as %q", name, en, placeholder, ja)
			}
		}
	case reflect.Map:
		if en.Len() != ja.Len() {
			t.Errorf("%s has %d entries in English and %d in Japanese", name, en.Len(), ja.Len())
		}
		for _, key := range en.MapKeys() {
			other := ja.MapIndex(key)
			if !other.IsValid() {
				t.Errorf("%s has no Japanese for %v", name, key)
				continue
			}
			compare(t, name, en.MapIndex(key), other)
		}
	case reflect.Struct:
		for i := range en.NumField() {
			compare(t, name+"."+en.Type().Field(i).Name, en.Field(i), ja.Field(i))
		}
	case reflect.Array:
		for i := range en.Len() {
			compare(t, name, en.Index(i), ja.Index(i))
		}
	case reflect.Func:
		if en.IsNil() || ja.IsNil() {
			t.Errorf("%s is missing", name)
		}
	default:
		t.Errorf("%s: do not know how to compare a %s", name, en.Kind())
	}
}
