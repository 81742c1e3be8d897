//! Tables I and II and Figure 4 of the link-analysis paper.

use std::fmt::Write as _;

use lodeward::select::link_analysis::Heuristic;

use super::{FocusedSiteCrawl, LinksProtocol, PredictionHits, SiteCrawl, SiteDiscovery, SiteEntrance};
use crate::numbers::ratio;

/// The report as a Markdown page.
#[must_use]
pub fn page(title: &str, command: &str, protocol: &LinksProtocol, sites: &[SiteCrawl]) -> String {
    let mut page = format!("# {title}\n\nMade by `{command}`.\n\n");
    let LinksProtocol { max_documents, min_documents, min_rdf_documents, obeys_robots, entrance } = protocol;
    let entrance = match entrance {
        SiteEntrance::EntryPage => "from its entry page",
        SiteEntrance::AllEntryPages => "from its entry page, and from all pages that other sites link to",
    };
    let robots = if *obeys_robots { "robots.txt is obeyed" } else { "robots.txt is ignored" };
    let _ = writeln!(
        page,
        "**Protocol** (link analysis §IV). One site at a time {entrance}, restricted to its host, up to \
         {max_documents} documents; all {} sites with at least {min_documents} reachable documents, at least {min_rdf_documents} of \
         them with RDF. The real engine on a recorded web, delay 0, one request at a time, {robots}; classes by the \
         manifest. *Repaired*: pages with embedded RDF join S_HR, too (`strategy.link-analysis.learn_from_embedded`). \
         Averages are means over sites; pooled figures are over all their documents.\n",
        sites.len()
    );
    table_1(sites, &mut page);
    table_2(sites, &mut page);
    figure_4(sites, &mut page);
    page
}

fn table_1(sites: &[SiteCrawl], page: &mut String) {
    page.push_str(
        "## Table I: precision of predicted classes\n\nCorrect / predicted. HR by the definition of the paper (a link to \
         an RDF document) and by ours (that, or embedded RDF). The paper: R 83.08 %, HR 86.29 %, averages of four sites.\n\n\
         | site | documents | R | HR, paper | HR, ours | repaired: R | repaired: HR, paper | repaired: HR, ours |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let columns: [fn(&SiteCrawl) -> PredictionHits; 6] = [
        |site| site.focused.r,
        |site| site.focused.hr_paper,
        |site| site.focused.hr_ours,
        |site| site.repaired.r,
        |site| site.repaired.hr_paper,
        |site| site.repaired.hr_ours,
    ];
    for site in sites {
        let cells = columns.map(|column| format_hits(column(site)));
        let _ = writeln!(page, "| {} | {} | {} |", site.host, site.documents, cells.join(" | "));
    }
    let documents: usize = sites.iter().map(|site| site.documents).sum();
    let means = columns.map(|column| percent(mean(sites.iter().filter_map(|site| column(site).precision()))));
    let _ = writeln!(page, "| **average** | | {} |", means.join(" | "));
    let pooled = columns.map(|column| format_hits(sites.iter().map(column).fold(PredictionHits::default(), add)));
    let _ = writeln!(page, "| **pooled** | {documents} | {} |\n", pooled.join(" | "));
}

fn table_2(sites: &[SiteCrawl], page: &mut String) {
    page.push_str(
        "## Table II: precision and recall of each heuristic\n\nOf the crawler of the paper, averaged over the sites \
         where the heuristic predicts something (column *sites*), and pooled. Recall is relative to the correct \
         predictions of its class; several heuristics may fire for one link. HR (the last row) by our definition; \
         *repaired* is the same row with `strategy.link-analysis.learn_from_embedded`.\n\n\
         | heuristic | precision | recall | sites | pooled: correct / predicted |\n|---|--:|--:|--:|--:|\n",
    );
    for heuristic in Heuristic::ALL {
        row(heuristic.name(), *heuristic, sites, |site| &site.focused, page);
    }
    row("repaired similarity metric", Heuristic::Similar, sites, |site| &site.repaired, page);
    page.push('\n');
}

fn row(
    name: &str,
    heuristic: Heuristic,
    sites: &[SiteCrawl],
    crawl: fn(&SiteCrawl) -> &FocusedSiteCrawl,
    page: &mut String,
) {
    let of = |site: &SiteCrawl| crawl(site).heuristics[heuristic.number() as usize];
    let precision = mean(sites.iter().filter_map(|site| of(site).precision()));
    let recall = mean(sites.iter().filter_map(|site| crawl(site).recall(heuristic)));
    let fired = sites.iter().filter(|site| of(site).predicted > 0).count();
    let pooled = format_hits(sites.iter().map(of).fold(PredictionHits::default(), add));
    let _ = writeln!(page, "| {name} | {} | {} | {fired} | {pooled} |", percent(precision), percent(recall));
}

/// Shares among the fetched documents: predicted RDF documents, RDF documents, and documents with RDF.
fn rates(discovery: SiteDiscovery) -> [f64; 3] {
    let SiteDiscovery { documents, rdf_documents, predicted, rdf } = discovery;
    [predicted, rdf_documents, rdf].map(|count| ratio(count, documents))
}

