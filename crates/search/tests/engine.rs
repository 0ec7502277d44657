//! The engine over a small library: searching, choosing regulations, tables and rows, and keeping in step.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::fs;
use std::sync::Arc;

use crate::common::{DeadEmbedder, HashEmbedder, angui, engine, engine_with, wengui};
use regreader_model::{BlockId, BlockType, DomainError, RegId};
use regreader_question::Condition;
use regreader_search::{
    EngineOptions, Fusion, FusionOptions, IndexError, KeywordBackend, MatchRule, RefreshEvent,
    RegulationScope, RowLookup, SearchEngine, SearchRequest, SearchResponse, SimilarRequest, SimilarTo,
    TablePart, TableSearchMode, TableSearchRequest,
};
use regreader_store::{Library, OpenOptions};

fn reg(id: &str) -> RegId {
    id.parse().unwrap()
}

fn these(ids: &[&str]) -> RegulationScope {
    RegulationScope::These(ids.iter().copied().map(reg).collect())
}

fn ask(engine: &SearchEngine, query: &str) -> SearchResponse {
    engine.search(&SearchRequest::new(query)).unwrap()
}

fn chosen(response: &SearchResponse) -> Vec<String> {
    let selection = response.selection.as_ref().unwrap();
    selection.chosen.iter().map(|one| one.reg_id.as_str().to_owned()).collect()
}

/// A1: not by a keyword that is a part of the question, but by all that is known.
#[test]
fn a_question_about_a_fault_goes_to_the_control_regulation() {
    let folder = tempfile::tempdir().unwrap();
    let response = ask(&engine(folder.path()), "母线失压");
    assert_eq!(chosen(&response), ["angui_2024"]);
    let first = &response.hits[0];
    assert_eq!((first.reg_id.as_str(), first.page_num.get()), ("angui_2024", 4));
    assert!(first.snippet.contains("**母线失压**"), "{}", first.snippet);
    let selection = response.selection.unwrap();
    assert!(selection.chosen[0].reasons.iter().any(|reason| reason.contains("母线失压")), "{selection:?}");
    assert_eq!(selection.superseded[0].reg_id.as_str(), "angui_2023");
}

/// A2. The other regulation quotes this one's title beside the very words of the question: that speaks for this one.
#[test]
fn a_question_about_limits_goes_to_the_limits_regulation() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let everywhere =
        engine.search(&SearchRequest::new("特高压稳定限额").scope(RegulationScope::All)).unwrap();
    let quoting = everywhere.hits.iter().position(|hit| hit.snippet.contains('《')).unwrap();
    assert!(quoting < 5, "the quotation is a good hit by words: {quoting}");
    assert_eq!(chosen(&ask(&engine, "特高压稳定限额")), ["wengui_2024"]);
}

/// Everything that is printed can be found: notes, captions, headers and cells of tables; and a text that stands in two
/// editions once.
#[test]
fn notes_captions_headers_and_cells_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    for (query, there) in [
        ("切机量按就近原则取整", "就近原则"),
        ("双极闭锁切机措施", "切机措施"),
        ("切火电（万千瓦）", "切火电"),
        ("直流功率 700 切火电 264", "264"),
    ] {
        let response = engine.search(&SearchRequest::new(query).scope(these(&["angui_2024"]))).unwrap();
        let first = response.hits.first().unwrap();
        assert!(first.snippet.replace("**", "").contains(there), "{query}: {}", first.snippet);
    }
    let row = engine.search(&SearchRequest::new("264").scope(these(&["angui_2024"]))).unwrap();
    assert!(row.hits[0].snippet.contains("| 700 | **264** |"), "a whole row: {}", row.hits[0].snippet);
    let twice = engine
        .search(&SearchRequest::new("长治站长南Ⅰ线稳态过电压控制装置").scope(RegulationScope::All))
        .unwrap();
    let same =
        twice.hits.iter().filter(|hit| hit.snippet.replace("**", "").contains("稳态过电压控制装置动作后"));
    let same: Vec<&str> = same.map(|hit| hit.reg_id.as_str()).collect();
    assert_eq!(same, ["angui_2024"], "two editions say it; the one in force is shown");
}

