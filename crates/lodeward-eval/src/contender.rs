//! Strategies by what people call them.
//!
//! `learned`; `ldcoc:links=rdf,features=+t`; `oracle`. After the name come
//! settings, by their key in `[select]`, or else in `[crawl]`, or else in
//! `[focus]`, or by section and key: `learned:noise=0,politeness.delay_ms=0`. The prior that `learned` is shipped
//! with takes no part unless it is said (`learned:prior=true`).

use lodeward::config::{self, Config, ENVIRONMENT_PREFIX, KEYS, Problem, Problems, Sources};
use lodeward::engine::LinkKinds;
use lodeward::open;
use lodeward::select::{Strategy, StrategyError};

/// A strategy as it takes part: its name, and all of its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// What it was called.
    pub name: String,
    /// Who it is.
    pub who: Who,
}

/// Who takes part.
#[derive(Clone, Debug, PartialEq)]
pub enum Who {
    /// The one who knows the labels.
    Oracle,
    /// A strategy of the crawler.
    Strategy(Box<Config>),
}

impl Contender {
    /// Reads what somebody is called. `assignments`, such as `select.noise=0`,
    /// hold for everybody, unless the name says otherwise.
    pub fn parse(name: &str, assignments: &[String]) -> Result<Self, Problems> {
        let (strategy, own) = name.split_once(':').unwrap_or((name, ""));
        if strategy == "oracle" {
            return Ok(Self { name: name.to_owned(), who: Who::Oracle });
        }
        let mut said = Said::default();
        // What is shipped may have been learned from the very web.
        said.add("select.prior=false", "by default");
        for assignment in assignments {
            said.add(assignment, &format!("--set {assignment}"));
        }
        said.add(&format!("crawl.strategy={strategy}"), &format!("strategy `{name}`"));
        for assignment in own.split(',').filter(|assignment| !assignment.is_empty()) {
            said.add(assignment, &format!("strategy `{name}`"));
        }
        Ok(Self { name: name.to_owned(), who: Who::Strategy(Box::new(said.resolve()?)) })
    }

    /// Which links it follows.
    #[must_use]
    pub fn links(&self) -> LinkKinds {
        match &self.who {
            Who::Oracle => LinkKinds::All,
            Who::Strategy(config) => open::link_kinds(config),
        }
    }

    /// How many siblings of a link it looks at.
    #[must_use]
    pub fn siblings_max(&self) -> usize {
        match &self.who {
            Who::Oracle => 0,
            Who::Strategy(config) => open::siblings_max(config),
        }
    }

    /// The strategy itself, new; `None` for the oracle, who is none.
    pub fn strategy(&self, seed: u64) -> Result<Option<Box<dyn Strategy>>, StrategyError> {
        let Who::Strategy(config) = &self.who else { return Ok(None) };
        let mut config = config.clone();
        config.crawl.seed = seed;
        open::strategy(&config, None).map(Some)
    }
}

/// What is said about settings. A value is written as in the environment, where
/// it has no type either.
#[derive(Default)]
struct Said {
    variables: Vec<(String, String)>,
    places: Vec<(String, String)>,
    problems: Vec<Problem>,
}

impl Said {
    fn add(&mut self, assignment: &str, place: &str) {
        let problem = |what: String, hint: &str| Problem { place: place.to_owned(), what, hint: Some(hint.to_owned()) };
        let Some((key, value)) = assignment.split_once('=') else {
            let what = format!("`{assignment}` is not a setting");
            return self.problems.push(problem(what, "write it as select.noise=0"));
        };
        let home = |section: &str| KEYS.iter().any(|(name, keys)| *name == section && keys.contains(&key));
        let full = match key.split_once('.') {
            Some((section, key)) => Some((section, key)),
            None => {
                ["select", "crawl", "focus"].into_iter().find(|section| home(section)).map(|section| (section, key))
            }
        };
        let Some((section, key)) = full else {
            let what = format!("`{key}` is no key of [select], [crawl] or [focus]");
            return self.problems.push(problem(what, "for another section write section.key=value"));
        };
        let variable = format!("{ENVIRONMENT_PREFIX}{section}_{key}").to_ascii_uppercase();
        self.variables.retain(|(known, _)| *known != variable);
        self.places.retain(|(known, _)| *known != variable);
        self.variables.push((variable.clone(), value.to_owned()));
        self.places.push((variable, place.to_owned()));
    }

    fn resolve(self) -> Result<Config, Problems> {
        if !self.problems.is_empty() {
            return Err(Problems(self.problems));
        }
        let resolved = config::resolve(&Sources { environment: self.variables, ..Sources::default() });
        let place = |variable: &str| {
            let place = self.places.iter().find(|(known, _)| known == variable);
            place.map_or_else(|| variable.to_owned(), |(_, place)| place.clone())
        };
        resolved.map(|effective| effective.config).map_err(|Problems(problems)| {
            Problems(problems.into_iter().map(|problem| Problem { place: place(&problem.place), ..problem }).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(name: &str, assignments: &[&str]) -> Config {
        let assignments: Vec<String> = assignments.iter().map(|text| (*text).to_owned()).collect();
        match Contender::parse(name, &assignments).unwrap().who {
            Who::Strategy(config) => *config,
            Who::Oracle => panic!("{name} is not the oracle"),
        }
    }

    #[test]
    fn a_name_may_be_followed_by_settings() {
        let ldcoc = config("ldcoc:links=rdf,features=+t", &["select.epsilon=0.5", "features=+t+r"]);

        assert_eq!(ldcoc.crawl.strategy, config::Strategy::Ldcoc);
        assert_eq!(ldcoc.crawl.links, config::Links::Rdf);
        assert_eq!(ldcoc.select.features, "+t");
        assert!((ldcoc.select.epsilon - 0.5).abs() < 1e-9);
        assert!(Contender::parse("ldcoc:features=+t+x", &[]).unwrap().siblings_max() > 0);
        assert!(!config("learned", &[]).select.prior && config("learned:prior=true", &[]).select.prior);
        assert_eq!(Contender::parse("bfs-rdf", &[]).unwrap().links(), LinkKinds::Rdf);
        assert_eq!(Contender::parse("oracle", &[]).unwrap().who, Who::Oracle);
    }

    #[test]
    fn what_cannot_be_meant_is_told_with_its_place() {
        let check = |name: &str, assignments: &[&str], expected: &str| {
            let assignments: Vec<String> = assignments.iter().map(|text| (*text).to_owned()).collect();
            let told = Contender::parse(name, &assignments).unwrap_err().to_string();
            assert!(told.starts_with(expected), "{told}");
        };

        check("anthelion", &[], "strategy `anthelion`: crawl.strategy: `anthelion` is none of learned, ");
        check("bfs:nois=1", &[], "strategy `bfs:nois=1`: `nois` is no key of [select], [crawl] or [focus]");
        check("bfs", &["select.noise=much"], "--set select.noise=much: select.noise: ");
        check("bfs", &["noise"], "--set noise: `noise` is not a setting; write it as select.noise=0");
    }
}
