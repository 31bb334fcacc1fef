// Broadcasts one event and exits at once, in the given way.
import { createHub } from '../../../dist/hub/index.js'

const [projectDir, how] = process.argv.slice(2)
const hub = await createHub({ port: 0, projectDir })
hub.broadcast({ type: 'run-completed', how })
if (how === 'exit') process.exit(0)
process.kill(process.pid, 'SIGKILL')
