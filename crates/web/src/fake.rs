//! A library of one regulation of two pages, for the tests of this crate.

#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up should fail")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use regreader_model::{LogicalTable, PageDocument, PageNumber, Rect};
use regreader_tools::{EditionStatus, Status};
use serde_json::{Value, json};

use crate::backend::{
    AgentChoice, AnswerReply, AnswerStatement, AskEvent, AskRequest, Backend, ChangesAsked, DocumentFormat,
    Failure, FailureKind, Identity, IngestEvent, IngestReport, Metadata, Picture, PictureRequest,
    RegulationCard, RegulationParts, RemovedStatement, Review, Role, Upload,
};

/// Box of printed line `n` of the first page.
pub fn line_box(n: u32) -> Rect {
    let y = 100.0 + 20.0 * (n - 1) as f32;
    Rect::new(90.0, y, 500.0, y + 14.0)
}

fn rect(rect: Rect) -> Value {
    json!({ "x0": rect.x0, "y0": rect.y0, "x1": rect.x1, "y1": rect.y1 })
}

fn cell(row: u32, col: u32, content: &str, y: f32) -> Value {
    let x = 90.0 + 210.0 * col as f32;
    let right = if col == 0 { 300.0 } else { 500.0 };
    json!({ "row": row, "col": col, "content": content, "is_header": row == 0,
            "bbox": rect(Rect::new(x, y, right, y + 20.0)) })
}

/// The two pages. The second begins with the rest of the first one's table.
pub fn page(number: u32) -> PageDocument {
    let first = json!([
        { "block_id": "p0001-b000", "block_type": "heading", "content_markdown": "## 6.2 母线失压",
          "chapter_path": ["6 故障处理", "6.2 母线失压"], "section_number": "6.2", "bbox": rect(line_box(1)) },
        { "block_id": "p0001-b001", "block_type": "section_content", "section_number": "6.2.1",
          "content_markdown": "6.2.1 110kV 母线失压后，应立即汇报国调，不得试送，见表6-2。",
          "bbox": rect(line_box(1).union(&line_box(2))),
          "lines": [{ "end": 18, "bbox": rect(line_box(1)) }, { "end": 28, "bbox": rect(line_box(2)) }] },
        { "block_id": "p0001-b002", "block_type": "table", "content_markdown": "| 台数 | 限额 |",
          "bbox": rect(Rect::new(90.0, 300.0, 500.0, 340.0)),
          "table_meta": { "table_id": "t0001", "caption": "表6-2 限额", "is_truncated": true, "row_count": 1, "col_count": 2,
            "col_headers": ["台数", "限额"],
            "cells": [cell(0, 0, "台数", 300.0), cell(0, 1, "限额", 300.0), cell(1, 0, "2", 320.0), cell(1, 1, "200", 320.0)] } },
    ]);
    let second = json!([
        { "block_id": "p0002-b000", "block_type": "table", "content_markdown": "| 台数 | 限额 |",
          "bbox": rect(Rect::new(90.0, 80.0, 500.0, 120.0)),
          "table_meta": { "table_id": "t0001-2", "caption": "表6-2 限额", "is_truncated": true, "row_count": 1, "col_count": 2,
            "col_headers": ["台数", "限额"], "master_table_id": "t0001", "segment_index": 1,
            "cells": [cell(0, 0, "台数", 80.0), cell(0, 1, "限额", 80.0), cell(1, 0, "3", 100.0), cell(1, 1, "300", 100.0)] } },
    ]);
    serde_json::from_value(json!({
        "reg_id": "angui_2024", "page_num": number, "page_label": number.to_string(),
        "chapter_path": ["6 故障处理"], "active_chapters": ["n0001"],
        "content_blocks": if number == 1 { first } else { second },
        "content_markdown": "", "continues_from_prev": number == 2, "continues_to_next": number == 1,
        "annotations": if number == 2 { json!([{ "annotation_id": "注1", "content": "检修时减半。", "page_num": 2 }]) } else { json!([]) },
        "size": [595.0, 842.0],
    }))
    .unwrap()
}

