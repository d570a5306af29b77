import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseJson } from "../../../machines/message/json.ts";
import { createFolder } from "../../../store/files/create-folder.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../../store/files/data-folder.ts";
import { mask } from "../../run/debug-log.ts";

/** Maximum number of prompts kept. */
const PROMPTS_MAX = 500;
/** Maximum characters of a prompt that is kept. */
const PROMPT_CHARS_MAX = 10_000;
/** Answers, which are not worth recalling. */
const ANSWER = /^(y|yes|n|no|q|quit|exit|a|always|v|view|e|edit|b|k|p|s|\d{1,2})$/i;

/** Input of former runs: a file in the data directory, one JSON string per line, oldest first. */
export class PromptHistory {
  readonly #secrets: readonly string[];
  readonly #prompts: string[];
  #file: string | undefined;

  /** Without a folder nothing is read or kept. `secrets`, and text that looks like a key, are masked. */
  constructor(folder: string | undefined, secrets: readonly string[] = []) {
    this.#file = folder === undefined ? undefined : path.join(folder, "prompt-history");
    this.#secrets = secrets;
    this.#prompts = this.#read();
  }

  newestFirst(): string[] {
    return this.#prompts.toReversed();
  }

  /** Add input that is worth recalling. */
  add(prompt: string): void {
    if (ANSWER.test(prompt.trim()) || prompt.trim() === "" || prompt.length > PROMPT_CHARS_MAX) return;
    const kept = mask(prompt, this.#secrets);
    if (kept === this.#prompts.at(-1)) return;
    this.#prompts.push(kept);
    this.#keep((file) => appendFileSync(file, `${JSON.stringify(kept)}\n`, { mode: PRIVATE_FILE }));
  }

  #read(): string[] {
    const lines = this.#file === undefined ? [] : linesOf(this.#file);
    const prompts = lines.flatMap(promptOf);
    if (lines.length <= 2 * PROMPTS_MAX) return prompts.slice(-PROMPTS_MAX);
    const kept = prompts.slice(-PROMPTS_MAX);
    this.#keep((file) => {
      const text = kept.map((prompt) => `${JSON.stringify(prompt)}\n`).join("");
      writeFileSync(`${file}.${process.pid}`, text, { mode: PRIVATE_FILE });
      renameSync(`${file}.${process.pid}`, file);
    });
    return kept;
  }

  #keep(write: (file: string) => void): void {
    if (this.#file === undefined) return;
    try {
      createFolder(path.dirname(this.#file), PRIVATE_FOLDER);
      write(this.#file);
    } catch {
      // A history that can't be written is not kept.
      this.#file = undefined;
    }
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    // The first run of all has none.
    return [];
  }
}

/** A line that was half written is none. */
function promptOf(line: string): readonly string[] {
  const prompt = parseJson(line);
  return typeof prompt === "string" ? [prompt] : [];
}
