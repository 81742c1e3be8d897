//! The table of embedded files, written by `make ui`.

use super::WorkbenchFile;

#[rustfmt::skip]
pub(super) static PAGE: WorkbenchFile =
    WorkbenchFile::new("index.html", "text/html; charset=utf-8", "\"280b555032a84a8f\"", include_bytes!("../dist/index.html"));

#[rustfmt::skip]
pub(super) static ASSETS: [WorkbenchFile; 29] = [
    WorkbenchFile::new(
        "Bars-BvjJ-ZZw.js",
        "text/javascript; charset=utf-8",
        "\"5cb324fcd2f81545\"",
        include_bytes!("../dist/assets/Bars-BvjJ-ZZw.js"),
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
        "Crawl-f_sxAxxj.js",
        "text/javascript; charset=utf-8",
        "\"e13ada91317f7208\"",
        include_bytes!("../dist/assets/Crawl-f_sxAxxj.js"),
    ),
    WorkbenchFile::new(
        "Dialog-BAg_Bdu3.css",
        "text/css; charset=utf-8",
        "\"9e6c171984f716bb\"",
        include_bytes!("../dist/assets/Dialog-BAg_Bdu3.css"),
    ),
    WorkbenchFile::new(
        "Dialog-D-KwIU-X.js",
        "text/javascript; charset=utf-8",
        "\"ceb3e47391166fac\"",
        include_bytes!("../dist/assets/Dialog-D-KwIU-X.js"),
    ),
    WorkbenchFile::new(
        "Explain-9qUcsgId.css",
        "text/css; charset=utf-8",
        "\"0c69a027f666e38c\"",
        include_bytes!("../dist/assets/Explain-9qUcsgId.css"),
    ),
    WorkbenchFile::new(
        "Explain-BEBYYT54.js",
        "text/javascript; charset=utf-8",
        "\"4c41f5cec9acac35\"",
        include_bytes!("../dist/assets/Explain-BEBYYT54.js"),
    ),
    WorkbenchFile::new(
        "Export-Biv1FCUy.js",
        "text/javascript; charset=utf-8",
        "\"542c45a18ad89161\"",
        include_bytes!("../dist/assets/Export-Biv1FCUy.js"),
    ),
    WorkbenchFile::new(
        "Export-CjgDHWF_.css",
        "text/css; charset=utf-8",
        "\"af1ef515878e203d\"",
        include_bytes!("../dist/assets/Export-CjgDHWF_.css"),
    ),
    WorkbenchFile::new(
        "Iri-CzZQEGz2.js",
        "text/javascript; charset=utf-8",
        "\"b302bc5a5571db4f\"",
        include_bytes!("../dist/assets/Iri-CzZQEGz2.js"),
    ),
    WorkbenchFile::new(
        "Iri-D65ASFgE.css",
        "text/css; charset=utf-8",
        "\"7b1ef878ff29353c\"",
        include_bytes!("../dist/assets/Iri-D65ASFgE.css"),
    ),
    WorkbenchFile::new(
        "NotFound-Bez6wNrt.js",
        "text/javascript; charset=utf-8",
        "\"c94c07170d859abe\"",
        include_bytes!("../dist/assets/NotFound-Bez6wNrt.js"),
    ),
    WorkbenchFile::new(
        "Overview-C7WdJPgt.css",
        "text/css; charset=utf-8",
        "\"093be2e78914ec13\"",
        include_bytes!("../dist/assets/Overview-C7WdJPgt.css"),
    ),
    WorkbenchFile::new(
        "Overview-CXC-UaIQ.js",
        "text/javascript; charset=utf-8",
        "\"fdbb8b8cb0ca39b7\"",
        include_bytes!("../dist/assets/Overview-CXC-UaIQ.js"),
    ),
    WorkbenchFile::new(
        "Palette-B8A1NCEu.css",
        "text/css; charset=utf-8",
        "\"482ca2dee16e2e7e\"",
        include_bytes!("../dist/assets/Palette-B8A1NCEu.css"),
    ),
    WorkbenchFile::new(
        "Palette-DMJVj8bS.js",
        "text/javascript; charset=utf-8",
        "\"691ddbbbe533bcea\"",
        include_bytes!("../dist/assets/Palette-DMJVj8bS.js"),
    ),
    WorkbenchFile::new(
        "Review-BTl46ppq.js",
        "text/javascript; charset=utf-8",
        "\"a84c0b5c267e3f93\"",
        include_bytes!("../dist/assets/Review-BTl46ppq.js"),
    ),
    WorkbenchFile::new(
        "Review-D0wnwz4D.css",
        "text/css; charset=utf-8",
        "\"52accf8c0e677edb\"",
        include_bytes!("../dist/assets/Review-D0wnwz4D.css"),
    ),
    WorkbenchFile::new(
        "ShortcutHelp-CpKL9NNl.js",
        "text/javascript; charset=utf-8",
        "\"34a3efab5fbdee6a\"",
        include_bytes!("../dist/assets/ShortcutHelp-CpKL9NNl.js"),
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
        "SignIn-ikFPpL49.js",
        "text/javascript; charset=utf-8",
        "\"0d26727a14753a9c\"",
        include_bytes!("../dist/assets/SignIn-ikFPpL49.js"),
    ),
    WorkbenchFile::new(
        "candidates-DUyHai_E.js",
        "text/javascript; charset=utf-8",
        "\"986fa6360617f7d1\"",
        include_bytes!("../dist/assets/candidates-DUyHai_E.js"),
    ),
    WorkbenchFile::new(
        "icon-C2ByH0w2.svg",
        "image/svg+xml",
        "\"d6260bf49f67c162\"",
        include_bytes!("../dist/assets/icon-C2ByH0w2.svg"),
    ),
    WorkbenchFile::new(
        "index-CYKotQfJ.js",
        "text/javascript; charset=utf-8",
        "\"e8352cb8adf87f9c\"",
        include_bytes!("../dist/assets/index-CYKotQfJ.js"),
    ),
    WorkbenchFile::new(
        "index-ePBLggLH.css",
        "text/css; charset=utf-8",
        "\"0873d33c1262cea1\"",
        include_bytes!("../dist/assets/index-ePBLggLH.css"),
    ),
    WorkbenchFile::new(
        "messages-DS5NCpo7.js",
        "text/javascript; charset=utf-8",
        "\"54634ceca1cf0b69\"",
        include_bytes!("../dist/assets/messages-DS5NCpo7.js"),
    ),
    WorkbenchFile::new(
        "text-BoP6rjav.js",
        "text/javascript; charset=utf-8",
        "\"0429fce0aa97a6a9\"",
        include_bytes!("../dist/assets/text-BoP6rjav.js"),
    ),
];
