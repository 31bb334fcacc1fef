//! The moment: the words of the memory at an event of an agent, and its captures there. A fault of the memory never blocks or delays an agent.
//!
//! Hosts start a program at each event and hand it a payload ([`run`]). Before an edit or a command, the agent is told the records about that very
//! file, symbol or command; after a failed command, the remedies that helped before; with a prompt and at the start of a session, the records about
//! them. Marks of the agent and outcomes of test commands are captured.

#![deny(clippy::indexing_slicing)]
#![deny(clippy::string_slice)]

mod action;
mod alarm;
mod answer;
mod call;
mod changes;
mod claim;
mod command_line;
mod declarations;
mod evidence;
mod failure;
mod fields;
mod hosts;
mod journal;
mod learn;
mod lines;
pub mod machine;
mod marks;
mod moment;
mod note;
mod own_lines;
mod paths;
mod private;
pub mod process;
mod prompt;
mod qualified;
pub mod quoted;
mod receipt;
mod scopes;
mod session;
mod start;
mod statement;
pub mod stats;
pub mod switches;
mod symbols;
pub mod team;
mod test_command;
mod told;
mod transcript;
mod workplace;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forge_memory_core::clock::{Clock, SystemClock};
use forge_memory_core::{Error, Result};

use answer::{LastWords, answer_for, answer_with};
use call::{Call, NO_SESSION, read_call};
use claim::Claim;
use hosts::native_event;
use learn::{finish_others, learn, may_capture, note_pending};
use machine::{given_deadline, off_by_environment, place_of, user_home};
use moment::{Times, context_of, owe_start, owes_start};
use receipt::receipt_of;
use session::SessionFile;
use start::keep_history;
use switches::{Standing, hook_switches, standing_of, switch_in};
use workplace::{Missing, Workplace};

pub use hosts::{Event, event_names};
pub use marks::{Mark, find_command_marks, find_marks};
pub use paths::path_within;
pub use prompt::about_prompt;
pub use scopes::Scopes;

/// A hook call as the host makes it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The event, if the command line names it; else the payload does.
    pub event: Option<&'a str>,
    /// The text that the host wrote to standard input.
    pub input: &'a str,
    /// The host, if the command line names it.
    pub host: Option<&'a str>,
    /// The deadline in milliseconds, in place of that of the event.
    pub deadline: Option<u64>,
    /// When the process started.
    pub begun: Instant,
    /// The command line that starts this program again. Without one the caller's process is no program of hooks, and no deadline ends it.
    pub program: &'a [OsString],
}

/// Work that a call leaves to a process of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Later {
    /// The arguments of the program.
    pub args: Vec<String>,
    /// True if it needs the libraries that only the launcher in Node loads: past sessions are read with a database.
    pub needs_node: bool,
}

/// The outcome of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The text for standard output.
    pub answer: String,
    /// Why there is nothing to say although there might have been.
    pub problem: Option<String>,
    /// Work for afterwards, in processes that no host waits for.
    pub later: Vec<Later>,
    /// The folder that the call is about.
    pub folder: PathBuf,
}

/// The deadline of an event that blocks a tool call.
const TOOL_MS: u64 = 150;
/// The deadline of an event that blocks a prompt.
const PROMPT_MS: u64 = 300;
/// The deadline at the start of a session; no host waits less than five seconds.
const START_MS: u64 = 2000;
/// The time for capturing: the hooks that `init` writes are given five seconds.
const CAPTURE_MS: u64 = 4000;

/// The time for finding the project, without which there is nothing to tell `doctor`, and for noting that the
/// start of a session is owed its notes, without which no prompt makes up for it; however short the deadline is.
const PLACE_MS: u64 = 50;

