-- The orders of the demo. Times are seconds since 1970, UTC; amounts are yen.
CREATE TABLE orders (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  item   TEXT    NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  placed INTEGER NOT NULL
);

-- Numbers start at 1042: AUTOINCREMENT goes on from the highest number that was ever there.
INSERT INTO orders (number, item, amount, placed) VALUES (1041, '', 1, 0);
DELETE FROM orders WHERE number = 1041;
