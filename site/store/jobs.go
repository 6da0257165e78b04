package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Job is work that outlives the request that started it.
type Job struct {
	ID      string
	Lines   int64     // how much it exports
	Started time.Time // UTC
	Runs    int64     // how often a worker ran it
	Done    bool      // its export is there
}

// StartJob keeps a new job.
func (s *Store) StartJob(ctx context.Context, job Job) error {
	return s.do(ctx, "start a job", `INSERT INTO jobs (id, lines, started) VALUES (?, ?, ?)`, job.ID, job.Lines, millis(job.Started))
}

// Job returns a job, or ErrNone.
func (s *Store) Job(ctx context.Context, id string) (Job, error) {
	job := Job{ID: id}
	var started, exports int64
	err := s.db.QueryRowContext(ctx, `SELECT lines, started, (SELECT COUNT(*) FROM job_runs WHERE job = ?1),
		(SELECT COUNT(*) FROM exports WHERE job = ?1) FROM jobs WHERE id = ?1`, id).Scan(&job.Lines, &started, &job.Runs, &exports)
	if errors.Is(err, sql.ErrNoRows) {
		return Job{}, ErrNone
	}
	if err != nil {
		return Job{}, fmt.Errorf("store: read a job: %w", err)
	}
	job.Started, job.Done = instant(started), exports > 0
	return job, nil
}

// RunJob is what a queue does that retries: it notes the run, and makes the job's export unless there is one.
// The primary key of the exports decides, so a job that is run twice has its effect once. first tells whether
// this run had it.
func (s *Store) RunJob(ctx context.Context, id string, now time.Time) (first bool, err error) {
	if err := s.do(ctx, "note a run of a job", `INSERT INTO job_runs (job, at) VALUES (?, ?)`, id, millis(now)); err != nil {
		return false, err
	}
	err = s.do(ctx, "export", `INSERT INTO exports (job, made) VALUES (?, ?)`, id, millis(now))
	if broken(err, "exports.job") {
		return false, nil
	}
	return err == nil, err
}

// CountJobs is how many jobs there are.
func (s *Store) CountJobs(ctx context.Context) (int64, error) {
	return s.count(ctx, "count jobs", `SELECT COUNT(*) FROM jobs`)
}

// CountExports is how many exports there are of a job: 0 or 1.
func (s *Store) CountExports(ctx context.Context, id string) (int64, error) {
	return s.count(ctx, "count exports", `SELECT COUNT(*) FROM exports WHERE job = ?`, id)
}
