import { Icon } from '../part/icon.js'
import { printable } from '../show/text.js'
import { dismiss, notices } from '../state/notice.js'

/** Toast messages, announced by screen readers without moving the focus. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.key} class={`notice ${notice.isProblem ? 'is-problem' : ''}`}>
          <Icon name={notice.isProblem ? 'warning' : 'check'} />
          <div>
            <p>{printable(notice.text)}</p>
            {notice.hint && <p class="note">{printable(notice.hint)}</p>}
            {notice.link && <a href={notice.link.address}>{notice.link.text}</a>}
          </div>
          <button type="button" class="button quiet small" aria-label="Dismiss" onClick={() => dismiss(notice.key)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
