// The claim store of the Workers to compare with: one swap, by method call for JavaScript, by HTTP for Go.
import { DurableObject } from "cloudflare:workers";

export class Cell extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    this.sql.exec(`CREATE TABLE IF NOT EXISTS records (
      name TEXT PRIMARY KEY, version TEXT NOT NULL, expires INTEGER NOT NULL, record TEXT NOT NULL, body BLOB) WITHOUT ROWID`);
  }

  // swap stores a record if the stored version is still `old`, or forgets it for the version "". It returns null,
  // or what is stored instead.
  swap(name, old, version, { body = null, ...record }) {
    const now = Date.now();
    const [row] = this.sql.exec("SELECT * FROM records WHERE name = ? AND expires > ?", name, now);
    if ((row?.version ?? "") !== old) return { version: row.version, record: { ...JSON.parse(row.record), body: row.body } };
    if (version === "") this.sql.exec("DELETE FROM records WHERE name = ?", name);
    else this.sql.exec("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)", name, version, now + 86400_000, JSON.stringify(record), body);
    return null;
  }

  async fetch(request) {
    const { name, old, version, body, ...record } = await request.json();
    const found = this.swap(name, old, version, { ...record, body: body && new TextEncoder().encode(body) });
    if (!found) return new Response("null");
    const { body: bytes, ...rest } = found.record;
    return Response.json({ ...rest, body: bytes && new TextDecoder().decode(bytes) });
  }
}
