//! The check run: created as completed, so that one which is never finished cannot be left behind,
//! and annotated in as many further requests as it takes.

use http::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::report::check_run::{Annotation, CheckRun};

use super::api::{Api, Refusal};

/// The most annotations of one request; each further request appends.
const BATCH: usize = 50;

/// Where a check run belongs.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its name; a second one of the same name on the same commit replaces the first.
    pub name: &'a str,
    /// The commit.
    pub head: &'a str,
    /// Where a person can read more.
    pub url: Option<&'a str>,
}

/// What became of a check run.
#[derive(Debug, Default)]
pub struct Written {
    /// Whether there is one.
    pub created: bool,
    /// How many of its annotations are on it: the first ones.
    pub annotated: usize,
    /// What went wrong.
    pub refusal: Option<Refusal>,
}

impl Written {
    /// Nothing, for this reason.
    fn refused(refusal: Refusal) -> Self {
        Self {
            refusal: Some(refusal),
            ..Self::default()
        }
    }
}

#[derive(Deserialize)]
struct Created {
    id: u64,
}

/// Writes `run`. Annotations that GitHub refuses do not take the run itself with them.
pub async fn write(api: &Api, place: Place<'_>, run: &CheckRun) -> Written {
    let mut batches = run.annotations.chunks(BATCH);
    let first = batches.next().unwrap_or_default();
    let (created, mut written) = match create(api, place, run, first).await {
        Err(refusal) if refusal.status == Some(422) && !first.is_empty() => {
            return match create(api, place, run, &[]).await {
                Ok(_) => Written {
                    created: true,
                    ..Written::refused(refusal)
                },
                Err(refusal) => Written::refused(refusal),
            };
        }
        Err(refusal) => return Written::refused(refusal),
        Ok(created) => (
            created,
            Written {
                created: true,
                annotated: first.len(),
                refusal: None,
            },
        ),
    };
    for batch in batches {
        let body = json!({"output": output(run, batch)});
        let path = format!("check-runs/{}", created.id);
        match api.write(Method::PATCH, &path, &body).await {
            Ok(_) => written.annotated += batch.len(),
            Err(refusal) => {
                written.refusal = Some(refusal);
                break;
            }
        }
    }
    written
}

async fn create(
    api: &Api,
    place: Place<'_>,
    run: &CheckRun,
    annotations: &[Annotation],
) -> Result<Created, Refusal> {
    let mut body = json!({
        "name": place.name,
        "head_sha": place.head,
        "status": "completed",
        "conclusion": run.conclusion.as_str(),
        "output": output(run, annotations),
    });
    if let Some(url) = place.url {
        body["details_url"] = json!(url);
    }
    api.write(Method::POST, "check-runs", &body).await?.json()
}

fn output(run: &CheckRun, annotations: &[Annotation]) -> Value {
    let annotations: Vec<Value> = annotations.iter().map(annotation).collect();
    json!({"title": run.title, "summary": run.summary, "annotations": annotations})
}

fn annotation(annotation: &Annotation) -> Value {
    let mut fields = Map::new();
    fields.insert("path".to_owned(), json!(annotation.path));
    fields.insert("start_line".to_owned(), json!(annotation.start_line));
    fields.insert("end_line".to_owned(), json!(annotation.end_line));
    fields.insert(
        "annotation_level".to_owned(),
        json!(annotation.level.as_str()),
    );
    fields.insert("title".to_owned(), json!(annotation.title));
    fields.insert("message".to_owned(), json!(annotation.message));
    if let Some(details) = &annotation.raw_details {
        fields.insert("raw_details".to_owned(), json!(details));
    }
    Value::Object(fields)
}
