import { Button } from '../part/controls.js'
import { Icon } from '../part/marks.js'
import { oneLine, printable } from '../show/text.js'
import { dismiss, notices, takeBack } from '../state/notice.js'

/** Toast messages, announced by screen readers without moving the focus. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.key} class={`notice ${notice.isProblem ? 'is-problem' : ''}`}>
          <Icon name={notice.isProblem ? 'warning' : 'check'} />
          <div class="notice-body">
            <p dir="auto">{printable(notice.text)}</p>
            {notice.hint && <p class="note">{printable(notice.hint)}</p>}
            {notice.more?.map((text) => (
              <blockquote key={text} dir="auto">
                {oneLine(text).slice(0, 200)}
              </blockquote>
            ))}
            {notice.link && <a href={notice.link.address}>{notice.link.text}</a>}
          </div>
          {notice.undo && (
            <Button look="small" icon="undo" shortcut="u" onClick={() => takeBack(notice)}>
              Undo
            </Button>
          )}
          <Button look="quiet small" icon="close" label="Dismiss" onClick={() => dismiss(notice.key)} />
        </div>
      ))}
    </div>
  )
}
