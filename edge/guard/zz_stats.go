//go:build wasip1

package main

import "runtime"

//go:wasmexport stats
func stats(which uint32) uint32 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	switch which {
	case 0:
		return uint32(m.HeapInuse)
	case 1:
		return uint32(m.HeapIdle)
	case 2:
		return uint32(m.Mallocs)
	}
	return uint32(m.Sys)
}
