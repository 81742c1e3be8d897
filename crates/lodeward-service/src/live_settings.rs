//! The settings of the service, which can be reloaded while it runs.

use std::sync::{Arc, PoisonError, RwLock};

use lodeward_app::settings::{self, Config, EffectiveSetting, EffectiveSettings, SettingSources};

/// The settings, which can be reloaded while the service runs.
pub(crate) struct LiveSettings(RwLock<Arc<CurrentSettings>>);

/// The current settings.
pub(crate) struct CurrentSettings {
    /// The sources of the settings.
    pub(crate) sources: SettingSources,
    /// The resolved settings.
    pub(crate) config: Config,
    /// Every setting with its value and source.
    pub(crate) settings: Vec<EffectiveSetting>,
}

impl LiveSettings {
    pub(crate) fn new(sources: SettingSources) -> Result<Self, settings::SettingProblems> {
        Ok(Self(RwLock::new(Arc::new(CurrentSettings::new(sources)?))))
    }

    /// The current settings.
    pub(crate) fn current(&self) -> Arc<CurrentSettings> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the settings. If they are invalid, nothing changes.
    pub(crate) fn replace(&self, sources: SettingSources) -> Result<(), settings::SettingProblems> {
        let current = Arc::new(CurrentSettings::new(sources)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = current;
        Ok(())
    }
}

impl CurrentSettings {
    fn new(sources: SettingSources) -> Result<Self, settings::SettingProblems> {
        let EffectiveSettings { config, settings, .. } = settings::resolve(&sources)?;
        Ok(Self { sources, config, settings })
    }
}
