// Brings every index of a store up to date, and leaves it on disk for the next process.
import { input, loadAddon, report } from './process.mjs'

const { recall, settleIndex } = loadAddon()
const options = { projectDir: input.dir }
const { searched } = recall('anything', options)
settleIndex(options)
report({ searched })
