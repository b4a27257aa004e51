//! Replay held against [`super::oracle`] in thousands of small worlds: what every edit, alone and
//! with others, does to a row.

use std::collections::{BTreeMap, BTreeSet};

use super::oracle::{self, BaseFacts, Corner, Expected, Facts};
use super::{differs, grader, grading_in, pass, signal, unjudged};
use crate::experiments::replay::*;
use crate::graders::io_match;
use crate::model::case::{Assemble, Case};
use crate::model::cassette::{Acceptance, AcceptedFrom, CassetteHashes};
use crate::model::digest::Digest;
use crate::model::grader::GraderSpec;
use crate::model::pins::Completion;
use crate::model::testing::{case, laws};

/// How many worlds are held against the oracle.
const WORLDS: u64 = 6_000;

/// Numbers that are the same for the same seed, everywhere (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// Once in `times`.
    fn once_in(&mut self, times: u64) -> bool {
        self.roll(times) == 0
    }

    fn outcome(&mut self) -> Outcome {
        match self.roll(10) {
            0..=3 => pass(),
            4..=6 => differs(),
            7..=8 => signal(),
            _ => unjudged(),
        }
    }
}

/// Where a grading takes place: which case, completion and grader.
type Place = (u8, u8, u8);

/// Everything a row depends on.
struct World {
    verdicts: BTreeMap<Place, Corner>,
    /// What was read outside the suite, a case each: another case may include other headers.
    system: [Option<Digest>; 2],
    base: Option<(Cassette, Place)>,
    head: (Cassette, Place),
    compared: bool,
}

fn a_case(variant: u8) -> Arc<Case> {
    let fixture = ["int f();", "int f(); // edited"][usize::from(variant)];
    Arc::new(case(Assemble::Append, fixture))
}

fn a_completion(variant: u8) -> Arc<Completion> {
    Arc::new(Completion::new(
        format!("int f() {{ return {variant}; }}").into_bytes(),
    ))
}

fn a_grader(variant: u8) -> Arc<GraderSpec> {
    let trim = ["none", "trailing"][usize::from(variant)];
    grader(&serde_json::json!({"trim": trim}))
}

fn earlier(spec: &GraderSpec) -> Digest {
    let mut earlier = spec.clone();
    earlier.rev -= 1;
    earlier.digest()
}

fn today() -> Digest {
    Digest::of(b"toolchain")
}

fn elsewhere() -> Digest {
    Digest::of(b"elsewhere")
}

fn pins((case, completion, grader): Place) -> Pins {
    Pins::new(
        a_case(case),
        a_completion(completion),
        a_grader(grader),
        Some(today()),
    )
}

impl World {
    fn roll(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let mut verdicts = BTreeMap::new();
        let nondeterministic = dice.once_in(3);
        let usual = dice.outcome();
        for case in 0..2 {
            for completion in 0..2 {
                for grader in 0..2 {
                    let first = match dice.roll(5) {
                        0 | 1 => dice.outcome(),
                        _ => usual.clone(),
                    };
                    let second = match nondeterministic && dice.once_in(2) {
                        true => dice.outcome(),
                        false => first.clone(),
                    };
                    verdicts.insert((case, completion, grader), Corner { first, second });
                }
            }
        }
        let one = Some(Digest::of(b"system"));
        let two = Some(Digest::of(b"another system"));
        let system = [one, if dice.once_in(4) { two } else { one }];
        let mut world = Self {
            verdicts,
            system,
            base: None,
            head: (blank(), (0, 0, 0)),
            compared: !dice.once_in(5),
        };
        world.roll_base(&mut dice);
        world.roll_head(&mut dice);
        world
    }

    fn first(&self, place: Place) -> Outcome {
        self.verdicts[&place].first.clone()
    }

    /// The cassette that `record` would leave at `place`, perhaps on another machine.
    fn recorded(&self, dice: &mut Dice, place: Place, outcome: Option<Outcome>) -> Cassette {
        let system = self.system[usize::from(place.0)];
        let now = pins(place).hashes(system);
        let mut hashes = CassetteHashes {
            prompt: now.prompt,
            fixture: now.fixture,
            contract: now.contract,
            grader: BTreeMap::from([("io_match".to_owned(), now.grader.unwrap())]),
            output: now.output,
            toolchain: today(),
            system,
        };
        if dice.once_in(3) {
            hashes.toolchain = elsewhere();
        }
        if dice.once_in(4) {
            hashes.system = [None, Some(elsewhere())][usize::from(dice.once_in(2))];
        }
        Cassette {
            hashes,
            verdicts: outcome
                .map(|one| ("io_match".to_owned(), one))
                .into_iter()
                .collect(),
            ..blank()
        }
    }

