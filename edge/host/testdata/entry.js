import { Claims as Cell } from "../cell.js";

// Claims is the cell as it ships, with a window into it: what it keeps, and its alarm.
export class Claims extends Cell {
  // look counts what is kept, swept or not, and says how long it is until the alarm, in milliseconds.
  async look() {
    const [{ records, bodies }] = this.sql.exec("SELECT COUNT(*) AS records, COUNT(body) AS bodies FROM rows WHERE name <> ''");
    const [{ trails }] = this.sql.exec("SELECT COUNT(*) AS trails FROM rows WHERE name = ''");
    const alarm = await this.ctx.storage.getAlarm();
    return { records, bodies, trails, alarm: alarm && alarm - Date.now() };
  }

  // stumble forgets that the alarm is set, and writes while nobody can tell.
  async stumble(write) {
    const { ctx } = this;
    this.armed = undefined;
    this.ctx = { storage: { getAlarm: async () => Promise.reject(new Error("the alarm is away")) } };
    this.note(write);
    await this.armed.catch(() => {});
    this.ctx = ctx;
  }

  // ring lets the alarm go off now.
  async ring() {
    await this.ctx.storage.setAlarm(Date.now());
  }
}

// POST /SHARD/METHOD calls a method of the cell as the host does. The header Call holds the argument in JSON; its
// member `cut` lists the byte strings that belong to it, by name and length, in the order in which they stand in
// the body. The answer comes back in the same way.
export default {
  async fetch(request, env) {
    const call = request.headers.get("Call");
    if (!call) return new Response();
    const [, shard, method] = new URL(request.url).pathname.split("/");
    const { cut, ...argument } = JSON.parse(call);
    const bytes = new Uint8Array(await request.arrayBuffer());
    let at = 0;
    for (const [name, length] of cut) argument[name] = bytes.slice(at, (at += length));
    let answer;
    try {
      answer = await env.CLAIMS.getByName(shard)[method](argument);
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
    const found = Object.entries(answer ?? {}).filter(([, value]) => value?.byteLength !== undefined);
    if (answer?.constructor === Object) {
      answer = { ...answer, cut: found.map(([name, value]) => [name, value.byteLength]) };
      for (const [name] of found) delete answer[name];
    }
    return new Response(new Blob(found.map(([, value]) => value)), { headers: { Answer: JSON.stringify(answer ?? null) } });
  },
};
