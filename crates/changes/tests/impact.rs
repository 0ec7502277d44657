//! What concerns a device, beside a plain scan of the folded pages.

use std::collections::{BTreeMap, BTreeSet};

use regreader_changes::mention::{Reason, RegulationTexts, trace};
use regreader_changes::{EditionText, EntityCatalog};
use regreader_model::{Location, Reference, Regulation, Resolution};
use regreader_text::fold;

use crate::support::{read, samples};

fn sample(name: &str) -> Regulation {
    let file = format!("pdf/{name}.pdf");
    read(&std::fs::read(samples().join(&file)).unwrap(), &file, name)
}

/// Every entity of the samples, and words that are none.
#[test]
fn the_pages_found_are_those_of_a_plain_scan() {
    for name in ["angui_2024", "angui_2023", "wengui_2024"] {
        let regulation = sample(name);
        let edition = EditionText::of(&regulation);
        let mut catalog = EntityCatalog::default();
        catalog.read(&edition);
        let texts = RegulationTexts::new(&edition);
        let mut keys: Vec<String> = catalog.iter().flat_map(|entity| entity.keys.clone()).collect();
        assert!(keys.len() > 10, "{keys:?}");
        keys.extend(["天中直流", "锦苏直流", "长南Ⅰ线", "安控装置", "110千伏", "注1", "不在其中"].map(fold));
        for key in keys {
            let scanned: BTreeSet<u32> = regulation
                .pages
                .iter()
                .filter(|page| fold(&page.content_markdown).contains(&key))
                .map(|page| page.page_num.get())
                .collect();
            let found: BTreeSet<u32> =
                texts.find(std::slice::from_ref(&key)).iter().map(|mention| mention.place.page).collect();
            assert_eq!(found, scanned, "{name} {key}");
        }
    }
}

#[test]
fn a_trace_follows_notes_and_references_and_says_how() {
    let regulation = sample("angui_2024");
    let texts = RegulationTexts::new(&EditionText::of(&regulation));
    let resolved = |reference: &Reference| match &reference.resolution {
        Resolution::Resolved { location } => Some((reference.clone(), location.clone())),
        _ => None,
    };
    let references: BTreeMap<String, Vec<(Reference, Location)>> = BTreeMap::from([(
        "angui_2024".to_owned(),
        regulation.references.references.iter().filter_map(resolved).collect(),
    )]);
    let keys = [fold("锦苏直流")];
    let direct = trace(&[&texts], &references, &keys, 0);
    let traced = trace(&[&texts], &references, &keys, 1);
    assert!(direct.iter().all(|impact| impact.depth == 0 && impact.via.is_none()));
    assert!(traced.len() > direct.len());
    let reasons: BTreeSet<Reason> = traced.iter().map(|impact| impact.mention.reason).collect();
    // 表2-2 锦苏直流送端切机量表 has notes, and 2.1.2.2.4 refers to it.
    assert!(reasons.contains(&Reason::Caption) && reasons.contains(&Reason::NoteOfTable), "{reasons:?}");
    assert!(traced.iter().filter(|impact| impact.depth > 0).all(|impact| impact.via.is_some()));
}
