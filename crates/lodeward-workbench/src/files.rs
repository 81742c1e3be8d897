//! The table of embedded files, written by `make ui`.

use super::WorkbenchFile;

#[rustfmt::skip]
pub(super) static PAGE: WorkbenchFile =
    WorkbenchFile::new("index.html", "text/html; charset=utf-8", "\"5799d42eadc5dc62\"", include_bytes!("../dist/index.html"));

#[rustfmt::skip]
pub(super) static ASSETS: [WorkbenchFile; 41] = [
    WorkbenchFile::new(
        "Action-BflCMQlt.js",
        "text/javascript; charset=utf-8",
        "\"50530a812de20149\"",
        include_bytes!("../dist/assets/Action-BflCMQlt.js"),
    ),
    WorkbenchFile::new(
        "Bars-BkYH74af.js",
        "text/javascript; charset=utf-8",
        "\"41d384ce72ff9ae0\"",
        include_bytes!("../dist/assets/Bars-BkYH74af.js"),
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
        "Crawl-BUy7K1vo.js",
        "text/javascript; charset=utf-8",
        "\"65d820e4bc2d6509\"",
        include_bytes!("../dist/assets/Crawl-BUy7K1vo.js"),
    ),
    WorkbenchFile::new(
        "Dialog-BAg_Bdu3.css",
        "text/css; charset=utf-8",
        "\"9e6c171984f716bb\"",
        include_bytes!("../dist/assets/Dialog-BAg_Bdu3.css"),
    ),
    WorkbenchFile::new(
        "Dialog-BVTqKPox.js",
        "text/javascript; charset=utf-8",
        "\"c4d3cc1df52c70ed\"",
        include_bytes!("../dist/assets/Dialog-BVTqKPox.js"),
    ),
    WorkbenchFile::new(
        "Documents-BLA2PC8N.js",
        "text/javascript; charset=utf-8",
        "\"33ff78abc9a9448f\"",
        include_bytes!("../dist/assets/Documents-BLA2PC8N.js"),
    ),
    WorkbenchFile::new(
        "Documents-BerXAT2r.css",
        "text/css; charset=utf-8",
        "\"ebbb13de2300045c\"",
        include_bytes!("../dist/assets/Documents-BerXAT2r.css"),
    ),
    WorkbenchFile::new(
        "Explain-9qUcsgId.css",
        "text/css; charset=utf-8",
        "\"0c69a027f666e38c\"",
        include_bytes!("../dist/assets/Explain-9qUcsgId.css"),
    ),
    WorkbenchFile::new(
        "Explain-F5A2jtyO.js",
        "text/javascript; charset=utf-8",
        "\"a649c5fa9cbbe2b2\"",
        include_bytes!("../dist/assets/Explain-F5A2jtyO.js"),
    ),
    WorkbenchFile::new(
        "Export-BP2YGvRP.css",
        "text/css; charset=utf-8",
        "\"434d040611859027\"",
        include_bytes!("../dist/assets/Export-BP2YGvRP.css"),
    ),
    WorkbenchFile::new(
        "Export-CR4yTGbc.js",
        "text/javascript; charset=utf-8",
        "\"8786f42c5d05047e\"",
        include_bytes!("../dist/assets/Export-CR4yTGbc.js"),
    ),
    WorkbenchFile::new(
        "Iri-BzloRidi.css",
        "text/css; charset=utf-8",
        "\"7a94c853660f99ad\"",
        include_bytes!("../dist/assets/Iri-BzloRidi.css"),
    ),
    WorkbenchFile::new(
        "Iri-DxQQvhcD.js",
        "text/javascript; charset=utf-8",
        "\"bc80972fd03904b4\"",
        include_bytes!("../dist/assets/Iri-DxQQvhcD.js"),
    ),
    WorkbenchFile::new(
        "Log-CoCLejAq.css",
        "text/css; charset=utf-8",
        "\"d9d84f6bd4d3af13\"",
        include_bytes!("../dist/assets/Log-CoCLejAq.css"),
    ),
    WorkbenchFile::new(
        "Log-DLUhO2hf.js",
        "text/javascript; charset=utf-8",
        "\"cb5b3dcd0ca4b50d\"",
        include_bytes!("../dist/assets/Log-DLUhO2hf.js"),
    ),
    WorkbenchFile::new(
        "NewCrawl-BWhxUcce.css",
        "text/css; charset=utf-8",
        "\"77479f092547204f\"",
        include_bytes!("../dist/assets/NewCrawl-BWhxUcce.css"),
    ),
    WorkbenchFile::new(
        "NewCrawl-DNx0GJ4u.js",
        "text/javascript; charset=utf-8",
        "\"cb946a52a6438721\"",
        include_bytes!("../dist/assets/NewCrawl-DNx0GJ4u.js"),
    ),
    WorkbenchFile::new(
        "NotFound-C01q562j.js",
        "text/javascript; charset=utf-8",
        "\"ba2cc3eeeccb9bbc\"",
        include_bytes!("../dist/assets/NotFound-C01q562j.js"),
    ),
    WorkbenchFile::new(
        "OutcomeText-BAwqjxyP.js",
        "text/javascript; charset=utf-8",
        "\"cfcc4552e6b7278c\"",
        include_bytes!("../dist/assets/OutcomeText-BAwqjxyP.js"),
    ),
    WorkbenchFile::new(
        "Overview-BZHoRN7l.css",
        "text/css; charset=utf-8",
        "\"6086a0b4f3d0f2b2\"",
        include_bytes!("../dist/assets/Overview-BZHoRN7l.css"),
    ),
    WorkbenchFile::new(
        "Overview-CiqvCTMP.js",
        "text/javascript; charset=utf-8",
        "\"0edbf20dc9a0abb3\"",
        include_bytes!("../dist/assets/Overview-CiqvCTMP.js"),
    ),
    WorkbenchFile::new(
        "PageTurner-Bnb1z2e2.js",
        "text/javascript; charset=utf-8",
        "\"6f4e048b044a3c99\"",
        include_bytes!("../dist/assets/PageTurner-Bnb1z2e2.js"),
    ),
    WorkbenchFile::new(
        "Palette-B8A1NCEu.css",
        "text/css; charset=utf-8",
        "\"482ca2dee16e2e7e\"",
        include_bytes!("../dist/assets/Palette-B8A1NCEu.css"),
    ),
    WorkbenchFile::new(
        "Palette-D5WWso47.js",
        "text/javascript; charset=utf-8",
        "\"507d18657534cdb1\"",
        include_bytes!("../dist/assets/Palette-D5WWso47.js"),
    ),
    WorkbenchFile::new(
        "Review-B0ltM8kg.css",
        "text/css; charset=utf-8",
        "\"1de46112849f8944\"",
        include_bytes!("../dist/assets/Review-B0ltM8kg.css"),
    ),
    WorkbenchFile::new(
        "Review-DQqHjRS8.js",
        "text/javascript; charset=utf-8",
        "\"44966a5240e068b3\"",
        include_bytes!("../dist/assets/Review-DQqHjRS8.js"),
    ),
    WorkbenchFile::new(
        "Settings-DTytbzZJ.js",
        "text/javascript; charset=utf-8",
        "\"5d691b6a90459fdf\"",
        include_bytes!("../dist/assets/Settings-DTytbzZJ.js"),
    ),
    WorkbenchFile::new(
        "Settings-uR5JOtRE.css",
        "text/css; charset=utf-8",
        "\"ff7feb24faa77302\"",
        include_bytes!("../dist/assets/Settings-uR5JOtRE.css"),
    ),
    WorkbenchFile::new(
        "ShortcutHelp-CMidgzmj.js",
        "text/javascript; charset=utf-8",
        "\"fdf55c4ef3437d9e\"",
        include_bytes!("../dist/assets/ShortcutHelp-CMidgzmj.js"),
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
        "SignIn-DfWbLBdB.js",
        "text/javascript; charset=utf-8",
        "\"0da180629ffdaf21\"",
        include_bytes!("../dist/assets/SignIn-DfWbLBdB.js"),
    ),
    WorkbenchFile::new(
        "candidates-D8c16ewm.js",
        "text/javascript; charset=utf-8",
        "\"04e8ad62c537b328\"",
        include_bytes!("../dist/assets/candidates-D8c16ewm.js"),
    ),
    WorkbenchFile::new(
        "icon-C2ByH0w2.svg",
        "image/svg+xml",
        "\"d6260bf49f67c162\"",
        include_bytes!("../dist/assets/icon-C2ByH0w2.svg"),
    ),
    WorkbenchFile::new(
        "index-1Pk5QSZo.js",
        "text/javascript; charset=utf-8",
        "\"044ac918d08836bf\"",
        include_bytes!("../dist/assets/index-1Pk5QSZo.js"),
    ),
    WorkbenchFile::new(
        "index-ePBLggLH.css",
        "text/css; charset=utf-8",
        "\"0873d33c1262cea1\"",
        include_bytes!("../dist/assets/index-ePBLggLH.css"),
    ),
    WorkbenchFile::new(
        "messages-Bd84URkG.js",
        "text/javascript; charset=utf-8",
        "\"94f364d8c6b6de9a\"",
        include_bytes!("../dist/assets/messages-Bd84URkG.js"),
    ),
    WorkbenchFile::new(
        "shell-D7btDNS3.js",
        "text/javascript; charset=utf-8",
        "\"ff4cbc4bd58f715d\"",
        include_bytes!("../dist/assets/shell-D7btDNS3.js"),
    ),
    WorkbenchFile::new(
        "text-BwZcOEqS.js",
        "text/javascript; charset=utf-8",
        "\"db59b6f839284d73\"",
        include_bytes!("../dist/assets/text-BwZcOEqS.js"),
    ),
];
