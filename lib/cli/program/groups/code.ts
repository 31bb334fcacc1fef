import type { CommandEntry } from './entry.js'

export const code: CommandEntry[] = [
  {
    name: 'lattice',
    summary: 'index the code, and query definitions and callers',
    subcommands: {
      index: ['forge-memory lattice index', 'forge-memory lattice index src --since HEAD'],
      stat: ['forge-memory lattice stat', 'forge-memory lattice stat -j'],
      query: ['forge-memory lattice query parse date', 'forge-memory lattice query -n 5 --kind function parse'],
      callers: ['forge-memory lattice callers parseDate', 'forge-memory lattice callers Stack.push -n 5'],
      callees: ['forge-memory lattice callees parseDate', 'forge-memory lattice callees Stack.push -n 5'],
      blast: [
        'forge-memory lattice blast parseDate',
        'forge-memory lattice blast Stack.push --direction callers --depth 2',
      ],
    },
    isList: true,
    load: () => import('../../commands/lattice.js'),
    subwork: { index: { verb: 'indexing', unit: 'files', kept: 'the index is as it was' } },
  },
]
