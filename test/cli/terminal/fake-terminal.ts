import { once } from "node:events";
import { PassThrough } from "node:stream";
import xterm from "@xterm/headless";
import type { Io } from "../../../cli/io.ts";
import type { RunRules } from "../../../cli/run/settings.ts";

export interface FakeOptions {
  readonly env?: Io["env"];
  readonly columns?: number;
  readonly rows?: number;
  readonly isTTY?: boolean;
}

/** No settings. */
export const NO_RULES: RunRules = {
  list: [],
  isAlwaysOffered: true,
  addToProject: () => Promise.reject(new Error("There is no project.")),
  removeFromProject: () => Promise.reject(new Error("There is no project.")),
};

/** A terminal without a window: what is typed into it, and what a person sees on it. */
export class FakeTerminal {
  readonly io: Io;
  /** All that was written to it. */
  bytes = "";
  /** How often the screen was cleared from its first cell: tmux adds what was shown to its history then. */
  clears = 0;
  readonly #stdin: PassThrough & { isTTY: boolean };
  readonly #stdout: PassThrough & { isTTY: boolean; columns: number; rows: number };
  readonly #xterm: InstanceType<typeof xterm.Terminal>;
  readonly #waiting = new Set<() => void>();

  constructor({ env = {}, columns = 80, rows = 24, isTTY = true }: FakeOptions = {}) {
    this.#stdin = Object.assign(new PassThrough(), { isTTY });
    this.#stdout = Object.assign(new PassThrough(), { isTTY, columns, rows });
    this.#xterm = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
    this.#xterm.parser.registerCsiHandler({ final: "J" }, () => {
      const { cursorX, cursorY } = this.#xterm.buffer.active;
      if (cursorX === 0 && cursorY === 0) this.clears += 1;
      return false;
    });
    this.#stdout.on("data", (chunk) => {
      this.bytes += String(chunk);
      this.#xterm.write(String(chunk), () => {
        for (const look of [...this.#waiting]) look();
      });
    });
    this.io = {
      stdin: this.#stdin,
      stdout: this.#stdout,
      stderr: new PassThrough(),
      env,
      on: () => {},
      off: () => {},
    };
  }

  async type(keys: string): Promise<void> {
    const read = once(this.#stdin, "data");
    this.#stdin.write(keys);
    await read;
    // Readline hears the keys after the listeners of the data.
    await new Promise(setImmediate);
  }

  /** Type a line. Resolves when these words are seen. */
  async enter(line: string, words: string): Promise<void> {
    await this.type(`${line}\r`);
    await this.shows(words);
  }

  resize(columns: number, rows: number): void {
    this.#xterm.resize(columns, rows);
    Object.assign(this.#stdout, { columns, rows });
    this.#stdout.emit("resize");
  }

  /** Its rows, those that scrolled away too, without blank ones at the end. */
  get text(): readonly string[] {
    const { active } = this.#xterm.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    );
    return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
  }

  /** The last row that isn't blank. */
  get bottom(): string {
    return this.text.at(-1) ?? "";
  }

  /** Where the cursor stands: its row in {@link text}, and its column. */
  get cursor(): { readonly row: number; readonly column: number } {
    const { active } = this.#xterm.buffer;
    return { row: active.baseY + active.cursorY, column: active.cursorX };
  }

  /** Resolves when this is seen. */
  async sees(fits: (text: readonly string[]) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!fits(this.text)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Resolves when a row has this in it. */
  shows(words: string): Promise<void> {
    return this.sees((text) => text.some((row) => row.includes(words)));
  }
}

/** A run without profiles. */
export const NO_MODELS = { profiles: [] } as const;
