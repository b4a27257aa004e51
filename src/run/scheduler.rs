//! A fixed number of workers that run steps in the order they were submitted.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::Duration;

use crate::model::digest::Digest;
use crate::model::observation::Observation;
use crate::model::step::Step;

use super::executor::Executor;
use super::interrupt;

/// How often we look whether we were asked to stop.
const TICK: Duration = Duration::from_millis(50);

/// Runs steps on workers.
pub struct Scheduler<'a> {
    executor: &'a Executor,
    queue: &'a Queue,
    answers: Receiver<(Digest, Observation)>,
    jobs: usize,
}

/// Steps that wait for a worker.
#[derive(Default)]
pub struct Queue {
    state: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    steps: VecDeque<Step>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Step> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if let Some(step) = waiting.steps.pop_front() {
                return Some(step);
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

impl<'a> Scheduler<'a> {
    /// Starts `jobs` workers in `scope`. They end when the scheduler is dropped.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        executor: &'a Executor,
        queue: &'a Queue,
        jobs: usize,
    ) -> Self
    where
        'a: 'scope,
    {
        let (sender, answers) = channel();
        for _ in 0..jobs {
            let sender: Sender<(Digest, Observation)> = sender.clone();
            scope.spawn(move || {
                while let Some(step) = queue.take() {
                    if sender.send((step.key(), executor.run(&step))).is_err() {
                        return;
                    }
                }
            });
        }
        Self {
            executor,
            queue,
            answers,
            jobs,
        }
    }

    /// How many rows are worth having under way at once: enough that no worker waits for the
    /// driver.
    #[must_use]
    pub fn width(&self) -> usize {
        self.jobs * 2 + 2
    }

    /// Queues a step.
    pub fn submit(&self, step: Step) {
        self.queue.lock().steps.push_back(step);
        self.queue.changed.notify_one();
    }

    /// The next finished step; `None` once we were asked to stop.
    #[must_use]
    pub fn next_answer(&self) -> Option<(Digest, Observation)> {
        loop {
            if interrupt::received().is_some() {
                self.executor.cancel();
                return None;
            }
            match self.answers.recv_timeout(TICK) {
                Ok(answer) => return Some(answer),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

impl Drop for Scheduler<'_> {
    fn drop(&mut self) {
        self.queue.close();
    }
}
