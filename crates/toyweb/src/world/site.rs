//! Sites: one pay-level domain each, with one host or two.

use super::World;
use super::chance_stream::{ChanceStream, ChanceTopic};
use super::faults::ServerFault;

/// Sites form a spanning tree as documents do: every fourth site has no fault and links to the next three and to two
/// other such sites.
pub(crate) const SITE_STRIDE: u32 = 4;

/// The properties of a site.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties, each with its own share")]
pub(crate) struct WorldSite {
    pub(crate) number: u32,
    pub(crate) profile: RdfProfile,
    /// Whether pages are on `www.` and data on `data.`.
    pub(crate) split: bool,
    /// Whether other sites link to this site in HTML only, not in RDF.
    pub(crate) island: bool,
    pub(crate) robots: RobotsFile,
    pub(crate) has_crawl_delay: bool,
    pub(crate) names_sitemap: bool,
    /// The configured fault of the whole site.
    pub(crate) fault: Option<ServerFault>,
    /// Whether URLs of its HTML pages end in `.html`.
    pub(crate) html_extension: bool,
    /// The offset of the site's first section name in each list of names.
    pub(crate) name_offset: u8,
    /// The number of documents.
    pub(crate) documents: u32,
    /// The share of its documents that contain RDF.
    pub(crate) share: f64,
}

/// The distribution of RDF over a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RdfProfile {
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
pub(crate) enum HostSide {
    /// The host of pages.
    Pages,
    /// The host of data.
    Data,
}

impl World {
    pub(crate) fn site(&self, number: u32) -> WorldSite {
        let parameters = self.parameters();
        let chance = &mut ChanceStream::new(parameters.seed, ChanceTopic::Site, number, 0);
        let trunk = number.is_multiple_of(SITE_STRIDE);
        let rdf_share = self.kinds.rdf_share;
        // Trunk sites always contain RDF, so the share of the other sites is adjusted.
        let non_rdf_share = (1.0 - rdf_share) * f64::from(SITE_STRIDE) / f64::from(SITE_STRIDE - 1);
        let skewed = chance.bernoulli(parameters.skew.hosts);
        let without_rdf = chance.bernoulli(non_rdf_share) && !trunk;
        let profile = match (skewed, without_rdf) {
            (false, _) => RdfProfile::Mixed,
            (true, true) => RdfProfile::NoRdf,
            (true, false) => RdfProfile::AllRdf,
        };
        let split = chance.bernoulli(parameters.naming.split_hosts);
        let island = chance.bernoulli(parameters.naming.islands) && !trunk;
        let missing = chance.bernoulli(parameters.robots.missing);
        let has_crawl_delay = chance.bernoulli(parameters.robots.crawl_delay_share);
        let names_sitemap = chance.bernoulli(parameters.robots.sitemap);
        let has_fault =
            chance.bernoulli(parameters.faults.hosts) && !trunk && !parameters.faults.host_faults.is_empty();
        let fault = has_fault.then(|| chance.pick(&parameters.faults.host_faults));
        let robots = if missing && fault.is_none() { RobotsFile::Missing } else { RobotsFile::Present };
        let bytes = chance.next_u64().to_le_bytes();
        let html_extension = bytes[1] < 64;
        let name_offset = bytes[0];
        let (documents, share) = self.size_and_share(number, profile);
        WorldSite {
            number,
            profile,
            split,
            island,
            robots,
            has_crawl_delay,
            names_sitemap,
            fault,
            html_extension,
            name_offset,
            documents,
            share,
        }
    }

    /// The site of a host, and the side of the site; the side is `None` for the bare domain of a split site.
    pub(crate) fn site_of_host(&self, host: &str) -> Option<(WorldSite, Option<HostSide>)> {
        let (prefix, rest) = match host.split_once('.')? {
            ("www", rest) => (Some(HostSide::Pages), rest),
            ("data", rest) => (Some(HostSide::Data), rest),
            _ => (None, host),
        };
        let number = parse_number(rest.strip_suffix(".example")?.strip_prefix('h')?)?;
        if number >= self.parameters().hosts {
            return None;
        }
        let site = self.site(number);
        match (site.split, prefix) {
            (false, None) => Some((site, Some(HostSide::Pages))),
            (false, Some(_)) => None,
            (true, side) => Some((site, side)),
        }
    }
}

impl WorldSite {
    /// Appends `http://host` of one side.
    pub(crate) fn push_origin(&self, side: HostSide, out: &mut String) {
        out.push_str("http://");
        if self.split {
            out.push_str(if side == HostSide::Pages { "www." } else { "data." });
        }
        out.push('h');
        push_number(self.number, out);
        out.push_str(".example");
    }

    /// `http://host` of one side.
    pub(crate) fn origin(&self, side: HostSide) -> String {
        let mut origin = String::with_capacity(32);
        self.push_origin(side, &mut origin);
        origin
    }

    /// Whether documents of other sites may link to this one in RDF.
    pub(crate) fn may_be_linked_from(&self, other: u32) -> bool {
        !self.island || other == self.number
    }
}

/// Parses a number in canonical form: no sign, no leading zero.
pub(crate) fn parse_number(text: &str) -> Option<u32> {
    let canonical = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if canonical { text.parse().ok() } else { None }
}

/// Appends a number without `format!`, which would take a quarter of the time needed to generate a small document.
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

/// The children of `number` in a tree of `count` members, in which every `stride`-th member has the following `stride -
/// 1` members and two further carriers as children.
pub(crate) fn tree_children(number: u32, count: u32, stride: u32) -> impl Iterator<Item = u32> {
    let carrier = number.is_multiple_of(stride);
    let leaves = number + 1..number.saturating_add(stride);
    let branches = [1, 2].map(|child| (number / stride * 2 + child).saturating_mul(stride));
    leaves.chain(branches).filter(move |child| carrier && *child < count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_has_exactly_one_parent() {
        for (count, stride) in [(1, 4), (7, 2), (100, 8), (101, 3)] {
            let mut parents = vec![0; count as usize];
            (0..count)
                .flat_map(|number| tree_children(number, count, stride))
                .for_each(|child| parents[child as usize] += 1);

            assert_eq!(parents[0], 0);
            assert!(parents[1..].iter().all(|parents| *parents == 1), "{count} {stride}");
        }
    }

    #[test]
    fn written_numbers_are_parsed_back() {
        for value in [0, 7, 10, 4_294_967_295] {
            let mut text = String::new();
            push_number(value, &mut text);

            assert_eq!((text.as_str(), parse_number(&text)), (value.to_string().as_str(), Some(value)));
        }
        assert!(["", "01", "+1", "-1", "1a", "4294967296"].iter().all(|text| parse_number(text).is_none()));
    }
}
