import { useState } from 'preact/hooks'
import { change } from '../../connection/http.js'
import { Button } from '../../part/controls.js'
import { TagDialog } from '../../part/dialog.js'
import { SearchField } from '../../part/fields.js'
import { Empty, Loaded } from '../../part/panels.js'
import { Back, Heading } from '../../shell/frame.js'
import { counted, oneLine, whole } from '../../show/text.js'
import { notify, undoOf, useWork } from '../../state/notice.js'
import { useResources } from '../../state/resource.js'
import { addressOf } from '../../state/route.js'
import { type Tag, tags } from '../../state/stores.js'

const SHOWN = 500

async function rename(from: string, to: string): Promise<void> {
  const body = { from, to }
  const { answer, undo } = await change<{ changed: number }>('/api/memory/tags', { method: 'POST', body })
  const what = counted(answer.changed, 'memory', 'memories')
  notify(to === '' ? `Removed from ${what}.` : `Renamed in ${what}.`, undoOf(undo))
  await tags.refresh()
}

function Rename({ tag, count, onClose }: Tag & { onClose: () => void }) {
  const [isBusy, start] = useWork()
  return (
    <TagDialog
      title={`Rename ${oneLine(tag)}`}
      label="New name; empty removes the tag"
      text={tag}
      isOne={true}
      note={`Each of the ${counted(count, 'memory', 'memories')} gets a new revision.`}
      actionOf={(text) => (text.trim() === '' ? 'Remove' : 'Rename')}
      isNew={(text) => !isBusy && text.trim() !== tag}
      onText={(text) => start(() => rename(tag, text.trim())).then(onClose)}
      onClose={onClose}
    />
  )
}

function TagList({ found, onRename }: { found: Tag[]; onRename: (tag: Tag) => void }) {
  const [filter, setFilter] = useState('')
  const fitting = found.filter(({ tag }) => tag.toLowerCase().includes(filter.trim().toLowerCase()))
  return (
    <>
      <SearchField
        id="tag-filter"
        label="Find a tag"
        placeholder={`Find one of ${counted(found.length, 'tag')}`}
        value={filter}
        onChange={setFilter}
      />
      <ul class="tag-list" aria-label="Tags">
        {fitting.slice(0, SHOWN).map(({ tag, count }) => (
          <li key={tag}>
            <a class="clip" href={addressOf('memories', '', { tag })}>
              {oneLine(tag)}
            </a>
            <span class="note">{whole(count)}</span>
            <Button
              look="small quiet"
              icon="edit"
              label={`Rename ${oneLine(tag)}`}
              onClick={() => onRename({ tag, count })}
            />
          </li>
        ))}
      </ul>
      {fitting.length > SHOWN && <p class="note">{whole(fitting.length - SHOWN)} more: type a part of the name.</p>}
    </>
  )
}

/** All tags with the number of their memories; a tag is renamed, joined with another one or removed here. */
export function TagsView() {
  useResources(tags)
  const [renamed, setRenamed] = useState<Tag>()
  return (
    <>
      <Back address={addressOf('memories')} />
      <Heading title="Tags" />
      <Loaded from={tags} lines={6}>
        {({ tags: found }) =>
          found.length === 0 ? (
            <Empty title="No memory has a tag">
              Give one while <a href={addressOf('home')}>capturing</a>, or select memories in the{' '}
              <a href={addressOf('memories')}>list</a> and tag them.
            </Empty>
          ) : (
            <TagList found={found} onRename={setRenamed} />
          )
        }
      </Loaded>
      {renamed && <Rename {...renamed} onClose={() => setRenamed(undefined)} />}
    </>
  )
}
