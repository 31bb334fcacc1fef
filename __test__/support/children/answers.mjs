// Asks the same several times, and tells each answer as a text: to the thread that started this one, or on standard output.
import { parentPort } from 'node:worker_threads'
import { recall } from '../../../index.js'

const options = JSON.parse(process.argv[2])
const tell = parentPort ? (answer) => parentPort.postMessage(answer) : (answer) => process.stdout.write(`${answer}\n`)
for (let time = 0; time < 5; time++) tell(JSON.stringify(recall('cache', options)))
