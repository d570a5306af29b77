/** The keyboard commands, as the help lists them. */
export const COMMANDS = [
  ["next", ["ArrowRight", "l"], "→", "next event"],
  ["back", ["ArrowLeft", "h"], "←", "previous event"],
  ["nextState", ["Shift+ArrowRight", "Shift+L"], "⇧ →", "next state"],
  ["backState", ["Shift+ArrowLeft", "Shift+H"], "⇧ ←", "start of this state, or the previous state"],
  ["first", ["Home"], "Home", "first event"],
  ["live", ["End"], "End", "follow the newest event"],
  ["nextProblem", ["e"], "e", "next problem"],
  ["backProblem", ["Shift+E"], "⇧ E", "previous problem"],
  ["play", [" "], "Space", "play or pause"],
  ["faster", ["+", "="], "+", "play faster"],
  ["slower", ["-"], "−", "play slower"],
  ["search", ["/"], "/", "search the events"],
  ["nextMatch", ["n"], "n", "next match"],
  ["backMatch", ["Shift+N"], "⇧ N", "previous match"],
  ["outline", ["o"], "o", "focus the outline"],
  ["chart", ["1"], "1", "show the chart"],
  ["state", ["2"], "2", "show the state"],
  ["messages", ["3"], "3", "show the messages"],
  ["sequence", ["4"], "4", "show the sequence of events"],
  ["conversation", ["5"], "5", "show the conversation as the model saw it, or the messages"],
  ["problems", ["6"], "6", "show the problems"],
  ["why", ["7"], "7", "show why the event did this, and what another would do"],
  ["raw", ["8"], "8", "show the record of the event"],
  ["hideOutline", ["Shift+O"], "⇧ O", "show or hide the outline"],
  ["hideInspector", ["i"], "i", "show or hide the inspector"],
  ["actions", ["a"], "a", "focus the actions"],
  ["breakpoints", ["b"], "b", "show or hide the breakpoints"],
  ["tasks", ["f"], "f", "show or hide all tasks"],
  ["compare", ["c"], "c", "show or hide the comparison"],
  ["theme", ["t"], "t", "theme: auto, dark or light"],
  ["help", ["?"], "?", "show this help"],
] as const satisfies readonly (readonly [string, readonly string[], string, string])[];

export type Command = (typeof COMMANDS)[number][0];

/** The command of a key, written as `Shift+N` or `n`. Characters such as `?` imply Shift. */
export function commandOf(key: string, isShifted: boolean): Command | undefined {
  const isNamed = key.length > 1 || /[a-z]/i.test(key);
  const name = isShifted && isNamed ? `Shift+${key.length === 1 ? key.toUpperCase() : key}` : key;
  return COMMANDS.find(([, keys]) => (keys as readonly string[]).includes(name))?.[0];
}
