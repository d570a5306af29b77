import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import xterm from "@xterm/headless";

/** Of util-linux: it runs a command on a pseudo-terminal. */
const SCRIPT = "/usr/bin/script";
const COLUMNS = 240;
const ROWS = 40;

export interface PseudoTerminalOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
}

export const hasPseudoTerminal = process.platform === "linux" && existsSync(SCRIPT);

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A program on a pseudo-terminal, and what a person sees on it. */
export class PseudoTerminal {
  /** The exit code. */
  readonly code: Promise<number | null>;
  /** All that was written to it. */
  bytes = "";
  readonly #stdin: NodeJS.WritableStream;
  readonly #kill: () => void;
  readonly #xterm: InstanceType<typeof xterm.Terminal>;
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(
    file: string,
    args: readonly string[],
    { cwd, env, columns = COLUMNS, rows = ROWS }: PseudoTerminalOptions,
  ) {
    this.#xterm = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
    const command = [process.execPath, file, ...args].map(quote).join(" ");
    const child = spawn(
      SCRIPT,
      ["-qefc", `stty cols ${columns} rows ${rows}; exec ${command}`, "/dev/null"],
      {
        cwd,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          SHELL: "/bin/sh",
          TERM: "xterm-256color",
          ...env,
        },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    this.#stdin = child.stdin;
    this.#kill = () => child.kill("SIGKILL");
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      this.bytes += String(chunk);
      this.#xterm.write(String(chunk), () => this.#look());
    });
    // A program that has ended takes no more keys.
    child.stdin.on("error", () => {});
    this.code = new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => {
        this.#xterm.write("", () => {
          this.#isOver = true;
          this.#look();
          resolve(code);
        });
      });
    });
  }

  /** All rows, those that scrolled away too. */
  get text(): readonly string[] {
    const { active } = this.#xterm.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    );
    return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
  }

  /** Close the terminal, which ends the program. */
  hangUp(): void {
    this.#kill();
  }

  type(keys: string): void {
    this.#stdin.write(keys);
  }

  /** Type a line. Resolves when these words are seen, `times` times. */
  async enter(line: string, words: string, times = 1): Promise<void> {
    this.type(`${line}\r`);
    await this.shows(words, times);
  }

  /** Resolves when these are seen, each `times` times. */
  async shows(words: string, times = 1): Promise<void> {
    await this.sees((text) => text.join("\n").split(words).length > times, words);
  }

  /** Resolves when the input begins with this question. */
  async asks(question: string): Promise<void> {
    await this.sees((text) => text.at(-2)?.startsWith(question) === true, `the question ${question}`);
  }

  async sees(fits: (text: readonly string[]) => boolean, what: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!fits(this.text) && !this.#isOver) return;
        this.#waiting.delete(look);
        if (fits(this.text)) resolve();
        else reject(new Error(`It ended and never showed ${what}:\n${this.text.join("\n")}`));
      };
      this.#waiting.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}
