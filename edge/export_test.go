package edge

// Kept counts the records that the store holds in memory, their bodies, and the trails.
func (m *MemoryStore) Kept() (records, bodies, trails int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.records {
		if r.row.Body != nil {
			bodies++
		}
	}
	return len(m.records), bodies, len(m.trails)
}

// Waiting counts the names that somebody waits for.
func (m *MemoryStore) Waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting)
}
