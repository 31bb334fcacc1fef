// The one place where tests wait: for something to become true, never for a time to pass.
import { setTimeout as rest } from 'node:timers/promises'

/** For the load that a test makes, and the moment in which it kills; never to wait for something. */
export { rest }

/** Looking so often costs little, also where a look is a query. */
const LOOK_MS = 20
/** Only to end what hangs: a busy machine takes many times as long as a quiet one. */
const PATIENCE_MS = 120_000

/** Resolves with what `holds` answers as soon as that is true; fails when it never is. */
export async function until(holds, what, patienceMs = PATIENCE_MS) {
  const end = Date.now() + patienceMs
  for (;;) {
    const found = await holds()
    if (found) return found
    if (Date.now() > end) throw new Error(`waited in vain: ${typeof what === 'function' ? what() : what}`)
    await rest(LOOK_MS)
  }
}
