// The bare pass-through Worker: what a request costs before anything is guarded.
export default {
  fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    return fetch(new URL(pathname + search, env.ORIGIN_URL), new Request(request, { redirect: "manual" }));
  },
};
