// What a capture offers to replace: the older texts of all pairs are captured among our own notes and talks, then each newer one is, and
// is forgotten again. A change should be offered its older record; what says something new should be offered nothing.

import { join } from 'node:path'
import { readNotes, readTurnsSet } from '../sets/own.mjs'
import { share } from './judge-pairs.mjs'
import { Project } from './project.mjs'

/** Every so many-th of our own notes is kept out of the memory, and captured afterwards: it changes nothing. */
const APART = 8

/** Returns for each pair whether its older record was offered, and for texts that change nothing whether they got any offer. */
export async function judgeOffers(library, folder, pairs, { withMeaning, progress = () => {} }) {
  const project = new Project(library, join(folder, 'offers'))
  const notes = readNotes()
  const isApart = (note, at) => at % APART === 0 && note.replaces === undefined
  const replaced = new Set(notes.map(({ replaces }) => replaces))
  const apart = notes.filter((note, at) => isApart(note, at) && !replaced.has(note.id))
  const kept = notes.filter((note) => !apart.includes(note))
  const fieldsOf = ({ type, text }, source) => ({
    tool: 'eval',
    source: `eval/${source}`,
    type: type ?? 'lesson',
    body: text,
  })
  for (const { text, session } of readTurnsSet().documents)
    project.capture({ ...fieldsOf({ text }, 'turns'), sessionId: session })
  for (const note of kept) project.capture(fieldsOf(note, 'notes'))
  const older = pairs.map((pair) => project.capture(fieldsOf(pair.older, 'first')).id)
  if (withMeaning) await embedAll(library, project, progress)
  const records = kept.length + readTurnsSet().documents.length + pairs.length
  const judged = pairs.map(({ id, part, label, newer }, at) => {
    const offers = offersOf(library, project, fieldsOf(newer, 'second'))
    const isOffered = offers.includes(older[at])
    return { id, part, label, isOffered, beside: offers.length - (isOffered ? 1 : 0) }
  })
  const unrelated = apart.map((note) => offersOf(library, project, fieldsOf(note, 'notes')).length > 0)
  return { records, judged, unrelated }
}

/** Captures a text, and returns the ids of the records that it is said to replace. Nothing of it stays. */
function offersOf(library, project, fields) {
  const { id, deduped, retired, related } = project.capture({ ...fields, related: true })
  if (deduped) return [id]
  library.forget(id, { projectDir: project.folder })
  // What the capture has retired by itself needs no offer.
  return [...retired, ...related].map((other) => other.id)
}

async function embedAll(library, project, progress) {
  for (;;) {
    const { made, covered, total } = await library.embedMemories({ projectDir: project.folder })
    progress('vectors for offers', covered, total)
    if (made === 0 || covered >= total) return
  }
}

/** Adds it up for one part: of the changes, how many were offered their older record. */
export function sumOffers({ judged }, part) {
  const changes = judged.filter((pair) => pair.part === part && (pair.label === 'retires' || pair.label === 'conflict'))
  return share(
    changes.filter(({ isOffered }) => isOffered),
    changes,
  )
}

/** How many records were named beside those that the pairs are about. */
export const sumBeside = ({ judged }) => judged.reduce((total, { beside }) => total + beside, 0)

/** The texts that change nothing and got no offer. */
export const sumSilent = ({ unrelated }) =>
  share(
    unrelated.filter((isOffered) => !isOffered),
    unrelated,
  )
