// FlexSearch in the same process as its caller, like the package. How it is set up, and why that is fair:
// - `Index`, not `Document`: it returns bare positions, the package returns whole records;
// - the same words as the package: an `encode` of its own, runs of letters, digits and underscores in lower case;
// - `tokenize: 'strict'`: whole words; the other modes index every prefix and are slower and larger;
// - context off (it is off by default): the contextual index answers another question, words that stand together;
// - `suggest` off, as by default: it intersects the lists of the words, which is a tenth faster than asking for any of the
//   words, as the package and FTS5 do. All words of a query are from its target, so FlexSearch finds it either way.
import { createRequire } from 'node:module'
import { readLessons, readQueries } from '../data/dataset.mjs'
import { measureCall, timeQueries } from '../harness/statistics.mjs'
import { input, report } from './process.mjs'

const { Index } = createRequire(import.meta.url)('flexsearch')

const encode = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
const index = new Index({ tokenize: 'strict', encode })
const start = performance.now()
for (const [position, lesson] of readLessons(input.corpus).entries()) index.add(position, lesson.content)
const buildSeconds = (performance.now() - start) / 1e3

const queries = readQueries(input.queries)
const options = { limit: 10 }
const answers = queries.map(({ text }) => index.search(text, options))
if (input.answers) writeFileSync(input.answers, JSON.stringify(answers))
const times = timeQueries(queries, input.passes, ({ text }) => measureCall(() => index.search(text, options)))
report({ buildSeconds, ...times })
