//! What the Role Attribute adds (<https://www.w3.org/TR/role-attribute/>).

use super::attributes::Attributes;
use super::context::XHV;
use super::names::{Scope, Use, is_term};
use super::walk::Walk;

impl Walk<'_> {
    /// States the roles of an element, which have nothing to do with the rest.
    pub(super) fn state_roles(&mut self, attributes: &Attributes<'_>, scope: &Scope) {
        let Some(roles) = attributes.role else { return };
        let named = attributes.id.map(|id| self.names.iri(&format!("#{}", id.trim_ascii()), scope));
        let subject = named.unwrap_or_else(|| self.names.blanks.fresh());
        for name in roles.split_ascii_whitespace() {
            let role =
                if is_term(name) { self.names.joined(XHV, name) } else { self.names.name(name, Use::Other, scope) };
            if let Some(role) = role {
                self.state(&subject, &format!("{XHV}role").into(), role.into());
            }
        }
    }
}
