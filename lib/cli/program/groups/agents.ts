import type { CommandEntry } from './entry.js'

export const agents: CommandEntry[] = [
  {
    name: 'init',
    summary: 'set up MCP, hooks and git for your agents',
    examples: ['forge-memory init', 'forge-memory init --agent claude --dry-run'],
    load: () => import('../../commands/init.js'),
  },
  {
    name: 'backfill',
    summary: 'learn from the past sessions of your agents',
    examples: ['forge-memory backfill --dry-run', 'forge-memory backfill --agent claude --since 30d --accept 0.9'],
    load: () => import('../../commands/backfill.js'),
    work: {
      verb: 'reading sessions',
      unit: 'KiB',
      kept: 'findings that were stored wait for a review; run it again to continue',
    },
  },
  {
    name: 'import-memories',
    summary: 'propose what other agents were told or have learned',
    examples: ['forge-memory import-memories --dry-run', 'forge-memory import-memories --agent claude --scope all'],
    load: () => import('../../commands/import-memories.js'),
    work: { verb: 'reading files', unit: 'files', kept: 'proposals that were stored stay; run it again to continue' },
  },
  {
    name: 'sync-memories',
    summary: 'write hints to the files that agents load automatically',
    examples: ['forge-memory sync-memories --agent claude --dry-run', 'forge-memory sync-memories --agent all -n 5'],
    load: () => import('../../commands/sync-memories.js'),
  },
  {
    name: 'stats',
    summary: 'show which notes agents got, and whether they used them',
    examples: ['forge-memory stats', 'forge-memory stats -j'],
    isList: true,
    load: () => import('../../commands/stats.js'),
  },
  {
    name: 'pause',
    summary: 'stop giving agents notes for a while',
    examples: ['forge-memory pause --for 2h', 'forge-memory pause --everywhere'],
    load: () => import('../../commands/pause.js'),
  },
  {
    name: 'resume',
    summary: 'end a pause',
    examples: ['forge-memory resume', 'forge-memory resume -j'],
    load: () => import('../../commands/resume.js'),
  },
  {
    name: 'ralph',
    summary: 'list, query, clear and add lessons of agent loops',
    subcommands: {
      list: ['forge-memory ralph list', 'forge-memory ralph list --since 7d --store external'],
      query: ['forge-memory ralph query --query "auth mocks"', 'forge-memory ralph query --query typescript -n 3 -j'],
      clear: ['forge-memory ralph clear --loop-id loop-7', 'forge-memory ralph clear --store all --yes'],
      add: [
        'forge-memory ralph add --loop-id loop-7 "Run the linter before the tests"',
        'forge-memory ralph add -t failure_pattern "The cache is stale on forks"',
      ],
    },
    isList: true,
    load: () => import('../../commands/ralph.js'),
  },
  {
    name: 'mcp',
    summary: 'serve the memory to agents over MCP',
    examples: ['forge-memory mcp --tools full', 'FORGE_MEMORY_TOKEN=secret forge-memory mcp --http 4100'],
    load: () => import('../../commands/mcp.js'),
  },
  {
    name: 'hook',
    summary: 'answer a lifecycle hook of an agent',
    examples: [
      `echo '{"cwd": "."}' | forge-memory hook SessionStart`,
      `echo '{"cwd": "."}' | forge-memory hook sessionStart --host copilot`,
    ],
    load: () => import('../../commands/hook.js'),
  },
]
