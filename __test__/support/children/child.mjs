// The other end of `startChild`.
import { once } from 'node:events'

/** Waits for the order to begin, runs `work` with what it says, sends what it answers, and ends. */
export async function serve(work) {
  const order = once(process, 'message')
  process.send({ ready: true })
  const [{ go }] = await order
  const result = await work(go)
  process.send({ result }, () => process.disconnect())
}
