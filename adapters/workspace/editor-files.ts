import { within } from "../../actors/protocol/within.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EditorPort, EditorSource } from "../../ports/editor.ts";
import { EDITOR_LIMITS, type EditorLimits } from "../../ports/editor-limits.ts";
import { messageOf, ToolError } from "../../tools/error.ts";
import { cutEnd } from "../../tools/text.ts";

/** Bytes of an editor's own message in an error. */
const REASON_BYTES = 1_000;

/** The files that an editor has open. Its callers check each path first (L9). */
export class EditorFiles {
  readonly #port: EditorPort;
  readonly #limits: EditorLimits;
  readonly #clock: Clock;

  constructor({ editor, limits }: EditorSource, clock: Clock) {
    this.#port = editor;
    this.#limits = { ...EDITOR_LIMITS, ...limits };
    this.#clock = clock;
  }

  get saves(): boolean {
    return this.#port.save !== undefined;
  }

  /**
   * The text of a file with unsaved changes; undefined for any other.
   *
   * @throws ToolError `FAILED`: the file on disk may be older than what the user sees
   */
  async read(relative: string, named: string): Promise<string | undefined> {
    try {
      const text: unknown = await this.#ask(this.#limits.timeoutMs, () => this.#port.readBuffer?.(relative));
      if (text === undefined || typeof text === "string") return text;
      throw new TypeError(`expected a string or undefined, received ${text === null ? "null" : typeof text}`);
    } catch (error) {
      throw failed(
        `The editor did not say whether '${named}' has unsaved changes: ${reasonOf(error)}. Try again, or ask the user.`,
        error,
      );
    }
  }

  /** @throws ToolError `FAILED` */
  async save(relative: string, named: string, text: string): Promise<void> {
    try {
      await this.#ask(this.#limits.saveTimeoutMs, () => this.#port.save?.(relative, text));
    } catch (error) {
      throw failed(
        `The editor did not save '${named}': ${reasonOf(error)}. Read the file to see what it has, then try again or ask the user.`,
        error,
      );
    }
  }

  /** @throws ToolError `FAILED` for a file with unsaved changes, which a write to disk would not have */
  async assertSaved(relative: string, named: string): Promise<void> {
    if ((await this.read(relative, named)) === undefined) return;
    throw failed(
      `'${named}' has unsaved changes, and the editor can't save this content: expected a saved file. Ask the user to save or revert it.`,
    );
  }

  #ask<T>(timeoutMs: number, ask: () => T | Promise<T>): Promise<T> {
    return within(this.#clock, timeoutMs, (async () => ask())());
  }
}

const failed = (message: string, cause?: unknown): ToolError => new ToolError("FAILED", message, { cause });

const reasonOf = (error: unknown): string => cutEnd(messageOf(error), REASON_BYTES);
