-- The shop's books as they are in the beginning: five customers, eight orders.
--
-- A seed of your own (`init-db --seed FILE`) is such a script too. It must make the tables customers and orders
-- with these columns at least; the table insights is made when it is first needed.

CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    status TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'shipped', 'cancelled')),
    total_cents INTEGER NOT NULL
) STRICT;

CREATE TABLE insights (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

INSERT INTO customers (id, name, email) VALUES
    (1, 'Ana Souza', 'ana@example.com'),
    (2, 'Omar Haddad', 'omar@example.com'),
    (3, 'Zoë Brandt', 'zoe@example.com'),
    (4, '山田 花子', 'hanako@example.com'),
    (5, 'Ingrid Åberg', 'ingrid@example.com');

INSERT INTO orders (id, customer_id, status, total_cents) VALUES
    (1, 1, 'paid', 4990),
    (2, 1, 'shipped', 1250),
    (3, 2, 'pending', 8900),
    (4, 3, 'paid', 3300),
    (5, 3, 'paid', 1590),
    (6, 4, 'shipped', 12000),
    (7, 4, 'cancelled', 700),
    (8, 5, 'paid', 2450);
