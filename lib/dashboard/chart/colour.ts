/** Canvas knows no style sheets: a hidden element is asked what a colour of the style sheet is at the moment. */
export function colourReader(host: HTMLElement): { read(name: string): string; end(): void } {
  const probe = document.createElement('span')
  probe.hidden = true
  host.append(probe)
  return {
    read(name) {
      probe.style.color = `var(--${name})`
      return getComputedStyle(probe).color
    },
    end: () => probe.remove(),
  }
}
