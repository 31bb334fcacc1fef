// The types of the answers to the page, beside the engine's own: the page is compiled against the same.
import type { AgentStanding, Finding, MemoryDetail, ModelStatus, SessionHit, VectorCoverage } from '../types.js'

/** A note that an agent was given. */
export interface InjectedNote {
  at: string
  id: string
  /** The event of the hook. */
  hook: string
  /** The agent. */
  host: string
  session: string
  /** Why it was chosen: a file, a command, words. */
  why?: string
  /** How it was used afterwards: its file was touched, its command ran, its id was cited. */
  used?: string
  /** Its text now; absent when it is not in the memory any more. */
  text?: string
  type?: string
  state?: MemoryDetail['state']
}

/** The newest notes, the newest first, and how many there are in the journal; and the newest memories that agents marked in their sessions. */
export interface InjectedNotes {
  notes: InjectedNote[]
  total: number
  stored: InjectedNote[]
}

/** A past session; `noted` is the name that notes have for it. */
export interface PastSession extends SessionHit {
  noted: string
}

/** A project of this user. */
export interface KnownProject {
  key: string
  folder: string
  name: string
}

/** A project of this user, with its contents unless they cannot be read. */
export interface OtherProject extends KnownProject {
  isThis: boolean
  memories?: number
  waiting?: number
  newest?: string
}

export interface Settings {
  agents: AgentStanding
  /** Whose captures wait for a review. */
  review: 'off' | 'agents' | 'all'
  models: Pick<ModelStatus, 'name' | 'state' | 'isDefault' | 'bytes' | 'problem'>[]
  vectors?: VectorCoverage
}

/** A finding of the checks; `fix` names a lossless repair, if there is one. */
export interface Check extends Finding {
  fix?: { name: string; label: string }
}

/** A file that memories name, or one of the code graph. */
export interface MapFile {
  /** Relative to the project, with `/` as separator. */
  path: string
  memories: number
  /** Those of them that tell of a pitfall. */
  gotchas: number
  /** When the newest of them was captured; absent when there is none. */
  newest?: string
  /** The size of the file; absent when it is gone. */
  bytes?: number
}

/** What the memory knows about which part of the project. */
export interface MemoryMap {
  /** The number of memories, and of those that name a file. */
  records: number
  located: number
  /** The files with the most memories, and then the largest without any. */
  files: MapFile[]
  /** How many files are left out. */
  more: number
}