/// Answers a hook call within its deadline. It never fails.
#[must_use]
pub fn run(asked: Asked<'_>) -> Outcome {
    if off_by_environment().is_some() {
        return Outcome::default();
    }
    let home = user_home();
    let Some(call) = read_call(asked.event, asked.input, asked.host) else {
        return unreadable(&home, asked);
    };
    let Claim::Own(claim) = Claim::of(&call, &home) else {
        return Outcome {
            answer: answer_for(&call, None),
            ..Outcome::default()
        };
    };
    let mut running = Running {
        call: &call,
        home: home.clone(),
        claim,
        given: asked.deadline.or_else(given_deadline),
        begun: asked.begun,
        program: asked.program,
        later: Vec::new(),
        late: None,
        receipt: None,
    };
    let answered = running.answer();
    alarm::call_off();
    let problem = match answered {
        Ok(context) if running.late.is_none() => {
            return Outcome {
                answer: answer_with(&call, context.as_deref(), running.receipt.as_deref()),
                problem: None,
                folder: running.folder(),
                later: running.later,
            };
        }
        Ok(_) => running.late.take(),
        // A folder outside projects has no memory, and there is nothing that a user could mend.
        Err(Error::NoProject { .. } | Error::ForeignFolder { .. }) => None,
        Err(error) => Some(format!("{error}; {}", running.not_done())),
    };
    if let Some(problem) = &problem {
        running.release();
        note_fault(&running.folder(), &home, &call.native_event, call.host.name(), problem);
    }
    Outcome {
        answer: answer_for(&call, None),
        problem,
        folder: running.folder(),
        later: running.later,
    }
}

/// Returns the answer of a host to a payload, with this note; `None` when the payload cannot be read. For tests of the reader.
#[doc(hidden)]
#[must_use]
pub fn answer_to(event: Option<&str>, input: &str, host: Option<&str>, note: Option<&str>) -> Option<String> {
    Some(answer_for(&read_call(event, input, host)?, note))
}

fn unreadable(home: &Path, asked: Asked<'_>) -> Outcome {
    let name = asked.event.unwrap_or("a hook");
    let problem = if asked.event.is_some_and(|name| native_event(name).is_none()) {
        format!("{name}: not a known event")
    } else {
        format!("{name}: not a known event, or standard input is not a JSON object")
    };
    let folder = std::env::current_dir().unwrap_or_default();
    note_fault(&folder, home, name, asked.host.unwrap_or("unknown"), &problem);
    Outcome {
        problem: Some(problem),
        ..Outcome::default()
    }
}

/// Adds a failed call to the journal of its project. Without a project there is none.
fn note_fault(folder: &Path, home: &Path, hook: &str, host: &str, problem: &str) {
    if let Ok(place) = place_of(folder, home) {
        let fault = journal::fault(SystemClock.now_ms(), hook, host, problem);
        journal::record(home, &place.project_dir, &[fault]);
    }
}

struct Running<'c> {
    call: &'c Call,
    home: PathBuf,
    claim: Option<PathBuf>,
    given: Option<u64>,
    begun: Instant,
    program: &'c [OsString],
    later: Vec<Later>,
    /// The problem when nothing is said because there was no time to look.
    late: Option<String>,
    /// The line for the person.
    receipt: Option<String>,
}

