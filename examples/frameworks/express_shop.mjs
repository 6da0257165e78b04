// A shop in Express that knows nothing of Singleshot: node express_shop.mjs PORT DATABASE
import express from "express";
import session from "express-session";
import { DatabaseSync } from "node:sqlite";

const [port, database] = process.argv.slice(2);
const orders = new DatabaseSync(database);
orders.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, amount INTEGER)");

const app = express();
app.set("trust proxy", true); // what docs/guide.md says to set behind ORIGIN_URL
app.use(session({ secret: "only for tests", resave: false, saveUninitialized: true }));
app.use(express.urlencoded());

// A POST has to come from a page of this site, as the visitor sees it.
app.use((req, res, next) => {
  const origin = req.get("Origin");
  if (req.method === "POST" && origin !== `${req.protocol}://${req.host}`) return res.status(403).send("from another site");
  next();
});

const page = (title, action, error = "") => `<!doctype html><html lang="en"><title>Shop</title><h1>${title}</h1>
<form method="post" action="${action}"><input name="amount"> ${error} <button>Save</button></form>
<form method="post" action="/logout"><button>Sign out</button></form>`;

const amountOf = (req) => (/^[1-9]\d*$/.test(req.body.amount) ? +req.body.amount : undefined);

function place(req, res) {
  const amount = amountOf(req);
  if (!amount) return res.status(422).send(page("New order", req.path, "a number, please"));
  const { lastInsertRowid } = orders.prepare("INSERT INTO orders (amount) VALUES (?)").run(amount);
  res.redirect(303, `${req.protocol}://${req.host}/orders/${lastInsertRowid}`);
}

app.get("/", (req, res) => res.send(String(orders.prepare("SELECT count(*) AS n FROM orders").get().n)));
app.get("/orders/new", (req, res) => res.send(page("New order", "/orders")));
app.post("/orders", place);
app.get("/orders/:id", (req, res) => {
  const { amount } = orders.prepare("SELECT amount FROM orders WHERE id = ?").get(req.params.id);
  res.send(page(`Order ${req.params.id}: ${amount}`, `/orders/${req.params.id}`));
});
app.post("/orders/:id", (req, res) => {
  orders.prepare("UPDATE orders SET amount = ? WHERE id = ?").run(amountOf(req), req.params.id);
  res.redirect(`/orders/${req.params.id}`);
});
app.get("/members/orders/new", (req, res) => res.send(page("New order", "/members/orders")));
app.post("/members/orders", (req, res) => (req.session.user ? place(req, res) : res.redirect("/login?next=/members/orders/new")));
app.get("/sign-in", (req, res) => {
  req.session.user = "ada";
  res.redirect("/");
});
app.post("/logout", (req, res) => req.session.destroy(() => res.redirect("/")));
app.listen(+port, "127.0.0.1");
