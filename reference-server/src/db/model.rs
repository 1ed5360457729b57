//! What stands in the books.

use serde::Serialize;

/// Somebody who buys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Customer {
    /// The number in the books.
    pub id: i64,
    /// The full name.
    pub name: String,
    /// The address for letters.
    pub email: String,
}

/// Something that somebody bought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Order {
    /// The number in the books.
    pub id: i64,
    /// The number of the customer.
    pub customer_id: i64,
    /// How far it has come, by the name of its status.
    pub status: String,
    /// The price of it all, in cents.
    pub total_cents: i64,
}

/// What all orders of a status come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Total {
    /// The name of the status.
    pub status: String,
    /// How many orders have it.
    pub orders: u32,
    /// The sum of their prices, in cents.
    pub total_cents: i64,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type that it was declared with, which may be none.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it always has a value.
    pub required: bool,
    /// Whether it is, or is part of, the primary key.
    pub key: bool,
}

/// How far an order has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not paid yet.
    Pending,
    /// Paid, and not sent yet.
    Paid,
    /// On its way, or there.
    Shipped,
    /// Called off.
    Cancelled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Paid, Self::Shipped, Self::Cancelled];

    /// The word for it, in the database and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Paid => "paid",
            Self::Shipped => "shipped",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status that a word stands for.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_known_by_its_name() {
        for status in Status::ALL {
            assert_eq!(Status::named(status.name()), Some(status));
        }
        assert_eq!(Status::named("banana"), None);
    }
}
