// This package, used by the older tool's names, beside the stand-in of that tool.
import { appendFileSync } from 'node:fs'
import { setTimeout as rest } from 'node:timers/promises'
import { autoDrainOpenBrainQueue, captureMemory } from '../../../dist/plan-forge/index.js'
import { serve } from './child.mjs'

await serve(async ({ project, job, name, count, store, passes = 1, pauseMs = 0 }) => {
  if (job === 'capture') {
    let captured = 0
    for (let n = 0; n < count; n += 1) {
      const content = `${name}${n} one${name}${n} two${name}${n} three${name}${n}`
      const answer = captureMemory({ content, type: 'gotcha', source: 'forge_sweep', cwd: project })
      if (!answer.captured) throw new Error(JSON.stringify(answer))
      captured += 1
      process.send({ [`captured-${n}`]: true })
      await rest(pauseMs)
    }
    return { captured }
  }
  if (job === 'deliver') return autoDrainOpenBrainQueue(project, { source: 'ours' })
  const dispatcher = async ({ id, content }) => {
    appendFileSync(store, `${JSON.stringify({ by: 'ours', content, id })}\n`)
    await rest(1)
    return { ok: true }
  }
  const answers = []
  for (let pass = 0; pass < passes; pass += 1) {
    const answer = await autoDrainOpenBrainQueue(project, { dispatcher })
    // Another process of ours drains: it is not waited for.
    if (answer.error !== undefined && answer.reason?.code !== 'LOCKED') throw new Error(JSON.stringify(answer))
    answers.push(answer)
    process.send({ [`pass-${pass}`]: true })
    await rest(1)
  }
  return { delivered: answers.reduce((sum, { delivered = 0 }) => sum + delivered, 0) }
})
