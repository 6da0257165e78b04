-- What the other recipes keep. Times are milliseconds since 1970, UTC; amounts are yen.

-- Payments: the backstop. However often the application is called, there is at most one payment that did not
-- fail for each key that a guard sends, and for each bill.
CREATE TABLE payments (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  idempotency_key TEXT    NOT NULL,
  bill            TEXT    NOT NULL,
  amount          INTEGER NOT NULL CHECK (amount > 0),
  status          TEXT    NOT NULL CHECK (status IN ('settled', 'failed')),
  attempt         INTEGER NOT NULL,
  made            INTEGER NOT NULL
);
CREATE UNIQUE INDEX payments_once_a_key ON payments (idempotency_key) WHERE status <> 'failed' AND idempotency_key <> '';
CREATE UNIQUE INDEX payments_once_a_bill ON payments (bill) WHERE status <> 'failed' AND bill <> '';
CREATE INDEX payments_by_bill ON payments (bill);

-- Jobs, how often each was run, and what it did: one export a job.
CREATE TABLE jobs (
  id      TEXT    PRIMARY KEY,
  lines   INTEGER NOT NULL,
  started INTEGER NOT NULL
);
CREATE TABLE job_runs (
  job TEXT    NOT NULL,
  at  INTEGER NOT NULL
);
CREATE INDEX job_runs_by_job ON job_runs (job);
CREATE TABLE exports (
  job  TEXT    PRIMARY KEY,
  made INTEGER NOT NULL
);

-- Purchase requests, with the version that each change counts up.
CREATE TABLE requests (
  id       TEXT    PRIMARY KEY,
  version  INTEGER NOT NULL,
  state    TEXT    NOT NULL CHECK (state IN ('draft', 'review', 'approved')),
  item     TEXT    NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  actor    TEXT    NOT NULL
);

-- Events that a webhook's handler worked on: one row each time it ran.
CREATE TABLE events (
  id TEXT    NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX events_by_id ON events (id);

-- What the page of attacks counts: one row each time the application ran for an attack.
CREATE TABLE runs (
  attack TEXT    NOT NULL,
  at     INTEGER NOT NULL
);
CREATE INDEX runs_by_attack ON runs (attack);
