import type { CommandEntry } from './entry.js'

export const daily: CommandEntry[] = [
  {
    name: 'init',
    summary: 'set up MCP, hooks and git for your agents',
    examples: ['forge-memory init', 'forge-memory init --agent claude --dry-run'],
    load: () => import('../../commands/init.js'),
  },
  {
    name: 'add',
    summary: 'store what was just learned',
    examples: [
      'forge-memory add -t gotcha --tag jest "Jest needs --runInBand on Windows"',
      'forge-memory add -t convention --scope global "Makefiles use tabs"',
      'git log -1 --format=%B | forge-memory add -t decision -',
    ],
    load: () => import('../../commands/add.js'),
  },
  {
    name: 'find',
    summary: 'find what is known about a topic, here or in the shared store',
    examples: [
      'forge-memory find jest windows',
      'forge-memory find --newest -t decision -n 3 --since 30d "which database"',
      'forge-memory find --shared --project-name shop queue',
    ],
    isList: true,
    load: () => import('../../commands/find.js'),
  },
  {
    name: 'list',
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
    name: 'edit',
    summary: 'replace a memory by a corrected revision',
    examples: [
      'forge-memory edit 7f3a9c21                # opens your editor',
      'forge-memory edit 7f3a9c21 --confidence 0.9 "The gate takes 12 s"',
    ],
    load: () => import('../../commands/edit.js'),
  },
  {
    name: 'forget',
    summary: 'remove memories from all searches',
    examples: ['forge-memory forget 7f3a9c21', 'forge-memory forget --dry-run 7f3a9c21 5b0d4e88'],
    load: () => import('../../commands/forget.js'),
  },
  {
    name: 'undo',
    summary: 'take back your last command that changed memory',
    examples: ['forge-memory undo --dry-run', 'forge-memory undo'],
    load: () => import('../../commands/undo.js'),
  },
  {
    name: 'review',
    summary: 'decide what waits for a person: proposals, requests, contradictions',
    examples: [
      'forge-memory review',
      'forge-memory review --accept 7f3a9c21 5b0d4e88',
      'forge-memory review --resolve 7f3a9c21 5b0d4e88 --holds newer',
    ],
    isList: true,
    load: () => import('../../commands/review.js'),
  },
  {
    name: 'dashboard',
    summary: 'serve the dashboard, live events and HTTP, and open the page',
    examples: ['forge-memory dashboard', 'forge-memory dashboard --no-open --port 4000 --no-drain'],
    load: () => import('../../commands/dashboard.js'),
  },
  {
    name: 'status',
    summary: 'show what is stored, what waits, and which files are in use',
    examples: ['forge-memory status', 'forge-memory status --today', 'forge-memory status -p ../other-project'],
    load: () => import('../../commands/status.js'),
  },
  {
    name: 'doctor',
    summary: 'look for damage, and repair it',
    examples: ['forge-memory doctor', 'forge-memory doctor --fix --dry-run', 'forge-memory doctor --audit'],
    load: () => import('../../commands/doctor.js'),
    work: {
      verb: 'checking the files',
      unit: 'steps',
      kept: 'every file is whole: repaired already, or as it was; run it again to continue',
    },
  },
]
