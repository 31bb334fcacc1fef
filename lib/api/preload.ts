import {
  answerHints,
  buildPlanBootContext,
  composePreload,
  type PreloadContext,
  type PreloadEntry,
  type ProjectOptions,
} from '../native.js'
import { fieldsOf } from '../shared/fields.js'

/** A plan, as far as preloading reads it. */
export type PreloadPlan = Parameters<typeof buildPlanBootContext>[0]

export interface PreloadOptions extends ProjectOptions {
  /** The maximum number of questions; 8 when absent. */
  maxHints?: number
  /** The token budget of the context; 2,000 when absent. */
  tokenBudget?: number
}

/** The questions that a plan raises, the hits they found, and the context composed of them. */
export type PlanPreload = ReturnType<typeof buildPlanBootContext> & PreloadContext

/**
 * Asks the questions that a plan raises, of the project's files and of the shared store, and composes a context within a
 * token budget. When the shared store cannot be reached, only its hits are missing. Rejects with `INVALID_INPUT`.
 */
export async function preloadPlan(
  plan: PreloadPlan,
  projectName?: string,
  given: PreloadOptions = {},
): Promise<PlanPreload> {
  const { tokenBudget, ...options } = fieldsOf('options', given)
  const context = buildPlanBootContext(plan, projectName, options)
  const project = options.projectDir === undefined ? {} : { projectDir: options.projectDir }
  const found = [...answerHints(context.hints, project), ...(await askStore(context, project))]
  return { ...context, ...composePreload(context.planName, found, tokenBudget) }
}

/** Asks the shared store. A question that fails there contributes no hits. */
async function askStore(
  { hints, projectName }: ReturnType<typeof buildPlanBootContext>,
  project: ProjectOptions,
): Promise<PreloadEntry[]> {
  const { search } = await import('../openbrain/client/search.js')
  const ask = async ({ query, limit }: { query: string; limit: number }): Promise<PreloadEntry[]> => {
    const { thoughts, backend } = await search(query, { project: projectName, limit, ...project })
    // The project's files were already searched.
    if (backend === 'files') return []
    return thoughts.map(({ id, content, type, score }) => {
      return { id, query, tier: 'openbrain', type, text: content, score }
    })
  }
  const answers = await Promise.allSettled(hints.map(ask))
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
