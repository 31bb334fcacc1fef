// The rooms of lib/ in layers, the lowest first. A room is a folder, or a file at the top of lib/. A file may import from its own
// room and from rooms in lower layers; rooms of one layer do not know each other.

import { roomsNamed } from './named.mjs'

export const LAYERS = [
  // The one door to the engine; its types.
  ['native', 'types'],
  // What loads the engine, or says why there is none.
  ['library'],
  // Small pieces that several rooms use: files and settings of a project, approvals, errors; text that is shown.
  ['shared', 'text'],
  // What the user changed last, and how it is taken back.
  ['undo'],
  // The shared memory: what every store must be able to do, settings, failures; then the stores; then the ways in.
  ['openbrain'],
  ['openbrain/embedder'],
  ['openbrain/embedded', 'openbrain/postgres', 'openbrain/remote'],
  ['openbrain/client'],
  // The delivery of the outbox.
  ['outbox'],
  // What programs can call beside the engine's own functions.
  ['api'],
  // The formats of configuration files.
  ['init/format'],
  ['init', 'hub'],
  // Imports of other agents' memory files.
  ['memories'],
  ['watcher'],
  // The names and shapes of another tool, over everything below.
  ['plan-forge'],
  ['http'],
  ['mcp/answer'],
  // What a feature of the rim adds to the server and to the tools, and the list of features.
  [...roomsNamed('mcp'), ...roomsNamed('http')],
  roomsNamed('feature'),
  ['features'],
  ['server'],
  ['mcp/tools'],
  ['mcp'],
  // The dashboard is a build of its own: it uses types of the engine, and how text is shown.
  ['dashboard/connection', 'dashboard/show', 'dashboard/style'],
  ['dashboard/state'],
  ['dashboard/part'],
  ['dashboard/chart', 'dashboard/shell'],
  ['dashboard/view'],
  ['dashboard/view/entry', 'dashboard/view/hallmark', 'dashboard/view/lattice'],
  [
    'dashboard/view/anvil',
    'dashboard/view/health',
    'dashboard/view/home',
    'dashboard/view/memories',
    'dashboard/view/review',
    'dashboard/view/sessions',
  ],
  ['dashboard'],
  ['cli/page'],
  // What every command answers with, asks and takes.
  ['cli'],
  ['cli/acp', 'cli/completion', 'cli/init', 'cli/model', 'cli/tour', 'cli/welcome', 'sessions/commands/hand-over'],
  roomsNamed('commands'),
  ['cli/program'],
  // The package's main entry.
  ['index', 'internal'],
]

/** Imports that leave lib/, and the files that may have them. */
export const WAYS_OUT = { '../index.js': ['native.ts', 'types.ts'] }

/** Returns the room of a file; nothing for what is not below the folder. */
export function roomOf(file) {
  if (file.startsWith('..')) return undefined
  const end = file.lastIndexOf('/')
  return end < 0 ? file.replace(/\.tsx?$/, '') : file.slice(0, end)
}

/** Returns the room of a file in the drawing: the one at the top of lib/, but for what every tool answers with and for the parts that a feature adds to others. */
export function drawnRoomOf(file) {
  const room = roomOf(file)
  return /^(mcp\/answer|(?!cli)[^/]+\/(commands|feature|http|mcp))/.exec(room)?.[1] ?? room?.split('/')[0]
}
