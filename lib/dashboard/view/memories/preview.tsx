import { Icon } from '../../part/icon.js'
import { Markdown } from '../../part/markdown.js'
import { Empty, Trouble, Waiting } from '../../part/state.js'
import { useEntry } from '../../state/entry.js'
import { pins } from '../../state/pins.js'
import { addressOf } from '../../state/route.js'
import { Facts } from '../entry/facts.js'
import { RecordHead } from '../record-head.js'

interface PreviewProps {
  id: string | undefined
  onPin: () => void
}

/** The preview of the list's current record, beside the list. */
export function Preview({ id, onPin }: PreviewProps) {
  const { found, problem } = useEntry(id)
  if (id === undefined) return <Empty title="No memory is current">Move through the list with j and k.</Empty>
  if (problem) return <Trouble problem={problem} />
  if (!found) return <Waiting lines={6} />
  const { entry } = found
  return (
    <article class="preview-body" data-record={entry.id} data-text={entry.text}>
      <RecordHead found={found} />
      <Markdown class="entry-text" text={entry.text} />
      <p class="preview-actions">
        <a class="button small" href={addressOf('entry', entry.id)}>
          Open
        </a>
        <a class="button small" href={addressOf('entry', entry.id, { edit: 'yes' })} data-shortcut="e">
          <Icon name="edit" />
          Edit
        </a>
        <button type="button" class="button small" aria-pressed={pins.value.includes(entry.id)} onClick={onPin}>
          <Icon name="pin" />
          {pins.value.includes(entry.id) ? 'Unpin' : 'Pin'}
        </button>
      </p>
      <Facts found={found} />
    </article>
  )
}
