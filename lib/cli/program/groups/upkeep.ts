import type { CommandEntry } from './entry.js'

export const upkeep: CommandEntry[] = [
  {
    name: 'status',
    summary: 'show which project and files are in use',
    examples: ['forge-memory status', 'forge-memory status -p ../other-project'],
    load: () => import('../../commands/status.js'),
  },
  {
    name: 'report',
    summary: 'count files, captures, queue and cache',
    examples: ['forge-memory report', 'forge-memory report -j'],
    load: () => import('../../commands/report.js'),
  },
  {
    name: 'doctor',
    summary: 'look for damage, and repair it',
    examples: ['forge-memory doctor', 'forge-memory doctor --fix --dry-run', 'forge-memory doctor --audit'],
    load: () => import('../../commands/doctor.js'),
    work: {
      verb: 'checking',
      unit: 'steps',
      kept: 'every file is whole: repaired already, or as it was; run it again to continue',
    },
  },
  {
    name: 'verify',
    summary: 'check every record against its hallmark',
    examples: ['forge-memory verify', 'forge-memory verify --strict -j'],
    load: () => import('../../commands/verify.js'),
    work: { verb: 'verifying', unit: 'bytes', kept: 'nothing was changed' },
  },
  {
    name: 'compact',
    summary: 'remove expired, replaced and forgotten records from the files',
    examples: ['forge-memory compact --dry-run', 'forge-memory compact --yes'],
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
    examples: ['forge-memory migrate-memory --dry-run', 'forge-memory migrate-memory'],
    load: () => import('../../commands/migrate-memory.js'),
    work: {
      verb: 'migrating',
      unit: 'files',
      kept: 'every file is whole: migrated already, or as it was; run it again to continue',
    },
  },
  {
    name: 'model',
    summary: 'install, check or remove the model for search by meaning',
    subcommands: {
      install: ['forge-memory model install', 'forge-memory model install intfloat/e5-small-v2'],
      status: ['forge-memory model status', 'forge-memory model status e5-small-v2'],
      use: ['forge-memory model use e5-small-v2', 'forge-memory model use all-MiniLM-L6-v2'],
      remove: ['forge-memory model remove', 'forge-memory model remove e5-small-v2 --yes'],
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
    examples: ['forge-memory embed', 'forge-memory embed -n 1000'],
    load: () => import('../../commands/embed.js'),
    work: {
      verb: 'embedding',
      unit: 'texts',
      kept: 'the vectors computed so far are kept; forge-memory embed continues from there',
    },
  },
  {
    name: 'anvil',
    summary: 'show and clear results that Plan Forge has cached',
    subcommands: {
      stat: ['forge-memory anvil stat', 'forge-memory anvil stat -j'],
      clear: ['forge-memory anvil clear --olderThanMs 86400000', 'forge-memory anvil clear --tool forge_sweep'],
      rebuild: ['forge-memory anvil rebuild --since HEAD', 'forge-memory anvil rebuild --since v1.2.0'],
    },
    load: () => import('../../commands/anvil.js'),
  },
  {
    name: 'trust',
    summary: 'approve what the files of this project ask for',
    examples: ['forge-memory trust', 'forge-memory trust --folder --yes'],
    load: () => import('../../commands/trust.js'),
  },
  {
    name: 'completion',
    summary: 'print the script that completes commands in a shell',
    examples: ['forge-memory completion bash > ~/.forge-memory.bash', 'forge-memory completion zsh > _forge-memory'],
    load: () => import('../../commands/completion.js'),
  },
  {
    name: 'tour',
    summary: 'take the guided tour, in a separate folder',
    examples: ['forge-memory tour', 'forge-memory tour --dir ~/forge-tour'],
    load: () => import('../../commands/tour.js'),
  },
  {
    name: 'version',
    summary: 'print the version',
    examples: ['forge-memory version', 'forge-memory version -j'],
    load: () => import('../../commands/version.js'),
  },
]
