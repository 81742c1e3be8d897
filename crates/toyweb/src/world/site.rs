//! Sites: one pay-level domain each, with one host or two.

use super::World;
use super::chance::{Chance, Matter};
use super::faults::Fault;

/// Sites are held together as documents are: every fourth is sound and leads
/// to the next three and to two more of its like.
pub(crate) const SITE_STRIDE: u32 = 4;

/// What a site is like.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each with a share of its own")]
pub(crate) struct Site {
    pub(crate) number: u32,
    pub(crate) profile: Profile,
    /// Whether pages are on `www.` and data on `data.`.
    pub(crate) split: bool,
    /// Whether only HTML links lead here from other sites.
    pub(crate) island: bool,
    pub(crate) robots: RobotsFile,
    pub(crate) has_crawl_delay: bool,
    pub(crate) names_sitemap: bool,
    /// What ails the whole site.
    pub(crate) fault: Option<Fault>,
    /// Whether its HTML pages end in `.html`.
    pub(crate) html_extension: bool,
    /// Which of the customary names its sections have.
    pub(crate) custom: u8,
    /// How many documents it has.
    pub(crate) documents: u32,
    /// The share of its documents that hold RDF.
    pub(crate) share: f64,
}

/// How RDF is spread over a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    AllRdf,
    NoRdf,
    Mixed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RobotsFile {
    Missing,
    Present,
}

/// The host names of a site.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Where pages are.
    Pages,
    /// Where data are.
    Data,
}

impl World {
    pub(crate) fn site(&self, number: u32) -> Site {
        let parameters = self.parameters();
        let chance = &mut Chance::of(parameters.seed, Matter::Site, number, 0);
        let trunk = number.is_multiple_of(SITE_STRIDE);
        let bearing = self.kinds.share_bearing;
        // Trunk sites are never without RDF, so the others make up for it.
        let share_none = (1.0 - bearing) * f64::from(SITE_STRIDE) / f64::from(SITE_STRIDE - 1);
        let skewed = chance.happens(parameters.skew.hosts);
        let barren = chance.happens(share_none) && !trunk;
        let profile = match (skewed, barren) {
            (false, _) => Profile::Mixed,
            (true, true) => Profile::NoRdf,
            (true, false) => Profile::AllRdf,
        };
        let split = chance.happens(parameters.naming.split_hosts);
        let island = chance.happens(parameters.naming.islands) && !trunk;
        let missing = chance.happens(parameters.robots.missing);
        let has_crawl_delay = chance.happens(parameters.robots.crawl_delay);
        let names_sitemap = chance.happens(parameters.robots.sitemap);
        let ails = chance.happens(parameters.faults.hosts) && !trunk && !parameters.faults.host_faults.is_empty();
        let fault = ails.then(|| chance.pick(&parameters.faults.host_faults));
        let robots = if missing && fault.is_none() { RobotsFile::Missing } else { RobotsFile::Present };
        let custom = chance.bits().to_le_bytes();
        let html_extension = custom[1] < 64;
        let custom = custom[0];
        let (documents, share) = self.size_and_share(number, profile);
        Site {
            number,
            profile,
            split,
            island,
            robots,
            has_crawl_delay,
            names_sitemap,
            fault,
            html_extension,
            custom,
            documents,
            share,
        }
    }

    /// The site whose host this is, and which side of it; `None` as side is a
    /// split site's bare domain.
    pub(crate) fn site_of_host(&self, host: &str) -> Option<(Site, Option<Side>)> {
        let (prefix, rest) = match host.split_once('.')? {
            ("www", rest) => (Some(Side::Pages), rest),
            ("data", rest) => (Some(Side::Data), rest),
            _ => (None, host),
        };
        let number = number(rest.strip_suffix(".example")?.strip_prefix('h')?)?;
        if number >= self.parameters().hosts {
            return None;
        }
        let site = self.site(number);
        match (site.split, prefix) {
            (false, None) => Some((site, Some(Side::Pages))),
            (false, Some(_)) => None,
            (true, side) => Some((site, side)),
        }
    }
}

impl Site {
    /// Pushes `http://host` of one side.
    pub(crate) fn push_origin(&self, side: Side, out: &mut String) {
        out.push_str("http://");
        if self.split {
            out.push_str(if side == Side::Pages { "www." } else { "data." });
        }
        out.push('h');
        push_number(self.number, out);
        out.push_str(".example");
    }

    /// `http://host` of one side.
    pub(crate) fn origin(&self, side: Side) -> String {
        let mut origin = String::with_capacity(32);
        self.push_origin(side, &mut origin);
        origin
    }

    /// Whether documents of other sites may state links to this one.
    pub(crate) fn is_stated_from(&self, other: u32) -> bool {
        !self.island || other == self.number
    }
}

/// A number as it is written in URIs: no sign, no leading zero.
pub(crate) fn number(text: &str) -> Option<u32> {
    let canonical = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if canonical { text.parse().ok() } else { None }
}

/// Pushes a number, without the machinery of `format!`, which would be a
/// quarter of the time a small document takes.
pub(crate) fn push_number(mut number: u32, out: &mut String) {
    let mut digits = [0_u8; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + u8::try_from(number % 10).expect("a digit");
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend(digits[start..].iter().map(|digit| char::from(*digit)));
}

/// The children of `number` in a tree of `count` members where every
/// `stride`-th carries the `stride - 1` that follow it and two carriers more.
pub(crate) fn carried(number: u32, count: u32, stride: u32) -> impl Iterator<Item = u32> {
    let carrier = number.is_multiple_of(stride);
    let leaves = number + 1..number.saturating_add(stride);
    let branches = [1, 2].map(|child| (number / stride * 2 + child).saturating_mul(stride));
    leaves.chain(branches).filter(move |child| carrier && *child < count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_carried_by_exactly_one() {
        for (count, stride) in [(1, 4), (7, 2), (100, 8), (101, 3)] {
            let mut carriers = vec![0; count as usize];
            (0..count)
                .flat_map(|number| carried(number, count, stride))
                .for_each(|child| carriers[child as usize] += 1);

            assert_eq!(carriers[0], 0);
            assert!(carriers[1..].iter().all(|carriers| *carriers == 1), "{count} {stride}");
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for value in [0, 7, 10, 4_294_967_295] {
            let mut text = String::new();
            push_number(value, &mut text);

            assert_eq!((text.as_str(), number(&text)), (value.to_string().as_str(), Some(value)));
        }
        assert!(["", "01", "+1", "-1", "1a", "4294967296"].iter().all(|text| number(text).is_none()));
    }
}
