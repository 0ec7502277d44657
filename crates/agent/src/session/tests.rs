//! Sessions as they are kept, found again, exported and deleted.

#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up should fail")]

use serde_json::json;

use super::*;
use crate::citation::take_citations;
use crate::{Answer, Outcome, Statement};

fn reply(question: &str) -> Reply {
    let mut answer = Answer::refusal(question, Outcome::Answered, "");
    answer.message = None;
    let citation = take_citations("[来源: 安规2024 P23 6.2.1]").1.remove(0);
    answer.measures.push(Statement { verified: true, ..Statement::new("立即汇报国调", citation) });
    Reply {
        answer,
        agent: AgentKind::Graph,
        model: None,
        removed: Vec::new(),
        turns: 1,
        tool_calls: 1,
        usage: regreader_llm::Usage::default(),
        cost: None,
        stopped: None,
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_others_could_read_is_closed_to_them_when_it_is_looked_at() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(folder.path());
    let id = sessions.begin().unwrap().id;
    let path = sessions.path(&id);
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    let looks: [&dyn Fn(); 3] =
        [&|| drop(sessions.list().unwrap()), &|| drop(sessions.read(&id).unwrap()), &|| {
            drop(sessions.open("last").unwrap());
        }];
    for look in looks {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        look();
        assert_eq!(mode(), 0o600);
    }
}

#[test]
fn a_session_is_resumed_listed_exported_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(folder.path().join("sessions"));
    assert!(sessions.list().unwrap().is_empty());
    let mut session = sessions.begin().unwrap();
    session.ask("母线失压怎么处理？", AgentKind::Graph).unwrap();
    let mut memory = Memory::default();
    memory.keep_chunk("[来源: 安规2024 P23]", "6.2.1 母线失压");
    session.answer(&reply("母线失压怎么处理？"), &memory).unwrap();
    let id = session.id.clone();
    drop(session);

    let resumed = sessions.open(&id).unwrap();
    let conversation = resumed.conversation();
    assert_eq!(conversation.history.len(), 2);
    assert!(conversation.history[1].text.contains("立即汇报国调"));
    assert_eq!(conversation.memory, memory);
    assert!(resumed.unfinished().is_none());
    let markdown = resumed.to_markdown();
    assert!(
        markdown.contains("## 母线失压怎么处理？") && markdown.contains("[来源: 安规2024 P23 6.2.1]"),
        "{markdown}"
    );
    let other = sessions.begin().unwrap();
    assert_ne!(other.id, id, "two sessions of one second have two names");
    assert_eq!(sessions.list().unwrap().len(), 2);
    assert_eq!(sessions.read("last").unwrap().id, other.id.clone().max(id.clone()));
    sessions.delete(&id).unwrap();
    assert!(matches!(sessions.read(&id), Err(SessionError::NotFound(_))));
    for outside in ["../x", "", "a", "..", "/etc/passwd"] {
        assert!(matches!(sessions.read(outside), Err(SessionError::NotFound(_))));
    }
}

#[test]
fn a_kill_at_any_byte_keeps_everything_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(folder.path());
    let mut session = sessions.begin().unwrap();
    let id = session.id.clone();
    session.ask("问题", AgentKind::Graph).unwrap();
    let checkpoint = Event::Checkpoint { node: "read".to_owned(), state: json!({ "node": "read" }) };
    session.append(Record::Event { event: checkpoint }).unwrap();
    session.append(Record::Event { event: Event::Thinking { text: "想".to_owned() } }).unwrap();
    let path = folder.path().join(format!("{id}.jsonl"));
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let finished = ends.iter().filter(|end| **end <= cut).count();
        let mut resumed = sessions.open(&id).unwrap();
        // A last line may also be complete but for its newline.
        assert!((finished..=finished + 1).contains(&resumed.records().len()), "cut at {cut}");
        resumed.append(Record::Reset).unwrap();
        let again = sessions.read(&id).unwrap();
        assert_eq!(
            again.records().last(),
            Some(&Record::Reset),
            "cut at {cut}: the next record stands alone"
        );
    }
    fs::write(&path, &whole).unwrap();
    let (question, agent, state) = sessions.open(&id).unwrap().unfinished().unwrap();
    assert_eq!(
        (question.as_str(), agent, state),
        ("问题", AgentKind::Graph, Some(json!({ "node": "read" })))
    );
}
