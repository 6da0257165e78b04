package core

import (
	"strconv"
	"strings"
)

// RegionNear returns the index in Regions of the place nearest to a visitor, from what the edge knows about an
// address: the continent's two letters and the longitude in degrees. It returns -1 where that says nothing.
func RegionNear(continent, longitude string) int {
	whole, _, _ := strings.Cut(longitude, ".")
	degrees, err := strconv.Atoi(whole)
	known := err == nil
	switch continent {
	case "NA":
		if known && degrees < -100 {
			return 0 // wnam
		}
		return 1 // enam
	case "SA":
		return 2
	case "EU":
		if known && degrees > 17 {
			return 4 // eeur
		}
		return 3 // weur
	case "AS":
		if known && degrees < 60 {
			return 8 // me
		}
		return 5 // apac
	case "OC", "AN":
		return 6
	case "AF":
		return 7
	}
	return -1
}
