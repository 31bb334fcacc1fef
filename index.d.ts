// Written from the declarations of the arguments and answers: UPDATE=1 cargo test -p forge-memory-operations

/** A session, and a new text for a proposed record. */
export interface AcceptOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The session, as `<channel>:<name>`; only a hash of it is stored. */
  session?: string
  /** The text that replaces it. */
  text?: string
  /** Whether it may retire what a person said: without it, such an acceptance is refused. */
  retiresPersons?: boolean
  /** Who accepts it: a person when absent. No agent may. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** The surface; `api` when absent. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
}

/**
 * Which sessions are read, and which findings are stored. Without `accept`, `only` and `decline` nothing is written.
 */
export interface BackfillOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Only sessions of these agents: `claude`, `codex`, `gemini` and others (default: all). */
  agents?: Array<string>
  /** Only newer: an ISO date, or an age such as `12h`, `7d`, `2w`. */
  since?: string
  /** Sessions of all projects; each finding is stored in its own project. */
  allProjects?: boolean
  /**
   * Findings with at least this confidence, 0 to 1, are valid at once; all others wait for review. Without `only` all
   * are stored, and waiting findings of earlier runs are accepted as well.
   */
  accept?: number
  /** Stores the findings with these keys and no others. */
  only?: Array<string>
  /** Never offers the findings with these keys again. */
  decline?: Array<string>
}

/** The input of a capture. */
export interface Capture {
  /** The tool that learned it, for example `forge_run_plan`; its source when none is given. */
  tool?: string
  /** gotcha, lesson, decision, pattern, convention, or your own. Those five also go to a file of their own. */
  type: string
  /** What was learned, at most 65,536 bytes. Required, under this name or as `content`. */
  body?: string
  /** What was learned, at most 65,536 bytes. Another name for `body`. */
  content?: string
  /** Where it comes from: `<tool>` or `<tool>/<subsystem>`. Anything else is stored as `unknown`. */
  source?: string
  /** The project, if it is not the memory's own. */
  project?: string
  /** Tags, at most 32. */
  tags?: Array<string>
  /** Confidence, 0 to 1 (default: 0.8, 0.7 for an agent). That of an import or the watcher is 0.6. */
  confidence?: number
  /** Who learned it. */
  createdBy?: string
  /** Until when it is recalled, ISO 8601 (default: by its type). */
  expiresAt?: string
  /**
   * Ids of what it replaces. Pieces of at least six characters of them do. What a person said is superseded by a person
   * only; otherwise the two are in conflict.
   */
  supersedes?: string | Array<string>
  /**
   * The conversation that it is a part of; only a hash of the name is stored. Recall finds records of one conversation
   * together, in the order in which they were captured. When absent, the session of the agent that captures.
   */
  sessionId?: string
  /** The file that it is about. It is one of the project; `verifyMemory` reports when that file has changed. */
  sourceFile?: string
  /** The range of bytes in that file: the first offset, and the one after the last. */
  byteRange?: Array<number>
  /** `sha256:` and 64 hexadecimal digits; computed when there is a source file. */
  codeHash?: string
  /** The version of the tool. */
  toolVersion?: string
  /** Whether the outcome names up to three current records that this one may replace. */
  related?: boolean
  /** The words of the person that it states, as they were said. */
  quote?: string
}

/** The decision about a conflict of two records. */
export interface ConflictResolution {
  /** The id of one of the records. */
  id: string
  /** The id of the other one. */
  with: string
  /** Which one is right; both: they do not contradict each other; merge: a new text replaces both. */
  holds: 'newer' | 'older' | 'both' | 'merge'
  /** The new text; with merge only. */
  text?: string
}

/** The outcome of a delivery. */
export interface DeliveryOutcome {
  /** The record. */
  key: string
  /**
   * `delivered`, or `gone` when nothing was left to do; `rejected` makes a dead letter at once; `busy` is retried later
   * without limit; `failed` (the store failed on this record but accepted others) makes a dead letter at the fifth
   * time; `misconfigured` pauses the drain and does not count as an attempt.
   */
  kind: 'delivered' | 'gone' | 'rejected' | 'busy' | 'failed' | 'misconfigured'
  /** The message of the store. */
  reason?: string
}

/** How a work on the files is done. */
export interface DryRunOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Whether changes are only reported. */
  dryRun?: boolean
}

/** Changes of a record; absent fields stay. */
export interface Edit {
  /** The new text. */
  body?: string
  /** Another name for `body`. */
  content?: string
  /** The new type or category. */
  type?: string
  /** The new tags, all of them. */
  tags?: Array<string>
  /** The new confidence, 0 to 1. */
  confidence?: number
  /** The new expiry, ISO 8601. */
  expiresAt?: string
  /** The words of the person that it states, as they were said. */
  quote?: string
}

/** Which records are to be embedded. */
export interface EmbedOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** How many passages are made at most, 1 to 100,000; 256 when absent. A short text is one passage. */
  limit?: number
}

/** The options of an export. */
export interface ExportOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** JSON Lines or Markdown (default: by the extension of the file). */
  format?: 'jsonl' | 'md'
  /** The file to write, within the project; when absent, the text is returned. */
  path?: string
  /** Whether an earlier export may be replaced. */
  overwrite?: boolean
  /**
   * Whether any file of the project may be overwritten, including ones that are not exports and ones that configure a
   * program.
   */
  force?: boolean
  /** Whether expired records are included. */
  includeExpired?: boolean
}

/** Selects the past sessions to forget: exactly one of `session`, `project` and `all`. */
export interface ForgetSessionsOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The agent's own id of a session. */
  session?: string
  /** All sessions of the project until now. */
  project?: boolean
  /** All sessions until now. */
  all?: boolean
  /** Only counts them. */
  dryRun?: boolean
}

/** The input of a hallmark. */
export interface HallmarkOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The tool that makes the record. */
  toolName: string
  /** The record to stamp, as JSON; its hash becomes `contentHash`. */
  record?: string
  /** The file that the record is about, within the project; its hash becomes `codeHash`. */
  sourceFile?: string
  /** The range of bytes in that file: the first offset, and the one after the last. */
  byteRange?: Array<number>
  /** `sha256:` and 64 hexadecimal digits; computed when there is a source file. */
  codeHash?: string
  /** The version of the tool. */
  toolVersion?: string
}

/** How to import. */
export interface ImportOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** True if records are only counted. */
  dryRun?: boolean
  /**
   * The project whose records are taken from a source with several; `*` for all. When absent, this project, under any
   * of its names.
   */
  sourceProject?: string
  /**
   * Who imports; an agent when absent. What waits for a review of theirs waits here, and only a person imports what
   * persons said.
   */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** The session, as `<channel>:<name>`; only a hash of it is stored. */
  session?: string
}

/** The start, the direction and the limits of a walk. */
export interface LatticeBlastOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** A name, optionally with its type: `push`, `Stack.push`, `Stack::push`. */
  name?: string
  /** The id of a definition, from another answer; takes precedence over the name. */
  chunkId?: string
  /** The direction to follow (default: both). */
  direction?: 'callers' | 'callees' | 'both'
  /** Maximum number of calls away (default: 3). */
  depth?: number
  /** Maximum number of results (default: 50). */
  limit?: number
  /** Also accepts an index that another program wrote, or that came with a copy of the project. */
  foreign?: boolean
}

/** The scope and the limits of a run. */
export interface LatticeIndexOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Only files in or under these paths; the rest of the index stays. None when the list is empty. */
  paths?: Array<string>
  /** Only what changed since this revision of git. Untracked files count as changed. */
  since?: string
  /** Maximum duration of the run in seconds (default: 600). Less if `.forge.json` says so. */
  maxSeconds?: number
  /** Maximum memory of the run in MiB (default: 4096). Less if `.forge.json` says so. */
  maxMemoryMb?: number
}

/** The options of a search. */
export interface LatticeQueryOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The words to look for; without any, all definitions in the order of files. */
  query?: string
  /** Only this language, by name or by file extension: typescript, ts, rust. */
  language?: string
  /**
   * Only this kind: function, method, class, struct, interface, type, section and others. Those are file, module,
   * trait, enum, macro, table, view, trigger and index.
   */
  kind?: string
  /** Only files whose path contains this. */
  filePath?: string
  /** Maximum number of results (default: 25). */
  limit?: number
  /** Only definitions whose name or path contains the whole query, ignoring case. */
  whole?: boolean
  /** Also accepts an index that another program wrote, or that came with a copy of the project. */
  foreign?: boolean
}

/** The definition whose callers or callees are wanted. */
export interface LatticeSeed {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** A name, optionally with its type: `push`, `Stack.push`, `Stack::push`. */
  name?: string
  /** The id of a definition, from another answer; takes precedence over the name. */
  chunkId?: string
  /** Maximum number of results (default: 25). */
  limit?: number
  /** Also accepts an index that another program wrote, or that came with a copy of the project. */
  foreign?: boolean
}

/** Selects the code graph. */
export interface LatticeStatOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Also accepts an index that another program wrote, or that came with a copy of the project. */
  foreign?: boolean
}

/**
 * Selects a project: the folder `projectDir`, else the one that the working directory belongs to. That is the nearest
 * folder upwards with `.forge/` or `.forge.json` within its git work tree, else the top of that, else the working
 * directory.
 */
export interface ProjectOptions {
  /** The folder. */
  projectDir?: string
}

/** A lesson to add. */
export interface RalphAddition {
  /** The lesson, at most 65,536 bytes of UTF-8. */
  lesson: string
  /** What kind of lesson (default: lesson_learned). */
  type?: 'lesson_learned' | 'failure_pattern' | 'success_pattern'
  /** The loop that learned it. */
  loopId?: string
  /** The iteration of that loop, a whole number. */
  iteration?: number
  /** Where it was learned: a file, a test; at most 4,096 bytes. */
  context?: string
  /** Tags, at most 32. */
  tags?: Array<string>
  /** Confidence, 0 to 1 (default: 0.7). */
  confidence?: number
  /** Which store (default: global). */
  store?: 'global' | 'external'
}

/** Selects the entries to clear. */
export interface RalphClearOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Only lessons of this loop, by its exact id; all when absent. */
  loopId?: string
  /** When absent: with a loop all stores, without one `.aiwg/ralph/memory.json` alone. */
  store?: 'global' | 'external' | 'all'
  /** Whether entries are only counted. */
  dryRun?: boolean
  /** Only those of the selected entries with these keys, which a dry run has returned, so that later entries stay. */
  only?: Array<string>
}

/** Selects entries of agent loops. */
export interface RalphFilter {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Only lessons of this loop, by its exact id. Its own store is read as well. */
  loopId?: string
  /** Only newer: an ISO date, or an age such as `30m`, `12h`, `7d`, `2w`. */
  since?: string
  /**
   * Which store (default: global; with a loop all). `.aiwg/ralph/memory.json` is the global one,
   * `.aiwg/ralph-external/memory.json` the external one.
   */
  store?: 'global' | 'external' | 'all'
  /** Whether each entry contains its calendar day. */
  days?: boolean
}

/** The filter and the limit of a search. */
export interface RalphQueryOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Only lessons of this loop, by its exact id. */
  loopId?: string
  /** Only newer: an ISO date, or an age such as `30m`, `12h`, `7d`, `2w`. */
  since?: string
  /** Which store (default: global; with a loop all). */
  store?: 'global' | 'external' | 'all'
  /** Whether each entry contains its calendar day. */
  days?: boolean
  /** Maximum number of results (default: 10). */
  limit?: number
}

/** Who gives the feedback, and about which place. */
export interface RateOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The author; an agent when absent. Records of other authors than people may require a review. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** The session, as `<channel>:<name>`; only a hash of it is stored. */
  session?: string
  /**
   * As `elsewhere` and `here` need it: a path in the project, a command, or another evidence for which hooks gave the
   * record.
   */
  at?: string
  /** Ignored; feedback has no proposals. */
  propose?: boolean
  /** The surface; `api` when absent. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
}

/** The filter and the limit of a search. */
export interface RecallOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Where to look (default: all). */
  scope?: 'project' | 'global' | 'all'
  /** Only these types or categories. */
  types?: Array<string>
  /** Only with all of these tags. */
  tags?: Array<string>
  /** Maximum number of results (default: 10). */
  limit?: number
  /** How many of the newest records a list skips; recall ignores it. */
  offset?: number
  /** Only newer: an ISO date, or an age such as `12h`, `7d`, `2w`. */
  since?: string
  /** Only with at least this confidence, 0 to 1 (default: 0). */
  minConfidence?: number
  /** Include expired memories. */
  includeExpired?: boolean
  /** Include what waits for a review. Ignored for a past point in time. */
  includeProposed?: boolean
  /** Explain the score and the confidence of each hit. */
  explain?: boolean
  /** Whether each hit has the positions of the query's words in its text. */
  highlights?: boolean
  /** As of this ISO date (default: now). */
  at?: string
  /** By words, by meaning, or by both where there are vectors (default: auto). Ignored by lists. */
  mode?: 'auto' | 'words' | 'meaning'
}

/** The arguments of `memory_recall`. */
export interface RecallQuery {
  /** Words, such as "auth test conventions". A value that is not a string has none. */
  query: string
  /** Where to look (default: all). */
  scope?: 'project' | 'global' | 'all'
  /** By words, by meaning, or by both where there are vectors (default: auto). */
  mode?: 'auto' | 'words' | 'meaning'
}

/** The options for comparing a text with the memory. */
export interface RelatedOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** `project` (when absent), `global` or `all`. */
  scope?: 'project' | 'global' | 'all'
  /** The ids of records that are left out. */
  except?: Array<string>
}

/** The other record of a contradiction. */
export interface ReopenOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The record that contradicts it. */
  with?: string
  /** Who does it: a person when absent. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** The surface; `api` when absent. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
}

/** The records that are out of date. */
export interface Replacement {
  /** Their ids. Pieces of at least six characters of them do. */
  old: string | Array<string>
  /** What replaces them. */
  by?: string
  /** Why, in a few words. */
  why?: string
}

/** The time from which retired records are listed. */
export interface RetiredOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The earliest moment of the retirement: ISO 8601, or an age such as `7d`; all when absent. */
  since?: string
}

/** A pattern to save. */
export interface Save {
  /** One or two sentences, at most 1,024 bytes. */
  pattern: string
  /** Its category. */
  category: 'convention' | 'failure_pattern' | 'success_pattern' | 'test_command' | 'architecture' | 'dependency' | 'tool_usage'
  /** Confidence, 0 to 1 (default: 0.8, 0.7 for an agent). */
  confidence?: number
  /** For this project, or for all projects of this user (default: project). */
  scope?: 'project' | 'global'
  /** Tags, at most 32. */
  tags?: Array<string>
  /** Whether the outcome names up to three current records of its scope that this one may replace. */
  related?: boolean
  /** The words of the person that it states, as they were said. */
  quote?: string
}

/**
 * What is searched of the shared memory: of the embedded store, and of one on a server, which the library asks itself.
 */
export interface SearchOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Only this project. */
  project?: string
  /** Only this type. */
  type?: string
  /** Maximum number of hits (default: 10). */
  limit?: number
  /** ISO date, or an age such as 7d. */
  since?: string
}

/** Selects a series. */
export interface SeriesOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** `type` when absent. */
  by?: 'type' | 'tool'
  /** `day` when absent. */
  bucket?: 'hour' | 'day' | 'week'
  /** ISO 8601, or an age such as `7d`; `30d` when absent. */
  since?: string
}

/** Selects the past sessions to search. */
export interface SessionSearchOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Only sessions of these agents: `claude`, `codex`, `gemini` and others (default: all). */
  agents?: Array<string>
  /** Only newer: an ISO date, or an age such as `12h`, `7d`, `2w`. */
  since?: string
  /** Whether sessions of all projects are searched. */
  allProjects?: boolean
  /** Maximum number of sessions (default: 10). */
  limit?: number
  /** How many of the first hits are left out, for the next page. */
  offset?: number
  /** The maximum time to index new sessions before the search, in milliseconds; unlimited when absent. */
  updateMs?: number
}

/** Which records may be shown. */
export interface ShowOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Whether a proposed or rejected record is shown. */
  includeProposed?: boolean
}

