//! The one loop: calls every inquiry, has its asks answered from memory or by running them,
//! and calls it again until it is done.
//!
//! There are two floors. Rows ask for trials; a trial is a grader's inquiry, which asks for
//! steps; a step is one process. Equal asks on either floor are answered once.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use anyhow::bail;

use crate::error::Error;
use crate::experiments::RowInquiry;
use crate::graders::{self, Grading as GradingInquiry};
use crate::model::digest::Digest;
use crate::model::inquiry::{Next, Seen};
use crate::model::observation::{Ended, Observation};
use crate::model::step::Step;
use crate::model::toolchain::Compiler;
use crate::model::trial::{Grading, Trial};

use super::memory::Memory;
use super::scheduler::Scheduler;

/// An inquiry that comes back more often than this without an end is a fault of ours.
const MAX_ROUNDS: u32 = 10_000;

/// A row to be worked out.
pub struct Task<D> {
    /// What asks.
    pub inquiry: RowInquiry<D>,
    /// What people call it.
    pub label: String,
    /// How long it took last time, in seconds; 0 if unknown.
    pub known_seconds: f64,
}

/// Works out tasks, wherever and however it does.
pub trait Worker<D> {
    /// Passes every result to `finish`.
    ///
    /// # Errors
    /// When we were asked to stop, by a fault of ours, or when `finish` fails.
    fn work(&self, tasks: Vec<Task<D>>, finish: &mut Finish<'_, D>) -> Result<(), Error>;
}

/// What happens while rows are worked out.
pub trait Progress {
    /// A row is done.
    fn row_done(&self, label: &str);
}

/// How a drive ended.
pub enum Driven {
    /// Every row is worked out.
    All,
    /// We were asked to stop.
    Interrupted,
}

/// What becomes of a result. It is called as soon as there is one, in whatever order they come,
/// so that an interrupted run has not worked in vain.
pub type Finish<'a, D> = dyn FnMut(D) -> Result<(), Error> + 'a;

/// Works out every task.
///
/// # Errors
/// When an inquiry breaks its laws, which is a fault of ours, or `finish` fails.
pub fn drive<D>(
    tasks: Vec<Task<D>>,
    compiler: &Compiler,
    scheduler: &Scheduler<'_>,
    memory: &Memory,
    (progress, finish): (&dyn Progress, &mut Finish<'_, D>),
) -> Result<Driven, Error> {
    let mut floor = Floor {
        compiler,
        scheduler,
        memory,
        rows: Vec::new(),
        trials: Vec::new(),
        trial_ids: BTreeMap::new(),
        steps: HashMap::new(),
        ready: VecDeque::new(),
    };
    // Longest known first, so that no long row is left for the end.
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by(|a, b| tasks[*b].known_seconds.total_cmp(&tasks[*a].known_seconds));
    floor.rows = tasks.into_iter().map(RowState::new).collect();
    let mut waiting: VecDeque<usize> = order.into();
    let mut active = 0;
    let mut finished = 0;
    loop {
        while active < scheduler.width() {
            let Some(row) = waiting.pop_front() else {
                break;
            };
            active += 1;
            floor.ready.push_back(Ready::Row(row));
        }
        while let Some(ready) = floor.ready.pop_front() {
            if let Some(row) = floor.advance(&ready)? {
                progress.row_done(&floor.rows[row].label);
                if let Some(done) = floor.rows[row].done.take() {
                    finish(done)?;
                }
                active -= 1;
                finished += 1;
            }
        }
        if finished == floor.rows.len() {
            return Ok(Driven::All);
        }
        if active < scheduler.width() && !waiting.is_empty() {
            continue;
        }
        let Some((key, observation)) = scheduler.next_answer() else {
            return Ok(Driven::Interrupted);
        };
        if observation.ended == Ended::Interrupted {
            return Ok(Driven::Interrupted);
        }
        floor.answered(key, observation);
    }
}

/// What can go on.
enum Ready {
    Row(usize),
    Trial(usize),
}

struct RowState<D> {
    inquiry: RowInquiry<D>,
    label: String,
    seen: Seen<Trial, Arc<Grading>>,
    missing: usize,
    rounds: u32,
    done: Option<D>,
}

impl<D> RowState<D> {
    fn new(task: Task<D>) -> Self {
        Self {
            inquiry: task.inquiry,
            label: task.label,
            seen: Seen::new(),
            missing: 0,
            rounds: 0,
            done: None,
        }
    }
}

struct TrialState {
    trial: Trial,
    inquiry: GradingInquiry,
    seen: Seen<Step, Arc<Observation>>,
    missing: usize,
    rounds: u32,
    waiters: Vec<usize>,
    executed: bool,
    answer: Option<Arc<Grading>>,
}

enum StepState {
    Running {
        step: Step,
        waiters: Vec<usize>,
    },
    Answered {
        observation: Arc<Observation>,
        executed: bool,
    },
}

struct Floor<'a, D> {
    compiler: &'a Compiler,
    scheduler: &'a Scheduler<'a>,
    memory: &'a Memory,
    rows: Vec<RowState<D>>,
    trials: Vec<TrialState>,
    trial_ids: BTreeMap<Trial, usize>,
    steps: HashMap<Digest, StepState>,
    ready: VecDeque<Ready>,
}

impl<D> Floor<'_, D> {
    /// Calls one inquiry. Returns the row that became done, if one did.
    fn advance(&mut self, ready: &Ready) -> anyhow::Result<Option<usize>> {
        match ready {
            Ready::Row(row) => self.advance_row(*row),
            Ready::Trial(trial) => self.advance_trial(*trial).map(|()| None),
        }
    }

