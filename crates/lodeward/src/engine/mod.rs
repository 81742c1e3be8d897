//! The loop that joins the rooms.
