import { problem } from '../shared/problem.js'

interface Coded extends Error {
  code: string
  hint: string
}

/** The error about a file that is left as it is: what is wrong with it, and what to do. */
export function refusal(path: string, why: string, hint: string, code = 'CORRUPT'): Coded {
  return Object.assign(problem(code, `${path} ${why}`), { hint })
}
