//! Where URIs wait, politely.
