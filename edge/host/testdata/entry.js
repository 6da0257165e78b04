import { Claims as Cell } from "../cell.js";

// Claims is the cell as it ships, with a window into it: what it keeps, and its alarm.
export class Claims extends Cell {
  // look counts what is kept, swept or not, and says how long it is until the alarm, in milliseconds.
  async look() {
    const [{ records, bodies }] = this.sql.exec("SELECT COUNT(*) AS records, COUNT(body) AS bodies FROM records");
    const alarm = await this.ctx.storage.getAlarm();
    return { records, bodies, alarm: alarm && alarm - Date.now() };
  }

  // ring lets the alarm go off now.
  async ring() {
    await this.ctx.storage.setAlarm(Date.now());
  }
}

// POST /SHARD/METHOD calls a method of the cell as the host does. The header Call holds the argument in JSON;
// the body is its head and its body, of the lengths that the argument gives (-1: no body). A row comes back in
// the same way.
export default {
  async fetch(request, env) {
    const call = request.headers.get("Call");
    if (!call) return new Response();
    const [, shard, method] = new URL(request.url).pathname.split("/");
    const argument = JSON.parse(call);
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (method === "swap") {
      argument.body = argument.body < 0 ? null : bytes.slice(argument.head);
      argument.head = bytes.slice(0, argument.head);
    }
    let answer;
    try {
      answer = await env.CLAIMS.getByName(shard)[method](argument);
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
    const { head, body } = answer ?? {};
    const told = head ? { ...answer, head: head.byteLength, body: body ? body.byteLength : -1 } : answer;
    return new Response(head && new Blob([head, body ?? ""]), { headers: { Answer: JSON.stringify(told ?? null) } });
  },
};
