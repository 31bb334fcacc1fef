/** Makes the addon of this process use a home of its own until the test ends. */
export function useHome(t, home) {
  t.after(enterHome(home))
}

/** Makes the addon of this process use a home, and returns what makes it use the former one again. */
export function enterHome(home) {
  const before = process.env.FORGE_HOME
  process.env.FORGE_HOME = home
  // Assigning undefined would make it the text "undefined", a folder in the working directory.
  return () => {
    if (before === undefined) delete process.env.FORGE_HOME
    else process.env.FORGE_HOME = before
  }
}