/// The table over both pages.
pub fn table() -> LogicalTable {
    serde_json::from_value(json!({
        "table_id": "t0001", "caption": "表6-2 限额", "number": "6-2", "header_rows": 1, "col_headers": ["台数", "限额"],
        "row_count": 2, "col_count": 2, "row_pages": [1, 1, 2], "notes": ["注1"],
        "cells": [cell(0, 0, "台数", 300.0), cell(0, 1, "限额", 300.0), cell(1, 0, "2", 320.0), cell(1, 1, "200", 320.0),
                  cell(2, 0, "3", 100.0), cell(2, 1, "300", 100.0)],
        "segments": [
            { "segment_id": "t0001", "page_num": 1, "first_row": 0, "row_count": 2, "bbox": rect(Rect::new(90.0, 300.0, 500.0, 340.0)) },
            { "segment_id": "t0001-2", "page_num": 2, "first_row": 2, "row_count": 1, "header_repeated": true,
              "bbox": rect(Rect::new(90.0, 80.0, 500.0, 120.0)) },
        ],
    }))
    .unwrap()
}

/// The regulation besides its pages. Its title is hostile.
pub fn parts() -> RegulationParts {
    let reg_id: regreader_model::RegId = "angui_2024".parse().unwrap();
    let info = json!({ "reg_id": "angui_2024", "title": "安全规定<script>alert('t')</script>", "source_file": "a\"><img onerror=x>.pdf",
        "total_pages": 2, "indexed_at": "2026-01-01T00:00:00Z", "aliases": ["安规2024"], "series": "angui", "edition": "2024" });
    let structure = json!({ "reg_id": "angui_2024", "root_node_ids": ["n0001"], "all_nodes": {
        "n0001": { "node_id": "n0001", "section_number": "6", "title": "故障处理", "level": 1, "page_num": 1, "page_end": 2 } } });
    let references = json!({ "reg_id": "angui_2024", "references": [
        { "text": "见表6-2", "page_num": 1, "block_id": "p0001-b001", "target": { "kind": "table", "number": "6-2" },
          "resolution": { "status": "resolved", "location": { "reg_id": "angui_2024", "page_num": 1, "table_id": "t0001" } } }] });
    let quality = json!({ "reg_id": "angui_2024", "pages_by_origin": { "needs_ocr": [2] },
        "stitched_tables": [{ "table_id": "t0001", "from_page": 1, "to_page": 2, "header_repeated": true, "reason": "同一表头" }],
        "unresolved_references": [{ "page_num": 1, "text": "见附录<b>", "candidates": ["附录A"] }] });
    RegulationParts {
        info: serde_json::from_value(info).unwrap(),
        status: Status::InForce,
        structure: Arc::new(serde_json::from_value(structure).unwrap()),
        tables: Arc::new(regreader_model::TableRegistry::new(reg_id, [table()])),
        references: Arc::new(serde_json::from_value(references).unwrap()),
        quality: Arc::new(serde_json::from_value(quality).unwrap()),
        drawable: true,
    }
}

/// A backend over that regulation.
#[derive(Default)]
pub struct Fake {
    /// Tokens that count; anybody is let in where there are none.
    pub tokens: Vec<(String, Role)>,
    /// What was reviewed.
    pub reviews: Mutex<Vec<Review>>,
    /// What editors wrote.
    pub updates: Mutex<Vec<Metadata>>,
    /// No page is drawn as long as this is set.
    pub held: AtomicBool,
    /// Pages being drawn: now, and most at the same time.
    pub drawing: (AtomicUsize, AtomicUsize),
}

impl Backend for Fake {
    fn regulations(&self) -> Result<Vec<RegulationCard>, Failure> {
        let parts = parts();
        let card = RegulationCard {
            info: parts.info,
            standing: EditionStatus {
                status: parts.status,
                effective: Some("2024-01-01".to_owned()),
                ..EditionStatus::default()
            },
            is_outdated: true,
            is_unindexed: true,
            needs_ocr: 1,
            findings: 2,
            signed_off: false,
            problem: None,
        };
        Ok(vec![card])
    }

