/**
 * Resolves colours of the style sheet for a canvas, which cannot use CSS variables: a hidden element has the computed value.
 */
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
