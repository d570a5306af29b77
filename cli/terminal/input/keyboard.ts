import { createInterface, emitKeypressEvents, type Interface, type Key } from "node:readline";
import { PassThrough } from "node:stream";
import type { Io } from "../../io.ts";

/** After this time an escape character is the Esc key, and not the start of another key, in milliseconds. */
const ESCAPE_TIMEOUT_MS = 50;

// Bracketed paste: the terminal marks pasted text.
const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";
const INTERRUPT = "\x03";

/** Receives the keys of a terminal. */
export interface KeyListener {
  key(key: Key): void;
  /** Text was pasted, with its line ends. */
  paste(text: string): void;
  /** The shell continues the process after {@link Keyboard.suspend}. */
  resumed(): void;
  /** The input has ended. */
  end(): void;
}

/** The keys of a terminal in raw mode. */
export class Keyboard {
  readonly #io: Io;
  readonly #listener: KeyListener;
  readonly #options: Interface;
  readonly #onKey = (_text: unknown, key: Key): void => this.#take(key);
  readonly #onEnd = (): void => this.#listener.end();
  /** The text of a paste that has not ended. */
  #pasted: string | undefined;

  constructor(io: Io, listener: KeyListener) {
    this.#io = io;
    this.#listener = listener;
    // Node takes the timeout from an interface alone.
    this.#options = createInterface({ input: new PassThrough(), escapeCodeTimeout: ESCAPE_TIMEOUT_MS });
    emitKeypressEvents(io.stdin, this.#options);
    io.stdin.on("keypress", this.#onKey);
    io.stdin.on("end", this.#onEnd);
    io.stdin.on("error", this.#onEnd);
    // A terminal that has gone away can't be reset either.
    io.stdin.on("error", () => {});
    this.resume();
  }

  /** Leave the terminal to another program. */
  pause(): void {
    this.#markPastes(PASTE_OFF);
    this.#setRaw(false);
    this.#io.stdin.pause();
  }

  resume(): void {
    this.#markPastes(PASTE_ON);
    this.#setRaw(true);
    this.#io.stdin.resume();
  }

  /** Suspend the process, as Ctrl-Z does, until its shell continues it. */
  suspend(): void {
    if (process.platform === "win32") return;
    const onContinue = (): void => {
      this.#io.off("SIGCONT", onContinue);
      this.#listener.resumed();
    };
    this.pause();
    this.#io.on("SIGCONT", onContinue);
    process.kill(process.pid, "SIGTSTP");
  }

  close(): void {
    const { stdin } = this.#io;
    stdin.off("keypress", this.#onKey);
    stdin.off("end", this.#onEnd);
    stdin.off("error", this.#onEnd);
    this.#options.close();
    this.pause();
  }

  #markPastes(how: typeof PASTE_ON | typeof PASTE_OFF): void {
    if (this.#io.env.TERM !== "dumb") this.#io.stdout.write(how);
  }

  #setRaw(isRaw: boolean): void {
    const { stdin } = this.#io;
    if ("setRawMode" in stdin && typeof stdin.setRawMode === "function") stdin.setRawMode(isRaw);
  }

  #take(key: Key): void {
    if (key.name === "paste-start") this.#pasted = "";
    else if (this.#pasted === undefined) this.#listener.key(key);
    else if (key.name === "paste-end") this.#endPaste(this.#pasted);
    else if (key.sequence === INTERRUPT) {
      // The end of a paste may be lost.
      this.#endPaste(this.#pasted);
      this.#listener.key(key);
    } else this.#pasted += key.sequence ?? "";
  }

  #endPaste(text: string): void {
    this.#pasted = undefined;
    this.#listener.paste(text);
  }
}
