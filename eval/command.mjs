// The arguments of `npm run eval`.
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SET_NAMES } from './sets/index.mjs'
import { BASELINES, MODEL_WAYS, WAYS, WORD_WAYS } from './ways/index.mjs'

const besideCheckout = fileURLToPath(new URL('../../shared/data', import.meta.url))
/** Where the sets outside of this repository are, unless an option says so. */
export const DATA = process.env.FORGE_EVAL_DATA ?? besideCheckout
const KNOWN = 'all-MiniLM-L6-v2'
const testModel = fileURLToPath(new URL(`../.cache/model/home/models/${KNOWN}`, import.meta.url))

export const USAGE = `usage: npm run eval -- [options]

  --set NAME,...        ${SET_NAMES.join(', ')}   (default all that are there)
  --ways NAME,...       ${Object.keys(WAYS).join(', ')}; or words   (default all)
  --baselines NAME,...  ${Object.keys(BASELINES).join(', ')}; all or none   (default all)
  --model NAME          an installed model, or the folder of one, which is compared with the default one; none leaves out what needs
                        a model   (default the one that is installed)
  --data DIR            where cosqa/, commits/ and world/ are   (default FORGE_EVAL_DATA, else shared/data beside the checkout)
  --work DIR            where projects, stores and vectors go   (default a folder in the system's temporary one)
  --failures            lists the questions without their answer in the first ten; none of those held back
  --held-details        also shows single questions of those held back: do this when you are done with tuning
  --json                one document for programs on standard output, with every question
  --compare A B         two such documents: what is better in B, and how sure that is
  --write-docs          puts the figures into eval/results.json and docs/reference/retrieval.md; what this run left out stays
  --raise-gates         raises eval/gates.json to what was measured, less a small margin
`

export function parseCommand(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      set: { type: 'string' },
      ways: { type: 'string' },
      baselines: { type: 'string', default: 'all' },
      model: { type: 'string' },
      data: { type: 'string', default: DATA },
      work: { type: 'string', default: join(tmpdir(), 'forge-memory-eval') },
      failures: { type: 'boolean', default: false },
      'held-details': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      'write-docs': { type: 'boolean', default: false },
      'raise-gates': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.compare !== (positionals.length === 2))
    throw new Error('--compare takes two files, and nothing else takes any')
  const { set, ways, baselines, model, ...others } = values
  return {
    ...others,
    files: positionals,
    sets: set === undefined ? SET_NAMES : namesIn(set, SET_NAMES, 'set'),
    wanted: wantedWays(ways, baselines),
    ...modelsOf(model),
  }
}

function wantedWays(ways, baselines) {
  const plain =
    { all: Object.keys(BASELINES), none: [] }[baselines] ?? namesIn(baselines, Object.keys(BASELINES), 'baseline')
  const own = (list) => list.filter((way) => !(way in BASELINES) || plain.includes(way))
  if (ways === undefined) return own(Object.keys(WAYS))
  if (ways === 'words') return own(WORD_WAYS)
  return [...new Set([...namesIn(ways, Object.keys(WAYS), 'way'), ...(baselines === 'all' ? [] : plain)])]
}

function namesIn(text, known, what) {
  const names = text.split(',')
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`no such ${what}: ${unknown}; known are ${known.join(', ')}`)
  return names
}

/** The folder of the default model, if it is installed for the user or for the tests. */
export const installedModel = () => [join(modelsFolder(), KNOWN), testModel].find((folder) => existsSync(folder))

/** The folders of the measured model and of the one it is compared with. */
function modelsOf(given) {
  if (given === 'none') return {}
  const known = installedModel()
  if (given === undefined) return { model: known }
  const other = resolve(existsSync(given) ? given : join(modelsFolder(), given))
  if (!existsSync(other)) throw new Error(`there is no model ${given}; forge-memory model install ${given} fetches it`)
  return known === undefined || basename(other) === KNOWN ? { model: other } : { model: known, other }
}

const modelsFolder = () => join(process.env.FORGE_HOME ?? join(process.env.HOME ?? '', '.forge'), 'models')

/** The methods of a run whose results depend on the model. */
export const changedByModel = (wanted) => wanted.filter((way) => MODEL_WAYS.includes(way))
