import { Kpi, KpiStrip } from '../../part/kpi.js'
import { Loaded } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { bytes, counted, percent, short, whole } from '../../show/amount.js'
import { useResources } from '../../state/resource.js'
import { checks, drains, health, report, status } from '../../state/stores.js'
import { HealthParts } from '../parts.js'
import { Drain } from './drain.js'
import { Engine, Verify } from './engine.js'
import { Files, Orphans } from './files.js'
import { Findings } from './findings.js'

function Kpis() {
  const findings = checks.value.value?.findings
  const bad = findings?.filter(({ severity }) => severity !== 'ok').length
  const size = report.value.value?.files.reduce((sum, file) => sum + file.size, 0)
  const cache = report.value.value?.cache
  return (
    <Loaded from={status} lines={2}>
      {({ vectors, indexBytes, indexedBytes, journalBytes, counts }) => (
        <KpiStrip label="Key figures">
          <Kpi
            label="Checks"
            value={bad === undefined ? '–' : bad === 0 ? 'Well' : short(bad)}
            {...(bad ? { unit: 'to look at' } : {})}
            detail={findings && `of ${whole(findings.length)} made`}
            tone={bad === undefined ? 'plain' : bad === 0 ? 'good' : 'warning'}
          />
          <Kpi
            label="Files"
            value={size === undefined ? '–' : bytes(size)}
            detail={counted(counts.memories, 'memory', 'memories')}
          />
          <Kpi
            label="Index"
            value={percent(indexedBytes, journalBytes)}
            detail={indexBytes > 0 ? `${bytes(indexBytes)} on disk` : 'in memory'}
          />
          <Kpi
            label="Vectors"
            value={vectors ? percent(vectors.covered, vectors.total) : 'off'}
            detail={vectors ? `${whole(vectors.covered)} of ${whole(vectors.total)}` : 'no model in use'}
          />
          <Kpi
            label="Search cache"
            value={cache ? short(cache.freshEntries) : '–'}
            unit="fresh"
            detail={cache && `of ${whole(cache.totalEntries)}`}
          />
        </KpiStrip>
      )}
    </Loaded>
  )
}

/** The health of the memory: findings, files, index, and background services. */
export function HealthView() {
  useResources(checks, report, status, drains, health)
  return (
    <>
      <Heading title="Health">Whether everything is as it should be, and what to do when it is not</Heading>
      <HealthParts />
      <Kpis />
      <div class="grid">
        <Findings />
        <Drain />
        <Files />
        <div class="stack span-2">
          <Engine />
          <Orphans />
          <Verify />
        </div>
      </div>
    </>
  )
}