/// A3, A4, A5.
#[test]
fn the_scope_can_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let search = |scope| {
        let response = engine.search(&SearchRequest::new("天中直流安控").scope(scope)).unwrap();
        assert!(response.selection.is_none());
        let mut ids: Vec<String> = response.hits.iter().map(|hit| hit.reg_id.as_str().to_owned()).collect();
        ids.sort();
        ids.dedup();
        ids
    };
    assert_eq!(search(these(&["angui_2024"])), ["angui_2024"]);
    assert_eq!(search(these(&["angui_2024", "wengui_2024"])), ["angui_2024", "wengui_2024"]);
    // Of text that two editions share, the one in force is shown.
    assert_eq!(search(RegulationScope::All), ["angui_2024", "wengui_2024"]);
    assert_eq!(search(these(&["angui_2023"])), ["angui_2023"]);
    let error = engine.search(&SearchRequest::new("母线").scope(these(&["nobody"]))).unwrap_err();
    assert_eq!(error.to_string(), "规程不存在: nobody");
}

/// Acceptance A7.
#[test]
fn a_question_that_needs_both_reaches_both() {
    let folder = tempfile::tempdir().unwrap();
    let response = ask(&engine(folder.path()), "天中直流的稳定限额和安控措施");
    let mut both = chosen(&response);
    both.sort();
    assert_eq!(both, ["angui_2024", "wengui_2024"]);
    for id in both {
        assert!(response.hits.iter().any(|hit| hit.reg_id.as_str() == id), "{id} has hits");
    }
    assert!(response.hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "one ranking");
}

#[test]
fn an_edition_that_is_named_is_the_one_searched() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    assert_eq!(chosen(&ask(&engine, "2023版母线失压怎么处理")), ["angui_2023"]);
    let mut both = chosen(&ask(&engine, "母线失压的处理 2024 版比 2023 版改了什么"));
    both.sort();
    assert_eq!(both, ["angui_2023", "angui_2024"]);
}

#[test]
fn a_place_in_the_tree_narrows_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let search = |chapter: &str| {
        let mut request = SearchRequest::new("安控装置 汇报国调 处理").scope(these(&["angui_2024"]));
        request.chapter_scope = Some(chapter.to_owned());
        engine.search(&request)
    };
    let below = search("2.1").unwrap();
    assert!(!below.hits.is_empty());
    assert!(below.hits.iter().all(|hit| hit.chapter_path[1] == "2.1 天中直流安控系统"), "{below:?}");
    let one = search("天中直流安控系统 > 故障处理").unwrap();
    assert!(one.hits.iter().all(|hit| hit.section_number.as_ref().unwrap().as_str() == "2.1.2"), "{one:?}");
    let error = search("1.1").unwrap_err();
    assert!(matches!(error, IndexError::Domain(DomainError::ChapterNotFound { .. })), "{error}");
    let error = search("安控").unwrap_err();
    assert!(error.hint().unwrap().contains("安控系统"), "{error:?}");
}

#[test]
fn kinds_and_clauses_narrow_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let mut request = SearchRequest::new("天中直流 限额 切机").scope(RegulationScope::All);
    request.block_types = vec![BlockType::Table];
    let tables = engine.search(&request).unwrap();
    assert!(!tables.hits.is_empty());
    assert!(tables.hits.iter().all(|hit| hit.block_type == Some(BlockType::Table) && hit.table_id.is_some()));
    request.block_types = vec![BlockType::Note];
    request.question = SearchRequest::new("试运机组").question;
    assert!(engine.search(&request).unwrap().hits[0].snippet.contains("试运机组"), "notes are found");
    request.block_types.clear();
    request.question = SearchRequest::new("装置").question;
    request.section_number = Some("第2.1.2条".to_owned());
    let clause = engine.search(&request).unwrap();
    assert!(clause.hits.iter().all(|hit| hit.section_number.as_ref().unwrap().as_str() == "2.1.2"));
    assert!(!clause.hits.is_empty());
}

