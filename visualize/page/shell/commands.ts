/** All that a key does. One table: the page's help is made of it. */
export const COMMANDS = [
  ["next", ["ArrowRight", "l"], "→", "the next event"],
  ["back", ["ArrowLeft", "h"], "←", "the event before"],
  ["nextState", ["Shift+ArrowRight", "Shift+L"], "⇧ →", "where the next state begins"],
  ["backState", ["Shift+ArrowLeft", "Shift+H"], "⇧ ←", "where this state began, or the one before"],
  ["first", ["Home"], "Home", "the first event"],
  ["live", ["End"], "End", "the newest event, and on with it"],
  ["play", [" "], "Space", "play, or halt"],
  ["faster", ["+", "="], "+", "play faster"],
  ["slower", ["-"], "−", "play slower"],
  ["search", ["/"], "/", "search the events"],
  ["nextMatch", ["n"], "n", "the next match"],
  ["backMatch", ["Shift+N"], "⇧ N", "the match before"],
  ["chart", ["1"], "1", "to the chart"],
  ["state", ["2"], "2", "to the state"],
  ["messages", ["3"], "3", "to the messages"],
  ["sequence", ["4"], "4", "to the sequence of the actors"],
  ["conversation", ["5"], "5", "to the conversation with the model"],
  ["act", ["a"], "a", "to what can be done now"],
  ["breakpoints", ["b"], "b", "breakpoints"],
  ["fleet", ["f"], "f", "all tasks, or back to this one"],
  ["compare", ["c"], "c", "compare with another task, or no longer"],
  ["theme", ["t"], "t", "dark, light, or as the system"],
  ["help", ["?"], "?", "these keys"],
] as const satisfies readonly (readonly [string, readonly string[], string, string])[];

export type Command = (typeof COMMANDS)[number][0];

/** The command of a key, written as `Shift+N` or `n`. Signs such as `?` say for themselves that they need Shift. */
export function commandOf(key: string, isShifted: boolean): Command | undefined {
  const isNamed = key.length > 1 || /[a-z]/i.test(key);
  const name = isShifted && isNamed ? `Shift+${key.length === 1 ? key.toUpperCase() : key}` : key;
  return COMMANDS.find(([, keys]) => (keys as readonly string[]).includes(name))?.[0];
}
