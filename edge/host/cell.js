import { DurableObject } from "cloudflare:workers";

const MOST_WAITERS = 64; // for one record (contract §8)
const SWEEP = 10 * 60 * 1000;
const ENTRY = 37; // bytes of each in a trail, of which the first 8 and the last 24 are kept (contract §8)
const KEPT = `substr(head, 1, ${8 * ENTRY}), substr(head, max(${8 * ENTRY + 1}, length(head) - ${24 * ENTRY - 1}))`;

// Claims is one claim store: a cell that compares, swaps and waits, and has no idea of idempotency. It knows
// versions, bytes, leases and expiry, all by its own clock. Between the read and the write of a swap nothing
// else runs, because nothing there is awaited.
export class Claims extends DurableObject {
  news = new Map(); // name → the promise of its next version, and how many wait for it

  constructor(ctx, env) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    // The trail of a key is a row without a name, next to the key's records: a write to both is one of one page.
    this.sql.exec(`CREATE TABLE IF NOT EXISTS rows (trail TEXT, name TEXT, version TEXT, lease INTEGER, expires INTEGER,
      fades INTEGER, head BLOB, body BLOB, bytes INTEGER, tally INTEGER, PRIMARY KEY (trail, name)) WITHOUT ROWID`);
  }

  // read returns what is told of a record, with the milliseconds that are left of its lease, or without a name of the
  // trail: how many entries came, and those that are kept. A claim that is held outlives its time.
  read({ trail, name = "" }) {
    const [found] = this.sql.exec(`SELECT version, lease - ?1 AS lease, iif(fades > ?1, body, NULL) AS body,
      iif(name = '', CAST(concat(${KEPT}) AS BLOB), head) AS head, bytes / ${ENTRY} AS length,
      (SELECT tally FROM rows WHERE trail = ?2 AND name = '' AND expires > ?1) AS tally
      FROM rows WHERE trail = ?2 AND name = ?3 AND max(expires, lease) > ?1`, Date.now(), trail, name).toArray();
    return found ?? { version: "", lease: 0, length: 0 };
  }

  // write puts a record in the place of what was there. To a trail that is not over it adds: entries, and time.
  write({ trail, name = "", version = "", lease = 0, ttl, bodyTtl = 0, head, body = null, tally = 0 }) {
    this.sql.exec(`INSERT INTO rows VALUES (?2, ?3, ?4, ?1 + ?5, ?1 + ?6, ?1 + ?7, ?8, ?9, length(?8), ?10)
      ON CONFLICT DO UPDATE SET version = ?4, lease = ?1 + ?5, fades = ?1 + ?7, body = ?9,
      expires = max(expires * (name = ''), ?1 + ?6), tally = tally * (expires > ?1) + ?10,
      head = iif(name = '' AND expires > ?1, CAST(concat(${KEPT}, ?8) AS BLOB), ?8),
      bytes = bytes * (name = '' AND expires > ?1) + length(?8)`,
      Date.now(), trail, name, version, lease, ttl, bodyTtl, head, body, tally);
    this.news.get(name)?.resolve(this.read({ trail, name }));
    this.armed ??= this.arm().catch(() => (this.armed = undefined)); // the next write tries again
  }

  // swap stores the next write if the stored version is still `old` ("" for none) and, if `lapsed` is asked
  // for, its lease is over. It returns null, or what is stored instead: a refused swap is the read.
  swap(e) {
    const found = this.read(e);
    if (found.version !== e.old || (e.lapsed && found.lease > 0)) return found;
    this.write(e);
    if (e.note) this.write({ trail: e.trail, ttl: e.ttl, head: e.note });
    return null;
  }

  // wait returns what is stored as soon as its version is not `old`, null when the time is over, "busy" for a version
  // when too many wait already. A cell that restarts forgets its waiters: they swap again.
  async wait({ trail, name, old, ms = 0 }) {
    const found = this.read({ trail, name });
    if (found.version !== old) return found;
    if (ms <= 0) return null;
    const news = this.news.get(name) ?? { ...Promise.withResolvers(), waiters: 0 };
    if (news.waiters >= MOST_WAITERS) return { version: "busy" };
    this.news.set(name, news);
    news.waiters++;
    const over = Promise.withResolvers();
    const timer = setTimeout(over.resolve, ms, null);
    const told = await Promise.race([news.promise, over.promise]);
    clearTimeout(timer);
    if (--news.waiters === 0) this.news.delete(name);
    return told;
  }

  // renew lets a claim that is still ours hold on, and says whether it is.
  renew({ trail, name, version, lease }) {
    return this.sql.exec(`UPDATE rows SET lease = ?1 + ?2 WHERE max(expires, lease) > ?1
      AND (trail, name, version) = (?3, ?4, ?5)`, Date.now(), lease, trail, name, version).rowsWritten > 0;
  }

  // note adds entries to trails, and to their tallies: of each so many bytes of what comes for all of them.
  note({ trails, note }) {
    let at = 0;
    for (const { length, ...to } of trails) this.write({ ...to, head: note.subarray(at, (at += length)) });
  }

  forget({ trail, names }) {
    for (const name of ["", ...names]) {
      this.sql.exec("DELETE FROM rows WHERE trail = ? AND name = ?", trail, name);
      this.news.get(name)?.resolve(this.read({ trail, name }));
    }
  }

  // arm lets the alarm go off once more, unless it will.
  async arm() {
    return (await this.ctx.storage.getAlarm()) ?? this.ctx.storage.setAlarm(Date.now() + SWEEP);
  }

  // alarm sweeps what is over, and comes again while anything is left.
  async alarm() {
    const now = Date.now();
    this.armed = undefined; // also where this fails, and is not repeated any more
    this.sql.exec("DELETE FROM rows WHERE max(expires, lease) <= ?", now);
    this.sql.exec("UPDATE rows SET body = NULL WHERE fades <= ? AND body IS NOT NULL", now);
    const [left] = this.sql.exec("SELECT 1 FROM rows LIMIT 1").toArray();
    if (left) await this.ctx.storage.setAlarm(now + SWEEP);
  }
}