#[test]
fn hits_can_be_collapsed_to_pages_and_are_cut_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let mut request = SearchRequest::new("天中直流").scope(RegulationScope::All);
    let blocks = engine.search(&request).unwrap();
    request.collapse_pages = true;
    let pages = engine.search(&request).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    assert!(
        pages
            .hits
            .iter()
            .all(|hit| seen.insert((hit.reg_id.clone(), hit.page_num)) && hit.block_id.is_none())
    );
    assert!(pages.hits.len() < blocks.hits.len());
    let one = engine.search(&SearchRequest { limit: 1, ..request }).unwrap();
    assert!(one.hits.len() == 1 && one.truncated);
}

#[test]
fn what_makes_no_sense_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    for query in ["", "   ", &"母".repeat(5_000)] {
        let error = engine.search(&SearchRequest::new(query)).unwrap_err();
        assert!(
            matches!(error, IndexError::Domain(DomainError::InvalidArgument { name: "query", .. })),
            "{error}"
        );
    }
    assert!(engine.search(&SearchRequest::new("母线").limit(0)).is_err());
    let nothing = ask(&engine, "🔥 quux");
    assert!(nothing.hits.is_empty() && nothing.coverage < 0.1);
    assert!(nothing.selection.unwrap().fell_back);
}

#[test]
fn meaning_finds_what_words_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = Arc::new(HashEmbedder::new("hash-1"));
    let engine = engine_with(folder.path(), EngineOptions::default(), Some(embedder));
    assert!(engine.has_vectors());
    let response = ask(&engine, "母线没电了，要向谁报告？");
    assert_eq!(
        (response.hits[0].reg_id.as_str(), response.hits[0].page_num.get()),
        ("angui_2024", 4),
        "{response:?}"
    );
    assert!(response.notices.is_empty());
}

#[test]
fn every_fusion_and_every_keyword_index_answers() {
    for backend in KeywordBackend::EMBEDDED {
        for fusion in Fusion::ALL {
            let folder = tempfile::tempdir().unwrap();
            let options = EngineOptions {
                keyword_backend: backend,
                fusion: FusionOptions { fusion, ..FusionOptions::default() },
                ..EngineOptions::default()
            };
            let engine = engine_with(folder.path(), options, Some(Arc::new(HashEmbedder::new("hash-1"))));
            let response = ask(&engine, "110kV 母线失压时立即汇报国调");
            assert_eq!(response.hits[0].page_num.get(), 4, "{backend} {fusion}");
        }
    }
}

#[test]
fn a_dead_embedding_server_leaves_the_words() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = Arc::new(DeadEmbedder(HashEmbedder::new("hash-1")));
    let engine = engine_with(folder.path(), EngineOptions::default(), Some(embedder));
    let response = ask(&engine, "母线失压");
    assert_eq!(response.hits[0].page_num.get(), 4);
    assert!(response.notices[0].contains("向量检索不可用"), "{:?}", response.notices);
}

#[test]
fn what_is_like_a_block_is_found_without_the_block() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = Arc::new(HashEmbedder::new("hash-1"));
    let engine = engine_with(folder.path(), EngineOptions::default(), Some(embedder));
    let hit = ask(&engine, "长南Ⅰ线").hits.remove(0);
    let request = SimilarRequest {
        to: SimilarTo::Block(hit.reg_id.clone(), hit.block_id.clone().unwrap()),
        scope: RegulationScope::All,
        limit: 5,
        exclude_same_page: true,
    };
    let similar = engine.find_similar(&request).unwrap();
    assert_eq!(similar.hits.len(), 5);
    assert!(similar.hits.iter().all(|other| (&other.reg_id, other.page_num) != (&hit.reg_id, hit.page_num)));
    let text = SimilarRequest { to: SimilarTo::Text("母线失压".to_owned()), ..request.clone() };
    assert!(engine.find_similar(&text).unwrap().hits[0].snippet.contains("母线失压"));
    let lost = SimilarRequest { to: SimilarTo::Block(reg("angui_2024"), BlockId::new("nothing")), ..request };
    assert!(matches!(
        engine.find_similar(&lost).unwrap_err(),
        IndexError::Domain(DomainError::BlockNotFound { .. })
    ));
}

