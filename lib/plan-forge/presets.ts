// Data for the first screen of the memory view in Plan Forge's dashboard.
import { modelStatus, projectSettings } from '../native.js'
import { placeOf, readSettings } from '../openbrain/settings.js'
import { isOpenBrainConfigured, loadKeywordSearchMap, projectNameOf } from './context.js'
import { entriesOf } from './folder.js'
import { readLocalThoughts } from './local-thoughts.js'
import { getIndexStatus } from './recall-index.js'
import { fieldsIn, softly, textIn } from './soft.js'

/** Returns which store the project uses. The address contains no credentials. */
export function memoryLanding(cwd: string) {
  const place = softly<string | null>(() => {
    const { target } = readSettings(cwd)
    return 'url' in target ? placeOf(target.url) : null
  }, null)
  return { configured: isOpenBrainConfigured(cwd), endpoint: place, serverName: place === null ? null : 'openbrain' }
}

/** The settings of Plan Forge itself are in the same file. */
const settingsOf = (cwd: string) => fieldsIn(projectSettings({ projectDir: cwd }).given)

/** Suggests searches for the project. */
export function memoryPresets(cwd: string) {
  const categories = loadKeywordSearchMap(cwd).map(({ query }) => ({ name: query, icon: '', queries: [query] }))
  const recentFiles = entriesOf(cwd, 'docs', 'plans')
    .slice(-5)
    .map(({ name }) => ({ dir: 'docs/plans', label: name }))
  const has = (...path: string[]) => entriesOf(cwd, ...path).length > 0
  const projectContext = {
    projectName: projectNameOf(cwd),
    preset: textIn(settingsOf(cwd).preset) ?? null,
    hasRuns: has('.forge', 'runs'),
    hasCost: entriesOf(cwd, '.forge').some(({ name }) => name.startsWith('cost-')),
    hasPlans: has('docs', 'plans'),
  }
  return { categories, recentFiles, projectContext }
}

/** True if semantic search is available. */
export async function embeddingStatus(cwd: string) {
  const { state, name } = await modelStatus()
  const neuralAvailable = state === 'installed'
  const installHint = neuralAvailable ? null : 'forge-memory model install'
  return {
    ok: true,
    backend: neuralAvailable ? 'neural' : 'tfidf',
    neuralAvailable,
    neuralPackage: null,
    neuralVersion: null,
    model: neuralAvailable ? name : null,
    corpusSize: readLocalThoughts(cwd).length,
    configuredBackend: textIn(settingsOf(cwd).embeddingBackend) ?? 'auto',
    installHint,
    message: neuralAvailable ? `The model ${name} is installed.` : `There is no model; ${installHint} fetches it.`,
  }
}

/** Returns the status of Plan Forge's index file. */
export function localRecallStatus(cwd: string) {
  const { exists, stale, version, builtAt, corpusSize, cacheFile } = getIndexStatus(cwd)
  const staleness = exists ? (stale === null ? 'unknown' : stale ? 'stale' : 'fresh') : 'n/a'
  const message = exists ? `The index file is ${staleness}.` : 'There is no index file; searches do without it.'
  return { ok: true, indexExists: exists, version, builtAt, corpusSize, staleness, cacheFile, message }
}
