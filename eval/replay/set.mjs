// The recorded sessions: projects with their records, and the steps of agents with the expected notes.
import { readFileSync } from 'node:fs'

const read = (name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** The parts of the set, with the beginnings of their file names: `known` was used to develop the rules, the others are held out. */
export const PARTS = { known: '', held: 'held-', frameworks: 'frameworks-' }

/** The projects of a part by their names. */
export const projects = (part = 'known') =>
  new Map(read(`${PARTS[part]}projects.jsonl`).map((project) => [project.id, project]))

/** The sessions of a part, in order. */
export const sessions = (part = 'known') => read(`${PARTS[part]}sessions.jsonl`)

export const gates = () => JSON.parse(readFileSync(new URL('gates.json', import.meta.url), 'utf8'))
