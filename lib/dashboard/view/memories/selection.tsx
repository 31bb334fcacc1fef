import { useState } from 'preact/hooks'
import type { Hit } from '../../connection/shapes.js'
import { Toolbar } from '../../part/chosen.js'
import { Button } from '../../part/controls.js'
import { Confirm, TagDialog } from '../../part/dialog.js'
import { counted, whole } from '../../show/text.js'
import { accepting, type Doing, doToAll, forgetting, labelsOf, progress, tagging } from '../../state/records.js'

export type Selection = ReadonlyMap<string, Hit>

interface SelectionBarProps {
  selection: Selection
  /** How many there are to select. */
  most: number
  onSelectAll: () => void
  /** The selection after an action: empty, or the records that failed. */
  onDone: (left: Selection) => void
}

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
  const close = () => setAsking(undefined)
  return (
    <Toolbar
      label="Selected memories"
      actions={
        <>
          {proposed.length > 0 && (
            <Button look="small" icon="check" disabled={!!busy} onClick={() => run(proposed, accepting)}>
              Accept
            </Button>
          )}
          <Button look="small" icon="tag" disabled={!!busy} onClick={() => setAsking('tag')}>
            Tag
          </Button>
          <Button look="small" icon="trash" disabled={!!busy} onClick={() => setAsking('forget')}>
            Forget
          </Button>
          <Button look="quiet small" shortcut="Escape" disabled={!!busy} onClick={() => onDone(new Map())}>
            Clear
          </Button>
        </>
      }
    >
      <strong role="status">
        {busy ? `${whole(busy.done)} of ${whole(busy.total)}` : `${whole(selection.size)} selected`}
      </strong>
      {selection.size < most && (
        <Button look="quiet small" disabled={!!busy} onClick={onSelectAll}>
          Select {most === 2 ? 'both' : `all ${whole(most)}`}
        </Button>
      )}
      {asking === 'tag' && (
        <TagDialog
          title={`Tag ${counted(selection.size, 'memory', 'memories')}`}
          label="Tags to add, separated by commas"
          actionOf={() => 'Add tags'}
          isNew={(text) => labelsOf(text).length > 0}
          onText={(text) => run(hits, tagging(labelsOf(text)))}
          onClose={close}
        />
      )}
      {asking === 'forget' && (
        <Confirm
          title={`Forget ${counted(selection.size, 'memory', 'memories')}?`}
          action="Forget"
          onClose={close}
          onConfirm={() => run(hits, forgetting)}
        >
          <p>
            They disappear from every search, and from the shared store after the next drain. Their lines stay in the
            files with tombstones beside them.
          </p>
        </Confirm>
      )}
    </Toolbar>
  )
}
