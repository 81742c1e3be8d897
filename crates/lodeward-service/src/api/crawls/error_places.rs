//! Places of errors in the request for a crawl.

use lodeward_app::seeds::labels::collapse_whitespace;
use lodeward_app::seeds::{SeedProblem, SeedProblemInput, SeedProblems};
use lodeward_app::settings::SettingProblem;

use super::order::NewCrawl;
use crate::jobs::JobError;
use crate::problem::{Problem, ProblemError};

/// The parts of a request that errors can name.
pub(super) struct ErrorPlaces {
    labels: Vec<String>,
    roles: Vec<String>,
    /// Settings that the request sets outside of `settings`: key and place.
    settings: Vec<(String, String)>,
}

impl ErrorPlaces {
    pub(super) fn new(request: &NewCrawl) -> Self {
        Self {
            labels: request.labels.iter().map(|label| collapse_whitespace(label)).collect(),
            roles: request.roles.clone(),
            settings: request.setting_places(),
        }
    }

    /// Converts an error into a problem with its single errors.
    pub(super) fn locate(&self, error: JobError) -> Problem {
        let errors: Vec<ProblemError> = match &error {
            JobError::Seeds(problems) | JobError::Policy(problems) => self.seed_errors(problems).collect(),
            JobError::SeedsAndPolicy(problems, violations) => {
                self.seed_errors(problems).chain(self.seed_errors(violations)).collect()
            }
            JobError::Config(problems) => problems.0.iter().map(|problem| self.setting_error(problem)).collect(),
            JobError::Settings(detail) => vec![error_at("/settings", detail)],
            JobError::Template(failure) => vec![error_at("/template", &failure.to_string())],
            JobError::NameTaken(_) => vec![error_at("/name", &error.to_string())],
            _ => Vec::new(),
        };
        Problem::from(error).with_errors(errors)
    }

    fn seed_errors(&self, problems: &SeedProblems) -> impl Iterator<Item = ProblemError> {
        problems.first().iter().map(|SeedProblem { location, message, hint, input }| {
            let detail = location.iter().map(|place| format!("{place}: ")).chain([message.clone()]).collect();
            ProblemError { at: self.seed_place(input.as_ref()), detail, hint: hint.clone(), from: None, to: None }
        })
    }

    fn seed_place(&self, input: Option<&SeedProblemInput>) -> String {
        let index = |list: &[String], name: &String| list.iter().position(|item| item == name);
        match input {
            Some(SeedProblemInput::Uri(index)) => format!("/seeds/{index}"),
            // A text that is not a label of the request comes from the template.
            Some(SeedProblemInput::Text(text)) => match index(&self.labels, text) {
                Some(index) => format!("/labels/{index}"),
                None => "/template".to_owned(),
            },
            Some(SeedProblemInput::Placeholder(name)) => {
                format!("/values/{}", name.replace('~', "~0").replace('/', "~1"))
            }
            Some(SeedProblemInput::Role(name)) => {
                index(&self.roles, name).map_or_else(String::new, |at| format!("/roles/{at}"))
            }
            _ => String::new(),
        }
    }

    fn setting_error(&self, SettingProblem { message, hint, key, .. }: &SettingProblem) -> ProblemError {
        let at = match key {
            Some(key) => match self.settings.iter().find(|(known, _)| known == key) {
                Some((_, place)) => place.clone(),
                None => format!("/settings/{}", key.replace('.', "/")),
            },
            None => "/settings".to_owned(),
        };
        ProblemError { hint: hint.clone(), ..error_at(&at, message) }
    }
}

fn error_at(at: &str, detail: &str) -> ProblemError {
    ProblemError { at: at.to_owned(), detail: detail.to_owned(), ..ProblemError::default() }
}