    fn regulation(&self, reg_id: &str) -> Result<RegulationParts, Failure> {
        if reg_id == "angui_2024" {
            Ok(parts())
        } else {
            Err(Failure::new(FailureKind::NotFound, "规程不存在"))
        }
    }

    fn page(&self, reg_id: &str, number: PageNumber) -> Result<PageDocument, Failure> {
        match (reg_id, number.get()) {
            ("angui_2024", number @ 1..=2) => Ok(page(number)),
            _ => Err(Failure::new(FailureKind::NotFound, "没有这一页")),
        }
    }

    fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, Failure> {
        match tool {
            "smart_search" => Ok(json!({ "hits": [
                { "reg_id": "angui_2024", "page_num": 1, "chapter_path": ["6 故障处理"], "snippet": "**母线失压**后<script>", "score": 1.0,
                  "block_id": "p0001-b001", "block_type": "section_content", "section_number": "6.2.1", "source": "hybrid" }],
                "superseded": [{ "edition": { "reg_id": "angui_2023", "title": "旧安规", "name": "安规2023", "status": { "status": "ended" } },
                    "warning": "安规2023 已不是现行版本",
                    "hits": [{ "reg_id": "angui_2024", "page_num": 2, "chapter_path": [], "snippet": "旧版的母线", "score": 0.5,
                        "block_id": "p0002-b000", "block_type": "table", "source": "hybrid" }] }],
                "truncated": false })),
            "search_tables" => {
                Ok(json!({ "tables": [{ "reg_id": "angui_2024", "table_id": "t0001", "pages": [1, 2],
                "chapter_path": [], "is_cross_page": true, "row_count": 2, "col_count": 2, "col_headers": ["台数", "限额"],
                "snippet": "", "score": 1.0, "match_type": "hybrid",
                "rows": [{ "row": 1, "page_num": 2, "cells": ["3", "300"], "matched_by": "equal" }] }], "truncated": false }))
            }
            "resolve_reference" => {
                Ok(json!({ "reference_text": "见表6-2", "reference_type": "table", "target": "6-2",
                "outcome": "resolved", "resolved": true, "title": "表6-2 限额", "preview": "| 台数 | 限额 |",
                "location": { "reg_id": "angui_2024", "page_num": 1, "table_id": "t0001", "citation": "[来源: 安规2024 P1 表6-2]" } }))
            }
            "lookup_annotation" => {
                Ok(json!({ "reg_id": "angui_2024", "annotation_id": "注1", "content": "检修时减半。",
                "page_num": 2, "kind": "note", "scope": "表6-2", "source": "[来源: 安规2024 P2 表6-2 注1]" }))
            }
            "list_changes" => Ok(json!({ "changes": [
                { "kind": "limit", "confidence": 1.0, "words": "限额 [-200-]{+300+}<script>",
                  "old": { "reg_id": "angui_2024", "page": 1, "table": "6-2", "table_id": "t0001", "row": 0, "col": 1 },
                  "new": { "reg_id": "angui_2024", "page": 2, "table": "6-2", "table_id": "t0001", "row": 1, "col": 1 },
                  "quantity": { "old": "200", "new": "300", "unit": "万千瓦", "difference": "100" } }],
                "old": { "reg_id": "angui_2023", "title": "旧安规", "name": "安规2023", "status": { "status": "ended" } },
                "new": { "reg_id": "angui_2024", "title": "安规", "name": "安规2024", "status": { "status": "in_force" } },
                "counts": { "limit": 1, "format": 3 }, "total": 1, "truncated": false })),
            "trace_impact" => {
                Ok(json!({ "entity": "母线", "spellings": ["母线"], "as_of": "2026-11-17", "mentions": [
                { "reason": "named", "depth": 0, "text": "母线失压<script>", "citation": "[来源: 安规2024 P1 6.2.1]",
                  "place": { "reg_id": "angui_2024", "page": 1, "block_id": "p0001-b001" } }],
                "regulations": [{ "reg_id": "angui_2024", "title": "安规", "count": 1, "status": { "status": "in_force" } }],
                "total": 1, "complete": true, "unreadable_pages": { "angui_2024": [2] }, "truncated": false }))
            }
            _ => Err(Failure::new(FailureKind::Invalid, format!("{tool} {arguments}"))),
        }
    }

