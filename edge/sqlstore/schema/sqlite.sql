-- Times are milliseconds since 1970 by the database's clock. docs/stored-records.md describes head, body, value and
-- entries: sealed bytes, under names that are digests.
CREATE TABLE IF NOT EXISTS singleshot_records (
    name    TEXT PRIMARY KEY,
    version BLOB NOT NULL,
    lease   INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    fades   INTEGER NOT NULL,
    head    BLOB NOT NULL,
    body    BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS singleshot_records_expires ON singleshot_records (expires);
CREATE INDEX IF NOT EXISTS singleshot_records_fades ON singleshot_records (fades) WHERE body IS NOT NULL;

CREATE TABLE IF NOT EXISTS singleshot_trails (
    name       TEXT PRIMARY KEY,
    expires    INTEGER NOT NULL,
    count      INTEGER NOT NULL,
    mismatches INTEGER NOT NULL,
    entries    BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS singleshot_trails_expires ON singleshot_trails (expires);

CREATE TABLE IF NOT EXISTS singleshot_answers (
    name    TEXT PRIMARY KEY,
    expires INTEGER NOT NULL,
    value   BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS singleshot_answers_expires ON singleshot_answers (expires);
