-- Times are milliseconds since 1970 by the database's clock. docs/stored-records.md describes head, body, value and
-- entries: sealed bytes, under names that are digests.
CREATE TABLE IF NOT EXISTS singleshot_records (
    name    text PRIMARY KEY,
    version bytea NOT NULL,
    lease   bigint NOT NULL,
    expires bigint NOT NULL,
    fades   bigint NOT NULL,
    head    bytea NOT NULL,
    body    bytea
);
CREATE INDEX IF NOT EXISTS singleshot_records_expires ON singleshot_records (expires);
CREATE INDEX IF NOT EXISTS singleshot_records_fades ON singleshot_records (fades) WHERE body IS NOT NULL;

CREATE TABLE IF NOT EXISTS singleshot_trails (
    name       text PRIMARY KEY,
    expires    bigint NOT NULL,
    count      bigint NOT NULL,
    mismatches bigint NOT NULL,
    entries    bytea NOT NULL
);
CREATE INDEX IF NOT EXISTS singleshot_trails_expires ON singleshot_trails (expires);

CREATE TABLE IF NOT EXISTS singleshot_answers (
    name    text PRIMARY KEY,
    expires bigint NOT NULL,
    value   bytea NOT NULL
);
CREATE INDEX IF NOT EXISTS singleshot_answers_expires ON singleshot_answers (expires);