    fn advance_row(&mut self, row: usize) -> anyhow::Result<Option<usize>> {
        let state = &mut self.rows[row];
        state.rounds += 1;
        match state.inquiry.next(&state.seen) {
            Next::Done(done) => {
                state.done = Some(done);
                state.seen.clear();
                return Ok(Some(row));
            }
            Next::Ask(asks) => {
                let asks = asks.into_vec();
                if state.rounds > MAX_ROUNDS || asks.iter().any(|ask| state.seen.contains_key(ask))
                {
                    bail!("{} asks again for what it knows", state.label);
                }
                for trial in asks {
                    self.want_trial(row, trial)?;
                }
            }
        }
        if self.rows[row].missing == 0 {
            self.ready.push_back(Ready::Row(row));
        }
        Ok(None)
    }

    fn want_trial(&mut self, row: usize, trial: Trial) -> anyhow::Result<()> {
        if let Some(id) = self.trial_ids.get(&trial).copied() {
            if let Some(answer) = &self.trials[id].answer {
                self.rows[row].seen.insert(trial, Arc::clone(answer));
            } else {
                self.rows[row].missing += 1;
                self.trials[id].waiters.push(row);
            }
            return Ok(());
        }
        let inquiry = graders::start(&trial, self.compiler).map_err(anyhow::Error::msg)?;
        let id = self.trials.len();
        self.trial_ids.insert(trial.clone(), id);
        self.trials.push(TrialState {
            trial,
            inquiry,
            seen: Seen::new(),
            missing: 0,
            rounds: 0,
            waiters: vec![row],
            executed: false,
            answer: None,
        });
        self.rows[row].missing += 1;
        self.ready.push_back(Ready::Trial(id));
        Ok(())
    }

    fn advance_trial(&mut self, id: usize) -> anyhow::Result<()> {
        let state = &mut self.trials[id];
        state.rounds += 1;
        match state.inquiry.next(&state.seen) {
            Next::Done(judgement) => {
                let seconds = state
                    .seen
                    .values()
                    .map(|seen| seen.wall.as_secs_f64())
                    .fold(0.0, std::ops::Add::add);
                let grading = Grading {
                    judgement,
                    executed: state.executed,
                    seconds,
                };
                self.trial_answered(id, &Arc::new(grading));
                return Ok(());
            }
            Next::Ask(asks) => {
                let asks = asks.into_vec();
                if state.rounds > MAX_ROUNDS || asks.iter().any(|ask| state.seen.contains_key(ask))
                {
                    bail!("a grader asks again for what it knows");
                }
                for step in asks {
                    self.want_step(id, step);
                }
            }
        }
        if self.trials[id].missing == 0 {
            self.ready.push_back(Ready::Trial(id));
        }
        Ok(())
    }

    fn want_step(&mut self, trial: usize, step: Step) {
        match self.steps.get_mut(&step.key()) {
            Some(StepState::Answered {
                observation,
                executed,
            }) => {
                self.trials[trial].executed |= *executed;
                self.trials[trial]
                    .seen
                    .insert(step, Arc::clone(observation));
            }
            Some(StepState::Running { waiters, .. }) => {
                waiters.push(trial);
                self.trials[trial].missing += 1;
            }
            None => {
                let key = step.key();
                if let Some(observation) = self.memory.get(&step) {
                    let state = StepState::Answered {
                        observation: Arc::clone(&observation),
                        executed: false,
                    };
                    self.steps.insert(key, state);
                    self.trials[trial].seen.insert(step, observation);
                    return;
                }
                self.trials[trial].missing += 1;
                self.scheduler.submit(step.clone());
                self.steps.insert(
                    key,
                    StepState::Running {
                        step,
                        waiters: vec![trial],
                    },
                );
            }
        }
    }

    /// A step was run.
    fn answered(&mut self, key: Digest, observation: Observation) {
        let observation = Arc::new(observation);
        let Some(StepState::Running { step, waiters }) = self.steps.remove(&key) else {
            return;
        };
        let executed = step.starts_a_process();
        let state = StepState::Answered {
            observation: Arc::clone(&observation),
            executed,
        };
        self.steps.insert(key, state);
        self.memory.put(&step, &observation);
        for trial in waiters {
            let state = &mut self.trials[trial];
            state.seen.insert(step.clone(), Arc::clone(&observation));
            state.executed |= executed;
            state.missing -= 1;
            if state.missing == 0 {
                self.ready.push_back(Ready::Trial(trial));
            }
        }
    }

    fn trial_answered(&mut self, id: usize, grading: &Arc<Grading>) {
        let state = &mut self.trials[id];
        // What led to the answer is not needed any more, and there may be thousands.
        state.seen.clear();
        state.answer = Some(Arc::clone(grading));
        for row in std::mem::take(&mut state.waiters) {
            let waiting = &mut self.rows[row];
            waiting
                .seen
                .insert(state.trial.clone(), Arc::clone(grading));
            waiting.missing -= 1;
            if waiting.missing == 0 {
                self.ready.push_back(Ready::Row(row));
            }
        }
    }
}