#[test]
fn tables_are_found_by_caption_header_and_cell() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = Arc::new(HashEmbedder::new("hash-1"));
    let engine = engine_with(folder.path(), EngineOptions::default(), Some(embedder));
    for mode in [TableSearchMode::Keyword, TableSearchMode::Semantic, TableSearchMode::Hybrid] {
        let request = TableSearchRequest {
            mode,
            ..TableSearchRequest::new("天中直流线路N-1方式限额表（全压）")
        };
        let found = engine.search_tables(&request).unwrap();
        assert_eq!(found.hits[0].number.as_deref(), Some("3-3"), "{mode:?}");
    }
    let found = engine.search_tables(&TableSearchRequest::new("切火电 264")).unwrap();
    let first = &found.hits[0];
    assert_eq!((first.reg_id.as_str(), first.number.as_deref()), ("angui_2024", Some("2-3")));
    assert!(first.matched_in.contains(&TablePart::Headers) && first.matched_in.contains(&TablePart::Cells));
    assert!(first.snippet.contains("| 700 | **264** |"), "{}", first.snippet);
    assert_eq!((first.row_count, first.col_count, first.is_cross_page), (2, 2, false));
    let named = TableSearchRequest {
        scope: these(&["wengui_2024"]),
        ..TableSearchRequest::new("表 3－4 是什么")
    };
    assert_eq!(engine.search_tables(&named).unwrap().hits[0].number.as_deref(), Some("3-4"));
    let below = TableSearchRequest {
        chapter_scope: Some("3.1".to_owned()),
        scope: RegulationScope::All,
        ..TableSearchRequest::new("天中直流限额")
    };
    let below = engine.search_tables(&below).unwrap();
    assert!(below.hits.iter().all(|hit| hit.number.as_deref() == Some("3-1")) && !below.hits.is_empty());
}

#[test]
fn rows_are_read_as_a_dispatcher_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let look = |query: &str| engine.lookup_rows(&RowLookup::new(query)).unwrap();
    let answer = |query: &str| -> (String, Vec<String>) {
        let response = look(query);
        let row = response
            .rows
            .iter()
            .find(|row| row.is_greatest)
            .unwrap_or_else(|| panic!("{query}: {response:?}"));
        let cells = row.cells.iter().filter(|cell| cell.is_answer).map(|cell| cell.value.clone()).collect();
        (row.number.clone().unwrap(), cells)
    };
    // Normal operation: the count exactly, 180 is read at the step of 200.
    assert_eq!(
        answer("天中直流正常方式全压，开机 3 台，新能源 180 万千瓦，策略退出，限额多少？"),
        ("3-1".to_owned(), vec!["320".to_owned()])
    );
    // N-1: four units reach the row for three; 2500 MW is 250 万千瓦, read at 300; above all steps the largest.
    assert_eq!(
        answer("天中直流线路N-1、全压、开机 4 台、风电 250 万千瓦时的直流限额？策略投入"),
        ("3-3".to_owned(), vec!["365".to_owned()])
    );
    assert_eq!(
        answer("天中直流线路N-1全压，开机 5 台，风电 900 万千瓦，策略退出"),
        ("3-3".to_owned(), vec!["390".to_owned()])
    );
    assert_eq!(
        answer("天中直流线路N-1降压，开机 3 台，风电 100 万千瓦，策略投入"),
        ("3-4".to_owned(), vec!["215".to_owned()])
    );
    // Nothing said of the voltage: full, and it is told.
    let open = look("天中直流线路N-1，开机 3 台，风电 100 万千瓦，策略投入");
    assert_eq!(open.rows[0].number.as_deref(), Some("3-3"));
    assert!(open.notices.iter().any(|notice| notice.contains("全压")), "{open:?}");
    let row = &open.rows[0];
    assert_eq!(row.notes[0].content, "风电出力不含光伏。");
    assert_eq!(row.page_num.get(), 3);
    let rules: Vec<MatchRule> = row.matched.iter().map(|how| how.rule).collect();
    assert!(
        rules.contains(&MatchRule::AtLeast)
            && rules.contains(&MatchRule::Header)
            && rules.contains(&MatchRule::Table),
        "{rules:?}"
    );
    // A count that normal operation does not list has no row; it is not guessed.
    let none = look("天中直流正常方式全压，开机 9 台，新能源 100 万千瓦，策略投入");
    assert!(none.rows.iter().all(|row| !row.unmet.is_empty()), "{none:?}");
}

