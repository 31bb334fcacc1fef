/** The process that learns from a session after its end: `learning-process.js <agent> <transcript>`, in the folder of the session. */
import { learnInTime } from './learning.js'

const [agent, transcript] = process.argv.slice(2)
if (agent !== undefined && transcript !== undefined) learnInTime(agent, transcript)
