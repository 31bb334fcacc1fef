import { KeyFigures, Loaded } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { bytes, counted, percent, short, whole } from '../../show/text.js'
import { useResources } from '../../state/resource.js'
import { checks, drains, health, report, status } from '../../state/stores.js'
import { Drains } from '../drain-chart.js'
import { HealthParts } from '../parts.js'
import { Engine, Verify } from './engine.js'
import { Files, Orphans } from './files.js'
import { Findings } from './findings.js'

function Figures() {
  const findings = checks.value.value?.findings
  const bad = findings?.filter(({ severity }) => severity !== 'ok').length
  const isFaulty = findings?.some(({ severity }) => severity === 'problem')
  const size = report.value.value?.files.reduce((sum, file) => sum + file.size, 0)
  const cache = report.value.value?.cache
  return (
    <Loaded from={status} lines={2}>
      {({ vectors, indexBytes, indexedBytes, journalBytes, counts }) => (
        <KeyFigures
          figures={[
            {
              label: 'Checks',
              value: bad === undefined ? '–' : bad === 0 ? 'Well' : short(bad),
              unit: bad ? 'to look at' : undefined,
              detail: findings && `of ${whole(findings.length)} made`,
              tone: bad === undefined ? undefined : isFaulty ? 'bad' : bad === 0 ? 'good' : 'warning',
            },
            {
              label: 'Files',
              value: size === undefined ? '–' : bytes(size),
              detail: counted(counts.memories, 'memory', 'memories'),
            },
            {
              label: 'Index',
              value: percent(indexedBytes, journalBytes),
              detail: indexBytes > 0 ? `${bytes(indexBytes)} on disk` : 'in memory',
            },
            {
              label: 'Vectors',
              value: vectors ? percent(vectors.covered, vectors.total) : 'off',
              detail: vectors ? `${whole(vectors.covered)} of ${whole(vectors.total)}` : 'no model in use',
            },
            {
              label: 'Search cache',
              value: cache ? short(cache.freshEntries) : '–',
              unit: 'fresh',
              detail: cache && `of ${whole(cache.totalEntries)}`,
            },
          ]}
        />
      )}
    </Loaded>
  )
}

export function HealthView() {
  useResources(checks, report, status, drains, health)
  const hasDelivered = (drains.value.value?.passes.length ?? 0) > 0
  return (
    <>
      <Heading title="Health">Whether everything is as it should be, and what to do when it is not</Heading>
      <HealthParts />
      <Figures />
      <div class="grid">
        <Findings />
        <Files />
        <div class="stack span-2">
          <Engine />
          <Orphans />
          <Verify />
        </div>
        {hasDelivered && <Drains title="Deliveries" class="span-6" note="To the shared store, each with its outcome" />}
      </div>
    </>
  )
}
