import { files } from "../build/browser/files.js";

const PLACE = "/_singleshot/";
const YEAR = 31_536_000;

// served answers a request for a file of the browser module, compressed as the client can take it; undefined for
// everything else, a wrong name among it, which is the engine's to answer.
export function served({ url, method, headers, cf }) {
  if (!url.includes(PLACE) || (method !== "GET" && method !== "HEAD")) return;
  const { pathname } = new URL(url);
  const file = pathname.startsWith(PLACE) && files.get(pathname.slice(PLACE.length));
  if (!file) return;
  const can = cf?.clientAcceptEncoding ?? headers.get("Accept-Encoding") ?? ""; // the platform's own header always says br, gzip
  const coding = ["br", "gzip"].find((name) => new RegExp(`\\b${name}\\b(?!;q=0(\\.0*)?(,|$))`).test(can)) ?? "identity";
  const answer = new Headers({
    "Content-Type": file.type,
    "Cache-Control": file.fixed ? `public, max-age=${YEAR}, immutable` : "public, max-age=300, stale-while-revalidate=86400",
    "ETag": file.tag,
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
    "Access-Control-Allow-Origin": "*", // integrity is checked across origins too
  });
  if (headers.get("If-None-Match")?.includes(file.tag)) return new Response(null, { status: 304, headers: answer });
  if (coding !== "identity") answer.set("Content-Encoding", coding);
  return new Response(method === "HEAD" ? null : file[coding], { headers: answer, encodeBody: "manual" });
}