impl Running<'_> {
    fn folder(&self) -> PathBuf {
        let here = std::env::current_dir().unwrap_or_default();
        match &self.call.cwd {
            Some(cwd) => here.join(cwd),
            None => here,
        }
    }

    fn answer(&mut self) -> Result<Option<String>> {
        self.set_alarm(None, self.event_ms(), PLACE_MS, self.not_done());
        let folder = self.folder();
        if !folder.is_dir() {
            let error = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(Error::io("enter", &folder)(error));
        }
        let found = place_of(&folder, &self.home)?;
        let is_start = self.call.event == Event::SessionStart;
        let least = if is_start { PLACE_MS } else { 1 };
        self.set_alarm(Some(&found.project_dir), self.event_ms(), least, self.not_done());
        let mut place = Workplace::open(found, folder, self.home.clone());
        if matches!(self.call.event, Event::SessionStart | Event::Prompt | Event::BeforeTool) {
            place.hurry(self.limit(self.event_ms()) * INDEXED_A_MS);
        }
        if self.is_switched_off(&mut place)? {
            return Ok(None);
        }
        let context = match self.call.event {
            Event::SessionStart => {
                owe_start(&place, self.call);
                self.set_alarm(Some(&place.project), START_MS, 1, self.not_done());
                note_pending(&mut place, self.call);
                self.context(&mut place, START_MS)?
            }
            Event::Prompt if owes_start(&place, self.call) => self.context(&mut place, START_MS)?,
            Event::Prompt => self.context(&mut place, PROMPT_MS)?,
            Event::BeforeTool => self.context(&mut place, TOOL_MS)?,
            // Marks of the agent are stored first, because the deadline of the second part ends the process.
            _ => {
                self.capture(&mut place)?;
                match self.call.event {
                    Event::SessionEnd => None,
                    _ => self.context(&mut place, TOOL_MS)?,
                }
            }
        };
        self.receipt = receipt_of(&mut place, self.call);
        self.finish(&mut place, context.as_deref());
        Ok(context)
    }

    fn capture(&mut self, place: &mut Workplace) -> Result<()> {
        let pending = note_pending(place, self.call);
        if !may_capture(self.call) {
            return Ok(());
        }
        if learn(place, self.call, pending.as_deref())?
            && let Some(transcript) = &self.call.transcript
        {
            let args = [&*transcript.to_string_lossy(), "--learn", self.call.host.name()];
            self.later.push(Later {
                args: args.map(str::to_owned).to_vec(),
                needs_node: true,
            });
        }
        Ok(())
    }

    /// Looks up the notes for the call, and stops in time to say them.
    fn context(&mut self, place: &mut Workplace, ms: u64) -> Result<Option<String>> {
        let limit = self.limit(ms);
        let begun = Instant::now();
        if self.call.event != Event::SessionStart {
            self.set_alarm(Some(&place.project), ms, 1, self.not_added());
        }
        place.ends = Some(begun + Duration::from_millis(limit * 3 / 4));
        let times = Times {
            begun: self.begun,
            git: Duration::from_millis(limit / 3),
        };
        let context = context_of(place, self.call, &times)?;
        if context.is_none() && place.was_cut {
            self.late = Some(self.late_message(ms, self.not_added()));
        }
        Ok(context)
    }

    /// Finishes the work of other calls, and queues work for after this one. The answer is certain by now.
    fn finish(&mut self, place: &mut Workplace, context: Option<&str>) {
        if !self.program.is_empty() {
            let late = self.late.as_deref();
            let fault = late.map(|problem| self.words_of_fault(Some(&place.project), problem));
            alarm::prepare(LastWords {
                output: line(answer_with(self.call, context, self.receipt.as_deref())),
                ..fault.unwrap_or_default()
            });
        }
        let _ = finish_others(place, self.call);
        self.ask_team(place);
        // Who was too late most often was so because there is no index.
        let has_work = self.late.is_some() || place.has_index_work();
        let is_past_outdated = self.call.event == Event::SessionStart
            && place.own().is_ok_and(forge_memory_core::Memory::is_past_outdated);
        if (has_work || is_past_outdated) && claim_later(&self.home, &place.project.to_string_lossy()) {
            let project = place.project.to_string_lossy().into_owned();
            self.later.push(Later {
                args: vec!["--index".to_owned(), project],
                needs_node: false,
            });
        }
    }

    /// Has the shared store asked for what the team has, where it was not confirmed lately and will be told: at the next prompt, most often.
    fn ask_team(&mut self, place: &mut Workplace) {
        let is_soon = matches!(self.call.event, Event::SessionStart | Event::Prompt | Event::Stop);
        if is_soon
            && !self.program.is_empty()
            && place.missing_team() == Missing::NotConfirmed
            && claim_later(&self.home, &format!("team {}", place.project.display()))
        {
            let project = place.project.to_string_lossy().into_owned();
            self.later.push(Later {
                args: vec![project, "--team".to_owned()],
                needs_node: true,
            });
        }
    }

    /// True if the memory is off for a call: the answer is empty, and nothing is stored.
    fn is_switched_off(&self, place: &mut Workplace) -> Result<bool> {
        let now = place.now();
        Ok(self.is_session_off()?
            || standing_of(&self.home, Some(&place.project), now) != Standing::On
            || hook_switches(&place.settings.hooks).off.contains(&self.call.event))
    }

    fn is_session_off(&self) -> Result<bool> {
        let wanted = self.call.prompt.as_deref().and_then(switch_in);
        if self.call.session_id == NO_SESSION {
            return Ok(wanted == Some(false));
        }
        let file = SessionFile::of(&self.home, &self.call.session_id);
        let mut session = file.read();
        if wanted == Some(false) {
            session.is_off = true;
            file.write(&session)?;
            return Ok(true);
        }
        if !session.is_off {
            return Ok(false);
        }
        if wanted == Some(true) {
            session.is_off = false;
            session.was_off = true;
            // The part of the transcript is skipped that was written while the memory was off.
            let own = self
                .call
                .transcript
                .iter()
                .map(|path| path.to_string_lossy().into_owned());
            let paths: Vec<String> = session.read.keys().cloned().chain(own).collect();
            for path in paths {
                let size = std::fs::metadata(&path).map(|found| found.len()).ok();
                let before = session.read.get(&path).and_then(serde_json::Value::as_u64);
                session.read.insert(path, size.or(before).unwrap_or(0).into());
            }
            file.write(&session)?;
            return Ok(false);
        }
        if self.call.event == Event::SessionEnd {
            file.end();
        }
        Ok(true)
    }

    /// The time for everything that comes before the notes.
    fn event_ms(&self) -> u64 {
        match self.call.event {
            Event::SessionStart => START_MS,
            Event::Prompt => PROMPT_MS,
            Event::BeforeTool => TOOL_MS,
            _ => CAPTURE_MS,
        }
    }

    /// Returns the time for a part of the call. A given deadline is that of the whole call, of which earlier parts have taken some.
    fn limit(&self, ms: u64) -> u64 {
        match self.given {
            None => ms,
            Some(given) => {
                let taken = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                given.saturating_sub(taken).max(1)
            }
        }
    }

    /// Ends the process with an empty answer for the agent and a line for `doctor`, should it not be done in time,
    /// for which it has at least some milliseconds, however short the given deadline is.
    fn set_alarm(&self, project: Option<&Path>, ms: u64, least: u64, not_done: &str) {
        if self.program.is_empty() {
            return;
        }
        alarm::prepare(LastWords {
            claim: self.claim.clone(),
            // Most often it was too late because there is no index.
            next: project.map(|project| {
                (
                    later_claim(&self.home, &project.to_string_lossy()),
                    self.index_line(project),
                )
            }),
            ..self.words_of_fault(project, &self.late_message(ms, not_done))
        });
        alarm::set(self.limit(ms).max(least));
    }

    /// The last words about a fault, when there is no answer.
    fn words_of_fault(&self, project: Option<&Path>, problem: &str) -> LastWords {
        let (hook, host) = (&self.call.native_event, self.call.host.name());
        let fault = journal::fault(SystemClock.now_ms(), hook, host, problem);
        LastWords {
            output: line(answer_for(self.call, None)),
            warning: format!("warning: {problem}\n"),
            log: project.and_then(|project| journal::last_fault(&self.home, project, &fault)),
            ..LastWords::default()
        }
    }

    fn index_line(&self, project: &Path) -> Vec<OsString> {
        let args = [OsString::from("--index"), project.as_os_str().to_owned()];
        self.program.iter().cloned().chain(args).collect()
    }

    fn late_message(&self, ms: u64, not_done: &str) -> String {
        format!("did not finish within {} ms; {not_done}", self.given.unwrap_or(ms))
    }

    fn release(&self) {
        if let Some(claim) = &self.claim {
            private::remove(claim);
        }
    }

    fn not_done(&self) -> &'static str {
        match self.call.event {
            Event::SessionStart => "the session starts without recalled notes",
            Event::Prompt | Event::BeforeTool => self.not_added(),
            _ => "what the agent marked may not be stored yet: the next call that captures stores it",
        }
    }

    /// The loss when only the notes are late: everything that the agent marked is stored by then.
    fn not_added(&self) -> &'static str {
        match self.call.event {
            Event::Prompt => "nothing was added to the prompt",
            Event::BeforeTool | Event::AfterTool => "nothing was said about the tool call",
            _ => "the use of notes was not counted",
        }
    }
}

/// How many bytes of a journal are certainly indexed in a millisecond, on a busy machine.
const INDEXED_A_MS: u64 = 4 << 10;

/// How long nothing else begins the same work.
const LATER_MS: u128 = 60_000;

/// Returns the file that whoever starts some work makes, as that on the index of a project; without what was made long ago.
fn later_claim(home: &Path, work: &str) -> PathBuf {
    let path = private::hashed(home, "hook-later", work, "claim");
    let folder = path.parent().unwrap_or(home);
    if folder.is_dir() {
        private::clear_older(folder, LATER_MS)
    } else {
        private::make_folder(home, folder)
    }
    path
}

/// True if this process is the one that starts some work.
fn claim_later(home: &Path, work: &str) -> bool {
    private::create(home, &later_claim(home, work), "").is_ok()
}

/// Returns a text as a line, unless it is empty.
fn line(text: String) -> String {
    if text.is_empty() { text } else { text + "\n" }
}

/// Writes the index of a project that a hook had to do without, and what git knows of renamed files.
pub fn index(project: &Path) -> Result<()> {
    let home = user_home();
    let place = place_of(project, &home)?;
    keep_history(place.clone(), home.clone())?;
    Workplace::open(place, project.to_path_buf(), home).own()?.settle()
}
