//! The table of embedded files, written by `make ui`.

use super::WorkbenchFile;

#[rustfmt::skip]
pub(super) static PAGE: WorkbenchFile =
    WorkbenchFile::new("index.html", "text/html; charset=utf-8", "\"68ea272a1174256b\"", include_bytes!("../dist/index.html"));

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
        "Crawl-BdpDa3O0.js",
        "text/javascript; charset=utf-8",
        "\"0592b43a801ccfdd\"",
        include_bytes!("../dist/assets/Crawl-BdpDa3O0.js"),
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
        "Documents-DmXT7sEj.js",
        "text/javascript; charset=utf-8",
        "\"45f2e0f4b6caf3c3\"",
        include_bytes!("../dist/assets/Documents-DmXT7sEj.js"),
    ),
    WorkbenchFile::new(
        "Explain-9qUcsgId.css",
        "text/css; charset=utf-8",
        "\"0c69a027f666e38c\"",
        include_bytes!("../dist/assets/Explain-9qUcsgId.css"),
    ),
    WorkbenchFile::new(
        "Explain-hGHkYTvm.js",
        "text/javascript; charset=utf-8",
        "\"6b5be9a29f262a29\"",
        include_bytes!("../dist/assets/Explain-hGHkYTvm.js"),
    ),
    WorkbenchFile::new(
        "Export-CAQsgwwF.js",
        "text/javascript; charset=utf-8",
        "\"df76019222bdb151\"",
        include_bytes!("../dist/assets/Export-CAQsgwwF.js"),
    ),
    WorkbenchFile::new(
        "Export-CjgDHWF_.css",
        "text/css; charset=utf-8",
        "\"af1ef515878e203d\"",
        include_bytes!("../dist/assets/Export-CjgDHWF_.css"),
    ),
    WorkbenchFile::new(
        "Iri-C1aUzIqu.js",
        "text/javascript; charset=utf-8",
        "\"3d546d6e43748649\"",
        include_bytes!("../dist/assets/Iri-C1aUzIqu.js"),
    ),
    WorkbenchFile::new(
        "Iri-D65ASFgE.css",
        "text/css; charset=utf-8",
        "\"7b1ef878ff29353c\"",
        include_bytes!("../dist/assets/Iri-D65ASFgE.css"),
    ),
    WorkbenchFile::new(
        "Log-CoCLejAq.css",
        "text/css; charset=utf-8",
        "\"d9d84f6bd4d3af13\"",
        include_bytes!("../dist/assets/Log-CoCLejAq.css"),
    ),
    WorkbenchFile::new(
        "Log-DUyvCvzU.js",
        "text/javascript; charset=utf-8",
        "\"14222dc29eeaf71f\"",
        include_bytes!("../dist/assets/Log-DUyvCvzU.js"),
    ),
    WorkbenchFile::new(
        "NewCrawl-BWhxUcce.css",
        "text/css; charset=utf-8",
        "\"77479f092547204f\"",
        include_bytes!("../dist/assets/NewCrawl-BWhxUcce.css"),
    ),
    WorkbenchFile::new(
        "NewCrawl-Bpikh6j0.js",
        "text/javascript; charset=utf-8",
        "\"f3f860fed7169e83\"",
        include_bytes!("../dist/assets/NewCrawl-Bpikh6j0.js"),
    ),
    WorkbenchFile::new(
        "NotFound-BXCSU4Pz.js",
        "text/javascript; charset=utf-8",
        "\"b99147d568ffde0a\"",
        include_bytes!("../dist/assets/NotFound-BXCSU4Pz.js"),
    ),
    WorkbenchFile::new(
        "OutcomeText-D76ncsRg.js",
        "text/javascript; charset=utf-8",
        "\"88d9439fcb047767\"",
        include_bytes!("../dist/assets/OutcomeText-D76ncsRg.js"),
    ),
    WorkbenchFile::new(
        "Overview-5vEtZ0cO.js",
        "text/javascript; charset=utf-8",
        "\"6d84ed7b893e88fe\"",
        include_bytes!("../dist/assets/Overview-5vEtZ0cO.js"),
    ),
    WorkbenchFile::new(
        "Overview-C7WdJPgt.css",
        "text/css; charset=utf-8",
        "\"093be2e78914ec13\"",
        include_bytes!("../dist/assets/Overview-C7WdJPgt.css"),
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
        "Palette-SY-aBdwh.js",
        "text/javascript; charset=utf-8",
        "\"08558ea67280d052\"",
        include_bytes!("../dist/assets/Palette-SY-aBdwh.js"),
    ),
    WorkbenchFile::new(
        "Review-VE0JysER.js",
        "text/javascript; charset=utf-8",
        "\"fd8a37ffd7a1e37a\"",
        include_bytes!("../dist/assets/Review-VE0JysER.js"),
    ),
    WorkbenchFile::new(
        "Review-cjiH-fc4.css",
        "text/css; charset=utf-8",
        "\"846f3b8c4535502c\"",
        include_bytes!("../dist/assets/Review-cjiH-fc4.css"),
    ),
    WorkbenchFile::new(
        "Settings-CAwjAG-1.js",
        "text/javascript; charset=utf-8",
        "\"4a20e36199f3ec97\"",
        include_bytes!("../dist/assets/Settings-CAwjAG-1.js"),
    ),
    WorkbenchFile::new(
        "Settings-uR5JOtRE.css",
        "text/css; charset=utf-8",
        "\"ff7feb24faa77302\"",
        include_bytes!("../dist/assets/Settings-uR5JOtRE.css"),
    ),
    WorkbenchFile::new(
        "ShortcutHelp-D6B3tMwo.js",
        "text/javascript; charset=utf-8",
        "\"ae077e45b8a48c27\"",
        include_bytes!("../dist/assets/ShortcutHelp-D6B3tMwo.js"),
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
        "SignIn-D4w2dzO3.js",
        "text/javascript; charset=utf-8",
        "\"a2e33254db660ab4\"",
        include_bytes!("../dist/assets/SignIn-D4w2dzO3.js"),
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
        "index-BMH5DfC3.js",
        "text/javascript; charset=utf-8",
        "\"9c7d96d4fe20de45\"",
        include_bytes!("../dist/assets/index-BMH5DfC3.js"),
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
