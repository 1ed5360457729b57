//! Requests that touch more than the session: subscriptions and tasks.

use serde_json::json;

use super::batch::Address;
use super::listing::listed;
use super::server::Server;
use super::session::Method;
use super::subscriptions::Filter;
use super::tasks::Ended;
use super::terms::Terms;
use crate::failure::Failure;
use crate::message::Request;
use crate::reply;
use crate::resources;

impl Server {
    /// Answers such a request, unless its answer has to wait or is none.
    pub(super) fn special(
        &mut self,
        method: Method,
        request: &Request<'_>,
        terms: Terms,
        address: Address,
    ) -> Result<(), Failure> {
        let (params, now) = (request.params, self.now.read());
        let result = match method {
            Method::Subscribe => {
                let uri = resources::uri(params)?;
                if resources::locate(&uri).is_none() {
                    return Err(Failure::resource_not_found(&uri, terms.revision));
                }
                self.subscriptions.subscribe(uri)?;
                json!({})
            }
            Method::Unsubscribe => {
                self.subscriptions.unsubscribe(&resources::uri(params)?);
                json!({})
            }
            Method::Listen => {
                let line = self.subscriptions.listen(&request.id, Filter::read(params)?)?;
                self.send(line);
                return Ok(());
            }
            Method::GetTask => self.tasks.get(params, now)?,
            Method::ListTasks => listed(params, self.session.config(), "tasks", self.tasks.list(now))?,
            Method::TaskResult => match self.tasks.result(params, &request.id, address, now)? {
                Some(result) => result,
                None => return Ok(()),
            },
            Method::CancelTask => {
                let (id, ended) = self.tasks.cancel(params, now)?;
                self.calls.cancel_task(&id);
                let result = ended.task.clone();
                self.task_ended(ended);
                result
            }
        };
        self.deliver(address, Some(reply::success(&request.id, &result)));
        Ok(())
    }

    /// Tells of a task's end, and answers those who waited for it.
    pub(super) fn task_ended(&mut self, ended: Ended) {
        self.send(reply::notification("notifications/tasks/status", &ended.task));
        for waiter in ended.waiters {
            let line = match &ended.result {
                Ok(result) => reply::success(&waiter.id, result),
                Err(failure) => reply::failure(Some(&waiter.id), failure),
            };
            self.deliver(waiter.address, Some(line));
        }
    }
}