    /// The base: as recorded, or with inputs that moved since without a reason.
    fn roll_base(&mut self, dice: &mut Dice) {
        if dice.once_in(8) {
            return;
        }
        let place = (0, 0, 0);
        let outcome = match dice.roll(4) {
            0 => dice.outcome(),
            _ => self.first(place),
        };
        let outcome = (!dice.once_in(15)).then_some(outcome);
        let mut cassette = self.recorded(dice, place, outcome);
        if dice.once_in(5) {
            let spec = a_grader(0);
            let old = match dice.roll(3) {
                0 => elsewhere(),
                _ => earlier(&spec),
            };
            cassette.hashes.grader.insert("io_match".into(), old);
        }
        if dice.once_in(5) {
            match dice.roll(3) {
                0 => cassette.hashes.prompt = elsewhere(),
                1 => cassette.hashes.fixture = elsewhere(),
                _ => cassette.hashes.contract = elsewhere(),
            }
        }
        for _ in 0..dice.roll(3) {
            let from_place = (dice.roll(2) as u8, dice.roll(2) as u8, dice.roll(2) as u8);
            let outcome = Some(dice.outcome());
            let from = acceptance::state(&self.recorded(dice, from_place, outcome));
            cassette.accepted.push(reason("history", from));
        }
        self.base = Some((cassette, place));
    }

    fn roll_head(&mut self, dice: &mut Dice) {
        let moved = |dice: &mut Dice| u8::from(dice.once_in(3));
        let mut place: Place = (moved(dice), 0, moved(dice));
        let Some((base, _)) = &self.base else {
            let outcome = match dice.roll(5) {
                0 => Some(dice.outcome()),
                1 => None,
                _ => Some(self.first(place)),
            };
            let mut cassette = self.recorded(dice, place, outcome);
            if dice.once_in(4) {
                cassette.hashes.fixture = elsewhere();
            }
            if dice.once_in(4) {
                cassette
                    .hashes
                    .grader
                    .insert("io_match".into(), elsewhere());
            }
            self.head = (cassette, place);
            return;
        };
        let base = base.clone();
        let mut cassette = match dice.roll(12) {
            0..=3 => base,
            4..=5 => {
                place.1 = 1;
                let outcome = self.claim(dice, place);
                let accepted = base.accepted.clone();
                Cassette {
                    accepted,
                    ..self.recorded(dice, place, outcome)
                }
            }
            6..=8 => self.accepted(dice, &base, &mut place),
            9 => edited_by_hand(dice, base),
            10 => reverted(dice, base, &mut place),
            _ => Cassette {
                recorded_at: "another day".into(),
                stale: vec!["prompt".into()],
                ..base
            },
        };
        if dice.once_in(40) {
            cassette.hashes.output = elsewhere();
        }
        if dice.once_in(40) {
            let contradiction = Outcome::new(Status::Pass, "signal");
            cassette.verdicts.insert("io_match".into(), contradiction);
        }
        self.head = (cassette, place);
    }

    /// The right verdict of `place`, or any.
    fn claim(&self, dice: &mut Dice, place: Place) -> Option<Outcome> {
        Some(match dice.roll(4) {
            0 => dice.outcome(),
            _ => self.first(place),
        })
    }

    /// What `accept` leaves, once or twice, or something like it.
    fn accepted(&self, dice: &mut Dice, base: &Cassette, place: &mut Place) -> Cassette {
        place.1 = u8::from(dice.once_in(6));
        let outcome = self.claim(dice, *place);
        let mut cassette = self.recorded(dice, *place, outcome);
        let nowhere = AcceptedFrom {
            hashes: CassetteHashes {
                contract: elsewhere(),
                ..base.hashes.clone()
            },
            verdicts: base.verdicts.clone(),
        };
        cassette.accepted.clone_from(&base.accepted);
        let from = match dice.roll(5) {
            0 => nowhere.clone(),
            _ => acceptance::state(base),
        };
        cassette.accepted.push(reason("reviewed", from));
        if dice.once_in(4) {
            cassette.accepted.push(reason("reviewed again", nowhere));
        }
        if dice.once_in(6) {
            cassette
                .hashes
                .grader
                .insert("io_match".into(), elsewhere());
        }
        cassette
    }