fn figure_4(sites: &[SiteCrawl], page: &mut String) {
    page.push_str(
        "## Figure 4: discovery rate\n\nOf the documents fetched until half of the site was fetched (at most 2000): the \
         share of RDF documents (class R), and the share of documents with RDF, embedded or not. In parentheses, for the \
         focused crawlers: only RDF documents that were predicted as such, which is the count of the paper. A crawler that \
         drops links may end earlier; *fetched* states the number of documents of each.\n\n\
         | site | fetched | unfocused: R | focused: R | repaired: R | unfocused: RDF | focused: RDF | repaired: RDF |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for site in sites {
        let [unfocused, focused, repaired] = discoveries(site).map(rates);
        let _ = writeln!(
            page,
            "| {} | {} | {:.3} | {:.3} ({:.3}) | {:.3} ({:.3}) | {:.3} | {:.3} | {:.3} |",
            site.host,
            discoveries(site).map(|crawl| crawl.documents.to_string()).join(" / "),
            unfocused[1],
            focused[1],
            focused[0],
            repaired[1],
            repaired[0],
            unfocused[2],
            focused[2],
            repaired[2],
        );
    }
    let average = |crawl: usize, rate: usize| mean(sites.iter().map(|site| rates(discoveries(site)[crawl])[rate]));
    let cell = |crawl, rate| average(crawl, rate).map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}"));
    let _ = writeln!(
        page,
        "| **average** | | {} | {} ({}) | {} ({}) | {} | {} | {} |\n",
        cell(0, 1),
        cell(1, 1),
        cell(1, 0),
        cell(2, 1),
        cell(2, 0),
        cell(0, 2),
        cell(1, 2),
        cell(2, 2),
    );
}

fn discoveries(site: &SiteCrawl) -> [SiteDiscovery; 3] {
    [site.unfocused, site.focused.discovery, site.repaired.discovery]
}

/// All figures as CSV, one row for each site and crawler.
#[must_use]
pub fn csv(sites: &[SiteCrawl]) -> String {
    let mut out = "host,crawler,documents,rdf_documents,rdf,counted_at,found_rdf_documents,found_predicted,found_rdf,\
                   r_predicted,r_right,hr_predicted,hr_right_paper,hr_right_ours"
        .to_owned();
    for heuristic in Heuristic::ALL {
        let name = heuristic.name().replace([':', ','], "").replace(' ', "_");
        let _ = write!(out, ",{name}_predicted,{name}_right");
    }
    out.push('\n');
    let none = FocusedSiteCrawl {
        heuristics: vec![PredictionHits::default(); Heuristic::ALL.len()],
        ..FocusedSiteCrawl::default()
    };
    for site in sites {
        let unfocused = FocusedSiteCrawl { discovery: site.unfocused, ..none.clone() };
        for (name, crawl) in [("unfocused", &unfocused), ("focused", &site.focused), ("repaired", &site.repaired)] {
            let SiteDiscovery { rdf_documents, predicted, rdf, .. } = crawl.discovery;
            let _ = write!(
                out,
                "{},{name},{},{},{},{},{rdf_documents},{predicted},{rdf},{},{},{},{},{}",
                site.host,
                site.documents,
                site.rdf_documents,
                site.rdf,
                site.counted_at,
                crawl.r.predicted,
                crawl.r.right,
                crawl.hr_ours.predicted,
                crawl.hr_paper.right,
                crawl.hr_ours.right,
            );
            for hits in &crawl.heuristics {
                let _ = write!(out, ",{},{}", hits.predicted, hits.right);
            }
            out.push('\n');
        }
    }
    out
}

/// Figure 4 as a bar chart: the share of fetched documents with RDF, by site.
#[must_use]
pub fn render_svg(title: &str, sites: &[SiteCrawl]) -> String {
    const LEFT: usize = 250;
    const WIDTH: usize = 640;
    const BAR_HEIGHT: usize = 8;
    const GROUP_HEIGHT: usize = 3 * BAR_HEIGHT + 10;
    // The palette of Okabe and Ito is distinguishable with colour vision deficiency.
    const CRAWLERS: [(&str, &str); 3] =
        [("unfocused", "#7F7F7F"), ("focused", "#0072B2"), ("repaired S_HR", "#D55E00")];
    let height = 70 + GROUP_HEIGHT * sites.len() + 20;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"22\" font-size=\"15\">{title}</text>\n",
        LEFT + WIDTH + 60
    );
    for (index, (name, colour)) in CRAWLERS.iter().enumerate() {
        let x = LEFT + index * 150;
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"36\" width=\"12\" height=\"12\" fill=\"{colour}\"/>");
        let _ = writeln!(svg, "<text x=\"{}\" y=\"46\">{name}</text>", x + 18);
    }
    for (row, site) in sites.iter().enumerate() {
        let top = 64 + row * GROUP_HEIGHT;
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", LEFT - 8, top + 16, site.host);
        for (index, ((_, colour), discovery)) in CRAWLERS.iter().zip(discoveries(site)).enumerate() {
            let rate = rates(discovery)[2];
            let (y, width) = (top + index * BAR_HEIGHT, rate * f64::from(u32::try_from(WIDTH).unwrap_or_default()));
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{colour}\"><title>{rate:.3}</title></rect>",
                BAR_HEIGHT - 1
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn add(one: PredictionHits, other: PredictionHits) -> PredictionHits {
    PredictionHits { predicted: one.predicted + other.predicted, right: one.right + other.right }
}

fn format_hits(hits: PredictionHits) -> String {
    match hits.precision() {
        None => "–".to_owned(),
        precision => format!("{} ({}/{})", percent(precision), hits.right, hits.predicted),
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