/** The hints to generate, and the agent that they are for. */
export interface SyncMemoriesOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The agent whose file is written (default: copilot). */
  agent?: 'copilot' | 'claude' | 'cursor' | 'gemini' | 'qwen' | 'windsurf' | 'devin' | 'kiro' | 'cline' | 'roo' | 'continue' | 'junie' | 'all'
  /** Whether the texts are returned and nothing is written. */
  dryRun?: boolean
  /** Maximum number of hints per section (default: 10). */
  limit?: number
  /** Only newer: an ISO date, or an age such as `12h`, `7d`, `2w`. */
  since?: string
  /**
   * Another file for the hints, within the project; for one agent only. It must be a new Markdown file, or one that
   * this function wrote before.
   */
  output?: string
  /** Whether `output` may also be any other file of the project. */
  force?: boolean
}

/** Where to start, and which events to read. */
export interface TailOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** Starts after the event with this sequence number. */
  since?: number
  /** Starts this many events before the end; 0 when neither is given. */
  newest?: number
  /** Only these types, which may end with the wildcard `*`; all when absent. */
  handles?: Array<string>
  /** Ends at this position of another tail. */
  until?: string
  /** Prevents unread events from being rotated away, until `close`, the end of the process, or 64 MiB of them. */
  live?: boolean
}

/** The limits of a read. */
export interface TailReadOptions {
  /** The approximate number of bytes to read. */
  bytes?: number
  /** Only these types; all when absent. */
  handles?: Array<string>
  /** Ends at this position of another tail. */
  until?: string
}

/** Options of a verification. */
export interface VerifyOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /**
   * Whether type files, queue and index are rebuilt from the raw log, and lines that are not records are moved aside.
   */
  repair?: boolean
}

