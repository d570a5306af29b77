import type { Program } from "./program.ts";
import type { ProgramState } from "./state.ts";

/** The reason why a subformula has its value at the latest event. */
export interface Grounds {
  /** The positions of the earlier events that decide it. */
  readonly since: ReadonlySet<number>;
  /** The paths, hosts or tools that it fails for. */
  readonly values: ReadonlySet<string>;
  /** Whether a limit decides it, since it is not known any more. */
  readonly isBeyondLimit: boolean;
}

interface Found {
  readonly since: Set<number>;
  readonly values: Set<string>;
  isBeyondLimit: boolean;
}

/** The grounds of a subformula's value. */
export function groundsOf(program: Program, state: ProgramState, root: number): Grounds {
  const found: Found = { since: new Set(), values: new Set(), isBeyondLimit: false };
  collect(program, state, root, found);
  return found;
}

function collect(program: Program, state: ProgramState, at: number, found: Found): void {
  const instruction = program.instructions[at];
  if (instruction === undefined) return;
  const value = state.now[at] === true;
  switch (instruction.op) {
    case "event":
    case "previous":
    case "atMost":
      return;
    case "not":
      collect(program, state, instruction.of, found);
      return;
    case "and":
    case "or":
      for (const operand of instruction.of)
        if ((state.now[operand] === true) === value) collect(program, state, operand, found);
      return;
    case "once":
    case "historically":
    case "since": {
      const position = state.memory[at] ?? -1;
      if (position >= 0) found.since.add(position);
      return;
    }
    case "each": {
      const table = state.tables.get(at);
      const [root = 0] = instruction.body.roots;
      if (table?.isBeyondLimit === true) found.isBeyondLimit = true;
      for (const [name, inner] of table?.known ?? []) {
        if (inner.now[root] === true) continue;
        found.values.add(name);
        collect(instruction.body, inner, root, found);
      }
    }
  }
}
