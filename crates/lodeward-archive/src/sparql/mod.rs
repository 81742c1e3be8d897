//! SPARQL 1.1 on an archive: queries, updates, their bounds, their answers.
