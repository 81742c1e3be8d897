//! The table of embedded files, written by `make ui`.

use super::WorkbenchFile;

#[rustfmt::skip]
pub(super) static PAGE: WorkbenchFile =
    WorkbenchFile::new("index.html", "text/html; charset=utf-8", "\"a3d331c2537809c9\"", include_bytes!("../dist/index.html"));

#[rustfmt::skip]
pub(super) static ASSETS: [WorkbenchFile; 40] = [
    WorkbenchFile::new(
        "Action-Bwd0LVII.js",
        "text/javascript; charset=utf-8",
        "\"c3eda673dbc7a5d4\"",
        include_bytes!("../dist/assets/Action-Bwd0LVII.js"),
    ),
    WorkbenchFile::new(
        "Bars-Ckq3rHDm.js",
        "text/javascript; charset=utf-8",
        "\"d3e48652a3d39371\"",
        include_bytes!("../dist/assets/Bars-Ckq3rHDm.js"),
    ),
    WorkbenchFile::new(
        "Bars-o7rpAgQY.css",
        "text/css; charset=utf-8",
        "\"914512ef1f5f7640\"",
        include_bytes!("../dist/assets/Bars-o7rpAgQY.css"),
    ),
    WorkbenchFile::new(
        "Crawl-B5awsBbX.css",
        "text/css; charset=utf-8",
        "\"d4beff0aac25ec9c\"",
        include_bytes!("../dist/assets/Crawl-B5awsBbX.css"),
    ),
    WorkbenchFile::new(
        "Crawl-B7Afhd7e.js",
        "text/javascript; charset=utf-8",
        "\"5bb3eeae05c817fb\"",
        include_bytes!("../dist/assets/Crawl-B7Afhd7e.js"),
    ),
    WorkbenchFile::new(
        "Dialog-BAg_Bdu3.css",
        "text/css; charset=utf-8",
        "\"9e6c171984f716bb\"",
        include_bytes!("../dist/assets/Dialog-BAg_Bdu3.css"),
    ),
    WorkbenchFile::new(
        "Dialog-d1-cqFf6.js",
        "text/javascript; charset=utf-8",
        "\"9ac5a4d366071523\"",
        include_bytes!("../dist/assets/Dialog-d1-cqFf6.js"),
    ),
    WorkbenchFile::new(
        "Documents-BerXAT2r.css",
        "text/css; charset=utf-8",
        "\"ebbb13de2300045c\"",
        include_bytes!("../dist/assets/Documents-BerXAT2r.css"),
    ),
    WorkbenchFile::new(
        "Documents-C9v5mzOW.js",
        "text/javascript; charset=utf-8",
        "\"33db40b0d848db18\"",
        include_bytes!("../dist/assets/Documents-C9v5mzOW.js"),
    ),
    WorkbenchFile::new(
        "Explain-9qUcsgId.css",
        "text/css; charset=utf-8",
        "\"0c69a027f666e38c\"",
        include_bytes!("../dist/assets/Explain-9qUcsgId.css"),
    ),
    WorkbenchFile::new(
        "Explain-CkY7p397.js",
        "text/javascript; charset=utf-8",
        "\"faeab98170750a90\"",
        include_bytes!("../dist/assets/Explain-CkY7p397.js"),
    ),
    WorkbenchFile::new(
        "Export-BP2YGvRP.css",
        "text/css; charset=utf-8",
        "\"434d040611859027\"",
        include_bytes!("../dist/assets/Export-BP2YGvRP.css"),
    ),
    WorkbenchFile::new(
        "Export-zN0rtSsV.js",
        "text/javascript; charset=utf-8",
        "\"292d7e237d3348d9\"",
        include_bytes!("../dist/assets/Export-zN0rtSsV.js"),
    ),
    WorkbenchFile::new(
        "Iri-A9cePdWE.js",
        "text/javascript; charset=utf-8",
        "\"3d546d6e43748649\"",
        include_bytes!("../dist/assets/Iri-A9cePdWE.js"),
    ),
    WorkbenchFile::new(
        "Iri-BzloRidi.css",
        "text/css; charset=utf-8",
        "\"7a94c853660f99ad\"",
        include_bytes!("../dist/assets/Iri-BzloRidi.css"),
    ),
    WorkbenchFile::new(
        "Log-BWz-Bb19.js",
        "text/javascript; charset=utf-8",
        "\"a06302f442f013ec\"",
        include_bytes!("../dist/assets/Log-BWz-Bb19.js"),
    ),
    WorkbenchFile::new(
        "Log-CoCLejAq.css",
        "text/css; charset=utf-8",
        "\"d9d84f6bd4d3af13\"",
        include_bytes!("../dist/assets/Log-CoCLejAq.css"),
    ),
    WorkbenchFile::new(
        "NewCrawl-BWhxUcce.css",
        "text/css; charset=utf-8",
        "\"77479f092547204f\"",
        include_bytes!("../dist/assets/NewCrawl-BWhxUcce.css"),
    ),
    WorkbenchFile::new(
        "NewCrawl-CCdHIp9l.js",
        "text/javascript; charset=utf-8",
        "\"06415b923bde0d66\"",
        include_bytes!("../dist/assets/NewCrawl-CCdHIp9l.js"),
    ),
    WorkbenchFile::new(
        "NotFound-DOtw8qHk.js",
        "text/javascript; charset=utf-8",
        "\"52a5bc9a0c011967\"",
        include_bytes!("../dist/assets/NotFound-DOtw8qHk.js"),
    ),
    WorkbenchFile::new(
        "OutcomeText-BxwPT2ZY.js",
        "text/javascript; charset=utf-8",
        "\"40e33cf42c430501\"",
        include_bytes!("../dist/assets/OutcomeText-BxwPT2ZY.js"),
    ),
    WorkbenchFile::new(
        "Overview-C7WdJPgt.css",
        "text/css; charset=utf-8",
        "\"093be2e78914ec13\"",
        include_bytes!("../dist/assets/Overview-C7WdJPgt.css"),
    ),
    WorkbenchFile::new(
        "Overview-Csc8h-Yr.js",
        "text/javascript; charset=utf-8",
        "\"f76f800740f32bcc\"",
        include_bytes!("../dist/assets/Overview-Csc8h-Yr.js"),
    ),
    WorkbenchFile::new(
        "PageTurner-ipwgGMNE.js",
        "text/javascript; charset=utf-8",
        "\"d190a0c0a4c54160\"",
        include_bytes!("../dist/assets/PageTurner-ipwgGMNE.js"),
    ),
    WorkbenchFile::new(
        "Palette-B8A1NCEu.css",
        "text/css; charset=utf-8",
        "\"482ca2dee16e2e7e\"",
        include_bytes!("../dist/assets/Palette-B8A1NCEu.css"),
    ),
    WorkbenchFile::new(
        "Palette-DLWcMsS0.js",
        "text/javascript; charset=utf-8",
        "\"aed456e6eedeb9e1\"",
        include_bytes!("../dist/assets/Palette-DLWcMsS0.js"),
    ),
    WorkbenchFile::new(
        "Review-DQBrIhzK.js",
        "text/javascript; charset=utf-8",
        "\"6f2ce82972242ce0\"",
        include_bytes!("../dist/assets/Review-DQBrIhzK.js"),
    ),
    WorkbenchFile::new(
        "Review-cjiH-fc4.css",
        "text/css; charset=utf-8",
        "\"846f3b8c4535502c\"",
        include_bytes!("../dist/assets/Review-cjiH-fc4.css"),
    ),
    WorkbenchFile::new(
        "Settings-Crmq2npE.js",
        "text/javascript; charset=utf-8",
        "\"12b5847c448cdf08\"",
        include_bytes!("../dist/assets/Settings-Crmq2npE.js"),
    ),
    WorkbenchFile::new(
        "Settings-uR5JOtRE.css",
        "text/css; charset=utf-8",
        "\"ff7feb24faa77302\"",
        include_bytes!("../dist/assets/Settings-uR5JOtRE.css"),
    ),
    WorkbenchFile::new(
        "ShortcutHelp-CGYK3t2d.js",
        "text/javascript; charset=utf-8",
        "\"a318431009003d13\"",
        include_bytes!("../dist/assets/ShortcutHelp-CGYK3t2d.js"),
    ),
    WorkbenchFile::new(
        "ShortcutHelp-pkJ0-0dT.css",
        "text/css; charset=utf-8",
        "\"6a027462d1cd6348\"",
        include_bytes!("../dist/assets/ShortcutHelp-pkJ0-0dT.css"),
    ),
    WorkbenchFile::new(
        "SignIn-BO7CFsoh.js",
        "text/javascript; charset=utf-8",
        "\"44963c8dd49ca0de\"",
        include_bytes!("../dist/assets/SignIn-BO7CFsoh.js"),
    ),
    WorkbenchFile::new(
        "SignIn-CiN1Q8qg.css",
        "text/css; charset=utf-8",
        "\"6230eec1cf8747ed\"",
        include_bytes!("../dist/assets/SignIn-CiN1Q8qg.css"),
    ),
    WorkbenchFile::new(
        "candidates-BVV8MOgh.js",
        "text/javascript; charset=utf-8",
        "\"286b43f819209d00\"",
        include_bytes!("../dist/assets/candidates-BVV8MOgh.js"),
    ),
    WorkbenchFile::new(
        "icon-C2ByH0w2.svg",
        "image/svg+xml",
        "\"d6260bf49f67c162\"",
        include_bytes!("../dist/assets/icon-C2ByH0w2.svg"),
    ),
    WorkbenchFile::new(
        "index-BRettnF8.js",
        "text/javascript; charset=utf-8",
        "\"49e1de582bd1aa5a\"",
        include_bytes!("../dist/assets/index-BRettnF8.js"),
    ),
    WorkbenchFile::new(
        "index-ePBLggLH.css",
        "text/css; charset=utf-8",
        "\"0873d33c1262cea1\"",
        include_bytes!("../dist/assets/index-ePBLggLH.css"),
    ),
    WorkbenchFile::new(
        "messages-COz79m3S.js",
        "text/javascript; charset=utf-8",
        "\"8ba1bcf0efd94abd\"",
        include_bytes!("../dist/assets/messages-COz79m3S.js"),
    ),
    WorkbenchFile::new(
        "text-B8xA-LGH.js",
        "text/javascript; charset=utf-8",
        "\"4c00ec793a5dd1ba\"",
        include_bytes!("../dist/assets/text-B8xA-LGH.js"),
    ),
];
