import { type Problem, problem } from '../shared/problem.js'

/** The error about a file that is left as it is: what is wrong with it, and what to do. */
export function refusal(path: string, why: string, hint: string, code = 'CORRUPT'): Problem {
  return problem(code, `${path} ${why}`, hint)
}
