// P11: questions to a large graph, in process.
import { writeModules } from '../data/sources.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const FILES = 10_000
const WORDS = ['load the user session', 'merge basket price', 'find order', 'render page token', 'closeQueue']

export function measure(bench) {
  const dir = bench.newProject('lattice-ask')
  const names = writeModules(dir, FILES)
  bench.progress(`indexing ${FILES} modules`)
  bench.children.run('lattice-index', { dir })
  const asked = names.filter((_, at) => at % 997 === 0)
  const words = Array.from({ length: 50 }, (_, at) => WORDS[at % WORDS.length])
  const rounds = []
  bench.eachRound('asking', () => {
    rounds.push(bench.children.run('lattice-ask', { dir, names: asked, words }))
  })
  const { chunks } = rounds[0]
  const typical = (name, field) => Math.min(...rounds.map((round) => median(round[name].map((call) => call[field]))))
  const row = (name, what, atMost) =>
    makeRow({
      measure: 'P11',
      what: `${what}, ${chunks} chunks`,
      note: `${typical(name, 'cpuMs').toFixed(2)} ms of processor time`,
      unit: 'ms',
      ours: typical(name, 'wallMs'),
      target: atMost === undefined ? undefined : { atMost },
    })
  return [
    row('query', 'query of two to four words', 5),
    row('callers', 'callers', 0.2),
    row('blast', 'blast, both ways, depth 3', 5),
    row('cold', 'first query of a process', undefined),
  ]
}
