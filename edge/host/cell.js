import { DurableObject } from "cloudflare:workers";

const MOST_WAITERS = 64; // for one record (contract §8)
const SWEEP = 10 * 60 * 1000;

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
    this.waiters = new Map(); // name → the resolve functions of those who wait
  }

  // seen is what is stored for a name, with the milliseconds that are left of its lease. A claim that is held
  // outlives its time.
  seen(name) {
    const now = Date.now();
    const [row] = this.sql.exec("SELECT * FROM records WHERE name = ? AND max(expires, lease) > ?", name, now);
    if (!row) return { version: "", lease: 0, head: null, body: null };
    const { version, lease, head, body, fades } = row;
    return { version, lease: lease - now, head, body: fades > now ? body : null };
  }

  // swap stores the next write if the stored version is still `old` ("" for none) and, if `lapsed` is asked
  // for, its lease is over. It returns null, or what is stored instead: a refused swap is the read.
  swap({ name, old, version, lapsed, lease, ttl, bodyTtl, head, body }) {
    const found = this.seen(name);
    if (found.version !== old || (lapsed && found.lease > 0)) return found;
    const now = Date.now();
    this.sql.exec("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?)",
      name, version, now + lease, now + ttl, now + bodyTtl, head, body ?? null);
    const news = this.waiters.has(name) && this.seen(name);
    this.waiters.get(name)?.forEach((end) => end(news));
    if (!this.armed) this.ctx.waitUntil(this.arm());
    return null;
  }

  // wait returns what is stored as soon as its version is not `old`, null when the time is over, "busy" when
  // too many wait already. A cell that restarts forgets its waiters: they swap again.
  wait({ name, old, ms }) {
    const found = this.seen(name);
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

  // renew lets a claim that is still ours hold on, and says whether it is.
  renew({ name, version, lease }) {
    const now = Date.now();
    return this.sql.exec("UPDATE records SET lease = ? WHERE name = ? AND version = ? AND max(expires, lease) > ?",
      now + lease, name, version, now).rowsWritten > 0;
  }

  async arm() {
    this.armed = true;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + SWEEP);
  }

  // alarm sweeps what is over, and comes again while anything is left.
  async alarm() {
    const now = Date.now();
    this.sql.exec("DELETE FROM records WHERE max(expires, lease) <= ?", now);
    this.sql.exec("UPDATE records SET body = NULL WHERE fades <= ? AND body IS NOT NULL", now);
    const [left] = this.sql.exec("SELECT 1 FROM records LIMIT 1");
    this.armed = left !== undefined;
    if (this.armed) await this.ctx.storage.setAlarm(now + SWEEP);
  }
}
