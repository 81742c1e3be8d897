//! Parses the strategies of an evaluation, with their settings, from names.
//!
//! Examples: `learned`, `ldcoc:links=rdf,features=+t`, `oracle`. The settings follow the name. A
//! setting is written with section and key (`politeness.delay=0`); with the key alone, if the key
//! is in `[strategy]`, `[crawl]`, `[ranking]` or a subsection of these; or with a name of
//! [`StrategyTuning`] (`learned:noise=0,breadth=0`). `learned` starts without the shipped model,
//! unless `learned:prior=true` is set.

use lodeward::engine::FollowedLinks;
use lodeward::select::{Strategy, StrategyError};
use lodeward_app::assemble;
use lodeward_app::settings::{
    self, Assignment, Config, ROWS, SettingProblem, SettingProblems, SettingSources, StrategyTuning,
};

/// A strategy of an evaluation with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// The name of the strategy with its settings, as given by the user.
    pub name: String,
    /// Whether it is the oracle or a strategy of the crawler.
    pub kind: ContenderKind,
}

/// The kind of a contender.
#[derive(Clone, Debug, PartialEq)]
pub enum ContenderKind {
    /// The oracle, which knows the labels.
    Oracle,
    /// A strategy of the crawler.
    Strategy(Box<Config>),
}

impl Contender {
    /// Parses a name with settings. `assignments`, such as `noise=0`, are set for every strategy;
    /// settings after the name override them.
    pub fn parse(name: &str, assignments: &[String]) -> Result<Self, SettingProblems> {
        let (strategy, own) = name.split_once(':').unwrap_or((name, ""));
        if strategy == "oracle" {
            return Ok(Self { name: name.to_owned(), kind: ContenderKind::Oracle });
        }
        let mut settings = ContenderSettings::default();
        // The shipped model may have been trained on the recorded web, so it is not used by default.
        settings.add("strategy.learned.prior=false", "by default");
        for assignment in assignments {
            settings.add(assignment, &format!("--set {assignment}"));
        }
        settings.add(&format!("crawl.strategy={strategy}"), &format!("strategy `{name}`"));
        for assignment in own.split(',').filter(|assignment| !assignment.is_empty()) {
            settings.add(assignment, &format!("strategy `{name}`"));
        }
        Ok(Self { name: name.to_owned(), kind: ContenderKind::Strategy(Box::new(settings.resolve()?)) })
    }

    /// Which links the strategy follows.
    #[must_use]
    pub fn links(&self) -> FollowedLinks {
        match &self.kind {
            ContenderKind::Oracle => FollowedLinks::All,
            ContenderKind::Strategy(config) => settings::followed_links(config),
        }
    }

    /// The number of siblings per link that the strategy uses.
    #[must_use]
    pub fn max_siblings(&self) -> usize {
        match &self.kind {
            ContenderKind::Oracle => 0,
            ContenderKind::Strategy(config) => settings::max_siblings(config),
        }
    }

    /// A new instance of the strategy; `None` for the oracle.
    pub fn strategy(&self, seed: u64) -> Result<Option<Box<dyn Strategy>>, StrategyError> {
        let ContenderKind::Strategy(config) = &self.kind else { return Ok(None) };
        let mut config = config.clone();
        config.crawl.rng_seed = seed;
        assemble::strategy(&config, None).map(Some)
    }
}

/// Sections whose keys can be written without their section, in the order of search.
const SHORT_SECTIONS: &[&str] = &["strategy", "crawl", "ranking"];

/// Settings of one strategy, collected from `--set` flags and from the strategy's name.
#[derive(Default)]
struct ContenderSettings {
    assignments: Vec<Assignment>,
    tuning: StrategyTuning,
    problems: Vec<SettingProblem>,
}

