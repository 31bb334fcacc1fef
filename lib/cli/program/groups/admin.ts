import type { CommandEntry } from './entry.js'

export const admin: CommandEntry[] = [
  {
    name: 'keep',
    summary: 'make retired or forgotten memories current again',
    examples: ['forge-memory admin keep 7f3a9c21', 'forge-memory admin keep --since 7d --by agent'],
    load: () => import('../../commands/keep.js'),
  },
  {
    name: 'replace',
    summary: 'retire memories that are out of date',
    examples: [
      'forge-memory admin replace 7f3a9c21 --by 5b0d4e88',
      'forge-memory admin replace 7f3a9c21 --why "the service is gone"',
    ],
    load: () => import('../../commands/replace.js'),
  },
  {
    name: 'report',
    summary: 'count files, captures, queue and cache',
    examples: ['forge-memory admin report', 'forge-memory admin report -j'],
    load: () => import('../../commands/report.js'),
  },
  {
    name: 'verify',
    summary: 'check every record against its hallmark',
    examples: ['forge-memory admin verify', 'forge-memory admin verify --strict -j'],
    load: () => import('../../commands/verify.js'),
    work: { verb: 'verifying', unit: 'bytes', kept: 'nothing was changed' },
  },
  {
    name: 'compact',
    summary: 'remove expired, replaced and forgotten records from the files',
    examples: ['forge-memory admin compact --dry-run', 'forge-memory admin compact --yes'],
    load: () => import('../../commands/compact.js'),
    work: {
      verb: 'compacting',
      unit: 'bytes',
      kept: 'every file is whole: compacted already, or as it was; run it again to continue',
    },
  },
  {
    name: 'migrate-memory',
    summary: 'migrate all records, including those of older tools, to the latest format',
    examples: ['forge-memory admin migrate-memory --dry-run', 'forge-memory admin migrate-memory'],
    load: () => import('../../commands/migrate-memory.js'),
    work: {
      verb: 'migrating',
      unit: 'files',
      kept: 'every file is whole: migrated already, or as it was; run it again to continue',
    },
  },
  {
    name: 'trust',
    summary: 'approve what the files of this project ask for',
    examples: ['forge-memory admin trust', 'forge-memory admin trust --folder --yes'],
    load: () => import('../../commands/trust.js'),
  },
  {
    name: 'model',
    summary: 'install, check or remove the model for search by meaning',
    subcommands: {
      install: ['forge-memory admin model install', 'forge-memory admin model install intfloat/e5-small-v2'],
      status: ['forge-memory admin model status', 'forge-memory admin model status e5-small-v2'],
      use: ['forge-memory admin model use e5-small-v2', 'forge-memory admin model use all-MiniLM-L6-v2'],
      remove: ['forge-memory admin model remove', 'forge-memory admin model remove e5-small-v2 --yes'],
    },
    load: () => import('../../commands/model.js'),
    subwork: {
      install: {
        verb: 'downloading',
        unit: 'bytes',
        kept: 'what was downloaded is kept; forge-memory model install continues from there',
      },
    },
  },
  {
    name: 'embed',
    summary: 'compute the vectors for search by meaning',
    examples: ['forge-memory admin embed', 'forge-memory admin embed -n 1000'],
    load: () => import('../../commands/embed.js'),
    work: {
      verb: 'embedding',
      unit: 'texts',
      kept: 'the vectors computed so far are kept; forge-memory embed continues from there',
    },
  },
  {
    name: 'watch',
    summary: 'show events as they happen',
    examples: ['forge-memory admin watch', 'forge-memory admin watch -t gotcha --since 12h --no-follow'],
    load: () => import('../../commands/watch.js'),
  },
  {
    name: 'timeline',
    summary: 'show what happened in a window of time',
    examples: ['forge-memory admin timeline --from 7d -n 50', 'forge-memory admin timeline --group-by correlation'],
    load: () => import('../../commands/timeline.js'),
  },
  {
    name: 'anvil',
    summary: 'show and clear results that Plan Forge has cached',
    subcommands: {
      stat: ['forge-memory admin anvil stat', 'forge-memory admin anvil stat -j'],
      clear: [
        'forge-memory admin anvil clear --olderThanMs 86400000',
        'forge-memory admin anvil clear --tool forge_sweep',
      ],
      rebuild: ['forge-memory admin anvil rebuild --since HEAD', 'forge-memory admin anvil rebuild --since v1.2.0'],
    },
    load: () => import('../../commands/anvil.js'),
  },
  {
    name: 'completion',
    summary: 'print the script that completes commands in a shell',
    examples: [
      'forge-memory admin completion bash > ~/.forge-memory.bash',
      'forge-memory admin completion zsh > _forge-memory',
    ],
    load: () => import('../../commands/completion.js'),
  },
  {
    name: 'tour',
    summary: 'take the guided tour, in a separate folder',
    examples: ['forge-memory admin tour', 'forge-memory admin tour --dir ~/forge-tour'],
    load: () => import('../../commands/tour.js'),
  },
]
