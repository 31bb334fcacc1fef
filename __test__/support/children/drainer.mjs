// Runs one pass with a store, and dies at the given step without settling.
import { createRequire } from 'node:module'
import { serve } from './child.mjs'

const require = createRequire(import.meta.url)
const { OpenBrainDrain } = require('../../../index.js')
const { runPass } = require('../../../dist/outbox/pass.js')
const { Handshakes } = require('../../../dist/openbrain/handshakes.js')
const { openStore } = require('../../../dist/openbrain/client/open.js')
const { readSettings } = require('../../../dist/openbrain/settings.js')

/** Wraps an object so that the process dies before or after the n-th call of one of its methods. */
function mortal(object, { step, call }) {
  let calls = 0
  return new Proxy(object, {
    get(target, name) {
      const value = target[name]
      if (typeof value !== 'function') return value
      return (...args) => {
        const isStep = step.startsWith(`${name}:`)
        if (isStep) calls += 1
        const die = () => process.kill(process.pid, 'SIGKILL')
        if (isStep && step === `${name}:before` && calls === call) die()
        const result = value.apply(target, args)
        if (!isStep || step !== `${name}:after` || calls !== call) return result
        return Promise.resolve(result).then((answer) => {
          die()
          return answer
        })
      }
    },
  })
}

await serve(async ({ project, step, call, maxBatch }) => {
  const drain = OpenBrainDrain.open({ projectDir: project })
  const store = await openStore(readSettings(project))
  const wrapped = mortal(store, { step, call })
  const dying = mortal(drain, { step, call })
  await dying.resume()
  const report = await runPass({
    drain: dying,
    store: wrapped,
    handshakes: new Handshakes(wrapped),
    maxBatch,
  })
  drain.close()
  await store.close()
  return report
})
