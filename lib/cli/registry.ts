import type { Command } from 'commander'
import type { Respond } from './answer.js'

/** What every file under `commands/` exports. */
export interface CommandFile {
  /** Adds the command's arguments, options and action. */
  configure(command: Command, respond: Respond): void
}

export interface CommandEntry {
  name: string
  summary: string
  /** Loads the command's file. Only the command that was typed is loaded: the others would only cost start-up time. */
  load(): Promise<CommandFile>
}

export const commands: CommandEntry[] = [
  { name: 'capture', summary: 'store what was just learned', load: () => import('./commands/capture.js') },
  { name: 'save', summary: 'store a reusable pattern', load: () => import('./commands/save.js') },
  { name: 'recall', summary: 'find what is known about some words', load: () => import('./commands/recall.js') },
  { name: 'list', summary: 'list memories, newest first', load: () => import('./commands/list.js') },
  { name: 'show', summary: 'show one memory and its revisions', load: () => import('./commands/show.js') },
  { name: 'edit', summary: 'replace a memory by a corrected revision', load: () => import('./commands/edit.js') },
  { name: 'forget', summary: 'remove a memory from every later answer', load: () => import('./commands/forget.js') },
  {
    name: 'ralph',
    summary: 'list, query, clear and add lessons of agent loops',
    load: () => import('./commands/ralph.js'),
  },
  {
    name: 'lattice',
    summary: 'index the code, and ask what is defined and who calls it',
    load: () => import('./commands/lattice.js'),
  },
  { name: 'report', summary: 'count files, captures, queue and cache', load: () => import('./commands/report.js') },
  { name: 'status', summary: 'show which project and files are in use', load: () => import('./commands/status.js') },
  { name: 'doctor', summary: 'look for damage and say what to do', load: () => import('./commands/doctor.js') },
]
