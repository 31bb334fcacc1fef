import { Dialog } from '../part/dialog.js'
import { hasShortcuts } from '../state/preferences.js'
import { isHelpOpen, SHORTCUTS } from './shortcuts.js'

export function Help() {
  if (!isHelpOpen.value) return null
  const close = (): void => {
    isHelpOpen.value = false
  }
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={close}
      actions={
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      }
    >
      <dl class="shortcuts">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={hasShortcuts.value}
          onChange={(event) => {
            hasShortcuts.value = event.currentTarget.checked
          }}
        />
        Single-key shortcuts
      </label>
    </Dialog>
  )
}
