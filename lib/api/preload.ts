import {
  answerHints,
  buildPlanBootContext,
  composePreload,
  type PreloadContext,
  type PreloadEntry,
  type ProjectOptions,
} from '../native.js'
import { fieldsOf } from '../shared/fields.js'

/** A plan, as far as its start is concerned. */
export type PreloadPlan = Parameters<typeof buildPlanBootContext>[0]

export interface PreloadOptions extends ProjectOptions {
  /** How many questions are asked at most; 8 when absent. */
  maxHints?: number
  /** How many tokens the context has at most; 2,000 when absent. */
  tokenBudget?: number
}

/** The questions of a plan, what they found, and ready context out of it. */
export type PlanPreload = ReturnType<typeof buildPlanBootContext> & PreloadContext

/**
 * Asks what a plan raises of the project's files and of the shared store, and composes ready context out of the answers,
 * within a budget of tokens. A shared store that does not answer costs its part only. Rejects with `INVALID_INPUT`.
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

/** Asks the shared store; a question that it does not answer finds nothing there. */
async function askStore(
  { hints, projectName }: ReturnType<typeof buildPlanBootContext>,
  project: ProjectOptions,
): Promise<PreloadEntry[]> {
  const { search } = await import('../openbrain/client/search.js')
  const ask = async ({ query, limit }: { query: string; limit: number }): Promise<PreloadEntry[]> => {
    const { thoughts, backend } = await search(query, { project: projectName, limit, ...project })
    // The files have been asked already.
    if (backend === 'files') return []
    return thoughts.map(({ id, content, type, score }) => {
      return { id, query, tier: 'openbrain', type, text: content, score }
    })
  }
  const answers = await Promise.allSettled(hints.map(ask))
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
