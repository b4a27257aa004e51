//! The tasks of the lanes that look at the checked-out tree itself.

use std::sync::Arc;

use serde_json::json;

use crate::experiments::gate::tree::GradedTree;
use crate::experiments::replay::Gone;
use crate::graders::{self, GraderKind};
use crate::model::class::Level;
use crate::model::consumer::Consumer;
use crate::model::grader::GraderSpec;
use crate::model::row::{At, Row};
use crate::model::toolchain::Toolchain;
use crate::model::tree_pins::{Subject, TreePins};
use crate::run::driver::Task;
use crate::suite::headers::PublicHeader;
use crate::suite::{Config, Suite, consumers, flags, headers};

use super::Bench;

/// One lane of the tree: its name, which is the id of its grader, and its tasks.
pub struct TreeLane {
    /// The name.
    pub name: &'static str,
    /// A task for each row.
    pub tasks: Vec<Task<Row>>,
    /// A row that says so where head declares the lane and nothing is in it: what silently does
    /// nothing must not look green.
    pub nothing: Option<Row>,
}

/// The flags of the tree's own graders, for a compiler whose identity depends on them.
pub(super) fn flags_of(suite: &Suite) -> impl Iterator<Item = &Vec<String>> {
    let config = &suite.config;
    let header = &config.standalone_header;
    [&header.flags, &header.c_flags, &config.consumer_link.flags].into_iter()
}

