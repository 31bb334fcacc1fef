import type { CommandEntry } from './entry.js'

export const share: CommandEntry[] = [
  {
    name: 'export',
    summary: 'export the memory as JSON Lines or Markdown',
    examples: [
      'forge-memory share export > memory.jsonl',
      'forge-memory share export --output docs/memory.md --overwrite',
    ],
    load: () => import('../../commands/export.js'),
    work: { verb: 'exporting', unit: 'bytes', kept: 'no file was written' },
  },
  {
    name: 'import',
    summary: 'import an export, or the store of another tool',
    examples: [
      'forge-memory share import --dry-run memory.jsonl',
      'forge-memory share import ~/.claude-mem/claude-mem.db',
    ],
    load: () => import('../../commands/import.js'),
    work: {
      verb: 'importing',
      unit: 'records',
      kept: 'records that were stored stay; the same import skips them and continues',
    },
  },
  {
    name: 'drain',
    summary: 'deliver queued memories to the shared memory',
    examples: [
      'forge-memory share drain',
      'forge-memory share drain --again --since 7d     # to a store that was emptied',
    ],
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
      list: ['forge-memory share dlq list', 'forge-memory share dlq list -j'],
      retry: ['forge-memory share dlq retry', 'forge-memory share dlq retry 7f3a9c21'],
      drop: ['forge-memory share dlq drop --all --dry-run', 'forge-memory share dlq drop 7f3a9c21 --yes'],
    },
    isList: true,
    load: () => import('../../commands/dlq.js'),
  },
  {
    name: 'store',
    summary: 'set up and check the shared store, and remove what is old from it',
    subcommands: {
      use: [
        'forge-memory share store use --yes postgres://me@db.example.org/memory',
        'forge-memory share store use --yes file     # back to the file of this user',
      ],
      init: ['forge-memory share store init --print-sql', 'forge-memory share store init --print-sql --row-security'],
      check: ['forge-memory share store check', 'forge-memory share store check -j'],
      retain: [
        'forge-memory share store retain --dry-run',
        'forge-memory share store retain --expired 90d --superseded never --dry-run',
      ],
    },
    load: () => import('../../commands/store.js'),
    work: { verb: 'removing', unit: 'records', kept: 'what was removed stays removed; the same command continues' },
  },
  {
    name: 'brain',
    summary: 'test the shared store, and replay thoughts into it',
    subcommands: {
      test: ['forge-memory share brain test', 'forge-memory share brain test --name shop --index-delay 500'],
      replay: [
        'forge-memory share brain replay notes.md --dry-run',
        'forge-memory share brain replay thoughts.jsonl -n 100',
      ],
    },
    load: () => import('../../commands/brain.js'),
  },
  {
    name: 'merge-driver',
    summary: 'merge three versions of a memory file, for git',
    examples: [
      'forge-memory share merge-driver base.jsonl ours.jsonl theirs.jsonl',
      'forge-memory share merge-driver base.jsonl ours.jsonl theirs.jsonl -j',
    ],
    load: () => import('../../commands/merge-driver.js'),
  },
]
