import type { CommandEntry } from './entry.js'

export const share: CommandEntry[] = [
  {
    name: 'serve',
    summary: 'serve dashboard, live events and HTTP for this project',
    examples: ['forge-memory serve', 'forge-memory serve --port 4000 --no-drain'],
    load: () => import('../../commands/serve.js'),
  },
  {
    name: 'export',
    summary: 'export the memory as JSON Lines or Markdown',
    examples: ['forge-memory export > memory.jsonl', 'forge-memory export --output docs/memory.md --overwrite'],
    load: () => import('../../commands/export.js'),
    work: { verb: 'exporting', unit: 'bytes', kept: 'no file was written' },
  },
  {
    name: 'import',
    summary: 'import an export, or the store of another tool',
    examples: ['forge-memory import --dry-run memory.jsonl', 'forge-memory import ~/.claude-mem/claude-mem.db'],
    load: () => import('../../commands/import.js'),
    work: {
      verb: 'importing',
      unit: 'records',
      kept: 'records that were stored stay; the same import skips them and continues',
    },
  },
  {
    name: 'search',
    summary: 'search the shared memory of all projects',
    examples: ['forge-memory search rate limits', 'forge-memory search -t decision -n 5 --project-name shop queue'],
    isList: true,
    load: () => import('../../commands/search.js'),
  },
  {
    name: 'drain',
    summary: 'deliver queued memories to the shared memory',
    examples: ['forge-memory drain', 'forge-memory drain --again --since 7d     # to a store that was emptied'],
    load: () => import('../../commands/drain.js'),
    work: {
      verb: 'delivering',
      unit: 'records',
      kept: 'what was delivered stays delivered; the rest is still in the queue',
    },
  },
  {
    name: 'dlq',
    summary: 'list, retry and drop dead letters',
    subcommands: {
      list: ['forge-memory dlq list', 'forge-memory dlq list -j'],
      retry: ['forge-memory dlq retry', 'forge-memory dlq retry 7f3a9c21'],
      drop: ['forge-memory dlq drop --all --dry-run', 'forge-memory dlq drop 7f3a9c21 --yes'],
    },
    isList: true,
    load: () => import('../../commands/dlq.js'),
  },
  {
    name: 'store',
    summary: 'set up and check the shared store, and remove what is old from it',
    subcommands: {
      use: [
        'forge-memory store use --yes postgres://me@db.example.org/memory',
        'forge-memory store use --yes file     # back to the file of this user',
      ],
      init: ['forge-memory store init --print-sql', 'forge-memory store init --print-sql --row-security'],
      check: ['forge-memory store check', 'forge-memory store check -j'],
      retain: [
        'forge-memory store retain --dry-run',
        'forge-memory store retain --expired 90d --superseded never --dry-run',
      ],
    },
    load: () => import('../../commands/store.js'),
    work: { verb: 'removing', unit: 'records', kept: 'what was removed stays removed; the same command continues' },
  },
  {
    name: 'brain',
    summary: 'test the shared store, and replay thoughts into it',
    subcommands: {
      test: ['forge-memory brain test', 'forge-memory brain test --name shop --index-delay 500'],
      replay: ['forge-memory brain replay notes.md --dry-run', 'forge-memory brain replay thoughts.jsonl -n 100'],
    },
    load: () => import('../../commands/brain.js'),
  },
  {
    name: 'merge-driver',
    summary: 'merge three versions of a memory file, for git',
    examples: [
      'git config merge.forge-memory.driver "forge-memory merge-driver %O %A %B"',
      'forge-memory merge-driver base.jsonl ours.jsonl theirs.jsonl',
    ],
    load: () => import('../../commands/merge-driver.js'),
  },
]