#[test]
fn rows_can_be_asked_for_by_table_and_condition() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let lookup = RowLookup {
        scope: these(&["wengui_2024"]),
        table: Some("表3-1".to_owned()),
        conditions: vec![
            Condition::new("开机台数", "2"),
            Condition::new("新能源", "2000MW"),
            Condition::new("", "投入"),
        ],
        ..RowLookup::new("")
    };
    let found = engine.lookup_rows(&lookup).unwrap();
    assert_eq!(found.rows.len(), 1, "{found:?}");
    let cells: Vec<&str> = found.rows[0].cells.iter().map(|cell| cell.value.as_str()).collect();
    assert_eq!(cells, ["2", "200", "投入", "350"]);
    let missing = RowLookup { table: Some("表9-9".to_owned()), ..lookup };
    assert!(engine.lookup_rows(&missing).unwrap().rows.is_empty());
}

#[test]
fn only_what_is_stale_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let engine =
        engine_with(folder.path(), EngineOptions::default(), Some(Arc::new(HashEmbedder::new("hash-1"))));
    let refresh = |engine: &SearchEngine| {
        let mut events = Vec::new();
        let report = engine.refresh(&mut |event| events.push(event)).unwrap();
        (report, events)
    };
    let (report, events) = refresh(&engine);
    assert!(report.indexed.is_empty() && events.is_empty(), "nothing to do: {events:?}");

    let mut changed = wengui();
    changed.pages[3].content_blocks[1].content_markdown = "长南I线北送稳定限额改为 480 万千瓦。".to_owned();
    engine.library().replace(&changed, None).unwrap();
    engine.library().delete(&reg("angui_2023")).unwrap();
    assert_eq!(engine.stale().unwrap(), [reg("wengui_2024")]);
    let (report, events) = refresh(&engine);
    assert_eq!(report.indexed, [reg("wengui_2024")]);
    assert_eq!(report.removed, [reg("angui_2023")]);
    assert!(events.contains(&RefreshEvent::Removed { reg_id: reg("angui_2023") }));
    assert!(ask(&engine, "长南I线北送稳定限额").hits[0].snippet.contains("480"));
    assert!(engine.search(&SearchRequest::new("母线").scope(these(&["angui_2023"]))).is_err());

    let report = engine.rebuild(&mut |_| {}).unwrap();
    assert_eq!(report.indexed.len(), 2, "a rebuild builds all");
}

#[test]
fn another_process_takes_over_what_was_built() {
    let folder = tempfile::tempdir().unwrap();
    let writer = engine(folder.path());
    let library = Library::open(folder.path().join("storage"), OpenOptions::new()).unwrap();
    let server =
        SearchEngine::open(library, &folder.path().join("index"), EngineOptions::default(), None).unwrap();
    assert_eq!(ask(&server, "母线失压").hits[0].page_num.get(), 4);
    let mut changed = angui("2024");
    changed.pages[0].content_blocks[1].content_markdown = "黑启动电源应保持热备用。".to_owned();
    writer.library().replace(&changed, None).unwrap();
    writer.refresh(&mut |_| {}).unwrap();
    assert!(ask(&server, "黑启动电源").hits[0].snippet.contains("**黑启动电源**"), "without being told");
    writer
        .library()
        .update_info(&reg("wengui_2024"), |info| info.keywords.push("黑启动".to_owned()))
        .unwrap();
    writer.refresh(&mut |_| {}).unwrap();
    assert!(chosen(&ask(&server, "黑启动")).contains(&"wengui_2024".to_owned()), "metadata too");
}

