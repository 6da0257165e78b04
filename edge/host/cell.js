import { DurableObject } from "cloudflare:workers";

const MOST_WAITERS = 64; // for one record (contract §8)
const SWEEP = 10 * 60 * 1000;
const ENTRY = 37; // bytes of a trail's entry, of which the first 8 and the last 24 are kept (contract §8)

// Claims is one claim store: a cell that compares, swaps and waits, and has no idea of idempotency. It knows
// versions, bytes, leases and expiry, all by its own clock. Between the read and the write of a swap nothing
// else runs, because nothing there is awaited.
export class Claims extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    this.sql.exec(`CREATE TABLE IF NOT EXISTS records (
      name TEXT PRIMARY KEY, version TEXT NOT NULL, lease INTEGER NOT NULL, expires INTEGER NOT NULL,
      fades INTEGER NOT NULL, head BLOB NOT NULL, body BLOB) WITHOUT ROWID`);
    this.sql.exec(`CREATE TABLE IF NOT EXISTS trails (
      name TEXT PRIMARY KEY, expires INTEGER NOT NULL, count INTEGER NOT NULL, tally INTEGER NOT NULL,
      entries BLOB NOT NULL) WITHOUT ROWID`);
    this.waiters = new Map(); // name → the resolve functions of those who wait
  }

  // seen is what is stored for a name, with the milliseconds that are left of its lease. A claim that is held
  // outlives its time.
  seen(name, trail) {
    const now = Date.now();
    const [row] = this.sql.exec(`SELECT *, (SELECT tally FROM trails WHERE name = ? AND expires > ?) AS tally
      FROM records WHERE name = ? AND max(expires, lease) > ?`, trail, now, name, now);
    if (!row) return { version: "", lease: 0, head: null, body: null };
    const { version, lease, head, body, fades, tally } = row;
    return { version, lease: lease - now, head, body: fades > now ? body : null, tally: tally ?? 0 };
  }

  // swap stores the next write if the stored version is still `old` ("" for none) and, if `lapsed` is asked
  // for, its lease is over. It returns null, or what is stored instead: a refused swap is the read.
  swap({ name, old, version, lapsed, lease, ttl, bodyTtl, head, body, trail, note }) {
    const found = this.seen(name, trail);
    if (found.version !== old || (lapsed && found.lease > 0)) return found;
    const now = Date.now();
    this.sql.exec("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?)",
      name, version, now + lease, now + ttl, now + bodyTtl, head, body ?? null);
    if (note) this.note([{ trail, note, ttl }]);
    this.wake(name, trail);
    if (!this.armed) this.ctx.waitUntil(this.arm());
    return null;
  }

  // wait returns what is stored as soon as its version is not `old`, null when the time is over, "busy" when
  // too many wait already. A cell that restarts forgets its waiters: they swap again.
  wait({ name, old, ms, trail }) {
    const found = this.seen(name, trail);
    if (found.version !== old) return found;
    if (ms <= 0) return null;
    const waiting = this.waiters.get(name) ?? new Set();
    if (waiting.size >= MOST_WAITERS) return "busy";
    this.waiters.set(name, waiting);
    return new Promise((resolve) => {
      const end = (news) => (clearTimeout(timer), waiting.delete(end), waiting.size || this.waiters.delete(name), resolve(news));
      const timer = setTimeout(end, ms, null);
      waiting.add(end);
    });
  }

  wake(name, trail) {
    const news = this.waiters.has(name) && this.seen(name, trail);
    this.waiters.get(name)?.forEach((end) => end(news));
  }

  // renew lets a claim that is still ours hold on, and says whether it is.
  renew({ name, version, lease }) {
    const now = Date.now();
    return this.sql.exec("UPDATE records SET lease = ? WHERE name = ? AND version = ? AND max(expires, lease) > ?",
      now + lease, name, version, now).rowsWritten > 0;
  }

  // note adds entries to trails, and to their tallies.
  note(all) {
    const now = Date.now();
    for (const { trail, note, ttl, tally = 0 } of all) {
      const [row = { count: 0, tally: 0, entries: new ArrayBuffer(), expires: 0 }] =
        this.sql.exec("SELECT * FROM trails WHERE name = ? AND expires > ?", trail, now);
      const entries = new Uint8Array(row.entries.byteLength + note.length);
      entries.set(new Uint8Array(row.entries));
      entries.set(note, row.entries.byteLength);
      const kept = entries.slice(0, 32 * ENTRY);
      if (entries.length > kept.length) kept.set(entries.subarray(-24 * ENTRY), 8 * ENTRY);
      this.sql.exec("INSERT OR REPLACE INTO trails VALUES (?, ?, ?, ?, ?)",
        trail, Math.max(row.expires, now + ttl), row.count + note.length / ENTRY, row.tally + tally, kept);
    }
  }

  trail({ trail }) {
    const [row] = this.sql.exec("SELECT count, entries FROM trails WHERE name = ? AND expires > ?", trail, Date.now());
    return row ?? { count: 0, entries: new Uint8Array() };
  }

  forget({ trail, names }) {
    this.sql.exec("DELETE FROM trails WHERE name = ?", trail);
    for (const name of names) {
      this.sql.exec("DELETE FROM records WHERE name = ?", name);
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
    this.sql.exec("DELETE FROM records WHERE max(expires, lease) <= ?", now);
    this.sql.exec("DELETE FROM trails WHERE expires <= ?", now);
    this.sql.exec("UPDATE records SET body = NULL WHERE fades <= ? AND body IS NOT NULL", now);
    const [left] = this.sql.exec("SELECT 1 FROM records UNION SELECT 1 FROM trails LIMIT 1");
    this.armed = left !== undefined;
    if (this.armed) await this.ctx.storage.setAlarm(now + SWEEP);
  }
}