impl ContenderSettings {
    fn add(&mut self, assignment: &str, place: &str) {
        let problem = |message: String, hint: &str| SettingProblem {
            location: place.to_owned(),
            message,
            hint: (!hint.is_empty()).then(|| hint.to_owned()),
            key: None,
        };
        let Some((key, value)) = assignment.split_once('=') else {
            let message = format!("`{assignment}` is not a setting");
            return self.problems.push(problem(message, "write key=value, such as noise=0"));
        };
        if StrategyTuning::KEYS.contains(&key) {
            return self.problems.extend(self.tuning.set(key, value).err().map(|message| problem(message, "")));
        }
        let Some(key) = full_key(key) else {
            let message = format!("`{key}` is not a key of [strategy], [crawl] or [ranking]");
            return self.problems.push(problem(message, "write keys of other sections as section.key=value"));
        };
        self.assignments.push(Assignment { key, value: value.to_owned(), origin: place.to_owned() });
    }

    fn resolve(self) -> Result<Config, SettingProblems> {
        if !self.problems.is_empty() {
            return Err(SettingProblems(self.problems));
        }
        let sources = SettingSources { assignments: self.assignments, ..SettingSources::default() };
        let mut config = settings::resolve(&sources)?.config;
        config.strategy.tuning = self.tuning;
        Ok(config)
    }
}

/// Adds the section to a key; `None` if no section in [`SHORT_SECTIONS`] has this key.
fn full_key(key: &str) -> Option<String> {
    if key.contains('.') {
        return Some(key.to_owned());
    }
    let is_below = |section: &str, top: &str| section.split('.').next() == Some(top);
    let find = |top: &&str| ROWS.iter().find(|row| is_below(row.section, top) && row.key == key);
    SHORT_SECTIONS.iter().find_map(find).map(lodeward_app::settings::SettingRow::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(name: &str, assignments: &[&str]) -> Config {
        let assignments: Vec<String> = assignments.iter().map(|text| (*text).to_owned()).collect();
        match Contender::parse(name, &assignments).unwrap().kind {
            ContenderKind::Strategy(config) => *config,
            ContenderKind::Oracle => panic!("{name} is not the oracle"),
        }
    }

    #[test]
    fn a_name_may_be_followed_by_settings() {
        let ldcoc = config("ldcoc:links=rdf,features=+t", &["strategy.ldcoc.epsilon=0.5", "features=+t+r"]);

        assert_eq!(ldcoc.crawl.strategy, settings::StrategyKind::Ldcoc);
        assert_eq!(ldcoc.crawl.links, FollowedLinks::Rdf);
        assert_eq!(ldcoc.strategy.ldcoc.features, "+t");
        assert!((ldcoc.strategy.ldcoc.epsilon - 0.5).abs() < 1e-9);
        assert!(Contender::parse("ldcoc:features=+t+x", &[]).unwrap().max_siblings() > 0);
        assert!(
            !config("learned", &[]).strategy.learned.prior && config("learned:prior=true", &[]).strategy.learned.prior
        );
        assert_eq!(Contender::parse("bfs-rdf", &[]).unwrap().links(), FollowedLinks::Rdf);
        assert_eq!(Contender::parse("oracle", &[]).unwrap().kind, ContenderKind::Oracle);
    }

    #[test]
    fn invalid_settings_are_reported_with_their_source() {
        let check = |name: &str, assignments: &[&str], expected: &str| {
            let assignments: Vec<String> = assignments.iter().map(|text| (*text).to_owned()).collect();
            let message = Contender::parse(name, &assignments).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        };

        check("anthelion", &[], "strategy `anthelion`: crawl.strategy: `anthelion` is not one of learned, ");
        check("bfs:nois=1", &[], "strategy `bfs:nois=1`: `nois` is not a key of [strategy], [crawl] or [ranking]");
        check("bfs", &["noise=much"], "--set noise=much: noise: ");
        check("bfs", &["noise"], "--set noise: `noise` is not a setting; hint: write key=value, such as noise=0");
    }
}
