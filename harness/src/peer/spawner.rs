//! The one thread that starts every peer.
//!
//! On Linux the signal that kills a child when its parent dies follows the parent's *thread*. If a worker started a
//! peer and ended, the peer would die with the worker. So a thread that lives as long as the process starts them all.

use std::io;
use std::process::{Child, Command};
use std::sync::Mutex;

use crossbeam_channel::{Sender, bounded, unbounded};

use super::events::lock;
use super::pipes;
use super::registry::{self, Marks, Refusal};

/// One order to the thread.
struct Order {
    command: Command,
    marker: String,
    answer: Sender<Result<(Child, Marks), Refusal>>,
}

static ORDERS: Mutex<Option<Sender<Order>>> = Mutex::new(None);

/// Starts the command on the spawning thread and enters it in the registry of live peers.
pub(super) fn spawn(command: Command, marker: String) -> Result<(Child, Marks), Refusal> {
    let (answer, answered) = bounded(1);
    let order = Order { command, marker, answer };
    let orders = orders().map_err(Refusal::Failed)?;
    let lost = || Refusal::Failed(io::Error::other("the spawning thread is gone"));
    orders.send(order).map_err(|_| lost())?;
    answered.recv().map_err(|_| lost())?
}

fn orders() -> io::Result<Sender<Order>> {
    let mut orders = lock(&ORDERS);
    if let Some(orders) = &*orders {
        return Ok(orders.clone());
    }
    let (sender, receiver) = unbounded::<Order>();
    pipes::start("peer-spawner", move || {
        for mut order in receiver {
            let spawned = registry::admit(&order.marker, || order.command.spawn());
            // Whoever asked is waiting, unless its thread was torn down; then the entry stays for `kill_all`.
            let _ = order.answer.send(spawned);
        }
    })?;
    *orders = Some(sender.clone());
    Ok(sender)
}
