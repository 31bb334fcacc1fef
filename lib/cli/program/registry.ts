import type { Command } from 'commander'
import type { Respond } from '../answer.js'

/** What every file under `commands/` exports. */
export interface CommandFile {
  /** Adds the command's arguments, options and action. `run` is for a command that runs others. */
  configure(command: Command, respond: Respond, run: (argv: string[]) => Promise<number>): void
}

export interface CommandEntry {
  name: string
  summary: string
  /** Loads the command's file. Only the command that was typed is loaded: the others would only cost start-up time. */
  load(): Promise<CommandFile>
  /** Works on the whole memory, or on something from outside: a wait is shown, however small the memory is. */
  isSlow?: boolean
}

export const commands: CommandEntry[] = [
  { name: 'capture', summary: 'store what was just learned', load: () => import('../commands/capture.js') },
  { name: 'save', summary: 'store a reusable pattern', load: () => import('../commands/save.js') },
  { name: 'recall', summary: 'find what is known about some words', load: () => import('../commands/recall.js') },
  { name: 'list', summary: 'list memories, newest first', load: () => import('../commands/list.js') },
  { name: 'show', summary: 'show one memory and its revisions', load: () => import('../commands/show.js') },
  { name: 'edit', summary: 'replace a memory by a corrected revision', load: () => import('../commands/edit.js') },
  { name: 'forget', summary: 'remove a memory from every later answer', load: () => import('../commands/forget.js') },
  { name: 'keep', summary: 'make a retired memory current again', load: () => import('../commands/keep.js') },
  {
    name: 'conflicts',
    summary: 'list and settle what contradicts each other',
    load: () => import('../commands/conflicts.js'),
  },
  {
    name: 'ralph',
    summary: 'list, query, clear and add lessons of agent loops',
    load: () => import('../commands/ralph.js'),
  },
  { name: 'init', summary: 'set up MCP, hooks and git for your agents', load: () => import('../commands/init.js') },
  { name: 'mcp', summary: 'serve the memory to agents over MCP', load: () => import('../commands/mcp.js') },
  { name: 'hook', summary: 'answer a lifecycle hook of an agent', load: () => import('../commands/hook.js') },
  {
    name: 'sync-memories',
    summary: 'write hints to the files that agents read on their own',
    load: () => import('../commands/sync-memories.js'),
  },
  { name: 'search', summary: 'search the shared memory of all projects', load: () => import('../commands/search.js') },
  { name: 'drain', summary: 'deliver what waits for the shared memory', load: () => import('../commands/drain.js') },
  {
    name: 'dlq',
    summary: 'list, retry and drop what could not be delivered',
    load: () => import('../commands/dlq.js'),
  },
  {
    name: 'model',
    summary: 'install, check or remove the model that finds by meaning',
    load: () => import('../commands/model.js'),
  },
  {
    name: 'serve',
    summary: 'serve dashboard, live events and HTTP for this project',
    load: () => import('../commands/serve.js'),
  },
  { name: 'watch', summary: 'show events as they happen', load: () => import('../commands/watch.js') },
  {
    name: 'lattice',
    summary: 'index the code, and query definitions and callers',
    load: () => import('../commands/lattice.js'),
  },
  {
    name: 'timeline',
    summary: 'show what happened in a window of time, as JSON',
    load: () => import('../commands/timeline.js'),
  },
  {
    name: 'brain',
    summary: 'test the shared store, and replay thoughts into it',
    load: () => import('../commands/brain.js'),
  },
  {
    name: 'anvil',
    summary: 'show and clear the answers that Plan Forge has cached',
    load: () => import('../commands/anvil.js'),
  },
  { name: 'report', summary: 'count files, captures, queue and cache', load: () => import('../commands/report.js') },
  { name: 'status', summary: 'show which project and files are in use', load: () => import('../commands/status.js') },
  {
    name: 'trust',
    summary: 'approve that .forge is a link to a folder elsewhere',
    load: () => import('../commands/trust.js'),
  },
  { name: 'tour', summary: 'take the guided tour, in a separate folder', load: () => import('../commands/tour.js') },
  {
    name: 'verify',
    summary: 'check every record against its hallmark, and repair what can be repaired',
    load: () => import('../commands/verify.js'),
    isSlow: true,
  },
  {
    name: 'migrate-memory',
    summary: 'migrate all records, those of older tools too, to the latest format',
    load: () => import('../commands/migrate-memory.js'),
    isSlow: true,
  },
  {
    name: 'compact',
    summary: 'remove what is expired, replaced or forgotten from the files',
    load: () => import('../commands/compact.js'),
    isSlow: true,
  },
  {
    name: 'export',
    summary: 'write the memory as lines or as Markdown',
    load: () => import('../commands/export.js'),
    isSlow: true,
  },
  {
    name: 'import',
    summary: 'import an export, or the store of another tool',
    load: () => import('../commands/import.js'),
    isSlow: true,
  },
  {
    name: 'merge-driver',
    summary: 'merge three versions of a memory file, for git',
    load: () => import('../commands/merge-driver.js'),
  },
  {
    name: 'doctor',
    summary: 'look for damage and suggest repairs',
    load: () => import('../commands/doctor.js'),
    isSlow: true,
  },
]
