//! What a backend with a manifest must do beyond the contract of all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regreader_index::vector::OpenVectors;
use regreader_index::{DocumentKey, Filter, IndexDocument, VectorIndex};
use regreader_model::{BlockId, BlockType, ClauseNumber, NodeId, PageNumber, RegId};

const DIMENSION: usize = 8;

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn vector(&mut self) -> Vec<f32> {
        let values: Vec<f32> = (0..DIMENSION).map(|_| self.below(2_001) as f32 / 1_000.0 - 1.0).collect();
        let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(0.001);
        values.iter().map(|value| value / norm).collect()
    }

    fn document(&mut self, reg_id: &RegId, at: usize) -> IndexDocument {
        let nodes = ["n1", "n2", "n3"].into_iter().take(self.below(4)).map(NodeId::new).collect();
        IndexDocument {
            key: DocumentKey {
                reg_id: reg_id.clone(),
                page_num: PageNumber::from_index(at / 2),
                block_id: BlockId::new(format!("b{at}")),
            },
            block_type: [BlockType::Text, BlockType::Table, BlockType::SectionContent][self.below(3)],
            chapter_path: Vec::new(),
            ancestry: nodes,
            section_number: (self.below(2) == 0).then(|| ClauseNumber::new("2.1")),
            table_id: None,
            text: String::new(),
        }
    }

    fn filter(&mut self, ids: &[RegId]) -> Filter {
        let mut filter = Filter::default();
        if self.below(2) == 0 {
            filter.regulations = Some((0..4).map(|_| ids[self.below(ids.len())].clone()).collect());
        }
        if self.below(3) == 0 {
            let node = NodeId::new(["n1", "n2", "n3"][self.below(3)]);
            filter.scope = Some((0..3).map(|_| (ids[self.below(ids.len())].clone(), node.clone())).collect());
        }
        if self.below(3) == 0 {
            filter.block_types = BTreeSet::from([BlockType::Text, BlockType::Table]);
        }
        filter.section_number = (self.below(4) == 0).then(|| ClauseNumber::new("2.1"));
        filter
    }
}

/// What the index should hold.
type Model = BTreeMap<RegId, Vec<(IndexDocument, Vec<f32>)>>;

fn expected(model: &Model, vector: &[f32], filter: &Filter, limit: usize) -> Vec<(DocumentKey, f32)> {
    let all = model.values().flatten().filter(|(document, _)| filter.accepts(document));
    let cosine = |mine: &[f32]| vector.iter().zip(mine).map(|(a, b)| a * b).sum::<f32>();
    let mut found: Vec<_> = all.map(|(document, mine)| (document.key.clone(), cosine(mine))).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(limit);
    found
}

fn agree(index: &dyn VectorIndex, model: &Model, ids: &[RegId], numbers: &mut Numbers) {
    for _ in 0..4 {
        let (vector, filter) = (numbers.vector(), numbers.filter(ids));
        let found = index.search(&vector, &filter, 5).unwrap();
        let wanted = expected(model, &vector, &filter, 5);
        assert_eq!(found.len(), wanted.len(), "{filter:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!(found.0 == wanted.0 && (found.1 - wanted.1).abs() < 1e-5, "{found:?} {wanted:?}");
        }
    }
    let vector = numbers.vector();
    let all = expected(model, &vector, &Filter::default(), usize::MAX);
    let mean = all.iter().map(|(_, cosine)| cosine).sum::<f32>() / all.len().max(1) as f32;
    assert!((index.mean(&vector).unwrap() - mean).abs() < 1e-5);
    assert_eq!(index.search(&vector, &Filter::default(), usize::MAX).unwrap().len(), all.len());
    assert_eq!(index.built_from().unwrap().len(), model.len());
}

/// After many changes, one by one, it holds what a plain list would: files are joined and dropped on the way.
pub fn many_changes_leave_what_a_list_would(open: OpenVectors) {
    let folder = tempfile::tempdir().unwrap();
    // Not only tidy folders hold libraries.
    let folder = folder.path().join("库 #1 %20 a'b");
    let open = || open(&folder, "m", DIMENSION).unwrap();
    let index = open();
    let ids: Vec<RegId> = (0..12).map(|at| format!("reg{at}").parse().unwrap()).collect();
    let (mut numbers, mut model) = (Numbers(7), Model::new());
    for change in 0..60 {
        let reg_id = &ids[numbers.below(ids.len())];
        if numbers.below(5) == 0 {
            index.delete_regulation(reg_id).unwrap();
            model.remove(reg_id);
        } else {
            let documents: Vec<_> = (0..numbers.below(7)).map(|at| numbers.document(reg_id, at)).collect();
            let vectors: Vec<_> = documents.iter().map(|_| numbers.vector()).collect();
            index.replace_regulation(reg_id, &format!("h{change}"), &documents, vectors.clone()).unwrap();
            model.insert(reg_id.clone(), documents.into_iter().zip(vectors).collect());
        }
        if change % 6 == 0 {
            agree(index.as_ref(), &model, &ids, &mut numbers);
        }
    }
    agree(open().as_ref(), &model, &ids, &mut numbers);
    for reg_id in &ids {
        index.delete_regulation(reg_id).unwrap();
    }
    agree(index.as_ref(), &Model::new(), &ids, &mut numbers);
}

/// A writer that dies before its change counts has changed nothing, and the next writer begins where it began.
pub fn what_never_counted_is_undone(open: OpenVectors) {
    let folder = tempfile::tempdir().unwrap();
    let open = || open(folder.path(), "m", DIMENSION).unwrap();
    let ids: [RegId; 2] = ["a", "b"].map(|id| id.parse().unwrap());
    let (mut numbers, mut model) = (Numbers(3), Model::new());
    let mut put = |index: &dyn VectorIndex, model: &mut Model, reg_id: &RegId, count: usize| {
        let documents: Vec<_> = (0..count).map(|at| numbers.document(reg_id, at)).collect();
        let vectors: Vec<_> = documents.iter().map(|_| numbers.vector()).collect();
        index.replace_regulation(reg_id, "h", &documents, vectors.clone()).unwrap();
        model.insert(reg_id.clone(), documents.into_iter().zip(vectors).collect());
    };
    let manifest = folder.path().join("manifest.json");
    // The first change of all dies, then one to a filled index.
    put(open().as_ref(), &mut Model::new(), &ids[0], 3);
    std::fs::remove_file(&manifest).unwrap();
    agree(open().as_ref(), &Model::new(), &ids, &mut Numbers(1));
    put(open().as_ref(), &mut model, &ids[0], 5);
    let counted = std::fs::read(&manifest).unwrap();
    put(open().as_ref(), &mut model.clone(), &ids[0], 4);
    std::fs::write(&manifest, counted).unwrap();
    agree(open().as_ref(), &model, &ids, &mut Numbers(1));
    put(open().as_ref(), &mut model, &ids[1], 2);
    agree(open().as_ref(), &model, &ids, &mut Numbers(1));
}

/// An index whose files are gone or torn says so when it is opened, so that it is built anew.
pub fn a_torn_index_is_noticed(open: OpenVectors, tear: fn(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path(), "m", DIMENSION).unwrap();
    let reg_id: RegId = "a".parse().unwrap();
    let (document, vector) = (Numbers(3).document(&reg_id, 0), Numbers(3).vector());
    index.replace_regulation(&reg_id, "h", &[document], vec![vector]).unwrap();
    drop(index);
    tear(folder.path());
    let error = open(folder.path(), "m", DIMENSION).err().unwrap();
    assert!(error.hint().unwrap().contains("reindex"), "{error}");
}