    fn replay(&self) -> Replay {
        let (cassette, place) = &self.head;
        let before = match &self.base {
            _ if !self.compared => Before::Alone,
            Some((cassette, old)) if cassette.verdicts.contains_key("io_match") => {
                Before::Base(Box::new(Base {
                    cassette: Arc::new(cassette.clone()),
                    recorded: pins(*old),
                    regraded: pins((old.0, old.1, place.2)),
                    recased: pins((place.0, old.1, place.2)),
                }))
            }
            _ => Before::Nothing,
        };
        Replay {
            head: Some(pins(*place)),
            case: "c".into(),
            case_path: "goldens/cases/c.json".into(),
            grader: "io_match".into(),
            grader_path: None,
            cassette: Some(Arc::new(cassette.clone())),
            cassette_path: "goldens/cassettes/c.json".into(),
            known: KnownClasses {
                table: Some(io_match::CLASSES),
            },
            before,
            command: "driftgate replay".into(),
        }
    }

    fn answer(&self, trial: &Trial) -> Arc<Grading> {
        let Trial::Grade { pins: asked, nth } = trial else {
            panic!("replay asks for completions");
        };
        let (place, corner) = self
            .verdicts
            .iter()
            .find(|(place, _)| pins(**place) == *asked)
            .expect("asks for a place of this world");
        let outcome = match nth {
            0 => &corner.first,
            1 => &corner.second,
            _ => panic!("a third grading"),
        };
        let system = self.system[usize::from(place.0)];
        grading_in(system, outcome)
    }

    fn facts(&self) -> Facts {
        let (cassette, place) = &self.head;
        let claimed = cassette.verdicts.get("io_match").cloned();
        let based = self
            .base
            .as_ref()
            .filter(|(cassette, _)| self.compared && cassette.verdicts.contains_key("io_match"));
        let (recording, held_against) = based.unwrap_or(&self.head);
        let head = pins(*place).hashes(self.system[usize::from(place.0)]);
        let now = cassette.hashes_for("io_match");
        let case = |hashes: &crate::model::pins::Hashes| {
            (
                hashes.prompt,
                hashes.fixture,
                hashes.contract,
                hashes.grader,
                hashes.output,
            )
        };
        Facts {
            recorded: match (based, self.compared) {
                (Some((cassette, _)), _) => cassette.verdicts.get("io_match").cloned(),
                (None, true) => None,
                (None, false) => claimed.clone(),
            },
            since_recorded: match (based, self.compared) {
                (None, true) => BTreeSet::new(),
                _ => self.since(recording, *held_against),
            },
            base: based.map(|(cassette, old)| BaseFacts {
                cassette: cassette.clone(),
                second: self.verdicts[old].clone(),
                third: self.verdicts[&(old.0, old.1, place.2)].clone(),
                fourth: self.verdicts[&(place.0, old.1, place.2)].clone(),
                grader_moved: old.2 != place.2,
                case_moved: old.0 != place.0,
                completion_moved: old.1 != place.1,
            }),
            head: self.verdicts[place].clone(),
            claimed,
            output_intact: cassette.hashes.output == a_completion(place.1).digest,
            hashes_of_head: case(&now) == case(&head),
            machine_of_today: (now.toolchain, now.system) == (head.toolchain, head.system),
            cassette: cassette.clone(),
            has_base: self.compared,
        }
    }

    /// What differs between what `cassette` was recorded with and what lies at `place` now.
    fn since(&self, cassette: &Cassette, place: Place) -> BTreeSet<Input> {
        let (old, spec) = (&cassette.hashes, a_grader(place.2));
        let new = a_case(place.0);
        let mut moved = BTreeSet::new();
        if old.prompt != new.prompt
            || old.fixture != new.fixture_digest()
            || old.contract != new.contract_digest()
        {
            moved.insert(Input::Case);
        }
        let old_grader = old.grader["io_match"];
        if old_grader == earlier(&spec) {
            moved.insert(Input::Engine);
        } else if old_grader != spec.digest() {
            moved.insert(Input::Grader);
        }
        if old.toolchain != today() {
            moved.insert(Input::Toolchain);
        }
        // What could not be graded read nothing.
        if old.system != self.system[usize::from(place.0)]
            && self.verdicts[&place].first.status != Status::Unjudged
        {
            moved.insert(Input::System);
        }
        moved
    }
}

