import type { CommandEntry } from './entry.js'

export const agent: CommandEntry[] = [
  {
    name: 'backfill',
    summary: 'learn from the past sessions of your agents',
    examples: [
      'forge-memory agent backfill --dry-run',
      'forge-memory agent backfill --agent claude --since 30d --accept 0.9',
    ],
    load: () => import('../../commands/backfill.js'),
    work: {
      verb: 'reading sessions',
      unit: 'KiB',
      kept: 'findings that were stored wait for a review; run it again to continue',
    },
  },
  {
    name: 'history',
    summary: 'find past sessions of your agents, and forget them',
    subcommands: {
      search: [
        'forge-memory agent history search flaky login test',
        'forge-memory agent history search -n 3 --agent claude --since 30d migration',
      ],
      forget: [
        'forge-memory agent history forget --this-project --yes',
        'forge-memory agent history forget --all --dry-run',
      ],
      status: ['forge-memory agent history status', 'forge-memory agent history status -j'],
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
    name: 'import-memories',
    summary: 'propose what other agents were told or have learned',
    examples: [
      'forge-memory agent import-memories --dry-run',
      'forge-memory agent import-memories --agent claude --scope all',
    ],
    load: () => import('../../commands/import-memories.js'),
    work: { verb: 'reading files', unit: 'files', kept: 'proposals that were stored stay; run it again to continue' },
  },
  {
    name: 'sync-memories',
    summary: 'write hints to the files that agents load automatically',
    examples: [
      'forge-memory agent sync-memories --agent claude --dry-run',
      'forge-memory agent sync-memories --agent all -n 5',
    ],
    load: () => import('../../commands/sync-memories.js'),
  },
  {
    name: 'mcp',
    summary: 'serve the memory to agents over MCP',
    examples: ['forge-memory agent mcp --tools full', 'FORGE_MEMORY_TOKEN=secret forge-memory agent mcp --http 4100'],
    load: () => import('../../commands/mcp.js'),
  },
  {
    name: 'hook',
    summary: 'answer a lifecycle hook of an agent',
    examples: [
      `echo '{"cwd": "."}' | forge-memory agent hook SessionStart`,
      `echo '{"cwd": "."}' | forge-memory agent hook sessionStart --host copilot`,
    ],
    load: () => import('../../commands/hook.js'),
  },
  {
    name: 'stats',
    summary: 'show which notes agents got, and whether they used them',
    examples: ['forge-memory agent stats', 'forge-memory agent stats -j'],
    isList: true,
    load: () => import('../../commands/stats.js'),
  },
  {
    name: 'pause',
    summary: 'stop giving agents notes for a while, or end that',
    examples: ['forge-memory agent pause --for 2h', 'forge-memory agent pause --end'],
    load: () => import('../../commands/pause.js'),
  },
  {
    name: 'rate',
    summary: 'report that a memory was useful, is wrong, or is out of place',
    examples: [
      'forge-memory agent rate useful 7f3a9c21',
      'forge-memory agent rate wrong 7f3a9c21 -j',
      'forge-memory agent rate elsewhere 7f3a9c21 --at src/pool.ts',
    ],
    load: () => import('../../commands/rate.js'),
  },
  {
    name: 'ralph',
    summary: 'list, query, clear and add lessons of agent loops',
    subcommands: {
      list: ['forge-memory agent ralph list', 'forge-memory agent ralph list --since 7d --store external'],
      query: [
        'forge-memory agent ralph query --query "auth mocks"',
        'forge-memory agent ralph query --query typescript -n 3 -j',
      ],
      clear: ['forge-memory agent ralph clear --loop-id loop-7', 'forge-memory agent ralph clear --store all --yes'],
      add: [
        'forge-memory agent ralph add --loop-id loop-7 "Run the linter before tests"',
        'forge-memory agent ralph add -t failure_pattern "The cache is stale on forks"',
      ],
    },
    isList: true,
    load: () => import('../../commands/ralph.js'),
  },
]
