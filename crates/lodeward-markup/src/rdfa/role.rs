//! The Role Attribute (<https://www.w3.org/TR/role-attribute/>).

use super::attributes::RdfaAttributes;
use super::context::XHV;
use super::names::{NameUse, RdfaScope, is_term};
use super::walk::RdfaWalk;

impl RdfaWalk<'_> {
    /// Writes the roles of an element, which are independent of its other attributes.
    pub(super) fn emit_roles(&mut self, attributes: &RdfaAttributes<'_>, scope: &RdfaScope) {
        let Some(roles) = attributes.role else { return };
        let named = attributes.id.map(|id| self.names.iri(&format!("#{}", id.trim_ascii()), scope));
        let subject = named.unwrap_or_else(|| self.names.blanks.new_node());
        for name in roles.split_ascii_whitespace() {
            let role =
                if is_term(name) { self.names.join(XHV, name) } else { self.names.name(name, NameUse::Other, scope) };
            if let Some(role) = role {
                self.emit(&subject, &format!("{XHV}role").into(), role.into());
            }
        }
    }
}
