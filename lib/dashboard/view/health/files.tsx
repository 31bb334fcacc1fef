import type { MemoryReport } from '../../connection/shapes.js'
import { Card, Empty, Loaded, Table } from '../../part/panels.js'
import { bytes, counted, oneLine, whole } from '../../show/text.js'
import { report } from '../../state/stores.js'

function versionsOf(versions: Record<string, number>): string {
  const known = Object.entries(versions).filter(([, count]) => count > 0)
  const nameOf = (version: string): string => (version === 'none' ? 'none' : `v${version}`)
  if (known.length === 1 && known[0]) return nameOf(known[0][0])
  return known.map(([version, count]) => `${nameOf(version)} × ${whole(count)}`).join(', ') || '–'
}

function FilesTable({ files }: { files: MemoryReport['files'] }) {
  const there = files.filter(({ exists }) => exists)
  const missing = files.filter(({ exists }) => !exists)
  if (there.length === 0) return <Empty title="No files yet">The first capture makes them.</Empty>
  return (
    <>
      <Table
        label="Files under .forge"
        head={['File', 'Lines', 'Size', 'Format', 'Damaged']}
        texts={[3]}
        rows={there.map(({ name, records, size, versions, unparsable }) => [
          <code>{oneLine(name)}</code>,
          records,
          bytes(size),
          versionsOf(versions),
          <span class={unparsable > 0 ? 'is-bad' : 'faint'}>{whole(unparsable)}</span>,
        ])}
      />
      {missing.length > 0 && <p class="note">Not written yet: {missing.map(({ name }) => oneLine(name)).join(', ')}</p>}
    </>
  )
}

export function Files() {
  const size = report.value.value?.files.reduce((sum, file) => sum + file.size, 0)
  return (
    <Card
      title="Files"
      note={size ? `${bytes(size)} of plain text under .forge/` : undefined}
      class="span-4 own-height"
    >
      <Loaded from={report} lines={6}>
        {({ files }) => <FilesTable files={files} />}
      </Loaded>
    </Card>
  )
}

/** Entries of `.forge/` that belong to no known tool. */
export function Orphans() {
  return (
    <Card title="Orphans">
      <Loaded from={report} lines={2}>
        {({ orphans }) =>
          orphans.length === 0 ? (
            <p class="faint">None: every file under .forge/ is known.</p>
          ) : (
            <>
              <p class="note">
                {counted(orphans.length, 'entry', 'entries')} under .forge/ that no part of forge-memory reads. Other
                tools may read them: check before you delete.
              </p>
              <ul class="named flow">
                {orphans.map((name) => (
                  <li key={name}>
                    <code>{oneLine(name)}</code>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Card>
  )
}
