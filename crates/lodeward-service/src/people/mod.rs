//! Users, passwords, tokens, sessions: who somebody is.
