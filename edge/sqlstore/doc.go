// Package sqlstore keeps the records of edge.Handler in a database by database/sql.
package sqlstore
