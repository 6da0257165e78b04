import { DurableObject } from "cloudflare:workers";

const MOST_WAITERS = 64; // for one record (contract §8)
const SWEEP = 10 * 60 * 1000;
const [ENTRY, FIRST, LAST] = [37, 8, 24]; // a trail's entry in bytes; how many are kept of its begin and end (contract §8)

// Claims is one claim store: a cell that compares, swaps and waits, and has no idea of idempotency. It knows
// versions, bytes, leases and expiry, all by its own clock. Between the read and the write of a swap nothing
// else runs, because nothing there is awaited.
export class Claims extends DurableObject {
  waiters = new Map(); // name → the resolve functions of those who wait

  constructor(ctx, env) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    // The trail of a key is a row without a name, next to the key's records: a write to both is one of one page.
    this.sql.exec(`CREATE TABLE IF NOT EXISTS rows (
      trail TEXT, name TEXT, version TEXT, lease INTEGER, expires INTEGER, fades INTEGER, head BLOB, body BLOB,
      count INTEGER, tally INTEGER, PRIMARY KEY (trail, name)) WITHOUT ROWID`);
  }

  // read returns the rows of a trail and of a record that are not over. A claim that is held outlives its time.
  read(trail, name) {
    const rows = this.sql.exec("SELECT * FROM rows WHERE trail = ? AND name IN ('', ?) AND max(expires, lease) > ?",
      trail, name, Date.now()).toArray();
    return ["", name].map((which) => rows.find((row) => row.name === which));
  }

  write(...rows) {
    this.sql.exec(`INSERT OR REPLACE INTO rows VALUES ${rows.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")}`, ...rows.flat());
  }

  // seen is what is told of a record, with the milliseconds that are left of its lease.
  seen([notes, record]) {
    if (!record) return { version: "", lease: 0, head: null, body: null };
    const { version, lease, head, body, fades } = record;
    const now = Date.now();
    return { version, lease: lease - now, head, body: fades > now ? body : null, tally: notes?.tally ?? 0 };
  }

  // swap stores the next write if the stored version is still `old` ("" for none) and, if `lapsed` is asked
  // for, its lease is over. It returns null, or what is stored instead: a refused swap is the read.
  swap({ name, old, version, lapsed, lease = 0, ttl, bodyTtl = 0, head, body = null, trail, note }) {
    const stored = this.read(trail, name);
    const found = this.seen(stored);
    if (found.version !== old || (lapsed && found.lease > 0)) return found;
    const now = Date.now();
    const record = [trail, name, version, now + lease, now + ttl, now + bodyTtl, head, body, 0, 0];
    this.write(record, ...(note ? [this.noted(stored[0], trail, note, ttl)] : []));
    this.wake(name, trail);
    if (!this.armed) this.ctx.waitUntil(this.arm());
    return null;
  }

  // wait returns what is stored as soon as its version is not `old`, null when the time is over, "busy" for a version
  // when too many wait already. A cell that restarts forgets its waiters: they swap again.
  wait({ name, old, ms = 0, trail }) {
    const found = this.seen(this.read(trail, name));
    if (found.version !== old) return found;
    if (ms <= 0) return null;
    const waiting = this.waiters.get(name) ?? new Set();
    if (waiting.size >= MOST_WAITERS) return { version: "busy" };
    this.waiters.set(name, waiting);
    return new Promise((resolve) => {
      const end = (news) => (clearTimeout(timer), waiting.delete(end), waiting.size || this.waiters.delete(name), resolve(news));
      const timer = setTimeout(end, ms, null);
      waiting.add(end);
    });
  }

  wake(name, trail) {
    const news = this.waiters.has(name) && this.seen(this.read(trail, name));
    this.waiters.get(name)?.forEach((end) => end(news));
  }

  // renew lets a claim that is still ours hold on, and says whether it is.
  renew({ trail, name, version, lease }) {
    const now = Date.now();
    return this.sql.exec("UPDATE rows SET lease = ? WHERE trail = ? AND name = ? AND version = ? AND max(expires, lease) > ?",
      now + lease, trail, name, version, now).rowsWritten > 0;
  }

  // note adds entries to trails, and to their tallies: of each so many bytes of what comes for all of them.
  note({ trails, note }) {
    let at = 0;
    for (const { trail, length, ttl, tally } of trails)
      this.write(this.noted(this.read(trail, "")[0], trail, note.subarray(at, (at += length)), ttl, tally));
  }

  // noted is the row of a trail with entries added.
  noted(before, trail, note, ttl, tally = 0) {
    const { head = [], expires = 0, count = 0, tally: counted = 0 } = before ?? {};
    const kept = [...new Uint8Array(head), ...note];
    kept.splice(FIRST * ENTRY, kept.length - (FIRST + LAST) * ENTRY); // out of the middle, if that is more than none
    const lasts = Math.max(expires, Date.now() + ttl);
    return [trail, "", "", 0, lasts, 0, new Uint8Array(kept), null, count + note.length / ENTRY, counted + tally];
  }

  trail({ trail }) {
    const [notes] = this.read(trail, "");
    return { length: notes?.count ?? 0, head: notes?.head ?? new ArrayBuffer() };
  }

  forget({ trail, names }) {
    for (const name of ["", ...names]) {
      this.sql.exec("DELETE FROM rows WHERE trail = ? AND name = ?", trail, name);
      this.wake(name, trail);
    }
  }

  async arm() {
    this.armed = true;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + SWEEP);
  }

  // alarm sweeps what is over, and comes again while anything is left.
  async alarm() {
    const now = Date.now();
    this.sql.exec("DELETE FROM rows WHERE max(expires, lease) <= ?", now);
    this.sql.exec("UPDATE rows SET body = NULL WHERE fades <= ? AND body IS NOT NULL", now);
    this.armed = this.sql.exec("SELECT 1 FROM rows LIMIT 1").toArray().length > 0;
    if (this.armed) await this.ctx.storage.setAlarm(now + SWEEP);
  }
}
