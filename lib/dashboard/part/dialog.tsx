import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
  actions: ComponentChildren
}

/** A modal dialog. The browser's own element traps the focus, closes on Escape and restores the focus. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key, which belongs to the dialog.
  useLayoutEffect(() => {
    if (dialog.current === null) return
    dialog.current.showModal()
    // The browser scrolls to what it gives the focus, which is at the end of a long text.
    dialog.current.scrollTop = 0
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div class="dialog-body">{children}</div>
      <div class="dialog-actions">{actions}</div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  action: string
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
  children: ComponentChildren
}

/** A confirmation dialog. Cancel comes first and has the focus, so that pressing Enter destroys nothing. */
export function Confirm({ title, action, isBusy = false, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="button danger" disabled={isBusy} onClick={onConfirm}>
            {action}
          </button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
