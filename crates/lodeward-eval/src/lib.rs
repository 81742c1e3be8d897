//! Crawl strategies compared on recorded webs.
