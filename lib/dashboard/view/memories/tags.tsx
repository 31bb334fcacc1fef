import { useState } from 'preact/hooks'
import { change } from '../../connection/http.js'
import { Dialog } from '../../part/dialog.js'
import { Icon } from '../../part/icon.js'
import { Empty, Loaded } from '../../part/state.js'
import { TagField } from '../../part/tag-field.js'
import { Heading } from '../../shell/frame.js'
import { counted, whole } from '../../show/amount.js'
import { oneLine } from '../../show/text.js'
import { notify, notifyFailure, undoOf } from '../../state/notice.js'
import { useResources } from '../../state/resource.js'
import { addressOf } from '../../state/route.js'
import { tags } from '../../state/stores.js'

interface RenameProps {
  tag: string
  count: number
  onClose: () => void
}

function Rename({ tag, count, onClose }: RenameProps) {
  const [to, setTo] = useState(tag)
  const [isBusy, setBusy] = useState(false)
  const name = to.trim()
  const rename = async (): Promise<void> => {
    setBusy(true)
    try {
      const body = { from: tag, to: name }
      const { answer, undo } = await change<{ changed: number }>('/api/memory/tags', { method: 'POST', body })
      const what = counted(answer.changed, 'memory', 'memories')
      notify(name === '' ? `Removed from ${what}.` : `Renamed in ${what}.`, undoOf(undo))
      await tags.refresh()
    } catch (cause) {
      notifyFailure(cause)
    }
    onClose()
  }
  return (
    <Dialog title={`Rename ${oneLine(tag)}`} onClose={onClose} actions={null}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void rename()
        }}
      >
        <TagField label="New name; empty removes the tag" value={to} isOne={true} onChange={setTo} />
        <p class="note">Each of the {counted(count, 'memory', 'memories')} gets a new revision.</p>
        <div class="form-actions">
          <button type="submit" class="button primary" disabled={isBusy || name === tag}>
            {name === '' ? 'Remove' : 'Rename'}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** All tags with the number of their memories; a tag is renamed, joined with another one or removed here. */
export function TagsView() {
  useResources(tags)
  const [filter, setFilter] = useState('')
  const [renamed, setRenamed] = useState<{ tag: string; count: number }>()
  return (
    <>
      <a class="back" href={addressOf('memories')} data-shortcut="Escape">
        <Icon name="back" />
        Memories
      </a>
      <Heading title="Tags" />
      <Loaded from={tags} lines={6}>
        {({ tags: found }) => {
          const fitting = found.filter(({ tag }) => tag.toLowerCase().includes(filter.trim().toLowerCase()))
          if (found.length === 0)
            return (
              <Empty title="No memory has a tag">
                Give one while <a href={addressOf('home')}>capturing</a>, or select memories in the{' '}
                <a href={addressOf('memories')}>list</a> and tag them.
              </Empty>
            )
          return (
            <>
              <label class="unseen" for="tag-filter">
                Find a tag
              </label>
              <input
                id="tag-filter"
                type="search"
                value={filter}
                autoComplete="off"
                placeholder={`Find one of ${counted(found.length, 'tag')}`}
                onInput={(event) => setFilter(event.currentTarget.value)}
              />
              <ul class="tag-list" aria-label="Tags">
                {fitting.slice(0, SHOWN).map(({ tag, count }) => (
                  <li key={tag}>
                    <a href={addressOf('memories', '', { tag })}>{oneLine(tag)}</a>
                    <span class="note">{whole(count)}</span>
                    <button
                      type="button"
                      class="button small quiet"
                      aria-label={`Rename ${oneLine(tag)}`}
                      onClick={() => setRenamed({ tag, count })}
                    >
                      <Icon name="edit" />
                    </button>
                  </li>
                ))}
              </ul>
              {fitting.length > SHOWN && (
                <p class="note">{whole(fitting.length - SHOWN)} more: type a part of the name.</p>
              )}
            </>
          )
        }}
      </Loaded>
      {renamed && <Rename {...renamed} onClose={() => setRenamed(undefined)} />}
    </>
  )
}

const SHOWN = 500
