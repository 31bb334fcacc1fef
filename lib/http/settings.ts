import { changeForgeFile } from '../init/forge-file.js'
import {
  agentStanding,
  listModels,
  memoryDir,
  memoryStatus,
  pauseMemory,
  projectSettings,
  resumeMemory,
  useModel,
} from '../native.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import { onlyFields } from './body.js'
import { get, post, type Route } from './router.js'
import type { Settings } from './shapes.js'

const REVIEWS: unknown[] = ['off', 'agents', 'all'] satisfies Settings['review'][]

/** Returns the routes of the settings that people look for: the pause, the review, the model. */
export function settingRoutes(projectDir: string): Route[] {
  return [
    get('/api/settings', () => settingsOf(projectDir)),
    post('/api/settings', (body) => {
      onlyFields(body, ['pausedMs', 'isPaused', 'review', 'model'])
      change(body, projectDir)
      return settingsOf(projectDir)
    }),
  ]
}

async function settingsOf(projectDir: string): Promise<Settings> {
  const { vectors } = memoryStatus({ projectDir })
  const models = (await listModels()).map(({ name, state, isDefault, bytes, problem }) => ({
    name,
    state,
    isDefault,
    bytes,
    ...given({ problem }),
  }))
  const { review = 'off' } = projectSettings({ projectDir }).given
  const agents = agentStanding({ projectDir })
  return { agents, review, models, ...given({ vectors }) }
}

function change({ isPaused, pausedMs, review, model }: Record<string, unknown>, projectDir: string): void {
  if (review !== undefined) {
    if (!REVIEWS.includes(review)) throw problem('INVALID_INPUT', `review: expected ${REVIEWS.join(', ')}`)
    const why = 'says which records wait for a review'
    changeForgeFile(memoryDir({ projectDir }), why, (file) => file.set(['review'], review))
  }
  if (model !== undefined) useModel(String(model))
  if (isPaused === true) pauseMemory({ projectDir, ...given({ forMs: pausedMs as number | undefined }) })
  else if (isPaused === false) resumeMemory({ projectDir })
  else if (isPaused !== undefined) throw problem('INVALID_INPUT', 'isPaused: expected true or false')
}
