import type { CommandEntry } from './entry.js'

export const code: CommandEntry[] = [
  {
    name: 'code',
    summary: 'index the code, and query definitions and callers',
    subcommands: {
      index: ['forge-memory code index', 'forge-memory code index src --since HEAD'],
      stat: ['forge-memory code stat', 'forge-memory code stat -j'],
      query: ['forge-memory code query parse date', 'forge-memory code query -n 5 --kind function parse'],
      callers: ['forge-memory code callers parseDate', 'forge-memory code callers Stack.push -n 5'],
      callees: ['forge-memory code callees parseDate', 'forge-memory code callees Stack.push -n 5'],
      blast: ['forge-memory code blast parseDate', 'forge-memory code blast Stack.push --direction callers --depth 2'],
    },
    isList: true,
    load: () => import('../../commands/code.js'),
    subwork: { index: { verb: 'indexing', unit: 'files', kept: 'the index is as it was' } },
  },
]
