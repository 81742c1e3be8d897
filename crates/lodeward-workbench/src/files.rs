//! The table of embedded files, written by `make ui`.

use super::WorkbenchFile;

#[rustfmt::skip]
pub(super) static PAGE: WorkbenchFile =
    WorkbenchFile::new("index.html", "text/html; charset=utf-8", "\"29723958a2aba03b\"", include_bytes!("../dist/index.html"));

#[rustfmt::skip]
pub(super) static ASSETS: [WorkbenchFile; 40] = [
    WorkbenchFile::new(
        "Action-C2Tzw3Xu.js",
        "text/javascript; charset=utf-8",
        "\"8eafeb0173d2e183\"",
        include_bytes!("../dist/assets/Action-C2Tzw3Xu.js"),
    ),
    WorkbenchFile::new(
        "Bars-C710jytE.js",
        "text/javascript; charset=utf-8",
        "\"36bc07a756269c5d\"",
        include_bytes!("../dist/assets/Bars-C710jytE.js"),
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
        "Crawl-DfzLnHdh.js",
        "text/javascript; charset=utf-8",
        "\"6f45dca959bb8685\"",
        include_bytes!("../dist/assets/Crawl-DfzLnHdh.js"),
    ),
    WorkbenchFile::new(
        "Dialog-BAg_Bdu3.css",
        "text/css; charset=utf-8",
        "\"9e6c171984f716bb\"",
        include_bytes!("../dist/assets/Dialog-BAg_Bdu3.css"),
    ),
    WorkbenchFile::new(
        "Dialog-BBx4j9N5.js",
        "text/javascript; charset=utf-8",
        "\"1759c468623a89a5\"",
        include_bytes!("../dist/assets/Dialog-BBx4j9N5.js"),
    ),
    WorkbenchFile::new(
        "Documents-BerXAT2r.css",
        "text/css; charset=utf-8",
        "\"ebbb13de2300045c\"",
        include_bytes!("../dist/assets/Documents-BerXAT2r.css"),
    ),
    WorkbenchFile::new(
        "Documents-Cj8LQlcY.js",
        "text/javascript; charset=utf-8",
        "\"edf2a131f40146b0\"",
        include_bytes!("../dist/assets/Documents-Cj8LQlcY.js"),
    ),
    WorkbenchFile::new(
        "Explain-9qUcsgId.css",
        "text/css; charset=utf-8",
        "\"0c69a027f666e38c\"",
        include_bytes!("../dist/assets/Explain-9qUcsgId.css"),
    ),
    WorkbenchFile::new(
        "Explain-CNK2GiIp.js",
        "text/javascript; charset=utf-8",
        "\"1ac57834f151473b\"",
        include_bytes!("../dist/assets/Explain-CNK2GiIp.js"),
    ),
    WorkbenchFile::new(
        "Export-9XxzqsES.js",
        "text/javascript; charset=utf-8",
        "\"3023a887118e16c3\"",
        include_bytes!("../dist/assets/Export-9XxzqsES.js"),
    ),
    WorkbenchFile::new(
        "Export-BP2YGvRP.css",
        "text/css; charset=utf-8",
        "\"434d040611859027\"",
        include_bytes!("../dist/assets/Export-BP2YGvRP.css"),
    ),
    WorkbenchFile::new(
        "Iri-BzloRidi.css",
        "text/css; charset=utf-8",
        "\"7a94c853660f99ad\"",
        include_bytes!("../dist/assets/Iri-BzloRidi.css"),
    ),
    WorkbenchFile::new(
        "Iri-DlU-9uOo.js",
        "text/javascript; charset=utf-8",
        "\"940010c5786e627d\"",
        include_bytes!("../dist/assets/Iri-DlU-9uOo.js"),
    ),
    WorkbenchFile::new(
        "Log-B8RM9Q1Y.js",
        "text/javascript; charset=utf-8",
        "\"b2174bfa830d30fa\"",
        include_bytes!("../dist/assets/Log-B8RM9Q1Y.js"),
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
        "NewCrawl-DyiNm6Zi.js",
        "text/javascript; charset=utf-8",
        "\"047fdb844c266eb0\"",
        include_bytes!("../dist/assets/NewCrawl-DyiNm6Zi.js"),
    ),
    WorkbenchFile::new(
        "NotFound-BSSmpsUB.js",
        "text/javascript; charset=utf-8",
        "\"9c878c47d2a2524f\"",
        include_bytes!("../dist/assets/NotFound-BSSmpsUB.js"),
    ),
    WorkbenchFile::new(
        "OutcomeText-bDLP01oM.js",
        "text/javascript; charset=utf-8",
        "\"3ae4ea69ee6e56c7\"",
        include_bytes!("../dist/assets/OutcomeText-bDLP01oM.js"),
    ),
    WorkbenchFile::new(
        "Overview-C7WdJPgt.css",
        "text/css; charset=utf-8",
        "\"093be2e78914ec13\"",
        include_bytes!("../dist/assets/Overview-C7WdJPgt.css"),
    ),
    WorkbenchFile::new(
        "Overview-CxXf0vr5.js",
        "text/javascript; charset=utf-8",
        "\"0ac7b7ae97381004\"",
        include_bytes!("../dist/assets/Overview-CxXf0vr5.js"),
    ),
    WorkbenchFile::new(
        "PageTurner-Dk4Q3kvZ.js",
        "text/javascript; charset=utf-8",
        "\"f56de2bea78599cf\"",
        include_bytes!("../dist/assets/PageTurner-Dk4Q3kvZ.js"),
    ),
    WorkbenchFile::new(
        "Palette-B8A1NCEu.css",
        "text/css; charset=utf-8",
        "\"482ca2dee16e2e7e\"",
        include_bytes!("../dist/assets/Palette-B8A1NCEu.css"),
    ),
    WorkbenchFile::new(
        "Palette-C716JyaK.js",
        "text/javascript; charset=utf-8",
        "\"6bef0f42c786b6ce\"",
        include_bytes!("../dist/assets/Palette-C716JyaK.js"),
    ),
    WorkbenchFile::new(
        "Review-Co2EO8z_.js",
        "text/javascript; charset=utf-8",
        "\"648721a8495454bf\"",
        include_bytes!("../dist/assets/Review-Co2EO8z_.js"),
    ),
    WorkbenchFile::new(
        "Review-cjiH-fc4.css",
        "text/css; charset=utf-8",
        "\"846f3b8c4535502c\"",
        include_bytes!("../dist/assets/Review-cjiH-fc4.css"),
    ),
    WorkbenchFile::new(
        "Settings-B51dnmyN.js",
        "text/javascript; charset=utf-8",
        "\"3b7b12c32982faf6\"",
        include_bytes!("../dist/assets/Settings-B51dnmyN.js"),
    ),
    WorkbenchFile::new(
        "Settings-uR5JOtRE.css",
        "text/css; charset=utf-8",
        "\"ff7feb24faa77302\"",
        include_bytes!("../dist/assets/Settings-uR5JOtRE.css"),
    ),
    WorkbenchFile::new(
        "ShortcutHelp-UW5zx96U.js",
        "text/javascript; charset=utf-8",
        "\"386af17352b9b48a\"",
        include_bytes!("../dist/assets/ShortcutHelp-UW5zx96U.js"),
    ),
    WorkbenchFile::new(
        "ShortcutHelp-pkJ0-0dT.css",
        "text/css; charset=utf-8",
        "\"6a027462d1cd6348\"",
        include_bytes!("../dist/assets/ShortcutHelp-pkJ0-0dT.css"),
    ),
    WorkbenchFile::new(
        "SignIn-CiN1Q8qg.css",
        "text/css; charset=utf-8",
        "\"6230eec1cf8747ed\"",
        include_bytes!("../dist/assets/SignIn-CiN1Q8qg.css"),
    ),
    WorkbenchFile::new(
        "SignIn-DmkPxQ3s.js",
        "text/javascript; charset=utf-8",
        "\"fdfdffda9b6f5edc\"",
        include_bytes!("../dist/assets/SignIn-DmkPxQ3s.js"),
    ),
    WorkbenchFile::new(
        "candidates-BTgRqLpA.js",
        "text/javascript; charset=utf-8",
        "\"c954c50dd22410aa\"",
        include_bytes!("../dist/assets/candidates-BTgRqLpA.js"),
    ),
    WorkbenchFile::new(
        "icon-C2ByH0w2.svg",
        "image/svg+xml",
        "\"d6260bf49f67c162\"",
        include_bytes!("../dist/assets/icon-C2ByH0w2.svg"),
    ),
    WorkbenchFile::new(
        "index-ePBLggLH.css",
        "text/css; charset=utf-8",
        "\"0873d33c1262cea1\"",
        include_bytes!("../dist/assets/index-ePBLggLH.css"),
    ),
    WorkbenchFile::new(
        "index-kaTMRpb4.js",
        "text/javascript; charset=utf-8",
        "\"ec5a8b9ab0999270\"",
        include_bytes!("../dist/assets/index-kaTMRpb4.js"),
    ),
    WorkbenchFile::new(
        "messages-SE3T_T9x.js",
        "text/javascript; charset=utf-8",
        "\"a130a11b46fb7273\"",
        include_bytes!("../dist/assets/messages-SE3T_T9x.js"),
    ),
    WorkbenchFile::new(
        "text-DfFbYbAp.js",
        "text/javascript; charset=utf-8",
        "\"271974bf1a1fd5ce\"",
        include_bytes!("../dist/assets/text-DfFbYbAp.js"),
    ),
];
