// All sets by name.
import { readLanguagesSet, readNotesSet, readSessionsSet, readTurnsSet } from './own.mjs'
import { readCommits, readCosqa, readFewCommits } from './shared.mjs'
import { readDialogues, readLessons } from './world.mjs'

/** Each reads its set, or answers `undefined` when the folder of the shared ones does not have it. */
const READERS = {
  notes: readNotesSet,
  turns: readTurnsSet,
  sessions: readSessionsSet,
  languages: readLanguagesSet,
  cosqa: readCosqa,
  commits: readCommits,
  'commits-few': readFewCommits,
  dialogues: readDialogues,
  lessons: readLessons,
}

export const SET_NAMES = Object.keys(READERS)
export const OWN_SETS = ['notes', 'turns', 'sessions', 'languages']

export function readSet(name, dataFolder) {
  return READERS[name](dataFolder)
}
