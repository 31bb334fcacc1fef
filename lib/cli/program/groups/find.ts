import type { CommandEntry } from './entry.js'

export const find: CommandEntry[] = [
  {
    name: 'capture',
    aliases: ['add'],
    summary: 'store what was just learned',
    examples: [
      'forge-memory capture -t gotcha --tag jest "Jest needs --runInBand on Windows"',
      'git log -1 --format=%B | forge-memory capture -t decision -',
    ],
    load: () => import('../../commands/capture.js'),
  },
  {
    name: 'save',
    summary: 'store a reusable pattern',
    examples: [
      'forge-memory save --category test_command "npm test -- --only node"',
      'forge-memory save --category convention --scope global "Makefiles use tabs"',
    ],
    load: () => import('../../commands/save.js'),
  },
  {
    name: 'recall',
    aliases: ['find'],
    summary: 'find what is known about a topic',
    examples: ['forge-memory recall jest windows', 'forge-memory recall -t decision -n 3 --since 30d "which database"'],
    isList: true,
    load: () => import('../../commands/recall.js'),
  },
  {
    name: 'list',
    aliases: ['ls'],
    summary: 'list memories, newest first',
    examples: ['forge-memory list -n 20', 'forge-memory list -t gotcha --tag jest -j'],
    isList: true,
    load: () => import('../../commands/list.js'),
  },
  {
    name: 'show',
    summary: 'show one memory and its revisions',
    examples: ['forge-memory show 7f3a9c21', 'forge-memory show 7f3a9c21 --history'],
    isList: true,
    load: () => import('../../commands/show.js'),
  },
  {
    name: 'history',
    summary: 'find past sessions of your agents, and forget them',
    subcommands: {
      search: [
        'forge-memory history search flaky login test',
        'forge-memory history search -n 3 --agent claude --since 30d migration',
      ],
      forget: ['forge-memory history forget --this-project --yes', 'forge-memory history forget --all --dry-run'],
      status: ['forge-memory history status', 'forge-memory history status -j'],
    },
    isList: true,
    load: () => import('../../commands/history.js'),
    subwork: {
      search: {
        verb: 'reading sessions',
        unit: 'KiB',
        kept: 'the sessions that were read stay in the index; the next search continues',
      },
    },
  },
  {
    name: 'timeline',
    summary: 'show what happened in a window of time, as JSON',
    examples: ['forge-memory timeline --from 7d -n 50', 'forge-memory timeline --group-by correlation'],
    load: () => import('../../commands/timeline.js'),
  },
  {
    name: 'watch',
    summary: 'show events as they happen',
    examples: ['forge-memory watch', 'forge-memory watch -t gotcha --since 12h --no-follow'],
    load: () => import('../../commands/watch.js'),
  },
]