/** An author and a session, as the surface that receives a text knows them; the text does not determine them. */
export interface WriteOptions {
  /** The project's folder; found from the working directory when absent. */
  projectDir?: string
  /** The author; an agent when absent. Records of other authors than people may require a review. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** The session, as `<channel>:<name>`; only a hash of it is stored. */
  session?: string
  /**
   * Whether it only proposes: a capture or pattern waits for a review then, whatever `review` in `.forge.json` says.
   */
  propose?: boolean
  /** Whether a capture publishes no event: the caller does that itself. */
  unannounced?: boolean
  /** The surface; `api` when absent. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
}

/** The number of indexed sessions of an agent. */
export interface AgentSessions {
  /** The agent. */
  agent: string
  /** How many there are. */
  sessions: number
}

/** The result of an audit. */
export interface AuditReport {
  /** Records that were checked: those that are neither superseded nor forgotten. */
  records: number
  /** 100 without any rot, 0 at worst. */
  score: number
  /** The parts of the score. */
  parts: Array<RotPart>
}

/** A file or folder that was skipped. */
export interface BackfillProblem {
  /** Its path. */
  path: string
  /** Why it was skipped. */
  reason: string
}

/** Cached searches. */
export interface CacheCounts {
  /** All entries. */
  totalEntries: number
  /** Different keys among them. */
  uniqueKeys: number
  /** Entries within their time to live. */
  freshEntries: number
}

/** The outcome of a capture, as callers are told it. */
export interface CaptureOutcome {
  /** The id of the record; for a duplicate, of the existing one. */
  id: string
  /** True when the thought is stored in `memory-captures.jsonl`. */
  captured: boolean
  /** True when it was a duplicate. */
  deduped: boolean
  /** The id of the record that it duplicates. */
  duplicateOf?: string
  /** The cosine similarity to that record, 0 to 1. */
  similarity?: number
  /** The source as stored: `unknown` when the given one was rejected. */
  source: string
  /** Why the given source was rejected. */
  sourceRejected?: string
  /**
   * By how many milliseconds the clock of this machine is behind the newest record, if that is more than a day. The
   * record is dated like that one.
   */
  clockBehindMs?: number
  /** The record of another worktree that says the same, and is not committed there yet. */
  worktree?: NotedInWorktree
  /**
   * `proposed`: it waits for a review, and searches exclude it. `accepted`: a record with the same text was waiting,
   * and is accepted now. `rejected`: a review has rejected the same text. Absent when nothing waits.
   */
  review?: 'proposed' | 'accepted' | 'rejected'
  /**
   * Why it waits although no setting says so: a person has forgotten, replaced or edited the same text, or a file of
   * settings cannot be read.
   */
  waitsBecause?: string
  /** The number of redacted secrets. */
  redactions: number
  /** The records that this one retired; `keepMemory` makes one current again. */
  retired: Array<Contradicted>
  /** The records that contradict this one when nothing decides which of them holds. */
  conflicts: Array<Contradicted>
  /**
   * Current records that this one may replace, the most likely first, at most three. Present when it was captured with
   * `related`.
   */
  related?: Array<OfferedMemory>
  /** The outcome of each tier. */
  tiers: Tiers
  /** The record. */
  thought: Thought
}

/** Captures over time. */
export interface CaptureSeries {
  /** Its start, in ISO 8601. */
  since: string
  /** When it ends. */
  until: string
  /** The time from which it is complete, when older telemetry is gone. */
  completeFrom?: string
  /** The types or tools, the most frequent first. */
  keys: Array<string>
  /** All points in the range, empty ones included. */
  points: Array<SeriesPoint>
}

/** Sums over all captures. */
export interface CaptureTelemetry {
  /** All captures, duplicates included. */
  total: number
  /** Duplicates among them. */
  deduped: number
  /** By tool. */
  byTool: Record<string, number>
  /** By type. */
  byType: Record<string, number>
}

/** The result of a compaction, or of its dry run. */
export interface CompactionReport {
  /** Whether nothing was written. */
  dryRun: boolean
  /** How many lines were removed. */
  removed: number
  /** The folder with the originals, when something was rewritten. */
  backup?: string
  /** The files. */
  files: Array<FileCompaction>
}

/** A confidence: `now` is `supported * wrong * drift * age`. */
export interface ConfidenceNow {
  /** The stored confidence, which `minConfidence` filters by. */
  base: number
  /** After support: confirmations, and sessions that found it useful. */
  supported: number
  /** The factor of the sessions that found it wrong. */
  wrong: number
  /** The factor of its freshness. */
  drift: number
  /** The factor of its age. */
  age: number
  /** The current confidence. */
  now: number
}

/** A record that a capture contradicts. */
export interface Contradicted {
  /** Its id. */
  id: string
  /** Its text; empty when the capture only names it. */
  text: string
  /**
   * The rule that found the contradiction; of a retirement also `supersedes`, `resolved`, `merged` or `replaced`, or
   * the reason that was given.
   */
  rule: string
  /** The rule as a sentence. */
  why: string
}

/** A word of a query that no record contains. */
export interface Correction {
  /** The word, in lower case. */
  word: string
  /** The words that were searched instead, the most frequent first. */
  takenFor: Array<string>
}

/** A record that could not be delivered. */
export interface DeadLetter {
  /** Identifies it, beside the id of the thought. */
  key: string
  /** `store`, `delete`, or the name of a ruling such as `retire`. */
  action: string
  /** The id of the thought. */
  id: string
  /** Its text, empty for a delete. */
  content: string
  /** Its type. */
  type: string
  /** Its project. */
  project: string
  /** The number of attempts. */
  attempts: number
  /** When delivery was given up, as written. */
  failedAt?: string
  /** The reason. */
  reason: string
  /** Earlier failures, oldest first, after each of which it was retried. */
  history: Array<PastFailure>
}

/** The last failure of a delivery. */
export interface DrainFailure {
  /** The message of the store. */
  message: string
  /** When. */
  at: string
}

/** A pass of the drain to the shared store. */
export interface DrainPass {
  /** ISO 8601. */
  at: string
  /** Records that were tried. */
  attempted: number
  /** Records that arrived. */
  delivered: number
  /** Records that are tried again later. */
  deferred: number
  /** Records that became dead letters. */
  dlq: number
  /** How long it took. */
  durationMs: number
  /** The caller that started it. */
  source?: string
  /** The error. */
  error?: string
}

/** Why delivery is paused until a setting is corrected. */
export interface DrainPause {
  /** The message of the store. */
  reason: string
  /** When. */
  since: string
}

/** One pass. */
export interface DrainStats {
  /** When it ended; set by `record`. */
  timestamp?: string
  /** The caller that started it. */
  source: string
  /** Records that were tried. */
  attempted: number
  /** Records that are done. */
  delivered: number
  /** Records that wait for another attempt. */
  deferred: number
  /** New dead letters. */
  dlq: number
  /** Records that the store failed on alone. */
  failed?: number
  /** How long it took, in milliseconds; parts of one do not count. */
  durationMs: number
}

/** The results of the last drains, at most twenty. */
export interface DrainTrend {
  /** The number of passes, at most twenty. */
  passes: number
  /** Records of the last pass. */
  lastAttempted: number
  /** Delivered in the last pass. */
  lastDelivered: number
  /** Delivered in all of them. */
  totalDelivered: number
  /** Deferred in all of them. */
  totalDeferred: number
  /** The number of records on which the store failed alone, in all of them. */
  totalFailed: number
  /** The number of new dead letters, in all of them. */
  totalDead: number
}

/** The outcome of a drop. */
export interface DropOutcome {
  /** Deleted. */
  dropped: number
  /** The ids without a dead letter. */
  unknown: Array<string>
}

/** The answer to a search. */
export interface EmbeddedAnswer {
  /** The hits, best first. */
  hits: Array<EmbeddedHit>
  /** Whether vectors were compared. */
  semantic: boolean
  /** True when there are candidates, but none is relevant to the query; there are no hits then. */
  irrelevant: boolean
}

/** A thought that was found. */
export interface EmbeddedHit {
  /** The idempotency key. */
  id: string
  /** Its text. */
  content: string
  /** The project it was learned in; the project's own name when the record names none. */
  project: string
  /** Its type. */
  type: string
  /** Where it comes from; `unknown` by default. */
  source: string
  /** Its author; `unknown` by default. */
  createdBy: string
  /** When, ISO 8601, as written. */
  capturedAt: string
  /** When it expires, ISO 8601. */
  expiresAt?: string
  /** The labels. */
  tags: Array<string>
  /** The confidence, 0 to 1. */
  confidence: number
  /** The id of the thought that this one supersedes. */
  supersedes?: string
  /** Everything else, as the text of a JSON object. */
  metadata: string
  /** The relevance: BM25, or by words and meaning together from 0 to 1; higher is better, 0 in a list. */
  score: number
  /** The cosine similarity to the query, when both have a vector. */
  similarity?: number
  /** The words of the query that it contains. */
  matched: Array<string>
  /** Whether it is doubtful that it answers the query. */
  weak: boolean
  /** Whether its text says of itself that it does not hold. */
  over: boolean
  /** Its rank in the lexical ranking, from 1. */
  lexicalRank?: number
  /** The ids of thoughts that contradict it and count themselves. */
  conflicts: Array<string>
  /** Sessions that found it useful. */
  useful: number
  /** Sessions that found it wrong since it was last accepted. */
  wrong: number
}

/** A model with vectors in the store. */
export interface EmbeddedModel {
  /** Its name. */
  name: string
  /** The dimension of its vectors. */
  dimensions: number
  /** The number of its vectors. */
  vectors: number
}

/** A thought as it was stored, with its rulings. */
export interface EmbeddedRecord {
  /** The idempotency key. */
  id: string
  /** Its text. */
  content: string
  /** The project it was learned in; the project's own name when the record names none. */
  project: string
  /** Its type. */
  type: string
  /** Where it comes from; `unknown` by default. */
  source: string
  /** Its author; `unknown` by default. */
  createdBy: string
  /** When, ISO 8601, as written. */
  capturedAt: string
  /** When it expires, ISO 8601. */
  expiresAt?: string
  /** The labels. */
  tags: Array<string>
  /** The confidence, 0 to 1. */
  confidence: number
  /** The id of the thought that this one supersedes. */
  supersedes?: string
  /** Everything else, as the text of a JSON object. */
  metadata: string
  /** Its place in the order in which thoughts were stored. */
  place: number
  /** Whether a revision has superseded it. */
  superseded: boolean
  /** Whether it is retired or rejected. */
  retired: boolean
  /** Its rulings, as lines of journals; the oldest first. */
  rulings: Array<string>
  /** The ids of thoughts that contradict it and count themselves. */
  conflicts: Array<string>
  /** Sessions that found it useful. */
  useful: number
  /** Sessions that found it wrong since it was last accepted. */
  wrong: number
}

/** When and by whom a record was rejected or forgotten. */
export interface EndedBy {
  /** When. */
  at: string
  /** Who said it; absent when that is not known, as of a line that an older version wrote. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** Through which surface, when that is known. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
}

/** How a score came about: it is `(words + context) * feedback * freshness`. */
export interface Explanation {
  /** The score of the search. */
  words: number
  /** The gain from its session: from the records just before and after it, and from the best ones. */
  context: number
  /** Sessions that found it useful. */
  useful: number
  /** Sessions that found it wrong since it was last accepted. */
  wrong: number
  /** The factor of the feedback on it, between 0.8 and 1.1. */
  feedback: number
  /** The factor of its freshness. */
  freshness: number
  /** How often it was captured again. */
  confirmations: number
  /** Its current confidence. */
  confidence: ConfidenceNow
}

/** An export. */
export interface ExportOutcome {
  /** Records in it. */
  records: number
  /** The number of redacted secrets. */
  redactions: number
  /** The SHA-256 of everything after the first line. */
  sha256: string
  /** The path of the file. */
  path?: string
  /** The text, when it was not written. */
  text?: string
}

/** One file. */
export interface FileCompaction {
  /** Its name within `.forge/`. */
  name: string
  /** Lines that stay. */
  kept: number
  /** Expired records. */
  expired: number
  /** Superseded records. */
  superseded: number
  /** Forgotten records. */
  forgotten: number
  /** The number of confirmations whose record is removed. */
  remarks: number
  /** Size before. */
  bytesBefore: number
  /** Size after. */
  bytesAfter: number
}

/** The migration of a file. */
export interface FileMigration {
  /** Its name within `.forge/`. */
  name: string
  /** `current`, `migrated`, `moved`, `newer` or `foreign`; the last two are left alone. */
  fate: 'current' | 'migrated' | 'moved' | 'newer' | 'foreign'
  /** The file to which its records move. */
  target?: string
  /** Its records. */
  records: number
  /** The number of records that change or move. */
  changed: number
  /** The number of lines that are not JSON objects, which are kept. */
  unparsable: number
  /** Other changes, or why it is not changed. */
  notes: Array<string>
}

/** A repaired file. */
export interface FileRepair {
  /** Its name within `.forge/`. */
  name: string
  /** The number of lines that were moved aside. */
  quarantined: number
  /** The file that holds them now. */
  quarantine?: string
  /** The number of missing lines that were added. */
  added: number
  /** The number of lines that differed from the raw log and were corrected. */
  corrected: number
}

/** The result of one check. */
export interface Finding {
  /** How bad it is. */
  severity: 'ok' | 'warning' | 'problem'
  /** A stable name for this kind of finding. */
  code: string
  /** The file or setting. */
  subject: string
  /** The message. */
  message: string
  /** The hint. */
  hint?: string
}

/** The outcome of `forget`. */
export interface ForgetOutcome {
  /** Whether there was such a record. */
  removed: boolean
}

/** The result of forgetting past sessions. */
export interface ForgottenSessions {
  /** The number of sessions that were removed from the index, or with `dryRun` would be. */
  forgotten: number
  /** Whether they were only counted. */
  dryRun: boolean
}

/** Notes within their frame. */
export interface FramedNotes {
  /** The text for an agent. It says that the following notes are not instructions. */
  text: string
  /** The number of notes in it. */
  shown: number
  /** How many of those are truncated. */
  shortened: number
  /** The estimated number of tokens. */
  tokens: number
}

/** Whether the files and commands that a record names still exist. */
export interface Freshness {
  /** The worst state of all that the record names. */
  state: 'unchanged' | 'renamed' | 'changed' | 'gone'
  /** The checked file or name, and the result. */
  why: string
  /** When it was checked. */
  checkedAt: string
}

/** Where a record comes from. */
export interface Hallmark {
  /** Always [`HALLMARK_VERSION`]. */
  schemaVersion: string
  /** The tool that captured the record. */
  toolName: string
  /** When, in ISO 8601 UTC. */
  capturedAt: string
  /** The file it is about, relative to the project's folder, with `/` as separator. */
  sourceFile?: string
  /** The byte range `[start, end)` of that file. */
  byteRange?: Array<number>
  /** `sha256:` and the hash of [`content_hash`]. */
  contentHash?: string
  /**
   * `sha256:` and the hash of the code it came from: of the source file's bytes, in the range if there is one; of the
   * tool's own code when no source file is named.
   */
  codeHash?: string
  /** The version of the tool. */
  toolVersion?: string
}

/** How many records of the raw log have a hallmark, and how many of their hashes match. */
export interface HallmarkCoverage {
  /** The number of records. */
  total: number
  /** The number of records with a hallmark. */
  stamped: number
  /** The number of records whose hash matches. */
  verified: number
  /** The number of records whose hash does not match. */
  changed: number
  /** The number of records without a hallmark. */
  absent: number
  /** `stamped` / `total`; 1 without records. */
  coverage: number
  /** By tool, the largest number first. */
  byTool: Array<ToolCoverage>
  /** The ids of records whose hash does not match, at most a hundred. */
  changedIds: Array<string>
  /** When it was checked. */
  checkedAt: string
}

/** The result of healing. */
export interface HealReport {
  /** The files. */
  files: Array<HealedFile>
  /** Where the originals are. */
  backup?: string
}

/** A healed file. */
export interface HealedFile {
  /** Its name within `.forge/`. */
  name: string
  /** The number of conflicts that git had marked in it. */
  markers: number
  /** Edits of forgotten records that are forgotten now as well. */
  forgottenEdits: number
  /** Lines now. */
  lines: number
}

/** A range of a text that has a word of the query, in UTF-16 code units: `text.slice(start, end)`. */
export interface Highlight {
  /** Where it begins. */
  start: number
  /** Where it ends: the offset behind its last unit. */
  end: number
}

/** Hook calls that failed. */
export interface HookFaults {
  /** How many there were. */
  count: number
  /** The event of the last one. */
  hook: string
  /** Its host. */
  host: string
  /** The problem. */
  message: string
}

/** The counts of one event. */
export interface HookNoteCount {
  /** The event. */
  hook: string
  /** Notes that were injected. */
  injected: number
  /** Those that the agent used. */
  used: number
  /** The others. */
  wasted: number
  /** The tokens of all. */
  tokens: number
}

/**
 * `read` is the sum of `imported`, `duplicates` and `lost`; with `dryRun`, `imported` is how many would be imported.
 */
export interface ImportOutcome {
  /**
   * `forge-memory`, `jsonl`, `forge`, `server-memory`, `aiwg`, `basic-memory`, `claude-mem`, `openbrain.db` or `shared
   * store`.
   */
  format: string
  /** True if nothing was written. */
  dryRun: boolean
  /** Records of the source that are considered. */
  read: number
  /** Records that are new here. */
  imported: number
  /** Records that exist here, or occur twice in the source. */
  duplicates: number
  /** The number of records that were written but were not found afterwards, by their hash. */
  lost: number
  /** The number of records that the source itself has superseded or forgotten. */
  retired: number
  /** The number of lines and rows of the source that are not records. */
  unreadable: number
  /** The numbers of the first of these lines, from 1; none of a database or a folder. */
  unreadableLines: Array<number>
  /** Secrets that were redacted. */
  redactions: number
  /** The number of rulings on them that are new here. */
  rulings: number
  /** The number of records of other projects, which are left out. */
  leftOut: number
  /** The projects in the source. */
  projects: Array<SourceProject>
  /** The ids of the records that were stored. */
  ids: Array<string>
  /** The records that imported ones have retired. */
  replaced: Array<ImportedReplacement>
  /** The number of records that contradict one that was here, without taking its place: a person decides. */
  inConflict: number
  /** The number of records that wait for a review. */
  proposed: number
}

/** A record that an imported one has retired. */
export interface ImportedReplacement {
  /** Its id. */
  id: string
  /** The imported record. */
  by: string
}

/** The outcome of `keepMemory`. */
export interface KeepOutcome {
  /** False when the record was current already, and a person's or kept by one. */
  kept: boolean
  /** The id of the current record: another one when the kept one was superseded or forgotten. */
  id: string
}

/** An entry of the keyword map, in the form of the setting `keywordMap`. */
export interface KeywordEntry {
  /** A regular expression. */
  pattern: string
  /** Its flags. */
  flags: string
  /** The question that a match raises. */
  query: string
}

/** The result of a search. */
export interface LatticeAnswer {
  /** The first chunks, up to the limit. */
  chunks: Array<LatticeChunk>
  /** The total number; for callees, those in `unresolvedNames` are included. */
  total: number
  /** True when the limit left some out. */
  truncated: boolean
  /** Used names without a definition in this project; only in answers of `latticeCallees`. */
  unresolvedNames?: Array<string>
  /** A summary for people. */
  message: string
}

/** The result of a walk. */
export interface LatticeBlast {
  /** The chunks by distance; the start has distance 0. */
  nodes: Array<LatticeChunk>
  /** The edges between them, each pair once. */
  edges: Array<LatticeEdge>
  /** Used names without a definition in this project. */
  unresolvedNames: Array<string>
  /** The total number of chunks. */
  total: number
  /** True when the limit left some out. */
  truncated: boolean
  /** A summary for people. */
  message: string
}

/** A file, a definition or a section. */
export interface LatticeChunk {
  /** 16 hexadecimal digits, which stay the same when lines above the chunk change. */
  id: string
  /** The path relative to the project's folder, with forward slashes. */
  filePath: string
  /** The language. */
  language: string
  /** Its kind. */
  kind: string
  /** The name; empty for a file. */
  name: string
  /** The type of a method. */
  owner?: string
  /** Its first line, without its body. */
  signature: string
  /** The text of the comment above it. */
  doc?: string
  /** Where it begins in the file, in bytes. */
  startByte: number
  /** Where it ends: the byte behind its last one. */
  endByte: number
  /** The first line, from 1. */
  startLine: number
  /** Its last line. */
  endLine: number
  /** The SHA-256 of its bytes. */
  contentHash: string
  /** The relevance, higher is better; only in answers of `latticeQuery`. */
  score?: number
  /** How the edge that leads to it was resolved. */
  resolved?: 'exact' | 'import' | 'name'
  /** The number of candidate definitions of that edge, when it is not one. */
  candidates?: number
  /** The line of the call, in the caller's file. */
  callLine?: number
  /** The distance in edges; only in answers of `latticeBlast`. */
  distance?: number
  /** The names on the path to it, ending with its own; only in answers of `latticeBlast`. */
  path?: Array<string>
  /** How its file has changed since it was indexed. */
  stale?: 'changed' | 'deleted'
  /** Its line in the index of another program; only with `foreign`. */
  line?: string
  /** The names that it refers to; only with `foreign`. */
  references?: Array<string>
}

/** An edge between two chunks. */
export interface LatticeEdge {
  /** The id of the calling chunk. */
  from: string
  /** The id of the called chunk. */
  to: string
  /** How it was resolved. */
  resolved?: 'exact' | 'import' | 'name'
}

/** A chunk and its number of callers. */
export interface LatticeHot {
  /** The chunk. */
  chunk: LatticeChunk
  /** How many chunks call it. */
  callers: number
}

/** The outcome of a run. */
export interface LatticeIndexOutcome {
  /** The number of files in the index. */
  filesIndexed: number
  /** How many of them were parsed by this run. */
  filesChanged: number
  /** How many files were removed from the index. */
  filesRemoved: number
  /** How many files were skipped. */
  filesSkipped: number
  /** The number of skipped files by reason: large, minified, binary, unreadable, unparsed, limit. */
  skipped: Record<string, number>
  /** The number of chunks in the index. */
  chunks: number
  /** The number of edges in the index. */
  edges: number
  /** The limit that the run reached, so that something was left out; absent when none was. */
  limit?: 'time' | 'memory'
}

/** The index of the code. */
export interface LatticeSettings {
  /** Whether `serve` keeps the index of the code up to date. */
  watch?: boolean
  /** The time limit of a run of the code index, in seconds; it can only be lowered. */
  maxSeconds?: number
  /** Its memory limit; it can only be lowered. */
  maxMemoryMb?: number
}

/** Statistics of the index. */
export interface LatticeStat {
  /** The number of chunks. */
  chunks: number
  /** The number of edges. */
  edges: number
  /** The number of edges by resolution; `none` for those that lead out of the project or have too many candidates. */
  resolved: Record<string, number>
  /** The number of files with chunks. */
  filesIndexed: number
  /** The number of skipped files. */
  filesSkipped: number
  /** The number of chunks by language. */
  languages: Record<string, number>
  /** The number of chunks by kind. */
  kinds: Record<string, number>
  /** When the index last changed. */
  lastIndexedAt: string | null
  /** The implementation of the chunker. */
  chunkerImpl: string | null
  /** The version of the chunker. */
  chunkerVersion: string | null
  /** The total size of its files in bytes. */
  indexBytes: number
  /** The chunks with the most callers; calls that were resolved by name alone do not count. */
  hottest: Array<LatticeHot>
  /** The limit that the last run reached, if the index is incomplete. */
  limit?: 'time' | 'memory'
}

/** A leased record, which the caller has to deliver. */
export interface LeasedThought {
  /** Identifies the record for `settle`. */
  key: string
  action: 'store' | 'delete' | 'rule'
  /** The id of the thought; for a delete, the first of `ids`. */
  id: string
  /** All ids that a delete covers. */
  ids: Array<string>
  /** The projects whose thoughts it may change: this one, under every name that it had. */
  projects: Array<string>
  /** The thought to store. */
  thought?: QueueThought
  /** The ruling to note. */
  ruling?: QueueRuling
  /** How often the store has failed on this record alone. */
  attempts: number
  /** As written. */
  enqueuedAt: string
  /** When the thought was captured again; its expiry in the store is to be extended then. */
  confirmedAt?: string
  /** The error of the last attempt. */
  lastError?: string
}

/** The sizes of files. */
export interface LimitSettings {
  /** The size at which `hub-events.jsonl` is rotated. */
  eventsBytes: number
  /** The size at which the telemetry file is rotated. */
  telemetryBytes: number
}

/** A record that was stored here and is no longer in `.forge`. */
export interface LostRecord {
  /** Its id. */
  id: string
  /** Its type. */
  type: string
  /** Its text. */
  text: string
  /** When it was captured, as written. */
  capturedAt: string
}

/** The number of matching records by scope. */
export interface MatchCounts {
  /** Of the project. */
  project: number
  /** For all projects. */
  global: number
}

/** The search by meaning. */
export interface MeaningSettings {
  /** The embedder for search by meaning. */
  kind: 'local' | 'ollama' | 'openai' | 'none'
  /** The address of that server. */
  url?: string
  /** Its model; with `"local"` one of the two, else your `model use`. */
  model?: string
}

/** Two records that contradict each other. Both count until a person decides. */
export interface MemoryConflict {
  /** Whose they are. */
  scope: 'project' | 'global'
  /** The newer one. */
  newer: RelatedMemory
  /** The older one. */
  older: RelatedMemory
  /**
   * The rule that found the contradiction; of a retirement also `supersedes`, `resolved`, `merged` or `replaced`, or
   * the reason that was given.
   */
  rule: string
  /** The rule as a sentence. */
  why: string
}

/** A number of memories. */
export interface MemoryCount {
  /** The label, or when the quarter of an hour begins. */
  key: string
  /** How many have it; copies of one text count once. */
  count: number
}

/** A record with its history. */
export interface MemoryDetail {
  /** The record. */
  entry: RecallHit
  /** Its state. */
  state: 'current' | 'superseded' | 'retired' | 'proposed' | 'rejected' | 'forgotten' | 'expired'
  /** Why it is no longer current. */
  retired?: RetiredBy
  /** When and by whom it was rejected or forgotten; absent otherwise. */
  ended?: EndedBy
  /** The machine that wrote it; absent when its line does not say. */
  machine?: 'this' | 'another'
  /** How often it was captured again. */
  confirmations: number
  /** The feedback of sessions on it; absent when there is none. */
  verdicts?: MemoryVerdicts
  /** Its current confidence, without the factor of freshness, which is not checked. */
  confidenceNow: number
  /** The line in the file. */
  record: string
  /** Oldest first. */
  revisions: Array<MemoryRevision>
}

/** The newest records. */
export interface MemoryList {
  /** The records. */
  entries: Array<RecallHit>
  /** The total number of records. */
  total: number
}

/** A pause that was made. */
export interface MemoryPause {
  /** When it began. */
  since: string
  /** When it ends; absent when it lasts until `resumeMemory`. */
  until?: string
}

/** The inventory of a memory. */
export interface MemoryReport {
  /** Version of the report's shape. */
  _v: number
  /** When it was made. */
  timestamp: string
  /** The project. */
  projectDir: string
  /** Whether the project has a `.forge/`. */
  forgeDirExists: boolean
  /** The files. */
  files: Array<ReportFile>
  /** The queue to the shared store. */
  queue: QueueDepth
  /** The last drains. */
  drainTrend: DrainTrend
  /** All captures ever. */
  telemetry: CaptureTelemetry
  /** Cached searches. */
  cache: CacheCounts
  /** How many records there are, by their state. */
  counts: RecordCounts
  /** Entries of `.forge/` that belong to no known tool. */
  orphans: Array<string>
}

/** One revision of a record, with its state. */
export interface MemoryRevision {
  /** Its id. */
  id: string
  /** Its text. */
  text: string
  /** Type or category. */
  type: string
  /** When it was made, as written. */
  createdAt: string
  /** Its state. */
  state: 'current' | 'superseded' | 'retired' | 'proposed' | 'rejected' | 'forgotten' | 'expired'
  /** When recall stopped returning it. */
  at?: string
  /** Who said it; absent when that is not known, as of a line that an older version wrote. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** Through which surface, when that is known. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
}

/** The verdicts of sessions on a record; each session counts once, and at most 8 count. */
export interface MemoryVerdicts {
  /** Sessions that found it useful. */
  useful: number
  /** Sessions that found it wrong since it was last accepted. */
  wrong: number
}

/** The result of a migration, or of its dry run. */
export interface MigrationReport {
  /** Whether nothing was written. */
  dryRun: boolean
  /** The latest version of the record format. */
  version: number
  /** How many records changed. */
  changed: number
  /** The folder with the originals, when something was rewritten. */
  backup?: string
  /** The files. */
  files: Array<FileMigration>
}

/** The notes that hooks have injected into sessions of a project, and their use. */
export interface NoteStats {
  /** Notes that were injected. */
  injected: number
  /** Those that the agent used. */
  used: number
  /** The others. */
  wasted: number
  /** The tokens of all. */
  tokens: number
  /** Latencies of hooks that injected notes, in milliseconds from the start of their process. */
  msP50: number
  /** The slowest of a hundred. */
  msP99: number
  /** By event. */
  byHook: Array<HookNoteCount>
  /** By week. */
  byWeek: Array<WeekNoteCount>
  /** Failed hook calls. */
  faults: number
}

/** A record of another worktree that says the same as one of this memory. */
export interface NotedInWorktree {
  /** Its id. */
  id: string
  /** What is said of it, such as `worktree api-2 (fix/auth), not committed there yet`. */
  said: string
  /** The folder of the project there, in which it can be changed. */
  folder: string
}

/** A current record that a new text may replace. */
export interface OfferedMemory {
  /** Its id. */
  id: string
  /** Type or category. */
  type: string
  /** Its text. */
  text: string
  /** When it was made, as written. */
  createdAt: string
}

/** Where a record is that this memory does not have. */
export interface OtherWorktree {
  /** What is said of it, such as `worktree api-2 (fix/auth), not committed there yet`. */
  said: string
  /** The folder of the project there, in which it can be changed. */
  folder: string
}

/** An earlier failure of a record that was retried. */
export interface PastFailure {
  /** When, as written. */
  failedAt?: string
  /** Why. */
  reason: string
  /** How often it had been tried. */
  attempts: number
}

/** A thought without a vector. */
export interface PendingText {
  /** Its id. */
  id: string
  /** Its text. */
  content: string
}

/** The composed context and its entries. */
export interface PreloadContext {
  /** The text; empty when nothing was found. */
  text: string
  /** The estimated number of tokens. */
  tokens: number
  /** The entries in the text, in order. */
  entries: Array<PreloadEntry>
  /** How many did not fit. */
  leftOut: number
}

/** An answer to a question of a plan. */
export interface PreloadEntry {
  /** The id of the record. */
  id: string
  /** The question. */
  query: string
  /** Who answered: the project's `files`, or the shared store `openbrain`. */
  tier: 'files' | 'openbrain'
  /** Type or category. */
  type: string
  /** Its text. */
  text: string
  /** Its score; comparable within one question only. */
  score: number
}

/** The failure of one part of an operation whose other parts succeeded. */
export interface Problem {
  /** A stable code to branch on. */
  code: string
  /** The problem, in words. */
  message: string
  /** The remedy. */
  hint?: string
}

/** The settings of a project that are used. Unknown keys belong to other tools. */
export interface ProjectSettings {
  /**
   * The project name in every record; one that another repository of this machine uses takes effect after `forge-memory
   * trust`.
   */
  projectName?: string
  /**
   * What the project was called before: its records are compared under these names too, and found in the shared store
   * after `forge-memory trust`.
   */
  formerNames: Array<string>
  /**
   * `"disk"` syncs every capture and delivery to the disk, so that a power failure loses nothing that was acknowledged.
   */
  durability: 'os' | 'disk'
  /**
   * `false` stores texts without redacting secrets, once you have approved it with `forge-memory trust`; `doctor`
   * reports it as a problem.
   */
  redact: boolean
  /** The shared store. */
  openbrain: StoreSettings
  /** The search by meaning. */
  embedder: MeaningSettings
  /** The watcher of files. */
  watch: WatchSettings
  /** The sizes of files. */
  limits: LimitSettings
  /** The index of the code. */
  lattice: LatticeSettings
  /** `agents`: what no person captured waits for a review; `all`: all captures. Any other value counts as `agents`. */
  review: 'off' | 'agents' | 'all'
  /** `false` turns off checking whether files and commands that a record mentions still exist. */
  freshness: boolean
  /** `false`, or `{"prompt": false}` for one event, turns off hooks. */
  hooks: boolean | Record<string, unknown>
  /** The packages of a monorepo, by name; a submodule that it names belongs to this project. */
  scopes?: Record<string, unknown>
  /** The lessons of agent loops. */
  ralph: RalphSettings
}

/** The settings and the size of a project's memory. */
export interface ProjectStatus {
  /** The project's folder. */
  projectDir: string
  /** The configured name, else the identity: `host/owner/name` of the remote, or `local/HASH/name`. */
  projectName: string
  /** Former identities that `formerNames` of `.forge.json` lacks. */
  unwrittenNames: Array<string>
  /** The last part of an identity, which people are shown where it is unambiguous. */
  shortName: string
  /**
   * Names of the project in `.forge.json` that the user has not approved on this machine, as `forge-memory trust`
   * writes them.
   */
  unapprovedNames: Array<string>
  /** The user's own folder. */
  home: string
  /** Where the settings would be. */
  configPath: string
  /** The problem with the settings. */
  configProblem?: string
  /** The numbers of records by their state. */
  counts: RecordCounts
  /** Records that wait for the shared store. */
  queued: number
  /** Dead letters. */
  deadLetters: number
  /** Bytes of the journals that are indexed. */
  indexedBytes: number
  /** Bytes of the journals. */
  journalBytes: number
  /** Bytes of the persisted index. */
  indexBytes: number
  /** How many records have vectors; absent when the model is not installed or the settings disable it. */
  vectors?: VectorCoverage
  /** `os` or `disk`. */
  durability: string
  /** Whether secrets are redacted. */
  redact: boolean
  /** Earlier names of the project, which records may have. */
  formerNames: Array<string>
  /** Files of older tools whose records `migrateMemory` has not moved yet. */
  unmigrated: Array<string>
  /** Why files could not be read, so that their records are not counted. */
  unreadable: Array<string>
}

/** The records that wait for the shared store. */
export interface QueueDepth {
  /** Not delivered yet. */
  pending: number
  /** The number of delivered records, in the file and in the archive as far as that is retained. */
  delivered: number
  /** Dead letters that are still in the file. */
  failed: number
  /** Pending records in back-off. */
  deferred: number
  /** Dead letters. */
  dlq: number
  /** Why delivery is paused until a setting is corrected. */
  paused?: string
  /** The last failure of a delivery, while records wait because of it. */
  lastError?: string
}

/** A ruling on a thought, as the shared store notes it. */
export interface QueueRuling {
  kind: 'retire' | 'keep' | 'conflict' | 'hold' | 'propose' | 'accept' | 'reject' | 'useful' | 'wrong' | 'withdraw' | 'elsewhere' | 'here' | 'request'
  /** The other thought; of a review and of feedback, the session. */
  other?: string
  /** The rule or the author; may be empty. */
  why: string
  /** ISO 8601. */
  at: string
  /** The other fields of its line, such as who said it, by their names. */
  more: Record<string, unknown>
}

/** The status of the queue to the shared store. */
export interface QueueStatus {
  /** The number of records that are not delivered yet. */
  queued: number
  /** How many of them a drain would try now. */
  due: number
  /** How many of them wait for a later attempt. */
  deferred: number
  /** How many of them the store has failed on alone; they become dead letters at the fifth time. */
  retrying: number
  /** Dead letters. */
  deadLetters: number
  /** The number of lines that cannot be parsed; they are kept. */
  malformed: number
  /** The number of records that this machine did not write. They are kept, and delivered only after `drain --trust`. */
  foreign: number
  /** Why delivery is paused until a setting is corrected. */
  paused?: DrainPause
  /** The end of the back-off after a pass in which the store accepted nothing. */
  backOffUntil?: string
  /** The last failure. */
  lastError?: DrainFailure
  /** The last pass. */
  lastDrain?: DrainStats
  /** The last passes. */
  trend: DrainTrend
}

/** A thought for the shared store, and from it. */
export interface QueueThought {
  /** The idempotency key. */
  id: string
  /** Its text. */
  content: string
  /** The project it was learned in; the project's own name when the record names none. */
  project: string
  /** Its type. */
  type: string
  /** Where it comes from; `unknown` by default. */
  source: string
  /** Its author; `unknown` by default. */
  createdBy: string
  /** When, ISO 8601, as written. */
  capturedAt: string
  /** When it expires, ISO 8601. */
  expiresAt?: string
  /** The labels. */
  tags: Array<string>
  /** The confidence, 0 to 1. */
  confidence: number
  /** The id of the thought that this one supersedes. */
  supersedes?: string
  /** Everything else, as the text of a JSON object. */
  metadata: string
}

/** The records that were queued again. */
export interface QueuedAgain {
  /** The number of thoughts that recall returns. */
  stores: number
  /** The number of deletes of forgotten thoughts. */
  deletes: number
  /** The number of rulings on thoughts: retired, kept, in conflict. */
  rulings: number
}

/** The outcome of an addition. */
export interface RalphAddOutcome {
  /** The id of the entry; for a duplicate, of the existing one. */
  id: string
  /** False when the store had it already. */
  added: boolean
  /** True when it was a duplicate. */
  deduped: boolean
  /** The id of the entry that it duplicates. */
  duplicateOf?: string
  /** The cosine similarity to that entry, 0 to 1. */
  similarity?: number
  /** The number of redacted secrets. */
  redactions: number
  /** The store, within the project. */
  store: string
  /** The entry as stored; for a duplicate, the existing one. */
  entry: RalphEntry
  /** The outcome of its capture, when `.forge.json` has `"ralph": {"capture": true}`. */
  capture?: CaptureOutcome
  /** Why the capture failed. */
  captureError?: Problem
}

/** The result of a search. */
export interface RalphAnswer {
  /** The query. */
  query: string
  /** The entries, best first; ties are ordered by confidence, then newest first, then by id. */
  entries: Array<RalphEntry>
  /** The total number of matching entries. */
  total: number
  /** True when no store exists. */
  missing: boolean
  /** Warnings about invalid parts, which were skipped. */
  warnings: Array<string>
}

/** The outcome of clearing. */
export interface RalphClearOutcome {
  /** The number of selected entries. */
  counted: number
  /** How many were deleted; 0 in a dry run. */
  deleted: number
  /** The number of entries left in the shared stores of all loops; in a dry run, how many would be left. */
  remaining: number
  /** The number of selected entries that are kept because they were added after the dry run. */
  arrived: number
  /** The entries by loop, the one with the newest first. */
  loops: Array<RalphLoopCount>
  /** The keys of the selected entries, for `only`. */
  keys: Array<string>
  /** The stores that were changed; in a dry run, those that would be. */
  stores: Array<string>
  /** True when no store exists. */
  missing: boolean
  /** Warnings about invalid parts, which were skipped. */
  warnings: Array<string>
}

/** A lesson of a loop. */
export interface RalphEntry {
  /** Its id. */
  id: string
  /** The loop that learned it. */
  loopId?: string
  /** The number of the iteration. */
  iteration?: number
  /** The time of creation, as written. */
  createdAt?: string
  /** The calendar day of creation in UTC, when it was requested and is known. It is not written to the store. */
  day?: string
  /** `lesson_learned`, `failure_pattern`, `success_pattern`, or whatever was written. */
  type: string
  /** The lesson. */
  lesson: string
  /** The pattern, if it has one. */
  pattern?: string
  /** Where it was learned. */
  context?: string
  /** Its labels. */
  tags: Array<string>
  /** The confidence, 0 to 1. */
  confidence: number
  /** The relevance, higher is better; only in answers to queries. */
  score?: number
}

/** The entries of the stores. */
export interface RalphList {
  /** The entries, newest first, those without a time last; ties are ordered by id. */
  entries: Array<RalphEntry>
  /** True when no store exists. */
  missing: boolean
  /** Warnings about invalid parts, which were skipped. */
  warnings: Array<string>
}

/** The entries of one loop. */
export interface RalphLoopCount {
  /** The loop; empty for entries that name none. */
  loopId: string
  /** How many there are. */
  entries: number
  /** The title of the loop. */
  title?: string
  /** The day of its newest entry. */
  date?: string
}

/** The lessons of agent loops. */
export interface RalphSettings {
  /** Lessons added to an agent loop are captured as well. */
  capture: boolean
}

/** The result of feedback. */
export interface RateOutcome {
  /** The record. */
  id: string
  /** False when this session had given the verdict before, or the maximum is reached. */
  counted: boolean
  /** The verdicts of sessions now. */
  verdicts: MemoryVerdicts
  /** True when enough sessions found it wrong, so that a person should review it. */
  inReview: boolean
}

/** A record that matches a query. */
export interface RecallHit {
  /** Its id. */
  id: string
  /** Its scope. */
  scope: 'project' | 'global'
  /** Type or category. */
  type: string
  /** Its text. */
  text: string
  /** The confidence, 0 to 1. */
  confidence: number
  /** Its labels. */
  tags: Array<string>
  /** Who captured it; absent when that is not known. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /**
   * True when another one said it and a person has vouched for it: said it again, or accepted, kept or rated it; absent
   * otherwise.
   */
  vouched?: boolean
  /** Its tool and what of it. */
  source: string
  /**
   * The project in which it was stored, when it is about another one or about all; absent otherwise. The program writes
   * it, no caller does.
   */
  from?: string
  /** The other project that it is about; absent otherwise. */
  about?: string
  /** The name that an agent or a script gave as its author: a claim, which nothing proves; absent otherwise. */
  claimedBy?: string
  /** The file that it is about by its hallmark; absent when it names none. */
  sourceFile?: string
  /** When it was made, as written. */
  createdAt: string
  /** When it expires. */
  expiresAt?: string
  /**
   * By words BM25, by meaning the cosine, by both from 0 to 1; plus the gain from its session, multiplied by the factor
   * of its freshness. Higher is better; 0 in a list.
   */
  score: number
  /** The cosine similarity to the query, -1 to 1; absent when meaning was not compared. */
  cosine?: number
  /** True when it says little about the query beside better hits: a surface may leave it out; absent otherwise. */
  weaker?: boolean
  /** True when it is doubtful that it answers the query; absent otherwise. */
  weak?: boolean
  /**
   * True when its text says of itself that it does not hold: that it is over, was only considered, or is an example;
   * absent otherwise, and in a list.
   */
  over?: boolean
  /** The words of the query that it contains. */
  matched: Array<string>
  /** The freshness of its references; absent when it has none within the project, and in a list. */
  freshness?: Freshness
  /** True when it waits for its review; absent otherwise. */
  proposed?: boolean
  /** The explanation of its score; absent unless it is asked for. */
  explained?: Explanation
  /**
   * Where the text has the words of the query, at most 100 ranges in ascending order; absent unless it is asked for.
   */
  highlights?: Array<Highlight>
  /** Where it is, when this memory does not have it; absent otherwise. */
  worktree?: OtherWorktree
  /** The current records that contradict it, newest first. */
  contradictedBy?: Array<RelatedMemory>
  /** The records that it retired, newest first. */
  supersedes?: Array<RelatedMemory>
  /** The words of the person that it states, as they were said. */
  quote?: string
}

/** The result of a search. */
export interface RecallOutcome {
  /** The query. */
  query: string
  /** Best first. */
  hits: Array<RecallHit>
  /** How the records were ranked; `fused` is by words and meaning. */
  mode: 'fused' | 'words' | 'meaning'
  /** The number of memories in the scope: of the current records. */
  searched: number
  /** Words that no record contains, and their replacements; absent when all words are known. */
  corrected?: Array<Correction>
  /** Why nothing was found, which words were corrected, or which files could not be read. */
  message?: string
}

/** The result of a search as a text block. */
export interface RecallText {
  /** The block. */
  text: string
  /** The records in the text, at most 20. */
  matches: Array<RecallHit>
  /** The number of matching records, shown or not. */
  found: MatchCounts
  /** How the records were ranked; `fused` is by words and meaning. */
  mode: 'fused' | 'words' | 'meaning'
  /** Why nothing was found, or which files could not be searched. */
  message?: string
}

/** What was received. */
export interface ReceivedDecisions {
  /** The number of rulings on records of this memory that it did not know. */
  rulings: number
  /** The number of records that were forgotten. */
  forgotten: number
}

/** The numbers of records by their state. Memories are the current ones: those that searches return. */
export interface RecordCounts {
  /** The current records of the project and those for all projects; copies of one text count once. */
  memories: number
  /** How many of the memories are for all projects. */
  global: number
  /** How many of the memories expire within fourteen days. */
  expiring: number
  /** Records whose place another one took; earlier texts of edited ones are not counted. */
  retired: number
  /** What waits for a decision: proposals, requests, and records that sessions found wrong. */
  waiting: number
  /** Findings of past sessions that waited for thirty days, and do not any more. */
  lapsed: number
  /** Rejected proposals. */
  rejected: number
  /** Expired records. */
  expired: number
  /** Forgotten records whose lines compaction has not removed yet. */
  forgotten: number
}

/** The result of redacting stored records. */
export interface RedactionReport {
  /** Secrets that were redacted. */
  secrets: number
  /** Records and lines that held them. */
  lines: number
  /** The rewritten files. */
  files: Array<string>
}

/** Another record about the same subject. */
export interface RelatedMemory {
  /** Its id. */
  id: string
  /** Its text. */
  text: string
  /** When it was made, as written. */
  createdAt: string
  /**
   * The rule that found the contradiction; of a retirement also `supersedes`, `resolved`, `merged` or `replaced`, or
   * the reason that was given.
   */
  rule: string
  /** The rule as a sentence. */
  why: string
  /** Who said it; absent when that is not known, as of a line that an older version wrote. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** Through which surface, when that is known. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
  /** True when another one said it and a person has vouched for it; absent otherwise. */
  vouched?: boolean
}

/** The outcome of `replaceMemory`. */
export interface ReplaceOutcome {
  /** The record that takes their place. */
  by?: string
  /** The records that are retired now; `keepMemory` makes one current again. */
  retired: Array<Contradicted>
  /** The records that are in conflict with it now, because only a person may retire the record of a person. */
  conflicts: Array<Contradicted>
  /** The ids of the records that were retired before. */
  unchanged: Array<string>
  /** The ids of the records that were in conflict with it before, and stay so until a person decides. */
  inConflict: Array<string>
}

/** A file of the inventory. */
export interface ReportFile {
  /** The name within `.forge/`. */
  name: string
  /** Whether it exists. */
  exists: boolean
  /** The size in bytes. */
  size: number
  /** The number of lines that are JSON objects. */
  records: number
  /** The number of other lines, which are kept. */
  unparsable: number
  /** The number of records with a hallmark. */
  stamped: number
  /** The number of records by format version; `none` for those without one. */
  versions: Record<string, number>
}

/**
 * A change that others than a person ask for. `acceptMemory` carries it out, and `rejectMemory` refuses it for good.
 */
export interface RequestedChange {
  /**
   * `keep`: to make a retired or forgotten record current again. `hold`: it and `other` do not contradict each other.
   * `useful` and `wrong`: feedback of a session.
   */
  change: 'forget' | 'retire' | 'keep' | 'hold' | 'useful' | 'wrong'
  /** The same as a sentence about the record. */
  says: string
  /** The id of the record. */
  of: string
  /** The other record: the one that replaces it, or does not contradict it. */
  other?: string
  /** The reason that was given. */
  why?: string
}

/** The outcome of `resolveConflict`. */
export interface ResolveOutcome {
  /** The ids of the records that are now current. */
  current: Array<string>
  /** The ids of the records that are now retired. */
  retired: Array<string>
}

/** Why a record is no longer current. */
export interface RetiredBy {
  /** The id of the record that holds instead; empty when none does. */
  id: string
  /** When it was retired. */
  at: string
  /**
   * The rule that found the contradiction; of a retirement also `supersedes`, `resolved`, `merged` or `replaced`, or
   * the reason that was given.
   */
  rule: string
  /** The rule as a sentence. */
  why: string
  /** Who said it; absent when that is not known, as of a line that an older version wrote. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** Through which surface, when that is known. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
}

/** A record that an acceptance retires. */
export interface RetiredByReview {
  /** Its id. */
  id: string
  /** Its text. */
  text: string
  /** Its time of creation, as written. */
  createdAt: string
  /** True when a person said it or vouched for it: `acceptMemory` then needs `retiresPersons`. */
  ofPerson: boolean
}

/** A record that is no longer current, because another one took its place. */
export interface RetiredMemory {
  /** Its id. */
  id: string
  /** Its scope. */
  scope: 'project' | 'global'
  /** Type or category. */
  type: string
  /** Its text. */
  text: string
  /** Its labels. */
  tags: Array<string>
  /** When it was made, as written. */
  createdAt: string
  /** Why it is no longer current. */
  retired: RetiredBy
  /** Who said it; absent when that is not known, as of a line that an older version wrote. */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** Through which surface, when that is known. */
  door?: 'cli' | 'mcp' | 'page' | 'http' | 'hook' | 'import' | 'backfill' | 'watcher' | 'api' | 'store' | 'merge' | 'undo'
}

/** The outcome of a retry. */
export interface RetryOutcome {
  /** The number of records put back into the queue. */
  retried: number
  /** The number of records that are no longer needed, because their thought is forgotten. */
  forgotten: number
  /** The ids without a dead letter. */
  unknown: Array<string>
}

/** The result of a review. */
export interface ReviewOutcome {
  /** The id of the record, or of the revision when a new text was stored. */
  id: string
  /** Its state. */
  state: 'accepted' | 'rejected' | 'waiting'
  /** The records that are no longer current because of it. */
  retired?: Array<RetiredByReview>
}

/** One kind of rot. */
export interface RotPart {
  /** Its name. */
  name: string
  /** How many records, or lines, have it. */
  count: number
  /** The number of records, or lines, that were checked. */
  of: number
  /** How many points it subtracts. */
  cost: number
  /** The ids or lines, at most a hundred. */
  ids: Array<string>
}

/** The outcome of a save. */
export interface SaveOutcome {
  /** Whether it was stored. */
  status: 'saved' | 'duplicate'
  /** The id of the pattern; for a duplicate, of the existing one. */
  id: string
  /** A message for the user. */
  message: string
  /** The number of redacted secrets. */
  redactions: number
  /** As in the outcome of a capture. */
  review?: 'proposed' | 'accepted' | 'rejected'
  /** As in the outcome of a capture. */
  related?: Array<OfferedMemory>
}

/** One point of a series. */
export interface SeriesPoint {
  /** The beginning of its interval, ISO 8601. */
  at: string
  /** The number of captures, duplicates included. */
  total: number
  /** The number of duplicates. */
  deduped: number
  /** The number of captures by type or tool. */
  counts: Record<string, number>
}

/** A matching past session. */
export interface SessionHit {
  /** The agent. */
  agent: string
  /** The display name of the agent. */
  agentTitle: string
  /** The agent's own id of the session. */
  session: string
  /** The session that started this one. */
  parent?: string
  /** The command that resumes it, if the agent has one. */
  resume?: string
  /** The agent's own title. */
  title?: string
  /** Its working directory. */
  project?: string
  /** When it began. */
  started?: string
  /** When it was last written to. */
  ended?: string
  /** How many turns of it are in the index. */
  turnCount: number
  /** The time of the matching turn, or of the session. */
  at?: string
  /** The file of the session. */
  file: string
  /** The line, row or message at which the turn begins. */
  line: number
  /** Higher is better. */
  score: number
  /** The turn, with those before and after it. */
  turns: Array<SessionTurn>
  /** True when the file cannot be read any more or has changed. */
  gone: boolean
}

/** The contents of the index of past sessions. */
export interface SessionIndexStatus {
  /** Its folder. */
  folder: string
  /** False when the settings disable it. */
  enabled: boolean
  /** The excluded folders. */
  excluded: Array<string>
  /** Files that were read. */
  files: number
  /** Sessions in them. */
  agents: Array<AgentSessions>
  /** Indexed turns. */
  turns: number
  /** Turns with a vector, which are found by meaning as well. */
  vectors: number
  /** The size of the index. */
  bytes: number
  /** The number of forgotten sessions and projects. */
  forgotten: number
}

/** The result of a search over past sessions. */
export interface SessionSearchReport {
  /** The query. */
  query: string
  /** The hits, the best first. */
  hits: Array<SessionHit>
  /** True if there are more behind them, which `offset` reaches. */
  hasMore: boolean
  /** True if embeddings were compared as well. */
  semantic: boolean
  /** Files indexed before the search. */
  read: number
  /** Files that are not indexed yet, because the time was up. */
  pending: number
  /** True when another process was updating the index. */
  updatedElsewhere: boolean
  /** Files that were skipped. */
  problems: Array<BackfillProblem>
}

/** A passage of a session. */
export interface SessionTurn {
  /** Who or what speaks. */
  role: 'user' | 'agent' | 'command' | 'edit' | 'error'
  /** When. */
  at?: string
  /** The number of the line, row or message in the file, counted from 1. */
  line: number
  /** The text, redacted and truncated. */
  text: string
  /** True when it is part of the matching turn, false when it is context. */
  matched: boolean
}

/** The result of a settlement. */
export interface SettleReport {
  /** The number of completed records. */
  delivered: number
  /** The number of records that wait for another attempt. */
  deferred: number
  /** The number of new dead letters. */
  dead: number
  /** The number of records on which the store failed alone. */
  failed: number
  /** The number of outcomes for records that were not leased. */
  unknown: number
  /** Why the drain is paused. */
  paused?: string
  /** When the next lease can return a record. */
  nextDueAt?: string
}

/** A project of a source, and how many records name it. */
export interface SourceProject {
  /** Its name there. */
  name: string
  /** Its records. */
  records: number
}

/** The shared store. */
export interface StoreSettings {
  /** The shared store: `"file"`, `postgres://...` or `https://...`. */
  url?: string
  /** Another name of `openbrain.url`, which takes precedence: that of Plan Forge's documents. */
  endpoint?: string
  /** Also sends thoughts to a server that stores only their text. */
  textOnly: boolean
  /** Allows a key to be sent over plain `http` to another machine. */
  insecure: boolean
  /** The timeout of a request about one thought, and of a PostgreSQL statement. */
  timeoutMs: number
  /** How long a search waits for a connection before the project's own files are searched. */
  reachTimeoutMs: number
  /** How long it then waits for the answer. */
  searchTimeoutMs: number
  /** How many candidates a vector index of PostgreSQL examines. */
  efSearch?: number
  /**
   * Whether `recall` and `memory_recall` have what colleagues stored about this project behind the own records, and
   * hooks tell agents of it; `false` in the project's file or your own turns both off.
   */
  recall: boolean
  /** How long it waits for them. */
  recallTimeoutMs: number
  /** The cosine from which two texts can be duplicates. */
  dedupThreshold: number
  /** The words of a plan that imply a search query. */
  keywordMap?: Array<unknown>
}

/** A record that does not match its hallmark, or a line that is not a record. */
export interface Suspect {
  /** The file, within `.forge/` or the user's own folder. */
  file: string
  /** The line number, from 1. */
  line: number
  /** The record; absent for a line that is not a record. */
  id?: string
  /** `edited`, `drifted` or `damaged`. */
  standing: string
  /** Why. */
  reason: string
}

/** The outcome for one file. */
export interface SyncedMemories {
  /** The agent that reads it. */
  agent: string
  /** The path within the project. */
  path: string
  /** Whether the file has changed. */
  changed: boolean
  /** The number of hints in it. */
  hints: number
  /** The number of new hints. */
  added: number
  /** The number of removed hints, whose record is forgotten, superseded or expired. */
  removed: number
  /** The number of hints by section. */
  sections: Record<string, number>
  /** The whole text; only in a dry run. */
  content?: string
}

/** The result of one read. */
export interface TailBatch {
  /** The matching events, in order. */
  events: Array<TailEvent>
  /** Set when files were removed before they were read: the numbers before and after the gap. */
  lost?: TailGap
  /** True when there is nothing more to read now. */
  done: boolean
}

/** A stored event. */
export interface TailEvent {
  /** Its number. */
  seq: number
  /** Its type. */
  type: string
  /** The event as JSON. */
  line: string
}

/** A gap: events that were rotated away before they were read. */
export interface TailGap {
  /** The last sequence number before the gap. */
  afterSeq: number
  /** The first sequence number after it. */
  beforeSeq: number
}

/** A captured thought, as stored in `memory-captures.jsonl`. */
export interface Thought {
  /** Version of the format. */
  _v: number
  /** `mem_` and a UUID version 7 in hex: sorts by time, unique across machines. */
  id: string
  /** Its text. */
  content: string
  /** The project it was learned in. */
  project: string
  /** Its type: `lesson`, `gotcha`, ... */
  type: string
  /** `<tool>` or `<tool>/<subsystem>`, or `unknown`. */
  source: string
  /** Its author. */
  created_by: string
  /** The project in which it was captured, when it is about another one. The program writes it. */
  from?: string
  /** When, in ISO 8601 UTC. */
  captured_at: string
  /** The time from which it is no longer recalled. */
  expiresAt?: string
  /** Free labels. */
  tags: Array<string>
  /** The confidence, 0 to 1. */
  confidence: number
  /** The id of the revision that this one supersedes. */
  supersedes?: string
  /** The session in which it was captured: its channel and a hash of its name. */
  session?: string
  /**
   * Who captured it, as the surface knows it: the name of an [`Author`](crate::model::author::Author). Absent when that
   * is not known.
   */
  author?: 'person' | 'agent' | 'import' | 'watcher' | 'tool' | 'script'
  /** Who said it, through which door: `<kind>/<door>/<who>`. */
  said?: string
  /** Its provenance, with hashes. */
  hallmark?: Hallmark
  /** The words of the person that it states, as they were said. */
  quote?: string
}

/** Whether a tier has accepted a capture, and the error if not. */
export interface TierOutcome {
  /** Whether it has. */
  ok: boolean
  /** The first error. */
  error?: Problem
}

/** The three tiers. */
export interface Tiers {
  /** The event for the live hub. */
  hub: TierOutcome
  /** The files under `.forge/`. */
  files: TierOutcome
  /** The queue to the shared store. */
  openbrain: TierOutcome
}

/** The records of one tool. */
export interface ToolCoverage {
  /** The tool. */
  tool: string
  /** Its records. */
  total: number
  /** Those of them with a hallmark. */
  stamped: number
}

/** A text without its recalled notes. */
export interface UnframedText {
  /** The text outside of all frames. */
  text: string
  /** The number of removed frames. */
  frames: number
}

/** How many of the records that are recalled have vectors. */
export interface VectorCoverage {
  /** How many texts have vectors. */
  covered: number
  /** How many texts there are; copies of one count once. */
  total: number
  /** How many bytes the vectors take. */
  bytes: number
}

/** The result of a verification. */
export interface Verification {
  /** Records. */
  records: number
  /** The number of records that match their hallmark. */
  intact: number
  /** Records that were changed outside. */
  edited: number
  /** Records whose source has changed. */
  drifted: number
  /** Records without a hash. */
  unstamped: number
  /** The number of lines that are not JSON objects. */
  damaged: number
  /** The share of records with a hash, 0 to 1. */
  coverage: number
  /** The suspects, at most a thousand. */
  suspects: Array<Suspect>
  /** Whether nothing is edited, drifted or damaged. */
  ok: boolean
  /** The repaired files, when a repair was asked for. */
  repaired?: Array<FileRepair>
}

/** A record in the inbox. */
export interface WaitingMemory {
  /** Its scope. */
  scope: 'project' | 'global'
  /** Its id. */
  id: string
  /** Type or category. */
  type: string
  /** Its text. */
  text: string
  /** Its labels. */
  tags: Array<string>
  /** Its source. */
  source: string
  /** Its time of creation, as written. */
  createdAt: string
  /** The confidence, 0 to 1. */
  confidence: number
  /** The author of the proposal; of a disputed record, its own. */
  author?: string
  /** The session that proposed it, as journals name it. */
  session?: string
  /** Why it waits. */
  why: 'proposed' | 'disputed' | 'requested'
  /** The verdicts of sessions. */
  verdicts: MemoryVerdicts
  /** Similar current records, the nearest first. */
  near: Array<OfferedMemory>
  /** The records that are no longer current once it is accepted. */
  retires?: Array<RetiredByReview>
  /** The requested change. */
  request?: RequestedChange
}

/** The watcher of files. */
export interface WatchSettings {
  /** Captures changes of files. */
  rules: Array<unknown>
}

/** The counts of one week, by ISO 8601. */
export interface WeekNoteCount {
  /** The week, such as `2026-W47`. */
  week: string
  /** Notes that were injected. */
  injected: number
  /** Those that the agent used. */
  used: number
  /** The others. */
  wasted: number
  /** The tokens of all. */
  tokens: number
}

// Written by napi from src/: npm run build

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/** The user's embedded store, which all projects and processes share. */
export declare class EmbeddedStore {
  /**
   * Returns the store at a path, `~/.forge/openbrain.db` (or in `FORGE_HOME`) when absent. It is opened by the first
   * call.
   */
  static open(path?: string): EmbeddedStore
  /** Returns the file's path. */
  get path(): string
  /**
   * Stores thoughts, all or none. A stored thought is unchanged, except for a later expiry. Resolves, for each
   * thought, to whether it is new, was known, or is forgotten and stays so.
   */
  put(thoughts: Array<StoredThought>): Promise<Array<'stored' | 'known' | 'forgotten'>>
  /** Removes thoughts and those that they superseded, for good. Resolves to the number of ids that existed. */
  remove(ids: Array<string>, projects?: Array<string>): Promise<number>
  /** Notes rulings on thoughts, all or none, in any order; one that is known changes nothing. */
  rule(rulings: Array<StoredRuling>): Promise<void>
  /** Searches by words and, when the query has a vector of a model with vectors in the store, by meaning. */
  search(query: EmbeddedQuery): Promise<EmbeddedAnswer>
  /** Lists thoughts, newest first. */
  list(filter?: EmbeddedQuery): Promise<Array<EmbeddedHit>>
  /**
   * Reads thoughts as they were stored, with the rulings on them, also those that no search finds, in the order in which they were
   * stored.
   */
  read(wanted: EmbeddedWanted): Promise<Array<EmbeddedRecord>>
  /**
   * Reads what was decided about the thoughts of a project behind a place in the store, as lines of journals: rulings, tombstones, and records that
   * supersede others.
   */
  decisions(projects: Array<string>, rulings: number, gone: number): Promise<{ lines: Array<string>; rulings: number; gone: number }>
  /** Resolves, for each id, to whether the store has it. */
  has(ids: Array<string>): Promise<Array<boolean>>
  /** Counts the visible thoughts of one project or of all. */
  count(project?: string): Promise<number>
  /**
   * Checks the whole file for damage. Resolves to the problems; an empty list when there are none or there is no
   * file.
   */
  damage(): Promise<Array<string>>
  /**
   * Resolves to a version of the data, which changes with every added thought or vector and every deletion, by any
   * process.
   */
  state(): Promise<string>
  /** Lists the models with vectors in the store. */
  models(): Promise<Array<EmbeddedModel>>
  /** Lists thoughts without a vector of a model, newest first. */
  withoutVectors(model: string, limit: number): Promise<Array<PendingText>>
  /** Stores vectors of a model for thoughts. Resolves to the number of thoughts that existed. */
  putVectors(model: string, vectors: Array<ThoughtVector>): Promise<number>
  /**
   * Stores the vectors of the pieces of long texts, all behind the first of a text, or none when it has one only. Resolves to the number of
   * thoughts that had a vector of the model and no pieces.
   */
  putPieces(model: string, texts: Array<ThoughtPieces>): Promise<number>
  /** Lists thoughts with a vector of a model that may be long and whose pieces have no vectors yet, newest first. */
  withoutPieces(model: string, limit: number): Promise<Array<PendingText>>
  /** Deletes the vectors of a model. Resolves to their number. */
  dropModel(model: string): Promise<number>
  /** Closes the file. */
  close(): void
}

/** A reader of the event file that resumes where it stopped, across rotation, truncation and partial lines. */
export declare class EventTail {
  /** Opens the project's event file. Throws `INVALID_INPUT` or `IO`. */
  static open(options?: TailOptions): EventTail
  /** Reads the next events. Throws `INVALID_INPUT` or `IO`. */
  read(options?: TailReadOptions): TailBatch
  /** Ends the effect of `live`. The tail can still be read; events rotated away before are reported in `lost`. */
  close(): void
  /** The sequence number of the last event read, also of one that was filtered out. */
  get seq(): number
  /** The position in the file, for another tail; null while there is no file. */
  get position(): string | null
  /** The number of lines that are not events. */
  get passedOver(): number
}

/**
 * The paths of a project that git ignores: by the `.gitignore` files of all folders on the path, and the exclusions of the
 * clone.
 */
export declare class IgnoredPaths {
  /** Returns the ignored paths of a project; nothing is read yet. Throws `INVALID_INPUT`. */
  static of(options?: ProjectOptions): IgnoredPaths
  /** True if git ignores a path in the project (with forward slashes), or a folder above it. */
  has(path: string, isFolder: boolean): boolean
  /** Forgets all rules, because a `.gitignore` has changed. */
  clear(): void
}

/** Embeds texts as vectors of length 1 with an installed model, which is loaded by the first text and stays loaded in this process. */
export declare class LocalEmbedder {
  /**
   * Finds an installed model. Throws `MODEL_MISSING` when it is not installed, `CORRUPT` when a file has the wrong
   * length or it is another model.
   */
  static open(options?: ModelOptions): LocalEmbedder
  /** The model's name. */
  get name(): string
  /**
   * The name under which stores keep its vectors: that of the model with the digest of everything that they depend on. Vectors of
   * different models cannot be compared.
   */
  get key(): string
  /** The dimension of a vector. */
  get dimensions(): number
  /**
   * Resolves to one vector per text, in their order. Texts are passages unless `kind` says that they are queries: some models have a
   * prefix for each. Only the first tokens of a text count, as many as the model reads. Throws `INVALID_INPUT` when a text is not a
   * string or the embedder is closed. Rejects with `CORRUPT` when a file differs from the installed one, with `MODEL_MISSING`
   * when it is gone, or with `IO`.
   */
  embed(texts: Array<string>, kind?: 'passage' | 'query'): Promise<Array<Float32Array>>
  /** Releases the model after pending calls. */
  close(): void
}

/** The exclusive right to change the installed models, which one process holds until it is closed. */
export declare class ModelInstallation {
  /**
   * Acquires the right, for `all-MiniLM-L6-v2` or `multilingual-e5-small`; the first when none is given. Throws `LOCKED` when another
   * process holds it, `INVALID_INPUT` for another name.
   */
  static begin(name?: string): ModelInstallation
  /** Lists the names of the published files to download, in this order. */
  files(): Array<string>
  /** Returns how many bytes of a published file an earlier download received. */
  received(file: string): number
  /** Appends downloaded bytes to a published file. Throws `CORRUPT` when it becomes too long. */
  receive(file: string, bytes: Uint8Array): void
  /** Discards the received part of a published file. */
  restart(file: string): void
  /**
   * Installs a model from a folder, an archive (a wheel is one) or published weights, or from the received files. Every byte is
   * verified where it is known, and pinned where it is not. Rejects with `INVALID_INPUT` when there is no model, `CORRUPT` when it is
   * a different or damaged one, `IO`.
   */
  install(from?: string): Promise<ModelOutcome>
  /** Removes the model. A process that has it open can use it until it ends. */
  remove(): ModelOutcome
  /** Releases the right. */
  close(): void
}

/** The drain of a project's queue. Only one process holds it at a time, at most until it ends. */
export declare class OpenBrainDrain {
  /** Takes the drain lock of a project. Throws `LOCKED` when another process holds it. */
  static open(options?: ProjectOptions): OpenBrainDrain
  /**
   * Leases at most `maxBatch` due records, oldest first, none of which depends on another one in the batch. Resolves
   * to an empty list while the drain is paused or backs off.
   */
  lease(maxBatch: number, now?: string): Promise<Array<LeasedThought>>
  /** Settles the outcomes of leased records. When it rejects, the same outcomes must be passed again. */
  settle(outcomes: Array<DeliveryOutcome>, now?: string): Promise<SettleReport>
  /** Ends a pause and all back-offs: everything that waits is due now. */
  resume(now?: string): Promise<void>
  /** Puts all dead letters back into the queue, as a worker does once when it starts. Resolves to their number. */
  replayDeadLetters(now?: string): Promise<number>
  /** Appends the statistics of a pass to `openbrain-stats.jsonl`. */
  record(pass: DrainStats, now?: string): Promise<void>
  /** Resolves to the time at which a lease can return a record; null when nothing waits or the drain is paused. */
  nextDueAt(now?: string): Promise<string | null>
  /** Releases the drain lock. Leased records become pending again. */
  close(): void
}

/**
 * A set of path patterns (globs): `*` and `?` match within a path component, `**` across components, `{a,b}` and `[ab]`
 * are alternatives. They are matched in linear time, so that untrusted patterns are safe.
 */
export declare class PathPatterns {
  /** Compiles patterns. Throws `INVALID_INPUT`. */
  static read(patterns: string[]): PathPatterns
  /** True if one of them matches a path with forward slashes. */
  matches(path: string): boolean
}

/** A duty that one process of a project holds at a time: `server-ports`, `watcher` or `lattice-keeper`. */
export declare class ProjectDuty {
  /** Tries to take the duty; `isHeld` is true if it was free. Throws `INVALID_INPUT` or `IO`. */
  static take(name: 'server-ports' | 'watcher' | 'lattice-keeper', options?: ProjectOptions): ProjectDuty
  /** Whether this object holds the duty. */
  get isHeld(): boolean
  /** Releases the duty, as the end of the process does. */
  release(): void
}

/**
 * Accepts a proposed or rejected record: it becomes current and is queued for the shared store. A request is carried out.
 * Throws `NOT_FOUND`, also when it is forgotten, `INVALID_INPUT` when the text is wrong, `LOCKED` or `IO`.
 */
export declare function acceptMemory(id: string, options?: AcceptOptions): ReviewOutcome

/** True if agents get notes in a project now: `FORGE_MEMORY=off` and pauses switch them off. */
export declare function agentStanding(options?: ProjectOptions): AgentStanding

/** Whether agents get notes, and why not. */
export interface AgentStanding {
  state: 'on' | 'off' | 'paused'
  /** Why it is off. */
  why?: string
  /** When the pause began. */
  since?: string
  /** When the pause ends; absent when it lasts until `resumeMemory`. */
  until?: string
  /** Whether the pause is one of all projects. */
  everywhere?: boolean
}

/** Answers the questions of a plan from the project's files. It is part of `preloadPlan`, which also asks the shared store. */
export declare function answerHints(queries: Array<{ query: string, limit: number }>, options?: ProjectOptions): Array<PreloadEntry>

/**
 * Does the work of the native program for these arguments in this process, and returns true if it has: reads standard input, and answers. The
 * deadline ends the process. `program` starts this program again. Not for users of the package.
 */
export declare function answerHook(args: Array<string>, program: Array<string>): boolean

/** Measures the rot of a memory: copies, loops, secrets, and records that recall can never return. Throws `IO`. */
export declare function auditMemory(options?: ProjectOptions): AuditReport

/**
 * Reads the sessions that agents have stored on this machine, and returns the lessons in them. Findings that `accept` or `only` names
 * are stored in the review inbox, whatever the settings say about reviews; those with the confidence of `accept` are accepted. The
 * stores of agents are opened read-only. Throws `INVALID_INPUT`, `IO` or `LOCKED`.
 */
export declare function backfill(options?: BackfillOptions): BackfillReport

/** The findings of one agent. */
export interface BackfillAgent {
  agent: string
  /** Its display name. */
  title: string
  files: number
  bytes: number
  /** Its sessions in the selected projects, in the files that were read now. */
  sessions: number
  first?: string
  last?: string
}

/** A lesson from past sessions. */
export interface BackfillFinding {
  key: string
  kind: 'correction' | 'instruction' | 'decision' | 'fix' | 'command' | 'environment'
  /** The type of the record that is stored. */
  type: string
  text: string
  /** Why it is offered. */
  reason: string
  confidence: number
  /** How many sessions support it. */
  sessions: number
  agent: string
  /** The agent's own id of the session. */
  session: string
  /** The number of the line, row or message in it, counted from 1. */
  line: number
  at?: string
  /** The folder of its project. */
  project: string
}

/** The findings of past sessions, and which of them were stored. */
export interface BackfillReport {
  /** In descending order of confidence. */
  findings: Array<BackfillFinding>
  agents: Array<BackfillAgent>
  /** Files read now. */
  read: number
  /** Files that have not changed since the last run. */
  unchanged: number
  /** The number of lessons that only one session contains; a second session with the same lesson makes it a finding. */
  waiting: number
  /** Findings left out because they were stored, declined or forgotten before. */
  known: number
  /** Findings of a kind of which the last three were rejected: they are left out. */
  unwanted: number
  /** Findings left out because they contain a secret. */
  secrets: number
  /** Lines that are not JSON. */
  invalid: number
  /** Lines and documents that are too long. */
  oversized: number
  /** Records of unknown types, by type. */
  unknown: Record<string, number>
  problems: Array<BackfillProblem>
  /** New records that are valid at once. */
  stored: number
  /** New records that wait for review. */
  proposed: number
  /** Findings that the memory had already. */
  duplicates: number
  /** Findings of earlier runs that waited for a review and count now. */
  accepted: number
}

/** Makes an entry for a cache of search results, with the current time. Throws `INVALID_INPUT`. */
export declare function buildCacheEntry<Result>(entry: { key: string, query: string, project: string, limit: number, results: Array<Result>, ttlMs?: number }): { _v: number, key: string, query: string, project: string, limit: number, results: Array<Result>, cachedAt: string, ttlMs: number }

/** Counts captures over time, by type or by tool. Throws `INVALID_INPUT` or `IO`. */
export declare function buildCaptureSeries(options?: SeriesOptions): CaptureSeries

/** Returns the totals over all captures. */
export declare function buildCaptureTelemetry(options?: ProjectOptions): CaptureTelemetry

/** Makes a hallmark. Throws `INVALID_INPUT` when an option is invalid. */
export declare function buildHallmark(options: HallmarkOptions): Hallmark

/** Returns the inventory of a project's memory: files, queue, telemetry, orphans. A text is the project's folder. */
export declare function buildMemoryReport(options?: ProjectOptions | string): MemoryReport

/**
 * Returns the questions that a plan raises: first its own history, then the topics in the titles of its slices, each once.
 * Throws `INVALID_INPUT`.
 */
export declare function buildPlanBootContext(plan: string | { name: string, slices?: Array<string | { title: string }> }, projectName?: string, options?: { projectDir?: string, maxHints?: number }): { _v: number, projectName: string, planName: string, hints: Array<{ kind: 'plan-history' | 'slice-keyword', query: string, limit: number }> }

/**
 * Composes a request to an agent to look up memories about a change of a file or about an anomaly; empty when there is nothing to ask. Throws
 * `INVALID_INPUT`.
 */
export declare function buildWatcherSearchPrompt(change: { code?: string, rule?: string, event?: string, path?: string }, projectName: string): string

/** Identifies an earlier search. */
export interface CachedSearchQuery {
  key: string
  /** Everything else that the answer depends on, for example the state of the store. */
  place: string
  /** The search was restricted to this project. */
  project?: string
  /** The search was restricted to this type. */
  type?: string
}

/**
 * Captures a text in all three tiers. When one tier fails, the others go on, and the outcome reports it. Throws `INVALID_INPUT` when the input is
 * invalid, and `NOT_FOUND` when a record that it supersedes is not there; nothing is written then.
 */
export declare function captureMemory(capture: Capture, options?: WriteOptions): CaptureOutcome

/** True if a record is unchanged since it was stamped; `record` is its line. */
export declare function checkHallmark(record: string): 'verified' | 'changed' | 'absent'

/**
 * Sanitizes a text for display: escape sequences and control characters are removed, and characters that hide or reorder
 * text are shown as escapes such as `\\u{200b}`. Throws `INVALID_INPUT`.
 */
export declare function cleanText(text: string): string

/**
 * Removes expired, superseded and forgotten records from the files. The originals are copied first. Throws `IO` or
 * `LOCKED`; another call resumes where it stopped.
 */
export declare function compactMemory(options?: DryRunOptions): CompactionReport

/** Composes a context within a token budget, 2,000 when absent. Throws `INVALID_INPUT`. */
export declare function composePreload(planName: string, entries: Array<PreloadEntry>, tokenBudget?: number): PreloadContext

/** The cosines between some texts of a shared store. */
export interface CosineScale {
  /** How many pairs of texts were compared. */
  pairs: number
  /** The lower quartile, the median and the upper quartile of their cosines. */
  quartiles: Array<number>
}

/** Counts the records that `queueAgain` would queue. */
export declare function countAgain(since?: string | null, options?: ProjectOptions): QueuedAgain

/**
 * Counts all memories that the options admit, by each tag, or by the quarter of an hour in which they were made, in the order of these keys.
 * Throws `INVALID_INPUT` when an option is invalid.
 */
export declare function countMemories(by: 'tag' | 'quarter', options?: RecallOptions): Array<MemoryCount>

/** Counts the files in which agents keep past sessions on this machine. It reads no session and writes nothing. */
export declare function countTranscripts(): Array<TranscriptCount>

/** The default model, which is used when no settings name another one. */
export interface DefaultModel {
  name: string
}

/** Checks a memory for problems, the most severe first. */
export declare function diagnose(options?: ProjectOptions): Array<Finding>

/** Deletes dead letters, by id or key. */
export declare function dropDeadLetters(ids: Array<string>, options?: ProjectOptions): DropOutcome

/** Removes framed notes from a text, so that recalled text is not stored again. Throws `INVALID_INPUT`. */
export declare function dropFramedNotes(text: string): UnframedText

/**
 * Stores a new revision of a record, which supersedes the old one; both stay in the file. Throws `NOT_FOUND` when the
 * record does not exist or is forgotten, `INVALID_INPUT`, `PROPOSED` when it waits for a person, `LOCKED` or `IO`. The result has `_tiers` only when the revision
 * is stored and something else failed: the file of its type, the event or the queue.
 */
export declare function editMemory(id: string, changes: Edit, options?: WriteOptions): Thought & { _tiers?: Tiers }

/** The query and the filter of a search. */
export interface EmbeddedQuery {
  /** The words to search for; absent for a list. */
  text?: string
  /** The embedding of the query by `model`. */
  vector?: Float32Array
  /** The embedding model. */
  model?: string
  /** Only thoughts of this project. */
  project?: string
  /** Only thoughts of this type. */
  type?: string
  /** Only thoughts captured since then: ISO 8601, or an age such as `12h`, `7d`, `2w`. */
  since?: string
  /** The maximum number of hits, 1 to 1,000; 10 when absent. */
  limit?: number
  /** The current time; the machine's when absent. */
  now?: string
}

/** Which thoughts are read as they were stored. */
export interface EmbeddedWanted {
  /** These, by their id, or by six or more characters of it in one of `projects`; all of those when absent. */
  ids?: Array<string>
  /** The names of a project. */
  projects: Array<string>
  /** Only those behind this place. */
  after?: number
  /** The maximum number, 1 to 1,000; 10 when absent. */
  limit?: number
}

/** The result of a pass that computes vectors. */
export interface EmbeddingPass {
  /** How many texts were embedded. */
  made: number
  /** How many texts have vectors now. */
  covered: number
  /** How many texts there are; copies of one count once. */
  total: number
  /** True when another process is embedding; nothing was done then. */
  busy: boolean
}

/**
 * Computes vectors for records that have none yet, newest first, for semantic `recall`. Each batch is stored, so that
 * the next call continues from there. Rejects with `UNSUPPORTED` when the model is not installed, `CORRUPT`, `IO`.
 */
export declare function embedMemories(options?: EmbedOptions): Promise<EmbeddingPass>

/**
 * From now on, Ctrl-C writes a text to standard error and ends the process with 130, even during a call into the engine, which
 * keeps handlers of JavaScript from running. On Windows the process ends without a text.
 */
export declare function endOnInterrupt(farewell: string): void

/**
 * Ends the process at once, even while its threads are running. `process.exit` waits until every worker thread has left
 * its native call, so that a thread that waits for a lock would break a deadline. The engine's files are safe in this
 * case, as they are when a process is killed.
 */
export declare function endProcess(code: number): void

/**
 * Exports all records that recall returns, without secrets. Throws `INVALID_INPUT` when the path is outside of the
 * project, in `.forge` or `.git`, exists already, or (unless forced) was not written by an export, and `IO`.
 */
export declare function exportMemory(options?: ExportOptions): ExportOutcome

/** Returns the thoughts that are not expired. One whose expiry is missing or invalid does not expire. */
export declare function filterUnexpiredThoughts<Thought extends object>(thoughts: Array<Thought>, now?: number | string): Array<Thought>

/**
 * Returns the cached entry of a search while it is fresh and no capture since could change it; null otherwise. Throws
 * `INVALID_INPUT` or `IO`.
 */
export declare function findCachedSearch(query: CachedSearchQuery, options?: ProjectOptions): Record<string, unknown> | null

/** Returns the project's folder that the other functions would use. Throws `NO_PROJECT` or `FOREIGN_FOLDER` where there is none. */
export declare function findProject(options?: ProjectOptions): string

/** Returns the current records that a text may replace, the most likely first, at most three; none when nothing is near. */
export declare function findRelated(text: string, options?: RelatedOptions): Array<OfferedMemory>

/** Returns which of the texts of another store's records, by their place, a captured text may replace, the most likely first, at most three. */
export declare function findRelatedAmong(text: string, others: Array<string>, options?: ProjectOptions): Array<number>

/** Counts the records of the queue and the dead letters that this machine did not write. They are not delivered. */
export declare function foreignRecords(options?: ProjectOptions): ForeignRecords

/**
 * Foreign records in the queue and among the dead letters: they came with a clone, from another tool or an earlier
 * release, or the project's folder was moved. They are not delivered.
 */
export interface ForeignRecords {
  /** The number of thoughts that would be stored. */
  stores: number
  /** The number of deletes. */
  deletes: number
  /** The number of rulings on thoughts: which are retired, kept, in conflict. */
  rulings: number
  /** The projects that they name. */
  projects: Array<string>
}

/**
 * Forgets a record by a tombstone, after which it is never returned; `keepMemory` restores it until a compaction. Throws `LOCKED`, `IO`,
 * or `PROPOSED` when it waits for a person.
 */
export declare function forget(id: string, options?: WriteOptions): ForgetOutcome

/**
 * Forgets past sessions permanently: they are not indexed again, and nothing is learned from them. The files of the agents are not
 * changed. Throws `INVALID_INPUT`, `NOT_FOUND`, `LOCKED` or `IO`.
 */
export declare function forgetSessions(options: ForgetSessionsOptions): Promise<ForgottenSessions>

/**
 * Frames recalled notes for an agent: as many of the first ones as fit into the token budget (100 to 100,000; 2,000 when
 * absent). Control characters are removed and hidden characters are shown, so that no text can end its frame. Throws
 * `INVALID_INPUT`.
 */
export declare function frameNotes(notes: Array<string>, options?: { budget?: number }): FramedNotes

/**
 * Fuses the lexical and semantic scores of a shared store, as `recall` does, and returns scores from 0 to 1 in the
 * order of the evidence. `model` is the key of the model whose cosines they are, and `scale` what cosines between texts of the store are, by
 * which those of a model that was not measured are brought to the scale of one that was. Throws `INVALID_INPUT` for invalid arguments.
 */
export declare function fuseScores(query: string, model: string, evidence: Array<SearchEvidence>, scale?: CosineScale): Array<number>

/** Validates a hallmark, given as JSON. Returns the problems; an empty list when there are none. */
export declare function hallmarkProblems(hallmark: string): Array<string>

/** The result of verifying a hallmark. */
export interface HallmarkVerdict {
  /** Whether the record is unchanged since it was stamped. */
  ok: boolean
  /** `intact`, `edited`, `drifted` or `unstamped`. */
  standing: string
  reason?: string
}

/** True if there are such records, at the cost of a few reads. */
export declare function hasLost(options?: ProjectOptions): boolean

/** Repairs the damage of merges to the files: conflict markers, and edits of forgotten records. Throws `IO` or `LOCKED`. */
export declare function healMemory(options?: ProjectOptions): HealReport

/**
 * Takes note of records that only a shared store has, as lines of JSON, until it is told others: calls that name a record by its id know
 * them as well.
 */
export declare function holdRecords(records: Array<string>, options?: ProjectOptions): void

/** The names under which hosts report events to hooks. */
export declare function hookEvents(): Array<string>

/** Returns the hook calls of a project that failed in the last milliseconds; `null` when none did. A failed call does not stop the agent. */
export declare function hookFaults(lastMs: number, options?: ProjectOptions): HookFaults | null

/** How a hook is called. */
export interface HookOptions {
  /** The host, if the command line names it. */
  host?: string
  /** The deadline in milliseconds, in place of that of the event. */
  deadline?: number
}

/** The outcome of a hook call. */
export interface HookOutcome {
  /** The text that the host expects on standard output. */
  answer: string
  /** Why there is nothing to say although there might have been. */
  problem?: string
}

/** Returns the native program of hooks that lies beside this library; `null` when there is none. Not for users of the package. */
export declare function hookProgram(): string | null

/** Returns the hook events that a project has switched off: `"hooks": false`, or `"hooks": {"prompt": false}`. */
export declare function hookSwitches(options?: ProjectOptions): HookSwitches

/** The setting `hooks` of a project. */
export interface HookSwitches {
  /** The events that are switched off. */
  off: Array<string>
  /** The invalid parts of the setting. */
  problems: Array<string>
}

/**
 * Imports an export of forge-memory, or the store of another tool, from a file or a folder. Everything is read before
 * anything is written. Throws `CORRUPT` when it is damaged or truncated, `UNSUPPORTED` when it is not a known store,
 * `INVALID_INPUT` when it has records of several projects, none of them this one, and `sourceProject` is absent (a dry run
 * lists them in `projects`), `IO` or `LOCKED`.
 */
export declare function importMemory(path: string, options?: ImportOptions): ImportOutcome

/** Imports lines of a shared store: records as they were delivered, and the rulings on them. Throws as `importMemory`. */
export declare function importShared(lines: string, options?: ImportOptions): ImportOutcome

/** True if an entry of a cache of search results is within its time to live. */
export declare function isCacheEntryFresh(entry: object, now?: number | string): boolean

/** True if any process holds a duty. Throws `INVALID_INPUT` or `IO`. */
export declare function isDutyTaken(name: 'server-ports' | 'watcher' | 'lattice-keeper', options?: ProjectOptions): boolean

/**
 * True if standard input is the terminal that controls this process, where a person types. A terminal that a process of another session was handed
 * is not its own. On Windows it is any console.
 */
export declare function isOwnTerminal(): boolean

/**
 * True if the reader of a file descriptor is gone: a pipe or socket whose other end is closed, or a closed terminal.
 * A program that seldom writes notices it only this way. On Windows the next write reports it.
 */
export declare function isReaderGone(descriptor: number): boolean

/**
 * Caches the answer of a search: the fields of `buildCacheEntry`, and any others that belong to the answer. Throws
 * `INVALID_INPUT`, `LOCKED` or `IO`.
 */
export declare function keepCachedSearch(entry: Record<string, unknown>, place: string, stamp: string, options?: ProjectOptions): void

/**
 * Stores the output of `git log -z --name-status --diff-filter=DR --format=`, from which recall marks records about files
 * that were renamed or removed. `isWhole` says whether it covers the whole history. Returns true if it was stored; for a
 * project without a memory it is not. Throws `INVALID_INPUT` or `IO`.
 */
export declare function keepGitPast(log: Uint8Array, isWhole: boolean, options?: ProjectOptions): boolean

/**
 * Makes a retired or forgotten record current again; a superseded revision comes back as a new revision, a forgotten record under a new
 * id. Throws `NOT_FOUND`, also when a compaction has removed it, `INVALID_INPUT` when it has expired, `PROPOSED` when it waits for a
 * person, `LOCKED` or `IO`.
 */
export declare function keepMemory(id: string, options?: WriteOptions): KeepOutcome

/** Keeps what a shared store said about what a team stored, for hooks. Not for users of the package. Throws `LOCKED` or `IO`. */
export declare function keepReplica(news: ReplicaNews, options?: ProjectOptions): void

/** Lists which words in a title raise which question: the keyword map of the project's settings, or the built-in one. */
export declare function keywordMap(options?: ProjectOptions): Array<KeywordEntry>

/**
 * Finds everything that is reachable from a definition by callers, callees or both, each chunk once: its blast radius, and
 * the graph around a symbol. Throws `INVALID_INPUT`.
 */
export declare function latticeBlast(options: LatticeBlastOptions): LatticeBlast

/** Finds the callees of a definition. Throws `INVALID_INPUT`. */
export declare function latticeCallees(options: LatticeSeed): LatticeAnswer

/** Finds the callers of a definition, most certain first; a chunk with several calls counts once. Throws `INVALID_INPUT`. */
export declare function latticeCallers(options: LatticeSeed): LatticeAnswer

/**
 * Updates the index of the code graph. With `paths` or `since` only those files are read, and the rest of the index stays.
 * A run that reaches `maxSeconds` or `maxMemoryMb` leaves something out, reports that in `limit`, and the next run makes
 * up for it. `onProgress` is called with the number of files done and the total. Rejects with
 * `ERR_LATTICE_PATH_OUTSIDE_REPO`, `INVALID_INPUT`, `ADDON_MISSING` or `ADDON_UNUSABLE` (the grammars are a package of their own:
 * `forge-memory-lattice`), `LOCKED` or `IO`; the index is unchanged then.
 */
export declare function latticeIndex(options?: LatticeIndexOptions, onProgress?: (done: number, total: number) => void): Promise<LatticeIndexOutcome>

/**
 * Searches chunks by words, best first. Without an index the answer is an empty list and a message. Throws `INVALID_INPUT`
 * when an option is invalid.
 */
export declare function latticeQuery(options?: LatticeQueryOptions): LatticeAnswer

/** Returns statistics of the index; zeros and nulls without an index. */
export declare function latticeStat(options?: LatticeStatOptions): LatticeStat

/** A word and its count. */
export interface LatticeWord {
  word: string
  count: number
}

/** Splits a text into lower-case words, and identifiers into their parts. Returns each word with its count. */
export declare function latticeWords(text: string): Array<LatticeWord>

/** Returns the same for the contents of files, of which a later one overrides an earlier one. */
export declare function layeredSettings(files: Array<object>): ReturnType<typeof projectSettings>

/** The result of learning from a session. */
export interface LearnedFromSession {
  /** New findings in the review inbox. */
  proposed: number
  /** Findings that the memory had already. */
  duplicates: number
  /** True when another process was learning for a minute, or the file is not in the store of an agent, or has too much new text. */
  skipped: boolean
}

/**
 * Reads the new part of the transcript of an ended session, and puts the findings into the review inbox. Waits up to a minute for
 * another process that is learning. Throws `INVALID_INPUT`, `IO` or `LOCKED`.
 */
export declare function learnFromSession(transcript: string, options?: ProjectOptions): LearnedFromSession

/** Lists pairs of current records that contradict each other, newest first. */
export declare function listConflicts(options?: ProjectOptions): Array<MemoryConflict>

/** Lists the dead letters of a project, oldest first. */
export declare function listDeadLetters(options?: ProjectOptions): Array<DeadLetter>

/** Lists the latest passes of the drain, oldest first; at most 100 when no limit is given. */
export declare function listDrains(options?: { projectDir?: string, limit?: number }): Array<DrainPass>

/** Returns the records that were stored here and are no longer in `.forge`, as after `git stash` or `git checkout`, the oldest first. Throws `IO`. */
export declare function listLost(options?: ProjectOptions): Array<LostRecord>

/** Lists the newest records. Throws `INVALID_INPUT` when an option is invalid. */
export declare function listMemories(options?: RecallOptions): MemoryList

/** Returns the states of all models that are installed, and of `all-MiniLM-L6-v2`, after reading every byte of them. */
export declare function listModels(): Promise<Array<ModelStatus>>

/** Lists the records that other ones have retired, the newest first. Throws `INVALID_INPUT` or `IO`. */
export declare function listRetired(options?: RetiredOptions): Array<RetiredMemory>

/** Lists the inbox, the oldest first: proposed records, those that sessions found wrong, and changes that are asked for. */
export declare function listReview(options?: ProjectOptions): Array<WaitingMemory>

/** Verifies every hallmark of the raw log, on another thread; later calls verify only new records. */
export declare function measureHallmarks(options?: ProjectOptions): Promise<HallmarkCoverage>

/**
 * Returns the folder whose `.forge` has the project's memory: the project's own folder, or, in a linked work tree in which the memory is
 * not committed, that of the main checkout. Throws as `findProject`.
 */
export declare function memoryDir(options?: ProjectOptions): string

/**
 * Answers a query with a text block, grouped by scope, by descending confidence. It never throws for a query or for
 * damaged data. Throws `INVALID_INPUT` when the scope or the mode is unknown.
 */
export declare function memoryRecall(input: RecallQuery, options?: ProjectOptions): RecallText

/**
 * Answers a query like `memoryRecall`: from the package, then the project around it, then the records for all projects. Not for users of the
 * package.
 */
export declare function memoryRecallHere(input: RecallQuery, options?: ProjectOptions): RecallText

/**
 * Saves a pattern, unless its scope has one with the same category and the same text, ignoring case. Throws
 * `INVALID_INPUT`, `LOCKED` or `IO`; nothing is written then.
 */
export declare function memorySave(input: Save, options?: WriteOptions): SaveOutcome

/** Returns the settings and the size of a project's memory. */
export declare function memoryStatus(options?: ProjectOptions): ProjectStatus

/**
 * Merges two versions of a journal with a common ancestor, by record (three-way merge). Throws `INVALID_INPUT` when they
 * are larger than 1 GiB.
 */
export declare function mergeJournals(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): MergeOutcome

export interface MergeOutcome {
  bytes: Uint8Array
  lines: number
  conflicts: Array<RevisionConflict>
  /** The number of edits of forgotten records, which are now forgotten too. */
  forgottenEdits: number
}

/**
 * Migrates every record under `.forge/` to the latest version, and moves records of older tools' files to the files of
 * this tool. The originals are copied first. Throws `IO` or `LOCKED`; another call resumes where it stopped.
 */
export declare function migrateMemory(options?: DryRunOptions): MigrationReport

/**
 * The questions and texts that a model is measured by when it is installed, so that a question about something else finds nothing. Without
 * a measurement it finds what is nearest; `all-MiniLM-L6-v2` has fixed limits then.
 */
export interface ModelMeasurement {
  /** `unclear` when one of the questions does not stand out, `other` when the file is damaged or of another model or version. */
  state: 'measured' | 'unclear' | 'missing' | 'other'
  /** When it was measured. */
  at?: string
  questions: number
  texts: number
}

/** Selects a model. */
export interface ModelOptions {
  /** The model's folder; a folder of `models/` in the user's own folder when absent. */
  folder?: string
  /** The model's name; the user's default when absent, and `all-MiniLM-L6-v2` when there is none. */
  name?: string
}

/** The outcome of an installation. */
export interface ModelOutcome {
  /** False when it was installed already. */
  changed: boolean
  folder: string
  /** Its name, unless it is `all-MiniLM-L6-v2`. */
  name?: string
}

/** Returns the state of a model, after reading every byte of it. Rejects with `IO` when it cannot be read. */
export declare function modelStatus(options?: ModelOptions): Promise<ModelStatus>

/** The state of a model. */
export interface ModelStatus {
  name: string
  /** The dimension of a vector; 0 when it is unknown. */
  dimensions: number
  /** The maximum number of tokens of a text; 0 when it is unknown. */
  maxTokens: number
  /** The name under which stores keep its vectors. */
  key?: string
  folder: string
  state: 'installed' | 'missing' | 'damaged'
  /** Why it is not installed. */
  problem?: string
  /** Its installed size in bytes. */
  bytes: number
  /** Whether it is the default, which is used when no settings name another model. */
  isDefault: boolean
  /** What it was measured by; absent for one that is not installed. */
  measurement?: ModelMeasurement
}

/** Summarizes the notes that hooks have injected into sessions of a project, and their use. */
export declare function noteStats(options?: ProjectOptions): NoteStats

/** Returns the tags by which a capture in a folder belongs to its package: none at the top of the project. Not for users of the package. */
export declare function packageTags(options?: ProjectOptions, folder?: string): Array<string>

/**
 * Splits a text into the overlapping pieces of which each gets a vector of its own, as `recall` does: an embedding model reads the beginning of a
 * text only. A short text is one piece. Throws `INVALID_INPUT` when it is no string.
 */
export declare function passagesOf(text: string): Array<string>

/**
 * Returns a path that an agent gives relative to the project, with forward slashes; `null` when it is outside of it or no path. Not for users
 * of the package.
 */
export declare function pathWithin(given: string, cwd: string, options?: ProjectOptions): string | null

/** Pauses the memory for agents in one project, or in all, for some time or until it is resumed. Throws `INVALID_INPUT` or `IO`. */
export declare function pauseMemory(options?: { projectDir?: string, forMs?: number, everywhere?: boolean }): MemoryPause

/**
 * For answers of stores that are no index of ours: what of each hit its place depends on, as recall sees it. Whether its text says of itself that it
 * does not hold, and its score behind hits that are wanted more. Throws `INVALID_INPUT`.
 */
export declare function placesAmong(query: string, hits: Array<{ text: string, score: number }>): Array<{ over: boolean, score: number }>

/**
 * Returns the project that a folder belongs to, as the other functions find it from the working directory, which is the default; with `isNamed`
 * the project in that folder, as they find it when it is named. The error that other functions throw is the problem here.
 */
export declare function projectAt(folder?: string, isNamed?: boolean): ProjectPlace

/**
 * Returns the names under which the shared store has the records of the project: first the one for new records, then former ones. The first is
 * that of `.forge.json`, else the identity of the repository or of the folder.
 */
export declare function projectNames(options?: ProjectOptions): Array<string>

/** Where a project is, or why there is none. */
export interface ProjectPlace {
  /** The project's folder; with the problem `FOREIGN_FOLDER`, the one that is not used. */
  projectDir?: string
  /** The folder whose `.forge` has its memory. */
  memoryDir?: string
  /** How it was found: by a memory or settings, by git, or as the folder itself. */
  found?: 'memory' | 'git' | 'folder' | 'named'
  /** Why there is none. */
  problem?: Problem
}

/**
 * Returns the contents of a project's `.forge.json`: `given` has its valid settings and those of other tools, `settings` the defaults as
 * well. A folder that is no project has none.
 */
export declare function projectSettings(options?: ProjectOptions): { settings: ProjectSettings, given: { [Name in keyof ProjectSettings]?: Partial<ProjectSettings[Name]> }, problems: Array<string> }

/**
 * Returns notes about a prompt, as hooks do: records that share two telling words with it, or a name. Everyday words ask for nothing, nor do
 * texts that programs add in elements such as `<system-reminder>`.
 */
export declare function promptNotes(prompt: string, options?: ProjectOptions): Array<RecallHit>

/**
 * Appends events to the project's event file, from which every hub sends them. A `run-started` that names its plan is
 * followed by a `memory-preload`. Returns the sequence number of the last event. Throws `INVALID_INPUT` when one has no
 * type, is not a JSON object or is too large; none is appended then.
 */
export declare function publishEvents(events: Array<string>, options?: ProjectOptions): number

/**
 * Queues all records in a project's journals again, for a store that is new, was emptied or was replaced. `since` is an
 * ISO time or an age such as `7d`; everything when absent.
 */
export declare function queueAgain(since?: string | null, options?: ProjectOptions): QueuedAgain

/** Queues the records of this machine again, for a store that went back to an earlier state. */
export declare function queueOwnAgain(options?: ProjectOptions): QueuedAgain

/** Returns the status of the queue to the shared store. */
export declare function queueStatus(options?: ProjectOptions): QueueStatus

/**
 * Adds a lesson to a store, unless the store has a duplicate of the same type. Throws `INVALID_INPUT`, `CORRUPT`,
 * `UNSUPPORTED`, `LOCKED` or `IO`; nothing is written then.
 */
export declare function ralphAdd(entry: RalphAddition, options?: ProjectOptions): RalphAddOutcome

/**
 * Deletes the lessons of one loop or of all, without confirmation. Elements of a store that are not entries stay. Throws
 * as `ralphList`, and `LOCKED` or `IO` when a store cannot be rewritten.
 */
export declare function ralphClear(options?: RalphClearOptions): RalphClearOutcome

/**
 * Lists the lessons of agent loops, newest first. Throws `INVALID_INPUT` when the filter is invalid, `NOT_FOUND` for an
 * unknown loop, `CORRUPT`, `UNSUPPORTED` or `IO` when a store cannot be read.
 */
export declare function ralphList(options?: RalphFilter): RalphList

/**
 * Searches the lessons of agent loops for the words of a query, also as substrings of other words, best first. Throws
 * `INVALID_INPUT` when the query is empty, otherwise as `ralphList`.
 */
export declare function ralphQuery(query: string, options?: RalphQueryOptions): RalphAnswer

/**
 * Counts the feedback of a session on a record: useful or wrong. `withdraw` takes back that it was useful to this session. When two
 * sessions find it wrong, it enters the review inbox. `elsewhere` says that it does not belong to the file or the command `at`, with which
 * hooks no longer give it, and `here` takes that back; neither needs a session, and they count nothing for whoever may only ask for changes
 * of the record. Throws `NOT_FOUND`, `INVALID_INPUT` without a session or a place, `LOCKED` or `IO`.
 */
export declare function rateMemory(id: string, verdict: 'useful' | 'wrong' | 'withdraw' | 'elsewhere' | 'here', options: RateOptions): RateOutcome

/**
 * Finds records that answer a query, best first. It never throws for a query or for damaged data, but returns an empty list
 * and a message. Throws `INVALID_INPUT` when an option is invalid.
 */
export declare function recall(query: string, options?: RecallOptions): RecallOutcome

/** Recalls from the current package first, then from the project around it. As `recall` otherwise. Not for users of the package. */
export declare function recallHere(query: string, options?: RecallOptions): RecallOutcome

/**
 * Searches what a team stored, as the shared store last said it, with when that was; `null` when there is no such replica for this user. Not for users of
 * the package.
 */
export declare function recallReplica(query: string, limit: number, options?: ProjectOptions): (RecallOutcome & { at: string }) | null

/**
 * Receives what colleagues decided about records of this memory, as lines that a shared store sends back: rulings, tombstones, and records that
 * replace others. What is known already changes nothing. Not for users of the package.
 */
export declare function receiveDecisions(lines: Array<string>, options?: ProjectOptions): ReceivedDecisions

/** Redacts the secrets in everything that is stored. The originals are not kept. Throws `IO` or `LOCKED`. */
export declare function redactMemory(options?: ProjectOptions): RedactionReport

/** Redacts the secrets in a text as a capture does, by `[redacted:<kind>]`. Throws `INVALID_INPUT`. */
export declare function redactSecrets(text: string): string

/**
 * Rejects a record: searches exclude it, and the same text is not stored again unless a person captures it.
 * `acceptMemory` undoes it. Throws `NOT_FOUND`, `LOCKED` or `IO`.
 */
export declare function rejectMemory(id: string, options?: WriteOptions): ReviewOutcome

/** Removes the file that `writeServerPorts` wrote. Throws `IO`. */
export declare function removeServerPorts(options?: ProjectOptions): void

/**
 * Takes back a decision: a record that was accepted or rejected, or a request, waits for a review again. With `with`, two records
 * contradict each other again, whatever was decided about them. The changes of an accepted request stay. Throws `NOT_FOUND`,
 * `INVALID_INPUT` when it was never proposed, `LOCKED` or `IO`.
 */
export declare function reopenMemory(id: string, options?: ReopenOptions): ReviewOutcome

/**
 * Retires records that are out of date, by another one or by none. Only a person retires the record of a person; a replacement by others is
 * in conflict with it. Throws `NOT_FOUND` or `INVALID_INPUT`, and nothing is stored then; `PROPOSED` when it waits for a person,
 * `UNSUPPORTED`, `LOCKED` or `IO`.
 */
export declare function replaceMemory(replacement: Replacement, options?: WriteOptions): ReplaceOutcome

/** What a shared store said about what a team stored. */
export interface ReplicaNews {
  /** The state of the store; absent when it has nothing for this user. */
  state?: string
  /** Its records as lines of JSON, the newest first; absent when the state is that of the replica. */
  records?: Array<string>
  /** Why it has nothing. */
  problem?: 'refused' | 'unapproved'
}

/** Returns the state of the shared store that the replica of a project is a copy of; `null` when there is none. Not for users of the package. */
export declare function replicaState(options?: ProjectOptions): string | null

/** Settles a conflict of two records. Throws `NOT_FOUND`, `INVALID_INPUT`, `LOCKED` or `IO`. */
export declare function resolveConflict(resolution: ConflictResolution, options?: WriteOptions): ResolveOutcome

/** Stores them again, and returns them. Throws `LOCKED` or `IO`; nothing was changed then. */
export declare function restoreLost(options?: ProjectOptions): Array<LostRecord>

/** Ends the pauses that apply to a project. Returns true if there was one. */
export declare function resumeMemory(options?: ProjectOptions): boolean

/** Puts dead letters back into the queue: those with these ids or keys, or all. */
export declare function retryDeadLetters(ids?: Array<string> | null, options?: ProjectOptions): RetryOutcome

/**
 * Returns the delay in milliseconds after a record's n-th failed delivery: exponential back-off from 30 s up to an hour,
 * with a jitter of ±20 % that depends on the record's name.
 */
export declare function retryDelay(name: string, attempts: number): number

/** Several revisions that supersede the same record. */
export interface RevisionConflict {
  /** The superseded record. */
  of: string
  /** Their ids, newest first. */
  ids: Array<string>
}

/** Answers a hook call of an agent's host: `input` is the text that the host wrote to standard input. Throws `INVALID_INPUT`. */
export declare function runHook(event: string, input: string, options?: HookOptions): HookOutcome

/** Returns the share of a query's words that occur in a chunk's name and path, 0 to 1; the name counts twice. */
export declare function scoreChunk(query: string, chunk: { name?: string, filePath?: string }): number

/** The scores of one thought of a shared store for a query. */
export interface SearchEvidence {
  /** Its lexical score, in the unit of the store; 0 when it contains none of the words. */
  words: number
  /** The cosine; absent when it has no vector. */
  cosine?: number
}

/**
 * Finds past sessions of the agents on this machine, by words and, with the model installed, by meaning. An empty query lists the newest
 * sessions that no other session started. Updates the index first. The index contains no text; texts are read back from the files of the
 * agents and redacted. Rejects with `INVALID_INPUT`, `UNSUPPORTED` when the settings disable it, or `IO`.
 */
export declare function searchSessions(query: string, options?: SessionSearchOptions): Promise<SessionSearchReport>

/**
 * Returns the position of the raw log. Taken before a search, it tells `findCachedSearch` the captures since. Throws
 * `IO`.
 */
export declare function searchStamp(options?: ProjectOptions): string

/** The port of a project's server; `.forge/server-ports.json`. */
export interface ServerPorts {
  ws: number
  http?: number
  pid: number
  /** ISO 8601. */
  startedAt: string
  token: string
}

/** Returns the contents of the index of past sessions. Rejects with `INVALID_INPUT` or `IO`. */
export declare function sessionIndexStatus(options?: ProjectOptions): Promise<SessionIndexStatus>

/** Returns notes for the start of a session: first those about the current branch and a plan, then those that always apply. */
export declare function sessionNotes(plan?: string | undefined | null, options?: ProjectOptions): Array<RecallHit>

/** Does index work now that a short-lived process would otherwise leave to the next one. Optional. */
export declare function settleIndex(options?: ProjectOptions): void

/**
 * Shows a record with all its revisions. At least six characters from the beginning or end of an id are enough when they
 * are unique. Throws `NOT_FOUND`, or `INVALID_INPUT` when several records match.
 */
export declare function showMemory(id: string, options?: ShowOptions): MemoryDetail

/** Whether a text is a valid source, and why not. */
export interface SourceVerdict {
  valid: boolean
  reason?: string
}

/** Adds `expiresAt` to a thought, unless it has one or its type does not expire. Throws `INVALID_INPUT`. */
export declare function stampThoughtExpiry<Thought extends object>(thought: Thought, options?: { now?: number | string, overrides?: Record<string, number | null> }): Thought & { expiresAt?: string }

/** A ruling on a thought. */
export interface StoredRuling {
  /** The thought. */
  id: string
  kind: 'retire' | 'keep' | 'conflict' | 'hold' | 'propose' | 'accept' | 'reject' | 'useful' | 'wrong' | 'withdraw' | 'elsewhere' | 'here' | 'request'
  /** The other thought; of a review and of feedback, the session. */
  other?: string
  why?: string
  /** ISO 8601. */
  at: string
  /** The names of the project, the current one first. */
  projects: Array<string>
  /** The other fields of its line, such as who said it, as JSON. */
  more?: string
}

/** A thought to store. */
export interface StoredThought {
  /** The idempotency key. */
  id: string
  content: string
  project: string
  type: string
  /** `unknown` when absent. */
  source?: string
  /** `unknown` when absent. */
  createdBy?: string
  /** ISO 8601. */
  capturedAt: string
  /** When it expires, ISO 8601; it is not found any more then. */
  expiresAt?: string
  tags?: Array<string>
  /** The confidence, 0 to 1; 0.7 when absent. */
  confidence?: number
  /** The id of the thought that this one supersedes. */
  supersedes?: string
  /** All other fields: the JSON text of an object. */
  metadata?: string
  /** The embedding of the text by `model`. */
  vector?: Float32Array
  /** The embedding model. */
  model?: string
}

/**
 * Writes decisions, lessons, gotchas, conventions and patterns to the files that agents read by themselves. Texts of
 * people there stay, and nothing changes when there is nothing new. Throws `INVALID_INPUT` or `IO`.
 */
export declare function syncMemories(options?: SyncMemoriesOptions): Array<SyncedMemories>

/** A word of a text. */
export interface TextWord {
  /** The word, folded as recall compares it. */
  word: string
  count: number
}

/**
 * Splits a text in any script into words. Returns each word with its count, in order of first appearance. A value that is
 * not a string has no words.
 */
export declare function textWords(text: string): Array<TextWord>

/** The embeddings of the pieces of a long text. */
export interface ThoughtPieces {
  id: string
  vectors: Array<Float32Array>
}

/** The embedding of a stored thought. */
export interface ThoughtVector {
  id: string
  vector: Float32Array
}

/** The session files of one agent. */
export interface TranscriptCount {
  agent: string
  /** Its display name. */
  title: string
  files: number
  bytes: number
}

/** Trusts these records, so that they are delivered like those of this machine. Returns their counts. */
export declare function trustForeignRecords(options?: ProjectOptions): ForeignRecords

/**
 * Makes an installed model the user's default. Throws `MODEL_MISSING` when it is not installed, `INVALID_INPUT` when it is no
 * model, `CORRUPT`, `IO`.
 */
export declare function useModel(name: string): DefaultModel

/** True if a text is a valid source: `<tool>` or `<tool>/<subsystem>`. */
export declare function validateSourceFormat(source: string): SourceVerdict

/** Verifies a record, as JSON, against its hallmark, and its source file against the hash in it. */
export declare function verifyHallmark(record: string, options?: ProjectOptions): HallmarkVerdict

/**
 * Verifies every record against its hallmark; with `repair`, first rebuilds everything that can be rebuilt from the raw
 * log. Throws `IO` or `LOCKED`.
 */
export declare function verifyMemory(options?: VerifyOptions): Verification

/** Returns the progress of the project's running operation, from any thread. */
export declare function workProgress(options?: ProjectOptions): WorkProgress

/** The progress of a long operation; both are 0 until its steps are counted. */
export interface WorkProgress {
  done: number
  total: number
}

/**
 * Publishes the port of the server. Only the holder of the duty `server-ports` may call it. Throws `INVALID_INPUT` or
 * `IO`.
 */
export declare function writeServerPorts(ports: ServerPorts, options?: ProjectOptions): void