    fn picture(&self, request: &PictureRequest) -> Result<Picture, Failure> {
        self.page(&request.reg_id, request.page)?;
        let (now, most) = &self.drawing;
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        while self.held.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        now.fetch_sub(1, Ordering::SeqCst);
        Ok(Picture { png: Arc::new(b"\x89PNG".to_vec()), tag: format!("{}-{}", request.page, request.width) })
    }

    fn agents(&self) -> Vec<AgentChoice> {
        vec![AgentChoice { name: "offline".to_owned(), model: None }]
    }

    fn ask(&self, request: &AskRequest, report: &mut dyn FnMut(AskEvent)) -> Result<AnswerReply, Failure> {
        report(AskEvent::Step { text: "检索".to_owned() });
        Ok(AnswerReply {
            question: request.question.clone(),
            outcome: "answered".to_owned(),
            message: request.as_of.as_ref().map(|day| format!("editions of {day}")),
            measures: vec![
                AnswerStatement {
                    text: "应立即汇报国调".to_owned(),
                    citation: "[来源: 安规2024 P1 6.2.1]".to_owned(),
                    reg_id: "angui_2024".to_owned(),
                    page_num: 1,
                    verified: true,
                    ..AnswerStatement::default()
                },
                AnswerStatement {
                    text: "| 台数 | 限额 |\n| --- | --- |\n| 3 | 300 |".to_owned(),
                    citation: "[来源: 安规2024 P2 表6-2]".to_owned(),
                    reg_id: "angui_2024".to_owned(),
                    page_num: 2,
                    verified: false,
                    ..AnswerStatement::default()
                },
            ],
            removed: vec![RemovedStatement {
                text: "可以试送".to_owned(),
                citation: "P1".to_owned(),
                reason: "原文为不得试送".to_owned(),
            }],
            agent: "offline".to_owned(),
            conversation: Some("c1".to_owned()),
            ..AnswerReply::default()
        })
    }

    fn ingest(&self, upload: &Upload, report: &mut dyn FnMut(IngestEvent)) -> Result<IngestReport, Failure> {
        assert!(upload.path.exists());
        report(IngestEvent { done: 1, total: 2 });
        Ok(IngestReport { reg_id: "angui_2024".to_owned(), change: "new".to_owned(), pages: 2 })
    }

    fn reviews(&self, _: &str) -> Result<Vec<Review>, Failure> {
        Ok(self.reviews.lock().unwrap().clone())
    }

    fn review(&self, _: &str, review: &Review) -> Result<(), Failure> {
        self.reviews.lock().unwrap().push(review.clone());
        Ok(())
    }

    fn update(&self, _: &str, metadata: &Metadata, _: &str) -> Result<(), Failure> {
        self.updates.lock().unwrap().push(metadata.clone());
        Ok(())
    }

    fn change_document(&self, asked: &ChangesAsked, format: DocumentFormat) -> Result<Vec<u8>, Failure> {
        Ok(format!("{format:?} {} {} {:?} {:?}", asked.old, asked.new, asked.entities, asked.chapters)
            .into_bytes())
    }

    fn authenticate(&self, token: &str) -> Option<Identity> {
        let found = self.tokens.iter().find(|(known, _)| known == token)?;
        Some(Identity { name: "值班".to_owned(), role: found.1 })
    }

    fn anonymous(&self) -> Option<Identity> {
        self.tokens.is_empty().then(|| Identity { name: "local".to_owned(), role: Role::Editor })
    }
}
