package edge

// Kept counts the records that the store holds in memory, and their bodies.
func (m *MemoryStore) Kept() (records, bodies int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.records {
		if r.row.Body != nil {
			bodies++
		}
	}
	return len(m.records), bodies
}

// Waiting counts the names that somebody waits for.
func (m *MemoryStore) Waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting)
}
