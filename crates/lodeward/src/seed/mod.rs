//! Where a crawl begins.
