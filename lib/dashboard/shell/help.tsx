import { Button, Check } from '../part/controls.js'
import { Dialog } from '../part/dialog.js'
import { hasShortcuts } from '../state/preferences.js'
import { isHelpOpen, SHORTCUTS } from './shortcuts.js'

export function Help() {
  if (!isHelpOpen.value) return null
  const close = (): void => {
    isHelpOpen.value = false
  }
  return (
    <Dialog title="Keyboard shortcuts" onClose={close} actions={<Button onClick={close}>Close</Button>}>
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
      <Check
        isOn={hasShortcuts.value}
        onChange={(isOn) => {
          hasShortcuts.value = isOn
        }}
      >
        Single-key shortcuts
      </Check>
    </Dialog>
  )
}
