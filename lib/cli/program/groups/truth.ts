import type { CommandEntry } from './entry.js'

export const truth: CommandEntry[] = [
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
    aliases: ['rm'],
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
    name: 'replace',
    summary: 'retire memories that are out of date',
    examples: [
      'forge-memory replace 7f3a9c21 --by 5b0d4e88',
      'forge-memory replace 7f3a9c21 --why "the service is gone"',
    ],
    load: () => import('../../commands/replace.js'),
  },
  {
    name: 'keep',
    summary: 'make retired or forgotten memories current again',
    examples: ['forge-memory keep 7f3a9c21', 'forge-memory keep --since 7d --by agent'],
    load: () => import('../../commands/keep.js'),
  },
  {
    name: 'conflicts',
    summary: 'list and settle contradictions',
    examples: ['forge-memory conflicts', 'forge-memory conflicts --resolve 7f3a9c21 5b0d4e88 --holds newer'],
    isList: true,
    load: () => import('../../commands/conflicts.js'),
  },
  {
    name: 'review',
    summary: 'decide about memories and requests that wait for a person',
    examples: ['forge-memory review', 'forge-memory review --accept 7f3a9c21 5b0d4e88'],
    isList: true,
    load: () => import('../../commands/review.js'),
  },
  {
    name: 'useful',
    summary: 'report that a memory was useful',
    examples: ['forge-memory useful 7f3a9c21', 'forge-memory useful 7f3a9c21 -j'],
    load: () => import('../../commands/useful.js'),
  },
  {
    name: 'wrong',
    summary: 'report that a memory is wrong',
    examples: ['forge-memory wrong 7f3a9c21', 'forge-memory wrong 7f3a9c21 -j'],
    load: () => import('../../commands/wrong.js'),
  },
]
