import path from "node:path";
import { printable } from "../../client/printable/printable.ts";
import type { Io } from "../io.ts";
import type { TerminalAttention } from "../run/settings.ts";

const BELL = "\x07";
// The title before is kept on a stack of the terminal.
const KEEP_TITLE = "\x1b[22;2t";
const RESTORE_TITLE = "\x1b[23;2t";
const TITLE_MAX_CHARS = 100;

/** The state of a task, as far as the bell and the title show it. */
export interface Progress {
  readonly isWorking: boolean;
  /** Such as `running`, or what a task at rest waits for. */
  readonly state: string;
}

/** Rings the bell when a task stops working, and shows its state in the title of the window, where the settings say so. */
export class Attention {
  readonly #stdout: Io["stdout"];
  readonly #folder: string;
  readonly #hasBell: boolean;
  readonly #hasTitle: boolean;
  #isWorking = false;
  #title: string | undefined;

  /** @param hasEscapes whether the output takes escape sequences */
  constructor(
    { stdout }: Pick<Io, "stdout">,
    workspace: string,
    { bell, title }: TerminalAttention,
    hasEscapes: boolean,
  ) {
    this.#stdout = stdout;
    this.#folder = path.basename(workspace);
    this.#hasBell = bell && stdout.isTTY === true;
    this.#hasTitle = title && hasEscapes;
  }

  show({ isWorking, state }: Progress): void {
    if (this.#hasBell && this.#isWorking && !isWorking) this.#stdout.write(BELL);
    this.#isWorking = isWorking;
    if (this.#hasTitle) this.#setTitle(`${this.#folder} · ${state}`);
  }

  close(): void {
    if (this.#title !== undefined) this.#stdout.write(RESTORE_TITLE);
    this.#title = undefined;
  }

  #setTitle(text: string): void {
    const title = printable(text).replaceAll("\n", " ").slice(0, TITLE_MAX_CHARS);
    if (title === this.#title) return;
    if (this.#title === undefined) this.#stdout.write(KEEP_TITLE);
    this.#title = title;
    this.#stdout.write(`\x1b]2;${title}${BELL}`);
  }
}
