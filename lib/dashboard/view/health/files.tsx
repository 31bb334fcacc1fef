import type { MemoryReport } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Scroller } from '../../part/scroller.js'
import { Empty, Loaded } from '../../part/state.js'
import { bytes, counted, whole } from '../../show/amount.js'
import { oneLine } from '../../show/text.js'
import { report } from '../../state/stores.js'

function versionsOf(versions: Record<string, number>): string {
  const known = Object.entries(versions).filter(([, count]) => count > 0)
  if (known.length === 0) return '–'
  if (known.length === 1 && known[0]) return known[0][0] === 'none' ? 'none' : `v${known[0][0]}`
  return known.map(([version, count]) => `${version === 'none' ? 'none' : `v${version}`} × ${whole(count)}`).join(', ')
}

function FilesTable({ files }: { files: MemoryReport['files'] }) {
  const there = files.filter(({ exists }) => exists)
  const missing = files.filter(({ exists }) => !exists)
  if (there.length === 0) return <Empty title="No files yet">The first capture makes them.</Empty>
  return (
    <>
      <Scroller label="Files under .forge">
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" class="number">
                Lines
              </th>
              <th scope="col" class="number">
                Size
              </th>
              <th scope="col">Format</th>
              <th scope="col" class="number">
                Damaged
              </th>
            </tr>
          </thead>
          <tbody>
            {there.map((file) => (
              <tr key={file.name}>
                <th scope="row">
                  <code>{oneLine(file.name)}</code>
                </th>
                <td class="number">{whole(file.records)}</td>
                <td class="number">{bytes(file.size)}</td>
                <td>{versionsOf(file.versions)}</td>
                <td class={`number ${file.unparsable > 0 ? 'is-bad' : 'is-quiet'}`}>{whole(file.unparsable)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      {missing.length > 0 && <p class="note">Not written yet: {missing.map(({ name }) => oneLine(name)).join(', ')}</p>}
    </>
  )
}

/** The files under `.forge/`. */
export function Files() {
  const files = report.value.value?.files ?? []
  const size = files.reduce((sum, file) => sum + file.size, 0)
  return (
    <Card
      title="Files"
      note={size > 0 ? `${bytes(size)} of plain text under .forge/` : undefined}
      class="span-4 own-height"
    >
      <Loaded from={report} lines={6}>
        {(found) => <FilesTable files={found.files} />}
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
            <p class="all-well">None: every file under .forge/ is known.</p>
          ) : (
            <>
              <p class="note">
                {counted(orphans.length, 'entry', 'entries')} under .forge/ that no part of forge-memory reads. Other
                tools may read them: check before you delete.
              </p>
              <ul class="orphans">
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
