//! Why a running crawl is paused, in words.

use lodeward::engine::CrawlSnapshot;
use lodeward::time::format_iso8601;

use crate::disk_space::describe_shortage;

/// Why a crawl is paused, as a sentence without a period; `None` if it is not.
#[must_use]
pub fn pause_text(snapshot: &CrawlSnapshot) -> Option<String> {
    let hours = snapshot.paused_until_ms.map(|until_ms| {
        let until = format_iso8601(until_ms);
        format!("paused until {}: outside of the hours of the crawl (`crawl.hours`)", until.replace(":00.000Z", "Z"))
    });
    hours.or_else(|| snapshot.disk_shortage.map(describe_shortage))
}

#[cfg(test)]
mod tests {
    use lodeward::engine::DiskShortage;

    use super::*;

    #[test]
    fn the_reason_of_a_pause_is_named() {
        let disk_shortage = Some(DiskShortage { free_bytes: 1, min_free_bytes: 2 });
        let full = CrawlSnapshot { disk_shortage, ..CrawlSnapshot::default() };
        let closed = CrawlSnapshot { paused_until_ms: Some(79_200_000), ..full.clone() };

        assert_eq!(pause_text(&CrawlSnapshot::default()), None);
        assert!(pause_text(&full).unwrap().contains("disk space"));
        let text = "paused until 1970-01-01T22:00Z: outside of the hours of the crawl (`crawl.hours`)";
        assert_eq!(pause_text(&closed).unwrap(), text);
    }
}