/// What to tear, and how.
type Tear<'a> = (&'a str, &'a dyn Fn(&std::path::Path));

#[test]
fn a_torn_index_is_noticed_said_and_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    drop(engine_with(folder.path(), EngineOptions::default(), Some(Arc::new(HashEmbedder::new("hash-1")))));
    let tear: [Tear<'_>; 4] = [
        ("tantivy", &|path| fs::write(path.join("blocks/tantivy/meta.json"), "{").unwrap()),
        ("catalog", &|path| fs::write(path.join("blocks/catalog/manifest.json"), "[]").unwrap()),
        ("catalog file", &|path| cut_files(&path.join("blocks/catalog"))),
        ("tables", &|path| fs::write(path.join("tables/tantivy/meta.json"), "{").unwrap()),
    ];
    for (what, tear) in tear {
        tear(&index);
        let library = Library::open(folder.path().join("storage"), OpenOptions::new()).unwrap();
        let embedder = Arc::new(HashEmbedder::new("hash-1"));
        let engine = SearchEngine::open(library, &index, EngineOptions::default(), Some(embedder)).unwrap();
        let mut said = Vec::new();
        engine.refresh(&mut |event| said.push(event)).unwrap();
        assert!(what == "tables" || !said.is_empty(), "{what} is said");
        assert_eq!(ask(&engine, "母线失压").hits[0].page_num.get(), 4, "{what}");
        let found =
            engine.search_tables(&TableSearchRequest::new("天中直流线路N-1方式限额表（全压）")).unwrap();
        assert_eq!(found.hits[0].number.as_deref(), Some("3-3"), "{what}");
    }
}

/// Cuts every data file of a folder in half.
fn cut_files(folder: &std::path::Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "bin") {
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        }
    }
}

#[test]
fn another_model_gets_its_own_vectors() {
    let folder = tempfile::tempdir().unwrap();
    drop(engine_with(folder.path(), EngineOptions::default(), Some(Arc::new(HashEmbedder::new("hash-1")))));
    let library = Library::open(folder.path().join("storage"), OpenOptions::new()).unwrap();
    let other = Arc::new(HashEmbedder::new("hash-2"));
    let engine =
        SearchEngine::open(library, &folder.path().join("index"), EngineOptions::default(), Some(other))
            .unwrap();
    let report = engine.refresh(&mut |_| {}).unwrap();
    assert_eq!(report.indexed.len(), 3, "vectors of the new model");
    assert_eq!(ask(&engine, "母线失压").hits[0].page_num.get(), 4);
}

#[test]
fn an_empty_library_is_searched_without_fuss() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path().join("storage"), OpenOptions::new()).unwrap();
    let engine =
        SearchEngine::open(library, &folder.path().join("index"), EngineOptions::default(), None).unwrap();
    engine.refresh(&mut |_| {}).unwrap();
    assert!(ask(&engine, "母线失压").hits.is_empty());
    assert!(engine.search_tables(&TableSearchRequest::new("限额")).unwrap().hits.is_empty());
    assert!(engine.lookup_rows(&RowLookup::new("开机 3 台")).unwrap().rows.is_empty());
}

#[test]
fn searches_run_side_by_side_with_a_refresh() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..4 {
                let mut changed = wengui();
                changed.pages[0].content_blocks[1].content_markdown = format!("第 {round} 次修改。");
                engine.library().replace(&changed, None).unwrap();
                engine.refresh(&mut |_| {}).unwrap();
            }
        });
        for _ in 0..20 {
            assert_eq!(ask(&engine, "母线失压").hits[0].page_num.get(), 4);
        }
        writer.join().unwrap();
    });
    assert!(ask(&engine, "第 3 次修改").hits[0].snippet.contains("修改"));
}