impl Bench<'_> {
    /// The lanes of the tree that have goldens at head or at the base. `seeds`: with those that
    /// are known to be bad.
    #[must_use]
    pub fn tree_lanes(&self, seeds: bool) -> Vec<TreeLane> {
        let lanes = [self.consumers(seeds), self.headers(seeds)];
        let has_any = |lane: &TreeLane| lane.nothing.is_some() || !lane.tasks.is_empty();
        lanes.into_iter().flatten().filter(has_any).collect()
    }

    fn consumers(&self, seeds: bool) -> Option<TreeLane> {
        let kind = graders::find(consumers::GRADER)?;
        let spec = Arc::new(consumer_link(&self.suite.config, kind));
        let rows = self.suite.consumers.iter();
        let rows = rows.filter(|it| seeds || kind.passing_class() == Some(&it.expect_class));
        let mut tasks: Vec<_> = rows.map(|it| self.consumer(it, &spec, kind)).collect();
        if seeds {
            let ids = |suite: &Suite| -> Vec<(String, String)> {
                let consumers = suite.consumers.iter();
                consumers
                    .map(|it| (it.id.clone(), it.path.clone()))
                    .collect()
            };
            tasks.extend(self.gone_from(kind, ids));
        }
        Some(TreeLane {
            name: kind.kind,
            tasks,
            nothing: None,
        })
    }

    fn consumer(
        &self,
        consumer: &Arc<Consumer>,
        spec: &Arc<GraderSpec>,
        kind: &'static GraderKind,
    ) -> Task<Row> {
        let subject = Subject::Consumer(Arc::clone(consumer));
        let declared_at = at(&consumer.path);
        self.graded_tree(GradedTree {
            pins: self.tree_pins(subject, spec),
            base: None,
            kind,
            expect_class: consumer.expect_class.clone(),
            declared_at,
            command: self.tree_command(),
        })
    }

    fn headers(&self, seeds: bool) -> Option<TreeLane> {
        let kind = graders::find(headers::GRADER)?;
        let spec = Arc::new(standalone_header(&self.suite.config, kind, self.pairs));
        let rows = self.suite.headers.headers.iter();
        let rows = rows.filter(|it| seeds || kind.passing_class() == Some(&it.expect_class));
        let at_base = self.base.map(|base| {
            let spec = standalone_header(&base.config, kind, self.pairs);
            (base.headers.headers.as_slice(), Arc::new(spec))
        });
        let spec_then = |path: &String| {
            let (listed, then) = at_base.as_ref()?;
            let found = listed.binary_search_by(|public| public.header.path.cmp(path));
            found.is_ok().then_some(then)
        };
        let header = |public: &PublicHeader| {
            let then = spec_then(&public.header.path).unwrap_or(&spec);
            self.header(public, (&spec, then), kind)
        };
        let mut tasks: Vec<_> = rows.map(header).collect();
        if seeds {
            let ids = |suite: &Suite| -> Vec<(String, String)> {
                let headers = suite.headers.headers.iter();
                headers
                    .map(|it| (it.header.path.clone(), it.at.path.clone()))
                    .collect()
            };
            tasks.extend(self.gone_from(kind, ids));
        }
        Some(TreeLane {
            name: kind.kind,
            tasks,
            nothing: self.no_header(kind),
        })
    }

    fn header(
        &self,
        public: &PublicHeader,
        (spec, spec_then): (&Arc<GraderSpec>, &Arc<GraderSpec>),
        kind: &'static GraderKind,
    ) -> Task<Row> {
        let header = &public.header;
        let base = self.headers_at_base.get(&header.path);
        let base = base.map(|then| self.tree_pins(Subject::Header(Arc::clone(then)), spec_then));
        self.graded_tree(GradedTree {
            pins: self.tree_pins(Subject::Header(Arc::clone(header)), spec),
            base,
            kind,
            expect_class: public.expect_class.clone(),
            declared_at: At {
                path: header.path.clone(),
                line: 1,
            },
            command: self.tree_command(),
        })
    }

    /// The consumer or the header that `row` is about.
    pub(super) fn tree_source(&self, row: &Row) -> Option<(&'static str, Arc<[u8]>)> {
        match row.grader.as_deref()? {
            consumers::GRADER => {
                let mut consumers = self.suite.consumers.iter();
                let consumer = consumers.find(|it| it.id == row.id)?;
                let text = consumer.files.get(&consumer.file)?;
                Some(("consumer.cpp", Arc::clone(&text.bytes)))
            }
            headers::GRADER => {
                let mut headers = self.suite.headers.headers.iter();
                let header = &headers.find(|it| it.header.path == row.id)?.header;
                let text = header.tree.get(&header.path)?;
                Some(("header.h", Arc::clone(&text.bytes)))
            }
            _ => None,
        }
    }

    /// A row about a list that lists nothing.
    fn no_header(&self, kind: &GraderKind) -> Option<Row> {
        let declared = &self.suite.headers;
        let at = declared.declared.as_ref()?;
        let class = kind
            .classes
            .iter()
            .find(|class| class.level == Level::Incomplete)?;
        let why = "there is no public header: nothing is listed, and no glob matches";
        let mut row = Row::new(&at.path, class, why);
        row.grader = Some(kind.kind.to_owned());
        row.at = Some(at.clone());
        row.repro = self.tree_command();
        declared.headers.is_empty().then_some(row)
    }

    fn graded_tree(&self, graded: GradedTree) -> Task<Row> {
        let id = graded.pins.subject.id().to_owned();
        let name = graded.kind.kind;
        self.task("grade", (&id, name), Box::new(graded))
    }

    /// What the lane of `kind` holds at the base and not at head: ids and the files that declare
    /// them.
    fn gone_from(
        &self,
        kind: &GraderKind,
        ids: impl Fn(&Suite) -> Vec<(String, String)>,
    ) -> Vec<Task<Row>> {
        let now: std::collections::BTreeSet<_> =
            ids(self.suite).into_iter().map(|(id, _)| id).collect();
        let before = self.base.map(&ids).unwrap_or_default();
        let gone = before.into_iter().filter(|(id, _)| !now.contains(id));
        gone.map(|(id, path)| {
            let inquiry = Box::new(Gone::new(&id, &path, kind.kind));
            self.task("grade", (&id, kind.kind), inquiry)
        })
        .collect()
    }

    fn tree_pins(&self, subject: Subject, spec: &Arc<GraderSpec>) -> TreePins {
        let flags: Vec<String> = spec.settings["flags"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|flag| flag.as_str().map(str::to_owned))
            .collect();
        let toolchain: Option<&Toolchain> = self.compiler.as_ref().ok();
        let identity = toolchain.map(|toolchain| toolchain.identity(&flags));
        TreePins::new(subject, Arc::clone(spec), identity)
    }

    fn tree_command(&self) -> String {
        match self.base_name {
            Some(base) => format!("driftgate check --base {base}"),
            None => "driftgate check".to_owned(),
        }
    }
}

fn at(path: &str) -> At {
    At {
        path: path.to_owned(),
        line: 1,
    }
}

/// The grader of headers as `config` sets it.
fn standalone_header(config: &Config, kind: &'static GraderKind, pairs: bool) -> GraderSpec {
    let header = &config.standalone_header;
    let (flags, _) = flags::rooted(&header.flags);
    let mut settings = json!({"flags": flags, "c_flags": header.c_flags});
    if pairs {
        settings[graders::standalone_header::PAIRS] = json!(true);
    }
    spec(kind, settings)
}

/// The grader of consumers as `config` sets it.
fn consumer_link(config: &Config, kind: &'static GraderKind) -> GraderSpec {
    let link = &config.consumer_link;
    let (flags, _) = flags::rooted(&link.flags);
    spec(
        kind,
        json!({"flags": flags, "levels": link.levels, "mode": link.mode}),
    )
}

fn spec(kind: &'static GraderKind, settings: serde_json::Value) -> GraderSpec {
    GraderSpec {
        id: kind.kind.to_owned(),
        kind: kind.kind,
        rev: kind.rev,
        settings,
        inputs: Vec::new(),
        path: None,
    }
}
