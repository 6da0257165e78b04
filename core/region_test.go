package core

import "testing"

func TestTheNearestRegion(t *testing.T) {
	for _, tt := range []struct{ why, continent, longitude, want string }{
		{"San Francisco", "NA", "-122.41942", "wnam"},
		{"New York", "NA", "-74.00597", "enam"},
		{"North America, nobody knows where", "NA", "", "enam"},
		{"São Paulo", "SA", "-46.63611", "sam"},
		{"Berlin", "EU", "13.41053", "weur"},
		{"Warsaw", "EU", "21.01178", "eeur"},
		{"Europe, nobody knows where", "EU", "", "weur"},
		{"Tokyo", "AS", "139.69171", "apac"},
		{"Dubai", "AS", "55.30927", "me"},
		{"Asia, nobody knows where", "AS", "", "apac"},
		{"Sydney", "OC", "151.20732", "oc"},
		{"Antarctica", "AN", "0.0", "oc"},
		{"Nairobi", "AF", "36.81667", "afr"},
		{"Tor", "T1", "", ""},
	} {
		got := ""
		if i := RegionNear(tt.continent, tt.longitude); i >= 0 {
			got = Regions[i]
		}
		if got != tt.want {
			t.Errorf("%s: RegionNear(%s, %s) = %q; want %q", tt.why, tt.continent, tt.longitude, got, tt.want)
		}
	}
}
