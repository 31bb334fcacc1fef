import { type Problem, problem } from '../../shared/problem.js'

/** Creates the error about a file that is left unchanged, with the reason and a hint. */
export function refusal(path: string, why: string, hint: string, code = 'CORRUPT'): Problem {
  return problem(code, `${path} ${why}`, hint)
}
