import { useState } from 'preact/hooks'
import type { Hit } from '../../connection/shapes.js'
import { Confirm, Dialog } from '../../part/dialog.js'
import { Icon } from '../../part/icon.js'
import { TagField } from '../../part/tag-field.js'
import { counted, whole } from '../../show/amount.js'
import { accepting, type Doing, doToAll, forgetting, labelsOf, progress, tagging } from '../../state/records.js'

export type Selection = ReadonlyMap<string, Hit>

function TagDialog({ count, onTag, onClose }: { count: number; onTag: (tags: string[]) => void; onClose: () => void }) {
  const [text, setText] = useState('')
  const tags = labelsOf(text)
  return (
    <Dialog title={`Tag ${counted(count, 'memory', 'memories')}`} onClose={onClose} actions={null}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (tags.length > 0) onTag(tags)
        }}
      >
        <TagField label="Tags to add, separated by commas" value={text} onChange={setText} />
        <div class="form-actions">
          <button type="submit" class="button primary" disabled={tags.length === 0}>
            Add tags
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface SelectionBarProps {
  selection: Selection
  /** How many there are to select. */
  most: number
  onSelectAll: () => void
  /** The selection after an action: empty, or the records that failed. */
  onDone: (left: Selection) => void
}

/** The actions on the selected records. */
export function SelectionBar({ selection, most, onSelectAll, onDone }: SelectionBarProps) {
  const [asking, setAsking] = useState<'tag' | 'forget'>()
  const busy = progress.value
  const hits = [...selection.values()]
  const proposed = hits.filter((hit) => hit.proposed)
  const run = async (some: Hit[], doing: Doing): Promise<void> => {
    setAsking(undefined)
    const refused = new Set(
      await doToAll(
        some.map(({ id }) => id),
        doing,
      ),
    )
    onDone(new Map(hits.filter(({ id }) => refused.has(id)).map((hit) => [hit.id, hit])))
  }
  return (
    <div class="selection" role="toolbar" aria-label="Selected memories">
      <strong role="status">
        {busy ? `${whole(busy.done)} of ${whole(busy.total)}` : `${whole(selection.size)} selected`}
      </strong>
      {selection.size < most && (
        <button type="button" class="button quiet small" disabled={!!busy} onClick={onSelectAll}>
          Select {most === 2 ? 'both' : `all ${whole(most)}`}
        </button>
      )}
      <span class="selection-actions">
        {proposed.length > 0 && (
          <button type="button" class="button small" disabled={!!busy} onClick={() => void run(proposed, accepting)}>
            <Icon name="check" />
            Accept
          </button>
        )}
        <button type="button" class="button small" disabled={!!busy} onClick={() => setAsking('tag')}>
          <Icon name="tag" />
          Tag
        </button>
        <button type="button" class="button small" disabled={!!busy} onClick={() => setAsking('forget')}>
          <Icon name="trash" />
          Forget
        </button>
        <button
          type="button"
          class="button quiet small"
          data-shortcut="Escape"
          disabled={!!busy}
          onClick={() => onDone(new Map())}
        >
          Clear
        </button>
      </span>
      {asking === 'tag' && (
        <TagDialog
          count={selection.size}
          onClose={() => setAsking(undefined)}
          onTag={(tags) => void run(hits, tagging(tags))}
        />
      )}
      {asking === 'forget' && (
        <Confirm
          title={`Forget ${counted(selection.size, 'memory', 'memories')}?`}
          action="Forget"
          onClose={() => setAsking(undefined)}
          onConfirm={() => void run(hits, forgetting)}
        >
          <p>
            They disappear from every search, and from the shared store after the next drain. Their lines stay in the
            files with tombstones beside them.
          </p>
        </Confirm>
      )}
    </div>
  )
}
