-- Nobody clears up after a demo: with each new row a table lets go of those of its twenty oldest that are 25 hours
-- old. The guard replays an answer for 24 hours, so what an answer names is still there.
ALTER TABLE requests ADD COLUMN made INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER orders_swept AFTER INSERT ON orders BEGIN
  DELETE FROM orders WHERE rowid IN (SELECT rowid FROM orders ORDER BY rowid LIMIT 20) AND placed < NEW.placed - 90000;
END;

CREATE TRIGGER payments_swept AFTER INSERT ON payments BEGIN
  DELETE FROM payments WHERE rowid IN (SELECT rowid FROM payments ORDER BY rowid LIMIT 20) AND made < NEW.made - 90000000;
END;

CREATE TRIGGER jobs_swept AFTER INSERT ON jobs BEGIN
  DELETE FROM jobs WHERE rowid IN (SELECT rowid FROM jobs ORDER BY rowid LIMIT 20) AND started < NEW.started - 90000000;
END;

CREATE TRIGGER job_runs_swept AFTER INSERT ON job_runs BEGIN
  DELETE FROM job_runs WHERE rowid IN (SELECT rowid FROM job_runs ORDER BY rowid LIMIT 20) AND at < NEW.at - 90000000;
END;

CREATE TRIGGER exports_swept AFTER INSERT ON exports BEGIN
  DELETE FROM exports WHERE rowid IN (SELECT rowid FROM exports ORDER BY rowid LIMIT 20) AND made < NEW.made - 90000000;
END;

CREATE TRIGGER requests_swept AFTER INSERT ON requests BEGIN
  DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests ORDER BY rowid LIMIT 20) AND made < NEW.made - 90000000;
END;

CREATE TRIGGER events_swept AFTER INSERT ON events BEGIN
  DELETE FROM events WHERE rowid IN (SELECT rowid FROM events ORDER BY rowid LIMIT 20) AND at < NEW.at - 90000000;
END;

CREATE TRIGGER runs_swept AFTER INSERT ON runs BEGIN
  DELETE FROM runs WHERE rowid IN (SELECT rowid FROM runs ORDER BY rowid LIMIT 20) AND at < NEW.at - 90000000;
END;