fn edited_by_hand(dice: &mut Dice, mut cassette: Cassette) -> Cassette {
    match dice.roll(4) {
        0 => cassette.hashes.system = Some(Digest::of(b"by hand")),
        1 => cassette.hashes.contract = Digest::of(b"by hand"),
        2 => drop(
            cassette
                .hashes
                .grader
                .insert("io_match".into(), Digest::of(b"by hand")),
        ),
        _ => drop(cassette.verdicts.insert("io_match".into(), dice.outcome())),
    }
    cassette
}

/// An earlier state, with or without the reasons given since.
fn reverted(dice: &mut Dice, base: Cassette, place: &mut Place) -> Cassette {
    let Some(Acceptance { from, .. }) = base.accepted.first().cloned() else {
        return base;
    };
    place.1 = u8::from(from.hashes.output == a_completion(1).digest);
    Cassette {
        hashes: from.hashes,
        verdicts: from.verdicts,
        accepted: base.accepted[..usize::from(dice.once_in(2))].to_vec(),
        ..base
    }
}

fn reason(text: &str, from: AcceptedFrom) -> Acceptance {
    Acceptance {
        reason: text.into(),
        at: String::new(),
        from,
    }
}

fn blank() -> Cassette {
    let zero = Digest::of(b"");
    Cassette {
        case: "c".into(),
        output: "cassettes/c.out".into(),
        recorded_at: String::new(),
        hashes: CassetteHashes {
            prompt: zero,
            fixture: zero,
            contract: zero,
            grader: BTreeMap::new(),
            output: zero,
            toolchain: zero,
            system: None,
        },
        toolchain: String::new(),
        verdicts: BTreeMap::new(),
        run: None,
        accepted: Vec::new(),
        stale: Vec::new(),
    }
}

fn row(world: &World) -> Row {
    let replay = world.replay();
    let mut seen = Seen::new();
    for _ in 0..8 {
        match replay.next(&seen) {
            Next::Done(row) => return row,
            Next::Ask(asks) => {
                for trial in asks.into_vec() {
                    let answer = world.answer(&trial);
                    seen.insert(trial, answer);
                }
            }
        }
    }
    panic!("asks without end");
}

fn told(row: &Row) -> Expected {
    let name = |name: &str| {
        let class = CLASSES.iter().find(|class| class.name == name);
        class.expect("a class of replay").name
    };
    Expected {
        class: name(&row.class),
        level: row.level,
        also: row.also.iter().map(|also| name(also)).collect(),
        moved: row.moved.clone(),
        explained: row.explained,
        inherited: row.inherited,
        before: row.before,
        after: row.after,
    }
}

#[test]
fn every_row_says_what_the_oracle_says() {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    let mut failures = Vec::new();
    for seed in 0..WORLDS {
        let world = World::roll(seed);
        let facts = world.facts();
        let (expected, told) = (oracle::expected(&facts), told(&row(&world)));
        *classes.entry(expected.class).or_default() += 1;
        if told != expected {
            failures.push((seed, facts, expected, told));
        }
    }
    if let Some((seed, facts, expected, told)) = failures.first() {
        let count = failures.len();
        panic!(
            "{count} of {WORLDS}; seed {seed}:\n{facts:#?}\nexpected {expected:#?}\ntold {told:#?}"
        );
    }
    let transitions = CLASSES.iter().filter(|class| class.name != "REMOVED");
    for class in transitions {
        let often = classes.get(class.name).copied().unwrap_or_default();
        assert!(
            often > WORLDS / 500,
            "{}: {often} worlds of {WORLDS}",
            class.name
        );
    }
}

#[test]
fn the_laws_of_inquiries_hold_in_every_world() {
    for seed in 0..WORLDS / 10 {
        let world = World::roll(seed);
        laws::check(&world.replay(), seed, |_, trial| world.answer(trial));
    }
}
